package sizing

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"tianti/sizing/kriging"
)

// Calibrate fits the constants and the field of a quantity from cases that
// measured it and are trusted, or that the gauge chooses. First the constants, by the least sum of Huber's loss
// of log(measured ÷ formula) (P. J. Huber, "Robust estimation of a location
// parameter", 1964) with a weak pull to where they begin; then the field by the
// greatest likelihood, or by what it foretells, see [foreteller]; then how wide the
// intervals must be, from cases that are held back alone and with all that are like
// them, see [Widths].
func Calibrate(q Quantity, cases []*Case) *Calibration { return calibrate(q, cases, &fits{}) }

// A Calibrator calibrates quantities, also side by side; those whose constants are the same fit them once.
type Calibrator struct{ known fits }

// Calibrate is [Calibrate].
func (x *Calibrator) Calibrate(q Quantity, cases []*Case) *Calibration {
	return calibrate(q, cases, &x.known)
}

func calibrate(q Quantity, cases []*Case, known *fits) *Calibration {
	g := gauges[q]
	learnt := usable(g, cases)
	cal := &Calibration{Quantity: q, Noise: 0.03, Reach: 1, Sure: 1, Cases: len(learnt), fits: known,
		joint: jointly(g, cases)}
	cal.Constants = known.constants(g, cal.joint)
	cases = slices.DeleteFunc(slices.Clone(cases), func(c *Case) bool { return gauges[c.Quantity] != g })
	cal.Effects = g.effects()
	fitField(g, cal, learnt)
	held := holdBack(cal, learnt)
	cal.Reach, cal.Sure = fitSpread(held, cal)
	cal.Widths = fitWidths(held, cal)
	cal.LeftOut = leftOut(held, cal, cases)
	cal.Ratios = fitRatios(cal, cases)
	return cal
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
		if gauges[c.Quantity] != g || !c.Trusted && !chooses || len(c.With) > 0 {
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

// A smooth gauge has effects of figures that do not tell cards of near figures apart: lengths are fitted down to the
// shortest alone. With 0.05, which the fit of throughput took, an effect of figures is one of each card, and an H200
// came out slower than an H100, whose chip it has.
type smooth interface {
	shortest() float64
}

// A nearing gauge has effects of sizes that do not reach further than a length, of logarithms: what is off in a job of
// 512 tokens says nothing of one of 65,536.
type nearing interface {
	longest() float64
}

// A settler is a gauge whose effects are not fitted, only its noise. They were fitted when the gauge had fewer
// constants; with more, which have seen the card that the field is then not shown, the fit makes them so small that a
// new card is corrected too little: decoding was off by 7.0 % with the card held back, with these by 6.4.
type settler interface {
	settled() bool
}

// A familial gauge has constants that frameworks of a family share: between those of all
// and a framework's own. The family of a case may be empty.
type familial interface {
	family(c *Case) string
}

// enough cases make a framework's own constant.
const enough = 5

// submissions are the runs of MLPerf Training, each tuned for its job and cards by whoever sells them.
const submissions = "mlperf"

// tunedWeight is what their cases weigh in constants that others share, under a root: no other reaches what they do.
// With 1 adapters were off by 11.9 % where cards are held back, with this by 11.0.
const tunedWeight = 1. / 4

// A pull holds constants to where their fit begins: those that all frameworks share to what
// documents say, those of a family or a framework to what it shares with others. Over the
// whole range a pull of 0.1 weighs as much as seven cases that are off by 20 %.
type pull struct{ shared, own float64 }

// usualPull left the smallest errors, of 0.1 to 8, where groups of cases were left out and
// the constants fitted again.
var usualPull = pull{0.1, 0.1}

// A pulled gauge has another pull than usual.
type pulled interface {
	pull() pull
}

func pullOf(g gauge) pull {
	if g, ok := g.(pulled); ok {
		return g.pull()
	}
	return usualPull
}

// huber is quadratic up to delta and linear beyond.
func huber(r float64) float64 {
	const delta = 0.1
	if r = math.Abs(r); r <= delta {
		return r * r / 2
	}
	return delta * (r - delta/2)
}

func fitConstants(g gauge, cases []*Case) Constants {
	k, to := Constants{}, pullOf(g)
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
	// with the most cases: n cases weigh as √n, and half of it where they were tuned.
	weight := func(c *Case, shared bool) float64 {
		if !shared {
			return 1 / g.noise(c)
		}
		mean := float64(len(cases)) / float64(len(frameworks))
		if c.Workload.Framework == submissions {
			mean *= tunedWeight
		}
		return math.Sqrt(mean/float64(len(byFramework[c.Workload.Framework]))) / g.noise(c)
	}
	loss := func(cs []*Case, at []Constant, bs []Bound) float64 {
		sum := 0.0
		for _, c := range cs {
			if r, ok := residual(gauges[c.Quantity], k, c); ok {
				sum += weight(c, at[0].Framework != c.Workload.Framework) * huber(r)
			}
		}
		for i, b := range bs {
			x := b.place(k[at[i]])
			if at[i].Framework == "" {
				sum += to.shared * x * x
			} else {
				sum += to.own * x * x
			}
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
						k[at[i]] = b.moved(was, sign*step)
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
	// own fits the constants that some of the cases have for themselves, from those that
	// they share with more.
	own := func(cs []*Case, owner, parent string) {
		if len(cs) < enough {
			return
		}
		var at []Constant
		var bs []Bound
		for _, b := range bounds {
			if b.Each {
				own := b
				own.Start = k.Of(parent, b.Name)
				k[Constant{owner, b.Name}] = own.Start
				at, bs = append(at, Constant{owner, b.Name}), append(bs, own)
			}
		}
		fit(cs, at, bs)
	}
	parents := ownedByFamilies(g, cases, own)
	for _, f := range frameworks {
		own(byFramework[f], f, parents[f])
	}
	ownedByGenerations(k, g, cases, own)
	return k
}

// A generational gauge has constants that the releases of one core of a framework share,
// besides those of all frameworks.
type generational interface {
	generation(c *Case) string
}

// ownedByGenerations lets the generations of frameworks have constants.
func ownedByGenerations(k Constants, g gauge, cases []*Case, own func(cs []*Case, owner, parent string)) {
	generations, ok := g.(generational)
	if !ok {
		return
	}
	by := map[string][]*Case{}
	for _, c := range cases {
		if name := generations.generation(c); name != "" {
			by[name] = append(by[name], c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		parent, kernels := "", strings.Index(name, onKernels)
		if kernels > 0 && k.has(name[:kernels]) { // the same core, with other kernels
			parent = name[:kernels]
		}
		own(by[name], name, parent)
	}
}

// ownedByFamilies lets the families of a gauge have constants, and gives that of each framework.
func ownedByFamilies(g gauge, cases []*Case, own func(cs []*Case, owner, parent string)) map[string]string {
	parents := map[string]string{}
	families, ok := g.(familial)
	if !ok {
		return parents
	}
	byFamily := map[string][]*Case{}
	var order []string
	for _, c := range cases {
		f := families.family(c)
		if f == "" {
			continue
		}
		if byFamily[f] == nil {
			order = append(order, f)
		}
		byFamily[f] = append(byFamily[f], c)
		parents[c.Workload.Framework] = f
	}
	for _, f := range order {
		own(byFamily[f], f, "")
	}
	return parents
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
	settled, settles := g.(settler)
	settles = settles && settled.settled()
	least := map[*float64]float64{}
	shortest, longest := 0.0, 1e3
	if s, ok := g.(smooth); ok {
		shortest = s.shortest()
	}
	if s, ok := g.(nearing); ok {
		longest = s.longest()
	}
	most := map[*float64]float64{}
	var knobs []*float64
	for i := range cal.Effects {
		if settles || holds && held.holds(cal.Effects[i].Name) {
			continue
		}
		knobs = append(knobs, &cal.Effects[i].Deviation)
		for j := range cal.Effects[i].Lengths {
			length := &cal.Effects[i].Lengths[j]
			knobs, least[length], most[length] = append(knobs, length), shortest, longest
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
					if to < max(1e-3, least[x]) || to > cmp.Or(most[x], 1e3) {
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
