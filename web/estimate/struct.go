package estimate

import (
	"strconv"

	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/ui"
)

// pageData is one job on a number of one card, in full.
type pageData struct {
	ui.Layout
	Card      ui.Link
	Heading   string
	Words     string
	Back      string // address of the recommendation
	Form      jobform.Form
	Problems  []jobform.Problem
	Measured  measuredView
	Estimate  *estimateView // nil where what was asked could not be used
	AccuracyU string
	Serve     ui.Link // the plan of a service; empty for other jobs
}

// measuredView is what somebody measured, beside the estimate.
type measuredView struct {
	Rows []job.MeasuredRow
	Keep string // where an administrator may keep it; empty where nobody can
}

// estimateView is the estimate.
type estimateView struct {
	Unsold      string // a note where nobody can buy or rent the card
	Refusals    []string
	Software    []ui.Link // what its software says against the card; Note is the sentence, Label the document
	Verdict     ui.ExportWord
	Line        string // price, speed and the way, beside the verdict
	Tiles       []estimateTile
	Assumptions []jobform.Assumed
	Waterfalls  []waterfallData // none where the memory is not known
	Memory      job.LedgerTable
	Host        job.LedgerTable // what the machine around the cards needs
	Remedies    []job.Remedy
	Machine     *machineView // of cards of several kinds; nil of one
	Speeds      []speedView
	Evidence    []job.EvidenceView
	Costs       []costView
	NoPrice     bool
	NotJob      bool // no tokens of the whole job are given
	Energy      []job.LedgerRow
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

// speedView is a speed with its parts.
type speedView struct {
	ID, Title       string
	Value, Interval string
	Tier            ui.ExportWord
	Efficiency      string
	Limit           string
	Parts           job.LedgerTable
}

// costView is what the job costs one way.
type costView struct {
	Title  string
	Facts  []ui.Param // label and value
	Lines  job.LedgerTable
	Price  string
	Source ui.Link
	Rate   string // of exchange
}

// waterfallData is the memory of the fullest card, part by part.
type waterfallData struct {
	Class         string // of the windows that it is for: "wide", "narrow"
	Width, Height int
	Text          string
	Rows          []waterRowData // the last is the sum
	Top, Bottom   int
	Ticks         []ui.ScatterTick
	Usable        int // x of what the driver gives
	UsableLabel   string
	UsableBefore  bool
	Low, High     int // x of the interval
	Mid           int
}

// waterRowData is one bar with its label and value.
type waterRowData struct {
	Label, Value  string
	Y, End        int // base line of label and value, and where the value ends
	X, Width, Bar int // of the bar; Bar is its top
	Class         string
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
