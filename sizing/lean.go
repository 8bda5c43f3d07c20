package sizing

import "slices"

// leanFramework is what people train with where the usual framework does not fit: it keeps
// checkpoints in host memory, and less of what is not quantised.
const leanFramework = "unsloth"

// leaner is the job on n cards with [leanFramework], where nobody asked for another framework
// and it surely fits that way, or more likely than not where what the usual one needs, if
// that is known, is more than there is.
func (x *recommendation) leaner(c *Card, n int, chosen []Assumption, usually Range) (Workload, []Assumption, bool) {
	usual := func(s Assumption) bool { return s.Field == "framework" && s.Why == "usual_training" }
	if !slices.ContainsFunc(chosen, usual) || !x.canBeLean() {
		return Workload{}, nil, false
	}
	w := x.r.Workload
	w.Framework, w.Cards, w.Sharding = leanFramework, 1, w.Sharding.kept()
	assumed := slices.DeleteFunc(x.a.Complete(&w, c), isCount)
	if len(Refusals(&w, c)) > 0 || len(Software(&w, c)) > 0 {
		return w, nil, false
	}
	w, need, ok := x.shard(w, c, n)
	likelier := usually.Expected > c.Usable && need.Expected <= c.Usable
	if !ok || x.verdict(&w, c, need) != Fits && !likelier {
		return w, nil, false
	}
	return w, append([]Assumption{{"framework", leanFramework, "where_usual_does_not_fit"}}, assumed...), true
}

// canBeLean reports whether the request goes together with [leanFramework], whatever the card.
func (x *recommendation) canBeLean() bool {
	if x.lean == nil {
		r := *x.r
		r.Workload.Framework = leanFramework
		can := x.a.runs(leanFramework, r.Workload.Task) && len(x.a.Contradictions(&r)) == 0
		x.lean = &can
	}
	return *x.lean
}

// settle chooses what [Estimator.Complete] cannot without the memory of the card, as
// [Estimator.Recommend] does: in training the least sharding that fits, and a leaner
// framework where the usual one does not fit.
func (a *Estimator) settle(asked, w Workload, c *Card, chosen []Assumption) (Workload, []Assumption) {
	if !w.Task.Trains() || w.Model == nil {
		return w, chosen
	}
	x := a.recommendation(&Request{Workload: asked})
	if i := slices.IndexFunc(chosen, func(s Assumption) bool { return s.Field == "sharding" }); i >= 0 {
		if best, _, ok := x.shard(w, c, w.Cards); ok {
			w = best
			chosen[i] = Assumption{"sharding", w.Sharding.String(), "least_that_fits"}
		}
	}
	need, ok := x.need(&w)
	if ok && x.verdict(&w, c, need) == Fits {
		return w, chosen
	}
	lean, assumed, ok := x.leaner(c, w.Cards, chosen, need)
	if !ok {
		return w, chosen
	}
	return lean, append(assumed, slices.DeleteFunc(slices.Clone(chosen),
		func(s Assumption) bool { return !isCount(s) })...)
}
