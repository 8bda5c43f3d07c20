package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

// TestHistoriesAreReadBetweenDays holds what is passed between days against all prices of a card, also after undo, and
// asks the database while it is passed: no connection may be held for whoever reads slowly.
func TestHistoriesAreReadBetweenDays(t *testing.T) {
	s := newStore(t)
	first := importTest(t, s, history(400)).Number
	added(t, s, observations(400, 300))
	added(t, s, observations(700, 1), catalog.Source{ID: "t"})
	check := func() {
		t.Helper()
		s.reader.SetMaxOpenConns(2) // as many as a load takes
		snap := load(t, s)
		s.reader.SetMaxOpenConns(1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for row := range snap.Len() {
			all, err := snap.History(row)
			if err != nil || len(all) == 0 {
				t.Fatal(err, len(all))
			}
			dates := []catalog.Date{"", "1999-01-01", "2099-01-01", all[0].Date, all[len(all)/2].Date,
				all[len(all)-1].Date}
			for _, from := range dates {
				for _, to := range dates {
					days := catalog.Days{From: from.Ordinal(), To: to.LastOrdinal()}
					got, want := []string{}, []string{}
					for _, p := range all {
						if days.May(p.Date) {
							want = append(want, fmt.Sprint(p.Placed(), *p.Price))
						}
					}
					last := -1
					err := snap.EachPrice(t.Context(), row, days, func(p *catalog.PriceInfo) error {
						got = append(got, fmt.Sprint(p.Placed(), *p.Price))
						if at := p.Placed().Place; at <= last {
							t.Errorf("place %d comes behind %d", at, last)
						} else {
							last = at
						}
						if len(got) > 1 {
							return nil
						}
						tx, _, err := s.beginRead(ctx)
						return errors.Join(err, tx.Rollback())
					})
					if err != nil {
						t.Fatal(err)
					}
					slices.Sort(got)
					slices.Sort(want)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("card %d, %s to %s (-want +got):\n%.2000s", row, from, to, diff)
					}
				}
			}
		}
	}
	check()
	if err := s.Activate(t.Context(), "history", first, ann); err != nil {
		t.Fatal(err)
	}
	check()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.reader.SetMaxOpenConns(2)
	if err := load(t, s).EachPrice(ctx, 0, catalog.Days{}, func(*catalog.PriceInfo) error { return nil }); err == nil {
		t.Error("a client that is gone is read for")
	}
}
