package sizing

import (
	"fmt"
	"math"
	"sync"

	"tianti/sizing/kriging"
)

// A Constant is a number in a formula that is fitted from cases. Its framework is
// empty when all frameworks share it.
type Constant struct {
	Framework, Name string
}

// Constants are the fitted numbers of one quantity's formula.
type Constants map[Constant]float64

// Of is the constant of a framework, or the one that all share. It panics when
// there is neither, which no calibration that passed its tests lacks.
func (c Constants) Of(framework, name string) float64 {
	if v, ok := c[Constant{framework, name}]; ok {
		return v
	}
	v, ok := c[Constant{"", name}]
	if !ok {
		panic("sizing: no constant " + name)
	}
	return v
}

// trained is the owner of the constants of a job of training: its framework, the trainer whose loop that runs, its
// family, or none where all share them.
func (c Constants) trained(w *Workload) string {
	if c.owns(w.Framework) {
		return w.Framework
	}
	if w.profile != nil {
		if c.owns(w.profile.Trainer) && !w.profile.FusedLayers {
			return w.profile.Trainer
		}
		if owner := w.profile.familyOwner(); c.owns(owner) {
			return owner
		}
	}
	return ""
}

// owns reports whether an owner has constants of training.
func (c Constants) owns(owner string) bool {
	_, ok := c[Constant{owner, "matrices"}]
	return ok && owner != ""
}

// has reports whether an owner has constants of its own.
func (c Constants) has(owner string) bool {
	_, reads := c[Constant{owner, "bandwidth"}]
	_, multiplies := c[Constant{owner, "matrix"}]
	return reads || multiplies
}

// A Bound is where the fit of a constant begins and between what it stays. A
// framework has its own when Each is set and there are cases enough.
type Bound struct {
	Name             string
	Start, Low, High float64
	Each             bool
	Log              bool // it is searched by factors, for what differs by orders of magnitude
}

// place is where a constant lies within its range, which has the length one, from where its fit begins.
func (b *Bound) place(v float64) float64 {
	if b.Log {
		return math.Log(v/b.Start) / math.Log(b.High/b.Low)
	}
	return (v - b.Start) / (b.High - b.Low)
}

// moved is a constant, moved by a share of its range.
func (b *Bound) moved(v, by float64) float64 {
	if b.Log {
		return min(b.High, max(b.Low, v*math.Pow(b.High/b.Low, by)))
	}
	return min(b.High, max(b.Low, v+by*(b.High-b.Low)))
}

// A gauge estimates one quantity. Its methods are pure.
type gauge interface {
	// formula is the value of the quantity, 0 when a figure that it needs is not
	// known. Lines are made only when explain is set; their values sum to the value
	// (bytes), or are the seconds from which it comes.
	formula(k Constants, w *Workload, c *Card, explain bool) (value float64, lines []Line)
	// point is where a job lies among the cases.
	point(w *Workload, c *Card) kriging.Point
	// same reports whether two jobs are the same but for noise.
	same(a *Workload, ac *Card, b *Workload, bc *Card) bool
	// noise is the standard deviation of log(measured) of a case, before fitting, as a
	// multiple of the fitted noise: 1, or more for a source that is rougher.
	noise(*Case) float64
	// bounds are the constants that calibration fits, effects the field that it fits,
	// with deviations and lengths to begin with.
	bounds() []Bound
	effects() []kriging.Effect
}

// gauges are those of all quantities.
var gauges = map[Quantity]gauge{
	MemoryInference: memory{},
	MemoryTraining:  memory{training: true},
	DecodeSpeed:     decodeGauge{},
	PrefillSpeed:    prefillGauge{},
	TrainingSpeed:   training{},
	ServeSpeed:      serveGauge{ServeSpeed},
	ServeTPOT:       serveGauge{ServeTPOT},
	ServeTTFT:       serveGauge{ServeTTFT},
}

// Quantities are those that are calibrated, in the order of reports.
var Quantities = []Quantity{MemoryInference, MemoryTraining, DecodeSpeed, PrefillSpeed, TrainingSpeed,
	ServeSpeed, ServeTPOT, ServeTTFT}

// A bounded gauge has a value that no job exceeds: the speed at which it would
// reach all of what the card has.
type bounded interface {
	bound(k Constants, w *Workload, c *Card) float64
}

// A doubting gauge knows which share of a value does not follow from the job itself.
type doubting interface {
	doubt(k Constants, w *Workload, c *Card) float64
}

// scale is what the deviation of an estimate is multiplied by: all of it for what is in
// doubt, and a part, which is fitted, for what is sure.
func (q *field) scale(w *Workload, c *Card) float64 {
	g, ok := q.gauge.(doubting)
	if !ok {
		return 1
	}
	return q.scaleOf(g.doubt(q.Constants, w, c))
}

func (q *field) scaleOf(doubt float64) float64 { return doubt + q.Sure*(1-doubt) }

// A grounded gauge has a value that no job falls below.
type grounded interface {
	floor(w *Workload) float64
}

// A weighing gauge knows a part of a value to within a share of it, whatever cases say of the whole, and which share of
// the rest is in doubt.
type weighing interface {
	weighs(k Constants, w *Workload) (part, within, doubt float64)
}

// A timing gauge has a value that no job falls below on a card.
type timing interface {
	least(w *Workload, c *Card) float64
}

func (q *field) ceiling(w *Workload, c *Card) float64 {
	if b, ok := q.gauge.(bounded); ok {
		if v := b.bound(q.Constants, w, c); v > 0 {
			return v
		}
	}
	return math.Inf(1)
}

// A Calibration is what was fitted for one quantity. It is data: see the command
// calibrate.
type Calibration struct {
	Quantity  Quantity
	Cases     int // that it was fitted from
	Constants Constants
	Effects   []kriging.Effect
	Noise     float64 // standard deviation of log(measured) of runs that should be alike
	Reach     float64 // factor on the deviation that the field does not know
	Sure      float64 // share of the deviation that counts for what is sure; 1 where nothing is told apart
	Widths    Widths  // of the intervals, by class
	Ratios    RatioWidths

	joint []*Case // that constants were fitted by, while it is calibrated; see [joint]
	fits  *fits

	// LeftOut are the estimates of cases that were held back, with the constants fitted without them.
	LeftOut []LeftOut
}

// A field is a calibration with the cases that it corrects by.
type field struct {
	gauge
	*Calibration
	cases []*Case // those that it learns from: with a measured value and a formula

	once sync.Once
	f    *kriging.Field
	err  error

	owners     map[string]bool // frameworks with constants of their own
	backends   map[string]bool // of each framework, those that cases are of: "trl cuda"
	main       string          // the backend of most cases
	byCard     map[string][]*Case
	ownersOnce sync.Once
}

// A strange gauge differs by such a deviation on hardware that no case of the framework is of,
// unless it is what most cases are of.
type strange interface{ strange() float64 }

// owns reports whether a framework has constants that no other shares.
func (q *field) owns(framework string) bool {
	q.look()
	return q.owners[framework]
}

// An inheriting gauge takes the constants of another framework where one has none: that whose code it runs.
type inheriting interface{ inherits(w *Workload) string }

// knows reports whether constants are those of the framework, or of the one whose code it runs.
func (q *field) knows(w *Workload) bool {
	if g, ok := q.gauge.(inheriting); ok && q.owns(g.inherits(w)) {
		return true
	}
	return q.owns(w.Framework)
}

// ran are the trusted runs of the same job on the same card.
func (q *field) ran(w *Workload, c *Card) (out []*Case) {
	if c == nil {
		return nil
	}
	q.look()
	for _, o := range q.byCard[c.ID] {
		if o.Trusted && q.same(w, c, &o.Workload, o.Card) {
			out = append(out, o)
		}
	}
	return out
}

// look notes what the field knows, once.
func (q *field) look() {
	q.ownersOnce.Do(func() {
		q.owners, q.backends, q.byCard = map[string]bool{}, map[string]bool{}, map[string][]*Case{}
		for k := range q.Constants {
			q.owners[k.Framework] = true
		}
		count := map[string]int{}
		for _, c := range q.cases {
			if c.Card == nil {
				continue
			}
			q.byCard[c.Card.ID] = append(q.byCard[c.Card.ID], c)
			b := backendOf(&c.Workload, c.Card)
			q.backends[c.Workload.Framework+" "+b] = true
			if count[b]++; count[b] > count[q.main] {
				q.main = b
			}
		}
	})
}

// unseen reports whether no case of a job's framework is of the kind of hardware of a card, nor most cases of others.
func (q *field) unseen(w *Workload, c *Card) bool {
	if c == nil {
		return false
	}
	q.look()
	b := backendOf(w, c)
	return b != q.main && !q.backends[w.Framework+" "+b]
}

// residual is log(measured ÷ formula) of a case.
func residual(g gauge, k Constants, c *Case) (float64, bool) {
	if c.Measured <= 0 {
		return 0, false
	}
	var v float64
	if l, ok := loops(g, &c.Workload); ok {
		v = l.measuredAt(k, &c.Workload, c.Card, c.Measured)
	} else {
		v, _ = g.formula(k, &c.Workload, c.Card, false)
	}
	if v <= 0 {
		return 0, false
	}
	return math.Log(c.Measured / v), true
}

// kriged conditions the field on the cases, once.
func (q *field) kriged() (*kriging.Field, error) {
	q.once.Do(func() {
		q.f, q.err = kriging.New(q.Effects, observations(q.gauge, q.Calibration, q.cases))
	})
	return q.f, q.err
}

// mustKrige is kriged of a calibration that passed its tests.
func (q *field) mustKrige() *kriging.Field {
	k, err := q.kriged()
	if err != nil {
		panic(fmt.Sprintf("sizing: %s: %v", q.Quantity, err))
	}
	return k
}

func observations(g gauge, cal *Calibration, cases []*Case) []kriging.Observation {
	out := make([]kriging.Observation, len(cases))
	known := texts{}
	for i, c := range cases {
		r, _ := residual(g, cal.Constants, c)
		p := g.point(&c.Workload, c.Card)
		for k, key := range p.Keys {
			p.Keys[k] = known.one(key)
		}
		out[i] = kriging.Observation{Point: p, Value: r, Noise: cal.Noise * g.noise(c)}
	}
	return out
}

// nearby is the correlation with a measured run from which an estimate is called calibrated.
const nearby = 0.5

// most is how many supporting cases an estimate names.
const most = 5

// estimate corrects the formula by the cases, except those in without (indices
// into cases).
func (q *field) estimate(w *Workload, c *Card, explain bool, without []int) (r Range, lines []Line,
	e Evidence, ok bool) {
	value, lines := q.formula(q.Constants, w, c, explain)
	if value <= 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return Range{}, nil, Evidence{}, false
	}
	k := q.mustKrige()
	p := q.point(w, c)
	r, e = q.corrected(value, w, c, k.PredictWithout(&p, most, without), q.scale(w, c))
	return r, lines, e, true
}

// corrected is a formula's value with the correction that the cases give, and the
// cases that carry it; scale is [field.scale] of the job.
func (q *field) corrected(value float64, w *Workload, c *Card, g kriging.Prediction, scale float64) (Range, Evidence) {
	factor := math.Exp(g.Mean)
	e := Evidence{Formula: value, unknown: g.Deviation, corrected: q.settle(w, c, value, factor), factor: factor}
	e.Tier, e.Supports = q.carried(w, c, g)
	return q.interval(w, c, e, scale), e
}

// carried is what a prediction stands on: the cases that carry it.
func (q *field) carried(w *Workload, c *Card, g kriging.Prediction) (Tier, []Support) {
	tier := Formula
	var supports []Support
	for _, s := range g.Weights {
		if math.Abs(s.Share) < 0.02 {
			break
		}
		nearest := q.cases[s.Observation]
		supports = append(supports, Support{nearest, s.Share})
		if s.Correlation > nearby && tier == Formula {
			tier = Calibrated
		}
		if q.same(w, c, &nearest.Workload, nearest.Card) {
			tier = Measured
		}
	}
	return tier, supports
}

// interval is the 90 % interval of a corrected estimate, between the floor and the ceiling.
func (q *field) interval(w *Workload, c *Card, e Evidence, scale float64) Range {
	return q.intervalOf(w, c, e, q.reach(w, c, e.unknown, e.Tier), scale)
}

// intervalOf is interval where log(expected) is known to a reach.
func (q *field) intervalOf(w *Workload, c *Card, e Evidence, reach, scale float64) Range {
	if g, ok := q.gauge.(strange); ok && q.unseen(w, c) {
		reach = math.Hypot(reach, z90*g.strange())
	}
	width := math.Exp(scale * reach)
	most := q.ceiling(w, c)
	r := Range{e.corrected / width, e.corrected, e.corrected * width}
	if l, ok := loops(q.gauge, w); ok {
		r.Low, r.High = l.settled(q.Constants, w, c, e.factor/width), l.settled(q.Constants, w, c, e.factor*width)
	}
	if g, ok := q.gauge.(weighing); ok {
		if part, within, doubt := g.weighs(q.Constants, w); part > 0 && part < e.corrected {
			rest, far := e.corrected-part, math.Exp(q.scaleOf(doubt)*reach)
			r.Low = max(r.Low, part*(1-within)+rest/far)
			r.High = min(r.High, part*(1+within)+rest*far)
		}
	}
	r = Range{below(most, r.Low), below(most, r.Expected), below(most, r.High)}
	if g, ok := q.gauge.(timing); ok && q.Quantity != ServeSpeed {
		least := 1 / g.least(w, c)
		for _, v := range []*float64{&r.Low, &r.Expected, &r.High} {
			*v = 1 / below(least, 1 / *v)
		}
	}
	if g, ok := q.gauge.(grounded); ok {
		r.Low = max(r.Low, min(r.Expected, g.floor(w)))
	}
	return r
}

// reach is how far from log(expected) an interval ends. Cases that are near never make it wider
// than it is where there are none.
func (q *field) reach(w *Workload, c *Card, unknown float64, tier Tier) float64 {
	return q.reachOf(w, c, unknown, tier, 1)
}

// reachOf is that of a run whose noise is a multiple of what runs have.
func (q *field) reachOf(w *Workload, c *Card, unknown float64, tier Tier, noise float64) float64 {
	class := q.classOf(w, c, tier)
	reach := q.Widths.Of(class) * q.deviationOf(unknown, noise)
	if tier == Formula {
		return reach
	}
	class.Tier = Formula
	return min(reach, q.Widths.Of(class)*q.deviationOf(q.before(), noise))
}

// before is the deviation that is unknown without cases.
func (q *field) before() float64 {
	out := 0.0
	for i := range q.Effects {
		out = math.Hypot(out, q.Effects[i].Deviation)
	}
	return out
}

// quick is the expected value alone.
func (q *field) quick(w *Workload, c *Card) float64 {
	value, _ := q.formula(q.Constants, w, c, false)
	if value <= 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return 0
	}
	k := q.mustKrige()
	p := q.point(w, c)
	return below(q.ceiling(w, c), value*math.Exp(k.Mean(&p)))
}
