package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/audit"
	"tianti/catalog"
	"tianti/importer"

	"tianti/test/slow"
)

func TestLoadKeepsEveryFigureWithItsSource(t *testing.T) {
	// More chunks than there are buffers, so that each is used again.
	for _, ds := range []catalog.Dataset{sample(), varied(5*chunkCards + 7)} {
		t.Run(ds.ID, func(t *testing.T) { loadsAsGiven(t, ds) })
	}
}

// varied has cards with more and with fewer of everything than the one before.
func varied(cards int) catalog.Dataset {
	ds := synthetic(cards, 8)
	for i := range ds.Cards {
		c := &ds.Cards[i]
		c.Facts, c.Aliases, c.PCIIDs = c.Facts[:i*7%9], c.Aliases[:i/3%2], c.PCIIDs[:i/5%2]
	}
	return ds
}

func loadsAsGiven(t *testing.T, ds catalog.Dataset) {
	s := newStore(t)
	importTest(t, s, ds)
	snap := load(t, s)
	revisions, err := s.Revisions(t.Context(), ds.ID)
	if err != nil {
		t.Fatal(err)
	}
	ds.Revision, ds.Imported = revisions[0].Number, catalog.Date(revisions[0].Created.UTC().Format(time.DateOnly))
	want := catalog.NewSnapshot(1, ds)
	if diff := cmp.Diff(want.Datasets(), snap.Datasets()); diff != "" {
		t.Errorf("datasets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Sources(), snap.Sources()); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if snap.Len() != len(ds.Cards) || snap.Partial() {
		t.Fatalf("got %d cards, partial %t, want %d, false", snap.Len(), snap.Partial(), len(ds.Cards))
	}
	quantityIDs := cmp.Transformer("id", func(q *catalog.Quantity) string {
		if q == nil {
			return ""
		}
		return q.ID
	})
	for i := range want.Len() {
		if diff := cmp.Diff(want.Card(i), snap.Card(i), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("card %d (-want +got):\n%s", i, diff)
		}
		if diff := cmp.Diff(want.Facts(i), snap.Facts(i), quantityIDs); diff != "" {
			t.Fatalf("facts of card %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestHigherRankIsShown(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, one("low", 1, 10))
	importTest(t, s, one("high", 2, 20))
	if got := memory(t, load(t, s)); got != 20 {
		t.Errorf("got %v GB, want 20 of the higher rank", got)
	}
	if err := s.SetRank(ctx, "low", 3, audit.Program); err != nil {
		t.Fatal(err)
	}
	if got := memory(t, load(t, s)); got != 10 {
		t.Errorf("after SetRank: got %v GB, want 10", got)
	}
	importTest(t, s, one("low", 1, 11)) // the rank of a known dataset stays
	if got := memory(t, load(t, s)); got != 11 {
		t.Errorf("after another import: got %v GB, want 11", got)
	}
	got, err := s.Datasets(ctx)
	want := []importer.Dataset{{ID: "low", Rank: 3, Active: 3, Revisions: 2},
		{ID: "high", Rank: 2, Active: 2, Revisions: 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Datasets: %v (-want +got):\n%s", err, diff)
	}
}

func TestUndoAndRedoByActivating(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	first, second := importTest(t, s, one("data", 1, 1)), importTest(t, s, one("data", 1, 2))
	for i, step := range []struct {
		do   func() error
		want float64 // 0: the card is gone
		at   int64
	}{
		{func() error { return nil }, 2, 2},
		{func() error { return s.Activate(ctx, "data", first.Number, audit.Program) }, 1, 3},
		{func() error { return s.Activate(ctx, "data", first.Number, audit.Program) }, 1, 3}, // no change, no move
		{func() error { return s.Activate(ctx, "data", second.Number, audit.Program) }, 2, 4},
		{func() error { return s.Activate(ctx, "data", 0, audit.Program) }, 0, 5},
		{func() error { return s.Activate(ctx, "data", 0, audit.Program) }, 0, 5},
		{func() error { return s.SetRank(ctx, "data", 1, audit.Program) }, 0, 5},
		{func() error { return s.SetRank(ctx, "data", 7, audit.Program) }, 0, 6},
		{func() error { return s.Activate(ctx, "data", first.Number, audit.Program) }, 1, 7},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		snap := load(t, s)
		if got := memory(t, snap); got != step.want || snap.Revision != step.at {
			t.Errorf("step %d: got %v GB at revision %d, want %v at %d", i, got, snap.Revision, step.want, step.at)
		}
	}
}

func TestEmptyCatalogueLoads(t *testing.T) {
	s := newStore(t)
	if snap := load(t, s); snap.Len() != 0 || snap.Partial() || snap.Revision != 0 {
		t.Errorf("got %d cards, partial %t, revision %d, want 0, false, 0", snap.Len(), snap.Partial(), snap.Revision)
	}
	importTest(t, s, catalog.Dataset{ID: "nothing"})
	if snap := load(t, s); snap.Len() != 0 || snap.Partial() || snap.Revision != 1 {
		t.Errorf("got %d cards, partial %t, revision %d, want 0, false, 1", snap.Len(), snap.Partial(), snap.Revision)
	}
}

func TestProgressShowsTheFirstCardsOfALargeCatalogue(t *testing.T) {
	for _, tc := range []struct{ cards, calls int }{{firstCards, 0}, {firstCards + 1, 1}} {
		t.Run(fmt.Sprint(tc.cards), func(t *testing.T) {
			s := newStore(t)
			importTest(t, s, synthetic(tc.cards, 1))
			var calls int
			snap, err := s.Load(context.Background(), func(part *catalog.Snapshot) {
				calls++
				if part.Len() != firstCards || !part.Partial() || part.Total != tc.cards {
					t.Errorf("got a part of %d of %d cards, partial %t, want %d of %d, true", part.Len(), part.Total,
						part.Partial(), firstCards, tc.cards)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if calls != tc.calls || snap.Len() != tc.cards || snap.Partial() {
				t.Errorf("got %d calls, %d cards, partial %t, want %d, %d, false", calls, snap.Len(), snap.Partial(),
					tc.calls, tc.cards)
			}
		})
	}
}

func TestConnectionsThatLoadTogetherSeeTheSameRevision(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, one("data", 1, 1))
	for _, imports := range []int{0, 1} { // somebody imports in between
		v, err := s.begun(ctx, 3)
		if err != nil {
			t.Fatal(err)
		}
		for range imports {
			importTest(t, s, one("data", 1, 1))
		}
		for _, much := range []bool{false, true, true} {
			want := 1
			if much && imports == 0 {
				want = 3
			}
			txs, err := v.lanes(ctx, much)
			if err != nil || len(txs) != want {
				t.Fatalf("%d imports, much: %v: got %d transactions, %v, want %d", imports, much, len(txs), err, want)
			}
			for i, tx := range txs {
				if n, err := catalogueRevision(ctx, tx); err != nil || n != v.revision {
					t.Errorf("transaction %d: got revision %d, %v, want %d", i, n, err, v.revision)
				}
			}
		}
		v.end()
	}
}

// uniform is a dataset of which every card has the same memory.
func uniform(cards int, gigabytes float64) catalog.Dataset {
	ds := one("data", 1, gigabytes)
	c := ds.Cards[0]
	ds.Cards = nil
	for i := range cards {
		c.ID = fmt.Sprintf("card-%d", i)
		ds.Cards = append(ds.Cards, c)
	}
	return ds
}

func TestLoadSeesOneMomentWhileAnotherImports(t *testing.T) {
	slow.Raced(t, "load.go")
	s := newStore(t)
	ctx, cancel := context.WithCancel(context.Background())
	importTest(t, s, uniform(3*chunkCards, 1))
	other := openTest(t, addressOf(s))
	done := make(chan error)
	go func() {
		defer close(done)
		for n := 2; ctx.Err() == nil; n++ {
			if _, err := other.Import(ctx, uniform(3*chunkCards, float64(n)), importer.FileInfo{}, ""); err != nil &&
				ctx.Err() == nil {
				done <- err
				return
			}
		}
	}()
	q, _ := catalog.LookupQuantity("memory_gb")
	for loads := 0; loads < 12 || load(t, s).Revision < 4; loads++ {
		snap := load(t, s)
		for i := range snap.Len() {
			if got, _ := snap.Number(q, i); got != float64(snap.Revision) {
				t.Fatalf("card %d of catalogue revision %d is of revision %v", i, snap.Revision, got)
			}
		}
		if snap.Len() != 3*chunkCards {
			t.Fatalf("got %d cards, want %d", snap.Len(), 3*chunkCards)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCancelledLoadSaysSo(t *testing.T) {
	s := newStore(t)
	importTest(t, s, synthetic(firstCards+chunkCards, 2))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := s.Load(ctx, func(*catalog.Snapshot) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if n := load(t, s).Len(); n != firstCards+chunkCards { // its connections are free again
		t.Errorf("got %d cards, want %d", n, firstCards+chunkCards)
	}
}

func TestAnotherProcessSeesTheRevisionMove(t *testing.T) {
	s := newStore(t)
	other := openTest(t, addressOf(s))
	importTest(t, s, one("data", 1, 1))
	if n, err := other.CatalogueRevision(context.Background()); err != nil || n != 1 {
		t.Errorf("got revision %d, %v, want 1", n, err)
	}
	if got := memory(t, load(t, other)); got != 1 {
		t.Errorf("got %v GB, want 1", got)
	}
}
