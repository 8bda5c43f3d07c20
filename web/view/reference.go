package view

// Sources lists every document and dataset that figures come from.
type Sources struct {
	Layout

	Kinds    []KindCount  // from the most to the least trusted
	Datasets []DatasetRow // active ones, the highest rank first
	Rows     []SourceRow
	Total    int // figures in the catalogue
}

// KindCount says how many sources of a kind there are.
type KindCount struct {
	Kind    string // id: datasheet, whitepaper, …
	Sources int
	Figures int
}

// DatasetRow is one active dataset.
type DatasetRow struct {
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

// Source is one document with everything that rests on it.
type Source struct {
	Layout
	SourceRow

	Facts     []SourceFact
	PriceRows []SourcePrice
	Omitted   string // that there are more prices
}

// SourcePrice is a price that a source states.
type SourcePrice struct {
	Card   Link
	Kind   string
	Amount string // "USD 98.32"
	Cards  int
	Unit   string
	Date   string
}

// SourceFact is one value that a source states.
type SourceFact struct {
	Card     Link // empty where it is that of the row before
	Quantity Link
	Value    string
	Unit     string
	Shown    bool   // it is the value that the card shows
	Why      string // why not, where somebody has said so
}

// Methodology explains how figures are chosen, named and computed.
type Methodology struct {
	Layout

	Kinds   []string // ids of the kinds of sources, from the most to the least trusted
	Groups  []MetricGroup
	Rules   []Rule // of the consistency check
	Derived []Metric
}

// MetricGroup is a part of the registry of quantities.
type MetricGroup struct {
	ID      string
	Label   string
	Metrics []Metric
}

// Metric is one entry of the registry.
type Metric struct {
	ID         string
	Label      string
	Unit       string
	Definition string
	Better     string // higher, lower or none
	Formula    string // for derived values
	Cards      int    // cards that have it
}

// Rule is a consistency rule that data must pass.
type Rule struct {
	ID      string // "sparse-twice-dense"
	Text    string // what must hold
	Example string // may be empty
}

// API is the human page of the JSON API.
type API struct {
	Layout

	Base       string // "https://tianti.example" or empty
	SpecURL    string // "/api/openapi.json"
	Operations []Operation
}

// Operation is one operation of the API.
type Operation struct {
	ID          string // anchor: "list-cards"
	Method      string // "GET"
	Path        string // "/api/v1/cards"
	Summary     string
	Description string
	Params      []APIParam
	Examples    []APIExample
}

// APIParam is one parameter of an operation.
type APIParam struct {
	Name        string
	In          string // query, path or header
	Type        string // "integer, 1–1000"
	Default     string // may be empty
	Required    bool
	Description string
}

// APIExample is a request that can be followed and the answer to it.
type APIExample struct {
	Title    string
	Request  string // an address: "/api/v1/peak?device=H100&precision=bf16"
	Response string // JSON, shortened; may be empty
}

// ErrorPage says what went wrong and what to do about it.
type ErrorPage struct {
	Layout

	Status    int
	Detail    string   // what happened, with names and values; empty for the stock sentence
	Problems  []string // one sentence for each thing wrong with the address
	Nearest   []Link   // what may have been meant
	RequestID string   // shown when the failure is ours
}
