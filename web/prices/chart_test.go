package prices

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/chart"
)

// aHistory has offers that follow each other, gaps, two currencies and more sellers
// than there are looks.
func aHistory(observations int) *catalog.Snapshot {
	d := catalog.Dataset{
		ID:      "builtin",
		Sources: []catalog.Source{{ID: "shop", Kind: "press"}, {ID: "forum", Kind: "community"}},
		Cards: []catalog.Card{
			{ID: "x", Name: "X & <Y>", Vendor: "V", Kind: "gpu", Segment: "desktop", Facts: []catalog.Fact{
				{
					Quantity: "launch_price_usd",
					Number:   1599,
					Source:   "shop",
				}, {Quantity: "launched", Text: "2025-01-10", Source: "shop"}}},
		},
	}
	add := func(kind catalog.PriceKind, unit catalog.PriceUnit, cards int, amount float64, currency, seller, date,
		source string) {
		d.Prices = append(
			d.Prices,
			catalog.Price{
				Card:   "x",
				Kind:   kind,
				Unit:   unit,
				Cards:  cards,
				Amount: catalog.MoneyOf(amount, currency),
				Seller: seller,
				Date:   catalog.Date(date),
				Source: source,
			},
		)
	}
	add(catalog.StreetPrice, catalog.PerCard, 1, 1700, "USD", "Shop", "2025-02-01", "shop")
	add(catalog.StreetPrice, catalog.PerCard, 1, 1500, "USD", "Shop", "2025-03-15", "shop") // within 90 days: a step
	add(catalog.StreetPrice, catalog.PerCard, 1, 1400, "USD", "Shop", "2025-12-01", "shop") // after a gap
	add(catalog.UsedPrice, catalog.PerCard, 1, 9000, "CNY", "Market", "2025-06", "forum")
	for i := range observations {
		add(
			catalog.OnDemand,
			catalog.PerHour,
			1+7*(i%2),
			1+float64(i%17),
			"USD",
			fmt.Sprintf("Cloud %d", i%10),
			fmt.Sprintf("2025-%02d-%02d", 1+i/10%12, 1+i%28),
			[]string{"shop", "forum"}[i%2],
		)
	}
	return catalog.NewSnapshot(1, d)
}

func historyOf(s *catalog.Snapshot, l *locale.Locale, size historySize) *chart.Drawing {
	return priceHistory(l, s.Card(0).Name, s.Latest(0), "2026-01-20", size)
}

func TestEqualHistoriesAreEqualBytes(t *testing.T) {
	for range 5 {
		a, b := historyOf(
			aHistory(200),
			locale.Of("en"),
			wideHistory,
		), historyOf(
			aHistory(200),
			locale.Of("en"),
			wideHistory,
		)
		if !bytes.Equal(a.SVG(chart.InPage), b.SVG(chart.InPage)) {
			t.Fatal("the same data give other bytes")
		}
	}
}

func TestADrawingSaysWhatItShows(t *testing.T) {
	svg := string(historyOf(aHistory(20), locale.Of("en"), fileHistory).SVG(chart.InPage))
	if inPage := string(historyOf(aHistory(20), locale.Of("en"), wideHistory).SVG(chart.InPage)); strings.Contains(
		inPage,
		"To buy, CNY a card",
	) {
		t.Error("a page draws a panel of one point")
	}
	for _, want := range []string{"<title id=", "<desc id=", "X &amp; &lt;Y&gt;", "To buy, USD a card",
		"To buy, CNY a card", "On demand, USD a card and hour", "others", "Launch price"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing lacks %q", want)
		}
	}
	if regexp.MustCompile(`NaN|Inf|style=|<script`).MatchString(svg) {
		t.Error("the drawing has what no drawing may have")
	}
	if d := priceHistory(locale.Of("en"), "x", nil, "2026-01-20", wideHistory); d != nil {
		t.Error("nothing is drawn of no prices")
	}
}

// TestLinesHoldAndEnd draws offers and looks at the corners of their lines: each value
// was stated, lines end when a price holds no longer, and no line lies in the future.
func TestLinesHoldAndEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		const hold, today = 90, 1000
		var offer []pricePoint
		day := 0
		for range 1 + r.IntN(8) {
			day += 1 + r.IntN(200)
			if day <= today {
				offer = append(offer, pricePoint{day: day, value: float64(1 + r.IntN(9))})
			}
		}
		stated := func(day int) float64 { // by the rule: the last observation within the hold
			v := 0.0
			for _, p := range offer {
				if p.day <= day && day <= p.day+hold {
					v = p.value
				}
			}
			return v
		}
		covered := map[int]bool{}
		for _, line := range steps(offer, hold, today) {
			for i := 1; i < len(line); i++ {
				a, b := line[i-1], line[i]
				if a.day != b.day && a.value != b.value {
					t.Fatalf("%v: a slope from %v to %v", offer, a, b)
				}
				for d := a.day; d < b.day; d++ {
					covered[d] = true
					if a.value != stated(d) {
						t.Fatalf("%v: the line is at %v on day %d, want %v", offer, a.value, d, stated(d))
					}
				}
				if b.day > today {
					t.Fatalf("%v: the line reaches day %d", offer, b.day)
				}
			}
		}
		for d := range today {
			for _, p := range offer {
				if p.day <= d && d < p.day+hold && !covered[d] {
					t.Fatalf("%v: nothing is drawn on day %d", offer, d)
				}
			}
			if stated(d) == 0 && covered[d] {
				t.Fatalf("%v: the gap on day %d is filled", offer, d)
			}
		}
	}
}

func TestDatesOfAnAxisAreFewAndInOrder(t *testing.T) {
	for span := 30; span < 8000; span = span*3/2 + 1 {
		for _, most := range []int{4, 12} {
			ticks := dateTicks(20_000-span, 20_000, most)
			if len(ticks) == 0 && span > 62 || len(ticks) > most {
				t.Errorf("%d days: %d ticks, want 1 to %d", span, len(ticks), most)
			}
			for i, tick := range ticks {
				if tick.day < 20_000-span || tick.day > 20_000 || i > 0 && tick.day <= ticks[i-1].day {
					t.Errorf("%d days: %v", span, ticks)
				}
			}
		}
	}
}

func BenchmarkPriceHistory(b *testing.B) {
	s := aHistory(300)
	b.ReportAllocs()
	for b.Loop() {
		historyOf(s, locale.Of("en"), wideHistory).SVG(chart.InPage)
	}
}

func BenchmarkTenureChart(b *testing.B) {
	t := sizing.Tenure{Price: 30_000, Years: 3, Use: 0.6, Power: 700, PUE: 1.4, Tariff: 0.12, Rent: 2.5}
	for b.Loop() {
		tenureDrawing(locale.Of("en"), "USD", t, "", wideTenure).SVG(chart.InPage)
	}
}
