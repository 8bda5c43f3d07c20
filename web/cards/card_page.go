package cards

import (
	webexport "tianti/web/exportcontrol"
	"tianti/web/ladders"
	webplot "tianti/web/plot"
	"tianti/web/prices"
	"tianti/web/ui"
)

// cardData is everything known of one card.
type cardData struct {
	ui.Layout
	Here *ui.Link // what those of this host or fleet do; nil: there is none
	away bool     // the prices that were could not be had, so the page is not to be kept

	ID     string
	Name   string // without the vendor
	Vendor string

	Crumbs     []ui.Link // the way here, without the card itself
	Summary    string    // one generated sentence
	Finding    string    // what the card is good for, from its figures
	Contents   []ui.Link // the sections of the page
	Unsold     string    // that it is announced and not sold, and since when; may be empty
	UnsoldNote string    // what follows from that
	BeforeSale bool      // its figures are announced ones
	Plan       string    // when it will be, as its source says; may be empty
	// kind, segment, architecture, form factor, announced; Href filters the catalogue, may be empty
	Tags []ui.Link

	Tiles  []tile // memory, bandwidth, dense 16-bit rate, board power
	Grid   gridData
	Groups []factGroupData // compute, memory, links, power, form, chip, features, derived

	Export    *webexport.Worksheet // nil where there is nothing to evaluate
	Quotes    *prices.CardQuotes   // nil without a price
	Now       []prices.NowPrice    // renting and buying one
	OffersURL string
	Better    *webplot.Better // cards as good for less money
	Fits      *fitGridData    // nil where nothing can be estimated

	Roofline *webplot.Roofline // nil without a rate or a bandwidth

	Measured []measuredData
	Places   []ladders.MeasuredPlace // on measured ladders
	Claims   []claim

	Aliases []string
	PCIIDs  []string
	Sources []citation // in the order of their numbers

	Neighbours []ui.Link // comparisons with its nearest relatives: Label is the other card
	Ladders    []ui.Link // of its segment
	CorrectURL string    // where administrators correct figures; empty without any
	Previous   ui.Link   // card before and after in the default order; zero at the ends
	Next       ui.Link
}

// tile is one of the headline figures.
type tile struct {
	Label   string // "Memory"
	Value   string // "80"; empty when missing
	Unit    string // "GB"
	Note    string // "HBM3", "FP16 matrix, dense"
	Missing string // why there is no value
	Mark    mark
	Fact    string // ID of the fact that it shows, for the link to its sources
}

// gridData is the rated compute by precision and kind of unit.
type gridData struct {
	Unit  string // of most rates: "TFLOPS"
	Rows  []gridRow
	Notes []string // explanations in the order of the marks that cells carry: 1, 2, …
	Ratio string   // a sentence on sparse against dense; may be empty
}

// gridRow is one precision.
type gridRow struct {
	Precision string // "BF16"
	Unit      string // where it differs from Grid.Unit: "TOPS"
	Vector    gridCellData
	Dense     gridCellData
	Sparse    gridCellData
}

// gridCellData is one rate; it is blank when both Value and Missing are empty
// because such a unit does not exist.
type gridCellData struct {
	Value   string
	Missing string // why the rate is missing
	Fact    string // ID of the fact
	Mark    string // number of the note in Grid.Notes; may be empty
	Rests   mark
	Share   float64 // of the largest rate of the grid, 0 to 1, for the bar; 0 draws none
}

// factGroupData is a table of facts.
type factGroupData struct {
	ID    string // anchor, after "group-": "memory"
	Label string
	Note  string // one sentence under the heading; may be empty
	Facts []factData
}

// factData is one quantity of the card with where it comes from.
type factData struct {
	ID         string // quantity id, the anchor of the row
	Label      string
	Definition string
	Value      string // formatted, or "yes" / "no" in the page's language; empty when missing
	Unit       string
	Missing    string
	Note       string // what a reader must know about the value
	Source     int    // number in Card.Sources; 0 when there is none (derived or missing)
	Dataset    string // title of the dataset that gave it
	Formula    string // for derived values: the arithmetic with the card's numbers
	Others     []otherValue
	Conflict   bool // sources disagree about the value
	Mark       mark // the same in a sign
	Standing   standingData
	Agreement  string // how many sources give the value, and of which origins; may be empty
	Physics    string // the arithmetic that confirms it; may be empty
}

// standingData says what a value rests on.
type standingData struct{ Label, Text string }

// otherValue is what another source says of the same quantity.
type otherValue struct {
	Value      string
	Unit       string
	Source     int
	Dataset    string
	Note       string
	Superseded string // why it is not the one shown; empty when it is merely second
	Standing   standingData
}

// measuredData is a rate that somebody reached, beside the rated one.
type measuredData struct {
	Label      string // of the quantity
	Fact       string // its id: the anchor of the rated figure
	Value      string
	Unit       string
	Rated      string  // empty when there is no rated figure
	Share      float64 // of the rated figure, 0 when there is none
	Percent    string  // the same as text
	Conditions string  // what was run, with what
	Note       string
	Source     int
	Dataset    string
}

// claim is what somebody says of the card, in words.
type claim struct {
	ID      string
	Text    string
	By      string
	Said    string // date, may be empty
	Note    string // what the figures here say to it; may be empty
	Source  int
	Dataset string
	Others  []ui.Link // the other cards that it speaks of
}

// citation is a source as a card refers to it.
type citation struct {
	Number    int
	Publisher string
	Title     string
	URL       string
	Kind      string // id: datasheet, whitepaper, documentation, filing, press, measured, community
	Published string // date, may be empty
	Retrieved string // date, may be empty
	Dataset   string
	Href      string // the page of everything that the source supports
	Figures   int    // how many facts of this card come from it
}
