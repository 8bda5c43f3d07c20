package exportcontrol_test

import (
	"testing"
	"time"

	"tianti/catalog"
	"tianti/exportcontrol"
)

func evaluateAll(s *catalog.Snapshot, q exportcontrol.Question) int {
	controlled := 0
	for i := range s.Len() {
		if exportcontrol.Evaluate(exportcontrol.CardItem(s, i), q).Verdict != exportcontrol.NotControlled {
			controlled++
		}
	}
	return controlled
}

// TestAllCardsAreEvaluatedInTwentyMilliseconds tries again, so that a busy machine
// does not fail it.
func TestAllCardsAreEvaluatedInTwentyMilliseconds(t *testing.T) {
	s := shared(t)
	best := time.Hour
	for try := 0; try < 25 && best > 20*time.Millisecond; try++ {
		start := time.Now()
		if evaluateAll(s, exportcontrol.Question{AsOf: today, Destination: "CN"}) == 0 {
			t.Fatal("no card is controlled")
		}
		best = min(best, time.Since(start))
	}
	t.Log(best)
	if best > 20*time.Millisecond {
		t.Errorf("%v for %d cards, want less than 20 ms", best, s.Len())
	}
}

func BenchmarkEvaluateAll(b *testing.B) {
	s := builtin(b)
	b.ReportAllocs()
	for b.Loop() {
		evaluateAll(s, exportcontrol.Question{AsOf: today, Destination: "CN"})
	}
}

func BenchmarkHistory(b *testing.B) {
	it := itemOf(b, builtin(b), "nvidia-h100-sxm5-80gb")
	b.ReportAllocs()
	for b.Loop() {
		exportcontrol.History(it, exportcontrol.Question{AsOf: today, Destination: "CN"})
	}
}
