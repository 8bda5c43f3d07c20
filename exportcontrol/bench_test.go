package exportcontrol_test

import (
	"strconv"
	"testing"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/exportcontrol"
)

// BenchmarkNewQuestion asks for another day each time, of catalogues that have answered
// before; beside it each card on its own, and what the first question of a catalogue costs.
func BenchmarkNewQuestion(b *testing.B) {
	days := exportcontrol.TurningPoints(today)
	for name, s := range map[string]*catalog.Snapshot{"built-in": builtin(b),
		"100000": catalog.NewSnapshot(1, sample.Dataset("made", 100_000))} {
		b.Run("classes/"+name, func(b *testing.B) {
			exportcontrol.EvaluateAll(s, exportcontrol.Question{AsOf: today, Destination: "CN"})
			n := 0
			for b.Loop() {
				all := exportcontrol.EvaluateAll(s, exportcontrol.Question{AsOf: days[n%len(days)], Destination: "CN"})
				for range all.Rows() {
					n++
				}
			}
		})
		b.Run("cards/"+name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				for i := range s.Len() {
					exportcontrol.Evaluate(
						exportcontrol.CardItem(s, i),
						exportcontrol.Question{AsOf: days[n%len(days)], Destination: "CN"},
					)
				}
				n++
			}
		})
	}
	b.Run("once/324", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			b.StopTimer()
			s := catalog.NewSnapshot(int64(n), sample.Dataset("made-"+strconv.Itoa(n), 324))
			b.StartTimer()
			exportcontrol.EvaluateAll(s, exportcontrol.Question{AsOf: today, Destination: "CN"})
		}
	})
}

func BenchmarkHistory(b *testing.B) {
	it := itemOf(b, builtin(b), "nvidia-h100-sxm5-80gb")
	b.ReportAllocs()
	for b.Loop() {
		exportcontrol.History(it, exportcontrol.Question{AsOf: today, Destination: "CN"})
	}
}
