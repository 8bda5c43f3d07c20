package sizing

import (
	"math"

	"tianti/sizing/kriging"
)

// Memory estimates the memory of the fullest card. Nothing is estimated where a
// figure of the model is not known.
func (a *Estimator) Memory(w *Workload, c *Card) (Memory, bool) {
	if k := a.workOf(w); k != nil {
		return a.workMemory(k, w, c)
	}
	q := a.fields[memoryQuantity(w)]
	if q == nil {
		return Memory{}, false
	}
	r, lines, e, ok := q.estimate(w, c, true, nil)
	if !ok {
		return Memory{}, false
	}
	if correction := r.Expected - e.Formula; correction != 0 {
		lines = append(lines, Line{Part: "correction", Value: correction, Formula: "formula · (e^g − 1)",
			Source: "measured cases",
			Inputs: []Input{{"formula", e.Formula, "bytes"}, {"g", math.Log(r.Expected / e.Formula), ""}}})
	}
	m := Memory{Lines: lines, PerCard: r, Usable: c.Usable, Evidence: e, Host: memory{}.host(w)}
	m.Verdict, m.Missing = q.fits(w, c, r), max(0, r.Expected-c.Usable)
	return m, true
}

// need is the memory of the fullest card as [field.estimate] has it, without what it rests on, by
// a sweep over jobs of which most differ in size alone, where the point of the job is given; zero
// where it is not known.
func (q *field) need(w *Workload, p *kriging.Point, s *kriging.Sweep) Range {
	l := q.gauge.(memory).ledger(q.Constants, w, false)
	if !(l.sum > 0) || math.IsInf(l.sum, 0) {
		return Range{}
	}
	r, _ := q.corrected(l.sum, w, nil, s.Predict(p, most), q.scaleOf(l.doubt()))
	return r
}

// fits says whether a job that needs so much fits on a card. What the allocator
// keeps of freed blocks it gives back before it fails, so the low end counts
// without it. On cards without the units for 16-bit training, frameworks fall back
// to 32 bits here and there, so the high end counts activations twice.
func (q *field) fits(w *Workload, c *Card, need Range) Verdict {
	m, ok := q.gauge.(memory)
	if ok && (need.Low > c.Usable || m.training && c.isBeforeAmpere()) { // nothing else can change the verdict
		job := *w // what a ledger is of lies on the heap, and most verdicts need none
		if l := m.ledger(q.Constants, &job, false); l.sum > 0 {
			need.Low *= 1 - l.reserve/l.sum
			if m.training && c.isBeforeAmpere() {
				need.High *= 1 + l.dynamic/l.sum
			}
		}
	}
	return VerdictOf(w, c, need)
}

// VerdictOf compares a need with the memory of a card.
func VerdictOf(w *Workload, c *Card, need Range) Verdict {
	v, _ := verdict(need, c.Usable)
	if v == Fits && (w.lacksBF16(c) || w.lacksFlash2(c)) {
		return Borderline
	}
	return v
}

// verdict compares a need with what there is, and gives what is missing of the
// expected need.
func verdict(need Range, usable float64) (Verdict, float64) {
	missing := max(0, need.Expected-usable)
	switch {
	case need.Low > usable:
		return TooBig, missing
	case need.High > usable:
		return Borderline, missing
	}
	return Fits, missing
}
