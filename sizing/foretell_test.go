package sizing

import (
	"math"
	"testing"

	"tianti/sizing/kriging"
)

// Cards differ by 20 %: a field that knows it foretells runs on others better than one that
// takes them for alike, and better than one that expects tenfold differences.
func TestForetellingPrefersTheFieldThatMadeTheCases(t *testing.T) {
	cases := lineCases()
	score := func(deviation float64) float64 {
		cal := &Calibration{Constants: Constants{{"", "slope"}: 2, {"a", "slope"}: 2, {"b", "slope"}: 3}, Noise: 0.04,
			Effects: []kriging.Effect{{Name: "card", Keys: []int{0}, Deviation: deviation}}}
		return foretold(linear{}, cal, cases)
	}
	if made := score(0.2); made <= score(0.01) || made <= score(2) {
		t.Errorf("deviation of 0.01: %.1f, 0.2: %.1f, 2: %.1f", score(0.01), made, score(2))
	}
}

// A density sums to one whatever its deviation, and has that deviation.
func TestStudentDensity(t *testing.T) {
	for _, deviation := range []float64{0.05, 0.2} {
		const step = 1e-3
		sum, variance := 0.0, 0.0
		constant := math.Gamma((freedom+1.0)/2) / (math.Sqrt(freedom*math.Pi) * math.Gamma(freedom/2.0))
		for x := -40.0; x <= 40; x += step {
			p := constant * math.Exp(studentDensity(x, deviation)) * step
			sum += p
			variance += x * x * p
		}
		if math.Abs(sum-1) > 0.01 || math.Abs(math.Sqrt(variance)/deviation-1) > 0.02 {
			t.Errorf("deviation %g: sums to %g with deviation %g", deviation, sum, math.Sqrt(variance))
		}
	}
}
