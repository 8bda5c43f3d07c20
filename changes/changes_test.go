package changes_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/synctest"

	"tianti/audit"
	"tianti/catalog"
	"tianti/changes"
)

// shelf has revisions by number: each is of a dataset, with so many cards of so many watts.
type shelf struct {
	revisions map[int64]revision
	read      int // whole revisions
	fails     error
}

type revision struct {
	body    int64
	dataset string
	cards   int
	watts   float64
}

func (s *shelf) Entries(context.Context, audit.Query) ([]audit.Entry, int, error) {
	return nil, 0, nil
}

func (s *shelf) Body(_ context.Context, number int64) (changes.Body, error) {
	r, ok := s.revisions[number]
	if !ok {
		return changes.Body{}, fs.ErrNotExist
	}
	return changes.Body{Number: r.body, Dataset: r.dataset, Cards: r.cards}, nil
}

func (s *shelf) Figures(_ context.Context, number int64) (catalog.Dataset, error) {
	s.read++
	r := s.revisions[number]
	d := catalog.Dataset{ID: r.dataset, Sources: []catalog.Source{{ID: "s"}}}
	for i := range r.cards {
		d.Cards = append(d.Cards, catalog.Card{ID: fmt.Sprint("card-", i), Name: "Card",
			Facts: []catalog.Fact{{Quantity: "tdp_w", Number: r.watts, Source: "s"}}})
	}
	return d, s.fails
}

// TestLargeRevisionsAreComparedWhileNobodyWaits: who asks is told so, the work is done once, and then it is there.
func TestLargeRevisionsAreComparedWhileNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = changes.MostAtOnce
		s := &shelf{revisions: map[int64]revision{1: {1, "a", many, 300}, 2: {2, "a", many, 310}, 3: {3, "a", 2, 300},
			4: {4, "a", 2, 310}, 5: {2, "a", many, 310}, 6: {6, "b", 2, 300}}}
		l := changes.NewLog(s)
		ask := func(from, to int64) (*changes.Difference, error) {
			return l.Waiting().Difference(t.Context(), from, to)
		}
		if got, err := ask(3, 4); err != nil || got.Figures["changed"] != 2 || s.read != 2 {
			t.Errorf("small ones: got %+v, %v", got, err)
		}
		if got, err := ask(4, 3); err != nil || got.Figures["changed"] != 2 || s.read != 2 {
			t.Errorf("the other way round: got %+v, %v after reading %d revisions, want 2", got, err, s.read)
		}
		if got, err := ask(2, 5); err != nil || len(got.Cards) != 0 || got.Dataset != "a" || s.read != 2 {
			t.Errorf("with prices alone between them: got %+v, %v after reading %d", got, err, s.read)
		}
		if _, err := ask(3, 6); err == nil || !errors.As(err, new(*changes.MixedError)) || s.read != 2 {
			t.Errorf("of two datasets: got %v", err)
		}
		if _, err := ask(3, 9); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of a revision that is not there: got %v", err)
		}
		s.fails = errors.New("the database is away")
		for range 3 {
			if _, err := ask(1, 2); !errors.Is(err, changes.ErrComparing) {
				t.Errorf("got %v, want ErrComparing", err)
			}
		}
		synctest.Wait()
		s.fails = nil
		if _, err := ask(1, 2); !errors.Is(err, changes.ErrComparing) {
			t.Errorf("after a failure: got %v, want another attempt", err)
		}
		synctest.Wait()
		read := s.read
		if got, err := ask(1, 2); err != nil || got.Figures["changed"] != many || s.read != read {
			t.Errorf("afterwards: got %v, %v", got != nil, err)
		}
		if got, err := l.Compared(t.Context(), 2, 1); err != nil || got.Figures["changed"] != many {
			t.Errorf("for who can wait: got %v, %v", got != nil, err)
		}
	})
}

// TestOneRequestComparesAsMuchAsOneWaitsFor: what more it asks for is compared in the background.
func TestOneRequestComparesAsMuchAsOneWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const some = changes.MostAtOnce/2 - 1
		s := &shelf{revisions: map[int64]revision{1: {1, "a", some, 300}, 2: {2, "a", some, 310},
			3: {3, "a", some, 320}}}
		l := changes.NewLog(s)
		one := l.Waiting()
		for i, want := range []error{nil, nil, changes.ErrComparing, changes.ErrComparing} {
			pair := [][2]int64{{1, 2}, {1, 2}, {2, 3}, {1, 3}}[i]
			if _, err := one.Difference(t.Context(), pair[0], pair[1]); !errors.Is(err, want) {
				t.Errorf("%v: got %v, want %v", pair, err, want)
			}
		}
		synctest.Wait()
		if _, err := one.Difference(t.Context(), 2, 3); err != nil {
			t.Errorf("after it was compared in the background: got %v", err)
		}
		if _, err := l.Waiting().Difference(t.Context(), 1, 3); err != nil {
			t.Errorf("for another request: got %v", err)
		}
	})
}

// TestWhatIsAskedForStaysWhileOthersGo: who asks for many differences does not push out those that pages show.
func TestWhatIsAskedForStaysWhileOthersGo(t *testing.T) {
	s := &shelf{revisions: map[int64]revision{}}
	for n := range int64(100) {
		s.revisions[n+1] = revision{n + 1, "a", 2, float64(n)}
	}
	l := changes.NewLog(s)
	ask := func(from, to int64) {
		t.Helper()
		if _, err := l.Waiting().Difference(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
	}
	ask(1, 2)
	for n := int64(3); n < 100; n++ {
		ask(n, n+1)
		before := s.read
		ask(1, 2)
		if s.read != before {
			t.Fatalf("after %d others the first pair was compared again", n-2)
		}
	}
	before := s.read
	ask(3, 4)
	if s.read == before {
		t.Error("nothing was forgotten, so that memory has no bound")
	}
}
