package store

import (
	"context"
	"testing"
	"time"

	"tianti/audit"
)

// TestTheCatalogueOfAnEarlierTime: revisions that were active then, and of datasets that were not there yet those of
// now.
func TestTheCatalogueOfAnEarlierTime(t *testing.T) {
	now := clock
	s, err := Open(context.Background(), newAddress(t), Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	day := func(n int) time.Time { return clock.AddDate(0, 0, n) }
	importTest(t, s, one("a", 2, 10))
	now = day(2)
	second := importTest(t, s, one("a", 2, 20))
	now = day(4)
	importTest(t, s, one("b", 9, 40)) // of a higher rank
	now = day(6)
	if err := s.Activate(t.Context(), "b", 0, ann); err != nil {
		t.Fatal(err)
	}
	now = day(8)
	importTest(t, s, one("a", 2, 30))
	for n, want := range map[int]float64{1: 10, 3: 20, 5: 40, 7: 20, 9: 0} {
		snap, err := s.LoadAsOf(t.Context(), day(n))
		if err != nil {
			t.Fatal(err)
		}
		if snap == nil {
			if want != 0 {
				t.Errorf("day %d: got the catalogue of now, want %g", n, want)
			}
			continue
		}
		if got := memory(t, snap); got != want {
			t.Errorf("day %d: got %g, want %g", n, got, want)
		}
	}
	// Before the first line nobody knows another than that of now.
	if snap, err := s.LoadAsOf(t.Context(), day(-3)); snap != nil || err != nil {
		t.Errorf("got %v, %v, want that of now", snap, err)
	}
	third, err := s.LoadAsOf(t.Context(), day(3))
	again, againErr := s.LoadAsOf(t.Context(), day(3).Add(time.Hour))
	if err != nil || againErr != nil || third != again {
		t.Errorf("the same revisions are loaded twice: %v, %v", err, againErr)
	}
	if err := s.Activate(t.Context(), "a", second.Number, audit.Program); err != nil {
		t.Fatal(err)
	}
	if got := memory(t, load(t, s)); got != 20 {
		t.Errorf("the catalogue of now has %g, want 20: it was changed by looking back", got)
	}
}
