package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/importer"
	"tianti/pricefile"
)

// apart publishes with prices apart, and returns the path of the snapshot, the list of its files, and where these are.
func apart(t *testing.T, s *Store) (path string, h *pricefile.History, dir string) {
	t.Helper()
	path, dir = publishTest(t, s), t.TempDir()
	db, err := OpenPublished(t.Context(), path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	h, err = db.PriceFiles(t.Context(), dir, func(string) (pricefile.Part, bool) { return pricefile.Part{}, false })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if done, err := s.SetPricesApart(t.Context(), path); err != nil || !done {
		t.Fatal(done, err)
	}
	return path, h, dir
}

// openApart opens a snapshot whose prices are apart.
func openApart(t *testing.T, path string, h *pricefile.History, dir string) *Store {
	t.Helper()
	s, err := OpenPublished(t.Context(), path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.HavePricesApart(func(dataset string) HistoryApart {
		return h.Of(dataset, func(_ context.Context, p *pricefile.Part) (*pricefile.File, error) {
			data, err := os.ReadFile(filepath.Join(dir, p.SHA256))
			if err != nil {
				return nil, pricefile.AwayError{Err: err}
			}
			return pricefile.Open(data)
		})
	})
	return s
}

// TestPricesApartReadAsThoseOfTheDatabase holds a catalogue whose prices are in files against that of the database:
// after additions, undo, a branch and replacement, all of them and those between days, in the same order.
func TestPricesApartReadAsThoseOfTheDatabase(t *testing.T) {
	setSumsEvery(t, 1)
	before := partPrices
	partPrices = 60
	t.Cleanup(func() { partPrices = before })
	s := newStore(t)
	var last *Store
	check := func(what string) {
		t.Helper()
		path, h, dir := apart(t, s)
		db := openApart(t, path, h, dir)
		if last != nil {
			if err := db.GoOnFrom(t.Context(), last); err != nil {
				t.Fatal(err)
			}
		}
		last = db
		want, got := load(t, s), load(t, db)
		sameCatalogue(t, what, got, want)
		for row := range want.Len() {
			samePrices(t, what, got, want, row)
		}
		for _, d := range want.Datasets() {
			a, err := s.Read(t.Context(), d.Revision)
			b, err2 := db.Read(t.Context(), d.Revision)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(a.Prices, b.Prices); diff != "" {
				t.Errorf("%s: all of %s (-database +files):\n%.2000s", what, d.ID, diff)
			}
		}
		var parts int
		if err := db.reader.QueryRow("SELECT count(*) FROM price_parts").Scan(&parts); err != nil || parts != 0 {
			t.Errorf("%s: %d parts are left, %v", what, parts, err)
		}
		other := publishTest(t, s) // whoever has summed up what: the same bytes
		if _, err := s.writer.Exec("DELETE FROM price_sums"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.SetPricesApart(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(readFile(t, other), readFile(t, path)) {
			t.Errorf("%s: the snapshot depends on what was summed up before", what)
		}
		if err := s.KeepSums(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	first := importTest(t, s, history(400)).Number
	importTest(t, s, one("no-prices", 3, 80))
	check("at first")
	added(t, s, observations(400, 300))
	check("added")
	added(t, s, observations(700, 1), catalog.Source{ID: "t"})
	check("one more")
	if err := s.Activate(t.Context(), "history", first, ann); err != nil {
		t.Fatal(err)
	}
	check("undone")
	added(t, s, observations(900, 50))
	check("another branch")
	importTest(t, s, history(20))
	check("replaced")
}

// samePrices compares what is passed of a card between days.
func samePrices(t *testing.T, what string, got, want *catalog.Snapshot, row int) {
	t.Helper()
	all, err := want.History(row)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		return
	}
	dates := []catalog.Date{"", "1999-01-01", all[0].Date, all[len(all)/2].Date, all[len(all)-1].Date}
	for _, from := range dates {
		for _, to := range dates {
			days := catalog.Days{From: from.Ordinal(), To: to.LastOrdinal()}
			list := func(s *catalog.Snapshot) (out []string) {
				err := s.EachPrice(t.Context(), row, days, func(p *catalog.PriceInfo) error {
					out = append(out, fmt.Sprint(p.Placed(), *p.Price))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			if diff := cmp.Diff(list(want), list(got)); diff != "" {
				t.Fatalf("%s: card %d, %s to %s (-database +files):\n%.2000s", what, row, from, to, diff)
			}
		}
	}
}

// TestPricesApartHaveToBeAllOfThem: a list that is of other prices is refused, and a file that is away is an error of
// that moment, never half an answer.
func TestPricesApartHaveToBeAllOfThem(t *testing.T) {
	s := newStore(t)
	importTest(t, s, history(400))
	path, h, dir := apart(t, s)
	fewer := *h
	fewer.Parts = append([]pricefile.Part{}, h.Parts...)
	fewer.Parts[0].Prices--
	none := pricefile.History{}
	for name, list := range map[string]*pricefile.History{"one is missing": &fewer, "all are missing": &none} {
		if _, err := openApart(t, path, list, dir).Load(t.Context(), nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := openApart(t, publishTest(t, s), h, dir).Load(t.Context(), nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a snapshot without sums: got %v", err)
	}
	mostSumsApart = 9 // too much is summed up: the prices stay in the snapshot
	t.Cleanup(func() { mostSumsApart = maxPart })
	var whole [2]string
	for i := range whole {
		whole[i] = publishTest(t, s)
		if done, err := s.SetPricesApart(t.Context(), whole[i]); err != nil || done {
			t.Errorf("got %t, %v, want that the prices stay", done, err)
		}
		setSumsEvery(t, 1) // the second time something is kept
		if err := s.KeepSums(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	untouched := readFile(t, publishTest(t, s))
	if !bytes.Equal(readFile(t, whole[0]), untouched) || !bytes.Equal(readFile(t, whole[1]), untouched) {
		t.Error("a snapshot whose prices stay is another one")
	}
	stays, err := OpenPublished(t.Context(), whole[1], testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer stays.Close()
	sameCatalogue(t, "with its prices", load(t, stays), load(t, s))
	snap := load(t, openApart(t, path, h, t.TempDir()))
	var away pricefile.AwayError
	if _, err := snap.History(0); !errors.As(err, &away) {
		t.Errorf("got %v, want that the files are away", err)
	}
	err = snap.EachPrice(t.Context(), 0, catalog.Days{}, func(*catalog.PriceInfo) error {
		t.Fatal("a price is passed though a file is away")
		return nil
	})
	if !errors.As(err, &away) {
		t.Errorf("got %v, want that the files are away", err)
	}
}

// TestNothingPrivateIsPublishedApart looks for planted secrets in snapshots without prices, in what is summed up in
// them, and in the files beside.
func TestNothingPrivateIsPublishedApart(t *testing.T) {
	s := newStore(t)
	importTest(t, s, sample())
	replaced := history(300)
	replaced.Prices[7].Seller = planted + " of a revision that was replaced"
	importTest(t, s, replaced)
	importTest(t, s, history(300))
	draft := history(5)
	draft.Prices[0].Seller = planted + " of a draft"
	drafted(t, s, draft, importer.Options{})
	if n := plant(t, s.path, columnsOf(t, s)); n < 60 {
		t.Errorf("planted %d secrets, want many", n)
	}
	path, h, dir := apart(t, s)
	db := openApart(t, path, h, dir)
	var all bytes.Buffer
	all.Write(readFile(t, path))
	rows, err := db.reader.Query("SELECT data FROM price_sums")
	var data []byte
	sums := 0
	err = each(rows, err, []any{&data}, func() error {
		list, err := decodeSums(data)
		for _, c := range list {
			sums++
			fmt.Fprint(&all, *c)
		}
		return err
	})
	if err != nil || sums == 0 {
		t.Fatal(sums, err)
	}
	all.Write(h.Encode())
	prices := 0
	for _, name := range names(t, dir) {
		for _, r := range rowsOfFile(t, filepath.Join(dir, name)) {
			prices++
			fmt.Fprint(&all, r)
		}
	}
	if prices < 300 {
		t.Errorf("%d prices are in files, want those of the history", prices)
	}
	if i := strings.Index(all.String(), planted); i >= 0 {
		t.Errorf("published: %q", all.String()[i:min(all.Len(), i+80)])
	}
	for _, table := range privateTables {
		var rows int
		query := "SELECT count(*) FROM " + table
		if table == "price_sums" { // those of what is shown, and no other
			query += " WHERE revision NOT IN (SELECT active_revision FROM datasets WHERE active_revision IS NOT NULL)"
		}
		if err := db.reader.QueryRow(query).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%s has %d rows, %v; want none", table, rows, err)
		}
	}
}
