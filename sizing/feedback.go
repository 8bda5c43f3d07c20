package sizing

import "math"

// A looped gauge has jobs whose value feeds back on itself: requests that arrive at a rate stay as long as the engine
// takes for a token, so that a slower step has more of them in it. What is then off by a factor at a number of requests
// is off by more in the end, see [serveGauge.looped]. Its cases are compared with the formula at the number of requests
// that they had, and its corrections are made there.
type looped interface {
	// looped reports whether a job feeds back.
	looped(w *Workload) bool
	// measuredAt is the formula's value where a job has what it had when a value was measured.
	measuredAt(k Constants, w *Workload, c *Card, measured float64) float64
	// settled is the value at which a job settles where the formula, at what the job has then, is multiplied by a
	// factor.
	settled(k Constants, w *Workload, c *Card, factor float64) float64
}

// loops reports whether a job of a gauge feeds back on itself.
func loops(g gauge, w *Workload) (looped, bool) {
	l, ok := g.(looped)
	return l, ok && l.looped(w)
}

// settle is a value of the formula, multiplied by a factor: where a job feeds back, what that comes to.
func (q *field) settle(w *Workload, c *Card, value, factor float64) float64 {
	if l, ok := loops(q.gauge, w); ok && value > 0 {
		return l.settled(q.Constants, w, c, factor)
	}
	return value * factor
}

// looped is a time per token under random arrivals. Of λ requests a second that each write L tokens, λ · L · TPOT are
// in flight (Little). Where a request takes t of a step of s besides, TPOT = s ÷ (1 − λ · L · t): near the rate at
// which the denominator is gone, an error of t comes back many times as large.
func (g serveGauge) looped(w *Workload) bool {
	return g.quantity == ServeTPOT && w.RateRPS > 0 && w.Requests == 0
}

func (g serveGauge) measuredAt(k Constants, w *Workload, c *Card, measured float64) float64 {
	if !known(w, c) || matrix16(c) <= 0 || c.Usable <= 0 {
		return 0
	}
	s := serviceOf(k, w, c)
	if s.most < 1 {
		return 0
	}
	arriving := w.RateRPS / s.replicas
	return s.arriving(arriving, arriving*s.output*measured)
}

// arriving is the time per token of a replica with so many requests in flight of a rate of arrivals.
func (s *service) arriving(rate, inFlight float64) float64 {
	var l loaded
	l.inFlight = min(max(1, s.most), inFlight)
	s.times(&l, min(rate, s.rate(l.inFlight)))
	return l.tpot
}

func (g serveGauge) settled(k Constants, w *Workload, c *Card, factor float64) float64 {
	s := serviceOf(k, w, c)
	arriving, most := w.RateRPS/s.replicas, max(1, s.most)
	low, high := 0.0, most
	for range 28 {
		mid := (low + high) / 2
		if arriving*s.output*s.arriving(arriving, mid)*factor > mid {
			low = mid
		} else {
			high = mid
		}
	}
	return s.arriving(arriving, high) * factor
}

// off is how far an estimate is from what was measured, as a logarithm; where jobs feed back, at the requests that were
// in flight.
func (p *Prediction) off() float64 {
	if p.by == nil { // of no field
		return math.Abs(math.Log(p.Ratio()))
	}
	if l, ok := loops(p.by.gauge, &p.Case.Workload); ok {
		at := l.measuredAt(p.by.Constants, &p.Case.Workload, p.Case.Card, p.Case.Measured)
		return math.Abs(math.Log(p.Case.Measured/at) - math.Log(p.evidence.factor))
	}
	return math.Abs(math.Log(p.Ratio()))
}
