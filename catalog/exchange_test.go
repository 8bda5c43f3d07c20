package catalog_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tianti/catalog"
)

// rated is a snapshot with rates of some days; the figures are made up.
func rated(rates ...catalog.ExchangeRate) *catalog.Snapshot {
	for i := range rates {
		rates[i].Source = "bank"
	}
	return catalog.NewSnapshot(1, catalog.Dataset{ID: "builtin", Rank: 1, Rates: rates,
		Sources: []catalog.Source{{ID: "bank", Publisher: "Bank", Kind: "documentation"}}})
}

func rate(date, base, quote, r string) catalog.ExchangeRate {
	return catalog.ExchangeRate{Date: catalog.Date(date), Base: base, Quote: quote, Rate: r}
}

var someRates = []catalog.ExchangeRate{
	rate("2026-01-15", "USD", "CNY", "7.2"), rate("2026-01-15", "USD", "EUR", "0.9"),
	rate("2026-01-15", "USD", "GBP", "0.8"), rate("2026-01-15", "USD", "JPY", "150.25"),
	rate("2026-03-15", "USD", "CNY", "7.0"), rate("2026-03-15", "USD", "EUR", "0.8531"),
}

func TestAnAmountIsConvertedAtTheRateOfItsDay(t *testing.T) {
	s := rated(someRates...)
	for _, c := range []struct {
		amount, from, to, on string
		want                 string // "" when there is no rate
		day                  catalog.Date
	}{
		{"100", "USD", "CNY", "2026-01-15", "720 CNY", "2026-01-15"},
		{"100", "USD", "CNY", "2026-02-01", "720 CNY", "2026-01-15"},
		{"100", "USD", "CNY", "2026-02-20", "700 CNY", "2026-03-15"},
		{"720", "CNY", "USD", "2026-01-15", "100 USD", "2026-01-15"},
		{"72", "CNY", "EUR", "2026-01", "9 EUR", "2026-01-15"},       // by way of the base; a month is its middle
		{"100", "USD", "GBP", "2026-03-15", "80 GBP", "2026-01-15"},  // the nearest day that has it
		{"100", "USD", "CNY", "2026-05-16", "700 CNY", "2026-03-15"}, // 62 days
		{"100", "USD", "CNY", "2026-05-17", "", ""},                  // 63 days
		{"100", "USD", "CNY", "2025-11-14", "720 CNY", "2026-01-15"}, // 62 days before
		{"100", "USD", "CNY", "2025-11-13", "", ""},                  // 63 days before
		{"100", "USD", "GBP", "2026-03-19", "", ""},                  // pounds have no rate near
		{"100", "USD", "KRW", "2026-01-15", "", ""},                  // nobody gives it
		{"100", "USD", "CNY", "", "", ""},                            // a price without a date
		{"3.06", "USD", "JPY", "2026-01-15", "459.765 JPY", "2026-01-15"},
	} {
		got, by, ok := s.Exchange(money(t, c.amount, c.from), c.to, catalog.Date(c.on))
		if ok != (c.want != "") || ok && (got.String() != c.want || by == nil || by.Date != c.day ||
			by.Source.ID != "bank") {
			t.Errorf("%s %s on %q: got %v by %+v, %v; want %q by the rate of %s", c.amount, c.from, c.on, got, by,
				ok, c.want, c.day)
		}
	}
	if got, by, ok := s.Exchange(money(t, "5", "KRW"), "KRW", ""); !ok || by != nil || got.String() != "5 KRW" {
		t.Errorf("an amount in the currency itself: got %v, %v, %v; want it as it is", got, by, ok)
	}
}

func TestOfTwoRatesAsNearTheEarlierIsTaken(t *testing.T) {
	s := rated(rate("2026-01-01", "USD", "CNY", "7"), rate("2026-01-11", "USD", "CNY", "8"))
	if got, _, _ := s.Exchange(money(t, "1", "USD"), "CNY", "2026-01-06"); got.String() != "7 CNY" {
		t.Errorf("got %v, want 7 CNY", got)
	}
}

func TestRatesOfTheHigherDatasetComeFirst(t *testing.T) {
	bank := []catalog.Source{{ID: "bank", Kind: "documentation"}}
	low := catalog.Dataset{ID: "builtin", Rank: 1, Sources: bank,
		Rates: []catalog.ExchangeRate{{Date: "2026-01-01", Base: "USD", Quote: "CNY", Rate: "7", Source: "bank"}}}
	high := catalog.Dataset{ID: "local", Rank: 2, Sources: bank,
		Rates: []catalog.ExchangeRate{{Date: "2026-01-01", Base: "USD", Quote: "CNY", Rate: "8", Source: "bank"}}}
	// another base changes nothing
	low.Rates = append(low.Rates, catalog.ExchangeRate{Date: "2026-01-01", Base: "CNY", Quote: "USD", Rate: "0.1",
		Source: "bank"})
	for _, s := range []*catalog.Snapshot{catalog.NewSnapshot(1, low, high), catalog.NewSnapshot(1, high, low)} {
		for _, day := range []catalog.Date{"2025-12-30", "2026-01-01", "2026-01-05"} {
			if got, _, _ := s.Exchange(money(t, "1", "USD"), "CNY", day); got.String() != "8 CNY" {
				t.Errorf("on %s: got %v, want 8 CNY", day, got)
			}
		}
	}
}

func TestAConversionIsByRatesOfOneSource(t *testing.T) {
	sources := []catalog.Source{{ID: "bank", Kind: "documentation"}, {ID: "paper", Kind: "press"}}
	of := func(source string, x catalog.ExchangeRate) catalog.ExchangeRate { x.Source = source; return x }
	s := catalog.NewSnapshot(1, catalog.Dataset{ID: "d", Sources: sources, Rates: []catalog.ExchangeRate{
		of("bank", rate("2026-01-01", "USD", "CNY", "7")), of("paper", rate("2026-01-01", "USD", "EUR", "0.9")),
		of("paper", rate("2026-01-02", "USD", "CNY", "7.5")),
	}})
	if got, by, ok := s.Exchange(money(t, "10", "USD"), "EUR", "2026-01-01"); !ok || got.String() != "9 EUR" ||
		by.Source.ID != "paper" {
		t.Errorf("got %v by %+v, want 9 EUR by the paper’s rate", got, by)
	}
	if got, by, ok := s.Exchange(money(t, "7", "CNY"), "EUR", "2026-01-01"); ok {
		t.Errorf("got %v by %+v, want no conversion by the rates of two", got, by)
	}
}

func TestAConversionThatNoAmountHoldsIsNone(t *testing.T) {
	s := rated(rate("2026-01-01", "USD", "VND", "99999999999999"))
	if got, _, ok := s.Exchange(money(t, "1000000000", "USD"), "VND", "2026-01-01"); ok {
		t.Errorf("got %v, want none", got)
	}
}

// TestConversionRoundTrips converts there and back; the difference is less than the
// smallest coin.
func TestConversionRoundTrips(t *testing.T) {
	s := rated(someRates...)
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		from, to := pick(r, catalog.Currencies), pick(r, catalog.Currencies)
		m := catalog.Money{Micros: 1 + r.Int64N(pick(r, []int64{100, 1e6, 1e9, 1e12, 1e15})), Currency: from}
		there, _, ok := s.Exchange(m, to, "2026-01-20")
		back, _, ok2 := s.Exchange(there, from, "2026-01-20")
		minor := int64(math.Pow10(6 - catalog.MinorDigits(from)))
		if !ok || !ok2 || back.Currency != from || abs(back.Micros-m.Micros) > minor {
			t.Fatalf("%v → %v → %v: more than a minor unit off", m, there, back)
		}
	}
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func TestRatesThatAreNoneAreRefused(t *testing.T) {
	sources := map[string]*catalog.Source{"bank": {ID: "bank"}}
	for name, change := range map[string]func(*catalog.ExchangeRate){
		"a month":           func(x *catalog.ExchangeRate) { x.Date = "2026-01" },
		"no such day":       func(x *catalog.ExchangeRate) { x.Date = "2026-02-30" },
		"unknown base":      func(x *catalog.ExchangeRate) { x.Base = "XXY" },
		"the same twice":    func(x *catalog.ExchangeRate) { x.Quote = "USD" },
		"zero":              func(x *catalog.ExchangeRate) { x.Rate = "0" },
		"negative":          func(x *catalog.ExchangeRate) { x.Rate = "-7" },
		"an exponent":       func(x *catalog.ExchangeRate) { x.Rate = "7e2" },
		"a fraction":        func(x *catalog.ExchangeRate) { x.Rate = "7/2" },
		"nothing":           func(x *catalog.ExchangeRate) { x.Rate = "" },
		"a point":           func(x *catalog.ExchangeRate) { x.Rate = "." },
		"an unknown source": func(x *catalog.ExchangeRate) { x.Source = "nobody" },
	} {
		x := rate("2026-01-15", "USD", "CNY", "7.2")
		x.Source = "bank"
		if err := x.Validate(sources); err != nil {
			t.Fatal(err)
		}
		if change(&x); x.Validate(sources) == nil {
			t.Errorf("%s: %+v is taken", name, x)
		}
	}
}
