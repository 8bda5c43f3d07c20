package recommend

import (
	"strconv"

	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/ui"
)

// pageData is the page that ranks cards for a job.
type pageData struct {
	ui.Layout
	Form     jobform.Form
	Presets  []ui.Link
	Problems []jobform.Problem
	Answer   *answerData // nil while nothing is asked, or when it was not understood
}

// answerData is an answer.
type answerData struct {
	Headline    string      // the first option in one line; empty without options
	Otherwise   string      // what was changed of what nobody asked for, so that a card does the job
	Cheaper     string      // what costs less than the first, which leads for its fewer cards; empty where nothing does
	Electricity string      // whose price of it bought cards have; empty where the asker gave one, or none is known
	Picks       []pickData  // the first cards; of the first page only
	Known       []knownCard // cards that people have in mind
	Words       string      // the request
	Assumptions []jobform.Assumed
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
	Remedies []job.Remedy
}

// reasonCount is how many cards a reason keeps away.
type reasonCount struct {
	Label, Count string
}
