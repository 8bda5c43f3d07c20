package web_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"tianti/catalog"
	"tianti/web"
)

func TestTablesOfPricesSayTheirCurrency(t *testing.T) {
	s := ladderServer(t)
	for target, want := range map[string]string{
		"/cards.csv?fields=buy_price":              "USD",
		"/cards.csv?fields=buy_price&currency=JPY": "JPY",
		"/zh/cards.csv?fields=memory_gb,buy_price": "CNY",
		"/ladders/buy_price.csv":                   "USD",
		"/zh/ladders/buy_price.csv":                "CNY",
		"/cards.csv":                               "",
		"/ladders/fp32_vector_tflops.csv":          "",
	} {
		rows, err := csv.NewReader(strings.NewReader(bodyOf(t, get(t, s, target)))).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %d rows, %v", target, len(rows), err)
		}
		at := slices.Index(rows[0], "currency")
		if got := at >= 0; got != (want != "") {
			t.Errorf("%s: a column of currencies %t in %q, want %t", target, got, rows[0], want != "")
		} else if got && rows[1][at] != want {
			t.Errorf("%s: in %s, want %s", target, rows[1][at], want)
		}
	}
	if document := bodyOf(t, get(t, s, "/zh/cards.md?fields=buy_price")); !strings.Contains(document, "(CNY)") {
		t.Errorf("got %q, want a heading with the currency", document)
	}
}

func TestPricesInAFilterMeanTheSameInTheOtherLanguage(t *testing.T) {
	s := ladderServer(t)
	for target, want := range map[string]string{
		"/cards?buy_price=..500":                      "/zh/cards?buy_price=..500&amp;currency=USD",
		"/ladders/fp32_vector_tflops?buy_price=..500": "/zh/ladders/fp32_vector_tflops?buy_price=..500&amp;currency=USD",
		"/plot?buy_price=..500":                       "/zh/plot?buy_price=..500&amp;currency=USD",
		"/prices/acme-d1?buy_price=500&years=3":       "/zh/prices/acme-d1?currency=USD&amp;buy_price=500&amp;years=3",
		"/prices/acme-d1?years=3":                     "/zh/prices/acme-d1?years=3",
		"/cards/acme-d1?better=tdp_w":                 "/zh/cards/acme-d1?better=tdp_w",
		"/prices?buy_price=..500":                     "/zh/prices?buy_price=..500&amp;currency=USD",
		"/ladders/fp32_vector_tflops?segment=desktop": "/zh/ladders/fp32_vector_tflops?segment=desktop",
	} {
		if !strings.Contains(bodyOf(t, get(t, s, target)), `"`+want+`"`) {
			t.Errorf("%s does not lead to %s", target, want)
		}
	}
}

func TestColumnsOfAPlotHaveNamesOfTheirOwn(t *testing.T) {
	head, _, _ := strings.Cut(bodyOf(t, get(t, ladderServer(t), "/plot.csv")), "\n")
	names := strings.Split(strings.TrimSpace(head), ",")
	slices.Sort(names)
	if n := len(slices.Compact(slices.Clone(names))); n != len(names) {
		t.Errorf("got %q, want each name once", names)
	}
}

func TestMetricsCountTheCardsWithAPrice(t *testing.T) {
	var list struct {
		Items []struct {
			ID    string
			Cards int
		}
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, marketServer(t), "/api/v1/metrics"))), &list); err != nil {
		t.Fatal(err)
	}
	for _, m := range list.Items {
		if m.ID == "buy_price" && m.Cards == 0 {
			t.Error("no card has a price to buy")
		}
	}
}

func TestNoPageKeepsAnotherDaysPrices(t *testing.T) {
	day := time.Date(2026, 6, 10, 12, 0, 0, 0, time.UTC)
	at := func(now *time.Time) *web.Server {
		s := web.New(web.Config{Now: func() time.Time { return *now }})
		t.Cleanup(s.Close)
		s.Swap(catalog.NewSnapshot(7, market()))
		return s
	}
	targets := []string{"/", "/cards", "/cards?fields=buy_price", "/cards.json?sort=buy_price",
		"/cards.csv?fields=buy_price", "/cards.md?buy_price=any", "/zh/cards?rent_price=any",
		"/cards/acme-x1", "/cards/acme-x1.json", "/cards/acme-x1.csv", "/cards/acme-x1.md",
		"/compare?card=acme-x1&card=acme-x2", "/compare.json?card=acme-x1&card=acme-x2",
		"/compare.csv?card=acme-x1&card=acme-x2", "/compare.md?card=acme-x1&card=acme-x2", "/ladders",
		"/ladders/buy_price?buy=street", "/ladders/rent_price.json", "/ladders/rent_price.csv",
		"/ladders/rent_price.md", "/ladders/rent_price.svg", "/ladders/memory_gb?rent_price=any",
		"/plot?x=buy_price&buy=street&y=memory_gb", "/plot.json?x=rent_price&y=memory_gb",
		"/plot.csv?x=rent_price&y=memory_gb", "/plot.svg?x=rent_price&y=memory_gb", "/prices", "/prices.json",
		"/prices.csv", "/prices.md", "/prices/acme-x1", "/prices/acme-x1.json",
		"/prices/acme-x1.csv", "/prices/acme-x1.md", "/prices/acme-x1.svg", "/sources", "/sources/shop", "/data-health",
		"/methodology", "/api", "/api/openapi.json", "/api/v1/cards?fields=rent_price",
		"/api/v1/cards/acme-x1", "/api/v1/compare?card=acme-x1&card=acme-x2", "/api/v1/ladders/rent_price",
		"/api/v1/prices", "/api/v1/offers", "/api/v1/metrics"}
	kept := at(&day)
	for _, target := range targets {
		if r := get(t, kept, target); r.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", target, r.StatusCode)
		}
	}
	day = day.AddDate(0, 0, 60)
	anew := at(&day)
	for _, target := range targets {
		if bodyOf(t, get(t, kept, target)) != bodyOf(t, get(t, anew, target)) {
			t.Errorf("%s is that of 60 days ago", target)
		}
	}
}

// TestRecommendationsAreInTheCurrencyOfLanguageAndPlace asks for amounts that are bare, signed and chosen.
func TestRecommendationsAreInTheCurrencyOfLanguageAndPlace(t *testing.T) {
	s := sizedServer(t)
	const job = "task=qlora&model=7B&cards=1"
	for query, want := range map[string]struct{ currency, other string }{
		"/zh/recommend?" + job + "&budget=20000": {"CNY",
			"/recommend?budget=20000&cards=1&currency=CNY&model=7B&task=qlora"},
		"/zh/recommend?" + job + "&budget=20000&currency=USD": {"USD",
			"/recommend?budget=20000&cards=1&model=7B&task=qlora"},
		"/zh/recommend?" + job + "&budget=$20000": {"USD",
			"/recommend?budget=20000&cards=1&model=7B&task=qlora"},
		"/zh/recommend?" + job: {"CNY",
			"/recommend?cards=1&model=7B&task=qlora"},
		"/zh/recommend?" + job + "&destination=US": {"USD",
			"/recommend?cards=1&destination=US&model=7B&task=qlora"},
		"/recommend?" + job + "&budget=20000": {"USD",
			"/zh/recommend?budget=20000&cards=1&currency=USD&model=7B&task=qlora"},
		"/recommend?" + job + "&budget=2万元": {"CNY",
			"/zh/recommend?budget=20000&cards=1&model=7B&task=qlora"},
		"/recommend?" + job + "&destination=CN": {"CNY",
			"/zh/recommend?cards=1&destination=CN&model=7B&task=qlora"},
		"/recommend?" + job + "&destination=CN&currency=USD": {"USD",
			"/zh/recommend?cards=1&currency=USD&destination=CN&model=7B&task=qlora"},
		"/recommend?" + job + "&destination=CN&budget=3000": {"USD",
			"/zh/recommend?budget=3000&cards=1&currency=USD&destination=CN&model=7B&task=qlora"},
		"/zh/recommend/nvidia-h100-sxm5-80gb?task=qlora&model=7B": {"CNY",
			"/recommend/nvidia-h100-sxm5-80gb?model=7B&task=qlora"},
		"/recommend/nvidia-h100-sxm5-80gb?task=qlora&model=7B": {"USD",
			"/zh/recommend/nvidia-h100-sxm5-80gb?model=7B&task=qlora"},
		"/recommend/nvidia-h100-sxm5-80gb?model=7B&rent_price=¥15": {"CNY",
			"/zh/recommend/nvidia-h100-sxm5-80gb?model=7B&rent_price=15"},
		"/zh/recommend/nvidia-h100-sxm5-80gb?model=7B&rent_price=$15": {"USD",
			"/recommend/nvidia-h100-sxm5-80gb?model=7B&rent_price=15"},
	} {
		root, err := html.Parse(strings.NewReader(bodyOf(t, get(t, s, strings.NewReplacer("万元", url.QueryEscape("万元"),
			"¥", url.QueryEscape("¥")).Replace(query)))))
		if err != nil {
			t.Fatal(err)
		}
		chosen, other := "", ""
		for n := range root.Descendants() {
			attrs := map[string]string{}
			for _, a := range n.Attr {
				attrs[a.Key] = a.Val
			}
			_, selected := attrs["selected"]
			switch {
			case n.Data == "option" && selected && n.Parent.Type == html.ElementNode && isNamed(n.Parent, "currency"):
				chosen = n.FirstChild.Data
			case n.Data == "a" && attrs["hreflang"] != "" && other == "":
				other = attrs["href"]
			}
		}
		if chosen != want.currency || other != want.other {
			t.Errorf("%s: in %q, the other language at %q; want %q and %q", query, chosen, other,
				want.currency, want.other)
		}
	}
	for path, want := range map[string]string{"/zh/recommend.json": "CNY", "/recommend.json": "CNY",
		"/api/v1/recommend": "USD"} {
		query := "?" + job + "&destination=CN"
		if bodyOf(t, get(t, s, path+query)) != bodyOf(t, get(t, s, path+query+"&currency="+want)) {
			t.Errorf("%s without a currency is not in %s", path, want)
		}
	}
}

// isNamed reports whether a field has a name.
func isNamed(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "name" && a.Val == name })
}
