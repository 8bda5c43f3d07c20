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
		return catalog.Price{Card: id, Kind: "street", Amount: m, Unit: catalog.PerCard, Cards: 1, Seller: "shop",
			Date: day, Source: "later"}
	}
	return catalog.NewSnapshot(3, catalog.Dataset{ID: "builtin", Rank: 100,
		Sources: []catalog.Source{{ID: "later", Publisher: "P", Title: "T", Kind: "datasheet", Published: "2024-02"}},
		Cards: []catalog.Card{card("old", "2019-03-15"), card("month", "2020-02"), card("year", "2021"),
			card("undated", "")},
		Prices: []catalog.Price{price("old", "2019-06-01", "900"), price("old", "2020-06-01", "700")},
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
		then, err := s.AsOf(t.Context(), c.day)
		if err != nil {
			t.Errorf("%s: %v", c.day, err)
			continue
		}
		var got []string
		for i := range then.Len() {
			got = append(got, then.Card(i).ID)
		}
		if len(got) != len(c.cards) || then.PriceCount() != c.prices || then.Day != c.day || then.Revision != 3 {
			t.Errorf("%s: got %v with %d prices, revision %d of %s; want %v with %d", c.day, got, then.PriceCount(),
				then.Revision, then.Day, c.cards, c.prices)
			continue
		}
		for i := range got {
			if got[i] != c.cards[i] {
				t.Errorf("%s: got %v, want %v", c.day, got, c.cards)
			}
		}
	}
	if _, err := s.AsOf(t.Context(), "2019-03-14"); err == nil || err.Error() != "the catalogue begins on 2019-03-15" {
		t.Errorf("before the first card: got %v, want when the catalogue begins", err)
	}
	row, _ := s.Find("old")
	if got := s.PriceCountOf(row); got != 2 {
		t.Errorf("the catalogue itself has %d prices of the card afterwards, want 2", got)
	}
	now, err := s.AsOf(t.Context(), "2020-01-01")
	if err != nil {
		t.Fatal(err)
	}
	row, _ = now.Find("old")
	if q, ok := now.Quote(row, "street", catalog.Pricing{Currency: "USD", Today: "2020-01-01"}); !ok ||
		q.Date != "2019-06-01" {
		t.Errorf("got %v %v, want the price of the summer before", q, ok)
	}
}

// TestPricesOfAMonthCountFromItsLastDay has an offer with prices of a year, of a month and of a day of that month.
func TestPricesOfAMonthCountFromItsLastDay(t *testing.T) {
	price := func(day catalog.Date) catalog.Price {
		return catalog.Price{Card: "c", Kind: "street", Amount: catalog.Money{Micros: 1e6, Currency: "USD"},
			Unit: catalog.PerCard, Cards: 1,
			Seller: "shop", Date: day, Source: "s"}
	}
	s := catalog.NewSnapshot(1, catalog.Dataset{ID: "d", Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}},
		Cards: []catalog.Card{{ID: "c", Name: "C", Vendor: "V", Kind: "gpu", Segment: "desktop"}},
		Prices: []catalog.Price{price("2023"), price("2023-02-10"), price("2023-02"), price("2024-02-10"),
			price("2024-02")}})
	if got := s.FirstDay(); got != "2023-02-10" {
		t.Errorf("the catalogue begins on %s, want 2023-02-10", got)
	}
	for day, want := range map[catalog.Date]int{"2023-02-10": 1, "2023-02-28": 2, "2023-12-31": 3, "2024-02-10": 4,
		"2024-02-28": 4, "2024-02-29": 5} {
		then, err := s.AsOf(t.Context(), day)
		if err != nil || then.PriceCount() != want {
			t.Errorf("%s: got %d prices, %v, want %d", day, then.PriceCount(), err, want)
		}
	}
}

func TestOffersAreSummedUpInAnyOrder(t *testing.T) {
	var offers []catalog.Offer
	for place, date := range []catalog.Date{"2026-03", "2026-03-15", "2026-03-15", "2025"} {
		offers = append(offers, catalog.OfferOf(&catalog.PlacedPrice{Place: place,
			Price: catalog.Price{Amount: catalog.Money{Micros: int64(place + 1)}, Cards: 1, Date: date}}))
	}
	forward, back := offers[0], offers[3]
	for i := range 3 {
		forward.Add(&offers[i+1])
		back.Add(&offers[2-i])
	}
	if forward != back {
		t.Errorf("got %+v forward and %+v back", forward, back)
	}
	if o := forward; o.Latest.Place != 1 || o.Oldest != "2025" || o.Newest != "2026-03" || o.Count != 4 {
		t.Errorf("got %+v, want the first of the last day", o)
	}
}
