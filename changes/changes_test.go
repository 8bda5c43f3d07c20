package changes_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/synctest"

	"tianti/catalog"
	"tianti/changes"
	"tianti/importer"
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

func (s *shelf) Entries(context.Context, importer.AuditQuery) ([]importer.AuditEntry, int, error) {
	return nil, 0, nil
}

func (s *shelf) Body(_ context.Context, number int64) (changes.Body, error) {
	r, ok := s.revisions[number]
	if !ok {
		return changes.Body{}, fs.ErrNotExist
	}
	return changes.Body{Number: r.body, Dataset: r.dataset, Cards: r.cards}, nil
}

func (s *shelf) Revision(_ context.Context, number int64) (catalog.Dataset, error) {
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
		ask := func(from, to int64) (*changes.Difference, error) { return l.Difference(t.Context(), from, to) }
		if got, err := ask(3, 4); err != nil || got.Figures["changed"] != 2 || s.read != 2 {
			t.Errorf("small ones: got %+v, %v", got, err)
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
