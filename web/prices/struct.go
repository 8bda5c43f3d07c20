package prices

import "tianti/web/ui"

// prices is the table of the cards that have a price.
type prices struct {
	ui.Layout
	Query          string
	Total, Matched int // cards with a price, and those that pass the filters
	From, To       int // first and last row shown, from 1
	AsOf           string

	Finding    string // how many cards have a current price
	Facets     []ui.Facet
	Selects    []ui.Facet // of which one is chosen
	Currencies []ui.Option
	Keep       []ui.Param // what the form carries on
	Chips      []ui.Chip
	ClearURL   string
	Problems   []string

	Name    ui.Column
	Columns []ui.Column // kinds of prices
	Rows    []priceRow

	Export      ui.Export
	Pages       ui.Pager
	Suggestions []ui.Link

	Kinds   []priceCount // by kind
	Sellers []priceCount // the most observations first, as many as the page has room for
	Traders int          // how many sellers there are
}

// priceRow is one card.
type priceRow struct {
	Card   ui.Link
	Sub    string
	Cells  []priceCellData // as many as Prices.Columns
	Unsold string          // that it is announced and not sold; may be empty
}

// priceCellData is what one kind stands at.
type priceCellData struct {
	Text    string // "≈ 12 000", in the currency of the page
	Date    string
	Title   string // whose offer it is
	Offers  string // "12 offers"; empty for one
	Stale   string // "too old"; empty otherwise
	Ageing  string // "ageing"; empty otherwise
	Missing string // "No price"
	None    string // "no current price": the tag in the price's place; empty otherwise
	Last    string // the last known price beside it; may be empty
}

// priceCount counts observations.
type priceCount struct {
	Label, Note                  string
	Observations, Cards, Sellers string
	Oldest, Newest               string
}

// cardPricesData is everything known of the prices of a card.
type cardPricesData struct {
	ui.Layout
	ID, Name, Vendor string
	Finding          string       // the cheapest current offers in words
	Offers           []offersData // that are current, to rent and to buy
	Nodes            []ui.Link    // cards of one node
	AllURL           string       // with all observations; empty where all are listed
	Crumbs           []ui.Link
	CardURL          string
	AsOf             string
	Currency         string
	Currencies       []ui.Option
	Keep             []ui.Param // of the question of renting or buying

	Tiles   []priceTileData
	Chart   string // SVG; empty without a date to draw
	SVG     string // address of the picture; empty without one
	PNG     string
	Stats   []priceStat
	Rows    []priceObservation
	Omitted string // that there are more
	Export  ui.Export
	Tenure  tenureData
}

// priceTileData is the headline of a kind.
type priceTileData struct {
	Kind, Label string
	Value       string // with currency
	Unit        string // "/h"
	Note        string // "best of 12 current offers", or why it is none
	Date        string
	Freshness   string
	Offer       string // whose it is
	How         string // how it follows from what is asked for
	Old         bool   // too old to count
}

// priceStat sums up the current offers of a kind.
type priceStat struct {
	Label, Unit          string
	Offers, Observations string
	Min, Median          string // empty without a current offer
	Few                  string // "few offers"
	Newest               string
}

// priceObservation is one price that somebody stated.
type priceObservation struct {
	First                         bool // of its kind
	Kind, Date, Freshness         string
	Stale                         bool
	Amount, Unit, Term, Each, How string
	In, Rate                      string // in the currency of the page; why not, where In is empty
	RateSource                    ui.Link
	Seller, Instance, Region, Tax string
	Note                          string
	Source                        ui.Link
	Address                       string // of the document
}

// tenureData is renting against buying.
type tenureData struct {
	Action    string
	Buy, Rent []ui.Option
	Fields    []tenureFieldData
	Keep      []ui.Param
	Missing   []string // what has to be given first

	Verdict ui.ExportWord // empty while a price is missing
	Details []string
	Ledger  []tenureLine
	Chart   string
	Points  []tenurePoint
}

// tenureFieldData is an input.
type tenureFieldData struct {
	ID, Label, Unit, Value, Hint string
}

// tenureLine is a step of the arithmetic.
type tenureLine struct {
	Symbol, Label, Formula, Numbers, Value string
	Sum                                    bool
}

// tenurePoint is both curves at a number of hours.
type tenurePoint struct {
	Hours, Months, Own, Rent, Cheaper string
	Mark                              string // why the row is there: "break-even"
}

// CardQuotes are the headline prices on a card's own page.
type CardQuotes struct {
	Tiles []priceTileData
	Href  string
	Chart string // what it has cost, as SVG; empty where too little is known
}

// withUnit is the label of a column where it stands beside each value, on a phone.
func withUnit(c ui.Column) string {
	if c.Unit == "" {
		return c.Label
	}
	return c.Label + " " + c.Unit
}
