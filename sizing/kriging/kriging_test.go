package kriging_test

import (
	"math"
	"testing"

	"tianti/sizing/kriging"
)

var effects = []kriging.Effect{
	{Name: "framework", Keys: []int{0}, Deviation: 0.3},
	{Name: "length", Keys: []int{0}, Axes: []int{0}, Lengths: []float64{2}, Deviation: 0.2},
}

func at(key string, x float64) kriging.Point {
	return kriging.Point{Keys: []string{key}, Coordinates: []float64{x}}
}

func observed() []kriging.Observation {
	return []kriging.Observation{
		{at("a", 0), 0.5, 0.05}, {at("a", 1), 0.4, 0.05}, {at("a", 5), 0.1, 0.05}, {at("b", 0), -0.3, 0.05},
		{at("", 0), 9, 0.05},
	}
}

func field(t *testing.T, o []kriging.Observation) *kriging.Field {
	t.Helper()
	f, err := kriging.New(effects, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// One observation of variance v with noise s: the mean is y·v/(v+s²), the variance
// v − v²/(v+s²).
func TestOneObservationShrinks(t *testing.T) {
	v, s := 0.3*0.3+0.2*0.2, 0.1
	p := at("a", 3)
	got := field(t, []kriging.Observation{{p, 0.7, s}}).Predict(&p, 3)
	near(t, "mean", got.Mean, 0.7*v/(v+s*s))
	near(t, "deviation", got.Deviation, math.Sqrt(v-v*v/(v+s*s)))
	if len(got.Weights) != 1 || got.Weights[0].Observation != 0 {
		t.Errorf("weights %v", got.Weights)
	}
}

func TestAStrangerIsThePrior(t *testing.T) {
	f := field(t, observed())
	for _, key := range []string{"c", ""} {
		p := at(key, 0)
		got := f.Predict(&p, 3)
		near(t, "mean", got.Mean, 0)
		near(t, "deviation", got.Deviation, math.Sqrt(0.13))
	}
}

func TestWithoutIsAsIfNeverObserved(t *testing.T) {
	all := observed()
	for _, without := range [][]int{{0}, {1, 2}, {0, 1, 2}, {4}} {
		left := map[int]bool{}
		for _, i := range without {
			left[i] = true
		}
		var rest []kriging.Observation
		for i, o := range all {
			if !left[i] {
				rest = append(rest, o)
			}
		}
		p := at("a", 0.5)
		got, want := field(t, all).PredictWithout(&p, 0, without), field(t, rest).Predict(&p, 0)
		near(t, "mean", got.Mean, want.Mean)
		near(t, "deviation", got.Deviation, want.Deviation)
	}
}

func TestMeanIsThatOfThePrediction(t *testing.T) {
	f := field(t, observed())
	for _, x := range []float64{-1, 0.5, 3, 9} {
		p := at("a", x)
		near(t, "mean", f.Mean(&p), f.Predict(&p, 0).Mean)
	}
}

func TestLikelihoodIsThatOfTheNormalDistribution(t *testing.T) {
	p := at("a", 0)
	f := field(t, []kriging.Observation{{p, 0.2, 0.1}})
	v := 0.13 + 0.01
	near(t, "log likelihood", f.LogLikelihood(), -0.5*0.04/v-0.5*math.Log(2*math.Pi*v))
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A point is near where one observation shares enough of it.
func TestNearIsByTheLargestCorrelation(t *testing.T) {
	f := field(t, observed())
	for _, c := range []struct {
		p     kriging.Point
		bound float64
		want  bool
	}{
		// 0.3² ÷ (0.3² + 0.2²) = 0.692
		{at("a", 0), 0.99, true}, {at("a", 100), 0.7, false}, {at("a", 100), 0.69, true},
		{at("c", 0), 0, false}, {at("", 0), 0, false},
	} {
		if got := f.Near(&c.p, c.bound); got != c.want {
			t.Errorf("%v within %g: got %v, want %v", c.p, c.bound, got, c.want)
		}
	}
	if p := at("a", 0); field(t, nil).Near(&p, 0) {
		t.Error("a field without observations is near nothing")
	}
}
