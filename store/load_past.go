package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"sync"
	"time"

	"tianti/catalog"
	"tianti/sorting"
)

// past is the catalogue of earlier revisions that was loaded last: days near each other have the same.
type past struct {
	mu       sync.Mutex
	heads    []head
	revision int64 // of the catalogue
	snapshot *catalog.Snapshot
}

// LoadAsOf returns the catalogue of the revisions that were active before a moment, as the audit log has it; nil where
// these are those of now. Of a dataset of which no revision had been active it has the one of now: nobody knows
// another. Ranks and titles are those of now.
func (s *Store) LoadAsOf(ctx context.Context, at time.Time) (*catalog.Snapshot, error) {
	snapshot, err := s.loadAsOf(ctx, at)
	return snapshot, explain(ctx, s.path, "load the catalogue of an earlier time", err)
}

func (s *Store) loadAsOf(ctx context.Context, at time.Time) (*catalog.Snapshot, error) {
	v, err := s.begun(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer v.end()
	now, err := readHeads(ctx, v.tx())
	if err != nil {
		return nil, err
	}
	heads, err := headsBefore(ctx, v.tx(), now, at)
	if err != nil || sameHeads(heads, now) {
		return nil, err
	}
	s.past.mu.Lock()
	defer s.past.mu.Unlock()
	if s.past.revision == v.revision && sameHeads(s.past.heads, heads) {
		return s.past.snapshot, nil
	}
	var none *loaded
	l, err := none.prices(ctx, v, heads)
	if err == nil {
		l.snapshot, err = v.loadWhole(ctx, heads, nil)
	}
	if err != nil {
		return nil, err
	}
	s.past.heads, s.past.revision, s.past.snapshot = slices.Clone(l.heads), v.revision, l.snapshot
	return l.snapshot, nil
}

// sameHeads reports whether two lists are of the same revisions.
func sameHeads(a, b []head) bool {
	return slices.EqualFunc(a, b, func(a, b head) bool { return a.key == b.key && a.Revision == b.Revision })
}

// headsBefore are the heads of the datasets as they were before a moment: of those that no line of the audit log tells
// of, as they are now.
func headsBefore(ctx context.Context, tx *sql.Tx, now []head, at time.Time) ([]head, error) {
	shown := map[string]int64{} // by dataset; 0: none
	entries, err := readEntries(ctx, tx, ` WHERE number IN (SELECT max(number) FROM audit
		WHERE action IN ('import.apply', 'dataset.activate', 'dataset.deactivate') AND at < ? GROUP BY subject)`,
		[]any{at.Unix()})
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		shown[e.Subject] = numberOf(e.Detail["to"])
		if e.Action == "import.apply" {
			shown[e.Subject] = numberOf(e.Detail["revision"])
		}
	}
	var out []head
	for _, h := range now {
		if _, known := shown[h.ID]; !known {
			out = append(out, h)
		}
	}
	for _, number := range shown {
		if number == 0 {
			continue
		}
		rows, err := tx.QueryContext(ctx, headsOf+"r.number = ? AND r.state = 'applied'", number)
		list, err := scanHeads(rows, err)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	sorting.Func(out, func(a, b head) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.ID, b.ID))
	})
	pricesLast(out)
	return out, nil
}
