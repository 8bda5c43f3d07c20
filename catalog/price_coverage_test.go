package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

func TestPricesOfAYearAreCounted(t *testing.T) {
	card := func(id, standing string) catalog.Card {
		c := catalog.Card{ID: id, Segment: "desktop"}
		if id == "rent" {
			c.Segment = "cloud"
		}
		if standing != "" {
			c.Facts = []catalog.Fact{{Quantity: "standing", Text: standing}}
		}
		return c
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
		},
		Prices: []catalog.Price{
			{
				Card: "launch",
				Kind: catalog.LaunchPrice,
				Date: "2026-01-05",
			}, {Card: "old", Kind: catalog.UsedPrice, Date: "2025-12"},
			{
				Card: "new",
				Kind: catalog.StreetPrice,
				Date: "2026-10",
			}, {Card: "rent", Kind: catalog.Spot, Date: "2026-10-04"},
		},
	}
	want := catalog.PriceCoverage{Year: 2026, Sold: 4, Priced: 2, Lack: []string{"launch", "old"},
		Segments: []catalog.SegmentCoverage{{Segment: "cloud", Sold: 1, Priced: 1}, {Segment: "desktop", Sold: 3, Priced: 1}}}
	got := catalog.PricesOfYear(&d, 2026)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.Share() != 0.5 {
		t.Errorf("the share is %v, want a half", got.Share())
	}
}
