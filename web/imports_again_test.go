package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
	"tianti/web"
)

var ada = audit.Actor{Name: "anna", Channel: audit.ByPage}

// dataset is what the database knows of a dataset.
func (o *office) dataset(t *testing.T, id string) importer.Dataset {
	t.Helper()
	list, err := o.db.Datasets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if d.ID == id {
			return d
		}
	}
	t.Fatalf("there is no dataset %q", id)
	return importer.Dataset{}
}

// prices is a table of one price of a day of November.
func prices(day int) string {
	return "card,price,currency,kind,date\nX1 40GB,1000,USD,street,2026-11-" + strconv.Itoa(day) + "\n"
}

func TestUndoLeadsToWhatWasActiveBefore(t *testing.T) {
	o := newOffice(t)
	var numbers []int64
	for _, day := range []int{11, 12, 13} {
		if r := o.post(o.draft(t, "mine.csv", prices(day))+"/apply",
			url.Values{}); r.StatusCode != http.StatusSeeOther {
			t.Fatalf("got status %d", r.StatusCode)
		}
		numbers = append(numbers, o.dataset(t, "mine").Active)
	}
	if err := o.db.Activate(t.Context(), "mine", numbers[0], ada); err != nil {
		t.Fatal(err)
	}
	r := o.post(o.draft(t, "mine.csv", prices(14))+"/apply", url.Values{})
	page := o.get(r.Header.Get("Location"))
	if want := `name="revision" value="` + strconv.FormatInt(numbers[0], 10) +
		`"`; !strings.Contains(page.body[strings.Index(page.body, `role="status"`):][:400], want) {
		t.Errorf("the page lacks %s behind what was done: %s", want, visible(page.body))
	}
}

func TestWhatWasProposedForANewDatasetIsNotForAnother(t *testing.T) {
	o := newOffice(t)
	o.post(o.draft(t, "mine.csv", prices(11))+"/apply", url.Values{})
	if err := o.db.SetRank(t.Context(), "mine", 80, ada); err != nil {
		t.Fatal(err)
	}
	at := o.draft(t, "other.csv", prices(12))
	r := o.post(at, url.Values{"dataset": {"mine"}, "title_en": {"other"}, "title_zh": {"other"}, "rank": {"50"}})
	o.post(r.Header.Get("Location")+"/apply", url.Values{})
	if d := o.dataset(t, "mine"); d.Revisions != 2 || d.Rank != 80 || d.Title.En != "mine" {
		t.Errorf("got %+v, want the rank and title that the dataset had", d)
	}
	r = o.post(o.draft(t, "other.csv", prices(13)), url.Values{"dataset": {"mine"}, "title_en": {"Mine"},
		"title_zh": {"我的"}, "rank": {"90"}})
	o.post(r.Header.Get("Location")+"/apply", url.Values{})
	if d := o.dataset(t, "mine"); d.Rank != 90 || d.Title.Zh != "我的" {
		t.Errorf("got %+v, want what was written", d)
	}
}

func TestAPageListsAHundredRevisions(t *testing.T) {
	o := newOffice(t)
	for n := range 101 {
		ds := catalog.Dataset{ID: "many", Cards: []catalog.Card{{ID: "c", Name: "C" + strconv.Itoa(n), Vendor: "V",
			Kind: "gpu", Segment: "cloud"}}}
		if _, err := o.db.Import(t.Context(), ds, importer.FileInfo{}, ""); err != nil {
			t.Fatal(err)
		}
	}
	for page, want := range map[string]int{"": 100, "?page=2": 1, "?page=3": 0} {
		if got := strings.Count(o.get("/admin/datasets/many"+page).body,
			`/admin/datasets/many/revisions/`); got != want {
			t.Errorf("%q: got %d revisions, want %d", page, got, want)
		}
	}
	if r := o.get("/admin/datasets/many?page=x"); r.StatusCode != http.StatusBadRequest {
		t.Errorf("got status %d, want 400", r.StatusCode)
	}
}

func TestProblemsOfImportsHaveTheirStatus(t *testing.T) {
	o := newOffice(t)
	if r := o.upload(t, "large.csv", strings.Repeat("x", 1<<20+1)); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a large file: got status %d, want 413", r.StatusCode)
	}
	rev, err := o.db.Import(t.Context(), catalog.Dataset{ID: "ours"}, importer.FileInfo{}, "")
	if err != nil {
		t.Fatal(err)
	}
	if r := o.post("/admin/import/"+strconv.FormatInt(rev.Number, 10),
		url.Values{}); r.StatusCode != http.StatusNotFound {
		t.Errorf("a revision whose file is not kept: got status %d, want 404", r.StatusCode)
	}
	b := catalog.NewBuilder(8)
	b.SetProgress(1, 2)
	o.web.Swap(b.Build())
	if r := o.upload(t, "mine.csv", prices(11)); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("while the catalogue is read: got status %d, want 503", r.StatusCode)
	}
	if r := o.upload(t, "mine.csv", prices(11), "Accept",
		"application/x-ndjson"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("while the catalogue is read, to a script: got status %d, want 503", r.StatusCode)
	}
}

func TestBeforeThereIsACatalogueItsPagesWait(t *testing.T) {
	s := newOffice(t)
	empty := web.New(web.Config{Accounts: s.keeper, Datasets: s.db,
		Importer: importer.New(importer.Config{Store: s.db})})
	t.Cleanup(empty.Close)
	here, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"/admin/import/1", "/admin/cards/acme-x1-40gb/figures",
		"/admin/cards/acme-x1-40gb/figures/tdp_w"} {
		r := httptest.NewRequest(http.MethodGet, s.URL+at, nil)
		for _, c := range s.http.Jar.Cookies(here) {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		empty.ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: got status %d, want 503", at, w.Code)
		}
	}
}

func TestAPageListsFiftyDrafts(t *testing.T) {
	o := newOffice(t)
	for range 51 {
		w, err := o.db.BeginDraft(t.Context(), importer.FileInfo{Name: "waits.csv"}, importer.Options{Dataset: "mine"},
			ada)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Finish(t.Context(), importer.Options{}, importer.Summary{}); err != nil {
			t.Fatal(err)
		}
	}
	for page, want := range map[string]int{"": 50, "?page=2": 1, "?page=3": 0} {
		if got := strings.Count(o.get("/admin/import"+page).body, "waits.csv"); got != want {
			t.Errorf("%q: got %d drafts, want %d", page, got, want)
		}
	}
}
