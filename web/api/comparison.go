package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"tianti/catalog"
)

// Comparison sets cards side by side.
type Comparison struct {
	Envelope
	Pricing   pricing            `json:"pricing"`
	Cards     []CardRef          `json:"cards" doc:"in the order asked for; places are counted from 0"`
	Services  []ComparedService  `json:"services" doc:"findings about serving many users, before others"`
	Trainings []ComparedTraining `json:"trainings" doc:"findings about training whole models"`
	Sentences []ComparedSentence `json:"sentences" doc:"what the comparison finds, the most telling first"`
	Fits      []ComparedFit      `json:"fits" doc:"usual jobs on one card, estimated; empty on a server without data for estimates"`
	Prices    []ComparedQuote    `json:"prices" doc:"the lowest current price of each kind, or the last that was seen, and the price at launch; kinds are never mixed"`
	Export    []ComparedExport   `json:"export" doc:"of each card: whether it may go to the destination"`
	Rows      []ComparisonRow    `json:"rows" doc:"every quantity that at least one of the cards has"`
}

// ComparedSentence is one finding of a comparison.
type ComparedSentence struct {
	Kind    string `json:"kind" enum:"decode,training,context,measured,rent,token,buy,rated,export,no_price"`
	Metric  string `json:"metric,omitempty" doc:"id of the benchmark or metric; of estimates the size of the model" example:"32B"`
	Finding string `json:"finding" doc:"more and less are of card against the other, clearly; same: equal figures; unclear: within the interval; unlike: prices of different months, without a ratio; only: the other cannot; none: there is no price" enum:"more,less,same,unclear,unlike,only,none"`
	Cards   []int  `json:"cards" doc:"places of the cards: that which the sentence begins with, that which it is set against, and others"`
	// as many as cards; null where unknown
	Values  ComparedValues `json:"values" doc:"of the cards, in their order"`
	Unit    string         `json:"unit,omitempty"`
	Ratio   *ComparedValue `json:"ratio,omitempty" doc:"value of the first card over that of the second"`
	Sources []string       `json:"sources,omitempty" doc:"who says so: publishers, sellers"`
	Dates   []string       `json:"dates,omitempty" doc:"of prices, as many as cards"`
	Runs    []int          `json:"runs,omitempty" doc:"of what was measured, as many as cards"`
	With    []string       `json:"with,omitempty" doc:"of what was measured: program or format"`
}

// ComparedService is a finding about serving many users, told as others are: its kinds are not among those that
// clients of comparisons know.
type ComparedService struct {
	Kind    string         `json:"kind" doc:"output of one card, cost of a million tokens" enum:"serve,serve_token"`
	Metric  string         `json:"metric,omitempty" doc:"size of the model, or id of the benchmark" example:"14B"`
	Finding string         `json:"finding" enum:"more,less,same,unclear,unlike,only,none"`
	Cards   []int          `json:"cards" doc:"places of the cards"`
	Values  ComparedValues `json:"values" doc:"of the cards, in their order"`
	Unit    string         `json:"unit,omitempty"`
	Ratio   *ComparedValue `json:"ratio,omitempty" doc:"value of the first card over that of the second"`
	Sources []string       `json:"sources,omitempty"`
	Dates   []string       `json:"dates,omitempty" doc:"of rents, as many as cards"`
	Runs    []int          `json:"runs,omitempty"`
	With    []string       `json:"with,omitempty"`
}

// ComparedTraining is a finding about training a whole model, told as others are, of a kind of its own as those of
// [ComparedService] are.
type ComparedTraining struct {
	Kind    string         `json:"kind" doc:"tokens a second of eight cards" enum:"pretraining"`
	Metric  string         `json:"metric,omitempty" doc:"size of the model" example:"8B"`
	Finding string         `json:"finding" enum:"more,less,same,unclear,unlike,only,none"`
	Cards   []int          `json:"cards" doc:"places of the cards"`
	Values  ComparedValues `json:"values" doc:"of the cards, in their order"`
	Unit    string         `json:"unit,omitempty"`
	Ratio   *ComparedValue `json:"ratio,omitempty" doc:"value of the first card over that of the second"`
	Sources []string       `json:"sources,omitempty" doc:"programs and formats"`
	Dates   []string       `json:"dates,omitempty"`
	Runs    []int          `json:"runs,omitempty"`
	With    []string       `json:"with,omitempty"`
}

// ComparedValues are as many as cards; nil where a value is unknown.
type ComparedValues []*ComparedValue

// Schema says that values of the list may be null, which its type alone does not.
func (ComparedValues) Schema(r huma.Registry) *huma.Schema {
	return listOfNullable(r, reflect.TypeFor[ComparedValue]())
}

// listOfNullable is the schema of a list of objects of a type, of which some may be null.
func listOfNullable(r huma.Registry, t reflect.Type) *huma.Schema {
	return &huma.Schema{Type: "array", Items: &huma.Schema{AnyOf: []*huma.Schema{r.Schema(t, true, ""),
		{Type: "null"}}}}
}

// ComparedValue is a number, with the ends of its 90 % interval where it is an estimate.
type ComparedValue struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low,omitempty"`
	High  float64 `json:"high,omitempty"`
}

// ComparedFit is a usual job on one of the cards.
type ComparedFit struct {
	Card       int            `json:"card" doc:"place of the card"`
	Size       string         `json:"size" example:"32B"`
	Model      string         `json:"model"`
	Task       string         `json:"task" enum:"inference,lora,qlora"`
	Framework  string         `json:"framework"`
	Weights    string         `json:"weights" doc:"format of the weights"`
	Context    int            `json:"context" doc:"tokens of a sequence; the batch size is 1"`
	Verdict    string         `json:"verdict" doc:"cannot_run: no framework runs it on the card" enum:"fits,borderline,does_not_fit,cannot_run,unknown"`
	NeedGB     *ComparedValue `json:"need_gb,omitempty"`
	SpareGB    *float64       `json:"spare_gb,omitempty" doc:"usable less needed memory; below 0 where it does not fit"`
	TokensPerS *ComparedValue `json:"tokens_per_s,omitempty" doc:"trained, or generated for one request"`
	Tier       string         `json:"tier,omitempty" doc:"of the speed: measured: a case with the same job on the same card; calibrated: neighbouring cases corrected the formula; formula: no case is near" enum:"measured,calibrated,formula"`
}

// ComparedQuote is what a card costs.
type ComparedQuote struct {
	Card      int     `json:"card" doc:"place of the card"`
	Kind      string  `json:"kind" enum:"launch,street,used,computer,server,on_demand,spot,reserved,monthly"`
	Amount    float64 `json:"amount" doc:"of one card, for an hour where it is rented, in the currency of the pricing"`
	Seller    string  `json:"seller,omitempty"`
	Date      string  `json:"date,omitempty"`
	Freshness string  `json:"freshness" enum:"fresh,ageing,stale,historic,unsold"`
	Offers    int     `json:"offers" doc:"current ones of the kind"`
}

// ComparedExport is whether a card may go to a destination.
type ComparedExport struct {
	Card        int    `json:"card" doc:"place of the card"`
	Destination string `json:"destination" example:"CN"`
	AsOf        string `json:"as_of"`
	Verdict     string `json:"verdict" example:"case_by_case"`
}

// ComparisonRow is one quantity over all cards.
type ComparisonRow struct {
	Metric string     `json:"metric"`
	Unit   string     `json:"unit,omitempty"`
	Values []any      `json:"values" doc:"number, text, true/false, or null where unknown; as many as cards"`
	Ratios []*float64 `json:"ratios" doc:"value over the first card's; null where either is unknown or is no number"`
	Best   []int      `json:"best" doc:"places in values of the best; empty when all are alike, nothing is better, or bases differ"`
	// OtherBases makes a row not comparable.
	OtherBases []int          `json:"other_bases,omitempty" doc:"places of cards that state the same rate on other bases only: with them the row is not comparable"`
	Prices     comparedPrices `json:"prices,omitempty" doc:"of rows of prices: what each value rests on, or null; as many as cards"`
}

// comparedPrices are as many as cards; nil where a card has no such price.
type comparedPrices []*comparedPrice

// Schema says that the prices of the list may be null, which its type alone does not.
func (comparedPrices) Schema(r huma.Registry) *huma.Schema {
	return listOfNullable(r, reflect.TypeFor[comparedPrice]())
}

// comparedPrice is what a value that follows from a price rests on.
type comparedPrice struct {
	Kind      string `json:"kind" enum:"launch,street,used,computer,server,on_demand,spot,reserved,monthly"`
	Date      string `json:"date,omitempty" doc:"on which the price was so"`
	Freshness string `json:"freshness" doc:"on the day as_of; a stale price is never the best" enum:"fresh,ageing,stale,historic,unsold"`
}

// Compare sets 2 to 8 cards side by side in the lines of their comparison.
func Compare(s *catalog.Snapshot, rows []int, lines []catalog.CompareLine) Comparison {
	c := Comparison{Envelope: EnvelopeOf(s), Pricing: pricingOf(s.Pricing()), Cards: []CardRef{},
		Services: []ComparedService{}, Trainings: []ComparedTraining{}, Sentences: []ComparedSentence{}, Fits: []ComparedFit{},
		Prices: []ComparedQuote{}, Export: []ComparedExport{},
		Rows: []ComparisonRow{}}
	for _, row := range rows {
		c.Cards = append(c.Cards, cardRef(s, row))
	}
	for _, line := range lines {
		row := comparisonRow(line)
		row.Prices = pricesBehind(s, rows, line.Quantity)
		c.Rows = append(c.Rows, row)
	}
	return c
}

// pricesBehind are what the values of a row of prices rest on.
func pricesBehind(s *catalog.Snapshot, rows []int, q *catalog.Quantity) comparedPrices {
	if !q.Priced() {
		return nil
	}
	out := make(comparedPrices, len(rows))
	for i, row := range rows {
		if quote, ok := s.QuoteBehind(q, row); ok {
			out[i] = &comparedPrice{string(quote.Kind), string(quote.Date), quote.Freshness.String()}
		}
	}
	return out
}

func comparisonRow(line catalog.CompareLine) ComparisonRow {
	row := ComparisonRow{Metric: line.Quantity.ID, Unit: line.Quantity.Unit, Best: []int{}, OtherBases: line.Apart}
	for i, cell := range line.Cells {
		var value any
		switch {
		case !cell.Known:
		case line.Quantity.Kind == catalog.Number:
			value = cell.Number
		case line.Quantity.Kind == catalog.Flag:
			value = cell.Text == "true"
		default:
			value = cell.Text
		}
		row.Values = append(row.Values, value)
		row.Ratios = append(row.Ratios, ratioOrNil(cell.Ratio))
		if cell.Best {
			row.Best = append(row.Best, i)
		}
	}
	return row
}
