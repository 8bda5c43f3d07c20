package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/seed"
)

// shown lists what a catalogue shows, card by card.
func shown(s *catalog.Snapshot) map[string]string {
	out := map[string]string{}
	for i := range s.Len() {
		c := s.Card(i)
		out[c.ID] = fmt.Sprint(c.Name, c.Vendor, c.Kind, c.Segment, c.Architecture, c.Aliases, c.PCIIDs)
		for _, q := range catalog.Quantities() {
			if v, ok := s.Number(q, i); ok {
				out[c.ID+" "+q.ID] = fmt.Sprint(v)
			} else if text, ok := s.Text(q, i); ok {
				out[c.ID+" "+q.ID] = text
			}
		}
	}
	return out
}

// randomDatasets returns a few datasets that speak of the same cards, with
// sources of the same ids, in the order of their ranks.
func randomDatasets(r *rand.Rand) []catalog.Dataset {
	out := make([]catalog.Dataset, 1+r.IntN(4))
	rank := 10
	for n := range out {
		d := catalog.Dataset{ID: fmt.Sprintf("set%d", n), Rank: rank, Title: catalog.Text{En: "Set", Zh: "集"}}
		rank -= r.IntN(3) // sometimes equal
		for i := range 3 {
			d.Sources = append(d.Sources, catalog.Source{
				ID: fmt.Sprintf("source%d", i), Publisher: "P", Title: fmt.Sprint("T", i), URL: "https://example.com",
				Kind:      catalog.SourceKinds[r.IntN(len(catalog.SourceKinds))],
				Published: catalog.Date(fmt.Sprint(2020 + r.IntN(4))),
			})
		}
		for i := range 4 {
			if r.IntN(4) > 0 {
				d.Cards = append(d.Cards, randomCard(r, n, i))
			}
		}
		out[n] = d
	}
	return out
}

func randomCard(r *rand.Rand, set, i int) catalog.Card {
	c := catalog.Card{ID: fmt.Sprintf("card%d", i), Name: fmt.Sprintf("Card %d of %d", i, set), Vendor: "V",
		Kind: "gpu", Segment: "research", Aliases: []string{fmt.Sprintf("alias %d", set)}}
	for _, q := range []string{"memory_gb", "tdp_w", "memory_type", "launched"} {
		for s := range 3 {
			if r.IntN(2) == 0 {
				continue
			}
			f := catalog.Fact{Quantity: q, Source: fmt.Sprintf("source%d", s)}
			switch q {
			case "memory_type":
				f.Text = fmt.Sprintf("HBM%d", r.IntN(100))
			case "launched":
				f.Text = fmt.Sprint(1990 + r.IntN(30))
			default:
				f.Number = float64(1 + r.IntN(1000))
			}
			if r.IntN(4) == 0 {
				f.Superseded = catalog.Text{En: "wrong", Zh: "有误"}
			}
			if r.IntN(3) == 0 {
				f.Standing = catalog.FigureStandings[r.IntN(len(catalog.FigureStandings))]
			}
			c.Facts = append(c.Facts, f)
		}
	}
	return c
}

func TestMergedDatasetsShowTheSameFiguresAfterAWayThroughAFile(t *testing.T) {
	for n := range 300 {
		datasets := randomDatasets(rand.New(rand.NewPCG(uint64(n), 1)))
		want := shown(catalog.NewSnapshot(1, datasets...))
		merged := Merge(datasets)
		var file bytes.Buffer
		if err := seed.Encode(&file, merged); err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		read, problems := seed.Decode([]seed.File{{Name: "export.yaml", Data: file.Bytes()}})
		for _, p := range problems {
			if p.Rule != "unused-source" {
				t.Errorf("%d: %v", n, p)
			}
		}
		for name, d := range map[string]catalog.Dataset{"merged": merged, "read from a file": read,
			"by preference": ByPreference(merged)} {
			if diff := cmp.Diff(want, shown(catalog.NewSnapshot(1, d))); diff != "" {
				t.Fatalf("%d, %s: -datasets +merged:\n%s\n%s", n, name, diff, file.Bytes())
			}
		}
	}
}

// values are all values of all cards, each once.
func values(datasets ...catalog.Dataset) map[string]bool {
	out := map[string]bool{}
	for _, d := range datasets {
		for _, c := range d.Cards {
			for _, f := range c.Facts {
				out[fmt.Sprint(c.ID, " ", f.Quantity, " ", f.Number, f.Text)] = true
			}
		}
	}
	return out
}

func TestMergeKeepsEveryValue(t *testing.T) {
	for n := range 50 {
		datasets := randomDatasets(rand.New(rand.NewPCG(uint64(n), 2)))
		if diff := cmp.Diff(values(datasets...), values(Merge(datasets))); diff != "" {
			t.Errorf("%d: -datasets +merged:\n%s", n, diff)
		}
	}
}

// TestAMergedDatasetBesideItsPartsChangesNothing: an export that is imported beside what it was made of, before all of
// it, and exported again.
func TestAMergedDatasetBesideItsPartsChangesNothing(t *testing.T) {
	for n := range 300 {
		datasets := randomDatasets(rand.New(rand.NewPCG(uint64(n), 5)))
		if len(datasets) == 1 {
			continue // it is written as it is, whatever rule it breaks by itself
		}
		var want, got bytes.Buffer
		merged := Merge(datasets)
		if err := seed.Encode(&want, merged); err != nil {
			t.Fatal(err)
		}
		merged.ID, merged.Rank = "export", 100
		if err := seed.Encode(&got, Merge(append(datasets, merged))); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Fatalf("%d: -exported +exported again:\n%s", n, diff)
		}
	}
}

func TestMergeLeavesItsInputAlone(t *testing.T) {
	make := func() []catalog.Dataset { return randomDatasets(rand.New(rand.NewPCG(7, 7))) }
	datasets := make()
	ByPreference(Merge(datasets))
	if diff := cmp.Diff(make(), datasets); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

func TestShownFactIsTheFirstOfItsQuantity(t *testing.T) {
	d := ByPreference(Merge(randomDatasets(rand.New(rand.NewPCG(3, 3)))))
	s := catalog.NewSnapshot(1, d)
	for _, c := range d.Cards {
		row, _ := s.Find(c.ID)
		seen := map[string]bool{}
		for _, f := range c.Facts {
			q, _ := catalog.LookupQuantity(f.Quantity)
			if v, ok := s.Number(q, row); ok && q.Kind == catalog.Number && !seen[q.ID] && v != f.Number {
				t.Errorf("%s: %s: got %v first, want the shown %v", c.ID, q.ID, f.Number, v)
			}
			seen[q.ID] = true
		}
	}
}

func oneCard(name string) *catalog.Snapshot {
	return catalog.NewSnapshot(5, catalog.Dataset{ID: "d", Title: catalog.Text{En: "D", Zh: "D"},
		Sources: []catalog.Source{{ID: "s", Publisher: "P", Title: "T", URL: "https://example.com", Kind: "datasheet"}},
		Cards: []catalog.Card{{ID: "c1", Name: name, Vendor: "V", Kind: "gpu", Segment: "research",
			Facts: []catalog.Fact{
				{Quantity: "memory_gb", Number: 0.1, Source: "s"},
				{Quantity: "memory_type", Text: "HBM3", Source: "s"},
			}}}})
}

func TestCSVHoldsTheShownValuesAndNoFormulas(t *testing.T) {
	var out bytes.Buffer
	if err := CSV(&out, oneCard(`=1+1, "quoted"`)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("got %d rows, %v, want 2", len(rows), err)
	}
	got := map[string]string{}
	for i, head := range rows[0] {
		if rows[1][i] != "" {
			got[head] = rows[1][i]
		}
	}
	want := map[string]string{"id": "c1", "name": `'=1+1, "quoted"`, "vendor": "V", "kind": "gpu",
		"segment": "research", "memory_gb": "0.1", "memory_type": "HBM3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestJSONHoldsSnapshotMetricsAndCards(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, oneCard("A & B"),
		catalog.Dataset{Cards: []catalog.Card{{ID: "c1", Name: "A & B"}}}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format   string
		Snapshot string
		Dataset  struct{ Cards []struct{ ID, Name string } }
		Metrics  []struct{ ID string }
		Cards    []struct {
			ID, Name string
			Figures  map[string]struct{ Value float64 }
		}
	}
	if err := json.NewDecoder(strings.NewReader(out.String())).Decode(&got); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if len(got.Snapshot) != 24 || len(got.Metrics) == 0 || len(got.Cards) != 1 ||
		got.Cards[0].Figures["memory_gb"].Value != 0.1 || got.Cards[0].Name != "A & B" ||
		got.Format != "tianti" || len(got.Dataset.Cards) != 1 || got.Dataset.Cards[0].Name != "A & B" {
		t.Errorf("got %+v", got)
	}
}

// full fails after some bytes.
type full struct{ room int }

func (w *full) Write(b []byte) (int, error) {
	if w.room -= len(b); w.room < 0 {
		return 0, fmt.Errorf("no room")
	}
	return len(b), nil
}

func TestErrorsOfTheWriterAreReported(t *testing.T) {
	for _, room := range []int{0, 100} {
		if err := JSON(&full{room}, oneCard("x"), catalog.Dataset{}); err == nil {
			t.Errorf("JSON with room for %d bytes: no error", room)
		}
		if err := CSV(&full{room}, oneCard("x")); err == nil {
			t.Errorf("CSV with room for %d bytes: no error", room)
		}
		if err := Prices(&full{room}, &catalog.Dataset{}); err == nil {
			t.Errorf("prices with room for %d bytes: no error", room)
		}
	}
}

// TestMergeKeepsAnnotationsWithTheirSources merges two datasets that name a
// source alike and share a claim.
func TestMergeKeepsAnnotationsWithTheirSources(t *testing.T) {
	dataset := func(id string, rank int, claims ...string) catalog.Dataset {
		d := catalog.Dataset{ID: id, Rank: rank, Sources: []catalog.Source{{ID: "s", Title: "of " + id, Kind: "press"}}}
		for _, c := range claims {
			d.Claims = append(d.Claims, catalog.Claim{ID: c, Source: "s", Text: catalog.Text{En: "of " + id}})
		}
		d.Measured = []catalog.Measurement{{Card: "card",
			Fact: catalog.Fact{Quantity: "tdp_w", Number: 1, Source: "s"}}}
		d.Generations = []catalog.Generation{{ID: "g-" + id,
			Facts: []catalog.Fact{{Quantity: "tdp_w", Number: 1, Source: "s"}},
			Unit:  []catalog.Statement{{Source: "s"}}}}
		d.Equivalents = []catalog.Equivalent{{ID: "e-" + id, Names: []catalog.VendorName{{Source: "s"}}}}
		d.Glossary = []catalog.GlossaryEntry{{ID: "t-" + id, Meanings: []catalog.Meaning{{Source: "s"}}}}
		return d
	}
	low, high := dataset("low", 1, "both", "low"), dataset("high", 2, "both")
	got := Merge([]catalog.Dataset{low, high})
	titles := map[string]string{}
	for _, s := range got.Sources {
		titles[s.ID] = s.Title
	}
	var cited []string
	got.Cite(func(source string, _ catalog.Pos) { cited = append(cited, titles[source]) })
	want := []string{"of high", "of high", "of low", "of low", "of high", "of low", "of high", "of low", "of high",
		"of low", "of high", "of low"}
	if diff := cmp.Diff(want, cited); diff != "" {
		t.Errorf("sources of generations, measured, claims, equivalents, glossary: -want +got\n%s", diff)
	}
	if len(got.Claims) != 2 || got.Claims[0].Text.En != "of high" || got.Claims[1].ID != "low" {
		t.Errorf("got claims %+v, want that of the higher dataset and the other's own", got.Claims)
	}
	if low.Claims[0].Source != "s" || low.Generations[0].Facts[0].Source != "s" {
		t.Error("the dataset that was merged has changed")
	}
}

func TestTablesSayWhatTheirSourcesAreAndHoldNoFormulas(t *testing.T) {
	d := catalog.Dataset{
		Sources: []catalog.Source{{ID: "s", Publisher: "=P", Title: "T", Kind: "press", URL: "https://example.org",
			Published: "2024"}},
		Prices: []catalog.Price{{Card: "c1", Kind: "street", Amount: catalog.Money{Micros: 1_500_000, Currency: "USD"},
			Unit: "card", Cards: 1, Seller: "@shop", Date: "2024-02", Source: "s"}},
		Rates: []catalog.ExchangeRate{{Date: "2024-02-01", Base: "EUR", Quote: "USD", Rate: "1.08", Source: "s"}},
	}
	var prices, rates bytes.Buffer
	if err := Prices(&prices, &d); err != nil {
		t.Fatal(err)
	}
	if err := Rates(&rates, &d); err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(prices.String(), "\n")
	if want := "c1,street,1.5,USD,card,1,,'@shop,,,,2024-02,s,,,'=P,T,https://example.org,press,2024,,,\n"; row !=
		want {
		t.Errorf("got price %s, want %s", row, want)
	}
	_, row, _ = strings.Cut(rates.String(), "\n")
	if want := "2024-02-01,EUR,USD,1.08,s,'=P,T,https://example.org,press,2024,,,\n"; row != want {
		t.Errorf("got rate %s, want %s", row, want)
	}
	for table, want := range map[string]string{"cards": "Not in this table: 1 prices, 1 exchange rates. ",
		"prices": "Not in this table: 1 exchange rates. ", "rates": "Not in this table: 1 prices. "} {
		if got := Lacks(&d, table); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", table, got, want)
		}
	}
	if got := Lacks(&catalog.Dataset{}, "cards"); got != "" {
		t.Errorf("nothing: got %q", got)
	}
}
