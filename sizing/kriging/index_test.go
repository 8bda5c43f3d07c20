package kriging_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tianti/sizing/kriging"
)

// The index by keys leaves out only what shares nothing.
func TestMeanIsTheSumOverAllObservations(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	point := func() kriging.Point {
		p := kriging.Point{Coordinates: []float64{random.Float64() * 5, random.Float64() * 5}}
		for range 3 {
			k := ""
			if n := random.IntN(4); n > 0 {
				k = fmt.Sprint(n)
			}
			p.Keys = append(p.Keys, k)
		}
		return p
	}
	effects := []kriging.Effect{
		{Keys: []int{0}, Deviation: 0.3},
		{Keys: []int{0, 1}, Deviation: 0.2},
		{Keys: []int{2}, Axes: []int{0, 1}, Lengths: []float64{2, 1}, Deviation: 0.2},
		{Axes: []int{1}, Lengths: []float64{3}, Deviation: 0.1},
	}
	var observed []kriging.Observation
	for range 80 {
		observed = append(observed, kriging.Observation{Point: point(), Value: random.NormFloat64() * 0.3, Noise: 0.05})
	}
	f, err := kriging.New(effects, observed)
	if err != nil {
		t.Fatal(err)
	}
	sweep := f.Sweep()
	for range 50 {
		p := point()
		got, want := f.Mean(&p), 0.0
		for range 2 {
			if again := sweep.Mean(&p); again != got {
				t.Errorf("%v: mean %g, in a sweep %g", p.Keys, got, again)
			}
		}
		g := f.Predict(&p, len(observed))
		variance := 0.0
		for _, e := range effects {
			variance += e.Deviation * e.Deviation
		}
		for _, w := range g.Weights {
			want += w.Share * observed[w.Observation].Value
			variance -= w.Share * kriging.Covariance(effects, &p, &observed[w.Observation].Point)
		}
		if math.Abs(got-g.Mean) > 1e-9 || math.Abs(g.Mean-want) > 0.01 { // weights below 0.001 are not told
			t.Errorf("%v: mean %g, predicted %g, sum of weights %g", p.Keys, got, g.Mean, want)
		}
		if math.Abs(g.Deviation-math.Sqrt(max(0, variance))) > 0.02 {
			t.Errorf("%v: deviation %g, want %g", p.Keys, g.Deviation, math.Sqrt(max(0, variance)))
		}
	}
}
