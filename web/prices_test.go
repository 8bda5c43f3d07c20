package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/web"
)

// marketServer serves a few cards with prices on 2026-06-10; all of it is made up.
func marketServer(t testing.TB) *web.Server {
	t.Helper()
	s := web.New(web.Config{Origin: "https://tianti.example", Now: func() time.Time {
		return time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)
	}})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(7, market()))
	return s
}

func market() catalog.Dataset {
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet",
			Published: "2024"},
		{ID: "shop", Publisher: "A shop", Title: "=LIST()", URL: "https://example.com/shop", Kind: "press"},
		{ID: "forum", Publisher: "A forum", Title: "What people pay", URL: "https://example.com/forum",
			Kind: "community"},
		{ID: "bank", Publisher: "A bank", Title: "Rates", URL: "https://example.com/bank", Kind: "documentation"},
	}, Rates: []catalog.ExchangeRate{
		{Date: "2026-06-01", Base: "USD", Quote: "CNY", Rate: "7", Source: "bank"},
		{Date: "2026-06-01", Base: "USD", Quote: "JPY", Rate: "150", Source: "bank"},
		{Date: "2025-01-01", Base: "USD", Quote: "CNY", Rate: "7.3", Source: "bank"},
	}}
	for _, c := range []struct {
		id, name string
		usd      float64
	}{{"acme-x1", "X1", 30_000}, {"acme-x2", "X2", 0}, {"acme-x3", "X3", 0}} {
		card := catalog.Card{ID: c.id, Name: c.name, Vendor: "Acme", Kind: "gpu", Segment: "datacenter",
			Facts: []catalog.Fact{
				{Quantity: "tdp_w", Number: 700, Source: "sheet"}, {Quantity: "memory_gb", Number: 80, Source: "sheet"},
				{Quantity: "launched", Text: "2024-05-01", Source: "sheet"}}}
		if c.usd > 0 {
			card.Facts = append(card.Facts, catalog.Fact{Quantity: "launch_price_usd", Number: c.usd, Source: "sheet"})
		}
		d.Cards = append(d.Cards, card)
	}
	add := func(card string, kind catalog.PriceKind, amount float64, currency string, unit catalog.PriceUnit, cards int,
		seller, region, date, source string) {
		d.Prices = append(d.Prices, catalog.Price{Card: card, Kind: kind, Amount: catalog.MoneyOf(amount, currency),
			Unit: unit, Cards: cards, Seller: seller, Region: region, Date: catalog.Date(date), Source: source})
	}
	add("acme-x1", "street", 24_000, "USD", "card", 1, "Shop A", "US", "2026-06-01", "shop")
	add("acme-x1", "street", 175_000, "CNY", "card", 1, "Shop B", "CN", "2026-06-01", "shop")
	// the cheapest, and too old
	add("acme-x1", "street", 9_000, "USD", "card", 1, "=EVIL()", "US", "2025-01-01", "forum")
	add("acme-x1", "server", 1_400_000, "CNY", "node", 8, "Shop B", "CN", "2026-04-20", "shop")
	add("acme-x1", "on_demand", 98.32, "USD", "hour", 8, "Cloud", "us-east-1", "2026-06-01", "shop")
	add("acme-x1", "on_demand", 120, "USD", "hour", 8, "Cloud", "us-east-1", "2026-01-01", "shop")
	add("acme-x1", "on_demand", 90, "CNY", "hour", 1, "Wolke", "", "2026-06", "forum")
	add("acme-x1", "spot", 3, "USD", "hour", 1, "Cloud", "us-east-1", "2026-05-01", "forum") // too old for a spot price
	add("acme-x1", "monthly", 175_320, "CNY", "month", 8, "Wolke", "CN", "2026-06-01", "shop")
	add("acme-x2", "used", 500, "USD", "card", 1, "Shop A", "US", "2025-01-01", "forum")
	add("acme-x2", "reserved", 1_500, "KRW", "hour", 1, "Cloud", "kr-1", "2026-06-01", "shop") // no rate is known
	d.Prices[len(d.Prices)-1].Term = 12
	return d
}

func TestPricesListCardsThatHaveAny(t *testing.T) {
	s := marketServer(t)
	body := bodyOf(t, get(t, s, "/prices"))
	for _, want := range []string{"acme-x1", "acme-x2", "2 of 2 cards", "Cards with a current price: 1 to rent, 1 " +
		"to buy", "24\u202f000", "≈\u00a012.29", "2026-06-01",
		"no current price", "last: $500, Used, 2025-01-01"} {
		if !strings.Contains(body, want) {
			t.Errorf("/prices lacks %q", want)
		}
	}
	if strings.Contains(body, "acme-x3") {
		t.Error("a card without a price is listed")
	}
	if zh := bodyOf(t, get(t, s, "/zh/prices")); !strings.Contains(zh, "168\u202f000") ||
		!strings.Contains(zh, "暂无现价") {
		t.Error("the Chinese page does not reckon in yuan")
	}
}

func TestPricesAreFilteredAndSorted(t *testing.T) {
	s := marketServer(t)
	type answer struct {
		Total int
		Items []struct {
			ID     string
			Prices map[string]struct {
				CurrentOffers int  `json:"current_offers"`
				FewOffers     bool `json:"few_offers"`
				Best          *struct{ Amount, Freshness string }
				Min, Median   *struct{ Amount string }
			}
		}
	}
	ask := func(query string) (a answer) {
		t.Helper()
		r := get(t, s, "/prices.json"+query)
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: %d %v", query, r.StatusCode, err)
		}
		return a
	}
	for query, want := range map[string][]string{
		"": {"acme-x1", "acme-x2"}, "?kind=used": {"acme-x2"}, "?kind=street,used&sort=name": {"acme-x1", "acme-x2"},
		"?seller=wolke": {"acme-x1"}, "?region=kr-1": {"acme-x2"},
		"?kind=street&region=KR-1": {}, "?q=x2": {"acme-x2"}, "?memory_gb=..40": {},
		"?sort=-name": {"acme-x2", "acme-x1"}, "?sort=used": {"acme-x2", "acme-x1"},
		"?sort=-street":             {"acme-x1", "acme-x2"},
		"?sort=name&limit=1&page=2": {"acme-x2"}, "?sort=used&limit=1&page=2": {"acme-x1"},
		"?sort=rent": {"acme-x1", "acme-x2"}, "?sort=-buy": {"acme-x1", "acme-x2"},
	} {
		got := []string{}
		for _, c := range ask(query).Items {
			got = append(got, c.ID)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
	street := ask("").Items[0].Prices["street"]
	if street.CurrentOffers != 2 || !street.FewOffers || street.Best.Amount != "24000" ||
		street.Median.Amount != "24500" || street.Min.Amount != "24000" {
		t.Errorf("street: got %+v", street)
	}
	if spot := ask("").Items[0].Prices["spot"]; spot.CurrentOffers != 0 || spot.Best != nil || spot.Min != nil {
		t.Errorf("a spot price of 40 days is called current: %+v", spot)
	}
	if only := ask("?seller=Shop%20B").Items[0].Prices; only["street"].Min.Amount != "25000" || len(only) != 2 {
		t.Errorf("with one seller: got %+v", only)
	}
}

func TestStalePricesAreNeverCalledBest(t *testing.T) {
	s := marketServer(t)
	body := bodyOf(t, get(t, s, "/prices/acme-x2"))
	if !strings.Contains(body, "too old to count") || !strings.Contains(body, "last seen 2025-01-01") ||
		strings.Contains(body, "the only current offer ·") {
		t.Error("the page does not say that the used price is too old")
	}
	tiles := regexp.MustCompile(`(?s)<dl class="tiles.*?</dl>`).FindString(bodyOf(t, get(t, s, "/prices/acme-x1")))
	if strings.Contains(tiles, "9\u202f000") || !strings.Contains(tiles, "$24\u202f000") {
		t.Errorf("the cheapest price is too old and still the headline: %s", tiles)
	}
}

// TestOffersAreARowEach looks at the order, the node and what is too old to be offered.
func TestOffersAreARowEach(t *testing.T) {
	s := marketServer(t)
	rows := func(query string) (out []string) {
		t.Helper()
		r := get(t, s, "/prices/acme-x1"+query)
		body := bodyOf(t, r)
		section := regexp.MustCompile(`(?s)<section id="current">.*?</section>`).FindString(body)
		if r.StatusCode != 200 || section == "" {
			t.Fatalf("%s: %d", query, r.StatusCode)
		}
		for _, m := range regexp.MustCompile(`<b>([^<]*)</b>`).FindAllStringSubmatch(section, -1) {
			out = append(out, m[1])
		}
		return out
	}
	for query, want := range map[string]string{
		"":             "[≈\u00a04.29 ≈\u00a012.29 ≈\u00a012.86 24\u202f000 ≈\u00a025\u202f000 ≈\u00a025\u202f000]",
		"?sort=-price": "[≈\u00a012.86 ≈\u00a012.29 ≈\u00a04.29 ≈\u00a025\u202f000 ≈\u00a025\u202f000 24\u202f000]",
		"?cards=8":     "[≈\u00a04.29 ≈\u00a012.29 ≈\u00a025\u202f000]",
		"?cards=4":     "[]",
	} {
		if got := fmt.Sprint(rows(query)); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	for query, says := range map[string]string{"?sort=colour": "seller", "?cards=0": "1 … 1024",
		"?history=some": "all"} {
		if r := get(t, s, "/prices/acme-x1"+query); r.StatusCode != 400 || !strings.Contains(bodyOf(t, r), says) {
			t.Errorf("%s: got %d, want 400 that says %q", query, r.StatusCode, says)
		}
	}
}

func TestPricesOfACardAnswerInAllFormats(t *testing.T) {
	s := marketServer(t)
	for _, prefix := range []string{"", "/zh"} {
		for suffix, want := range map[string]string{"": "text/html; charset=utf-8", ".json": "application/json",
			".csv": "text/csv; charset=utf-8; header=present", ".md": "text/markdown; charset=utf-8",
			".svg": "image/svg+xml", ".png": "image/png"} {
			for _, path := range []string{"/prices/acme-x1", "/prices"} {
				if path == "/prices" && (suffix == ".svg" || suffix == ".png") {
					continue
				}
				r := get(t, s, prefix+path+suffix)
				first := bodyOf(t, r)
				if got := r.Header.Get("Content-Type"); r.StatusCode != 200 || got != want {
					t.Errorf("%s%s%s: got %d %s, want %s", prefix, path, suffix, r.StatusCode, got, want)
				}
				if again := bodyOf(t, get(t, marketServer(t), prefix+path+suffix)); again != first {
					t.Errorf("%s%s%s: the same data give other bytes", prefix, path, suffix)
				}
			}
		}
	}
	for _, path := range []string{"/prices.svg", "/prices/acme-x3.svg", "/prices/acme-x3.png", "/prices/acme-x1.xml",
		"/prices/nope", "/prices/acme-x1/more"} {
		if r := get(t, s, path); r.StatusCode != 404 {
			t.Errorf("%s: got %d, want 404", path, r.StatusCode)
		}
	}
}

func TestTheCSVOfACardHoldsEveryObservationExactly(t *testing.T) {
	s := marketServer(t)
	rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, "/prices/acme-x1.csv?currency=CNY")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	found := map[string][]string{}
	for _, row := range rows[1:] {
		found[row[at["kind"]]+" "+row[at["amount"]]] = row
	}
	if len(rows) != 11 {
		t.Errorf("got %d lines, want 10 observations and a head", len(rows))
	}
	for key, want := range map[string]map[string]string{
		"launch 30000": {"date": "2024-05-01", "currency": "USD", "per_card_cny": "", "freshness": "historic"},
		"street 24000": {"per_card_cny": "168000", "rate_cny_for_1": "7", "rate_date": "2026-06-01",
			"rate_source": "https://example.com/bank", "freshness": "fresh", "source_url": "https://example.com/shop",
			"source_title": "'=LIST()"},
		"street 9000": {"seller": "'=EVIL()", "freshness": "stale", "per_card_cny": "65700"},
		"server 1400000": {"cards": "8", "unit": "node", "per_card_amount": "175000",
			"derived": "1400000 CNY / 8 cards", "rate_cny_for_1": "", "freshness": "ageing"},
		"on_demand 98.32": {"per_card_amount": "12.29", "per_card_unit": "card_hour", "per_card_cny": "86.03",
			"derived": "98.32 USD / 8 cards"},
		"monthly 175320": {"per_card_amount": "30", "derived": "175320 CNY / 8 cards / 730.5 h"},
		"on_demand 90":   {"date": "2026-06", "per_card_cny": "90"},
	} {
		row := found[key]
		if row == nil {
			t.Errorf("there is no line of %s", key)
			continue
		}
		for column, value := range want {
			if row[at[column]] != value {
				t.Errorf("%s: %s is %q, want %q", key, column, row[at[column]], value)
			}
		}
	}
}

func TestObservationsOfTheAPI(t *testing.T) {
	s := marketServer(t)
	type list struct {
		Total int
		Next  *string
		Items []struct {
			Card, Kind, Amount, Seller, Freshness string
			Converted                             *struct {
				Amount, Currency, Source string
				Rate                     float64
			}
			PerCard struct{ Amount, Derived, Unit string } `json:"per_card"`
		}
		Sources map[string]any
		AsOf    string `json:"as_of"`
	}
	ask := func(path string) (l list) {
		t.Helper()
		r := get(t, s, path)
		if err := json.NewDecoder(r.Body).Decode(&l); err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: %d %v", path, r.StatusCode, err)
		}
		if (l.Next == nil) != (r.Header.Get("Link") == "") {
			t.Errorf("%s: next is %v, the header is %q", path, l.Next, r.Header.Get("Link"))
		}
		return l
	}
	for path, want := range map[string]int{"/api/v1/prices": 12, "/api/v1/prices?card=acme-x2": 2,
		"/api/v1/prices?kind=street,used": 4, "/api/v1/prices?region=us": 3, "/api/v1/offers": 6,
		"/api/v1/offers?provider=cloud": 4, "/api/v1/offers?card=acme-x1&kind=spot": 1,
		"/api/v1/prices?card=acme-x3": 0, "/api/v1/prices?seller=Cloud&region=kr-1": 1} {
		if got := ask(path); got.Total != want || len(got.Items) != want || got.AsOf != "2026-06-10" {
			t.Errorf("%s: got %d, want %d", path, got.Total, want)
		}
	}
	seen, pages := 0, 0
	for next := "/api/v1/prices?limit=5&currency=JPY"; next != ""; pages++ {
		l := ask(next)
		seen += len(l.Items)
		if next = ""; l.Next != nil {
			next = *l.Next
		}
	}
	if seen != 12 || pages != 3 {
		t.Errorf("by pages of 5: %d in %d pages", seen, pages)
	}
	cloud := ask("/api/v1/offers?card=acme-x1&kind=on_demand&provider=Cloud&currency=CNY").Items[0]
	if cloud.PerCard.Amount != "12.29" || cloud.PerCard.Unit != "hour" ||
		cloud.PerCard.Derived != "98.32 USD / 8 cards" || cloud.Converted.Amount != "86.03" ||
		cloud.Converted.Rate != 7 || cloud.Converted.Source != "bank" {
		t.Errorf("got %+v", cloud)
	}
	if won := ask("/api/v1/offers?region=kr-1").Items[0]; won.Converted != nil {
		t.Errorf("without a rate: converted is %+v", won.Converted)
	}
	var card struct {
		Prices, Offers []struct{ Kind, Source string }
		Sources        map[string]any
	}
	if err := json.NewDecoder(get(t, s, "/api/v1/cards/acme-x1").Body).Decode(&card); err != nil ||
		len(card.Prices) != 5 || len(card.Offers) != 5 || card.Sources["bank"] == nil {
		t.Errorf("card: %d prices, %d offers, sources %v, %v", len(card.Prices), len(card.Offers), card.Sources, err)
	}
}

// TestDaysBoundHistories holds bounded answers against what the whole one has between the days. A month lies
// between them when one of its days may.
func TestDaysBoundHistories(t *testing.T) {
	s := marketServer(t)
	ask := func(path string) (l priceItems) {
		t.Helper()
		r := get(t, s, path)
		if err := json.NewDecoder(r.Body).Decode(&l); err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: %d %v", path, r.StatusCode, err)
		}
		return l
	}
	for _, path := range []string{"/api/v1/prices?card=acme-x1", "/api/v1/prices?limit=100",
		"/api/v1/prices?kind=street,on_demand"} {
		daysBound(t, ask, path)
	}
}

type priceItems struct {
	Total int
	Next  *string
	Items []struct{ Date, Amount, Seller string }
}

func daysBound(t *testing.T, ask func(string) priceItems, card string) {
	t.Helper()
	all := ask(card)
	first, last := func(d string) string { return (d + "-01-01")[:10] }, func(d string) string {
		return d + "-31-31"[:10-len(d)]
	}
	kept := 0
	for _, bounds := range [][2]string{{"2026-06-01", ""}, {"", "2026-06-01"}, {"2026-06-05", "2026-06-09"},
		{"2026-06-30", ""},
		{"2026-05-20", "2026-06-02"}, {"2027-01-01", ""}, {"", "2020-01-01"}} {
		path := card
		if bounds[0] != "" {
			path += "&from=" + bounds[0]
		}
		if bounds[1] != "" {
			path += "&to=" + bounds[1]
		}
		var want []struct{ Date, Amount, Seller string }
		for _, p := range all.Items {
			if (bounds[0] == "" || last(p.Date) >= bounds[0]) && (bounds[1] == "" || first(p.Date) <= bounds[1]) {
				want = append(want, p)
			}
		}
		kept += len(want)
		if got := ask(path); got.Total != len(want) || !slices.Equal(got.Items, want) {
			t.Errorf("%s: got %d %+v, want %+v", path, got.Total, got.Items, want)
		}
		var paged []struct{ Date, Amount, Seller string }
		for next := strings.Replace(path, "limit=100", "", 1) + "&limit=1"; next != ""; {
			l := ask(next)
			if l.Total != len(want) || len(l.Items) > 1 {
				t.Errorf("%s: %d of %d, want one of %d", next, len(l.Items), l.Total, len(want))
			}
			paged = append(paged, l.Items...)
			if next = ""; l.Next != nil {
				next = *l.Next
			}
		}
		if !slices.Equal(paged, want) {
			t.Errorf("%s, one by one: got %+v, want %+v", path, paged, want)
		}
	}
	if kept == 0 || kept == 7*len(all.Items) {
		t.Errorf("of %d prices %d are kept: the days bound nothing", len(all.Items), kept)
	}
}

func TestBadQuestionsOfPricesAreRefusedByName(t *testing.T) {
	s := marketServer(t)
	for target, says := range map[string]string{
		"/api/v1/prices?currency=KRW": "USD, CNY", "/api/v1/prices?kind=gift": "launch, street",
		"/api/v1/offers?kind=street": "on_demand", "/api/v1/prices?region=us-east-2": "us-east-1",
		"/api/v1/prices?seller=Clout": "Cloud", "/api/v1/offers?sellr=Cloud": "seller",
		"/api/v1/prices?provider=Cloud": "provider", "/api/v1/prices?limit=0": "limit",
		"/api/v1/prices?cursor=zzz":    "cursor",
		"/api/v1/prices.jsonl?limit=5": "limit", "/api/v1/prices.csv?from=2026-02-30": "from",
		"/api/v1/prices?card=acme-x1&to=2026-06": "to", "/api/v1/prices?card=acme-x1&from=2026-02-30": "from",
		"/api/v1/prices?card=acme-x1&from=2026-06-02&to=2026-06-01": "from", "/prices.json?from=2026-06-01": "from",
		"/api/v1/prices?kind=street&kind=used": "kind", "/prices.json?cursor=acme-x1": "cursor",
		"/prices.csv?sort=nope": "sort", "/prices.md?fields=name": "fields", "/prices.json?kind=gift": "gift",
		"/prices/acme-x1.json?buy=spot": "launch, street", "/prices/acme-x1.json?rent=used": "on_demand",
		"/prices/acme-x1.json?pue=0.5": "1 … 3", "/prices/acme-x1.json?years=ten": "years",
		"/prices/acme-x1.json?residual=1": "0.99", "/prices/acme-x1.json?utilisation=NaN": "utilisation",
		"/prices/acme-x1.json?host=-1": "host", "/prices/acme-x1.json?kind=street": "kind",
	} {
		r := get(t, s, target)
		if body := bodyOf(t, r); r.StatusCode != 400 || !strings.Contains(body, says) ||
			r.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: got %d %.200s, want 400 with %q", target, r.StatusCode, body, says)
		}
	}
	for target, status := range map[string]int{"/prices?kind=gift": 400, "/zh/prices?currency=KRW": 400,
		"/prices?region=mars": 400, "/prices/acme-x1?currency=x": 400, "/prices/acme-x9": 404,
		"/api/v1/prices?card=acme-x9": 404} {
		r := get(t, s, target)
		if body := bodyOf(t, r); r.StatusCode != status || !strings.HasPrefix(target, "/api") &&
			strings.Count(body, "<h1") != 1 {
			t.Errorf("%s: got %d, want %d with a page", target, r.StatusCode, status)
		}
	}
}

// TestRentOrBuyIsArithmetic checks the answer by hand.
func TestRentOrBuyIsArithmetic(t *testing.T) {
	s := marketServer(t)
	type answer struct {
		RentOrBuy *struct {
			BuyKind  string   `json:"buy_kind"`
			RentKind string   `json:"rent_kind"`
			WriteOff float64  `json:"write_off"`
			Life     float64  `json:"life_hours"`
			Power    float64  `json:"electricity_per_hour"`
			Hours    *float64 `json:"break_even_hours"`
			Months   *float64 `json:"break_even_months"`
			Current  bool
		} `json:"rent_or_buy"`
	}
	ask := func(query string) (a answer) {
		t.Helper()
		r := get(t, s, "/prices/"+query)
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: %d %v", query, r.StatusCode, err)
		}
		return a
	}
	near := func(a *float64, b float64) bool { return a != nil && math.Abs(*a-b) < 1e-6*b }
	a := ask("acme-x1.json?rent_price=5.7&tariff=0.5&pue=2&years=2&residual=0.25&utilisation=0.5").RentOrBuy
	if a.BuyKind != "street" || a.RentKind != "own" || a.WriteOff != 18_000 || a.Life != 8766 ||
		math.Abs(a.Power-0.7) > 1e-12 || !near(a.Hours, 3600) || !near(a.Months, 3600/365.25) || !a.Current {
		t.Errorf("got %+v", a)
	}
	// Eight cards for CNY 150,000 a month, of a server of 1.2 million.
	a = ask("acme-x1.json?currency=CNY&utilisation=1&buy_price=150000&rent_price=" +
		url.QueryEscape(fmt.Sprint(math.Round(150_000/8/730.5*1e9)/1e9))).RentOrBuy
	if !near(a.Months, 8) {
		t.Errorf("a month of 150,000 for 1.2 million: got %v months, want 8", *a.Months)
	}
	if a = ask("acme-x1.json?rent_price=0.01").RentOrBuy; a.Hours != nil {
		t.Errorf("cheap rent: got a break-even at %v hours", *a.Hours)
	}
	if a = ask("acme-x1.json?rent=spot").RentOrBuy; a.Current || a.RentKind != "spot" {
		t.Errorf("an old spot price: got %+v", a)
	}
	if a = ask("acme-x2.json").RentOrBuy; a != nil {
		t.Errorf("without a rent that can be reckoned: got %+v", a)
	}
	page := bodyOf(t, get(t, s, "/prices/acme-x2"))
	if !strings.Contains(page, "No price to rent is known") || !strings.Contains(page, `name="rent_price"`) {
		t.Error("the page does not ask for a rent")
	}
	page = bodyOf(t, get(t, s, "/prices/acme-x1?rent_price=5.7&tariff=0.5&pue=2&years=2&residual=0.25&utilisation=0.5"))
	for _, want := range []string{"From 3\u202f600 hours", "9.86 months", "A ÷ (r − e)", `value="0.25"`,
		`id="tenure-wide-title"`, "break-even"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
