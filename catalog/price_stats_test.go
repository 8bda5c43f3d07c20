package catalog_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

func TestPricesAreTallied(t *testing.T) {
	in := func(region string, p catalog.Price) catalog.Price { p.Region = region; return p }
	on := func(card string, p catalog.Price) catalog.Price { p.Card = card; return p }
	got := priced(
		by("A shop", price(catalog.StreetPrice, 5, "USD", "2026-05")),
		by("A shop", in("CN", price(catalog.StreetPrice, 6, "USD", "2026-06-01"))),
		on("y", by("B shop", price(catalog.StreetPrice, 7, "USD", "2025-01-02"))),
		price(catalog.Spot, 1, "USD", "2026-04-01"),
		by("Acme", price(catalog.LaunchPrice, 9, "USD", "2024")),
	).PriceStats()
	want := &catalog.PriceStats{
		Kinds: []catalog.PriceStat{
			{Name: "launch", Observations: 1, Cards: 1, Sellers: 1, Oldest: "2024", Newest: "2024"},
			{Name: "street", Observations: 3, Cards: 2, Sellers: 2, Oldest: "2025-01-02", Newest: "2026-06-01"},
			{Name: "spot", Observations: 1, Cards: 1, Sellers: 1, Oldest: "2026-04-01", Newest: "2026-04-01"},
		},
		Sellers: []catalog.PriceStat{
			{Name: "A shop", Observations: 2, Cards: 1, Sellers: 1, Oldest: "2026-05", Newest: "2026-06-01"},
			{Name: "Acme", Observations: 1, Cards: 1, Sellers: 1, Oldest: "2024", Newest: "2024"},
			{Name: "B shop", Observations: 1, Cards: 1, Sellers: 1, Oldest: "2025-01-02", Newest: "2025-01-02"},
		},
		Regions: []catalog.PriceStat{{Name: "CN", Observations: 1, Cards: 1, Sellers: 1, Oldest: "2026-06-01",
			Newest: "2026-06-01"}},
		Traders: []catalog.PriceStat{
			{Observations: 1, Cards: 1, Sellers: 1, Oldest: "2026-04-01", Newest: "2026-04-01"},
			{Name: "A shop", Observations: 2, Cards: 1, Sellers: 1, Oldest: "2026-05", Newest: "2026-06-01"},
			{Name: "B shop", Observations: 1, Cards: 1, Sellers: 1, Oldest: "2025-01-02", Newest: "2025-01-02"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestStandingsAreThoseOfTheOffers draws offers and compares what is said of them with
// the list of them.
func TestStandingsAreThoseOfTheOffers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		s := priced(drawnPrices(r, 60)...)
		for _, kind := range catalog.PriceKinds() {
			offers, st := s.Offers(0, kind, inJune), s.Stand(0, kind, inJune, nil)
			counted := 0
			for _, q := range offers {
				if q.Freshness.Current() && !q.In.IsZero() {
					counted++
				}
				if st.Newest < q.Date || st.Priced && !q.In.IsZero() && st.Last.In.IsZero() {
					t.Errorf("%s: newest %s, last %v, beside %+v", kind, st.Newest, st.Last.In, q.Price)
				}
			}
			if st.Offers != len(offers) || st.Current != counted {
				t.Errorf("%s: %d offers, %d current; want %d, %d", kind, st.Offers, st.Current, len(offers), counted)
			}
			if counted > 0 && (st.Best.Price != offers[0].Price || st.Median.Micros < st.Best.In.Micros &&
				kind != catalog.LaunchPrice) {
				t.Errorf("%s: best %+v, want %+v; median %v", kind, st.Best.Price, offers[0].Price, st.Median)
			}
			if q, ok := s.Quote(0, kind, inJune); ok != (len(offers) > 0 && !offers[0].In.IsZero()) || ok &&
				q.Price != offers[0].Price {
				t.Errorf("%s: quote %+v, %v; want the first offer", kind, q.Price, ok)
			}
		}
	}
}
