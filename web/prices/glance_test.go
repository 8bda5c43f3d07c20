package prices

import (
	"fmt"
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
