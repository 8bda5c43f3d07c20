package compare

import (
	webplot "tianti/web/plot"
	"tianti/web/ui"
)

// compareData sets two to eight cards side by side. With fewer cards it is the
// page to choose them on.
type compareData struct {
	ui.Layout

	Heading  string // the finding; empty where there is nothing to compare yet
	Cards    []compareCard
	Said     []said // the findings, the most telling first
	Baseline string // name of the baseline card
	Groups   []compareGroup
	Panels   comparePanelsData
	Roofline *webplot.Roofline // nil where no card has a rate and a bandwidth
	// RooflineOpen: its precision was chosen
	RooflineOpen bool
	RooflineURL  string // the page with it, where it is long; may be empty

	Prices    ui.PriceChoices // how prices are converted
	PriceKeep []ui.Param      // what the form for it carries on

	Frame        string      // address for frames of other sites
	Destinations []ui.Option // of the question of export

	OnlyDifferences bool
	ToggleURL       string // the same with the switch turned
	Hidden          int    // rows that the switch hides

	// Keep are the parameters that the form for adding a card carries on: the
	// cards in place, the baseline and the switch.
	Keep []ui.Param
	Full bool // eight cards are there

	Unknown     []unknownCard // names of the address that no card has
	Taken       []takenCard   // names that several cards have
	Problem     string        // what else is wrong with the address; may be empty
	Suggestions []ui.Link     // ready comparisons, for the page without cards
}

// takenCard is a card that was taken for a name that others have as well.
type takenCard struct {
	Asked  string
	Name   string
	Others []ui.Link // the comparison with another of them in its place
}

// comparePanelsData are small multiples: a panel for each speed, rent and figure that matters most.
type comparePanelsData struct {
	Chart string // SVG, already escaped
	Tips  string // what the script says of each bar
}

// compareCard is the head of one column.
type compareCard struct {
	ID          string
	Name        string
	Short       string // without the brand
	Vendor      string
	Sub         string // "SXM5 · 2022-03"
	Unsold      string // that it is announced and not sold; may be empty
	Here        string // what those of this host or fleet do; empty: there is none
	Href        string
	Baseline    bool
	BaselineURL string // makes it the baseline
	RemoveURL   string
}

// compareGroup is a group of rows.
type compareGroup struct {
	Label string
	Rows  []compareRowData
	Note  string
}

// compareRowData is one quantity over all cards.
type compareRowData struct {
	ID         string
	Label      string
	Unit       string
	Sub        string // "estimated"; may be empty
	Href       string // what the label leads to; empty is its definition
	Definition string
	Note       string            // "rated on different bases, not comparable"; may be empty
	Alike      bool              // for all cards
	Cells      []compareCellData // as many as Compare.Cards
}

// compareCellData is the value of one card.
type compareCellData struct {
	Value   string
	Plain   bool          // words, which have no ratio
	Word    ui.ExportWord // a verdict in the place of a value
	Fits    []compareFit  // jobs in the place of a value
	NoPrice string        // that there is none of today, in the place of a value
	Missing string        // why there is no value
	Ratio   string        // to the baseline, "×1.76"; empty for the baseline itself and for words
	Note    string        // kind and date of a price, interval of an estimate
	Old     string        // that the price is too old, which is never the best
	Best    bool          // the only best of the row
}

// alike is the ratio of a value that is the baseline's: its cell looks like the baseline's.
const alike = "×1"

// bare reports whether the cell is a figure and nothing else.
func (c compareCellData) bare() bool {
	return c.Value != "" && !c.Plain && !c.Best && (c.Ratio == "" || c.Ratio == alike) && c.Note == "" && c.Old == "" &&
		c.NoPrice == "" &&
		len(c.Fits) == 0 && c.Word.Text == ""
}

// compareFit is a job with one size of model.
type compareFit struct {
	Size       string
	Mark, Tone string
	State      string
	Spare      string // GB
	Speed      string
	Title      string
}

// unknownCard is an id that no card has, with the nearest that exist.
type unknownCard struct {
	ID      string
	Nearest []ui.Link
}
