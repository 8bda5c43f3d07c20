package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// priceList is a dataset of one card with prices, each on a line of its own.
func priceList(prices ...Price) Dataset {
	d := sheet("V")
	for i, p := range prices {
		p.Card, p.Source, p.Cards, p.Date, p.Pos = "a", "s", max(1, p.Cards), "2026-06-01", Pos{"p.csv", 2 + i, 1}
		p.Amount.Currency = "USD"
		d.Prices = append(d.Prices, p)
	}
	return d
}

func rented(kind PriceKind, micros int64, term int) Price {
	return Price{Kind: kind, Unit: PerHour, Amount: Money{Micros: micros}, Term: term}
}

func TestCheckFindsPricesThatContradictEachOther(t *testing.T) {
	for name, tt := range map[string]struct {
		data Dataset
		want []string
	}{
		"in order": {priceList(rented(OnDemand, 3e6, 0), rented(Spot, 3e6, 0), rented(Reserved, 2e6, 12),
			rented(Reserved, 1e6, 36)), nil},
		"one of several terms is dearer": {priceList(rented(Reserved, 4e6, 12), rented(Reserved, 2e6, 36),
			rented(OnDemand, 3e6, 0)),
			[]string{"p.csv:2:1: a: reserved: 4 USD is more than 3 USD on demand from the same seller on the same " +
				"day [price-order]"}},
		"an offer twice, another term between": {priceList(rented(Reserved, 2e6, 12), rented(Reserved, 1e6, 36),
			rented(Reserved, 3e6, 12)),
			[]string{"p.csv:4:1: a: reserved: this offer of that day stands twice; first at p.csv:2:1 [price-twice]"}},
		"a shifted point": {priceList(rented(OnDemand, 3000e6, 0)),
			[]string{"p.csv:2:1: a: on_demand: 3000 USD for 1 cards is about 3000 dollars a card; want 0.002 to 600 " +
				"[price-range]"}},
	} {
		if diff := cmp.Diff(tt.want, lines(Check(tt.data))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestCheckFindsRatesThatCannotBe(t *testing.T) {
	d := sheet("V")
	for i, r := range []string{"7.2", "7.3", "72"} {
		x := ExchangeRate{Date: "2026-06-01", Base: "USD", Quote: "CNY", Rate: r, Source: "s",
			Pos: Pos{"r.csv", 2 + i, 1}}
		if i == 2 {
			x.Date = "2026-06-02"
		}
		d.Rates = append(d.Rates, x)
	}
	want := []string{
		"r.csv:3:1: USD/CNY: the rate of that day stands twice; first at r.csv:2:1 [price-twice]",
		"r.csv:4:1: USD/CNY: 72 is far from any rate of the last decades, about 7 [price-range]",
	}
	if diff := cmp.Diff(want, lines(Check(d))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
