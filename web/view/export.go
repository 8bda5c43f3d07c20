package view

import "strings"

// ExportControl is the page of all rules and all cards.
type ExportControl struct {
	Layout
	Form       ExportForm
	Vendors    []Option
	Segments   []Option
	Verdicts   []Option
	Counts     []Link // one for each verdict, with how many cards
	Rules      []ExportRule
	Columns    []Link // rules of the matrix; Note is the whole title
	Rows       []ExportRow
	Matched    int // cards that pass the filters; Rows may be fewer
	Timeline   RuleTimeline
	Density    Scatter
	Links      Scatter
	Statements []ExportStatement
	AsOf       string
	Place      string // the destination's name
}

// ExportForm chooses destination, headquarters and day.
type ExportForm struct {
	Action       string
	Keep         []Param
	AsOf         string
	First, Last  string // days that may be asked for
	Destinations []OptionGroup
	Headquarters []Option
	Groups       string // a sentence on the destination's country groups
	Steps        []Link // days on which something changed
	GroupsAsOf   string
}

// days are the steps of the slider, comma-separated.
func (f ExportForm) days() string {
	var days []string
	for _, s := range f.Steps {
		days = append(days, s.Label)
	}
	return strings.Join(days, ",")
}

// step is the last step that is not after the day chosen.
func (f ExportForm) step() int {
	at := 0
	for i, s := range f.Steps {
		if s.Label <= f.AsOf {
			at = i
		}
	}
	return at
}

// ExportRow is a card in the matrix.
type ExportRow struct {
	Card    Link
	TPP     string
	Density string
	Links   string
	Memory  string
	Verdict ExportWord
	Cells   []ExportWord // one for each of the columns
}

// ExportWord is a verdict or status in words. Tone is bad, warn, good or dim.
type ExportWord struct {
	Text string
	Note string // an exception, "likely"
	Tone string
}

// ExportRule is a rule in the list of rules, and the head of its own page.
type ExportRule struct {
	ID, Href           string
	Title, Summary     string
	Kind, Authority    string
	Announced          string
	Effective, End     string
	NotEnforced        bool
	Scope              []string
	Text, Conditions   string // how they were read
	Citation, Address  string
	Notes              []string
	Limbs              []ExportLimb
	Named              []Link
	Otherwise          string
	EvaluatedByFigures bool
}

// ExportLimb is one way to a status: conditions that must all hold.
type ExportLimb struct {
	Status     string
	Label      string
	Conditions []string
}

// RulePage is one rule with the cards under it.
type RulePage struct {
	Layout
	ExportRule
	Form  ExportForm
	AsOf  string
	Place string
	Rows  []ExportRow
}

// ExportStatement is what somebody states of a card, beside what the figures give.
type ExportStatement struct {
	Card     Link
	Rule     Link
	Day      string
	Stated   ExportWord
	Computed ExportWord
	Basis    string
	Address  string
	Result   ExportWord
	Reading  []string
}

// Worksheet is how a verdict comes about.
type Worksheet struct {
	Verdict     ExportWord
	Because     []Link
	Note        string // for whom and when
	Quantities  []ExportQuantity
	ECCN        string
	Evaluations []ExportEvaluation
	History     []ExportChange
	HistoryNote string
	Statements  []ExportStatement
	MatrixURL   string
	WhatIfURL   string
	Form        ExportForm
}

// ExportQuantity is an amount with its arithmetic.
type ExportQuantity struct {
	Label string
	Value string
	How   []string
}

// ExportEvaluation is what one rule says.
type ExportEvaluation struct {
	Rule        Link
	Kind        string
	Since       string
	Status      ExportWord
	Ground      string
	Reason      string
	Comparisons []ExportComparison
	Notes       []string // what is missing, what it may be, other readings
}

// ExportComparison is one condition, written out.
type ExportComparison struct {
	Limb string
	Text string
	Tone string
}

// ExportChange is a step in a card's history.
type ExportChange struct {
	From, To string
	Verdict  ExportWord
	Because  []Link
}

// WhatIf is the worksheet for figures that somebody enters.
type WhatIf struct {
	Layout
	Form     ExportForm
	Fields   []WhatIfField
	Choices  []Option // data centre or not
	Problems []string
	Sheet    *Worksheet // nil while nothing is entered
}

// WhatIfField is one figure.
type WhatIfField struct {
	ID, Label, Unit, Value string
	Invalid                bool
}

// RuleTimeline is a bar for each rule.
type RuleTimeline struct {
	Width, Height int
	Ticks         []TimelineTick
	Bars          []RuleBar
	Today         int
}

// RuleBar is one rule; Width is 0 for a bill.
type RuleBar struct {
	X, Y, Width        int
	Label, Title, Href string
	Kind               string
	Before             bool // the label stands before the bar
}

// Scatter is cards as points on logarithmic axes.
type Scatter struct {
	Width, Height  int
	XLabel, YLabel string
	XTicks, YTicks []ScatterTick
	Regions        []ScatterRegion
	Points         []ScatterPoint
	Count          int
}

// ScatterTick is a grid line.
type ScatterTick struct {
	At    int
	Label string
}

// ScatterRegion is what a rule covers.
type ScatterRegion struct {
	Path, Label string
	X, Y        int
	Class       string
}

// ScatterPoint is a card.
type ScatterPoint struct {
	X, Y  int
	Title string
	Class string
	Label string // of a few
}
