package view

// Better is the section of a card's page on cards that are at least as good for less
// money.
type Better struct {
	Action     string
	Keep       []Param
	Axes       []OptionGroup // parameter "better", may be repeated
	Chosen     string        // names of the chosen axes
	Kinds      []Option      // parameter "buy"
	Currencies []Option      // parameter "currency"

	Own     string   // what the card itself costs
	Verdict []string // the answer in sentences
	Left    string   // on which axes nothing is known of the card; may be empty
	Columns []BetterColumn
	Rows    []BetterRow // the cheapest first
	More    string      // how many rows are left out; may be empty
	Old     []string    // cards with their last price, which was less and is too old
}

// BetterColumn is an axis of the table.
type BetterColumn struct {
	Label string
	Unit  string
}

// BetterRow is one card.
type BetterRow struct {
	Card      Link
	Compare   string // address of the comparison of the two
	Price     string
	PriceNote string // kind, date, freshness
	Saving    string // share of the price of the other
	Gains     []BetterGain
}

// BetterGain is a value on an axis.
type BetterGain struct {
	Value string
	Ratio string // of the gain: never below 1
}
