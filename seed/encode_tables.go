package seed

import (
	"encoding/csv"
	"strconv"
	"strings"

	"tianti/catalog"
)

// tables writes prices and rates as texts of CSV.
func (e *encoder) tables(d *catalog.Dataset) {
	var rows [][]string
	for i := range d.Prices {
		rows = append(rows, PriceRow(&d.Prices[i]))
	}
	e.table("prices", PriceColumns, rows)
	rows = nil
	for _, x := range d.Rates {
		rows = append(rows, RateRow(&x))
	}
	e.table("rates", RateColumns, rows)
}

func (e *encoder) table(name string, header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	var b strings.Builder
	out := csv.NewWriter(&b)
	out.Write(header)
	out.WriteAll(rows) // a strings.Builder cannot fail
	e.printf("\n%s: |\n", name)
	for line := range strings.Lines(b.String()) {
		e.WriteString("  " + line)
	}
}

// RateRow is a rate as a row of a table with [RateColumns].
func RateRow(x *catalog.ExchangeRate) []string {
	return []string{string(x.Date), x.Base, x.Quote, x.Rate, x.Source}
}

// PriceRow is a price as a row of a table with [PriceColumns].
func PriceRow(p *catalog.Price) []string {
	term := ""
	if p.Term > 0 {
		term = strconv.Itoa(p.Term)
	}
	return []string{p.Card, string(p.Kind), p.Amount.Decimal(), p.Amount.Currency, string(p.Unit),
		strconv.Itoa(p.Cards), term,
		p.Seller, p.Instance, p.Region, string(p.Tax), string(p.Date), p.Source, p.Note.En, p.Note.Zh}
}
