package sizing

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"tianti/catalog"
)

// A Tariff is what electricity costs in some countries, as a source gives it: an average, which is no offer to anybody.
type Tariff struct {
	Places    []string // codes of countries
	PerKWh    catalog.Money
	Customers string // whose average it is: "all", "business", "industry"
	Period    string // of the average: "2025", "2025-H1"
	Title     string // of the source
	Source    string // its address
}

// customers are those that an average price of electricity may be of.
var customers = []string{"all", "business", "industry"}

// ReadTariffs reads prices of electricity by country.
func ReadTariffs(r io.Reader) ([]Tariff, error) {
	var out []Tariff
	seen := map[string]bool{}
	bad := readTable(r, func(rec *record) {
		t := Tariff{Places: strings.Fields(rec.text("places")), Customers: rec.text("customers"),
			Period: rec.text("period"), Title: rec.text("title"), Source: rec.text("source")}
		t.PerKWh = catalog.MoneyOf(rec.number("amount"), rec.text("currency"))
		if len(t.Places) == 0 || t.PerKWh.Micros <= 0 || len(t.PerKWh.Currency) != 3 || t.Period == "" ||
			t.Title == "" ||
			t.Source == "" || rec.text("read") == "" {
			rec.problem("", "places, amount, currency, period, title, source and read are needed")
			return
		}
		if !slices.Contains(customers, t.Customers) {
			rec.problem("customers", "%q is none of %s", clip(t.Customers), strings.Join(customers, ", "))
			return
		}
		for _, p := range t.Places {
			if seen[p] || len(p) != 2 || p != strings.ToUpper(p) {
				rec.problem("places", "%q is no code of a country, or stands twice", clip(p))
				return
			}
			seen[p] = true
		}
		out = append(out, t)
	})
	if len(bad) > 0 {
		return nil, fmt.Errorf("prices of electricity: %w", bad[0])
	}
	return out, nil
}

// homes are where people are who count in a currency and do not say where: without electricity a card of ten years ago
// would be the cheapest way to do anything.
var homes = map[string]string{"USD": "US", "CNY": "CN", "EUR": "DE"}

// PowerPlace is the country whose electricity bought cards are taken to draw: that of the destination, or else that of
// the currency.
func (r *Request) PowerPlace() string { return cmp.Or(r.Destination, homes[r.Costs.Currency]) }

// Tariff is what a kWh costs in the currency of a request, and, where nobody gave it, whose average at
// [Request.PowerPlace] that is. 0 where it is not known, and where somebody gave 0: electricity is then left out.
func (a *Estimator) Tariff(r *Request) (perKWh float64, of *Tariff) {
	place := r.PowerPlace()
	if r.Costs.Tariff > 0 || slices.Contains(r.Given, "tariff") || place == "" {
		return r.Costs.Tariff, nil
	}
	for i := range a.tariffs {
		t := &a.tariffs[i]
		if !slices.Contains(t.Places, place) {
			continue
		}
		if in, _, ok := a.catalogue.Exchange(t.PerKWh, r.Costs.Currency, r.Today); ok {
			return in.Amount(), t
		}
	}
	return 0, nil
}
