package live

import (
	"math"
	"testing"
)

func TestAHistoryIsALineWithoutDots(t *testing.T) {
	gap := math.NaN()
	for _, tt := range []struct {
		means []float64
		want  string
	}{
		{nil, ""},
		{[]float64{gap, 0.5, gap}, "M1 10H2"},
		{[]float64{1, 0.5, 0}, "M0 0L1 10L2 20H3"},
		{[]float64{1, gap, gap, 0.5}, "M0 0L3 10H4"},
		{[]float64{1, gap, gap, gap, 0.5}, "M0 0H1M4 10H5"},
	} {
		if got := sparkPath(tt.means, 1); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.means, got, tt.want)
		}
	}
}
