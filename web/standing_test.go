package web_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	"tianti/sizing/sample"
	"tianti/web"
)

// unsoldCards are two cards of which one is announced and cheaper.
func unsoldCards() catalog.Dataset {
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet",
			Published: "2026-01"}}}
	for id, price := range map[string]float64{"acme-now": 1000, "acme-soon": 10} {
		c := catalog.Card{ID: id, Name: strings.ToUpper(id[5:]), Vendor: "Acme", Kind: "gpu", Segment: "datacenter",
			Facts: []catalog.Fact{
				{Quantity: "launched", Text: "2026-01-05", Source: "sheet",
					Note: catalog.Text{En: "sale planned for the summer", Zh: "计划夏季上市"}},
				{Quantity: "fp32_vector_tflops", Number: price * 2, Source: "sheet"},
				{Quantity: "memory_gb", Number: 80, Source: "sheet"},
				{Quantity: "launch_price_usd", Number: price, Source: "sheet"}}}
		if id == "acme-soon" {
			c.Facts = append(c.Facts, catalog.Fact{Quantity: "standing", Text: catalog.Announced, Source: "sheet"})
		}
		d.Cards = append(d.Cards, c)
	}
	return d
}

func unsoldServer(t *testing.T) *web.Server {
	t.Helper()
	s := web.New(web.Config{})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(1, unsoldCards()))
	return s
}

func TestWhatIsNotSoldSaysSoOnEveryPage(t *testing.T) {
	s := unsoldServer(t)
	for path, want := range map[string]string{
		"/cards":                                 "announced 2026-01-05, not shipping",
		"/zh/cards":                              "2026-01-05 发布，尚未出货",
		"/cards?q=soon":                          "announced 2026-01-05, not shipping",
		"/cards/acme-soon":                       "announced 2026-01-05, not shipping",
		"/zh/cards/acme-soon":                    "2026-01-05 发布，尚未出货",
		"/compare?card=acme-now&card=acme-soon":  "announced 2026-01-05, not shipping",
		"/ladders/fp32_vector_tflops":            "announced 2026-01-05, not shipping",
		"/ladders/buy_price":                     "Not shipping, or never offered",
		"/plot?x=memory_gb&y=fp32_vector_tflops": "announced 2026-01-05, not shipping",
		"/prices":                                "announced 2026-01-05, not shipping",
	} {
		if body := bodyOf(t, get(t, s, path)); !strings.Contains(body, want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
	if body := bodyOf(t, get(t, s, "/cards/acme-now")); strings.Contains(body, "not shipping") {
		t.Error("what is sold is said not to be")
	}
	if body := bodyOf(t, get(t, s, "/cards?standing=sold")); strings.Contains(body, "SOON") {
		t.Error("the filter of what is sold shows what is not")
	}
}

func TestTheAPIKeepsWhatIsNotSoldApart(t *testing.T) {
	s := unsoldServer(t)
	var list struct {
		Items []struct {
			ID, Standing, Announced string
			Figures                 map[string]float64
		}
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/cards?sort=buy_price&fields=buy_price"))),
		&list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 2 || list.Items[0].ID != "acme-now" || list.Items[0].Standing != "sold" ||
		list.Items[0].Announced != "" {
		t.Fatalf("the cheapest is %+v", list.Items)
	}
	if soon := list.Items[1]; soon.Standing != "announced" || soon.Announced != "2026-01-05" || len(soon.Figures) > 0 {
		t.Errorf("got %+v", soon)
	}
	var card struct{ Standing, Announced, Launched string }
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/cards/acme-soon"))), &card); err != nil {
		t.Fatal(err)
	}
	if card.Standing != "announced" || card.Announced != "2026-01-05" || card.Launched != "2026-01-05" {
		t.Errorf("got %+v", card)
	}
}

func TestAnswersAboutACardThatIsNotSoldSaySo(t *testing.T) {
	s := web.New(web.Config{NewEstimator: func(snap *catalog.Snapshot) (*sizing.Estimator, error) {
		return sizing.New(sample.Few(seed.Sizing(), 5), snap)
	}})
	t.Cleanup(s.Close)
	d := unsoldCards()
	for i := range d.Cards {
		d.Cards[i].Vendor = "NVIDIA"
		d.Cards[i].Facts = append(d.Cards[i].Facts,
			catalog.Fact{Quantity: "memory_bandwidth_gb_s", Number: 2000, Source: "sheet"},
			catalog.Fact{Quantity: "bf16_matrix_dense_tflops", Number: 300, Source: "sheet"},
			catalog.Fact{Quantity: "fp16_matrix_dense_tflops", Number: 300, Source: "sheet"})
	}
	s.Swap(catalog.NewSnapshot(1, d))
	const mark, marked = "announced 2026-01-05, not shipping", `"unsold":"announced"`
	for path, want := range map[string]string{
		"/cards.md?q=soon":                                       mark,
		"/compare.md?card=acme-now&card=acme-soon":               mark,
		"/api/v1/compare?card=acme-now&card=acme-soon":           marked,
		"/api/v1/search?q=soon":                                  `"standing":"announced"`,
		"/recommend?model=llama-3.1-8b&card=acme-soon":           mark,
		"/recommend.md?model=llama-3.1-8b&card=acme-soon":        mark,
		"/zh/recommend?model=llama-3.1-8b&card=acme-soon":        "2026-01-05 发布，尚未出货",
		"/recommend/acme-soon?model=llama-3.1-8b":                mark,
		"/api/v1/recommend?model=llama-3.1-8b&card=acme-soon":    marked,
		"/serve?model=llama-3.1-8b&concurrency=4&card=acme-soon": mark,
		"/ladders/fp32_vector_tflops.md":                         mark,
		"/api/v1/ladders/fp32_vector_tflops":                     marked,
		"/plot.md?x=memory_gb&y=fp32_vector_tflops":              mark,
		"/plot.csv?x=memory_gb&y=fp32_vector_tflops":             "announced",
		"/serve/acme-soon?model=llama-3.1-8b&concurrency=4":      mark,
	} {
		if body := bodyOf(t, get(t, s, path)); !strings.Contains(body, want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
	for _, path := range []string{"/recommend?model=llama-3.1-8b&card=acme-now",
		"/serve/acme-now?model=llama-3.1-8b&concurrency=4",
		"/api/v1/recommend?model=llama-3.1-8b&card=acme-now"} {
		if body := bodyOf(t, get(t, s, path)); strings.Contains(body, mark) || strings.Contains(body, marked) {
			t.Errorf("%s says of what is sold that it is not", path)
		}
	}
	var found struct {
		Options  []struct{ Card struct{ ID string } }
		Rejected []struct {
			Card   struct{ ID string }
			Reason string
		}
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/recommend?model=llama-3.1-8b"))), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Options) == 0 || len(found.Rejected) != 1 || found.Rejected[0].Reason != "not_sold" {
		t.Errorf("got %+v, want the announced card rejected and the other proposed", found)
	}
	for _, o := range found.Options {
		if o.Card.ID == "acme-soon" {
			t.Error("got the announced card as an option, want it where it is asked for by name alone")
		}
	}
}
