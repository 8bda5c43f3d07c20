package sizing

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Split is how cards of several kinds in one machine share a job.
type Split string

// The splits.
const (
	// Each card holds as many layers as its memory allows, and the cards work one after another (llama.cpp, docs of
	// --split-mode layer and --tensor-split; Transformers, device_map; vLLM, VLLM_PP_LAYER_PARTITION).
	ByLayers Split = "layers"
	// Each card holds and computes an equal part: the card with the least memory bounds what fits, and each step
	// waits for the slowest card (tensor parallelism, arXiv 1909.08053; data parallelism, ZeRO and FSDP).
	InEqualParts Split = "equal"
	// Each card answers requests of its own with the whole model.
	InCopies Split = "copies"
)

// A Pool is what cards of several kinds in one machine do together.
type Pool struct {
	Split   Split
	Parts   []Part // as they were asked for
	Fullest int    // of Parts: its memory is the fullest
	Slowest int    // of Parts: its cards would be the slowest, were all of the kind
	// tokens per second were each card as full as the others, which is how programs divide layers unless they are told
	// otherwise; 0 where that is the division, and where layers are not split
	Even float64

	even    []float64 // loads were each card as full as the others
	PerHour float64   // of the cards, bought and written off; 0 where the price of one is not known
}

// A Part is the cards of one kind in a [Pool].
type Part struct {
	Owned
	Layers  []int // of each card, the output counted as one; nil where layers are not split
	Memory  Range // of its fullest card
	Verdict Verdict
	Busy    float64  // share of the time in which the cards of the kind work; 0 where the speed is not known
	Expense *Expense // of the cards of the kind, bought; nil where no price is known

	Refusals []Refusal
	Alone    *Estimate // the same job on the cards of the kind alone, without lines and evidence
}

// machine are the cards of a job with those beside them.
func machine(c *Card, n int, with []Owned) []Owned {
	return append([]Owned{{c, max(1, n)}}, with...)
}

// count is the number of cards of a machine.
func count(machine []Owned) int {
	n := 0
	for _, o := range machine {
		n += o.Count
	}
	return n
}

// apart is a card without links of its own: cards of different kinds have none to each other.
func apart(c *Card) *Card {
	out := *c
	out.Link, out.Bridge = 0, 0
	return &out
}

// Together tells what cards of several kinds can do in one machine: of each of [Sizes], or of what w sets. It tells
// nothing of one kind, nor of more than one machine is asked about.
func (a *Estimator) Together(stopped func() bool, own []Owned, w Workload) []Estimate {
	if len(own) < 2 || len(own) > mostKinds || count(own) > mostPooled {
		return nil
	}
	var out []Estimate
	for _, s := range Sizes {
		m := a.Models.Find(s.Model)
		for _, t := range pooledJobs {
			job := w
			if m == nil || stopped() || w.Task != "" && w.Task != t.task {
				continue
			}
			job.Model, job.Task, job.Cards = m, t.task, own[0].Count
			if job.Weights == "" {
				job.Weights = t.weights
			}
			if job.needsLongContext() || len(a.Contradictions(&Request{Workload: job})) > 0 {
				continue
			}
			out = append(out, a.pooled(job, own[0].Card, Request{Workload: job, With: own[1:]}, true))
		}
	}
	return out
}

// pooledJobs are the jobs that cards of several kinds are asked about.
var pooledJobs = []method{{LoRA, ""}, {QLoRA, "nf4"}, {Inference, "q4_k_m"}}

// pooled is [Estimator.Estimate] of cards of several kinds in one machine; brief without costs, prompts and what each
// kind does alone.
func (a *Estimator) pooled(asked Workload, c *Card, r Request, brief bool) Estimate {
	cards := machine(c, asked.Cards, r.With)
	asked.Cards = count(cards)
	w, chosen := a.completePool(asked, cards)
	p := &Pool{}
	for _, o := range cards {
		p.Parts = append(p.Parts, Part{Owned: o, Refusals: Refusals(&w, o.Card)})
	}
	e := Estimate{Card: c, Workload: w, Assumptions: chosen, Pool: p}
	e.Refusals = append(a.refusePool(&w, cards), p.refusals()...)
	for i := range p.Parts {
		for _, f := range Software(&w, p.Parts[i].Card) {
			if !slices.ContainsFunc(e.Software, func(g *SoftwareFact) bool { return g.Stack == f.Stack }) {
				e.Software = append(e.Software, f)
			}
		}
	}
	if a.workOf(&w) != nil || len(e.Refusals) > 0 && len(p.refusals()) == 0 {
		return e
	}
	a.poolMemory(&e)
	if e.Memory.Verdict != TooBig && !mixesBackends(&w, cards) {
		switch {
		case w.Task.Trains():
			e.Training = a.poolSpeed(&e, a.Training)
		default:
			if !brief {
				e.Prefill = a.poolSpeed(&e, a.Prefill)
			}
			e.Decode = a.poolSpeed(&e, a.Decode)
		}
	}
	if brief {
		return e
	}
	a.poolCosts(&e, &r)
	a.alone(&e, &r)
	e.Measured = poolBesides(&e, r.Measured)
	return e
}

// completePool completes a job as the kind of card would have it whose choice the fewest others refuse, and divides
// it.
func (a *Estimator) completePool(asked Workload, cards []Owned) (Workload, []Assumption) {
	var why []Assumption
	if asked.Framework == "" && asked.Task == Inference && a.poolRuns(asked, "llama.cpp") {
		asked.Framework = "llama.cpp"
		why = append(why, Assumption{"framework", asked.Framework, "splits_by_memory"})
	}
	if p := a.Profiles.Find(asked.Framework); p != nil && asked.Backend == "" && severalBackends(cards) &&
		slices.Contains(p.Backends, "vulkan") && allHaveVulkan(cards) {
		asked.Backend = "vulkan"
		why = append(why, Assumption{"backend", "Vulkan", "for_all_makers"})
	}
	least := smallest(cards)
	var best Workload
	var chosen []Assumption
	fewest := math.MaxInt
	for _, o := range cards {
		w := asked
		if w.Sharding.Tensor == 0 && w.Sharding.Pipeline == 0 {
			w.Sharding = a.poolSharding(&asked, o.Card)
		}
		assumed := slices.DeleteFunc(a.Complete(&w, apart(o.Card)), func(s Assumption) bool {
			return s.Field == "cards"
		})
		n := 0
		for _, other := range cards {
			n += len(Refusals(&w, other.Card))
		}
		if n < fewest {
			best, chosen, fewest = w, assumed, n
		}
	}
	if best.Task.Trains() {
		best, chosen = a.settle(asked, best, least, chosen)
	}
	return best, append(why, chosen...)
}

// smallest is the card with the least memory.
func smallest(cards []Owned) *Card {
	return slices.MinFunc(cards, func(x, y Owned) int { return cmp.Compare(x.Card.Usable, y.Card.Usable) }).Card
}

// poolRuns reports whether a framework does a job as it is asked for.
func (a *Estimator) poolRuns(asked Workload, framework string) bool {
	asked.Framework = framework
	return asked.Model != nil && a.workOf(&asked) == nil &&
		len(a.Contradictions(&Request{Workload: asked, Given: []string{"framework"}})) == 0
}

// poolSharding divides a job of inference among so many cards as its framework does where nothing is said; zero is
// left to [Estimator.Complete].
func (a *Estimator) poolSharding(asked *Workload, c *Card) Sharding {
	s := asked.Sharding
	w := *asked
	w.Cards, w.Sharding = 1, Sharding{Offload: s.Offload}
	a.Complete(&w, c)
	w.Cards, w.Sharding = asked.Cards, s
	if w.Task.Trains() || w.Model == nil || w.profile == nil || a.workOf(&w) != nil {
		return s
	}
	ways := a.recommendation(&Request{Workload: *asked}).shardings(&w, w.Cards)
	if len(ways) == 0 {
		return s
	}
	return ways[0]
}

func (p *Pool) refusals() []Refusal {
	var out []Refusal
	for i := range p.Parts {
		for _, r := range p.Parts[i].Refusals {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// severalBackends reports whether cards are driven by the software of several makers.
func severalBackends(cards []Owned) bool {
	return slices.ContainsFunc(cards, func(o Owned) bool { return o.Card.backend() != cards[0].Card.backend() })
}

func allHaveVulkan(cards []Owned) bool {
	return !slices.ContainsFunc(cards, func(o Owned) bool { return !slices.Contains(withVulkan, o.Card.backend()) })
}

// mixesBackends reports whether cards have no software in common in a job.
func mixesBackends(w *Workload, cards []Owned) bool {
	return severalBackends(cards) && w.Backend != "vulkan"
}

// refusePool is why cards of several kinds cannot do a job together, whatever each kind can.
func (a *Estimator) refusePool(w *Workload, cards []Owned) []Refusal {
	var out []Refusal
	for _, o := range cards {
		if o.Card.isAlone() {
			out = append(out, Refusal{"card", "alone_in_its_machine"})
			break
		}
	}
	switch {
	case a.workOf(w) != nil:
		out = append(out, Refusal{"with", "one_kind_for_such_work"})
	case mixesBackends(w, cards):
		out = append(out, Refusal{"with", "mixed_backends"})
	}
	return out
}

// splitOf is how the cards of a pool share a job.
func splitOf(w *Workload) Split {
	switch d := divisionOf(w); {
	case w.Task.Trains():
		return InEqualParts
	case d.stages > 1 && d.tensor == 1 && d.replicas == 1:
		return ByLayers
	case d.replicas > 1 && d.tensor == 1 && d.stages == 1:
		return InCopies
	}
	return InEqualParts
}

// poolCosts are the time, the energy and the money of a pool. Such machines are bought: nobody rents them.
func (a *Estimator) poolCosts(e *Estimate, r *Request) {
	m, p := a.market(r), e.Pool
	var rate Range
	if s := e.Rate(); s != nil {
		rate = s.Rate
	}
	e.Hours = Duration(r.Tokens, rate)
	power, known := 0.0, true
	for i := range p.Parts {
		x := &p.Parts[i]
		power += kilowatts(x.Card, x.Count, &r.Costs)
		known = known && x.Card.Power > 0
		if cost, ok := m.expense("buy", x.Card, x.Count); ok && cost.Currency == r.Costs.Currency {
			x.Expense = &cost
		}
	}
	if known {
		e.KWh = e.Hours.times(power)
		e.Carbon = e.KWh.times(r.Costs.Carbon)
		if rate.Expected > 0 {
			e.KWhPerMillion = power / rate.Expected / 3600 * 1e6
		}
	}
	if slices.ContainsFunc(p.Parts, func(x Part) bool { return x.Expense == nil }) {
		return
	}
	for i := range p.Parts {
		p.PerHour += p.Parts[i].Expense.PerHour
	}
}

// alone is the same job on the cards of each kind alone.
func (a *Estimator) alone(e *Estimate, r *Request) {
	asked := r.Workload
	asked.Framework, asked.Weights, asked.Backend = e.Workload.Framework, e.Workload.Weights, e.Workload.Backend
	asked.Sharding.Tensor, asked.Sharding.Pipeline = 0, 0
	for i := range e.Pool.Parts {
		x := &e.Pool.Parts[i]
		if len(x.Refusals) > 0 {
			continue
		}
		asked.Cards = x.Count
		w := asked
		if w.Sharding = a.poolSharding(&asked, x.Card); x.Count == 1 {
			w.Sharding = asked.Sharding
		}
		own := Request{Workload: w, Costs: r.Costs, Today: r.Today}
		one := a.Estimate(w, x.Card, own)
		x.Alone = &one
	}
}

// poolBesides puts what was measured of a pool beside its estimate.
func poolBesides(e *Estimate, m Measurement) []Comparison {
	var out []Comparison
	if m.MemoryGB > 0 {
		out = append(out, Comparison{What: "memory", Measured: m.MemoryGB * 1e9, Estimate: e.Memory.PerCard})
	}
	if m.Rate > 0 {
		c := Comparison{What: rateName(e), Measured: m.Rate}
		if s := e.Rate(); s != nil {
			c.Estimate, c.Unit = s.Rate, s.Unit
		}
		out = append(out, c)
	}
	return out
}

// mean is a card of the mean memory and power of all: a machine needs for as many of it what it needs for these.
func (p *Pool) mean() *Card {
	out := *p.Parts[0].Card
	n := float64(count(p.cards()))
	out.Memory, out.Power, out.Link = 0, 0, 0
	for i := range p.Parts {
		x := &p.Parts[i]
		out.Memory += x.Card.Memory * float64(x.Count) / n
		out.Power += x.Card.Power * float64(x.Count) / n
	}
	return &out
}

// Text names cards as people do: "1 × A + 2 × B", by a function that names one.
func (p *Pool) Text(name func(Owned) string) string {
	parts := make([]string, len(p.Parts))
	for i := range p.Parts {
		parts[i] = name(p.Parts[i].Owned)
	}
	return strings.Join(parts, " + ")
}
