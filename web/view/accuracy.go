package view

// Accuracy is the page of estimates beside what was measured.
type Accuracy struct {
	Layout
	Scored, Other, Left int // cases that count, that are only shown, that cannot be estimated
	Ways                []string
	Aims                []AimRow
	Refitted            []ScoreRow // constants fitted without the cases too
	Aspects             []AccuracyAspect
	Worst               []ComparedRow
	Wrong               []WrongRow
	MethodURL           string
	RecommendURL        string
}

// AimRow is one of the targets that we set ourselves.
type AimRow struct {
	Aspect  Link
	Measure string
	Target  string
	Values  []string // with each way of leaving out; "—" without cases
	Judged  int      // which of them counts
	Result  ExportWord
}

// AccuracyAspect is what is known of one kind of estimate.
type AccuracyAspect struct {
	ID, Title, Note string
	Scores          []ScoreRow // by way of leaving out
	Verdicts        []VerdictRow
	Plots           []Plot
	Splits          []ScoreSplit
}

// ScoreRow is how far some estimates are off.
type ScoreRow struct {
	Label   Link // Href may be empty
	Cases   string
	Mean    string
	Median  string
	Within  string
	Covered string
}

// ScoreSplit is a table of scores by task, framework or card.
type ScoreSplit struct {
	ID, Title string
	Rows      []ScoreRow
}

// VerdictRow is how often verdicts are right.
type VerdictRow struct {
	Label                                  string
	Runs, Right, Borderline, Out, FalseFit string
}

// ComparedRow is a case beside its estimate.
type ComparedRow struct {
	ID, Aspect, Job string
	Card            Link
	Measured        string
	Predicted       string
	Interval        string
	Ratio           string
	Source, Note    string
}

// WrongRow is a run on which the verdict is wrong.
type WrongRow struct {
	ID, Job, Said, Was, Source string
	Card                       Link
}

// Plot is predicted against measured on logarithmic axes.
type Plot struct {
	Width, Height  int
	Name, Text     string
	XLabel, YLabel string
	XTicks, YTicks []ScatterTick
	Band, Diagonal string // paths
	BandLabel      string
	BandX, BandY   int
	Series         []PlotSeries
	Left, Right    int // of the plotting area
	Top, Bottom    int
}

// PlotSeries are the points of one framework, as one path of marks.
type PlotSeries struct {
	Name, Title string
	Mark        string // shape, a class: "m0" to "m5"
	Path        string
	Sample      string // one mark for the legend, at 8, 8
}
