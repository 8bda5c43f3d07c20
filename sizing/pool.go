package sizing

import (
	"cmp"
	"math"
	"slices"
	"strconv"
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
		assumed := slices.DeleteFunc(a.Complete(&w, apart(o.Card)), func(s Assumption) bool { return s.Field == "cards" })
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

// poolMemory is the memory of each kind of card, and of the fullest.
//
// Where layers are split, what a card needs is a part for each layer that it holds and a part that each has, which
// the needs of one card with all layers and of n cards with as many each tell: F + V and F + V ÷ n.
func (a *Estimator) poolMemory(e *Estimate) {
	w, p := &e.Workload, e.Pool
	each, ok := a.Memory(w, smallest(p.cards()))
	if !ok {
		return
	}
	e.Memory = each
	need := func(int) Range { return each.PerCard }
	if p.Split = splitOf(w); p.Split == ByLayers {
		whole := *w
		whole.Cards, whole.Sharding = 1, Sharding{Data: 1, Tensor: 1, Pipeline: 1}
		all, ok := a.Memory(&whole, e.Card)
		if !ok {
			return
		}
		need = byLayers(all.PerCard, each.PerCard, w)
		p.spread(w.Model.Layers+1, func(layers int) float64 { return need(layers).Expected })
		p.even = p.loads()
		p.fastFirst(func(layers int) float64 { return need(layers).High })
	}
	q := a.fields[memoryQuantity(w)]
	most, missing := 0.0, 0.0
	e.Memory.Verdict = Fits
	for i := range p.Parts {
		x := &p.Parts[i]
		x.Memory = each.PerCard
		if p.Split == ByLayers {
			x.Memory = need(slices.Max(x.Layers))
		}
		x.Verdict = q.fits(w, x.Card, x.Memory)
		if x.Verdict == TooBig || x.Verdict == Borderline && e.Memory.Verdict == Fits {
			e.Memory.Verdict = x.Verdict
		}
		missing = max(missing, x.Memory.Expected-x.Card.Usable)
		if full := x.Memory.Expected / x.Card.Usable; full > most {
			most, p.Fullest = full, i
		}
	}
	f := &p.Parts[p.Fullest]
	if uneven := f.Memory.Expected - each.PerCard.Expected; math.Abs(uneven) > 1 {
		e.Memory.Lines = append(e.Memory.Lines, Line{Part: "uneven", Value: uneven, Formula: "(l − L ÷ n) · V ÷ L",
			Source: sourceSplit, Inputs: []Input{{"l", float64(slices.Max(f.Layers)), "layers"},
				{"L", float64(w.Model.Layers + 1), "layers"}, {"n", float64(w.Cards), "cards"}}})
	}
	e.Card, e.Memory.PerCard, e.Memory.Usable, e.Memory.Missing = f.Card, f.Memory, f.Card.Usable, max(0, missing)
}

// sourceSplit says how llama.cpp divides layers: by the free memory of the cards, or as --tensor-split says.
const sourceSplit = "ggml-org/llama.cpp tools/server/README.md: --split-mode layer, --tensor-split"

// byLayers is what a card needs for so many layers, of the needs of one with all and of n with as many each.
func byLayers(all, each Range, w *Workload) func(layers int) Range {
	n, units := float64(w.Cards), float64(w.Model.Layers+1)
	at := func(all, each, layers float64) float64 {
		of := max(0, (all-each)/(1-1/n))
		return max(0, all-of) + of*layers/units
	}
	return func(layers int) Range {
		l := float64(layers)
		out := Range{at(all.Low, each.Low, l), at(all.Expected, each.Expected, l), at(all.High, each.High, l)}
		out.Low, out.High = min(out.Low, out.Expected), max(out.High, out.Expected)
		return out
	}
}

func (p *Pool) cards() []Owned {
	out := make([]Owned, len(p.Parts))
	for i := range p.Parts {
		out[i] = p.Parts[i].Owned
	}
	return out
}

// spread gives each layer to the card that is the least full with it; of those within a hundredth to the one with more
// bandwidth.
func (p *Pool) spread(layers int, need func(int) float64) {
	for i := range p.Parts {
		p.Parts[i].Layers = make([]int, p.Parts[i].Count)
	}
	for range layers {
		best, least := -1, math.Inf(1)
		for i := range p.Parts {
			x := &p.Parts[i]
			full := need(slices.Min(x.Layers)+1) / x.Card.Usable
			if best < 0 || full < 0.99*least || full < 1.01*least && x.Card.Bandwidth > p.Parts[best].Card.Bandwidth {
				best, least = i, full
			}
		}
		x := p.Parts[best].Layers
		x[slices.Index(x, slices.Min(x))]++
	}
	for i := range p.Parts {
		slices.SortFunc(p.Parts[i].Layers, func(x, y int) int { return y - x })
	}
}

// fastFirst gives the cards with more bandwidth as many layers as surely fit, where that leaves room for all.
func (p *Pool) fastFirst(high func(layers int) float64) {
	order := make([]int, len(p.Parts))
	left := sum(p.layers())
	for i := range p.Parts {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(p.Parts[y].Card.reads(), p.Parts[x].Card.reads())
	})
	filled := make([][]int, len(p.Parts))
	for _, i := range order {
		x := &p.Parts[i]
		each := 0
		for each < left && high(each+1) <= x.Card.Usable {
			each++
		}
		filled[i] = make([]int, x.Count)
		for j := range filled[i] {
			filled[i][j] = min(each, left)
			left -= filled[i][j]
		}
	}
	if left > 0 {
		return // no more than likely: each is as full as the others
	}
	for i := range p.Parts {
		p.Parts[i].Layers = filled[i]
	}
}

func sum(list []int) int {
	out := 0
	for _, n := range list {
		out += n
	}
	return out
}

// layers are those of all cards, in the order of the machine.
func (p *Pool) layers() []int {
	var out []int
	for i := range p.Parts {
		out = append(out, p.Parts[i].Layers...)
	}
	return out
}

// split are the layers of all cards as options of programs take them.
func (p *Pool) split(between string) string { return numbers(p.layers(), between) }

// decoderLayers are those of all cards without the output, which the last has.
func (p *Pool) decoderLayers() string {
	layers := p.layers()
	layers[len(layers)-1]--
	return numbers(layers, ",")
}

func numbers(list []int, between string) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, between)
}

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
		if rank[s.Evidence.Tier] > rank[out.Evidence.Tier] {
			out.Evidence.Tier = s.Evidence.Tier
		}
	}
	out.Rate, out.Evidence.Formula = Range{all.low, all.expected, all.high}, formula.expected
	if p.Split != InCopies {
		out.Rate = Range{1 / all.low, 1 / all.expected, 1 / all.high}
		out.Evidence.Formula = 1 / formula.expected
	}
	slices.SortStableFunc(out.Evidence.Supports, func(x, y Support) int {
		return cmp.Compare(math.Abs(y.Weight), math.Abs(x.Weight))
	})
	out.Evidence.Supports = out.Evidence.Supports[:min(most, len(out.Evidence.Supports))]
	out.Limit = Limit(out.Lines)
	return out
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

// rank orders tiers from the surest.
var rank = map[Tier]int{Measured: 0, Calibrated: 1, Formula: 2}

// mean is a card of the mean memory and power of all, of which a machine needs for so many cards what it needs for these.
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
