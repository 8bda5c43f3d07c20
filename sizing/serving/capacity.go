package serving

import (
	"math"

	"tianti/sizing"
)

// load finds the capacity of one replica, how many are needed, and what users meet.
func (x *planner) load(p *Plan, server *sizing.Server) {
	r, l := x.r, &x.r.Load
	p.Capacity = x.capacity(server)
	alone := server.At(0, 0, 1)
	if misses := x.misses(&alone); len(misses) > 0 {
		p.Outcome, p.Misses = Unreachable, misses
		p.Expected, p.Replicas, p.Cards = x.performance(&alone, 1), 1, p.Division.Cards
		return
	}
	p.Replicas = x.replicas(server, &p.Capacity)
	p.Cards = p.Replicas * p.Division.Cards
	if p.Cards > r.MaxCards {
		p.Outcome = TooManyCards
		p.Misses = []Miss{{"cards", float64(r.MaxCards), float64(p.Cards)}}
	}
	n := float64(p.Replicas)
	var s sizing.Serving
	switch {
	case l.Requests > 0:
		s = server.At(int(math.Ceil(float64(l.Requests)/n)), 0, 0)
		p.Workload.Requests = int(math.Ceil(float64(l.Requests) / n))
		if limit := r.Target.MaxSeconds; limit > 0 && s.Seconds.Expected > limit {
			p.Outcome = Unreachable
			p.Misses = []Miss{{"max_seconds", limit, s.Seconds.Expected}}
		}
	case l.Concurrency > 0:
		p.Workload.Concurrency = int(math.Ceil(float64(l.Concurrency) / n))
		s = server.At(0, 0, p.Workload.Concurrency)
	case l.RateRPS > 0:
		p.Workload.RateRPS = l.RateRPS / n
		s = server.At(0, p.Workload.RateRPS, 0)
	default:
		p.Workload.RateRPS = p.Capacity.RateRPS
		s = server.At(0, p.Capacity.RateRPS, 0)
	}
	p.Expected = x.performance(&s, n)
}

// nearlyFull is the share of the requests that a replica computes at once from which their number holds it back.
const nearlyFull = 0.7

// most is how close to saturation a replica is planned: beyond, queues grow without end at the least burst.
const mostUtilisation = 0.9

// capacity is the largest rate of arrivals under which a replica keeps the targets, by bisection over the
// requests in flight.
func (x *planner) capacity(server *sizing.Server) Capacity {
	full := server.Flowing(server.Most())
	c := Capacity{Saturation: full.Saturation.Expected}
	low, high := 0.0, server.Most()
	limit := ""
	for range 14 { // to a ten-thousandth of what fits
		mid := (low + high) / 2
		s := server.Flowing(mid)
		misses := x.misses(&s)
		switch {
		case len(misses) > 0:
			high, limit = mid, misses[0].Target
		case s.Utilisation > mostUtilisation:
			high, limit = mid, ""
		default:
			low = mid
		}
	}
	s := server.Flowing(max(low, 1e-9))
	c.RateRPS, c.Concurrency = s.Utilisation*c.Saturation, s.InFlight
	c.Reached = x.performance(&s, 1)
	switch {
	case limit != "":
	case c.Concurrency < nearlyFull*full.Most:
		limit = sizing.Limit(s.Lines)
	case full.Most < 1<<14 && server.Crowded():
		limit = "cache"
	case full.Most < 1<<14:
		limit = "sequences"
	default:
		limit = sizing.Limit(s.Lines)
	}
	c.Limit = limit
	return c
}

// misses are the targets that a load misses.
func (x *planner) misses(s *sizing.Serving) []Miss {
	t := &x.r.Target
	var out []Miss
	ttft := at(t.Percentile, s.TTFT, s.Queue).Expected
	if t.TTFT > 0 && (s.Overloaded || ttft > t.TTFT) {
		out = append(out, Miss{"ttft", t.TTFT, ttft})
	}
	if t.TPOT > 0 && (s.Overloaded || s.TPOT.Expected > t.TPOT) {
		out = append(out, Miss{"tpot", t.TPOT, s.TPOT.Expected})
	}
	if t.UserSpeed > 0 && (s.Overloaded || 1/s.TPOT.Expected < t.UserSpeed) {
		out = append(out, Miss{"user_speed", t.UserSpeed, 1 / s.TPOT.Expected})
	}
	return out
}

// replicas is how many carry the wanted load.
func (x *planner) replicas(server *sizing.Server, c *Capacity) int {
	l, t := &x.r.Load, &x.r.Target
	enough := func(n int) bool { return true }
	switch {
	case l.RateRPS > 0 && c.RateRPS > 0:
		return int(math.Ceil(l.RateRPS/c.RateRPS - 1e-9))
	case l.Concurrency > 0:
		enough = func(n int) bool {
			each := int(math.Ceil(float64(l.Concurrency) / float64(n)))
			s := server.At(0, 0, each)
			return float64(each) <= max(1, s.Most) && len(x.misses(&s)) == 0
		}
	case l.Requests > 0 && t.MaxSeconds > 0:
		enough = func(n int) bool {
			s := server.At(int(math.Ceil(float64(l.Requests)/float64(n))), 0, 0)
			return s.Seconds.Expected <= t.MaxSeconds
		}
	}
	n, most := 1, x.r.MaxCards+1
	for n < most && !enough(n) {
		n *= 2
	}
	low, high := n/2+1, n
	for low < high {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return max(1, high)
}

// performance is a load of one replica, of so many.
func (x *planner) performance(s *sizing.Serving, replicas float64) Performance {
	l := &x.r.Load
	times := func(r sizing.Range, v float64) sizing.Range {
		return sizing.Range{Low: r.Low * v, Expected: r.Expected * v, High: r.High * v}
	}
	p := Performance{Throughput: times(s.Throughput, replicas), TPOT: s.TPOT, TTFT: s.TTFT,
		TTFTAt: at(x.r.Target.Percentile, s.TTFT, s.Queue), InFlight: s.InFlight, Utilisation: s.Utilisation,
		Pause:   s.Pause,
		Prefill: s.Reading, Seconds: s.Seconds, Overloaded: s.Overloaded, Lines: s.Lines, Limit: sizing.Limit(s.Lines),
		Evidence: s.Evidence}
	output := float64(l.Output)
	p.RateRPS = p.Throughput.Expected / output
	p.InputRate = p.RateRPS * float64(l.Prompt)
	inverse := func(v float64) float64 {
		if v == 0 {
			return 0
		}
		return 1 / v
	}
	p.UserSpeed = sizing.Range{Low: inverse(s.TPOT.High), Expected: inverse(s.TPOT.Expected), High: inverse(s.TPOT.Low)}
	whole := func(ttft, tpot float64) float64 { return ttft + tpot*(output-1) }
	p.Latency = sizing.Range{Low: whole(s.TTFT.Low, s.TPOT.Low), Expected: whole(s.TTFT.Expected, s.TPOT.Expected),
		High: whole(s.TTFT.High, s.TPOT.High)}
	return p
}
