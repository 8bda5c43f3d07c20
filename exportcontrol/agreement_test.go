package exportcontrol_test

import (
	"testing"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/seed"
)

// builtin is the built-in catalogue.
func builtin(tb testing.TB) *catalog.Snapshot {
	tb.Helper()
	d, err := seed.Builtin()
	if err != nil {
		tb.Fatal(err)
	}
	return catalog.NewSnapshot(1, d)
}

func itemOf(tb testing.TB, s *catalog.Snapshot, id string) *exportcontrol.Item {
	tb.Helper()
	row, ok := s.Find(id)
	if !ok {
		tb.Fatalf("no card %s", id)
	}
	return exportcontrol.CardItem(s, row)
}

// explained are statements that the figures contradict, for a reason that the
// card's page shows.
var explained = map[string]bool{
	// A benchmark database gives 1,570 GB/s, the press about 1,100 or just below 1,400.
	"nvidia-rtx-6000d US-LETTER-2025-04": true,
}

// TestStatedStatusesAgree compares every status that a filing, an authority, a vendor
// or the press states with what the built-in figures give.
func TestStatedStatusesAgree(t *testing.T) {
	s := builtin(t)
	counts := map[string]map[exportcontrol.Agreement]int{}
	for _, st := range exportcontrol.Statements() {
		e, agreement := st.Compare(itemOf(t, s, st.Card))
		if counts[st.Rule.ID] == nil {
			counts[st.Rule.ID] = map[exportcontrol.Agreement]int{}
		}
		counts[st.Rule.ID][agreement]++
		if agreement == exportcontrol.Disagrees && !explained[st.Card+" "+st.Rule.ID] {
			t.Errorf("%s on %s under %s: %s, got %s %s (possible %v, missing %v), stated %s (exception %v)",
				st.Card, st.Day, st.Rule.ID, agreement, e.Status, e.Exception, e.Possible, e.Missing, st.Status, st.Exception)
		}
	}
	for rule, c := range counts {
		t.Log(rule, c)
	}
}
