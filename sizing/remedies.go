package sizing

import (
	"slices"
	"strconv"
	"strings"
)

// A change is a remedy that is not yet known to be enough.
type change struct {
	changes []Change
	job     Workload
	more    bool // takes more cards than the request allows
}

// remedies are the first changes, of those that cost the least, with which a job
// fits in the memory of a card.
func (x *recommendation) remedies(w Workload, c *Card) []Remedy {
	all, ok := x.changed.get(&w)
	if !ok {
		all = x.changes(w)
		x.changed.put(&w, all)
	}
	var out []Remedy
	for i := range all {
		ch := &all[i]
		need, ok := x.need(&ch.job)
		if !ok || need.Expected > c.Usable || len(Refusals(&ch.job, c)) > 0 || x.verdict(&ch.job, c, need) == TooBig {
			continue
		}
		if len(out) > 0 && len(ch.changes) > 1 {
			break // one change alone was enough
		}
		if ch.more && c.isAlone() {
			continue
		}
		if !slices.ContainsFunc(out, func(r Remedy) bool { return r.Changes[0].Field == ch.changes[0].Field }) {
			out = append(out, x.least(w, c, ch, need))
		}
		if len(out) == mostChanges {
			break
		}
	}
	return out
}

// least leaves out the changes of a remedy that it does without.
func (x *recommendation) least(w Workload, c *Card, ch *change, need Range) Remedy {
	out := Remedy{ch.changes, need}
	if ch.more {
		return out
	}
	for i := 0; i < len(out.Changes) && len(out.Changes) > 1; {
		job, fewer := w, slices.Delete(slices.Clone(out.Changes), i, i+1)
		for _, f := range fewer {
			job = x.with(job, f)
		}
		n, ok := x.need(&job)
		if !ok || n.Expected > c.Usable || len(Refusals(&job, c)) > 0 || !x.allowed(&job) ||
			x.verdict(&job, c, n) == TooBig {
			i++
			continue
		}
		out = Remedy{fewer, n}
	}
	return out
}

// changes are what can be tried to make a job smaller, what costs the least first:
// changes of the program, which change no result; then of the numbers; then of the
// method; then of the job itself; then more cards.
func (x *recommendation) changes(w Workload) []change {
	var out []change
	try := func(field, value string, f func(w *Workload)) {
		n := w
		f(&n)
		if n == w {
			return
		}
		if n = x.prepared(n); x.allowed(&n) {
			out = append(out, change{[]Change{{field, value}}, n, false})
		}
	}
	if w.Task.Trains() {
		x.trainingChanges(&w, try)
	} else {
		x.inferenceChanges(&w, try)
	}
	if w.Batch > 1 {
		for b := w.Batch / 2; ; b /= 2 {
			b = max(1, b)
			try("batch", strconv.Itoa(b), func(n *Workload) { n.Batch = b })
			if b == 1 {
				break
			}
		}
	}
	for s := w.Context / 2; s >= max(256, w.Context/4); s /= 2 {
		try("context", strconv.Itoa(s), func(n *Workload) { n.Context, n.Prompt = s, min(n.Prompt, max(1, s/2)) })
	}
	out = append(out, x.moreCards(w)...)
	return append(out, together(x, w, out)...)
}

func (x *recommendation) trainingChanges(w *Workload, try func(field, value string, f func(*Workload))) {
	try("checkpointing", "full", func(n *Workload) { n.Checkpointing = "full" })
	if w.Attention == "eager" {
		try("attention", "sdpa", func(n *Workload) { n.Attention = "sdpa" })
	}
	try("fused_loss", "yes", func(n *Workload) { n.FusedLoss = true })
	if (w.Optimizer == "adamw" || w.Optimizer == "adamw-fused") && w.Task != GaLore {
		try("optimizer", "adamw-8bit", func(n *Workload) { n.Optimizer = "adamw-8bit" })
		try("optimizer", "paged-adamw-8bit", func(n *Workload) { n.Optimizer = "paged-adamw-8bit" })
	}
	if w.canStepInBackward() {
		for _, o := range inBackwardOf(w.Task) {
			try("optimizer", o, func(n *Workload) { n.Optimizer = o })
		}
	}
	for stage := w.Sharding.Stage + 1; stage <= 3 && w.Cards > 1; stage++ {
		try("stage", strconv.Itoa(stage), func(n *Workload) { n.Sharding.Stage = stage })
	}
	if w.Profile() != nil {
		for _, o := range []string{"optimizer", "parameters"} {
			if w.Sharding.Offload == "" && slices.Contains(w.Profile().Offload, o) {
				try("offload", o, func(n *Workload) {
					n.Sharding.Offload, n.Sharding.Stage = o, map[string]int{"optimizer": max(2, n.Sharding.Stage),
						"parameters": 3}[o]
				})
			}
		}
	}
	if w.Task == Full {
		try("task", string(LoRA), func(n *Workload) { *n = x.as(*n, LoRA) })
	}
	if w.Task == Full || w.Task == LoRA {
		try("task", string(QLoRA), func(n *Workload) { *n = x.as(*n, QLoRA) })
	}
}

func (x *recommendation) inferenceChanges(w *Workload, try func(field, value string, f func(*Workload))) {
	for _, f := range []string{"fp8", "q8_0"} {
		if g := x.a.Formats.Find(f); g != nil && w.cache != nil && w.cache.Bits > g.Bits &&
			(f == "q8_0") == (w.profile.divides() == "layers") {
			try("kv_cache", f, func(n *Workload) { n.KVCache = f })
		}
	}
	if w.format == nil || w.profile == nil {
		return
	}
	smaller := []string{"fp8", "awq-int4", "gptq-int4", "nf4"}
	switch {
	case strings.HasPrefix(w.Weights, "mlx") || w.Framework == "mlx":
		smaller = []string{"mlx-8bit", "mlx-6bit", "mlx-4bit"}
	case isGGUF(w.Weights) || len(w.profile.Formats) == 0:
		smaller = []string{"q8_0", "q6_k", "q4_k_m", "q3_k_m", "q2_k", "iq2_xs"}
	}
	for _, f := range smaller {
		if g := x.a.Formats.Find(f); g != nil && g.Bits < w.format.Bits-0.5 {
			try("weights", f, func(n *Workload) { n.Weights = g.ID })
		}
	}
	if w.Model.Experts > 0 && max(1, w.Batch) == 1 && w.Sharding.Offload == "" && w.Host.Layers == 0 {
		try("offload", offloadExperts, x.toHost)
	}
}

// toHost leaves experts in the memory of the host, with the program that can where none was asked for.
func (x *recommendation) toHost(w *Workload) {
	w.Sharding = Sharding{Data: 1, Tensor: 1, Pipeline: max(1, w.Cards), Layers: w.Cards > 1, Offload: offloadExperts}
	if !slices.Contains(x.r.Given, "framework") {
		w.Framework = ""
	}
	if !slices.Contains(x.r.Given, "weights") {
		w.Weights, w.KVCache, w.Attention = "", "", ""
	}
}

// as is a job with another task, and the defaults of that.
func (x *recommendation) as(w Workload, t Task) Workload {
	w.Task, w.Rank, w.Targets = t, 0, ""
	if t == QLoRA {
		w.Weights = ""
	}
	return w
}

// prepared completes a changed job.
func (x *recommendation) prepared(w Workload) Workload {
	s := w.Sharding
	x.a.Complete(&w, nil)
	w.Sharding = s
	return w
}

// allowed reports whether a changed job goes together.
func (x *recommendation) allowed(w *Workload) bool {
	return len(x.a.Contradictions(&Request{Workload: *w, Costs: x.r.Costs})) == 0
}

// moreCards tries more cards than the request allows.
func (x *recommendation) moreCards(w Workload) []change {
	var out []change
	n := 1
	for n <= w.Cards {
		n *= 2
	}
	for ; n <= 64; n *= 2 {
		by := max(1, x.r.Workload.Sharding.Tensor) * max(1, x.r.Workload.Sharding.Pipeline)
		if n%by != 0 {
			continue
		}
		more := w
		more.Cards = n
		for _, s := range x.shardings(&more, n) {
			more.Sharding = s
			fields := []Change{{"cards", strconv.Itoa(n)}}
			if s.Stage != w.Sharding.Stage && slices.Contains(x.r.Given, "stage") {
				fields = append(fields, Change{"stage", strconv.Itoa(s.Stage)})
			}
			out = append(out, change{fields, more, true})
		}
	}
	return out
}

// together adds up changes that are not enough alone: first of the program, then
// the numbers, then the method, then a shorter context.
func together(x *recommendation, w Workload, single []change) []change {
	var out []change
	job := w
	var changes []Change
	seen := map[string]bool{}
	for _, ch := range single {
		c := ch.changes[0]
		if ch.more || seen[c.Field] || c.Field == "batch" || c.Field == "context" || c.Field == "offload" {
			continue
		}
		seen[c.Field] = true
		next := x.with(job, c)
		if next == job || !x.allowed(&next) {
			continue
		}
		job, changes = next, append(slices.Clone(changes), c)
		if len(changes) > 1 {
			out = append(out, change{changes, job, false})
		}
	}
	for b := job.Batch; b > 1; {
		b = max(1, b/4)
		c := Change{"batch", strconv.Itoa(b)}
		job, changes = x.with(job, c), append(slices.DeleteFunc(slices.Clone(changes), func(o Change) bool {
			return o.Field == "batch"
		}), c)
		out = append(out, change{changes, job, false})
	}
	for s := job.Context / 2; s >= 512; s /= 4 {
		c := Change{"context", strconv.Itoa(s)}
		job, changes = x.with(job, c), append(slices.DeleteFunc(slices.Clone(changes), func(o Change) bool {
			return o.Field == "context"
		}), c)
		out = append(out, change{changes, job, false})
	}
	return out
}

// with makes one change.
func (x *recommendation) with(w Workload, c Change) Workload {
	n, _ := strconv.Atoi(c.Value)
	switch c.Field {
	case "checkpointing":
		w.Checkpointing = c.Value
	case "attention":
		w.Attention = c.Value
	case "fused_loss":
		w.FusedLoss = c.Value == "yes"
	case "optimizer":
		w.Optimizer = c.Value
	case "stage":
		w.Sharding.Stage = n
	case "offload":
		if w.Sharding.Offload = c.Value; c.Value == offloadExperts {
			x.toHost(&w)
		}
	case "task":
		w = x.as(w, Task(c.Value))
	case "kv_cache":
		w.KVCache = c.Value
	case "weights":
		w.Weights = c.Value
	case "batch":
		w.Batch = n
	case "context":
		w.Context, w.Prompt = n, min(w.Prompt, max(1, n/2))
	}
	return x.prepared(w)
}
