package compare

import (
	webplot "tianti/web/plot"
	"tianti/web/ui"
)

// compareData sets two to eight cards side by side. With fewer cards it is the
// page to choose them on.
type compareData struct {
	ui.Layout

	Cards    []compareCard
	Verdict  []string // sentences about the others against the baseline
	Baseline string   // name of the baseline card
	Groups   []compareGroup
	Axes     compareAxesData
	Roofline *webplot.Roofline // nil where no card has a rate and a bandwidth

	Prices    ui.PriceChoices // how prices are converted
	PriceKeep []ui.Param      // what the form for it carries on

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

// compareAxesData are bars of the cards on the axes that matter most.
type compareAxesData struct {
	Chart string // SVG, already escaped
}

// compareCard is the head of one column.
type compareCard struct {
	ID          string
	Name        string
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
}

// compareRowData is one quantity over all cards.
type compareRowData struct {
	ID         string
	Label      string
	Unit       string
	Definition string
	Note       string            // "rated on different bases, not comparable"; may be empty
	Cells      []compareCellData // as many as Compare.Cards
}

// compareCellData is the value of one card.
type compareCellData struct {
	Value   string
	Missing string  // why there is no value
	Ratio   string  // to the baseline, "×1.76"; empty for the baseline itself and for words
	Note    string  // kind and date of a price
	Old     string  // that the price is too old, which is never the best
	Best    bool    // the best of the row; never in a row whose values are all alike
	Share   float64 // of the largest value of the row, 0 to 1, for the bar; 0 draws none
}

// unknownCard is an id that no card has, with the nearest that exist.
type unknownCard struct {
	ID      string
	Nearest []ui.Link
}
