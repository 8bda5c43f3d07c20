package reference

import "tianti/web/ui"

// sources lists every document and dataset that figures come from.
type sources struct {
	ui.Layout

	Kinds    []kindCount  // from the most to the least trusted
	Datasets []datasetRow // active ones, the highest rank first
	Rows     []SourceRow  // of the page
	Total    int          // figures in the catalogue
	All      int          // sources
	Found    int          // sources that the filter leaves
	Text     string       // that the filter looks for
	Filter   []ui.Option  // kinds to choose from
	Pages    ui.Pager
}

// kindCount says how many sources of a kind there are.
type kindCount struct {
	Kind    string // id: datasheet, whitepaper, …
	Sources int
	Figures int
}

// datasetRow is one active dataset.
type datasetRow struct {
	ID       string
	Title    string
	Rank     int
	Revision string
	Date     string
	Cards    int
	Figures  int
}

// SourceRow is one source.
type SourceRow struct {
	ID        string // anchor
	Publisher string
	Title     string
	URL       string // may be empty
	Kind      string // id
	Published string
	Retrieved string
	Dataset   string
	Figures   int
	Cards     int

	Statements int    // annotations that it supports
	Prices     int    // observations
	Rates      int    // exchange rates
	Href       string // the page of what it supports
}

// source is one document with everything that rests on it.
type source struct {
	ui.Layout
	SourceRow

	Facts     []sourceFactData // of the part
	PriceRows []sourcePrice    // of the part
	Asked     string           // name of cards that the filter looks for
	Found     int              // values and prices that it leaves
	Pages     ui.Pager
}

// sourcePrice is a price that a source states.
type sourcePrice struct {
	Card   ui.Link
	Kind   string
	Amount string // "USD 98.32"
	Cards  int
	Unit   string
	Date   string
}

// sourceFactData is one value that a source states.
type sourceFactData struct {
	Card     ui.Link // empty where it is that of the row before
	Quantity ui.Link
	Value    string
	Unit     string
	Shown    bool   // it is the value that the card shows
	Why      string // why not, where somebody has said so
}

// methodologyData explains how figures are chosen, named and computed.
type methodologyData struct {
	ui.Layout

	Kinds   []string // ids of the kinds of sources, from the most to the least trusted
	Groups  []metricGroup
	Rules   []ruleData // of the consistency check
	Derived []metric
}

// metricGroup is a part of the registry of quantities.
type metricGroup struct {
	ID      string
	Label   string
	Metrics []metric
}

// metric is one entry of the registry.
type metric struct {
	ID         string
	Label      string
	Unit       string
	Definition string
	Better     string // higher, lower or none
	Formula    string // for derived values
	Cards      int    // cards that have it
}

// ruleData is a consistency rule that data must pass.
type ruleData struct {
	ID      string // "sparse-twice-dense"
	Text    string // what must hold
	Example string // may be empty
}
