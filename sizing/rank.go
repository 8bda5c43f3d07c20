package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/catalog"
)

// tooDear compares what has to be paid with the budget: the price of cards that are
// bought, the rent of the whole job. One way that is affordable is enough.
func (r *Request) tooDear(e *Estimate) (reason string, limit, reached float64) {
	limit, least := r.Budget.Amount(), math.Inf(1)
	for i := range e.Expenses {
		x := &e.Expenses[i]
		pay := x.Total
		if x.Acquire == "buy" {
			pay = x.Outlay
		}
		if x.Currency == r.Budget.Currency && pay > 0 {
			least = min(least, pay)
		}
	}
	switch {
	case math.IsInf(least, 1):
		return "no_price", limit, 0
	case least > limit:
		return "too_dear", limit, least
	}
	return "", 0, 0
}

// cost of a million tokens, in the request's currency; infinite where it is not
// known.
func (r *Request) cost(e *Estimate) float64 {
	if x := r.expense(e); x != nil && x.PerMillion > 0 {
		return x.PerMillion
	}
	return math.Inf(1)
}

// expense is the cheaper way, in the request's currency, at a price that is not too
// old where there is one; nil where there is none.
func (r *Request) expense(e *Estimate) *Expense {
	for i := range e.Expenses {
		if x := &e.Expenses[i]; x.Currency == r.Costs.Currency && x.PerHour > 0 {
			return x
		}
	}
	return nil
}

func rateOf(e *Estimate) float64 {
	if s := e.Rate(); s != nil {
		return s.Rate.Expected
	}
	return 0
}

// score is what the goal wants least of; infinite where it is not known. Where the cheapest is
// asked for within a budget, and the only price is not of today, the fastest counts.
func (r *Request) score(e *Estimate) float64 {
	switch r.Goal {
	case Fastest:
		if v := rateOf(e); v > 0 {
			return 1 / v
		}
		return math.Inf(1)
	case MostRoom:
		return e.Memory.PerCard.Expected / e.Card.Usable
	case LeastEnergy:
		if e.KWhPerMillion > 0 {
			return e.KWhPerMillion
		}
		return math.Inf(1)
	}
	if r.Budget.Micros > 0 && r.dated(e) { // the budget is kept; an old price says no more than that
		if v := rateOf(e); v > 0 {
			return 1 / v
		}
		return math.Inf(1)
	}
	if r.Tokens == 0 {
		return r.hourly(e)
	}
	return r.cost(e)
}

// hourly is what an hour of the cards costs the cheaper way; infinite where there
// is no price. Without a job of a known size the cheapest cards are those that cost
// least to have, not those that do most for the money.
func (r *Request) hourly(e *Estimate) float64 {
	if x := r.expense(e); x != nil {
		return x.PerHour
	}
	return math.Inf(1)
}

// dated reports whether the goal goes by a price that is too old, or that was announced at
// launch, or that is not known.
func (r *Request) dated(e *Estimate) bool {
	x := r.expense(e)
	return r.Goal == Cheapest && (x == nil || !x.current())
}

// current reports whether an expense is at a price of today: what was announced at launch is
// none, however long ago that was.
func (x *Expense) current() bool {
	return x.Given || x.Price.Freshness.Current() && x.Price.Kind != catalog.LaunchPrice
}

// ranked orders estimates: first those that surely fit, of them first those on cards that the
// software supports in full, by the goal, the best first; then the others likewise. Among equals the faster comes first, then the one with
// fewer cards.
func (r *Request) ranked(options []Estimate) []Estimate {
	type place struct {
		at          int
		sure        int // 0 where it surely fits
		partial     int // 1 where the software supports the card in part
		dated       int // 1 where the price to go by is too old to be called the best, or not known
		score, rate float64
	}
	places := make([]place, len(options))
	for i := range options {
		places[i] = place{at: i, score: r.score(&options[i]), rate: rateOf(&options[i])}
		if options[i].Memory.Verdict != Fits {
			places[i].sure = 1
		}
		if len(Software(&options[i].Workload, options[i].Card)) > 0 {
			places[i].partial = 1
		}
		if r.dated(&options[i]) {
			places[i].dated = 1
		}
	}
	slices.SortStableFunc(places, func(p, q place) int {
		return cmp.Or(
			cmp.Compare(p.sure, q.sure),
			cmp.Compare(p.partial, q.partial),
			cmp.Compare(p.dated, q.dated),
			cmp.Compare(p.score, q.score),
			cmp.Compare(q.rate, p.rate),
			cmp.Compare(options[p.at].Workload.Cards, options[q.at].Workload.Cards),
		)
	})
	out := make([]Estimate, len(options))
	for i, p := range places {
		out[i] = options[p.at]
	}
	return out
}

// front are the indices of the options that no other beats in both cost and speed,
// the cheapest first. Options that only may fit are left out unless all are such, and
// so are those at a price that is too old, even then.
func front(options []Estimate, r *Request) []int {
	var known []int
	for i := range options {
		if options[0].Memory.Verdict == Fits && options[i].Memory.Verdict != Fits {
			break // the sure ones come first
		}
		x := r.expense(&options[i])
		if x != nil && x.PerMillion > 0 && x.current() && rateOf(&options[i]) > 0 {
			known = append(known, i)
		}
	}
	slices.SortStableFunc(known, func(i, j int) int {
		return cmp.Or(cmp.Compare(r.cost(&options[i]), r.cost(&options[j])),
			cmp.Compare(rateOf(&options[j]), rateOf(&options[i])))
	})
	var out []int
	fastest := 0.0
	for _, i := range known {
		if v := rateOf(&options[i]); v > fastest {
			out, fastest = append(out, i), v
		}
	}
	return out
}
