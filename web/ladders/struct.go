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
	Bands []FrontBand // names, limits and how many cards each has; without rows
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

	Heading  string
	Matched  string // "96 of 105 cards have a value"
	Method   string
	Mine     string   // where the reader's card stands; may be empty
	Notes    []string // what is unusual: another reference, too many cards
	Dated    string   // day of the data
	Foot     []string // runs, method, what has no place
	Legend   []generationName
	Segments []ui.Link

	Form     ladderFormData
	Chips    []ui.Chip
	ClearURL string

	Share         ui.Share
	Drawing       string // markup; empty where there is nothing to draw
	SVG, PNG, PDF string // addresses
	Export        ui.Export

	Bands    []ladderBand
	Unplaced []ladderUnplacedData

	Formula string
	Others  []ui.Link // the same cards on other bases
	Ladders string    // address of the overview
}

// generationName is an item of the legend.
type generationName struct{ Class, Text string }

// ladderFormData chooses the ladder. What it has no control for is in Keep.
type ladderFormData struct {
	Action    string
	Bases     []ui.OptionGroup
	Mine      string // names of cards
	Reference string
	Columns   []ui.Option
	Prices    ui.PriceChoices // empty unless prices matter
	Keep      []ui.Param
}

// ladderBand is a named band that has cards.
type ladderBand struct {
	ID     string // "s"
	Name   string // "Flagship"
	Shares string // its limits as shares of the reference
	Count  string
	Folded bool // closed at first
	Rows   []ladderRowData
}

// ladderRowData is a card on the ladder.
type ladderRowData struct {
	Class  string // generation, and what is special
	Name   string
	Href   string
	Value  string
	Detail string // share, rank and what the value is from
}

// ladderUnplacedData is the cards that have no place for one reason.
type ladderUnplacedData struct {
	Reason string
	Count  string
	Cards  []string
	Names  string // the same in one text
}
