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
	if w.Model == nil {
		return w, chosen
	}
	x := a.recommendation(&Request{Workload: asked})
	if !w.Task.Trains() {
		need, _ := x.need(&w)
		if moved, ok := x.takingTurns(w, c, need); ok {
			return moved, append(chosen, moved.turn())
		}
		return w, chosen
	}
	if i := slices.IndexFunc(chosen, func(s Assumption) bool { return s.Field == "sharding" }); i >= 0 {
		if best, _, ok := x.shard(w, c, w.Cards); ok {
			w = best
			chosen[i] = Assumption{"sharding", w.Sharding.String(), "least_that_fits"}
		}
	}
	need, ok := x.need(&w)
	if ok && x.verdict(&w, c, need) == Fits {
		w, chosen, _ = x.fuller(w, c, chosen, need)
		return w, chosen
	}
	if stepping, fits := x.steppingInBackward(w, c, need); ok && fits {
		return stepping, instead(chosen, stepping.stepped())
	}
	if spilled, fits := x.checkpointsOnHost(w, c); ok && fits {
		if spilled.Sharding != w.Sharding {
			chosen = instead(chosen, Assumption{"sharding", spilled.Sharding.String(), "least_that_fits"})
		}
		return spilled, instead(chosen, spilled.checkpointsKept())
	}
	lean, assumed, ok := x.leaner(c, w.Cards, chosen, need)
	if !ok {
		return w, chosen
	}
	return lean, append(assumed, slices.DeleteFunc(slices.Clone(chosen),
		func(s Assumption) bool { return !isCount(s) })...)
}

// checkpointsOnHost is a job of training on several cards, as the least sharding that fits, whose checkpoints of
// activations are kept in the memory of the host, where nobody said how they are kept, its framework can, and the job
// surely fits that way. On one card [leanFramework] does the same and more.
func (x *recommendation) checkpointsOnHost(w Workload, c *Card) (Workload, bool) {
	if w.Cards <= 1 || w.Checkpointing != "full" || x.r.Workload.Checkpointing != "" || c.Unified ||
		w.profile == nil || !w.profile.OffloadsCheckpoints || !w.Task.Trains() || x.a.workOf(&w) != nil {
		return w, false
	}
	w.Checkpointing = "offload"
	best, need, ok := x.shard(w, c, w.Cards)
	return best, ok && x.verdict(&best, c, need) == Fits
}

// checkpointsKept says where a job keeps its checkpoints.
func (w *Workload) checkpointsKept() Assumption {
	return Assumption{"checkpointing", w.Checkpointing, "checkpoints_on_host"}
}

// instead are assumptions with another one of a field.
func instead(chosen []Assumption, a Assumption) []Assumption {
	out := slices.DeleteFunc(slices.Clone(chosen), func(s Assumption) bool { return s.Field == a.Field })
	return append(out, a)
}

// turns are how people run a pipeline of diffusion that does not fit: text encoders, denoiser and decoder are moved to
// the card one after another (enable_model_cpu_offload of Diffusers, what ComfyUI does by itself), and where the
// denoiser alone is too large its blocks are as well (enable_group_offload, block swap).
var turns = []Assumption{{"offload", "model", "components_take_turns"}, {"offload", "blocks", "blocks_take_turns"}}

// turn is the one of [turns] that a job takes.
func (w *Workload) turn() Assumption {
	return turns[slices.IndexFunc(turns, func(t Assumption) bool { return t.Value == w.Sharding.Offload })]
}

// takingTurns is a job of diffusion whose components, or blocks, are moved to the card one after another, where nobody
// said what is to be moved, the card has memory of its own, and the job fits that way and not, or not surely, as it
// usually runs, which needs so much.
func (x *recommendation) takingTurns(w Workload, c *Card, usually Range) (Workload, bool) {
	if _, ok := x.a.workOf(&w).(diffusion); !ok || w.Task.Trains() || c.Unified ||
		x.r.Workload.Sharding.Offload != "" || usually.Expected == 0 || within(usually, c) == Fits {
		return w, false
	}
	best, found := w, false
	for _, t := range turns {
		moved := w
		if moved.Sharding.Offload = t.Value; !x.allowed(&moved) {
			continue
		}
		need, ok := x.need(&moved)
		switch fits := within(need, c) == Fits; {
		case ok && fits:
			return moved, true
		case ok && !found && need.Expected <= c.Usable && usually.Expected > c.Usable:
			best, found = moved, true
		}
	}
	return best, found
}
