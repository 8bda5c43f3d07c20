package accuracy

import (
	"tianti/web/ui"
)

// pageData is the page of estimates beside what was measured.
type pageData struct {
	ui.Layout
	Scored, Other, Left int // cases that count, that are only shown, that cannot be estimated
	Ways                []string
	Aims                []aimRow
	Aspects             []aspectData
	Worst               []comparedRow
	Wrong               []wrongRow
	MethodURL           string
	RecommendURL        string
}

// aimRow is one of the targets that we set ourselves.
type aimRow struct {
	Aspect  ui.Link
	Measure string
	Target  string
	Values  []string // with each way of leaving out; "—" without cases
	Judged  []bool   // which of them count
	Result  ui.ExportWord
}

// aspectData is what is known of one kind of estimate.
type aspectData struct {
	ID, Title, Note string
	Scores          []scoreRow // by way of leaving out
	Loads           []scoreRow // of serving by how requests come, all on the card held back
	Classes         []classRow
	Verdicts        []verdictRow
	Plots           []plotData
	Splits          []scoreSplit
	More            string // the page that has the splits; empty on it
}

// scoreRow is how far some estimates are off.
type scoreRow struct {
	Label   ui.Link // Href may be empty
	Cases   string
	Mean    string
	Median  string
	Within  string
	Covered string
	Width   string
}

// classRow says whether the intervals of estimates that rest on the same kind of evidence hold.
type classRow struct{ Tier, Note, Cases, Covered, Width string }

// scoreSplit is a table of scores by task, framework or card.
type scoreSplit struct {
	ID, Title string
	Rows      []scoreRow
}

// verdictRow is how often verdicts are right.
type verdictRow struct {
	Label                                  string
	Runs, Right, Borderline, Out, FalseFit string
}

// comparedRow is a case beside its estimate.
type comparedRow struct {
	ID, Aspect, Job string
	Card            ui.Link
	Measured        string
	Predicted       string
	Interval        string
	Ratio           string
	Source, Note    string
}

// wrongRow is a run on which the verdict is wrong.
type wrongRow struct {
	ID, Job, Said, Was, Source string
	Card                       ui.Link
}

// plotData is predicted against measured on logarithmic axes.
type plotData struct {
	Width, Height  int
	Name, Text     string
	XLabel, YLabel string
	XTicks, YTicks []ui.ScatterTick
	Band, Diagonal string // paths
	Grid           string // a path of the lines at all ticks: an element for each would make the page too large
	BandLabel      string
	BandX, BandY   int
	Series         []plotSeriesData
	Left, Right    int // of the plotting area
	Top, Bottom    int
}

// plotSeriesData are the points of one framework, as one path of marks.
type plotSeriesData struct {
	Name, Title string
	Mark        string // shape, a class: "m0" to "m5"
	Path        string
	Sample      string // one mark for the legend, at 8, 8
}
