package site

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"tianti/catalog"
	"tianti/catalog/sample"
)

// TestACatalogueIsHeldBackForItsFirstVisitors: one with other cards until what they would wait for is there, one with
// other prices for half a second, none where it takes far too long or the server is about to end; and the one of before
// is shown meanwhile.
func TestACatalogueIsHeldBackForItsFirstVisitors(t *testing.T) {
	const cards = 40
	data := sample.Dataset("synthetic", cards)
	all := catalog.NewSnapshot(2, data)
	few := catalog.NewSnapshot(1, sample.Dataset("synthetic", 20))
	data.Revision, data.Offers = 2, catalog.SumUpPrices(nil)
	priced := all.WithPrices(3, []catalog.Dataset{data}, 1)
	for _, tc := range []struct {
		name          string
		before, after *catalog.Snapshot
		takes, leaves time.Duration
		want          time.Duration // until the catalogue is shown
	}{
		{"other cards", few, all, 4 * time.Second, time.Hour, 4 * time.Second},
		{"other cards for too long", few, all, time.Minute, time.Hour, 5*time.Second + cards*200*time.Microsecond},
		{"other prices", all, priced, 400 * time.Millisecond, time.Hour, 400 * time.Millisecond},
		{"other prices for too long", all, priced, time.Minute, time.Hour, 500 * time.Millisecond},
		{"the server leaves", few, all, time.Minute, time.Second, time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaving := make(chan struct{})
				s := New(Config{Leaving: leaving})
				defer s.Close()
				s.Swap(tc.before)
				s.Prepare = func(context.Context, *catalog.Snapshot) {
					if s.Snapshot() != tc.before {
						t.Error("the catalogue is shown before its first pages are asked for")
					}
					time.Sleep(tc.takes)
				}
				began := time.Now()
				time.AfterFunc(tc.leaves, func() { close(leaving) })
				s.Swap(tc.after)
				if took := time.Since(began); took != tc.want || s.Snapshot() != tc.after {
					t.Errorf("shown after %s, want %s", took, tc.want)
				}
				time.Sleep(tc.takes)
			})
		})
	}
}
