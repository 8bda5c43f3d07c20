package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/sorting"
)

// loads are the shares of all layers that the cards of each kind hold, or of equal parts.
func (p *Pool) loads() []float64 {
	out := make([]float64, len(p.Parts))
	for i := range p.Parts {
		if x := &p.Parts[i]; p.Split == ByLayers {
			out[i] = float64(sum(x.Layers)) / float64(sum(p.layers()))
		} else {
			out[i] = float64(x.Count) / float64(count(p.cards()))
		}
	}
	return out
}

// poolSpeed is a speed of a pool, of what it would be with all cards of each kind.
func (a *Estimator) poolSpeed(e *Estimate, of func(*Workload, *Card) (Speed, bool)) *Speed {
	p, w := e.Pool, e.Workload
	speeds, ok := p.speeds(&w, of)
	if !ok {
		return nil
	}
	even := speeds
	if n := p.used(); p.Split == ByLayers && n < w.Cards {
		w.Cards, w.Sharding.Pipeline, w.Sharding.Layers = n, n, n > 1 && w.Sharding.Layers
		speeds, _ = p.speeds(&w, of)
	}
	p.Slowest = 0
	for i := range speeds {
		if speeds[i].Rate.Expected < speeds[p.Slowest].Rate.Expected {
			p.Slowest = i
		}
	}
	out, loads := speeds[p.Slowest], p.loads()
	if p.Split != InEqualParts {
		out = p.joined(speeds, loads)
	}
	if p.Split == ByLayers && !slices.Equal(loads, p.even) {
		p.Even = p.joined(even, p.even).Rate.Expected
	}
	for i := range p.Parts {
		switch x := &p.Parts[i]; p.Split {
		case ByLayers:
			x.Busy = loads[i] * out.Rate.Expected / speeds[i].Rate.Expected
		case InCopies:
			x.Busy = 1
		default:
			x.Busy = out.Rate.Expected / speeds[i].Rate.Expected
		}
	}
	if out.Evidence.Tier == Measured {
		out.Evidence.Tier = Calibrated // of one kind of card, not of these together
	}
	return &out
}

// speeds are what a job would reach were all cards of each kind; false where one is not known.
func (p *Pool) speeds(w *Workload, of func(*Workload, *Card) (Speed, bool)) ([]Speed, bool) {
	out := make([]Speed, len(p.Parts))
	for i := range p.Parts {
		s, ok := of(w, apart(p.Parts[i].Card))
		if !ok || !(s.Rate.Expected > 0) {
			return nil, false
		}
		out[i] = s
	}
	return out, true
}

// Idle are the cards that hold no layer: the others have room for all.
func (p *Pool) Idle() int {
	if p.Split != ByLayers {
		return 0
	}
	return count(p.cards()) - p.used()
}

// used is how many cards hold layers.
func (p *Pool) used() int {
	n := 0
	for _, layers := range p.layers() {
		if layers > 0 {
			n++
		}
	}
	return n
}

// joined is the speed of cards that take one after another their part of the time, or that work beside each other.
func (p *Pool) joined(speeds []Speed, loads []float64) Speed {
	out := Speed{Unit: speeds[0].Unit, Evidence: Evidence{Tier: Measured}}
	add := func(sum, rate, share float64) float64 {
		if p.Split == InCopies {
			return sum + rate*share
		}
		return sum + share/rate
	}
	var all, formula struct{ low, expected, high float64 }
	for i, s := range speeds {
		share := loads[i]
		all.low, all.high = add(all.low, s.Rate.Low, share), add(all.high, s.Rate.High, share)
		all.expected = add(all.expected, s.Rate.Expected, share)
		formula.expected = add(formula.expected, s.Evidence.Formula, share)
		for _, l := range s.Lines {
			at := slices.IndexFunc(out.Lines, func(x Line) bool { return x.Part == l.Part })
			if at < 0 {
				at, out.Lines = len(out.Lines), append(out.Lines, Line{Part: l.Part, Source: l.Source,
					Formula: "Σ s · (" + l.Formula + ")"})
			}
			out.Lines[at].Value += share * l.Value
			out.Lines[at].Inputs = append(out.Lines[at].Inputs, Input{"s", share, ""})
		}
		out.Evidence.Supports = append(out.Evidence.Supports, s.Evidence.Supports...)
		if slices.Index(tiers, s.Evidence.Tier) > slices.Index(tiers, out.Evidence.Tier) {
			out.Evidence.Tier = s.Evidence.Tier
		}
	}
	out.Rate, out.Evidence.Formula = Range{all.low, all.expected, all.high}, formula.expected
	if p.Split != InCopies {
		out.Rate = Range{1 / all.low, 1 / all.expected, 1 / all.high}
		out.Evidence.Formula = 1 / formula.expected
	}
	sorting.Func(out.Evidence.Supports, func(x, y Support) int {
		return cmp.Compare(math.Abs(y.Weight), math.Abs(x.Weight))
	})
	out.Evidence.Supports = out.Evidence.Supports[:min(most, len(out.Evidence.Supports))]
	out.Limit = Limit(out.Lines)
	return out
}
