package ladders

import "tianti/web/ui"

// laddersData is the overview of all ladders.
type laddersData struct {
	ui.Layout

	Groups   []ladderGroup
	Segments []string // heads of the columns of the table
	Bases    []ladderBasesData
}

// ladderGroup is some ladders with their first cards.
type ladderGroup struct {
	ID       string
	Title    string
	Note     string
	Previews []ladderPreviewData
}

// ladderPreviewData is a ladder and its first cards.
type ladderPreviewData struct {
	Title string
	Basis string // "FP32 vector, TFLOPS"
	Href  string
	Cards string // "96 cards"
	Rows  []ui.TopRow
}

// ladderBasesData is a group of bases.
type ladderBasesData struct {
	Label string
	Rows  []ladderBasis
}

// ladderBasis is a row of the table: one basis in each segment. A cell without an
// address has no card.
type ladderBasis struct {
	Label string
	Title string
	Unit  string
	Cells []ui.Link
}

// ladderData is one ladder.
type ladderData struct {
	ui.Layout

	Heading string
	Matched string // "96 of 105 cards have a value"
	Method  string
	Notes   []string // what is unusual: another reference, too many cards
	Dated   string   // day of the data

	Form     ladderFormData
	Chips    []ui.Chip
	ClearURL string

	// Wide and Narrow are drawings as markup; empty where there is nothing to draw.
	Wide, Narrow string
	SVG, PNG     string // addresses
	Export       ui.Export

	Tiers    []ladderTier
	Unplaced []ladderUnplacedData

	Definition string
	Formula    string
	Others     []ui.Link // the same cards on other bases
	Ladders    string    // address of the overview
}

// ladderFormData chooses the ladder. What it has no control for is in Keep.
type ladderFormData struct {
	Action     string
	Bases      []ui.OptionGroup
	Facets     []ui.Facet
	References []ui.OptionGroup
	Bands      []ui.Option
	Columns    []ui.Option
	Prices     ui.PriceChoices // empty unless prices matter
	Keep       []ui.Param
}

// ladderTier is a band that has cards.
type ladderTier struct {
	ID     string
	Name   string
	Values string // its limits
	Shares string // the same as shares of the reference
	Rows   []ladderRowData
}

// ladderRowData is a card on the ladder.
type ladderRowData struct {
	Place       int    // from 1
	Rank        string // "3–5"
	Name        string
	Vendor      string
	Href        string
	Value       string
	Ratio       string
	Unconfirmed bool
	Estimated   bool   // nobody has measured the card
	Unsold      string // that the card is announced and not sold; may be empty
	Reference   bool   // it is 100 %
	Tied        string // "with 2 others"; empty when it stands alone
	Source      ui.Link
}

// ladderUnplacedData is the cards that have no place for one reason.
type ladderUnplacedData struct {
	Reason string
	Count  string
	Cards  []ui.Link
}
