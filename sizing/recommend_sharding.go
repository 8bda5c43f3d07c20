package sizing

import (
	"math"
	"slices"
	"strconv"
)

// best divides a job among n cards, and takes [leanFramework], one of [turns] or [inBackwardOf], or keeps checkpoints
// on the host, where it does not surely fit as it is. False where the framework cannot divide it, or nothing is known
// of the memory.
func (x *recommendation) best(base Workload, c *Card, n int, chosen []Assumption) (w Workload, assumed []Assumption,
	need Range, ok bool) {
	w, need, ok = x.shard(base, c, n)
	if ok && x.verdict(&w, c, need) == Fits {
		w, chosen, need = x.fuller(w, c, chosen, need)
		return w, chosen, need, true
	}
	if moved, fits := x.takingTurns(w, c, need); ok && fits {
		need, _ = x.need(&moved)
		return moved, append(slices.Clip(chosen), moved.turn()), need, true
	}
	if stepping, fits := x.steppingInBackward(w, c, need); ok && fits {
		need, _ = x.need(&stepping)
		return stepping, instead(chosen, stepping.stepped()), need, true
	}
	if spilled, fits := x.checkpointsOnHost(w, c); ok && fits {
		need, _ = x.need(&spilled)
		return spilled, instead(chosen, spilled.checkpointsKept()), need, true
	}
	if lean, leaner, fits := x.leaner(c, n, chosen, need); fits {
		need, _ = x.need(&lean)
		return lean, leaner, need, true
	}
	return w, chosen, need, ok
}

// fullBatch is the most tokens of a micro-batch: 8 sequences of 2,048, as TinyLlama was trained with on cards of 40 GB
// (jzhang38/TinyLlama pretrain/tinyllama.py).
const fullBatch = 8 * 2048

// fuller is a job of pre-training, where nobody said how many sequences a micro-batch has, with as many as surely fit,
// up to [fullBatch]. Those of fine-tuning stay one, as its recipes have it.
func (x *recommendation) fuller(w Workload, c *Card, chosen []Assumption, need Range) (Workload, []Assumption, Range) {
	if w.Task != Pretrain || x.r.Workload.Batch > 0 || !w.Model.WritesText() {
		return w, chosen, need
	}
	for b := 2 * w.Batch; b*w.Context <= fullBatch; b *= 2 {
		more := w
		more.Batch = b
		n, ok := x.need(&more)
		if !ok || n.Expected > c.Usable || x.verdict(&more, c, n) != Fits {
			break
		}
		w, need = more, n
	}
	if w.Batch == 1 {
		return w, chosen, need
	}
	return w, instead(chosen, Assumption{"batch", strconv.Itoa(w.Batch), "fills_card"}), need
}

func fillsCard(s Assumption) bool { return s.Why == "fills_card" }

// shard divides a job among n cards: in training the least stage of ZeRO that fits,
// and only then tensor parallelism; in inference as the framework does. False where
// the framework cannot, or nothing is known of the memory.
func (x *recommendation) shard(w Workload, c *Card, n int) (best Workload, need Range, ok bool) {
	w.Cards = n
	x.tried = w
	return x.smallest(w, c, x.shardings(&x.tried, n), x.need)
}

// smallest is the first of some divisions of a job that fits, or else the one that needs the
// least; false where nothing is known of the memory of any.
func (x *recommendation) smallest(w Workload, c *Card, ways []Sharding,
	needOf func(*Workload) (Range, bool)) (best Workload, need Range, ok bool) {
	least := math.Inf(1)
	x.tried = w
	for _, s := range ways {
		x.tried.Sharding = s
		r, known := needOf(&x.tried)
		if !known {
			continue
		}
		if r.High <= c.Usable && x.verdict(&x.tried, c, r) == Fits {
			return x.tried, r, true
		}
		if r.Expected < least {
			least, best, need, ok = r.Expected, x.tried, r, true
		}
	}
	return best, need, ok
}

// verdict is that of [Estimator.Memory].
func (x *recommendation) verdict(w *Workload, c *Card, need Range) Verdict {
	if x.a.workOf(w) != nil {
		return within(need, c)
	}
	if need.Low > 2*c.Usable {
		return TooBig
	}
	return x.a.fields[memoryQuantity(w)].fits(w, c, need)
}

// shardings are the divisions to try, the ones with the least communication first.
func (x *recommendation) shardings(w *Workload, n int) []Sharding {
	asked, p := x.r.Workload.Sharding, w.profile
	if k := x.a.workOf(w); k != nil {
		return k.shardings(w, n, asked)
	}
	offload := asked.Offload
	if offload == "none" {
		offload = ""
	}
	tensor, pipeline := max(1, asked.Tensor), max(1, asked.Pipeline)
	given := slices.Contains(x.r.Given, "tensor") || slices.Contains(x.r.Given, "pipeline") || tensor*pipeline > 1
	has := func(names ...string) bool {
		return p != nil && slices.ContainsFunc(names, func(s string) bool { return slices.Contains(p.Sharding, s) })
	}
	if !w.Task.Trains() {
		switch {
		case n == 1:
			return []Sharding{{Data: 1, Tensor: 1, Pipeline: 1}}
		case given:
			return []Sharding{{Data: n / (tensor * pipeline), Tensor: tensor, Pipeline: pipeline,
				Layers: pipeline > 1 && !has("pipeline")}}
		case p.divides() == "layers" && has("layers"):
			return []Sharding{{Data: 1, Tensor: 1, Pipeline: n, Layers: true}}
		case has("tensor") && w.Model.Heads%n == 0:
			return []Sharding{{Data: 1, Tensor: n, Pipeline: 1}}
		case has("pipeline") && n <= w.Model.Layers:
			return []Sharding{{Data: 1, Tensor: 1, Pipeline: n}}
		}
		return nil
	}
	stages := []int{0}
	switch {
	case slices.Contains(x.r.Given, "stage"), asked.Stage > 0:
		stages = []int{asked.Stage}
	case offload == "parameters":
		stages = []int{3}
	case offload == "optimizer":
		stages = []int{2, 3}
	case n == 1:
	case has("zero"):
		stages = []int{0, 1, 2, 3}
	case has("fsdp"):
		stages = []int{0, 2, 3} // DDP, SHARD_GRAD_OP, FULL_SHARD
		if !has("ddp") {
			stages = []int{2, 3}
		}
	case !has("ddp") && !given:
		return nil
	}
	if n == 1 && offload == "" {
		stages = []int{0}
	}
	experts := 1
	if !given && has("experts") && asked.Sequence <= 1 && asked.Experts == 0 {
		experts = expertGroup(w.Model, n)
	}
	var out []Sharding
	for _, stage := range stages {
		s := Sharding{Data: n / (tensor * pipeline), Tensor: tensor, Pipeline: pipeline,
			Stage: stage, Offload: offload, Sequence: asked.Sequence, Experts: asked.Experts}
		if experts > 1 {
			apart := s
			apart.Experts = experts
			out = append(out, apart)
		}
		out = append(out, s)
	}
	if !given && has("tensor") && asked.Sequence <= 1 && asked.Experts <= 1 {
		for t := 2; t <= min(n, aServer); t *= 2 {
			if n%t == 0 && w.Model.Heads%t == 0 {
				out = append(out, Sharding{Data: n / t, Tensor: t, Pipeline: 1,
					Stage: stages[len(stages)-1], Offload: offload})
			}
		}
	}
	return out
}

// mostExpertGroup is the most cards that experts are divided among: as many as DeepSeek-V3 was trained with
// (DeepSeek-AI, DeepSeek-V3 Technical Report, arXiv:2412.19437, section 3.2).
const mostExpertGroup = 64

// expertGroup is how many of n cards share the experts of each layer in training, where they fill servers: the most
// that divide both. Experts that stay where they are need not be gathered, and their gradients are exchanged with few.
func expertGroup(m *Model, n int) int {
	if n < aServer || m.Experts == 0 {
		return 1
	}
	group := mostExpertGroup
	for group > 1 && (m.Experts%group != 0 || n%group != 0) {
		group /= 2
	}
	return group
}

// need is the memory of the fullest card.
func (x *recommendation) need(w *Workload) (Range, bool) {
	r, ok := x.needs.get(w)
	if !ok {
		job := *w // so that the memory of jobs that are known is not taken from the heap
		if k := x.a.workOf(&job); k != nil {
			r, _, _, _ = k.memory(&job, false)
		} else if q := x.a.fields[memoryQuantity(&job)]; q != nil {
			p := q.point(&job, nil)
			r = q.need(&job, &p, x.sweep(q))
		}
		x.needs.put(&job, r)
	}
	return r, r.Expected > 0
}
