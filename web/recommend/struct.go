package recommend

import (
	"strconv"

	"tianti/web/ui"
)

// recommendData is the page that ranks cards for a job.
type recommendData struct {
	ui.Layout
	Form     SizingForm
	Presets  []ui.Link
	Problems []Problem
	Answer   *recommendationData // nil while nothing is asked, or when it was not understood
}

// SizingForm asks for a job in a sentence, with more options beneath.
type SizingForm struct {
	Action   string
	Sentence []sentencePart
	Groups   []fieldGroup
	Open     bool // an option beneath the sentence is set, or wrong
	Models   []ui.Option
	Submit   string
}

// sentencePart is some words, or a field between them.
type sentencePart struct {
	Text  string
	Field *Field
}

// fieldGroup is a group of options.
type fieldGroup struct {
	Title  string
	Note   string
	Fields []Field
}

// Field is a field of the form: a list to choose from where it has options,
// and one to type into otherwise.
type Field struct {
	Name, Label, Unit, Value string
	Hint                     string // what is used when it is empty
	Kind                     string // of the input: "text" where empty, "date"
	List                     string // id of the list of suggestions
	Options                  []ui.Option
	Number                   bool
	Check                    bool // it is ticked or not; Value is what it sends
	Ticked                   bool
	Problem                  bool // the value could not be used
}

// mode is the keyboard of a field.
func (f Field) mode() string {
	if f.Number {
		return "decimal"
	}
	return "text"
}

// width is how many characters a field shows.
func (f Field) width() string {
	if f.Name == "model" {
		return "14" // the names of models are long: Qwen2.5-7B shows whole
	}
	return strconv.Itoa(max(4, min(14, len([]rune(f.Value))+1), min(14, len([]rune(f.Hint))+1)))
}

// Problem is what is wrong with a field.
type Problem struct {
	Field string // empty where the form does not have it
	Text  string
}

// ID is the id of the problem, which its field refers to.
func (p Problem) id() string { return "problem-" + p.Field }

// recommendationData is an answer.
type recommendationData struct {
	Headline    string      // the first option in one line; empty without options
	Cheaper     string      // what costs less than the first, which leads for its fewer cards; empty where nothing does
	Electricity string      // whose price of it the cost of bought cards has; empty where the asker gave one, or none is known
	Picks       []pickData  // the first cards; of the first page only
	Known       []knownCard // cards that people have in mind
	Words       string      // the request
	Assumptions []Assumed
	Goals       []ui.Link
	Export      string // how export rules were read, where the address has a destination
	Counts      string // how many cards were looked at and how many options there are
	Cost        string // heading of the column of costs: of the job, or of an hour
	Energy      string // heading of the energy of the job, or of a million tokens
	Speed       string // heading of speeds, with their unit
	Time        string // likewise
	Priced      string // how many options have a price
	Marked      bool   // some option's export status is not known
	Rows        []optionRowData
	Pages       ui.Pager
	Chart       *frontChartData // nil where fewer than two options have a price and a speed
	Rejected    []rejectedRow
	RejectedAll string
	WhyPages    ui.Pager
	Reasons     []reasonCount
}

// Assumed is a value that was chosen where the asker gave none.
type Assumed struct {
	Label, Value, Why string
	Href              string // to the field
}

// optionRowData is a card, or several of one, that do the job.
type optionRowData struct {
	Rank     string
	Card     ui.Link // to the estimate in full
	Cards    string  // "4 ×"; empty for one
	Sharding string
	Front    bool
	Unsold   string // a note where nobody can buy or rent the card
	Export   string // a note where it is not known whether export is free
	With     string // the framework, where it is not the usual one
	Partial  string // a note where its software supports the card in part
	Verdict  ui.ExportWord
	Need     string
	Interval string
	Usable   string
	Speed    string
	Between  string // interval of the speed
	Tier     ui.ExportWord
	Hours    string
	HoursIn  string
	Costs    []costCell
	Energy   string
	Carbon   string
	Limit    string
}

// costCell is what a job costs one way.
type costCell struct {
	Amount string
	Label  string // rent, buy
	Note   string // date of the price, and who asks it
	Per    string // what a million tokens cost
}

// frontChartData is cost against time on logarithmic axes.
type frontChartData struct {
	Width, Height            int
	Left, Right, Top, Bottom int
	XLabel, YLabel, Text     string
	XTicks, YTicks           []ui.ScatterTick
	Path                     string
	Points                   []frontPoint
}

// frontPoint is an option; the front's have a label.
type frontPoint struct {
	X, Y         int
	Href, Title  string
	Label        string
	Front, Ahead bool // the label stands before the mark
	Open         bool // only some of its interval fits
}

func (p frontPoint) labelX() string {
	if p.Ahead {
		return strconv.Itoa(p.X - 9)
	}
	return strconv.Itoa(p.X + 9)
}

// rejectedRow is a card that does not do the job.
type rejectedRow struct {
	Card     ui.Link
	Cards    string // the number that comes nearest
	Reason   string
	Need     string
	Interval string
	Usable   string
	Missing  string
	Remedies []remedyLink
}

// remedyLink applies changes that make a job fit.
type remedyLink struct {
	ui.Link
	Need string // memory with it
}

// reasonCount is how many cards a reason keeps away.
type reasonCount struct {
	Label, Count string
}

// estimatePage is one job on a number of one card, in full.
type estimatePage struct {
	ui.Layout
	Card      ui.Link
	Heading   string
	Words     string
	Back      string // address of the recommendation
	Form      SizingForm
	Problems  []Problem
	Measured  measuredView
	Estimate  *estimateView // nil where what was asked could not be used
	AccuracyU string
	Serve     ui.Link // the plan of a service; empty for other jobs
}

// measuredView is what somebody measured, beside the estimate.
type measuredView struct {
	Rows []measuredRow
	Keep string // where an administrator may keep it; empty where nobody can
}

type measuredRow struct {
	What, Measured, Estimate string
	Outcome                  ui.ExportWord
	Deviation                string
}

// estimateView is the estimate.
type estimateView struct {
	Unsold      string // a note where nobody can buy or rent the card
	Refusals    []string
	Software    []ui.Link // what its software says against the card; Note is the sentence, Label the document
	Verdict     ui.ExportWord
	Line        string // price, speed and the way, beside the verdict
	Tiles       []estimateTile
	Assumptions []Assumed
	Waterfall   *waterfallData // nil where the memory is not known
	Memory      LedgerTable
	Host        LedgerTable // what the machine around the cards needs
	Remedies    []remedyLink
	Machine     *machineView // of cards of several kinds; nil of one
	Speeds      []speedView
	Evidence    []EvidenceView
	Costs       []costView
	NoPrice     bool
	NotJob      bool // no tokens of the whole job are given
	Energy      []LedgerRow
	Verify      *verifyView // nil where no command is known
}

// verifyView is how to measure the job.
type verifyView struct {
	Command, Watch string
	Notes          []string
}

// estimateTile is a headline figure.
type estimateTile struct {
	Label, Value, Sub string
	Href              string
}

// LedgerTable is lines that sum up.
type LedgerTable struct {
	Rows  []LedgerRow
	Total LedgerRow
}

// LedgerRow is a line with its formula.
type LedgerRow struct {
	Label   string
	Value   string
	Other   string // the same in another unit
	Formula string
	Inputs  []string // "P = 6.74 × 10⁹"
	Source  string
	Href    string // of the source
	Note    string // beneath the label
}

// speedView is a speed with its parts.
type speedView struct {
	ID, Title       string
	Value, Interval string
	Tier            ui.ExportWord
	Efficiency      string
	Limit           string
	Parts           LedgerTable
}

// EvidenceView is the cases that carry an estimate.
type EvidenceView struct {
	ID, Title string
	Note      string // formula alone, and after correction
	Tier      ui.ExportWord
	Rows      []supportRow
}

// supportRow is a measured case.
type supportRow struct {
	ID, What, Card   string
	Measured, Weight string
	Source           ui.Link
	Note             string
}

// costView is what the job costs one way.
type costView struct {
	Title  string
	Facts  []ui.Param // label and value
	Lines  LedgerTable
	Price  string
	Source ui.Link
	Rate   string // of exchange
}

// waterfallData is the memory of the fullest card, part by part.
type waterfallData struct {
	Width, Height int
	Text          string
	Rows          []waterRowData
	Top, Bottom   int
	Ticks         []ui.ScatterTick
	Usable        int // x of what the driver gives
	UsableLabel   string
	UsableBefore  bool
	Total         waterRowData
	Low, High     int // x of the interval
	Mid           int
}

// waterRowData is one bar; Y is its top.
type waterRowData struct {
	Label, Value string
	X, Width, Y  int
	Class        string
}

// mine is the page that tells what somebody's cards can do.
type mine struct {
	ui.Layout
	Action   string
	Rows     []ownRow
	Cards    []string // suggestions
	Fields   []Field
	Problems []Problem
	Together *ownedGroup // of several kinds in one machine; nil of one
	Groups   []ownedGroup
	Asked    bool   // by the reader; elsewhere the groups are of an example
	Finding  string // what the first of the groups can do; may be empty
	Examples []ui.Link
}

// ownRow is a row of the form.
type ownRow struct {
	Count, Card string
	Bad         bool
}

// ownedGroup is what one kind of cards can do.
type ownedGroup struct {
	ID    string
	Title string
	Card  ui.Link
	Note  string
	Does  string // the largest models, by task
	Rows  []FitRowView
}

// FitRowView is a job with its largest batch and context.
type FitRowView struct {
	Model    string
	Task     string
	Detail   string // framework, weights, sharding
	Verdict  ui.ExportWord
	Batch    string
	At       string // tokens at which Batch is the largest
	Context  string
	Whole    bool
	Need     string
	Interval string
	Speed    string
	Between  string
	Tier     ui.ExportWord
	Href     string // the estimate in full
	Why      string
}

// kind is the type of the input.
func (f Field) kind() string {
	if f.Kind == "" {
		return "text"
	}
	return f.Kind
}

// whisker is the interval of the total, as a line with ends.
func (w waterfallData) whisker() string {
	n := strconv.Itoa
	return "M" + n(w.Low) + " " + n(w.Mid-5) + "v10m0-5H" + n(w.High) + "m0-5v10"
}

func (w waterfallData) usableX() string {
	if w.UsableBefore {
		return strconv.Itoa(w.Usable - 5)
	}
	return strconv.Itoa(w.Usable + 5)
}
