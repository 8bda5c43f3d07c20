package prices

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/chart"
)

func past(kind catalog.PriceKind, amount float64, currency, date string) catalog.PriceInfo {
	return catalog.PriceInfo{Price: &catalog.Price{
		Card: "x", Kind: kind, Unit: catalog.PerCard, Cards: 1, Amount: catalog.MoneyOf(amount, currency),
		Date: catalog.Date(date),
	}}
}

func TestGlanceHasFewMarksAndTheLowestPrices(t *testing.T) {
	var all []catalog.PriceInfo
	for i := range 2000 {
		all = append(all, past(catalog.UsedPrice, 1000+float64(i%100), "USD",
			fmt.Sprintf("20%02d-%02d-%02d", 20+i%7, 1+i%12, 1+i%28)))
	}
	all = append(all, past(catalog.StreetPrice, 900, "CNY", "2026-01-01"),
		past(catalog.LaunchPrice, 1599, "USD", "2020-01"))
	d := Glance(locale.Of("en"), "X", all, "2026-11-26")
	if d == nil {
		t.Fatal("got no picture of 2,000 prices")
	}
	svg := string(d.SVG(chart.InPage))
	if n := strings.Count(svg, "<") - strings.Count(svg, "</"); n > 60 {
		t.Errorf("got %d elements, want 60 at most: a page has few to spare", n)
	}
	if !strings.Contains(svg, "USD") || strings.Contains(svg, "CNY") {
		t.Errorf("want prices in USD, of which there are most, and no others: %s", svg)
	}
	if strings.Contains(svg, "no price for") {
		t.Errorf("got a gap although the last price is of this autumn: %s", svg)
	}
}

func TestGlanceTellsHowLongThereWasNoPrice(t *testing.T) {
	all := []catalog.PriceInfo{
		past(catalog.LaunchPrice, 1599, "USD", "2022-09-20"), past(catalog.UsedPrice, 1500, "USD", "2023-03-01"),
		past(catalog.UsedPrice, 1450, "USD", "2024-11-26"),
	}
	for tag, want := range map[string]string{"en": "no price for 24 months", "zh": "已 24 个月无价格"} {
		d := Glance(locale.Of(tag), "X", all, "2026-11-26")
		if d == nil {
			t.Fatal("got no picture")
		}
		if svg := string(d.SVG(chart.InPage)); !strings.Contains(svg, want) {
			t.Errorf("%s: got no %q in %s", tag, want, svg)
		}
	}
}

func TestGlanceNeedsMoreThanLaunchPrices(t *testing.T) {
	launch := past(catalog.LaunchPrice, 1599, "USD", "2022-09-20")
	for _, all := range [][]catalog.PriceInfo{
		nil, {launch, launch, launch}, {launch, past(catalog.UsedPrice, 1500, "USD", "2023-03-01")},
		{launch, launch, past(catalog.UsedPrice, 1500, "USD", "")},
	} {
		if d := Glance(locale.Of("en"), "X", all, "2026-11-26"); d != nil {
			t.Errorf("got a picture of %d prices, want none", len(all))
		}
	}
}

func TestGlanceShowsRentWhereNothingIsSold(t *testing.T) {
	var all []catalog.PriceInfo
	for _, date := range []string{"2026-01-01", "2026-02-01", "2026-03-01"} {
		p := past(catalog.OnDemand, 2, "USD", date)
		p.Price.Unit = catalog.PerHour
		all = append(all, p)
	}
	l := locale.Of("en")
	d := Glance(l, "X", all, "2026-04-01")
	if d == nil || !strings.Contains(string(d.SVG(chart.InPage)), l.T("prices.glance.rent", "USD")) {
		t.Error("got no picture of prices by the hour")
	}
}

func TestGlanceMarksTheLowestPriceOfEachSpan(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := glanceKinds[0]
	for range 200 {
		var all []catalog.PriceInfo
		for range r.IntN(60) {
			date := fmt.Sprintf("20%02d-%02d-%02d", 10+r.IntN(16), 1+r.IntN(12), 1+r.IntN(28))
			date = date[:[]int{4, 7, 10}[r.IntN(3)]]
			all = append(all, past(append(kinds, catalog.OnDemand)[r.IntN(4)], float64(r.IntN(5)),
				[]string{"USD", "CNY"}[r.IntN(2)], date))
		}
		got := glanceLines(all, "USD", kinds)
		span, n := 30, spansOf(all, kinds, 30)
		for n > mostGlance && span <= 5000 {
			span *= 2
			n = spansOf(all, kinds, span)
		}
		marks := 0
		for _, line := range got {
			marks += len(line.points)
			if !slices.IsSortedFunc(line.points, func(a, b glancePoint) int { return a.day - b.day }) {
				t.Errorf("got marks out of order: %v", line.points)
			}
			for _, p := range line.points {
				if first := lowestIn(all, line.kind, p.day/span, span); first != p.place {
					t.Errorf("span of %d days: got price %d at day %d, want %d", span, p.place, p.day, first)
				}
			}
		}
		if marks != n {
			t.Errorf("got %d marks of %d days, want %d", marks, span, n)
		}
	}
}

// lowestIn is the place of the lowest price in US dollars of a kind in a span of days: of several the first.
func lowestIn(all []catalog.PriceInfo, kind catalog.PriceKind, at, span int) int {
	place := -1
	for i, p := range all {
		day, _ := p.Date.DayNumber()
		if p.Kind == kind && p.Amount.Currency == "USD" && !p.Amount.IsZero() && day/span == at &&
			(place < 0 || p.Amount.Micros < all[place].Amount.Micros) {
			place = i
		}
	}
	return place
}

// spansOf is how many spans of so many days have a price in US dollars, of each kind.
func spansOf(all []catalog.PriceInfo, kinds []catalog.PriceKind, span int) int {
	found := map[string]bool{}
	for _, p := range all {
		day, _ := p.Date.DayNumber()
		if slices.Contains(kinds, p.Kind) && p.Amount.Currency == "USD" && !p.Amount.IsZero() {
			found[fmt.Sprint(p.Kind, day/span)] = true
		}
	}
	return len(found)
}
