package sizing

import (
	"math"

	"tianti/sizing/kriging"
)

// A foreteller is a gauge whose field is fitted by how well it foretells cases that it
// is not shown, rather than by the likelihood of those that it is: alone, with all of
// their framework and model, and with all of their framework and card (S. Geisser, "The
// Predictive Sample Reuse Method with Applications", 1975; C. E. Rasmussen and C. K. I.
// Williams, section 5.4.2). Likelihood rewards a field that explains the neighbours of a
// run, such as the same job on more cards, and lets it carry their oddities to models and
// cards that it has never seen.
type foreteller interface {
	foretells() bool
}

// freedom is the number of degrees of freedom of Student's distribution of errors: a run
// that is far off by settings that its source leaves out counts little more than one
// that is off (K. Lange et al., "Robust Statistical Modeling Using the t Distribution", 1989).
const freedom = 5

// foretold is the logarithm of the density that a calibration gives to the trusted cases
// that its field is not shown. Each way of leaving out weighs the same, but alone half.
func foretold(g gauge, cal *Calibration, cases []*Case) float64 {
	observed := observations(g, cal, cases)
	f, err := kriging.New(cal.Effects, observed)
	if err != nil {
		return math.Inf(-1)
	}
	sum := 0.0
	for _, way := range []struct {
		by     By
		weight float64
	}{{ByItself, 0.5}, {ByFrameworkModel, 1}, {ByFrameworkCard, 1}} {
		var names []string
		groups := map[string][]int{}
		for i, c := range cases {
			name := way.by(c)
			if groups[name] == nil {
				names = append(names, name)
			}
			groups[name] = append(groups[name], i)
		}
		for _, name := range names {
			for i, p := range f.LeaveOut(groups[name], 0) {
				at := groups[name][i]
				if cases[at].Trusted {
					deviation := math.Hypot(p.Deviation, observed[at].Noise)
					sum += way.weight * studentDensity(observed[at].Value-p.Mean, deviation)
				}
			}
		}
	}
	return sum
}

// studentDensity is the logarithm, but for a constant, of the density of an error under
// Student's distribution of a standard deviation.
func studentDensity(err, deviation float64) float64 {
	scale := deviation * math.Sqrt((freedom-2.0)/freedom)
	return -math.Log(scale) - (freedom+1.0)/2*math.Log1p(err*err/(freedom*scale*scale))
}
