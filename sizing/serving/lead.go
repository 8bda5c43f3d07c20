package serving

import (
	"cmp"

	"tianti/sizing"
)

// What people who run such services weigh besides money.
const (
	dearer = 1.25 // of the lowest cost, at which fewer cards or a surer answer are worth it
	twice  = 2.0  // the lowest cost, up to which a surer card is worth it: for more there is the cheapest, twice
	far    = 0.5  // of a promise, kept at the slow end of an interval: below, it is missed by far
	looked = 16   // cards that are looked at, the cheapest first

	mostReserve = 4 // times the cards of a plan, beyond which it is no reserve but another service
)

// A Choice is which of many cards leads, and why it is not the cheapest.
type Choice struct {
	At  int  // index of the card that leads
	Far bool // it misses a promise by far at the slow end of its interval, and so do all that cost up to twice as much
}

// Lead chooses the card that leads among those that carry a load and are as good as each other but for their cost, by
// which they are ordered. It is the cheapest, or one that costs a quarter more at most and needs fewer cards: each is a
// slot, a link and a thing that fails. Of as many cards it is one that keeps what was promised even where it is as slow
// as its interval allows. One that may miss it by far leads only where all do that cost up to twice as much.
func Lead(a *sizing.Estimator, r Request, by []*Brief, cost func(*Brief) float64) Choice {
	Check(a, &r)
	by = by[:min(len(by), looked)]
	servers := a.Servers()
	near := make([]int, 0, len(by))
	for i, b := range by {
		b.slow(servers, &r.Target)
		if b.Kept >= far && cost(b) <= twice*cost(by[0]) {
			near = append(near, i)
		}
	}
	out := Choice{Far: len(near) == 0}
	if out.Far {
		for i := range by {
			near = append(near, i)
		}
	}
	if len(near) == 0 {
		return out
	}
	out.At = near[0]
	limit := dearer * cost(by[near[0]])
	for _, i := range near[1:] {
		if cost(by[i]) > limit {
			break
		}
		if by[i].before(by[out.At]) < 0 {
			out.At = i
		}
	}
	return out
}

// before is negative where a card leads another that is as dear or cheaper.
func (b *Brief) before(other *Brief) int {
	keeps := func(b *Brief) int {
		if b.Kept >= 1 {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.Cards, other.Cards), cmp.Compare(keeps(b), keeps(other)))
}

// slow works out what users get at the slow end of the interval.
func (b *Brief) slow(servers *sizing.Servers, t *Target) {
	s := servers.Spread(b.workload, b.Card)
	b.Kept = 1
	if b.TPOT.Expected > 0 {
		b.SlowSpeed = 1 / (b.TPOT.Expected * s.TPOT)
	}
	if speed := max(t.UserSpeed, over(1, t.TPOT)); speed > 0 {
		b.Kept = min(b.Kept, b.SlowSpeed/speed)
	}
	if t.TTFT > 0 && b.ttftAt > 0 {
		b.Kept = min(b.Kept, t.TTFT/(b.ttftAt*s.TTFT))
	}
}

// reserve is [Plan.Reserve]: the cards for a promise that is as much higher as the interval is wide, that of the
// division which then needs the fewest cards.
func (x *planner) reserve(p *Plan) int {
	t, e := &x.r.Target, &p.Expected.TPOT
	speed := max(t.UserSpeed, over(1, t.TPOT))
	if speed == 0 || 1/e.High >= speed || x.r.Load.RateRPS == 0 && x.r.Load.Concurrency == 0 {
		return 0
	}
	r, servers := *x.r, x.a.Servers()
	sure := planner{a: x.a, r: &r, make: servers.Server}
	r.Target.TPOT = 0
	for width, tries := e.High/e.Expected, 0; tries < 3; tries++ {
		r.Target.UserSpeed = speed * width
		q := sure.plan()
		if q.Outcome != Served || q.Cards > mostReserve*p.Cards {
			return 0
		}
		if width = servers.Spread(q.Workload, r.Card).TPOT; 1/(q.Expected.TPOT.Expected*width) >= speed*0.999 {
			if q.Cards > p.Cards {
				return q.Cards
			}
			return 0
		}
	}
	return 0
}
