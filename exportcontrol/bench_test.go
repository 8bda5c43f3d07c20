package exportcontrol_test

import (
	"testing"

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
