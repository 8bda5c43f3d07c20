package web_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/web"
)

// annotated serves 200 synthetic cards with one annotation of each kind, and
// generations enough for a timeline.
func annotated(t *testing.T) *web.Server {
	t.Helper()
	d := sample.Dataset("builtin", 200)
	for _, g := range []struct{ id, name, date string }{{"northwind-birch", "Birch", "2011"},
		{"northwind-cedar", "Cedar", "2011-03"}, {"northwind-elm", "Elm", ""}} {
		gen := catalog.Generation{ID: g.id, Vendor: "Northwind", Name: g.name, Line: "Northwind"}
		if g.date != "" {
			gen.Facts = []catalog.Fact{{Quantity: "launched", Text: g.date, Source: "synthetic-whitepaper"}}
		}
		d.Generations = append(d.Generations, gen)
	}
	s := web.New(web.Config{})
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(1, d))
	return s
}

func TestCardShowsWhatWasMeasuredAndSaidApartFromItsFigures(t *testing.T) {
	s := annotated(t)
	page := bodyOf(t, get(t, s, "/cards/synthetic-000000"))
	for _, want := range []string{`id="measured"`, "One matrix product", `id="claim-fast"`, "It is fast.", "Somebody"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if other := bodyOf(t, get(t, s, "/cards/synthetic-000001")); strings.Contains(other, `id="measured"`) ||
		strings.Contains(other, `id="claims"`) {
		t.Error("a card of which nothing was measured or said has those sections")
	}
	var detail struct {
		Figures  map[string]struct{ Value float64 }
		Measured []struct {
			Metric       string
			Value, Rated float64
			Share        float64
			Source       string
		}
		Claims  []struct{ ID, Said, Source string }
		Sources map[string]any
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/cards/synthetic-000000.json"))), &detail); err != nil {
		t.Fatal(err)
	}
	rated := detail.Figures["bf16_matrix_dense_tflops"].Value
	if len(detail.Measured) != 1 || detail.Measured[0].Value != 1 || detail.Measured[0].Rated != rated || rated == 1 ||
		detail.Sources[detail.Measured[0].Source] == nil {
		t.Errorf("measured %+v beside the rated %v, want 1 of the rated figure with its source", detail.Measured, rated)
	}
	if len(detail.Claims) != 1 || detail.Claims[0].Said != "2024-05" || detail.Sources[detail.Claims[0].Source] == nil {
		t.Errorf("claims %+v, want one with date and source", detail.Claims)
	}
	markdown := bodyOf(t, get(t, s, "/cards/synthetic-000000.md"))
	if !strings.Contains(markdown, "It is fast.") || !strings.Contains(markdown, "One matrix product") {
		t.Error("the Markdown lacks the claim or the measurement")
	}
}

func TestArchitecturesHoldTheirCardsAndDates(t *testing.T) {
	s := annotated(t)
	var list struct {
		Items []struct {
			ID         string
			Cards      []string
			Attributes map[string]struct{ Value string }
			Figures    map[string]struct{ Value float64 }
			Introduced []struct{ En, Source string }
		}
		Sources map[string]any
	}
	for _, path := range []string{"/architectures.json", "/api/v1/architectures"} {
		if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, path))), &list); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, g := range list.Items {
			ids = append(ids, g.ID)
		}
		// The one without a date comes first: nobody knows when it was.
		if want := []string{"northwind-elm", "northwind-alder", "northwind-birch",
			"northwind-cedar"}; !slices.Equal(ids, want) {
			t.Errorf("%s: got %v, want %v", path, ids, want)
		}
	}
	alder := list.Items[1]
	snap := s.Snapshot()
	for _, id := range alder.Cards {
		row, _ := snap.Find(id)
		if c := snap.Card(row); c.Vendor != "Northwind" || c.Architecture != "Alder" {
			t.Errorf("%s is of %s %s", id, c.Vendor, c.Architecture)
		}
	}
	if len(alder.Cards) == 0 || alder.Attributes["launched"].Value != "2009-06" ||
		alder.Figures["transistors_million"].Value != 3000 || list.Sources[alder.Introduced[0].Source] == nil {
		t.Errorf("got %+v", alder)
	}
}

func TestArchitecturesStandSideBySide(t *testing.T) {
	s := annotated(t)
	page := bodyOf(t, get(t, s, "/architectures?id=northwind-alder&id=northwind-birch"))
	for _, want := range []string{"Northwind Alder", "Northwind Birch", "32 FP32 lanes", "2009-06"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "Northwind Cedar") {
		t.Error("a generation that was not chosen is there")
	}
	for target, says := range map[string]string{
		"/architectures?id=northwind-aldr": "northwind-alder", "/architectures?ids=x": "ids",
		"/architectures?id=northwind-alder&sort=1": "sort",
	} {
		r := get(t, s, target)
		if body := bodyOf(t, r); r.StatusCode != 400 || !strings.Contains(body, says) {
			t.Errorf("%s: status %d, want 400 that names %q", target, r.StatusCode, says)
		}
	}
}

func TestSourcePageListsWhatItSupports(t *testing.T) {
	s := newServer(t, 3, nil)
	page := bodyOf(t, get(t, s, "/sources/list"))
	for _, want := range []string{"Someone", "sparse", `href="/cards/acme-x1-40gb#memory_gb"`, "beside another"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if r := get(t, s, "/sources/nothing"); r.StatusCode != 404 {
		t.Errorf("an unknown source: got %d, want 404", r.StatusCode)
	}
}

func TestHealthShowsDisagreementsThatNobodyHasExplained(t *testing.T) {
	s := newServer(t, 3, nil)
	page := bodyOf(t, get(t, s, "/data-health"))
	// 40 GB and 48 GB, neither marked as wrong; 624 is marked.
	if !strings.Contains(page, `href="/cards/acme-x1-40gb#memory_gb"`) || strings.Contains(page, ">624<") {
		t.Error("the page lacks the disagreement about the memory, or shows one that is explained")
	}
}
