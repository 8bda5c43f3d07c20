package sizing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"tianti/catalog"
)

// preference sizes training from preferences and rewards. Its parts are jobs that are
// calibrated: training of the policy, and for GRPO the engine that writes the answers. A
// frozen reference is added, which adapters do without: the base is the reference.
type preference struct{ a *Estimator }

// Preference says how DPO and GRPO train.
type Preference struct {
	Tuning      Task // of the policy: [Full], [LoRA] or [QLoRA]
	NoReference bool // its probabilities are computed before, or not used
	Group       int  // answers of a prompt; GRPO
	Prompts     int  // of a step; GRPO
	Rollouts    int  // answers that an engine writes at once on each of its cards; GRPO
	Apart       int  // cards of engines that do not train; 0: engines share the cards that train
}

// Rollouts say how a framework writes the answers that it learns from.
type Rollouts struct {
	Group      int  `json:"group,omitempty"`      // default
	Prompts    int  `json:"prompts,omitempty"`    // of a step, default
	Completion int  `json:"completion,omitempty"` // tokens of an answer, default
	Sleeps     bool `json:"sleeps,omitempty"`     // engines give their memory back while the policy trains
	Apart      bool `json:"apart,omitempty"`      // engines have cards of their own
	// engines compute with the weights that are trained, on the same card
	SharesWeights bool `json:"sharesWeights,omitempty"`
	Tuning        Task `json:"tuning,omitempty"` // usual, see [Preference]; empty is [Full]
}

const (
	groupSize      = 8   // huggingface/trl GRPOConfig.num_generations
	stepPrompts    = 128 // of a step where a framework has no default: an assumption
	promptTokensRL = 512 // volcengine/verl data.max_prompt_length, and as much for the answer
	engineRequests = 256 // vllm-project/vllm SchedulerConfig.max_num_seqs of most cards
	engineWeights  = 24e9

	// How much wider intervals of sums of two estimates are that no run of the whole is known for.
	preferenceMemory = 1.15
	preferenceSpeed  = 1.4
)

const (
	sourceDPO    = "Rafailov et al., Direct Preference Optimization, arXiv:2305.18290"
	sourceGRPO   = "Shao et al., DeepSeekMath, arXiv:2402.03300, section 4: GRPO"
	sourceHybrid = "Sheng et al., HybridFlow, arXiv:2409.19256: engines and training take turns on the same cards"
	sourcePaged  = "Kwon et al., PagedAttention, arXiv:2309.06180"
)

// trainers are the cards that train.
func (p *Preference) trainers(cards int) int { return max(1, cards-p.Apart) }

// policy is the training of the policy as a job of its own.
func (preference) policy(w *Workload) *Workload {
	n := *w
	n.Task, n.Prompt, n.KVCache, n.Preference = w.Preference.Tuning, 0, "", Preference{}
	n.Cards = w.Preference.trainers(w.Cards)
	if w.Preference.Apart > 0 {
		n.Sharding.Data = max(1, n.Cards/max(1, n.Sharding.Tensor*n.Sharding.Pipeline))
		if n.Cards == 1 && n.Sharding.Offload == "" {
			n.Sharding.Stage = 0
		}
	}
	if w.Task == DPO { // a pair is two sequences
		n.Batch *= 2
	}
	return &n
}

// engine is one engine's generation of answers as a job of its own.
func (p preference) engine(w *Workload) *Workload {
	bytes := 2 * w.Model.Parameters
	tensor := 1
	weights, shared := "bf16", p.sharesWeights(w)
	if shared {
		weights = cmp.Or(w.Weights, weights)
	}
	for !shared && bytes/float64(tensor) > engineWeights && tensor < aServer && w.Model.Heads%(2*tensor) == 0 {
		tensor *= 2
	}
	n := Workload{Model: w.Model, Task: Inference, Framework: "vllm", Weights: weights, Compute: w.Compute,
		KVCache: w.KVCache, Context: w.Context, Prompt: w.Prompt, Batch: w.Preference.Rollouts * tensor, Cards: tensor,
		Sharding: Sharding{Data: 1, Tensor: tensor, Pipeline: 1}}
	n.Prepare(p.a.Profiles, p.a.Formats)
	return &n
}

// sharesWeights reports whether the engine computes with the weights that are trained.
func (preference) sharesWeights(w *Workload) bool {
	return w.profile != nil && w.profile.Rollouts != nil && w.profile.Rollouts.SharesWeights && w.Preference.Apart == 0
}

func (x *completion) preference() {
	w := x.w
	p := &w.Preference
	task := w.Task
	if f := x.a.Profiles.Find(w.Framework); task == GRPO && f != nil && f.Rollouts != nil && f.Rollouts.Tuning != "" {
		x.text((*string)(&p.Tuning), "tuning", string(f.Rollouts.Tuning), "of_framework")
	}
	x.text((*string)(&p.Tuning), "tuning", string(Full), "usual")
	usual := map[Task]string{DPO: "trl", GRPO: "verl"}[task]
	if task == GRPO && p.Tuning == QLoRA {
		usual = "trl"
	}
	x.framework(usual, "trl", "openrlhf", "ms-swift")
	rollouts := Rollouts{}
	if f := x.a.Profiles.Find(w.Framework); f != nil && f.Rollouts != nil {
		rollouts = *f.Rollouts
	}
	if task == GRPO {
		x.rollouts(&rollouts)
	}
	w.Task = p.Tuning
	x.out = append(x.out, x.a.Complete(w, x.c)...)
	w.Task = task
	if task == GRPO {
		x.text(&w.KVCache, "kv_cache", "fp16", "usual")
		w.Prepare(x.a.Profiles, x.a.Formats)
	}
}

func (x *completion) rollouts(of *Rollouts) {
	w, p := x.w, &x.w.Preference
	x.count(&p.Group, "group", max(of.Group, groupSize), "usual")
	if of.Prompts > 0 {
		x.count(&p.Prompts, "prompts", of.Prompts, "of_framework")
	}
	x.count(&p.Prompts, "prompts", stepPrompts, "usual")
	completion := promptTokensRL
	if of.Completion > 0 {
		completion = of.Completion
	}
	if w.Prompt == 0 {
		prompt := promptTokensRL
		if w.Context > 0 {
			prompt = min(prompt, max(1, w.Context/2))
		}
		x.count(&w.Prompt, "prompt", prompt, "of_framework")
	}
	x.count(&w.Context, "context", w.Prompt+completion, "of_framework")
	if of.Apart && p.Apart == 0 && w.Cards > 1 {
		x.count(&p.Apart, "rollout_cards", w.Cards/2, "of_framework")
	}
	engines := w.Cards
	if p.Apart > 0 {
		engines = p.Apart
	}
	x.count(&p.Rollouts, "rollouts", max(1, min(engineRequests, p.Group*p.Prompts/max(1, engines))), "usual")
}

func contradictoryPreference(r *Request, fail func(catalog.ParamError)) {
	w, p := &r.Workload, &r.Workload.Preference
	if !w.Model.WritesText() {
		fail(catalog.ParamError{Param: "model", Value: w.Model.ID, Code: catalog.KindCode(w.Model.Kind)})
	}
	adapters := p.Tuning == LoRA || p.Tuning == QLoRA
	if !adapters {
		for name, given := range map[string]bool{"rank": w.Rank > 0, "targets": w.Targets != "", "dora": w.DoRA} {
			if given {
				fail(catalog.ParamError{Param: name, Code: catalog.Contradicts,
					Allowed: catalog.Listed("tuning=lora", "tuning=qlora")})
			}
		}
	}
	if p.Apart > 0 && p.Apart >= max(1, w.Cards) {
		fail(catalog.ParamError{Param: "rollout_cards", Value: strconv.Itoa(p.Apart), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("0 … %d", max(0, w.Cards-1))})
	}
	if w.Task == GRPO && p.Rollouts > 0 && p.Group > 0 && p.Prompts > 0 && p.Rollouts > p.Group*p.Prompts {
		fail(catalog.ParamError{Param: "rollouts", Value: strconv.Itoa(p.Rollouts), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("1 … %d", p.Group*p.Prompts)})
	}
}

// shardings are those of training; engines share the cards as they need.
func (p preference) shardings(w *Workload, n int, asked Sharding) []Sharding {
	job := *w
	job.Cards = n
	if w.Preference.Apart >= n && w.Preference.Apart > 0 {
		return nil
	}
	x := p.a.recommendation(&Request{Workload: Workload{Sharding: asked}})
	if asked.Stage > 0 {
		x.r.Given = []string{"stage"}
	}
	t := p.policy(&job)
	return x.shardings(t, t.Cards)
}

func (p preference) memory(w *Workload, explain bool) (Range, []Line, float64, bool) {
	t := p.policy(w)
	q := p.a.fields[MemoryTraining]
	if q == nil || w.profile == nil {
		return Range{}, nil, 0, false
	}
	need, lines, e, ok := q.estimate(t, nil, explain, nil)
	if !ok {
		return Range{}, nil, 0, false
	}
	if explain {
		lines = append(lines, correction(need.Expected, e.Formula)...)
	}
	base := memory{training: true}.ledger(q.Constants, t, false)
	l := ledger{explaining: explain, lines: lines, sum: need.Expected}
	reference := p.reference(w, t, &l)
	if w.Task == GRPO {
		p.engineMemory(w, base.dynamic+base.reserve, reference, &l)
	}
	added := l.sum - need.Expected
	out := Range{max(need.Low/preferenceMemory, need.Low*0.9) + added/preferenceMemory, l.sum, need.High*1.05 +
		added*preferenceMemory}
	return out, l.lines, memory{}.host(t), true
}

// correction is the line of what measured cases make of a formula.
func correction(expected, formula float64) []Line {
	if expected == formula {
		return nil
	}
	return []Line{{Part: "correction", Value: expected - formula, Formula: "formula · (e^g − 1)",
		Source: "measured cases", Inputs: []Input{{"formula", formula, "bytes"},
			{"g", math.Log(expected / formula), ""}}}}
}

// reference adds the frozen model beside the policy, in 16 bits, shared as the policy's
// parameters are. Adapters have it in their base.
func (p preference) reference(w, t *Workload, l *ledger) float64 {
	if t.Task != Full || w.Preference.NoReference {
		return 0
	}
	n := float64(max(1, t.Sharding.Tensor*t.Sharding.Pipeline))
	if t.Sharding.Stage >= 3 {
		n = float64(max(1, t.Cards))
	}
	bytes := 2 * w.Model.Parameters / n
	source := sourceDPO
	if w.Task == GRPO {
		source = sourceGRPO
	}
	if l.add("reference", bytes) {
		l.because("2 · P ÷ n", source, Input{"P", w.Model.Parameters, "parameters"}, Input{"n", n, "cards"})
	}
	return bytes
}

// engineMemory adds the engine that writes answers on the cards that train: its weights and
// cache. Where engines sleep, they take turns with what a training step holds for a while,
// and only what they need beyond that counts. Engines on other cards need those to be as large.
func (p preference) engineMemory(w *Workload, passing, _ float64, l *ledger) {
	e := p.engine(w)
	tensor := float64(max(1, e.Sharding.Tensor))
	weights := 2 * w.Model.Parameters / tensor
	shared := p.sharesWeights(w)
	if shared {
		weights = 0
	}
	cache := float64(e.Batch) * w.Model.KVBytes(float64(w.Context), e.cache.Bytes()) / tensor
	graphs := e.profile.Graphs
	engine := weights + cache + graphs
	formula := "2 · P ÷ t + KV + graphs"
	in := []Input{{"P", w.Model.Parameters, "parameters"}, {"t", tensor, "cards"}, {"KV", cache, "bytes"},
		{"graphs", graphs, "bytes"}}
	taken := in
	if shared {
		formula, taken = "KV + graphs", in[2:]
	}
	if w.Preference.Apart > 0 {
		if need := engine - l.sum; l.add("engine_apart", max(0, need)) {
			l.because("max(0, "+formula+" − training)", sourcePaged, append(in,
				Input{"training", l.sum - max(0, need), "bytes"})...)
		}
		return
	}
	if r := w.profile.Rollouts; r != nil && r.Sleeps {
		if l.add("engine", max(0, engine-passing)) {
			l.because("max(0, "+formula+" − activations)", sourceHybrid, append(taken,
				Input{"activations", passing, "bytes"})...)
		}
		return
	}
	if l.add("engine_weights", weights) {
		l.because("2 · P ÷ t", sourcePaged, in[:2]...)
	}
	if l.add("kv_cache", cache) {
		l.because("b · KV(s) ÷ t", sourcePaged, Input{"b", float64(e.Batch), "answers"},
			Input{"KV(s)", cache * tensor / float64(e.Batch), "bytes"}, Input{"t", tensor, "cards"})
	}
	if l.add("graphs", graphs) {
		l.because("documented", sourceProfile, in[3])
	}
}

// tunings are how a policy can be trained.
var tunings = []string{string(Full), string(LoRA), string(QLoRA)}

// speed are the tokens a second that the policy learns from, over whole steps.
func (p preference) speed(w *Workload, c *Card, e *Estimate, explain bool) {
	t := p.policy(w)
	rate := p.rate(TrainingSpeed, t, c, explain)
	if rate.Expected <= 0 {
		return
	}
	tokens := float64(max(1, t.Batch)*w.Context*t.Cards) / float64(max(1, t.Sharding.Tensor*t.Sharding.Pipeline))
	if w.Task == GRPO {
		tokens = float64(w.Preference.Group * w.Preference.Prompts * w.Context)
	}
	training := tokens / rate.Expected
	low, high := tokens/rate.High, tokens/rate.Low
	lines := []Line{{"training", training, "tokens ÷ r", []Input{{"tokens", tokens, "tokens"},
		{"r", rate.Expected, "tokens/s"}}, sourceStep}}
	forward := p.forward(w, t) // passes forward of what one step of training takes
	if forward > 0 {
		lines = append(lines, Line{"forward", training * forward, "training · f", []Input{{"training", training, "s"},
			{"f", forward, ""}}, map[Task]string{DPO: sourceDPO, GRPO: sourceGRPO}[w.Task]})
		low, high = low*(1+forward), high*(1+forward)
	}
	if w.Task == GRPO {
		line, r := p.rollout(w, c, explain)
		if r.Expected <= 0 {
			return
		}
		lines = append(lines, line)
		low, high = low+r.Low, high+r.High
	}
	s := timed(tokens, lines, 1, Tokens, "compute", explain)
	if s == nil {
		return
	}
	if rate.Low > 0 {
		s.Rate.Low, s.Rate.High = tokens/high/preferenceSpeed, tokens/low*preferenceSpeed
	} else {
		s.Rate.Low, s.Rate.High = 0, 0
	}
	e.Training = s
}

// rate is a calibrated speed, without its interval unless it is to be explained.
func (p preference) rate(q Quantity, w *Workload, c *Card, explain bool) Range {
	f := p.a.fields[q]
	if f == nil {
		return Range{}
	}
	if !explain {
		return Range{Expected: f.quick(w, c)}
	}
	r, _, _, _ := f.estimate(w, c, false, nil)
	return r
}

// forward are the passes forward beside training's own, as a share of its time: for the
// reference, and in GRPO for the probabilities of the policy that wrote the answers.
func (p preference) forward(w, t *Workload) float64 {
	own := 6.0
	if t.Task != Full {
		own = 4
	}
	if t.Checkpointing == "full" || t.Checkpointing == "offload" {
		own += 2
	}
	passes := 0.0
	if !w.Preference.NoReference {
		passes += 2
	}
	if w.Task == GRPO {
		passes += 2
	}
	return passes / own
}

// rollout is the time in which engines write all answers of a step: as many at once as
// they hold, all of the same length, each group's prompt read once.
func (p preference) rollout(w *Workload, c *Card, explain bool) (Line, Range) {
	e := p.engine(w)
	cards := w.Cards
	if w.Preference.Apart > 0 {
		cards = w.Preference.Apart
	}
	engines := max(1, cards/e.Cards)
	answers := w.Preference.Group * w.Preference.Prompts
	e.Batch = max(1, min(e.Batch, answers/engines))
	r := p.rate(DecodeSpeed, e, c, explain)
	if r.Expected <= 0 {
		return Line{}, Range{}
	}
	tokens := float64(answers * max(1, w.Context-w.Prompt))
	at := func(rate float64) float64 {
		if rate <= 0 {
			return 0
		}
		return tokens / rate / float64(engines)
	}
	line := Line{"rollouts", at(r.Expected), "answers · g ÷ (r · engines)", []Input{{"answers", float64(answers), ""},
		{"g", float64(max(1, w.Context-w.Prompt)), "tokens"}, {"r", r.Expected, "tokens/s"},
		{"engines", float64(engines), ""}}, sourceGRPO + "; " + sourcePaged}
	return line, Range{at(r.High), at(r.Expected), at(r.Low)}
}

// does reports whether a framework can train as a job asks: from preferences it needs to train so at all.
func (p *Profile) does(w *Workload) bool {
	if !p.Does(w.Task) || !p.runsKind(w.Model, w.Task) {
		return false
	}
	t := w.Preference.Tuning
	return t == "" || !slices.Contains([]Task{DPO, GRPO}, w.Task) || p.Does(t)
}
