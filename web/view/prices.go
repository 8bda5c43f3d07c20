package view

// Prices is the table of the cards that have a price.
type Prices struct {
	Layout
	Query          string
	Total, Matched int // cards with a price, and those that pass the filters
	From, To       int // first and last row shown, from 1
	AsOf           string

	Facets     []Facet
	Currencies []Option
	Keep       []Param // what the form carries on
	Chips      []Chip
	ClearURL   string
	Problems   []string

	Name    Column
	Columns []Column // kinds of prices
	Rows    []PriceRow

	Export      Export
	Pages       Pager
	Suggestions []Link

	Kinds   []PriceTally // by kind
	Sellers []PriceTally // the most observations first
}

// PriceRow is one card.
type PriceRow struct {
	Card  Link
	Sub   string
	Cells []PriceCell // as many as Prices.Columns
}

// PriceCell is what one kind stands at.
type PriceCell struct {
	Text    string // "≈ 12 000", in the currency of the page
	Date    string
	Title   string // whose offer it is
	Offers  string // "12 offers"; empty for one
	Stale   string // "too old"; empty otherwise
	Ageing  string // "ageing"; empty otherwise
	Missing string // "No price"
}

// PriceTally counts observations.
type PriceTally struct {
	Label, Note                  string
	Observations, Cards, Sellers string
	Oldest, Newest               string
}

// CardPrices is everything known of the prices of a card.
type CardPrices struct {
	Layout
	Name, Vendor string
	Crumbs       []Link
	CardURL      string
	AsOf         string
	Currency     string
	Currencies   []Option
	Keep         []Param // of the question of renting or buying

	Tiles   []PriceTile
	Chart   string // SVG; empty without a date to draw
	SVG     string // address of the picture; empty without one
	PNG     string
	Stats   []PriceStat
	Rows    []PriceObservation
	Omitted string // that there are more
	Export  Export
	Tenure  Tenure
}

// PriceTile is the headline of a kind.
type PriceTile struct {
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

// PriceStat sums up the current offers of a kind.
type PriceStat struct {
	Label, Unit          string
	Offers, Observations string
	Min, Median          string // empty without a current offer
	Few                  string // "few offers"
	Newest               string
}

// PriceObservation is one price that somebody stated.
type PriceObservation struct {
	First                         bool // of its kind
	Kind, Date, Freshness         string
	Stale                         bool
	Amount, Unit, Term, Each, How string
	In, Rate                      string // in the currency of the page; why not, where In is empty
	RateSource                    Link
	Seller, Instance, Region, Tax string
	Note                          string
	Source                        Link
	Address                       string // of the document
}

// Tenure is renting against buying.
type Tenure struct {
	Action    string
	Buy, Rent []Option
	Fields    []TenureField
	Keep      []Param
	Missing   []string // what has to be given first

	Verdict ExportWord // empty while a price is missing
	Details []string
	Ledger  []TenureLine
	Chart   string
	Points  []TenurePoint
}

// TenureField is an input.
type TenureField struct {
	ID, Label, Unit, Value, Hint string
}

// TenureLine is a step of the arithmetic.
type TenureLine struct {
	Symbol, Label, Formula, Numbers, Value string
	Sum                                    bool
}

// TenurePoint is both curves at a number of hours.
type TenurePoint struct {
	Hours, Months, Own, Rent, Cheaper string
	Mark                              string // why the row is there: "break-even"
}

// CardQuotes are the headline prices on a card's own page.
type CardQuotes struct {
	Tiles []PriceTile
	Href  string
}
