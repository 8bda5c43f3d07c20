package exportcontrol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"tianti/web/ui"
)

// exportControl is the page of all rules and all cards.
type exportControl struct {
	ui.Layout
	When, Finding string   // the verdict in a line, and the day that it is of
	Problems      []string // of what has no field; with any problem no verdict is shown
	Form          exportForm
	Text          string // searched for
	Vendors       []ui.Option
	Segments      []ui.Option
	Counts        []ui.Link // all cards, and those of each verdict
	Rules         []ExportRule
	Heads         []ui.Column
	Rows          []exportRowData
	Matched       int // cards that pass the filters; Rows are those of the part
	Pages         ui.Pager
	Timeline      ruleTimelineData
	Density       scatterData
	Links         scatterData
	Statements    []exportStatement // that the figures do not agree with, or do not decide
	Agreeing      []exportStatement
}

// exportForm chooses destination, headquarters and day.
type exportForm struct {
	Action       string
	Keep         []ui.Param
	AsOf         string
	First, Last  string // days that may be asked for
	Destinations []ui.OptionGroup
	Headquarters []ui.Option
	Groups       string    // a sentence on the destination's country groups
	Steps        []ui.Link // days on which something changed
	Caveats      []string  // on every verdict of the page

	Problems map[string]string // what is wrong with a field
}

// wrong marks a field as invalid for assistive technology, and points to what is wrong.
func (f exportForm) wrong(name string) templ.Attributes {
	if f.Problems[name] == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": "e-" + name}
}

// short leaves out the destinations that no rule singles out, but for the chosen one; /export-control has them all.
func (f exportForm) short() exportForm {
	last := len(f.Destinations) - 1
	rest := f.Destinations[last]
	f.Destinations = slices.Clone(f.Destinations[:last])
	rest.Options = slices.DeleteFunc(slices.Clone(rest.Options), func(o ui.Option) bool { return !o.Selected })
	if len(rest.Options) > 0 {
		f.Destinations = append(f.Destinations, rest)
	}
	return f
}

// days are the steps of the slider, comma-separated.
func (f exportForm) days() string {
	var days []string
	for _, s := range f.Steps {
		days = append(days, s.Label)
	}
	return strings.Join(days, ",")
}

// step is the last step that is not after the day chosen.
func (f exportForm) step() int {
	at := 0
	for i, s := range f.Steps {
		if s.Label <= f.AsOf {
			at = i
		}
	}
	return at
}

// exportRowData is a card in the matrix.
type exportRowData struct {
	Card    ui.Link
	TPP     string
	Density string
	Links   string
	Memory  string
	Verdict ui.ExportWord
	Because []ui.Link // the rules that decide
	Also    string    // what other rules say
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
	Read               string // when
	Citation, Address  string
	Notes              []string
	Limbs              []exportLimb
	Named              []ui.Link
	Otherwise          string
	EvaluatedByFigures bool
}

// exportLimb is one way to a status: conditions that must all hold.
type exportLimb struct {
	Status     string
	Label      string
	Conditions []string
}

// rulePage is one rule with the cards under it.
type rulePage struct {
	ui.Layout
	ExportRule
	Form    exportForm
	AsOf    string
	Place   string
	Rows    []exportRowData
	Matched int // cards under the rule; Rows may be fewer
}

// exportStatement is what somebody states of a card, beside what the figures give.
type exportStatement struct {
	Card     ui.Link
	Rule     ui.Link
	Day      string
	Stated   ui.ExportWord
	Computed ui.ExportWord
	Basis    string
	Address  string
	Result   ui.ExportWord
	Reading  []string
	agrees   bool
}

// Worksheet is how a verdict comes about.
type Worksheet struct {
	Verdict     ui.ExportWord
	Because     []ui.Link
	Note        string // for whom and when
	ReadUntil   string // how far the rules were read, and what they leave out, in a few words
	CaveatLine  string // all caveats, for files
	Quantities  []exportQuantity
	ECCN        string
	Evaluations []exportEvaluation
	History     []exportChange
	HistoryNote string
	Statements  []exportStatement
	MatrixURL   string
	WhatIfURL   string
	Form        exportForm
}

// exportQuantity is an amount with its arithmetic.
type exportQuantity struct {
	Label string
	Value string
	How   []string
}

// exportEvaluation is what one rule says.
type exportEvaluation struct {
	Rule        ui.Link
	Kind        string
	Since       string
	Status      ui.ExportWord
	Ground      string
	Reason      string
	Comparisons []exportComparison
	Notes       []string // what is missing, what it may be, other readings
}

// exportComparison is one condition, written out.
type exportComparison struct {
	Limb string
	Text string
	Tone string
}

// exportChange is a step in a card's history.
type exportChange struct {
	From, To string
	Verdict  ui.ExportWord
	Because  []ui.Link
}

// whatIfData is the worksheet for figures that somebody enters.
type whatIfData struct {
	ui.Layout
	Form       exportForm
	Vendors    []ui.Option
	Datacenter []ui.Option
	Dies       []ui.Option
	Fields     []whatIfField
	Problems   []string   // of other fields
	Sheet      *Worksheet // nil while nothing is entered
}

// whatIfField is one figure, or the ECCN.
type whatIfField struct {
	ID, Label, Unit, Value string
	Numeric                bool
	Error                  string
}

// ruleTimelineData is a bar for each rule.
type ruleTimelineData struct {
	Width, Height int
	Ticks         []ui.TimelineTick
	Bars          []ui.RuleBar
	Today         int
}

// scatterData is cards as points on logarithmic axes.
type scatterData struct {
	Width, Height  int
	XLabel, YLabel string
	XTicks, YTicks []ui.ScatterTick
	Regions        []scatterRegion
	Points         []scatterPoint
	Count          int
}

// of are the points of a class as one path: there are too many for an element each.
func (s scatterData) of(class string) string {
	var b strings.Builder
	for _, p := range s.Points {
		if p.Class == class {
			fmt.Fprintf(&b, "M%d %da4 4 0 1 1 8 0a4 4 0 1 1 -8 0Z", p.X-4, p.Y)
		}
	}
	return b.String()
}

// places and tips are where the points are, and a line for each, for the script of the page.
func (s scatterData) places() string {
	var b strings.Builder
	for _, p := range s.Points {
		fmt.Fprintf(&b, "%d %d ", p.X, p.Y)
	}
	return b.String()
}

func (s scatterData) tips() string {
	var b strings.Builder
	for _, p := range s.Points {
		b.WriteString(p.Href + "\t" + p.Title + "\n")
	}
	return b.String()
}

// scatterRegion is what a rule covers.
type scatterRegion struct {
	Path, Label string
	X, Y        int
	Class       string
}

// scatterPoint is a card.
type scatterPoint struct {
	X, Y        int
	Href, Title string
	Class       string // "dc" or "other"
}
