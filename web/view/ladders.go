package view

// Ladders is the overview of all ladders.
type Ladders struct {
	Layout

	Groups   []LadderGroup
	Segments []string // heads of the columns of the table
	Bases    []LadderBases
}

// LadderGroup is some ladders with their first cards.
type LadderGroup struct {
	ID       string
	Title    string
	Note     string
	Previews []LadderPreview
}

// LadderPreview is a ladder and its first cards.
type LadderPreview struct {
	Title string
	Basis string // "FP32 vector, TFLOPS"
	Href  string
	Cards string // "96 cards"
	Rows  []TopRow
}

// LadderBases is a group of bases.
type LadderBases struct {
	Label string
	Rows  []LadderBasis
}

// LadderBasis is a row of the table: one basis in each segment. A cell without an
// address has no card.
type LadderBasis struct {
	Label string
	Title string
	Unit  string
	Cells []Link
}

// Ladder is one ladder.
type Ladder struct {
	Layout

	Heading string
	Matched string // "96 of 105 cards have a value"
	Method  string
	Notes   []string // what is unusual: another reference, too many cards
	Dated   string   // day of the data

	Form     LadderForm
	Chips    []Chip
	ClearURL string

	// Wide and Narrow are drawings as markup; empty where there is nothing to draw.
	Wide, Narrow string
	SVG, PNG     string // addresses
	Export       Export

	Tiers    []LadderTier
	Unplaced []LadderUnplaced

	Definition string
	Formula    string
	Others     []Link // the same cards on other bases
	Ladders    string // address of the overview
}

// LadderForm chooses the ladder. What it has no control for is in Keep.
type LadderForm struct {
	Action     string
	Bases      []OptionGroup
	Facets     []Facet
	References []OptionGroup
	Bands      []Option
	Columns    []Option
	Prices     PriceChoices // empty unless prices matter
	Keep       []Param
}

// LadderTier is a band that has cards.
type LadderTier struct {
	ID     string
	Name   string
	Values string // its limits
	Shares string // the same as shares of the reference
	Rows   []LadderRow
}

// LadderRow is a card on the ladder.
type LadderRow struct {
	Place       int    // from 1
	Rank        string // "3–5"
	Name        string
	Vendor      string
	Href        string
	Value       string
	Ratio       string
	Unconfirmed bool
	Reference   bool   // it is 100 %
	Tied        string // "with 2 others"; empty when it stands alone
	Source      Link
}

// LadderUnplaced is the cards that have no place for one reason.
type LadderUnplaced struct {
	Reason string
	Count  string
	Cards  []Link
}
