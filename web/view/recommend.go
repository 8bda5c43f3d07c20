package view

import "strconv"

// Recommend is the page that ranks cards for a job.
type Recommend struct {
	Layout
	Form     SizingForm
	Presets  []Link
	Problems []SizingProblem
	Answer   *Recommendation // nil while nothing is asked, or when it was not understood
}

// SizingForm asks for a job in a sentence, with more options beneath.
type SizingForm struct {
	Action   string
	Sentence []SentencePart
	Groups   []FieldGroup
	Open     bool // an option beneath the sentence is set, or wrong
	Models   []Option
	Submit   string
}

// SentencePart is some words, or a field between them.
type SentencePart struct {
	Text  string
	Field *SizingField
}

// FieldGroup is a group of options.
type FieldGroup struct {
	Title  string
	Note   string
	Fields []SizingField
}

// SizingField is a field of the form: a list to choose from where it has options,
// and one to type into otherwise.
type SizingField struct {
	Name, Label, Unit, Value string
	Hint                     string // what is used when it is empty
	Kind                     string // of the input: "text" where empty, "date"
	List                     string // id of the list of suggestions
	Options                  []Option
	Number                   bool
	Problem                  bool // the value could not be used
}

// mode is the keyboard of a field.
func (f SizingField) mode() string {
	if f.Number {
		return "decimal"
	}
	return "text"
}

// width is how many characters a field shows.
func (f SizingField) width() string {
	return strconv.Itoa(max(4, min(14, len([]rune(f.Value))+1), min(14, len([]rune(f.Hint))+1)))
}

// SizingProblem is what is wrong with a field.
type SizingProblem struct {
	Field string // empty where the form does not have it
	Text  string
}

// ID is the id of the problem, which its field refers to.
func (p SizingProblem) id() string { return "problem-" + p.Field }

// Recommendation is an answer.
type Recommendation struct {
	Words       string // the request
	Assumptions []Assumed
	Goals       []Link
	Counts      string // how many cards were looked at and how many options there are
	Cost        string // heading of the column of costs: of the job, or of an hour
	Energy      string // heading of the energy of the job, or of a million tokens
	Time        string // likewise
	Priced      string // how many options have a price
	Marked      bool   // some option's export status is not known
	Rows        []OptionRow
	Pages       Pager
	Chart       *FrontChart // nil where fewer than two options have a price and a speed
	Rejected    []RejectedRow
	RejectedAll string
	WhyPages    Pager
	Reasons     []ReasonCount
}

// Assumed is a value that was chosen where the asker gave none.
type Assumed struct {
	Label, Value, Why string
	Href              string // to the field
}

// OptionRow is a card, or several of one, that do the job.
type OptionRow struct {
	Rank     string
	Card     Link   // to the estimate in full
	Cards    string // "4 ×"; empty for one
	Sharding string
	Front    bool
	Export   string // a note where it is not known whether export is free
	Verdict  ExportWord
	Need     string
	Interval string
	Usable   string
	Speed    string
	Between  string // interval of the speed
	Tier     ExportWord
	Hours    string
	HoursIn  string
	Costs    []CostCell
	Energy   string
	Carbon   string
	Limit    string
}

// CostCell is what a job costs one way.
type CostCell struct {
	Amount string
	Label  string // rent, buy
	Note   string // date of the price, and who asks it
	Per    string // what a million tokens cost
}

// FrontChart is cost against time on logarithmic axes.
type FrontChart struct {
	Width, Height            int
	Left, Right, Top, Bottom int
	XLabel, YLabel, Text     string
	XTicks, YTicks           []ScatterTick
	Path                     string
	Points                   []FrontPoint
}

// FrontPoint is an option; the front's have a label.
type FrontPoint struct {
	X, Y         int
	Href, Title  string
	Label        string
	Front, Ahead bool // the label stands before the mark
	Open         bool // only some of its interval fits
}

func (p FrontPoint) labelX() string {
	if p.Ahead {
		return strconv.Itoa(p.X - 9)
	}
	return strconv.Itoa(p.X + 9)
}

// RejectedRow is a card that does not do the job.
type RejectedRow struct {
	Card     Link
	Cards    string // the number that comes nearest
	Reason   string
	Need     string
	Interval string
	Usable   string
	Missing  string
	Remedies []RemedyLink
}

// RemedyLink applies changes that make a job fit.
type RemedyLink struct {
	Link
	Need string // memory with it
}

// ReasonCount is how many cards a reason keeps away.
type ReasonCount struct {
	Label, Count string
}

// EstimatePage is one job on a number of one card, in full.
type EstimatePage struct {
	Layout
	Card      Link
	Heading   string
	Words     string
	Back      string // address of the recommendation
	Form      SizingForm
	Problems  []SizingProblem
	Estimate  *EstimateView // nil where what was asked could not be used
	AccuracyU string
}

// EstimateView is the estimate.
type EstimateView struct {
	Refusals    []string
	Verdict     ExportWord
	Tiles       []EstimateTile
	Assumptions []Assumed
	Waterfall   *Waterfall // nil where the memory is not known
	Memory      LedgerTable
	Host        LedgerTable // what the machine around the cards needs
	Remedies    []RemedyLink
	Speeds      []SpeedView
	Evidence    []EvidenceView
	Costs       []CostView
	NoPrice     bool
	NotJob      bool // no tokens of the whole job are given
	Energy      []LedgerRow
	Verify      *VerifyView // nil where no command is known
}

// VerifyView is how to measure the job.
type VerifyView struct {
	Command, Watch string
	Notes          []string
}

// EstimateTile is a headline figure.
type EstimateTile struct {
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

// SpeedView is a speed with its parts.
type SpeedView struct {
	ID, Title       string
	Value, Interval string
	Tier            ExportWord
	Efficiency      string
	Limit           string
	Parts           LedgerTable
}

// EvidenceView is the cases that carry an estimate.
type EvidenceView struct {
	ID, Title string
	Note      string // formula alone, and after correction
	Tier      ExportWord
	Rows      []SupportRow
}

// SupportRow is a measured case.
type SupportRow struct {
	ID, What, Card   string
	Measured, Weight string
	Source           Link
	Note             string
}

// CostView is what the job costs one way.
type CostView struct {
	Title  string
	Facts  []Param // label and value
	Lines  LedgerTable
	Price  string
	Source Link
	Rate   string // of exchange
}

// Waterfall is the memory of the fullest card, part by part.
type Waterfall struct {
	Width, Height int
	Text          string
	Rows          []WaterRow
	Top, Bottom   int
	Ticks         []ScatterTick
	Usable        int // x of what the driver gives
	UsableLabel   string
	UsableBefore  bool
	Total         WaterRow
	Low, High     int // x of the interval
	Mid           int
}

// WaterRow is one bar; Y is its top.
type WaterRow struct {
	Label, Value string
	X, Width, Y  int
	Class        string
}

// Mine is the page that tells what somebody's cards can do.
type Mine struct {
	Layout
	Action   string
	Rows     []OwnRow
	Cards    []string // suggestions
	Fields   []SizingField
	Problems []SizingProblem
	Groups   []OwnedGroup
	Asked    bool
	Examples []Link
}

// OwnRow is a row of the form.
type OwnRow struct {
	Count, Card string
	Bad         bool
}

// OwnedGroup is what one kind of cards can do.
type OwnedGroup struct {
	ID    string
	Title string
	Card  Link
	Note  string
	Rows  []FitRowView
}

// FitRowView is a job with its largest batch and context.
type FitRowView struct {
	Model    string
	Task     string
	Detail   string // framework, weights, sharding
	Verdict  ExportWord
	Batch    string
	At       string // tokens at which Batch is the largest
	Context  string
	Whole    bool
	Need     string
	Interval string
	Speed    string
	Between  string
	Tier     ExportWord
	Href     string // the estimate in full
	Why      string
}

// kind is the type of the input.
func (f SizingField) kind() string {
	if f.Kind == "" {
		return "text"
	}
	return f.Kind
}

// whisker is the interval of the total, as a line with ends.
func (w Waterfall) whisker() string {
	n := strconv.Itoa
	return "M" + n(w.Low) + " " + n(w.Mid-5) + "v10m0-5H" + n(w.High) + "m0-5v10"
}

func (w Waterfall) usableX() string {
	if w.UsableBefore {
		return strconv.Itoa(w.Usable - 5)
	}
	return strconv.Itoa(w.Usable + 5)
}

// label is the name of the navigation.
func (p Pager) label(l Layout) string {
	if p.Label != "" {
		return p.Label
	}
	return l.T("pager.label")
}
