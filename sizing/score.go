package sizing

import "fmt"

// A Result is the estimate of a case beside what was measured, in the unit of the
// case.
type Result struct {
	Case                 *Case
	Predicted, Low, High float64
	Verdict              Verdict // of memory
	Measured             float64 // 0 where only whether it ran is known
	Tier                 Tier
	Skipped              string // why there is no estimate
}

// Evaluate estimates cases, each without the evidence of the estimator's own cases that
// a way of leaving out holds back with it, under whatever id; "" holds back none. The
// constants of the formulas stay as they are.
func (a *Estimator) Evaluate(cases []Case, way LeaveOut) []Result {
	groups := map[*field]map[string][]int{}
	out := make([]Result, len(cases))
	for i := range cases {
		c := &cases[i]
		out[i] = Result{Case: c}
		if c.Unit == "minutes" && c.Tokens == 0 {
			out[i].Measured, out[i].Skipped = c.Minutes, "it is not known how many tokens the minutes were for"
			continue
		}
		if c.Measured > 0 {
			out[i].Measured = c.InUnit(c.Measured)
		}
		if c.Quantity == DocumentRate {
			a.scoreDocuments(c, &out[i])
			continue
		}
		f := a.fields[c.Quantity]
		if f == nil {
			out[i].Skipped = "nothing is calibrated for " + string(c.Quantity)
			continue
		}
		if len(c.With) > 0 {
			a.scorePool(c, &out[i])
			continue
		}
		without := f.heldBackWith(c, way, groups)
		if c.Quantity.serves() && a.scoreServing(c, way, groups, &out[i]) {
			continue
		}
		r, _, e, ok := f.estimate(&c.Workload, c.Card, false, without)
		if !ok {
			out[i].Skipped = "a figure that the formula needs is not known"
			continue
		}
		low, high := c.InUnit(r.Low), c.InUnit(r.High)
		out[i].Predicted, out[i].Low, out[i].High, out[i].Tier = c.InUnit(r.Expected), min(low, high),
			max(low, high), e.Tier
		if c.Quantity.isMemory() && c.Card != nil && c.Card.Usable > 0 {
			w := c.Workload
			w.Reading = "" // what counts is what the driver sees
			if r, _, _, ok := f.estimate(&w, c.Card, false, without); ok {
				out[i].Verdict = f.fits(&w, c.Card, r)
			}
		}
	}
	return out
}

// scorePool estimates a case of cards of several kinds in one machine, of which no case corrects estimates.
func (a *Estimator) scorePool(c *Case, out *Result) {
	w := c.Workload
	for _, o := range c.With {
		w.Cards -= o.Count
	}
	e := a.pooled(w, c.Card, Request{Workload: w, With: c.With}, false)
	r, tier := e.Memory.PerCard, e.Memory.Evidence.Tier
	if c.Quantity.isMemory() {
		out.Verdict = e.Memory.Verdict
	} else {
		s := e.Rate()
		if c.Quantity == PrefillSpeed {
			s = e.Prefill
		}
		if s == nil {
			out.Skipped = "a figure that the formula needs is not known, or these cards cannot share the job"
			return
		}
		r, tier = s.Rate, s.Evidence.Tier
	}
	out.Predicted, out.Low, out.High, out.Tier = c.InUnit(r.Expected), c.InUnit(r.Low), c.InUnit(r.High), tier
	if len(e.Refusals) > 0 || r.Expected == 0 {
		out.Skipped = "these cards cannot share the job"
	}
}

// scoreServing answers cases of serving whose load decides: a rate of arrivals is what is answered, unless it
// is more than the engine does. It reports whether it answered.
func (a *Estimator) scoreServing(c *Case, way LeaveOut, groups map[*field]map[string][]int, out *Result) bool {
	w := &c.Workload
	speed := a.fields[ServeSpeed]
	if speed == nil || w.RateRPS == 0 {
		return false
	}
	most, ok := speed.saturated(w, c.Card, speed.heldBackWith(c, way, groups))
	switch {
	case !ok:
		return false
	case w.RateRPS >= most.High:
		out.Skipped = fmt.Sprintf("overloaded: most it serves is %.3g requests/s (%.3g to %.3g)", most.Expected,
			most.Low, most.High)
		return true
	case c.Quantity != ServeSpeed:
		return false
	}
	output := float64(w.Output)
	out.Predicted, out.Low = c.InUnit(min(w.RateRPS, most.Expected)*output), c.InUnit(min(w.RateRPS, most.Low)*output)
	out.High, out.Tier = c.InUnit(w.RateRPS*output), Formula
	return true
}

// heldBackWith are the cases of a field that a way leaves out with a case; groups remembers them.
func (q *field) heldBackWith(c *Case, way LeaveOut, groups map[*field]map[string][]int) []int {
	switch way {
	case "":
		return nil
	case OutItself:
		return q.copies(c)
	}
	by := q.groupsOf(way)
	if groups[q] == nil {
		groups[q] = map[string][]int{}
		for i, o := range q.cases {
			groups[q][by(o)] = append(groups[q][by(o)], i)
		}
	}
	return groups[q][by(c)]
}

// copies are the cases of a field that are a given one: by id and value, or by
// everything but the id.
func (q *field) copies(c *Case) []int {
	var out []int
	for i, o := range q.cases {
		if o.Measured == c.Measured && (o.ID == c.ID || o.Source == c.Source &&
			q.same(&o.Workload, o.Card, &c.Workload, c.Card)) {
			out = append(out, i)
		}
	}
	return out
}
