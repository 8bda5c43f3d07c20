package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/sizing/kriging"
)

// An Owned is a number of one card that somebody has in one machine.
type Owned struct {
	Card  *Card
	Count int
}

// A Fit is a job that owned cards can do, at its largest batch or context.
type Fit struct {
	Owned Owned // of which all are used
	// complete: the context that was asked for, or the usual one, and at it Batch sequences, or LikelyBatch, or one
	Workload Workload
	Verdict  Verdict // of Workload: Fits with Batch, Borderline with LikelyBatch alone
	Memory   Range   // of the fullest card, with Workload
	Usable   float64
	Batch    int  // largest at the context of Workload that surely fits; 0 where none does
	Context  int  // largest with one sequence that surely fits, up to what the model takes; 0 where none does
	AtLimit  bool // Context is all that the model takes

	// The largest that more likely fit than not.
	LikelyBatch, LikelyContext int

	Speed    *Speed // of Workload: training or generation
	Refusals []Refusal
}

// Limits of what [Estimator.WhatFits] tries.
const (
	largestBatch   = 4096
	largestContext = 1 << 20
	leastContext   = 256
)

// Sizes are the models of the grid and of the inverse: presets that many use of
// each class.
var Sizes = []struct{ Size, Model string }{
	{"7B", "llama-2-7b"}, {"8B", "llama-3.1-8b"}, {"14B", "qwen2.5-14b"}, {"32B", "qwen2.5-32b"},
	{"70B", "llama-3.1-70b"},
}

// method is a task with the weights that go with it.
type method struct {
	task    Task
	weights string
}

var methods = []method{{Full, ""}, {LoRA, ""}, {QLoRA, "nf4"}, {Inference, "bf16"}, {Inference, "fp8"},
	{Inference, "q4_k_m"}}

// WhatFits tells what owned cards can train and serve. Cards of different kinds are
// not pooled: frameworks give each card an equal part, so that the smallest would
// bound all; each group is answered for itself. What w sets is kept: task, framework,
// weights, context; otherwise the usual ones are tried. With models empty it tries
// those of [Sizes].
func (a *Estimator) WhatFits(own []Owned, w Workload, models []*Model) []Fit {
	return a.WhatFitsUntil(func() bool { return false }, own, w, models)
}

// WhatFitsUntil is [Estimator.WhatFits], which ends where it is once stopped says that nobody waits for it.
func (a *Estimator) WhatFitsUntil(stopped func() bool, own []Owned, w Workload, models []*Model) []Fit {
	if len(models) == 0 {
		for _, s := range Sizes {
			if m := a.Models.Find(s.Model); m != nil {
				models = append(models, m)
			}
		}
	}
	out := make([]Fit, 0, len(own)*len(models)*len(methods))
	shared := &needs{a: a, of: &byJob[map[size]Range]{}, all: &byJob[Range]{}, sweeps: map[Quantity]*kriging.Sweep{}}
	for _, o := range own {
		for _, m := range models {
			for _, t := range methods {
				if stopped() {
					return out
				}
				job := w
				job.Model = m
				if w.Task != "" && w.Task != t.task {
					continue
				}
				job.Task = t.task
				if w.Weights == "" {
					job.Weights = t.weights
				} else if slices.ContainsFunc(out, func(f Fit) bool {
					return f.Owned == o && f.Workload.Model == m && f.Workload.Task == t.task
				}) {
					continue // the weights were chosen: one answer is enough
				}
				if f, ok := a.whatFits(o, job, shared); ok {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// whatFits finds the largest batch and context; false where the job does not go
// together, such as weights that the framework does not read.
func (a *Estimator) whatFits(o Owned, job Workload, shared *needs) (Fit, bool) {
	r := Request{Workload: job}
	r.Workload.Cards = o.Count
	a.CompleteRequest(&r)
	if r.Workload.needsLongContext() {
		return Fit{Owned: o, Usable: o.Card.Usable, Workload: r.Workload, Verdict: TooBig,
			Refusals: []Refusal{{"context", "beyond_model"}}}, true
	}
	if len(a.Contradictions(&r)) > 0 {
		return Fit{}, false
	}
	x := a.recommendation(&r)
	x.needs, x.sweeps = shared.all, shared.sweeps
	base := r.Workload
	base.Cards, base.Sharding = 1, job.Sharding.kept()
	chosen := slices.DeleteFunc(a.Complete(&base, o.Card), isCount)
	f := Fit{Owned: o, Usable: o.Card.Usable, Workload: base}
	if f.Refusals = Refusals(&base, o.Card); len(f.Refusals) > 0 {
		f.Verdict = TooBig
		return f, true
	}
	if best, _, _, ok := x.best(base, o.Card, o.Count, chosen); ok && (best.Framework != base.Framework ||
		best.Checkpointing != base.Checkpointing) {
		base = best
		base.Cards, base.Sharding = 1, job.Sharding.kept()
	}
	base.Cards = o.Count
	ways, needOf := x.shardings(&base, o.Count), shared.sized(base)
	at := func(batch, context int) (Workload, Range, Verdict) {
		w := base
		w.Batch, w.Context, w.Prompt = batch, context, min(base.Prompt, max(1, context/2))
		w, need, ok := x.smallest(w, o.Card, ways, needOf)
		if !ok {
			return w, need, ""
		}
		if need.Expected > o.Card.Usable {
			return w, need, TooBig // more likely than not
		}
		return w, need, x.verdict(&w, o.Card, need)
	}
	if f.Workload, f.Memory, f.Verdict = at(1, base.Context); f.Verdict == "" {
		return f, false // nothing is known of its memory, or it cannot be shared by so many cards
	}
	sure := func(batch, context int) float64 {
		_, need, v := at(batch, context)
		return room(v == Fits, o.Card.Usable-need.High)
	}
	likely := func(batch, context int) float64 {
		_, need, v := at(batch, context)
		return room(v == Fits || v == Borderline, o.Card.Usable-need.Expected)
	}
	most := largestContext
	if m := job.Model.MaxContext; m > 0 {
		most = min(most, max(m, base.Context)) // more where that was asked for
	}
	low := min(leastContext, most)
	f.Batch = largest(1, largestBatch, func(n int) float64 { return sure(n, base.Context) })
	f.Context = largest(low, most, func(n int) float64 { return sure(1, n) })
	f.LikelyBatch = largest(max(1, f.Batch), largestBatch, func(n int) float64 { return likely(n, base.Context) })
	f.LikelyContext = largest(max(low, f.Context), most, func(n int) float64 { return likely(1, n) })
	f.AtLimit = f.Context == most
	if n := cmp.Or(f.Batch, f.LikelyBatch); n > 0 {
		f.Workload, f.Memory, f.Verdict = at(n, base.Context)
		f.Speed = a.speed(&f.Workload, o.Card)
	}
	return f, true
}

// speed is that of the task: training, or generation.
func (a *Estimator) speed(w *Workload, c *Card) *Speed {
	s, ok := Speed{}, false
	if w.Task.Trains() {
		s, ok = a.Training(w, c)
	} else {
		s, ok = a.Decode(w, c)
	}
	if !ok {
		return nil
	}
	return &s
}

// needs are the memory of jobs, which cards ask for alike.
type needs struct {
	a      *Estimator
	of     *byJob[map[size]Range] // of jobs without a size
	all    *byJob[Range]          // of jobs of the usual size
	sweeps map[Quantity]*kriging.Sweep
}

// A size is what [Estimator.WhatFits] varies of a job.
type size struct {
	batch, context, prompt int
	sharding               Sharding
}

// sized tells the need of a job in any size; false where it is not known.
func (n *needs) sized(job Workload) func(*Workload) (Range, bool) {
	q := n.a.fields[memoryQuantity(&job)]
	if q == nil {
		return func(*Workload) (Range, bool) { return Range{}, false }
	}
	sweep := n.sweeps[q.Quantity]
	if sweep == nil {
		sweep = q.mustKrige().Sweep()
		n.sweeps[q.Quantity] = sweep
	}
	job.Batch, job.Context, job.Prompt, job.Sharding = 0, 0, 0, Sharding{}
	known, ok := n.of.get(&job)
	if !ok {
		known = map[size]Range{}
		n.of.put(&job, known)
	}
	keys := map[Sharding][]string{}
	return func(w *Workload) (Range, bool) {
		at := size{w.Batch, w.Context, w.Prompt, w.Sharding}
		r, ok := known[at]
		if !ok {
			if keys[w.Sharding] == nil {
				keys[w.Sharding] = memory{}.keys(w)
			}
			p := kriging.Point{Keys: keys[w.Sharding], Coordinates: memory{}.coordinates(w)}
			r = q.need(w, &p, sweep)
			known[at] = r
		}
		return r, r.Expected > 0
	}
}

// room is what a job leaves of a memory: less than nothing where it does not fit, however little
// that is, and where nothing is known.
func room(fits bool, left float64) float64 {
	switch {
	case fits:
		return max(0, left)
	case left < 0:
		return left
	}
	return math.Inf(-1)
}

// largest is the largest whole number from low to high that leaves room, given that one which does
// not is followed by none that does; 0 where low does not. What is left falls nearly in a straight
// line: it looks where that crosses zero, and in the middle each third time.
func largest(low, high int, left func(int) float64) int {
	above := left(low)
	if above < 0 {
		return 0
	}
	if low == high {
		return high
	}
	below := left(high)
	if below >= 0 {
		return high
	}
	for n := 1; low+1 < high; n++ {
		at := (low + high) / 2
		if n%3 != 0 && !math.IsInf(below, -1) {
			at = low + int(above/(above-below)*float64(high-low))
			at = min(max(at, low+1), high-1)
		}
		if v := left(at); v >= 0 {
			low, above = at, v
		} else {
			high, below = at, v
		}
	}
	return low
}

// A Cell is one field of the grid of a card: a task with a size of model.
type Cell struct {
	Size     string // "7B"
	Task     Task
	Workload Workload // complete, on one card
	Verdict  Verdict  // on one card; empty where nothing is known
	Memory   Range
	Usable   float64
	Missing  float64
	Cards    int // smallest number of this card, of 1, 2, 4 and 8, that more likely fits than not; 0 where none does
	Refusals []Refusal
	Request  Request // [Estimator.Values] of it, for [ForEstimate], are a link
}

// gridSizes and gridTasks are the rows and columns of the grid.
var (
	gridSizes = []struct{ Size, Model string }{{"7B", "llama-2-7b"}, {"14B", "qwen2.5-14b"}, {"32B", "qwen2.5-32b"},
		{"70B", "llama-3.1-70b"}}
	gridTasks = []Task{Full, LoRA, QLoRA, Inference}
)

// Grid tells what fits on a card: four sizes of model, each trained in full, with
// LoRA, with QLoRA, and served in 16 bits, with the usual settings.
func (a *Estimator) Grid(c *Card) []Cell {
	var out []Cell
	for _, s := range gridSizes {
		m := a.Models.Find(s.Model)
		if m == nil {
			continue
		}
		for _, t := range gridTasks {
			out = append(out, a.cell(c, s.Size, m, t))
		}
	}
	return out
}

func (a *Estimator) cell(c *Card, size string, m *Model, t Task) Cell {
	r := Request{Workload: Workload{Model: m, Task: t, Cards: 8}, Cards: []string{c.ID},
		Given: []string{"card", "cards", "model", "task"}}
	a.CompleteRequest(&r)
	x := a.recommendation(&r)
	base := r.Workload
	base.Cards = 1
	chosen := slices.DeleteFunc(a.Complete(&base, c), isCount)
	out := Cell{Size: size, Task: t, Workload: base, Usable: c.Usable, Refusals: Refusals(&base, c)}
	if len(out.Refusals) > 0 {
		out.Verdict = TooBig
	}
	for _, n := range r.counts(c) {
		w, _, need, ok := x.best(base, c, n, chosen)
		if !ok {
			continue
		}
		if n == 1 {
			out.Workload, out.Memory, out.Missing = w, need, max(0, need.Expected-c.Usable)
			if len(out.Refusals) == 0 {
				out.Verdict = x.verdict(&w, c, need)
			}
		}
		if out.Cards == 0 && need.Expected <= c.Usable && len(out.Refusals) == 0 {
			out.Cards = n
		}
	}
	out.Request = r
	out.Request.Workload = Workload{Model: m, Task: t, Cards: max(1, out.Cards)}
	return out
}
