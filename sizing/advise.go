package sizing

import (
	"cmp"
	"slices"
	"strconv"
)

// Advise is [Estimator.Recommend]. Where no card does a job without reservations as it is asked with the usual
// settings, it is asked again as people then do it: on several cards in one machine, with weights of 4 bits (of 8 for
// images and clips), with QLoRA for LoRA, with states of the optimizer in 8 bits, with experts or parameters in the
// memory of the host.
// So it is where the card found is far slower than two, see [Estimator.faster].
// What the request says is never changed, nor anything where it names the cards: of those it asks this very job.
// Nor is anything of a catalogue of more than [mostAdvised] cards, which asking up to eight times would take too long.
// [Answer.Otherwise] is what was.
func (a *Estimator) Advise(r Request, cards []*Card) Answer {
	x := a.recommendation(&r)
	out := x.answer(cards)
	if len(r.Cards) == 0 && len(cards) <= mostAdvised {
		if !out.isSound() {
			x, out = x.firstOf(a.otherwise(&out), 0, cards, out)
		}
		if out.isSound() {
			x, out = x.firstOf(a.faster(&out), twiceAsFast*expectedRate(&out.Options[0]), cards, out)
		}
	}
	x.explain(&out)
	return out
}

// firstOf is the first of some ways whose answer is sound and at least so fast, or else what was found.
func (x *recommendation) firstOf(ways []way, least float64, cards []*Card, found Answer) (*recommendation, Answer) {
	if len(ways) == 0 {
		return x, found
	}
	within := x.affordable(cards)
	for _, w := range ways {
		if x.r.stopped() {
			break
		}
		y := x.a.recommendation(&w.request)
		if other := y.answer(within); other.isSound() && expectedRate(&other.Options[0]) >= least {
			if len(within) < len(cards) {
				other = y.answer(cards) // why not the others
			}
			other.Otherwise = w.changes
			return y, other
		}
	}
	return x, found
}

// affordable are the cards of which one alone does not cost more than the budget, whatever it does.
func (x *recommendation) affordable(cards []*Card) []*Card {
	if x.r.Budget.Micros == 0 || x.r.Tokens > 0 {
		return cards
	}
	return slices.DeleteFunc(slices.Clone(cards), func(c *Card) bool {
		e := Estimate{Card: c, Workload: x.r.Workload}
		e.Workload.Cards = 1
		x.market.job(&e)
		reason, _, _ := x.r.tooDear(&e)
		return reason != ""
	})
}

// mostAdvised is several times as many cards as there are accelerators.
const mostAdvised = 2000

// readable is how many tokens a second people read: 238 words a minute (Brysbaert, How many words do we read per
// minute?, Journal of Memory and Language 109, 2019) of 1.3 tokens. What writes more slowly from the memory of the
// host is no way out.
const readable = 238.0 / 60 * 1.3

// isSound reports whether the first option surely fits, on a card whose software has nothing against the job and on
// whose kind somebody measured it, and, where there is a budget, at a price of today.
func (a *Answer) isSound() bool {
	if len(a.Options) == 0 {
		return false
	}
	e := &a.Options[0]
	if e.Workload.Sharding.Offload == offloadExperts && expectedRate(e) < readable {
		return false
	}
	return e.Memory.Verdict == Fits && doubts(e) == 0 && !e.Unmeasured &&
		(a.Request.Budget.Micros == 0 || !a.Request.dated(e))
}

// A way is a request that differs in something that nobody asked for.
type way struct {
	request Request
	changes []Change
}

// otherwise are the ways to do a job that has no sound answer. Without a budget cards are added before the format is
// changed. Who has one takes fewer bits first, then the two cards that a PC holds, then leaves experts or parameters in
// the memory of the host, and only then thinks of a machine with more cards.
func (a *Estimator) otherwise(found *Answer) []way {
	var out []way
	add := func(x way, ok bool) bool {
		if ok {
			out = append(out, x)
		}
		return ok
	}
	asked := way{request: found.Request}
	light, lighter := a.lighter(asked, found.Assumptions)
	if found.Request.Budget.Micros == 0 {
		add(a.onMore(asked, aServer))
		if add(light, lighter) {
			add(a.onMore(light, aServer))
		}
		return out
	}
	if !lighter {
		light, lighter = a.smallStates(asked)
	}
	if !add(light, lighter) {
		light = asked
	}
	add(a.onMore(light, inPC))
	add(a.expertsOnHost(asked))
	add(a.parametersOnHost(light))
	add(a.onMore(light, aServer))
	return out
}

// twiceAsFast is how much as fast two cards have to be as one for somebody to take them.
const twiceAsFast = 2

// faster are the ways to train for one who wants to be done soon within a budget, and whose card holds the model in
// memory that it shares with a processor: on the two cards that a PC holds, or on one whose parameters stay on the
// host. Either may be several times as fast.
func (a *Estimator) faster(found *Answer) []way {
	r := &found.Request
	if r.Goal != Fastest || r.Budget.Micros == 0 || r.Tokens > 0 || !r.Workload.Task.Trains() ||
		!found.Options[0].Card.Unified {
		return nil
	}
	var out []way
	for _, change := range []func(way) (way, bool){
		func(x way) (way, bool) { return a.onMore(x, inPC) }, a.parametersOnHost,
	} {
		if x, ok := change(way{found.Request, found.Otherwise}); ok {
			out = append(out, x)
		}
	}
	return out
}

// expertsOnHost is a request whose experts stay in the memory of the host.
func (a *Estimator) expertsOnHost(x way) (way, bool) {
	w := &x.request.Workload
	if w.Task != Inference || w.Model == nil || w.Model.Experts == 0 || w.Batch > 1 || w.Sharding.Offload != "" ||
		w.Host.Layers > 0 || slices.Contains(x.request.Given, "offload") {
		return x, false
	}
	return a.possible(x.with("offload", offloadExperts, func(w *Workload) { w.Sharding.Offload = offloadExperts }))
}

// smallStates is a request to train all parameters with states of the optimizer in 8 bits.
func (a *Estimator) smallStates(x way) (way, bool) {
	w := &x.request.Workload
	if w.Task != Full || w.Optimizer != "" {
		return x, false
	}
	return a.possible(x.with("optimizer", "adamw-8bit", func(w *Workload) { w.Optimizer = "adamw-8bit" }))
}

// parametersOnHost is a request to train in a PC with parameters that stay in the memory of the host until a layer
// needs them.
func (a *Estimator) parametersOnHost(x way) (way, bool) {
	w := &x.request.Workload
	usual, _ := usualFramework(w)
	p := a.Profiles.Find(cmp.Or(w.Framework, usual))
	if !w.Task.Trains() || w.Cards > inPC || w.Sharding.Offload != "" || slices.Contains(x.request.Given, "offload") ||
		p == nil || !slices.Contains(p.Offload, "parameters") {
		return x, false
	}
	return a.possible(x.with("offload", "parameters", func(w *Workload) { w.Sharding.Offload = "parameters" }))
}

// with changes a parameter that the request leaves open.
func (x way) with(field, value string, set func(w *Workload)) way {
	set(&x.request.Workload)
	x.request.Given = append(slices.Clone(x.request.Given), field)
	x.changes = append(slices.Clip(x.changes), Change{field, value})
	return x
}

// onMore is a request for up to n cards, which stand and work as so many do where nobody said how.
func (a *Estimator) onMore(x way, n int) (way, bool) {
	if x.request.Workload.Cards > 1 || slices.Contains(x.request.Given, "cards") {
		return x, false
	}
	x = x.with("cards", strconv.Itoa(n), func(w *Workload) { w.Cards = n })
	k := &x.request.Costs
	if !slices.Contains(x.request.Given, "pue") {
		k.PUE = 0
	}
	if !slices.Contains(x.request.Given, "utilisation") {
		k.Utilisation = 0
	}
	k.site(n)
	return a.possible(x)
}

// possible reports whether what a request says goes together.
func (a *Estimator) possible(x way) (way, bool) { return x, len(a.Contradictions(&x.request)) == 0 }

// lightFormats are weights of 4 bits that engines read, the most usual first.
var lightFormats = []string{"q4_k_m", "awq-int4", "mlx-4bit", "nf4"}

// lighter is a request for weights of fewer bits than the usual ones.
func (a *Estimator) lighter(x way, assumed []Assumption) (way, bool) {
	w := &x.request.Workload
	i := slices.IndexFunc(assumed, func(s Assumption) bool { return s.Field == "weights" })
	if i < 0 || w.Model == nil {
		return x, false
	}
	least := 16.0 // published with fewer
	if x.request.Budget.Micros > 0 {
		least = 8 // who has a budget takes 4 bits of what is published in FP8, too
	}
	usual := a.Formats.Find(assumed[i].Value)
	if usual == nil || usual.Bits < least {
		return x, false
	}
	weights := func(id string) (way, bool) {
		return a.possible(x.with("weights", id, func(w *Workload) { w.Weights = id }))
	}
	_, images := a.workOf(w).(diffusion)
	switch {
	case w.Task == LoRA:
		return a.possible(x.with("task", string(QLoRA), func(w *Workload) { w.Task = QLoRA }))
	case w.Task != Inference:
		return x, false
	case images:
		return weights("fp8")
	case a.workOf(w) != nil:
		return x, false
	case w.Framework == "" && x.request.Budget.Micros > 0 && w.Batch <= 1:
		// What a budget buys for one person is asked with llama.cpp.
		x = x.with("framework", "llama.cpp", func(w *Workload) { w.Framework = "llama.cpp" })
		return weights(lightFormats[0])
	case w.Framework == "":
		return weights("awq-int4")
	}
	if p := a.Profiles.Find(w.Framework); p != nil {
		for _, id := range lightFormats {
			if slices.Contains(p.Formats, id) {
				return weights(id)
			}
		}
	}
	return x, false
}
