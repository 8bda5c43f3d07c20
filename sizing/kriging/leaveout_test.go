package kriging_test

import (
	"math/rand/v2"
	"testing"

	"tianti/sizing/kriging"
)

// Leaving a group out gives what predicting without it gives, observation by
// observation.
func TestLeavingOutIsPredictingWithout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []kriging.Observation
	for i := range 40 {
		all = append(all, kriging.Observation{Point: at([]string{"a", "b", "c"}[i%3], 10*r.Float64()),
			Value: r.NormFloat64(), Noise: 0.05 + 0.1*r.Float64()})
	}
	f := field(t, all)
	for _, group := range [][]int{{0}, {39}, {7, 3}, {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39}} {
		for i, got := range f.LeaveOut(group, 4) {
			want := f.PredictWithout(&all[group[i]].Point, 4, group)
			near(t, "mean", got.Mean, want.Mean)
			near(t, "deviation", got.Deviation, want.Deviation)
			if len(got.Weights) != len(want.Weights) {
				t.Fatalf("%v: got weights %v, want %v", group, got.Weights, want.Weights)
			}
			for k, w := range got.Weights {
				if w.Observation != want.Weights[k].Observation {
					t.Errorf("%v: got weights %v, want %v", group, got.Weights, want.Weights)
				}
				near(t, "share", w.Share, want.Weights[k].Share)
				near(t, "correlation", w.Correlation, want.Weights[k].Correlation)
			}
		}
	}
}
