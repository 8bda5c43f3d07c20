package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/sizing/kriging"
	"tianti/sorting"
)

// Sizes of an answer.
const (
	fullOptions = 10 // that are estimated in full, with intervals, lines and evidence
	mostChanges = 3  // remedies of a rejection

	comparedOptions = 32 // that are compared by the interval of their speed
)

// A recommendation is made of one request. What cards have in common is computed
// once: memory depends on the job alone, and the jobs of two cards differ only where
// a card lacks a format or a kernel.
type recommendation struct {
	a       *Estimator
	r       *Request
	market  *market
	needs   *byJob[Range]
	changed *byJob[[]change]
	sweeps  map[Quantity]*kriging.Sweep
	lean    *bool    // see [recommendation.canBeLean]
	tried   Workload // what is looked at for a moment
}

func (a *Estimator) recommendation(r *Request) *recommendation {
	if r.Workload.Weights != "" {
		r.Workload.weigh(a.Formats) // of which each card's job is a copy
	}
	return &recommendation{a: a, r: r, market: a.market(r), needs: &byJob[Range]{},
		changed: &byJob[[]change]{}, sweeps: map[Quantity]*kriging.Sweep{}}
}

// Recommend ranks the cards that do a job, and tells of every other one why not.
// The request must be complete and free of contradictions, as ParseRequest returns
// it. Cards outside the request's vendors, segments and ids are not looked at.
func (a *Estimator) Recommend(r Request, cards []*Card) Answer {
	x := a.recommendation(&r)
	out := x.answer(cards)
	x.explain(&out)
	return out
}

// answer ranks the cards, with brief options and without remedies.
func (x *recommendation) answer(cards []*Card) Answer {
	r := x.r
	out := Answer{Request: *r}
	for _, c := range cards {
		if r.stopped() {
			return out
		}
		if !r.looksAt(c) {
			continue
		}
		out.Looked++
		options, why := x.look(c)
		out.Options = append(out.Options, options...)
		if len(options) == 0 {
			out.Rejected = append(out.Rejected, why)
		}
	}
	out.Options, out.Fewer, out.Roomier = r.ranked(out.Options, x.sharpen)
	sorting.Func(out.Rejected, func(p, q Rejection) int { return cmp.Compare(p.distance(), q.distance()) })
	w := r.Workload
	w.Cards, w.Sharding = 1, Sharding{Offload: w.Sharding.Offload}
	out.Assumptions = slices.DeleteFunc(x.a.Complete(&w, nil), isCount)
	if len(out.Options) > 0 { // a micro-batch that fills its card is another on each; that of the first stands for all
		if i := slices.IndexFunc(out.Options[0].Assumptions, fillsCard); i >= 0 {
			at := slices.IndexFunc(out.Assumptions, func(s Assumption) bool { return s.Field == "batch" })
			out.Assumptions[at] = out.Options[0].Assumptions[i]
		}
	}
	return out
}

// explain estimates the first options in full, and finds what would make cards fit.
func (x *recommendation) explain(out *Answer) {
	out.Front = front(out.Options, x.r)
	for i := range out.Options {
		if x.r.stopped() {
			return
		}
		if i < fullOptions || slices.Contains(out.Front, i) {
			o := &out.Options[i]
			chosen := o.Assumptions
			*o = x.a.Estimate(o.Workload, o.Card, *x.r)
			o.Assumptions = chosen
		}
	}
	for i := range out.Rejected {
		if x.r.stopped() {
			return
		}
		if why := &out.Rejected[i]; why.Reason == "does_not_fit" {
			why.Remedies = x.remedies(why.job, why.Card)
		}
	}
}

// isCount reports whether an assumption is about the number of cards or between them, which differs
// among the options.
func isCount(s Assumption) bool {
	return s.Field == "cards" || s.Field == "sharding" || s.Field == "link"
}

func (r *Request) looksAt(c *Card) bool {
	in := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return in(r.Vendors, c.Vendor) && in(r.Segments, c.Segment) && in(r.Cards, c.ID)
}

// counts are the numbers of a card that are tried: powers of two and the most, as
// far as the sharding that was asked for divides them.
func (r *Request) counts(c *Card) []int {
	s := &r.Workload.Sharding
	most, by := max(1, r.Workload.Cards), max(1, s.Tensor)*max(1, s.Pipeline)*max(1, s.Sequence)
	if c.isAlone() {
		most = 1
	}
	var out []int
	for n := 1; n < most; n *= 2 {
		out = append(out, n)
	}
	data := max(1, s.Tensor) * max(1, s.Pipeline) * max(1, s.Experts)
	return slices.DeleteFunc(append(out, most), func(n int) bool { return n%by != 0 || n%data != 0 })
}

// isAlone reports whether a machine has only one of a card: a laptop, or a chip
// that is the whole machine.
func (c *Card) isAlone() bool {
	if c.figures == nil {
		return false
	}
	switch c.figures.Text("form_factor") {
	case "Laptop":
		return true
	case "Chip", "Module":
		return c.Unified
	}
	return false
}

// look tries a card; without options it tells why.
func (x *recommendation) look(c *Card) ([]Estimate, Rejection) {
	why := Rejection{Card: c, Usable: c.Usable}
	if c.Unsold() && !slices.Contains(x.r.Cards, c.ID) {
		why.Reason = "not_sold"
		return nil, why
	}
	if x.r.Permit != nil {
		if ok, detail := x.r.Permit(c); !ok {
			why.Reason, why.Detail = "not_admitted", detail
			return nil, why
		}
	}
	base := x.r.Workload
	base.Cards, base.Sharding = 1, x.r.Workload.Sharding.kept()
	chosen := slices.DeleteFunc(x.a.Complete(&base, c), isCount)
	if refusals := Refusals(&base, c); len(refusals) > 0 {
		why.Cards, why.Reason, why.Field = 1, refusals[0].Reason, refusals[0].Field
		return nil, why
	}
	if len(x.r.counts(c)) == 0 {
		why.Cards, why.Reason = 1, "only_one_in_a_machine"
		return nil, why
	}
	var options []Estimate
	for _, n := range x.r.counts(c) {
		w, chosen, need, ok := x.best(base, c, n, chosen)
		if !ok {
			if why.Reason == "" {
				why.Cards, why.Reason = n, "not_estimated"
			}
			continue
		}
		missing := max(0, need.Expected-c.Usable)
		if v := x.verdict(&w, c, need); v == TooBig || missing > 0 {
			if why.Memory.Expected == 0 || missing < why.Missing {
				why = Rejection{Card: c, Cards: n, Reason: "does_not_fit", Verdict: v, Memory: need,
					Usable: c.Usable, Missing: missing}
				why.job = w
			}
			continue
		}
		e := x.brief(w, c, need)
		e.Assumptions = chosen
		if x.a.isRare(&w, c) && slices.ContainsFunc(chosen, func(s Assumption) bool { return s.Field == "framework" }) {
			e.Assumptions = append(slices.Clip(chosen), Assumption{"framework", w.Framework, fewFrameworks})
			chosen = e.Assumptions
		}
		doubt := doubtful[doubts(&e)]
		if doubt == "" && e.Unmeasured {
			doubt = unmeasuredStack
		}
		if doubt != "" && doubt != fewFrameworks { // what is not supported at all was refused
			e.Assumptions = append(slices.Clip(chosen), Assumption{"framework", w.Framework, doubt})
		}
		if n > 1 && len(x.r.Given) > 0 && !slices.Contains(x.r.Given, "tensor") &&
			!slices.Contains(x.r.Given, "pipeline") {
			e.Assumptions = append(slices.Clip(e.Assumptions),
				Assumption{"sharding", w.Sharding.String(), "least_that_fits"})
		}
		e.Assumptions = append(slices.Clip(e.Assumptions), between(n, c)...)
		if reason, limit, reached := x.r.misses(&e); reason != "" {
			if len(options) == 0 {
				why = Rejection{Card: c, Cards: n, Reason: reason, Memory: need, Usable: c.Usable,
					Limit: limit, Reached: reached}
			}
			continue
		}
		options = append(options, e)
	}
	return options, why
}

// unmeasuredStack is why a card stands after those that somebody measured the framework on.
const unmeasuredStack = "unmeasured_stack"

// edgeModule is why a module for robots and other devices, which has the memory for a training job, stands after
// cards that are made to train.
const edgeModule = "edge_module"

// doubtful says why a card stands after others; see [doubts].
var doubtful = [...]string{"", "support_ended", "disputed_support", fewFrameworks, edgeModule, "partial_support"}

// brief is an estimate without ends of ranges, lines and evidence.
func (x *recommendation) brief(w Workload, c *Card, need Range) Estimate {
	e := Estimate{Card: c, Workload: w, Brief: true, Memory: Memory{PerCard: need, Usable: c.Usable}}
	e.Memory.Verdict, e.Memory.Missing = x.verdict(&w, c, need), max(0, need.Expected-c.Usable)
	k := x.a.workOf(&w)
	switch {
	case e.Memory.Verdict == TooBig:
	case k != nil:
		k.speed(&w, c, &e, false)
	case w.Task.Trains():
		e.Training = x.quick(TrainingSpeed, &w, c)
	default:
		e.Decode = x.quick(DecodeSpeed, &w, c)
	}
	e.Unmeasured = x.a.unmeasured(&e)
	x.market.job(&e)
	return e
}

// unmeasured reports whether nobody measured the speed of a job's framework on hardware of this kind; see
// [Estimate.Unmeasured].
func (a *Estimator) unmeasured(e *Estimate) bool {
	switch a.workOf(&e.Workload).(type) {
	case diffusion, hosted:
		return e.Card.backend() != "cuda" // the runs that docs/other-work.md has are all of NVIDIA's cards
	}
	q := DecodeSpeed
	if e.Workload.Task.Trains() {
		q = TrainingSpeed
	}
	f := a.fields[q]
	if f == nil || !f.unseen(&e.Workload, e.Card) {
		return false
	}
	// Who serves many has run the engine on the hardware, too.
	serving := a.fields[ServeSpeed]
	return e.Workload.Task.Trains() || serving == nil || serving.unseen(&e.Workload, e.Card)
}

// sharpen tells the interval of the speed of a brief estimate.
func (x *recommendation) sharpen(e *Estimate) {
	s, q := e.Training, TrainingSpeed
	if s == nil {
		s, q = e.Decode, DecodeSpeed
	}
	if s == nil || s.Rate.Low > 0 {
		return
	}
	if k := x.a.workOf(&e.Workload); k != nil {
		k.speed(&e.Workload, e.Card, e, true)
		return
	}
	if r, _, _, ok := x.a.fields[q].estimate(&e.Workload, e.Card, false, nil); ok {
		s.Rate = r
	}
}

// quick is the expected speed alone; nil where it is not known.
func (x *recommendation) quick(q Quantity, w *Workload, c *Card) *Speed {
	f := x.a.fields[q]
	if f == nil {
		return nil
	}
	value, _ := f.formula(f.Constants, w, c, false)
	if !(value > 0) || math.IsInf(value, 1) {
		return nil
	}
	p := f.point(w, c)
	return &Speed{Rate: Range{Expected: below(f.ceiling(w, c), value*math.Exp(x.sweep(f).Mean(&p)))}}
}

// sweep is the one of a quantity, for all jobs and cards of the request.
func (x *recommendation) sweep(q *field) *kriging.Sweep {
	s := x.sweeps[q.Quantity]
	if s == nil {
		s = q.mustKrige().Sweep()
		x.sweeps[q.Quantity] = s
	}
	return s
}

// Estimate is one complete job on a number of one card, in full, or with the cards beside it that the request names.
// Of the request it takes those, tokens, costs and how cards are come by.
func (a *Estimator) Estimate(w Workload, c *Card, r Request) Estimate {
	if len(r.With) > 0 {
		return a.pooled(w, c, r, false)
	}
	e := Estimate{Card: c}
	asked := w
	chosen := a.Complete(&w, c)
	w, e.Assumptions = a.settle(asked, w, c, chosen)
	e.Workload = w
	e.Refusals, e.Software = Refusals(&w, c), Software(&w, c)
	if m, ok := a.Memory(&w, c); ok {
		e.Memory = m
	}
	keep := func(s Speed, ok bool) *Speed {
		if !ok {
			return nil
		}
		return &s
	}
	k := a.workOf(&w)
	switch { // what does not fit has no speed
	case e.Memory.Verdict == TooBig:
	case k != nil:
		k.speed(&w, c, &e, true)
	case w.Task.Trains():
		e.Training = keep(a.Training(&w, c))
	default:
		e.Decode, e.Prefill = keep(a.Decode(&w, c)), keep(a.Prefill(&w, c))
	}
	e.Unmeasured = a.unmeasured(&e)
	a.market(&r).job(&e)
	e.Measured = a.besides(&e, r.Measured)
	return e
}

// misses is the first wish of a request that an estimate does not meet, with its
// limit and what is reached; empty where it meets all.
func (r *Request) misses(e *Estimate) (reason string, limit, reached float64) {
	rate := 0.0
	if s := e.Rate(); s != nil {
		rate = s.Rate.Expected
	}
	switch {
	case rate == 0 && (r.MinRate > 0 || r.MaxHours > 0):
		return "no_speed", 0, 0
	case rate < r.MinRate:
		return "too_slow", r.MinRate, rate
	case r.MaxHours > 0 && e.Hours.Expected > r.MaxHours:
		return "too_long", r.MaxHours, e.Hours.Expected
	case r.Budget.Micros > 0:
		return r.tooDear(e)
	}
	return "", 0, 0
}

// distance orders rejections: first what only money or time keep away, then by the
// share of the need that is missing, then what cannot run at all.
func (j *Rejection) distance() float64 {
	switch j.Reason {
	case "too_slow":
		return 1 - j.Reached/j.Limit
	case "too_long", "too_dear":
		return 1 - j.Limit/j.Reached
	case "no_price", "no_speed":
		return 1
	case "does_not_fit":
		return 1 + j.Missing/j.Memory.Expected
	}
	return 3
}

// Profile is the framework of a prepared workload; nil where it is unknown.
func (w *Workload) Profile() *Profile { return w.profile }
