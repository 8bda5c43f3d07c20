package web_test

import (
	"encoding/json"
	"encoding/xml"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/importer"
	"tianti/web"
	"tianti/web/api"
)

// lab is a dataset with a card of so many watts.
func lab(watts float64, cards ...string) catalog.Dataset {
	d := catalog.Dataset{ID: "lab", Title: catalog.Text{En: "Lab", Zh: "实验室"}, Rank: 50,
		Sources: []catalog.Source{{ID: "meter", Publisher: "Lab", Title: "Meter", Kind: "press",
			Published: "2026-10-01"}}}
	for _, id := range cards {
		d.Cards = append(d.Cards, catalog.Card{ID: id, Name: id, Vendor: "Acme", Kind: "GPU", Segment: "desktop",
			Facts: []catalog.Fact{{Quantity: "tdp_w", Number: watts, Source: "meter"}}})
	}
	return d
}

// imported3 serves a catalogue that was imported three times, and says when.
func imported3(t *testing.T) (s *site, revisions []int64) {
	t.Helper()
	s = newEmpty(t, func(c *web.Config) { c.Now = time.Now })
	for _, d := range []catalog.Dataset{lab(300, "acme-a"), lab(310, "acme-a", "acme-b"), lab(310, "acme-b")} {
		rev, err := s.db.Import(t.Context(), d, importer.FileInfo{Name: "lab.yaml"}, "")
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, rev.Number)
	}
	snap, err := s.db.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.web.Swap(snap)
	return s, revisions
}

func changesAt(t *testing.T, s *site, address string) (out api.ChangeList) {
	t.Helper()
	r := get(t, s.web, address)
	body := bodyOf(t, r)
	if r.StatusCode != 200 {
		t.Fatalf("%s: status %d: %s", address, r.StatusCode, body)
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatChangedBetweenRevisionsIsByCardAndFigure(t *testing.T) {
	s, revisions := imported3(t)
	got := changesAt(t, s, "/api/v1/changes?from="+itoa(revisions[0])+"&to="+itoa(revisions[1]))
	want := []api.ChangedCard{
		{ID: "acme-a", Name: "acme-a", Dataset: "lab", Kind: "changed", Names: []api.ChangedName{},
			Figures: []api.ChangedFigure{{Metric: "tdp_w", Kind: "changed", Before: 300.0, After: 310.0,
				Source: "Meter"}}},
		{ID: "acme-b", Name: "acme-b", Dataset: "lab", Kind: "added"},
	}
	for i := range got.Cards {
		if got.Cards[i].Kind == "added" { // all of it is new
			got.Cards[i].Names, got.Cards[i].Figures = nil, nil
		}
	}
	if diff := cmp.Diff(want, got.Cards); diff != "" || got.Counts["changed"] != 1 || got.Counts["added"] != 1 {
		t.Errorf("%v, -want +got:\n%s", got.Counts, diff)
	}
	page := bodyOf(t, get(t, s.web, "/changes?from="+itoa(revisions[0])+"&to="+itoa(revisions[1])))
	for _, want := range []string{"300 W", "310 W", "Meter", "acme-b"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestWhatChangedBetweenDaysJoinsTheSteps(t *testing.T) {
	s, revisions := imported3(t)
	today := time.Now().UTC().Format(time.DateOnly)
	got := changesAt(t, s, "/api/v1/changes")
	if len(got.Steps) != 3 || got.Steps[2].To != revisions[2] || got.To != today || !got.Recorded {
		t.Errorf("got %+v to %s, want three steps up to today", got.Steps, got.To)
	}
	if len(got.Cards) != 0 { // the dataset began within the days
		t.Errorf("got %+v, want no cards of a dataset that is new", got.Cards)
	}
	for address, status := range map[string]int{
		"/changes?from=2026-13-01": 400, "/changes?from=tomorrow": 400, "/changes?to=2999-01-01": 400,
		"/changes?from=2026-02-01&to=2026-01-01": 400, "/changes?page=0": 400, "/changes?limit=5000": 400,
		"/changes?from=1&to=99999": 404, "/changes?from=-1&to=2": 400, "/changes?x=1": 400,
		"/changes?to=2025-01-01": 200, "/zh/changes?from=1990-01-01": 200,
	} {
		if r := get(t, s.web, address); r.StatusCode != status {
			t.Errorf("%s: got %d, want %d", address, r.StatusCode, status)
		}
	}
}

func TestRevisionsOfDifferentDatasetsAreNotCompared(t *testing.T) {
	s, revisions := imported3(t)
	other := lab(1, "acme-c")
	other.ID = "other"
	rev, err := s.db.Import(t.Context(), other, importer.FileInfo{}, "")
	if err != nil {
		t.Fatal(err)
	}
	r := get(t, s.web, "/api/v1/changes?from="+itoa(revisions[0])+"&to="+itoa(rev.Number))
	if body := bodyOf(t, r); r.StatusCode != 400 || !strings.Contains(body, "different datasets, lab and other") {
		t.Errorf("got %d, %s", r.StatusCode, body)
	}
}

func TestAReaderOfSnapshotsSaysThatItHasNoRecord(t *testing.T) {
	s := newServer(t, 3, nil)
	if page := bodyOf(t, get(t, s, "/changes")); !strings.Contains(page, "published snapshots") {
		t.Error("the page does not say so")
	}
	if r := get(t, s, "/changes?from=1&to=2"); r.StatusCode != 404 {
		t.Errorf("revisions: got %d, want 404", r.StatusCode)
	}
}

// feedOf is an Atom feed as a reader has it.
type feedOf struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Entries []struct {
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
		Summary string `xml:"summary"`
	} `xml:"entry"`
}

func readFeed(t *testing.T, s *site, address string) (f feedOf) {
	t.Helper()
	r := get(t, s.web, address)
	body := bodyOf(t, r)
	if r.StatusCode != 200 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/atom+xml") {
		t.Fatalf("%s: status %d, %s", address, r.StatusCode, body)
	}
	if err := xml.Unmarshal([]byte(body), &f); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, e := range f.Entries {
		if seen[e.ID] || e.Title == "" || e.Summary == "" || i > 0 && e.Updated > f.Entries[i-1].Updated {
			t.Errorf("%s: entry %d, %+v: want an id of its own, text, and the newest first", address, i, e)
		}
		seen[e.ID] = true
	}
	return f
}

func TestTheFeedOfACardTellsWhatChanged(t *testing.T) {
	s, _ := imported3(t)
	f := readFeed(t, s, "/feed.xml?card=acme-b")
	if len(f.Entries) != 1 || !strings.Contains(f.Entries[0].Summary, "→ 310 W (Meter)") {
		t.Errorf("got %+v, want the step in which the card came", f.Entries)
	}
	all := readFeed(t, s, "/feed.xml")
	if len(all.Entries) != 3 {
		t.Errorf("got %+v, want three steps", all.Entries)
	}
	again := readFeed(t, s, "/zh/feed.xml")
	if again.ID == all.ID || again.Entries[0].ID == all.Entries[0].ID {
		t.Error("both languages have the same ids")
	}
	for address, status := range map[string]int{"/feed.xml?card=nope": 404, "/feed.xml?below=x": 400,
		"/feed.xml?kind=launch": 400, "/feed.xml?limit=1": 400, "/feed.json?zz=1": 400} {
		if r := get(t, s.web, address); r.StatusCode != status {
			t.Errorf("%s: got %d, want %d", address, r.StatusCode, status)
		}
	}
}

func TestAFeedOfABoundHasCurrentPricesUpToIt(t *testing.T) {
	s := builtinServer(t, nil)
	type feed struct {
		Items []struct{ ID, Title, URL string }
	}
	read := func(address string) (f feed) {
		if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, address))), &f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	few, many := read("/feed.json?card=nvidia-geforce-rtx-5090&below=4000&currency=USD"),
		read("/feed.json?card=nvidia-geforce-rtx-5090&below=100000&currency=USD")
	if len(few.Items) == 0 || len(few.Items) >= len(many.Items) {
		t.Errorf("got %d up to 4,000 and %d up to 100,000, want fewer but some", len(few.Items), len(many.Items))
	}
}
