package sizing

import (
	"math"
	"slices"

	"tianti/sizing/kriging"
)

// Calibrate fits the constants and the field of a quantity from cases that
// measured it and are trusted, or that the gauge chooses. First the constants, by the least sum of Huber's loss
// of log(measured ÷ formula) (P. J. Huber, "Robust estimation of a location
// parameter", 1964) with a weak pull to where they begin; then the field by the
// greatest likelihood, or by what it foretells, see [foreteller]; then how wide the intervals must be, from cases left out
// alone and with all that are like them, see [widths].
func Calibrate(q Quantity, cases []*Case) *Calibration {
	g := gauges[q]
	cases = usable(g, cases)
	cal := &Calibration{Quantity: q, Constants: fitConstants(g, cases), Noise: 0.03, Spread: 1, Reach: 1}
	cal.Effects = g.effects()
	fitField(g, cal, cases)
	cal.Spread, cal.Reach, cal.Refitted = widths(cal, cases)
	cal.Cases = len(cases)
	return cal
}

// widths are the factors that make the intervals cover 90 % of the cases: spread
// where each is left out alone, and reach, on what the field does not know, where
// all of its framework with its model or its card are left out, with the constants
// as they are and fitted without them. The two depend on each other and are found
// in turn. The last are also given back, with the intervals that this makes.
func widths(cal *Calibration, cases []*Case) (spread, reach float64, refitted map[LeaveOut]Score) {
	again := map[LeaveOut][]Prediction{OutModel: Refit(cal, cases, ByFrameworkModel, foldsOfWidths),
		OutCard: Refit(cal, cases, ByFrameworkCard, foldsOfWidths)}
	far := slices.Concat(again[OutModel], again[OutCard], CrossValidate(cal, cases, ByFrameworkModel),
		CrossValidate(cal, cases, ByFrameworkCard))
	near := CrossValidate(cal, cases, ByItself)
	spread, reach = 1, 1
	for range 4 {
		spread = widthOf(near, func(p Prediction, x float64) float64 {
			return x * math.Hypot(reach*p.unknown, cal.Noise)
		})
		reach = widthOf(far, func(p Prediction, x float64) float64 {
			return spread * math.Hypot(x*p.unknown, cal.Noise)
		})
	}
	refitted = map[LeaveOut]Score{}
	for l, ps := range again {
		for i, p := range ps {
			width := math.Exp(z90 * spread * math.Hypot(reach*p.unknown, cal.Noise))
			ps[i].Range = Range{p.Range.Expected / width, p.Range.Expected, p.Range.Expected * width}
		}
		refitted[l] = ScoreOf(ps)
	}
	return spread, reach, refitted
}

const foldsOfWidths = 8

// widthOf is the least factor with which 90 % of the predictions lie within their
// interval; 1 where there is none.
func widthOf(ps []Prediction, deviation func(p Prediction, factor float64) float64) float64 {
	covers := func(x float64) bool {
		in := 0
		for _, p := range ps {
			if math.Abs(math.Log(p.Ratio())) <= z90*deviation(p, x) {
				in++
			}
		}
		return float64(in) >= 0.9*float64(len(ps))
	}
	low, high := 0.25, 4.0
	for range 20 {
		if mid := math.Sqrt(low * high); covers(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	if len(ps) == 0 {
		return 1
	}
	return high
}

// A chooser is a gauge that learns from more than the trusted cases. It chooses
// among all that have a measured value and a formula with these constants.
type chooser interface {
	choose(k Constants, cases []*Case) []*Case
}

// usable are the cases of a gauge that have a measured value and a formula: the
// trusted ones, unless it chooses.
func usable(g gauge, cases []*Case) []*Case {
	var out []*Case
	start := Constants{}
	for _, b := range g.bounds() {
		start[Constant{"", b.Name}] = b.Start
	}
	choice, chooses := g.(chooser)
	for _, c := range cases {
		if gauges[c.Quantity] != g || !c.Trusted && !chooses {
			continue
		}
		if _, ok := residual(g, start, c); ok {
			out = append(out, c)
		}
	}
	if chooses {
		out = choice.choose(start, out)
	}
	return out
}

// A holder is a gauge with effects that its cases cannot tell about, such as that
// of a framework that none of them has: constants of its own take the place of the
// effect for all that have cases. Such effects are not fitted.
type holder interface {
	holds(effect string) bool
}

// enough cases make a framework's own constant.
const enough = 5

// pull holds a constant to where its fit begins: over the whole range it weighs as
// much as seven cases that are off by 20 %. Of 0.01, 0.1 and 0.5 it left the smallest
// errors where groups of cases were left out and the constants fitted again.
const pull = 0.1

// huber is quadratic up to delta and linear beyond.
func huber(r float64) float64 {
	const delta = 0.1
	if r = math.Abs(r); r <= delta {
		return r * r / 2
	}
	return delta * (r - delta/2)
}

func fitConstants(g gauge, cases []*Case) Constants {
	k := Constants{}
	bounds := g.bounds()
	for _, b := range bounds {
		k[Constant{"", b.Name}] = b.Start
	}
	byFramework := map[string][]*Case{}
	var frameworks []string
	for _, c := range cases {
		f := c.Workload.Framework
		if byFramework[f] == nil {
			frameworks = append(frameworks, f)
		}
		byFramework[f] = append(byFramework[f], c)
	}
	// Constants that frameworks share are those of the frameworks more than of the one
	// with the most cases: n cases weigh as √n.
	weight := func(c *Case, shared bool) float64 {
		if !shared {
			return 1 / g.noise(c)
		}
		mean := float64(len(cases)) / float64(len(frameworks))
		return math.Sqrt(mean/float64(len(byFramework[c.Workload.Framework]))) / g.noise(c)
	}
	loss := func(cs []*Case, at []Constant, bs []Bound) float64 {
		sum := 0.0
		for _, c := range cs {
			if r, ok := residual(g, k, c); ok {
				sum += weight(c, at[0].Framework == "") * huber(r)
			}
		}
		for i, b := range bs {
			x := (k[at[i]] - b.Start) / (b.High - b.Low)
			sum += pull * x * x
		}
		return sum
	}
	fit := func(cs []*Case, at []Constant, bs []Bound) {
		for step := 0.25; step > 1e-3; step /= 2 {
			for improved, rounds := true, 0; improved && rounds < 20; rounds++ {
				improved = false
				for i, b := range bs {
					before, was := loss(cs, at, bs), k[at[i]]
					best, to := before, was
					for _, sign := range []float64{-1, 1} {
						k[at[i]] = min(b.High, max(b.Low, was+sign*step*(b.High-b.Low)))
						if l := loss(cs, at, bs); l < best-1e-9 {
							best, to = l, k[at[i]]
						}
					}
					k[at[i]] = to
					improved = improved || best < before-1e-9
				}
			}
		}
	}
	all := make([]Constant, len(bounds))
	for i, b := range bounds {
		all[i] = Constant{"", b.Name}
	}
	fit(cases, all, bounds)
	for _, f := range frameworks {
		if len(byFramework[f]) < enough {
			continue
		}
		var at []Constant
		var bs []Bound
		for _, b := range bounds {
			if b.Each {
				own := b
				own.Start = k[Constant{"", b.Name}]
				k[Constant{f, b.Name}] = own.Start
				at, bs = append(at, Constant{f, b.Name}), append(bs, own)
			}
		}
		fit(byFramework[f], at, bs)
	}
	return k
}

// fitField finds deviations, lengths and noise of the greatest likelihood by a
// search along each in turn, in factors.
func fitField(g gauge, cal *Calibration, cases []*Case) {
	score := func() float64 {
		if f, ok := g.(foreteller); ok && f.foretells() {
			return foretold(g, cal, cases)
		}
		f, err := kriging.New(cal.Effects, observations(g, cal, cases))
		if err != nil {
			return math.Inf(-1)
		}
		return f.LogLikelihood()
	}
	held, holds := g.(holder)
	var knobs []*float64
	for i := range cal.Effects {
		if holds && held.holds(cal.Effects[i].Name) {
			continue
		}
		knobs = append(knobs, &cal.Effects[i].Deviation)
		for j := range cal.Effects[i].Lengths {
			knobs = append(knobs, &cal.Effects[i].Lengths[j])
		}
	}
	knobs = append(knobs, &cal.Noise)
	best := score()
	for factor := 2.0; factor > 1.15; factor = math.Sqrt(factor) {
		for improved, rounds := true, 0; improved && rounds < 4; rounds++ {
			improved = false
			for _, x := range knobs {
				was := *x
				for _, to := range []float64{was * factor, was / factor} {
					if to < 1e-3 || to > 1e3 {
						continue
					}
					*x = to
					if s := score(); s > best+1e-3 {
						best, was, improved = s, to, true
						break
					}
				}
				*x = was
			}
		}
	}
}
