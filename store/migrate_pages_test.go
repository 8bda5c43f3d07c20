package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/importer"
	"tianti/test/slow"
	"tianti/web"
)

func TestAnOlderDatabaseShowsTheSame(t *testing.T) { showsTheSame(t, 30_000) }

func TestFullAnOlderDatabaseShowsTheSame(t *testing.T) {
	slow.Only(t)
	showsTheSame(t, 1_000_000)
}

// showsTheSame brings a database of before prices were events up to date, which has so many prices in two imports, and
// corrections that an administrator made: each price, each correction and each page is as it was.
func showsTheSame(t *testing.T, prices int) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "older.db")
	s, err := Open(ctx, path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	importTest(t, s, olderSample())
	importTest(t, s, history(prices/2))
	added(t, s, observations(prices/2, prices-prices/2))
	correct(t, s)
	pages, revisions := pagesOf(t, s), hashesOf(t, s)
	p, err := newProvider(s.writer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.DownTo(ctx, pricesMigration-1); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	var told []int
	total := 0
	from, to, err := Migrate(ctx, path, func(done, of int) { told, total = append(told, done), of })
	if err != nil || from != pricesMigration-1 || to != latestSchema() {
		t.Fatalf("from %d to %d, %v", from, to, err)
	}
	// Of the second import the first half was copied.
	if n := len(told); n < 3 || !slices.IsSorted(told) || told[n-1] != total || total < prices+prices/2 {
		t.Errorf("told %v of %d", told, total)
	}
	s = openTest(t, path)
	if diff := cmp.Diff(revisions, hashesOf(t, s)); diff != "" {
		t.Errorf("revisions (-before +after):\n%s", diff)
	}
	after := pagesOf(t, s)
	for page, want := range pages {
		if got := after[page]; got != want {
			t.Errorf("%s: (-before +after):\n%s", page, cmp.Diff(firstDifference(want, got)))
		}
	}
	refusedByOlder(t, s)
}

// correct makes corrections: one, one that is changed, one that is taken back.
func correct(t *testing.T, s *Store) {
	t.Helper()
	in := importer.New(importer.Config{Store: s, Snapshot: func() *catalog.Snapshot { return load(t, s) }})
	note := catalog.Text{En: "measured here", Zh: "在此测得"}
	for _, c := range []struct {
		card string
		fact *catalog.Fact
	}{
		{"card-0", &catalog.Fact{Number: 12}},
		{"card-1", &catalog.Fact{Number: 16}},
		{"card-1", &catalog.Fact{Number: 24, Note: note}},
		{"card-2", &catalog.Fact{Number: 48}},
		{"card-2", nil},
	} {
		src := catalog.Source{Publisher: "We", Title: "What we saw", Kind: "community", Retrieved: "2026-02-03"}
		if _, err := in.Correct(t.Context(), c.card, "memory_gb", c.fact, src, ann); err != nil {
			t.Fatal(err)
		}
	}
}

// pagesOf are pages and answers in both languages, all prices among them.
func pagesOf(t *testing.T, s *Store) map[string]string {
	t.Helper()
	snap := load(t, s)
	server := web.New(web.Config{Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return clock }})
	defer server.Close()
	server.Swap(snap)
	out := map[string]string{}
	for _, path := range []string{"/cards", "/zh/cards?sort=-memory_gb", "/cards/card-0", "/cards/card-1",
		"/zh/cards/card-1", "/cards/card-2", "/compare?card=card-0&card=card-1", "/prices", "/prices/card-1",
		"/zh/prices/card-2", "/sources", "/api/v1/cards", "/api/v1/cards/card-1", "/api/v1/prices?card=card-0",
		"/api/v1/prices.csv", "/cards/card-1.json"} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", path, w.Code)
		}
		out[path] = w.Body.String()
	}
	if got := strings.Count(out["/api/v1/prices.csv"], "\n"); got < snap.PriceCount() {
		t.Fatalf("%d lines of %d prices", got, snap.PriceCount())
	}
	for page, want := range map[string]string{"/cards/card-1": "measured here", "/zh/cards/card-1": "在此测得"} {
		if !strings.Contains(out[page], want) {
			t.Errorf("%s does not say %q", page, want)
		}
	}
	return out
}

// hashesOf is what each applied revision is and holds, its prices as a hash.
func hashesOf(t *testing.T, s *Store) map[int64]string {
	t.Helper()
	out := map[int64]string{}
	for _, dataset := range []string{"builtin", "history", catalog.Local} {
		list, err := s.Revisions(t.Context(), dataset)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			d, err := s.Read(t.Context(), r.Number)
			if err != nil {
				t.Fatal(err)
			}
			hash := sha256.New()
			for i := range d.Prices {
				fmt.Fprintln(hash, d.Prices[i])
			}
			d.Prices = nil
			out[r.Number] = fmt.Sprintf("%+v %+v %x", r, d, hash.Sum(nil))
		}
	}
	if len(out) < 8 {
		t.Fatalf("%d revisions", len(out))
	}
	return out
}

// firstDifference is what two long texts have around the place where they part.
func firstDifference(a, b string) (string, string) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	around := func(text string) string { return text[max(0, n-80):min(len(text), n+80)] }
	return around(a), around(b)
}

// refusedByOlder opens a database with a program that knows the schema of before.
func refusedByOlder(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	before := contents(t, s.path)
	now := latestSchema
	latestSchema = func() int64 { return pricesMigration - 1 }
	defer func() { latestSchema = now }()
	older, err := Open(context.Background(), s.path, testOptions())
	if err == nil {
		older.Close()
	}
	if !errors.Is(err, ErrNewer) {
		t.Errorf("an older program: got %v, want %v", err, ErrNewer)
	}
	if !bytes.Equal(before, contents(t, s.path)) {
		t.Error("an older program changed it")
	}
}
