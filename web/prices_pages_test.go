package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/web"
)

func TestPagesOfPricesAreLightAndSound(t *testing.T) {
	s := builtinServer(t, nil)
	snap := s.Snapshot()
	heaviest, most := 0, 0
	for row := range snap.Len() {
		if n := snap.PriceCountOf(row); n > most {
			heaviest, most = row, n
		}
	}
	for _, path := range []string{"/prices", "/zh/prices", "/prices/" + snap.Card(heaviest).ID,
		"/zh/prices/" + snap.Card(heaviest).ID} {
		r := get(t, s, path, "Accept-Encoding", "gzip")
		if n := len(bodyOf(t, r)); r.StatusCode != 200 || n > 60<<10 {
			t.Errorf("%s: %d, %d bytes compressed, want at most 60 KB", path, r.StatusCode, n)
		}
		body := bodyOf(t, get(t, s, path))
		if strings.Contains(body, " style=") || strings.Contains(body, "<script>") || strings.Contains(body, "%!") {
			t.Errorf("%s: inline style or script, or a broken message", path)
		}
	}
}

func TestPricesAreInTheSitemapAndOnTheCard(t *testing.T) {
	s := marketServer(t)
	body := bodyOf(t, get(t, s, "/sitemap.xml"))
	for path, want := range map[string]bool{"/prices</loc>": true, "/zh/prices/acme-x1<": true,
		"/prices/acme-x3<": false} {
		if strings.Contains(body, path) != want {
			t.Errorf("sitemap: %s is there: %v", path, !want)
		}
	}
	card := bodyOf(t, get(t, s, "/cards/acme-x1"))
	for _, want := range []string{`id="prices"`, "/prices/acme-x1", "$24\u202f000"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card's page lacks %q", want)
		}
	}
	if strings.Contains(bodyOf(t, get(t, s, "/cards/acme-x3")), `id="prices"`) {
		t.Error("a card without prices has a section of them")
	}
	if md := bodyOf(t, get(t, s, "/cards/acme-x1.md")); !strings.Contains(md, "## Prices") {
		t.Error("the card's document has no prices")
	}
}

func TestChartsOfPricesLookAsKept(t *testing.T) {
	s := marketServer(t)
	golden(t, "prices.svg", bodyOf(t, get(t, s, "/prices/acme-x1.svg")))
	golden(t, "prices-zh.svg", bodyOf(t, get(t, s, "/zh/prices/acme-x1.svg")))
	page := bodyOf(t, get(t, s, "/zh/prices/acme-x1?rent_price=40&tariff=0.8"))
	_, section, ok := strings.Cut(page, `<section id="rent-or-buy">`)
	section, _, end := strings.Cut(section, "</section>")
	if !ok || !end {
		t.Fatal("the page has no section on renting or buying")
	}
	golden(t, "rent-or-buy.html", strings.ReplaceAll(section, "<g", "\n<g"))
}

func TestTomorrowThePageIsAnother(t *testing.T) {
	day := time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)
	s := web.New(web.Config{Now: func() time.Time { return day }})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(7, market()))
	before := bodyOf(t, get(t, s, "/prices"))
	if bodyOf(t, get(t, s, "/prices")) != before {
		t.Error("the page changes within the day")
	}
	day = day.AddDate(0, 0, 90)
	after := bodyOf(t, get(t, s, "/prices"))
	if strings.Count(after, "no current price") <= strings.Count(before, "no current price") ||
		!strings.Contains(after, "2026-09-08") {
		t.Error("after 90 days the prices are as current as before")
	}
	if r := get(t, s, "/api/v1/prices?card=acme-x1&kind=street"); r.StatusCode != http.StatusOK ||
		strings.Contains(bodyOf(t, r), `"fresh"`) {
		t.Error("the API calls them fresh")
	}
}

// TestManyPricesAreListedInPart: a page stays small, whatever is imported; files have all.
func TestManyPricesAreListedInPart(t *testing.T) {
	const n = 1500
	d := market()
	d.Prices = nil
	for i := range n {
		d.Prices = append(d.Prices, catalog.Price{Card: "acme-x2", Kind: catalog.OnDemand,
			Amount: catalog.MoneyOf(1+float64(i), "USD"), Unit: catalog.PerHour, Cards: 1,
			Seller: "Cloud", Instance: fmt.Sprintf("i%d", i),
			Date: catalog.Date(fmt.Sprintf("2026-%02d-%02d", 1+i%5, 1+i%28)), Source: "shop"})
	}
	s := web.New(web.Config{Now: func() time.Time { return time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC) }})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(7, d))
	page := bodyOf(t, get(t, s, "/prices/acme-x2?history=all"))
	if rows := strings.Count(page, `<th scope="row" class="when">`); rows != 200 ||
		!strings.Contains(page, "the latest 200 are listed") || !strings.Contains(page, "1\u202f500") {
		t.Errorf("the page lists %d of %d prices", rows, n)
	}
	if !strings.Contains(page, "each seller’s cheapest of each month") || strings.Count(page, "<title>2026-") != 5*2 {
		t.Errorf("the chart has %d marks, want one for each of 5 months, in two sizes",
			strings.Count(page, "<title>2026-"))
	}
	rows, err := csv.NewReader(get(t, s, "/prices/acme-x2.csv").Body).ReadAll()
	if err != nil || len(rows) != 1+n {
		t.Errorf("the CSV has %d rows, %v", len(rows), err)
	}
	for address, want := range map[string]int{"/sources/shop": 100, "/sources/shop?page=15": 100,
		"/sources/shop?page=16": 100, "/sources/shop?q=nobody": 0} {
		source := bodyOf(t, get(t, s, address))
		if got := strings.Count(source, `<td><time datetime=`); got != want || want > 0 &&
			!strings.Contains(source, `href="/sources/shop?page=15"`) {
			t.Errorf("%s lists %d prices, want %d, and a link to part 15", address, got, want)
		}
	}
}

func TestTheEmbeddedHistoryOfPricesIsDrawn(t *testing.T) {
	s := builtinServer(t, nil)
	for _, path := range []string{"/embed/prices/nvidia-h100-sxm5-80gb", "/zh/embed/prices/nvidia-h100-sxm5-80gb"} {
		r := get(t, s, path)
		if body := bodyOf(t, r); r.StatusCode != 200 || !strings.Contains(body, "<svg") {
			t.Errorf("%s: got %d, want a drawing", path, r.StatusCode)
		}
	}
}
