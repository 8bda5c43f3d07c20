package sizing

import (
	"math"

	"tianti/sizing/kriging"
)

// A Servers makes servers for many cards and settings, and works out once what they have in common. The ranges of those
// of [Servers.Server] have no ends, and no evidence is named.
type Servers struct {
	a      *Estimator
	sweeps map[Quantity]*kriging.Sweep
}

// Servers is for looking at many cards in one go. It is not safe for concurrent use.
func (a *Estimator) Servers() *Servers { return &Servers{a, map[Quantity]*kriging.Sweep{}} }

// Server is [Estimator.Server] with expected values alone.
func (x *Servers) Server(w Workload, c *Card, t Tuning) (*Server, bool) {
	return x.a.server(w, c, t, func(q Quantity, f *field, k *kriging.Field, w *Workload) *served {
		point := f.point(w, c)
		return &served{field: f, mean: x.sweep(q, k).Mean(&point), brief: true}
	})
}

// Whole is [Estimator.Server].
func (x *Servers) Whole(w Workload, c *Card, t Tuning) (*Server, bool) {
	return x.a.server(w, c, t, func(q Quantity, f *field, k *kriging.Field, w *Workload) *served {
		point := f.point(w, c)
		return servedBy(f, w, c, x.sweep(q, k).Predict(&point, most))
	})
}

func (x *Servers) sweep(q Quantity, k *kriging.Field) *kriging.Sweep {
	sweep := x.sweeps[q]
	if sweep == nil {
		sweep = k.Sweep()
		x.sweeps[q] = sweep
	}
	return sweep
}

// A Doubt is how far a card may be slower than expected where no measured run is near: factors to the slow ends of 90 %
// intervals, 1 where one is.
type Doubt struct {
	Throughput, TPOT, TTFT float64
	Unmeasured             bool // nobody measured the engine on this kind of hardware, see [Estimate.Unmeasured]
}

// Doubt is that of a workload on a card.
func (x *Servers) Doubt(w Workload, c *Card) Doubt {
	out := Doubt{Throughput: 1, TPOT: 1, TTFT: 1}
	if !x.a.prepareServing(&w, c) {
		return out
	}
	out.Unmeasured = x.a.fields[ServeSpeed].unseen(&w, c)
	near := func(q Quantity) bool {
		f := x.a.fields[q]
		k, err := f.kriged()
		if err != nil {
			return true
		}
		point := f.point(&w, c)
		return k.Near(&point, nearby)
	}
	reach := func(q Quantity) float64 {
		if f := x.a.fields[q]; !near(q) {
			return f.reach(&w, c, f.before(), Formula)
		}
		return x.reach(q, &w, c)
	}
	speed, tpot := near(ServeSpeed), near(ServeTPOT)
	if !speed {
		out.Throughput = math.Exp(reach(ServeSpeed))
	}
	switch {
	case w.Concurrency > 0 && !(speed && tpot):
		out.TPOT = math.Exp(closedReach(reach))
	case !tpot:
		out.TPOT = math.Exp(reach(ServeTPOT))
	}
	if !near(ServeTTFT) {
		out.TTFT = math.Exp(reach(ServeTTFT))
	}
	return out
}

// Spread is how far a card may be slower than expected, as [Server.At] says of the workload's load: factors to the
// slow ends of 90 % intervals.
func (x *Servers) Spread(w Workload, c *Card) Doubt {
	out := Doubt{Throughput: 1, TPOT: 1, TTFT: 1}
	if !x.a.prepareServing(&w, c) {
		return out
	}
	reach := func(q Quantity) float64 { return x.reach(q, &w, c) }
	out.Throughput, out.TPOT, out.TTFT = math.Exp(reach(ServeSpeed)), math.Exp(reach(ServeTPOT)),
		math.Exp(reach(ServeTTFT))
	if w.Concurrency > 0 {
		out.TPOT = math.Exp(closedReach(reach))
	}
	return out
}

// reach is that of the interval of a quantity of serving, whatever the load.
func (x *Servers) reach(q Quantity, w *Workload, c *Card) float64 {
	f := x.a.fields[q]
	k, err := f.kriged()
	if err != nil {
		return 0
	}
	point := f.point(w, c)
	p := x.sweep(q, k).Predict(&point, most)
	tier, _ := f.carried(w, c, p)
	return f.reach(w, c, p.Deviation, tier)
}
