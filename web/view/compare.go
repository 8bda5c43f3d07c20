package view

// Compare sets two to eight cards side by side. With fewer cards it is the
// page to choose them on.
type Compare struct {
	Layout

	Cards    []CompareCard
	Verdict  []string // sentences about the others against the baseline
	Baseline string   // name of the baseline card
	Groups   []CompareGroup
	Axes     CompareAxes
	Roofline *Roofline // nil where no card has a rate and a bandwidth

	Prices    PriceChoices // how prices are reckoned
	PriceKeep []Param      // what the form for it carries on

	OnlyDifferences bool
	ToggleURL       string // the same with the switch turned
	Hidden          int    // rows that the switch hides

	// Keep are the parameters that the form for adding a card carries on: the
	// cards in place, the baseline and the switch.
	Keep []Param
	// Picker offers the cards that can be added (parameter "card"), grouped by
	// vendor. Empty when the comparison is full.
	Picker []OptionGroup
	Full   bool // eight cards are there

	Unknown     []UnknownCard // ids of the address that no card has
	Problem     string        // what else is wrong with the address; may be empty
	Suggestions []Link        // ready comparisons, for the page without cards
}

// CompareAxes are bars of the cards on the axes that matter most.
type CompareAxes struct {
	Chart string // SVG, already escaped
}

// CompareCard is the head of one column.
type CompareCard struct {
	ID          string
	Name        string
	Vendor      string
	Sub         string // "SXM5 · 2022-03"
	Here        string // what those of this host or fleet do; empty: there is none
	Href        string
	Baseline    bool
	BaselineURL string // makes it the baseline
	RemoveURL   string
}

// CompareGroup is a group of rows.
type CompareGroup struct {
	Label string
	Rows  []CompareRow
}

// CompareRow is one quantity over all cards.
type CompareRow struct {
	ID         string
	Label      string
	Unit       string
	Definition string
	Note       string        // "rated on different bases, not comparable"; may be empty
	Cells      []CompareCell // as many as Compare.Cards
}

// CompareCell is the value of one card.
type CompareCell struct {
	Value   string
	Missing string  // why there is no value
	Ratio   string  // to the baseline, "×1.76"; empty for the baseline itself and for words
	Note    string  // kind and date of a price
	Old     string  // that the price is too old, which is never the best
	Best    bool    // the best of the row; never in a row whose values are all alike
	Share   float64 // of the largest value of the row, 0 to 1, for the bar; 0 draws none
}

// UnknownCard is an id that no card has, with the nearest that exist.
type UnknownCard struct {
	ID      string
	Nearest []Link
}
