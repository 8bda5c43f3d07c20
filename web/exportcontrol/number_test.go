package exportcontrol

import (
	"testing"

	"tianti/locale"
)

func TestRoundingPutsNoFigureOntoALimit(t *testing.T) {
	for _, l := range locale.All() {
		b := ExportBuilder{L: l}
		for v, want := range map[float64]string{
			2399.9: "2399.9", 2400: l.Number(2400), 2400.1: "2400.1", 4799.96: "4799.96", 5284.8: l.Number(5284.8),
			5.91999: "5.91999",
			20999.9: "20999.9", 0: l.Number(0), 1e7: l.Number(1e7), 1: l.Number(1),
		} {
			if got := b.number(v); got != want {
				t.Errorf("%s: %v is written %s, want %s", l.Code(), v, got, want)
			}
		}
	}
}
