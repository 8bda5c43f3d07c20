package seed

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"tianti/catalog"
)

// JSONCard is a card as JSON has it.
type JSONCard struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Vendor       string         `json:"vendor"`
	Kind         string         `json:"kind"`
	Segment      string         `json:"segment"`
	Architecture string         `json:"architecture,omitempty"`
	Aliases      []string       `json:"aliases,omitempty"`
	PCIIDs       []string       `json:"pci_ids,omitempty"`
	Facts        []catalog.Fact `json:"facts,omitempty"`
}

// Card is the card.
func (c JSONCard) Card() catalog.Card {
	return catalog.Card{ID: c.ID, Name: c.Name, Vendor: c.Vendor, Kind: c.Kind, Segment: c.Segment,
		Architecture: c.Architecture,
		Aliases:      c.Aliases, PCIIDs: c.PCIIDs, Facts: c.Facts}
}

// JSONPrice is a price as JSON has it: the columns of the table.
type JSONPrice struct {
	Card     string            `json:"card"`
	Kind     catalog.PriceKind `json:"kind"`
	Amount   string            `json:"amount"` // decimal: 3.06
	Currency string            `json:"currency"`
	Unit     catalog.PriceUnit `json:"unit"`
	Cards    int               `json:"cards,omitempty"` // 1 when left out
	Term     int               `json:"term_months,omitempty"`
	Seller   string            `json:"seller,omitempty"`
	Instance string            `json:"instance,omitempty"`
	Region   string            `json:"region,omitempty"`
	Tax      catalog.Tax       `json:"tax,omitempty"`
	Date     catalog.Date      `json:"date"`
	Source   string            `json:"source"`
	Note     catalog.Text      `json:"note,omitzero"`
}

// Price is the price; the error is about its amount.
func (p JSONPrice) Price() (catalog.Price, error) {
	amount, err := catalog.ParseMoney(p.Amount, p.Currency)
	if err != nil {
		return catalog.Price{}, fmt.Errorf("amount: %w", err)
	}
	if p.Cards == 0 {
		p.Cards = 1
	}
	return catalog.Price{Card: p.Card, Kind: p.Kind, Amount: amount, Unit: p.Unit, Cards: p.Cards,
		Term: p.Term, Seller: p.Seller,
		Instance: p.Instance, Region: p.Region, Tax: p.Tax, Date: p.Date, Source: p.Source, Note: p.Note}, nil
}

func jsonPrice(p *catalog.Price) JSONPrice {
	return JSONPrice{Card: p.Card, Kind: p.Kind, Amount: p.Amount.Decimal(), Currency: p.Amount.Currency, Unit: p.Unit,
		Cards: p.Cards, Term: p.Term,
		Seller: p.Seller, Instance: p.Instance, Region: p.Region, Tax: p.Tax, Date: p.Date,
		Source: p.Source, Note: p.Note}
}

// JSONRate is an exchange rate as JSON has it.
type JSONRate struct {
	Date   catalog.Date `json:"date"`
	Base   string       `json:"base"`
	Quote  string       `json:"quote"`
	Rate   string       `json:"rate"`
	Source string       `json:"source"`
}

// ExchangeRate is the rate.
func (r JSONRate) ExchangeRate() catalog.ExchangeRate {
	return catalog.ExchangeRate{Date: r.Date, Base: r.Base, Quote: r.Quote, Rate: r.Rate, Source: r.Source}
}

// EncodeJSON writes a dataset as an object of the sections of data files, each a list
// with an entry a line: sources, cards, architectures, measured, benchmarks, claims, equivalents,
// glossary, prices, rates. It holds what [Encode] writes. The error says which figure
// no data file can hold; nothing is written then.
func EncodeJSON(w io.Writer, d catalog.Dataset) error {
	known := make(map[string]*catalog.Source, len(d.Sources))
	for i := range d.Sources {
		known[d.Sources[i].ID] = &d.Sources[i]
	}
	if err := encodable(&d, known); err != nil {
		return err
	}
	b := &jsonWriter{Writer: bufio.NewWriter(w)}
	b.WriteString("{")
	jsonList(b, "sources", d.Sources, same)
	jsonList(b, "cards", d.Cards, func(c *catalog.Card) any {
		return JSONCard{c.ID, c.Name, c.Vendor, c.Kind, c.Segment, c.Architecture, c.Aliases, c.PCIIDs, c.Facts}
	})
	jsonList(b, "architectures", d.Generations, same)
	jsonList(b, "measured", d.Measured, same)
	jsonList(b, "benchmarks", d.Benchmarks, same)
	jsonList(b, "claims", d.Claims, same)
	jsonList(b, "equivalents", d.Equivalents, same)
	jsonList(b, "glossary", d.Glossary, same)
	jsonList(b, "prices", d.Prices, func(p *catalog.Price) any { return jsonPrice(p) })
	jsonList(b, "rates", d.Rates, func(x *catalog.ExchangeRate) any {
		return JSONRate{x.Date, x.Base, x.Quote, x.Rate, x.Source}
	})
	b.WriteString("\n}")
	return b.Flush() // the first error of any write
}

type jsonWriter struct {
	*bufio.Writer
	sections int
}

func same[T any](v *T) any { return v }

// jsonList writes a section, if it has entries.
func jsonList[T any](b *jsonWriter, name string, list []T, entry func(*T) any) {
	for i := range list {
		switch {
		case i > 0:
			b.WriteString(",\n")
		case b.sections > 0:
			fmt.Fprintf(b, ",\n%q: [\n", name)
		default:
			fmt.Fprintf(b, "\n%q: [\n", name)
		}
		text, err := json.Marshal(entry(&list[i]))
		if err != nil {
			panic(err) // encodable refuses numbers that JSON does not know
		}
		b.Write(text)
	}
	if len(list) > 0 {
		b.WriteString("\n]")
		b.sections++
	}
}
