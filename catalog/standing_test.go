package catalog_test

import (
	"testing"

	"tianti/catalog"
)

func TestStandingCountsWhatIsCurrent(t *testing.T) {
	street := func(amount float64, seller, date string) catalog.Price {
		return by(seller, price(catalog.StreetPrice, amount, "USD", date))
	}
	const fresh, old, older = "2026-06-01", "2026-01-20", "2025-12-01"
	for name, c := range map[string]struct {
		prices             []catalog.Price
		current            int
		few, priced        bool
		best, median, last string
	}{
		"nothing": {},
		"one": {prices: []catalog.Price{street(5, "a", fresh)}, current: 1, few: true, priced: true,
			best: "5 USD", median: "5 USD", last: "5 USD"},
		"an even number": {prices: []catalog.Price{street(5, "a", fresh), street(9, "b", fresh), street(1, "c", older)},
			current: 2, few: true, priced: true, best: "5 USD", median: "7 USD", last: "5 USD"},
		"an odd number": {prices: []catalog.Price{street(5, "a", fresh), street(9, "b", fresh), street(6, "c", fresh)},
			current: 3, priced: true, best: "5 USD", median: "6 USD", last: "5 USD"},
		"all too old": {prices: []catalog.Price{street(5, "a", older), street(9, "b", old)}, priced: true,
			last: "9 USD"},
		"no rate": {prices: []catalog.Price{price(catalog.StreetPrice, 5, "KRW", fresh)}},
	} {
		snap := priced(c.prices...)
		s := snap.Stand(0, catalog.StreetPrice, inJune, nil)
		if in, ok := snap.Cheapest(0, catalog.StreetPrice, inJune, nil); ok != (s.Current > 0) || ok &&
			in != s.Best.In {
			t.Errorf("%s: the cheapest is %v, %v; want %v", name, in, ok, s.Best.In)
		}
		if s.Current != c.current || s.Few() != c.few || s.Priced != c.priced {
			t.Errorf("%s: %d current, few %v, priced %v", name, s.Current, s.Few(), s.Priced)
		}
		if c.current > 0 && (s.Best.In.String() != c.best || s.Median.String() != c.median ||
			s.Shown().In != s.Best.In) {
			t.Errorf("%s: best %v, median %v; want %s, %s", name, s.Best.In, s.Median, c.best, c.median)
		}
		if c.current == 0 && c.priced && (s.Best.PriceInfo.Price != nil || s.Shown().In.String() != c.last) {
			t.Errorf("%s: best %v, shown %v; want none and %s", name, s.Best.In, s.Shown().In, c.last)
		}
		if c.priced && s.Last.In.String() != c.last {
			t.Errorf("%s: last %v, want %s", name, s.Last.In, c.last)
		}
	}
}
