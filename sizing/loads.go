package sizing

import "slices"

// A Load is how requests come, by which estimates of serving are told apart: each is known as well as it can be, and
// none is to hide behind another.
type Load string

// The loads.
const (
	Burst     Load = "burst"     // all at once; most of them fit
	Saturated Load = "saturated" // all at once, at least twice as many as an engine computes at once: offline
	InFlight  Load = "in_flight" // always so many
	Arrivals  Load = "arrivals"  // so many a second, at random
	OneByOne  Load = "one"       // one after another: decoding at batch 1
)

// Loads are all loads, in the order of reports.
var Loads = []Load{Burst, Saturated, InFlight, Arrivals, OneByOne}

// Load is that of a case; empty where it is none of serving.
func (c *Case) Load() Load {
	load := loadOf(c.Quantity, &c.Workload)
	if load == Burst && c.saturates() {
		return Saturated
	}
	return load
}

// loadOf is that of a job of serving, however many requests are computed at once; empty for other quantities.
func loadOf(q Quantity, w *Workload) Load {
	switch {
	case !q.serves():
		return ""
	case w.Requests == 1, w.Concurrency == 1:
		return OneByOne
	case w.RateRPS > 0:
		return Arrivals
	case w.Requests == 0:
		return InFlight
	}
	return Burst
}

// twice as many requests as fit keep an engine full for most of a burst.
const twice = 2

// saturates reports whether a burst has at least twice as many requests as the engine computes at once, by what it is
// set to and what fits beside the weights with a reserve that no case has changed.
func (c *Case) saturates() bool {
	w := &c.Workload
	if !known(w, c.Card) || matrix16(c.Card) <= 0 || c.Card.Usable <= 0 {
		return false
	}
	s := serviceOf(startConstants, w, c.Card)
	return float64(w.Requests) >= twice*s.replicas*max(1, s.most)
}

// startConstants are those that the fit of serving begins with.
var startConstants = func() Constants {
	k := Constants{}
	for _, b := range (serveGauge{}).bounds() {
		k[Constant{"", b.Name}] = b.Start
	}
	return k
}()

// A LoadScore is the score of the cases of a load.
type LoadScore struct {
	Load   Load
	Scores []Score // of each of LeaveOuts
}

// ofLoad are the cases of a load.
func ofLoad(cases []*Compared, load Load) []*Compared {
	return slices.DeleteFunc(slices.Clone(cases), func(c *Compared) bool { return c.Case.Load() != load })
}

// loadsOf scores cases of serving by their load; nil for others.
func loadsOf(cases []*Compared) []LoadScore {
	var out []LoadScore
	for _, load := range Loads {
		some := ofLoad(cases, load)
		if len(some) == 0 {
			continue
		}
		s := LoadScore{Load: load}
		for way := range LeaveOuts {
			s.Scores = append(s.Scores, scoreAt(some, way))
		}
		out = append(out, s)
	}
	return out
}
