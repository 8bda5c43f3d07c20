package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

func TestPricesOfAYearAreCounted(t *testing.T) {
	card := func(id, standing string) catalog.Card {
		c := catalog.Card{ID: id, Segment: "desktop"}
		switch id {
		case "rent":
			c.Segment = "cloud"
		case "module":
			c.Segment = "datacenter"
		}
		if standing != "" {
			c.Facts = []catalog.Fact{{Quantity: "standing", Text: standing, Source: "shop"}}
		}
		if id == "old" {
			c.Facts = append(c.Facts, catalog.Fact{Quantity: "launched", Text: "2018-10-31", Source: "shop"})
		}
		return c
	}
	price := func(card string, kind catalog.PriceKind, day catalog.Date) catalog.Price {
		unit := catalog.PerCard
		if kind == catalog.Spot {
			unit = catalog.PerHour
		}
		return catalog.Price{Card: card, Kind: kind, Amount: catalog.Money{Currency: "USD"}, Unit: unit,
			Cards: 1, Date: day,
			Source: "shop"}
	}
	d := catalog.Dataset{
		Cards: []catalog.Card{
			card("launch", ""),
			card("old", ""),
			card("new", ""),
			card("soon", "announced"),
			card("own", "internal"),
			card("car", "built-in"),
			card("rent", "sold"),
			card("module", "sold"),
		},
		Prices: []catalog.Price{
			price("launch", catalog.LaunchPrice, "2026-01-05"), price("old", catalog.UsedPrice, "2025-12"),
			price("new", catalog.StreetPrice, "2026-10"), price("rent", catalog.Spot, "2026-10-04"),
		},
		Sources: []catalog.Source{{ID: "shop", Kind: "community"}},
	}
	want := catalog.PriceCoverage{Year: 2026, Sold: 5, Priced: 2, Lack: []string{"launch", "module", "old"},
		Singly: 3, SinglyPriced: 2, Segments: []catalog.SegmentCoverage{
			{Segment: "cloud", Sold: 1, Priced: 1}, {Segment: "datacenter", Sold: 1},
			{Segment: "desktop", Sold: 3, Priced: 1},
		}}
	got := catalog.PricesOfYear(&d, 2026)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.Share() != 2./5 || got.SinglyShare() != 2./3 {
		t.Errorf("the shares are %v and %v, want 2/5 and 2/3", got.Share(), got.SinglyShare())
	}
	s := catalog.NewSnapshot(1, d)
	if diff := cmp.Diff(want, s.PriceCoverage()); diff != "" {
		t.Errorf("of the newest prices: -want +got:\n%s", diff)
	}
}
