package catalog_test

import (
	"testing"

	"tianti/catalog"
)

// dated is a catalogue with days: its figures are made up.
func dated() *catalog.Snapshot {
	card := func(id, launched string) catalog.Card {
		c := catalog.Card{ID: id, Name: id, Vendor: "Acme", Kind: "gpu", Segment: "desktop",
			Facts: []catalog.Fact{{Quantity: "memory_gb", Number: 24, Source: "later"}}}
		if launched != "" {
			c.Facts = append(c.Facts, catalog.Fact{Quantity: "launched", Text: launched, Source: "later"})
		}
		return c
	}
	price := func(id string, day catalog.Date, amount string) catalog.Price {
		m, err := catalog.ParseMoney(amount, "USD")
		if err != nil {
			panic(err)
		}
		return catalog.Price{Card: id, Kind: "street", Amount: m, Unit: catalog.PerCard, Cards: 1, Seller: "shop", Date: day, Source: "later"}
	}
	return catalog.NewSnapshot(3, catalog.Dataset{ID: "builtin", Rank: 100,
		Sources: []catalog.Source{{ID: "later", Publisher: "P", Title: "T", Kind: "datasheet", Published: "2024-02"}},
		Cards:   []catalog.Card{card("old", "2019-03-15"), card("month", "2020-02"), card("year", "2021"), card("undated", "")},
		Prices:  []catalog.Price{price("old", "2019-06-01", "900"), price("old", "2020-06-01", "700")},
	})
}

func TestACatalogueOfADayHasWhatWasThere(t *testing.T) {
	s := dated()
	for _, c := range []struct {
		day    catalog.Date
		cards  []string
		prices int
	}{
		{"2019-03-15", []string{"old"}, 0},
		{"2020-02-28", []string{"old"}, 1},
		{"2020-02-29", []string{"month", "old"}, 1},
		{"2021-12-30", []string{"month", "old"}, 2},
		{"2021-12-31", []string{"month", "old", "year"}, 2},
		{"2024-02-29", []string{"month", "old", "undated", "year"}, 2},
	} {
		then, err := s.AsOf(c.day)
		if err != nil {
			t.Errorf("%s: %v", c.day, err)
			continue
		}
		var got []string
		for i := range then.Len() {
			got = append(got, then.Card(i).ID)
		}
		if len(got) != len(c.cards) || then.PriceCount() != c.prices || then.Day != c.day || then.Revision != 3 {
			t.Errorf("%s: got %v with %d prices, revision %d of %s; want %v with %d", c.day, got, then.PriceCount(), then.Revision, then.Day, c.cards, c.prices)
			continue
		}
		for i := range got {
			if got[i] != c.cards[i] {
				t.Errorf("%s: got %v, want %v", c.day, got, c.cards)
			}
		}
	}
	if _, err := s.AsOf("2019-03-14"); err == nil || err.Error() != "the catalogue begins on 2019-03-15" {
		t.Errorf("before the first card: got %v, want when the catalogue begins", err)
	}
	row, _ := s.Find("old")
	if got := s.PriceCountOf(row); got != 2 {
		t.Errorf("the catalogue itself has %d prices of the card afterwards, want 2", got)
	}
	now, err := s.AsOf("2020-01-01")
	if err != nil {
		t.Fatal(err)
	}
	row, _ = now.Find("old")
	if q, ok := now.Quote(row, "street", catalog.Pricing{Currency: "USD", Today: "2020-01-01"}); !ok || q.Date != "2019-06-01" {
		t.Errorf("got %v %v, want the price of the summer before", q, ok)
	}
}
