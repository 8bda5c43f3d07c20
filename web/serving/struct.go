package serving

import (
	"strconv"

	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/ui"
)

// formData asks for a service in a sentence, with more options beneath.
type formData struct {
	Action   string
	Sentence []jobform.SentencePart
	Groups   []group
	Models   []ui.Option
	Keep     []ui.Param
	Submit   string
	Open     bool // an option beneath the sentence is wrong
}

// group is a group of options.
type group struct {
	Title, Note string
	Fields      []jobform.Field
}

// rankingPage is the page that ranks cards for a service.
type rankingPage struct {
	ui.Layout
	Form     formData
	Presets  []ui.Link
	Problems []jobform.Problem
	Answer   *answerData // nil while nothing is asked, or when it was not understood
}

// answerData is an answer.
type answerData struct {
	Headline   string
	Lines      []string // the way, intervals and what they rest on; beneath the headline
	Basis      []string // prices that the cost rests on
	Plan       ui.Link  // of the first card
	Start      ui.Link  // its commands
	Picks      []pickData
	Words      string // the question
	Which      string // which cards were looked at; empty where the question says so
	All        ui.Link
	Counts     string
	Usual      string  // what users are taken to have been promised; empty where the question says so
	Unattended ui.Link // the same question where nobody waits
	Export     string  // how export rules were read
	Columns    []ui.Column
	Rows       []rowData
	Pages      ui.Pager
	Reasons    []ui.Link // label, and the count as its note
	Cannot     []cannotData
	Rest       string // how many more cannot
}

// pickData is one of the cards that stand above the table.
type pickData struct {
	Why       string // cheapest, fewest cards …
	Name      ui.Link
	Cards     string
	Price     string
	PriceNote string
	Way       string // replicas and division
	Facts     []ui.Param
	Caution   string
}

// rowData is a card that carries the load.
type rowData struct {
	Name              ui.Link
	Cards             string
	Way               string
	Unsold, Export    string // notes; empty where there is nothing to say
	PerHour, Price    string
	Million           string
	TPOT, User        string
	TTFT              string
	Capacity, Outcome string
	Old               bool   // the price is none of today
	Caution           string // why it stands after others; empty where it does not
}

// cannotData is a card that does not.
type cannotData struct {
	Name   ui.Link
	Reason string
}

// planPage is one card in full.
type planPage struct {
	ui.Layout
	Card     ui.Link
	Back     string
	Heading  string
	Form     formData
	Problems []jobform.Problem
	Plan     *planData // nil while nothing is asked, or when it was not understood
}

// planData is a plan.
type planData struct {
	Headline    string
	Lines       []string
	Basis       []string // prices that the cost rests on
	Usual       string   // what users are taken to have been promised; empty where the question says so
	Unattended  ui.Link  // the same question where nobody waits
	Problems    []string // why the card does not carry the load
	Software    []ui.Link
	Assumptions []jobform.Assumed
	Tiles       []tileData
	Divisions   []divisionRow
	Memory      *memoryData
	Chart       string // SVG; empty where there is none
	Load        []loadRow
	Options     []optionData
	Costs       []costData
	NoPrice     bool
	Commands    []commandData
	AtOnce      string // how many requests the commands let the engine compute at once, and why
	Step        job.LedgerTable
	Evidence    *job.EvidenceView
}

// tileData is a headline figure.
type tileData struct{ Label, Value, Sub string }

// divisionRow is another division of a replica.
type divisionRow struct {
	Way      ui.Link
	Cards    string
	Capacity string
	TPOT     string
	PerHour  string
	Now      bool
	Apart    bool // each card attends to requests of its own
}

// memoryData is the memory of one card: parts that add up to what the driver reports.
type memoryData struct {
	Text  string
	Note  string
	Parts []memoryPart
	Total memoryPart
}

// memoryPart is a part of the bar; X and Width are shares of the bar in per cent.
type memoryPart struct {
	Label, Value, Share, Note string
	Class                     string
	X, Width                  float64
}

func share(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) + "%" }

// loadRow is one replica at a rate of arrivals.
type loadRow struct {
	Rate, InFlight, Throughput string
	TTFT, TTFTIn, TPOT, TPOTIn string
	User                       string
	Mark                       string // this is the load, or the capacity
}

// optionData is a change of the settings.
type optionData struct {
	Name, State, Why string
	Href             string // the same question with the change
	Rows             []effectRow
	Formula          string
	Inputs           []string
	Source           ui.Link
}

// effectRow is a figure before and after.
type effectRow struct{ Label, Before, After string }

// costData is what the service costs one way.
type costData struct {
	Title  string
	Facts  []ui.Param
	Price  string
	Source ui.Link
	Rate   string
	Lines  job.LedgerTable
	Split  job.LedgerTable
}

// commandData starts an engine.
type commandData struct {
	Title   string
	Text    string
	File    string
	Content string
	Notes   []string
	Sources string
}

// withUnit is the label of a column as it stands in a row of its own, where the head of the table is not seen.
func withUnit(l ui.Layout, c ui.Column) string {
	if c.Unit == "" {
		return c.Label
	}
	return c.Label + l.T("comma") + c.Unit
}
