package store

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"
)

func TestImportedDatasetReadsBackUnchanged(t *testing.T) {
	s := newStore(t)
	for _, want := range []catalog.Dataset{sample(), synthetic(2*chunkCards+1, 6), {ID: "nothing", Rank: -3}} {
		rev := importTest(t, s, want)
		got, err := s.Read(context.Background(), rev.Number)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s changed on its way (-want +got):\n%s", want.ID, diff)
		}
	}
}

func TestRevisionsAreListedWithTheirOrigin(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	sum := strings.Repeat("ab", 32)
	first, err := s.Import(ctx, sample(), importer.FileInfo{Name: "cards.yaml", SHA256: sum}, "first")
	if err != nil {
		t.Fatal(err)
	}
	want := importer.Revision{Number: first.Number, Dataset: "builtin", Created: clock, Author: "tianti",
		File: "cards.yaml", SHA256: sum, Note: "first",
		Cards: 2, Figures: 6, Prices: 2, Rates: 1, Active: true}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("Import (-want +got):\n%s", diff)
	}
	second := importTest(t, s, one("builtin", 0, 5))
	want.Active = false
	got, err := s.Revisions(ctx, "builtin")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]importer.Revision{second, want}, got); diff != "" {
		t.Errorf("Revisions (-want +got):\n%s", diff)
	}
	found, err := s.FindRevision(ctx, "builtin", sum)
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Errorf("FindRevision: %v (-want +got):\n%s", err, diff)
	}
}

func TestActiveSHA256(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	check := func(when, want string) {
		t.Helper()
		if got, err := s.ActiveSHA256(ctx, "builtin"); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", when, got, err, want)
		}
	}
	check("before any import", "")
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	for _, sum := range []string{a, b} {
		if _, err := s.Import(ctx, sample(), importer.FileInfo{SHA256: sum}, ""); err != nil {
			t.Fatal(err)
		}
	}
	check("after two imports", b)
	if err := s.Activate(ctx, "builtin", 1, audit.Program); err != nil {
		t.Fatal(err)
	}
	check("after undo", a)
	if err := s.Activate(ctx, "builtin", 0, audit.Program); err != nil {
		t.Fatal(err)
	}
	check("after deactivation", "")
}

func TestImportRefusesWhatDoesNotFitAndChangesNothing(t *testing.T) {
	pos := catalog.Pos{File: "cards.yaml", Line: 7, Column: 3}
	fact := func(f catalog.Fact) func(*catalog.Dataset) {
		return func(ds *catalog.Dataset) { f.Pos = pos; ds.Cards[0].Facts = append(ds.Cards[0].Facts, f) }
	}
	for _, tc := range []struct {
		name string
		edit func(*catalog.Dataset)
		want string // part of the message
	}{
		{"unknown quantity", fact(catalog.Fact{Quantity: "colour", Text: "green", Source: "s"}),
			"cards.yaml:7:3: card: colour: this is no quantity that a dataset may hold"},
		{"derived quantity", fact(catalog.Fact{Quantity: "memory_read_ms", Number: 1, Source: "s"}),
			"memory_read_ms: this is no quantity"},
		{"unknown source", fact(catalog.Fact{Quantity: "tdp_w", Number: 1, Source: "hearsay"}),
			`tdp_w: source "hearsay" is not among the sources`},
		{"empty text", fact(catalog.Fact{Quantity: "memory_type", Source: "s"}), "memory_type: the value is empty"},
		{"not a number", fact(catalog.Fact{Quantity: "tdp_w", Number: nan(), Source: "s"}),
			"tdp_w: NaN is not a number"},
		{"card twice", func(ds *catalog.Dataset) { ds.Cards = append(ds.Cards, ds.Cards[0]) }, "card: id: this card " +
			"is given twice"},
		{"source twice", func(ds *catalog.Dataset) { ds.Sources = append(ds.Sources, ds.Sources[0]) },
			"s: this source is given twice"},
		{"date that does not exist", func(ds *catalog.Dataset) { ds.Sources[0].Published = "2023-02-30" },
			`source "s": `},
		{"date of another form", func(ds *catalog.Dataset) { ds.Sources[0].Retrieved = "2023-2" }, `source "s": `},
		{"card without a name", func(ds *catalog.Dataset) { ds.Cards[0].Name = "" }, `card "card": `},
		{"claim of nobody", func(ds *catalog.Dataset) {
			ds.Claims = []catalog.Claim{{ID: "c", Source: "hearsay", Pos: pos}}
		}, `cards.yaml:7:3: source: source "hearsay" is not among the sources`},
		{"PCI id in upper case", func(ds *catalog.Dataset) { ds.Cards[0].PCIIDs = []string{"10DE:2330"} },
			`PCI id "10DE:2330"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newStore(t)
			importTest(t, s, one("data", 1, 1))
			ds := one("data", 1, 2)
			tc.edit(&ds)
			_, err := s.Import(context.Background(), ds, importer.FileInfo{}, "")
			if s.server != nil && errors.Is(err, errTogether) {
				tc.want = "" // rows that go together have no name each
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) ||
				!strings.HasPrefix(err.Error(), `import dataset "data": `) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
			if snap := load(t, s); snap.Revision != 1 || memory(t, snap) != 1 {
				t.Errorf("got revision %d with %v GB, want 1 with 1", snap.Revision, memory(t, snap))
			}
		})
	}
}

func nan() float64 { var zero float64; return zero / zero }

func TestImportRejectsBadDatasetIDAndHash(t *testing.T) {
	s := newStore(t)
	if _, err := s.Import(context.Background(), catalog.Dataset{ID: "Not an id"}, importer.FileInfo{}, ""); err == nil {
		t.Error("a dataset id with spaces was accepted")
	}
	if _, err := s.Import(context.Background(), one("data", 1, 1), importer.FileInfo{SHA256: "ABC"}, ""); err == nil {
		t.Error("a malformed SHA-256 was accepted")
	}
}

func TestDiskFullWhileImportingKeepsThePreviousRevision(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, one("data", 1, 1))
	if _, err := s.writer.Exec("PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	big := synthetic(300, 20)
	big.ID = "data"
	_, err := s.Import(ctx, big, importer.FileInfo{}, "")
	want := `database ` + s.path +
		` has no room to grow, the disk is full: free some space and try again (nothing was changed)`
	if !errors.Is(err, ErrDiskFull) || !strings.HasSuffix(err.Error(), want) {
		t.Fatalf("got %v, want %s", err, want)
	}
	if snap := load(t, s); snap.Revision != 1 || memory(t, snap) != 1 {
		t.Errorf("got revision %d with %v GB, want 1 with 1", snap.Revision, memory(t, snap))
	}
	if got, err := s.Revisions(ctx, "data"); err != nil || len(got) != 1 {
		t.Errorf("got %d revisions, %v, want 1", len(got), err)
	}
	if _, err := s.writer.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	importTest(t, s, big) // there is room again
}

// cancelAfter ends after its Err was asked n times.
type cancelAfter struct {
	context.Context
	n      atomic.Int64
	cancel func()
}

func (c *cancelAfter) Err() error {
	if c.n.Add(-1) == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

func TestCancelledImportChangesNothing(t *testing.T) {
	s := newStore(t)
	importTest(t, s, one("data", 1, 1))
	big := synthetic(500, 4)
	big.ID = "data"
	inner, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx := &cancelAfter{Context: inner, cancel: cancel}
	ctx.n.Store(100)
	_, err := s.Import(ctx, big, importer.FileInfo{}, "")
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
	if snap := load(t, s); snap.Revision != 1 || memory(t, snap) != 1 {
		t.Errorf("got revision %d with %v GB, want 1 with 1", snap.Revision, memory(t, snap))
	}
	importTest(t, s, big) // and the store goes on
}

func TestUnknownDatasetAndRevision(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, one("data", 1, 1))
	importTest(t, s, one("other", 1, 1))
	_, listErr := s.Revisions(ctx, "none")
	_, readErr := s.Read(ctx, 99)
	_, findErr := s.FindRevision(ctx, "data", strings.Repeat("0", 64))
	for name, err := range map[string]error{
		"activate, unknown dataset":       s.Activate(ctx, "none", 1, audit.Program),
		"activate, unknown revision":      s.Activate(ctx, "data", 99, audit.Program),
		"activate, another one's":         s.Activate(ctx, "data", 2, audit.Program),
		"deactivate":                      s.Activate(ctx, "none", 0, audit.Program),
		"rank":                            s.SetRank(ctx, "none", 1, audit.Program),
		"list revisions":                  listErr,
		"read":                            readErr,
		"find a revision by another hash": findErr,
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want fs.ErrNotExist", name, err)
		}
	}
	if n, err := s.CatalogueRevision(ctx); err != nil || n != 2 {
		t.Errorf("got catalogue revision %d, %v, want 2", n, err)
	}
}
