package plot

import "tianti/web/ui"

// Better is the section of a card's page on cards that are at least as good for less
// money.
type Better struct {
	Action     string
	Keep       []ui.Param
	Axes       []ui.OptionGroup // parameter "better", may be repeated
	Chosen     string           // names of the chosen axes
	Kinds      []ui.Option      // parameter "buy"
	Currencies []ui.Option      // parameter "currency"

	Own     string   // what the card itself costs
	Verdict []string // the answer in sentences
	Left    string   // on which axes nothing is known of the card; may be empty
	Columns []BetterColumn
	Rows    []betterRow // the cheapest first
	More    string      // how many rows are left out; may be empty
	Old     []string    // cards with their last price, which was less and is too old
}

// BetterColumn is an axis of the table.
type BetterColumn struct {
	Label string
	Unit  string
}

// betterRow is one card.
type betterRow struct {
	Card      ui.Link
	Compare   string // address of the comparison of the two
	Price     string
	PriceNote string // kind, date, freshness
	Saving    string // share of the price of the other
	Gains     []betterGain
}

// betterGain is a value on an axis.
type betterGain struct {
	Value string
	Ratio string // of the gain: never below 1
}
