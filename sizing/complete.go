package sizing

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Defaults with a source.
const (
	// The average of data centres in 2023: Uptime Institute, Intelligence Update 221,
	// "Large data centers are mostly more efficient, analysis confirms", 2023-11-23.
	defaultPUE = 1.58
	// Of the capacity of 6,212 accelerators in a cluster 46 % were idle: trace of Alibaba's PAI, 2023,
	// https://affinode.io/case-studies/alibabapai-2023/case-study.html.
	serverUse = 0.54
	// An assumption: who buys a card or two puts them into a PC, which computes for 40 of the 168 hours of a week, in a
	// room that nobody cools for it.
	officeUse = 0.24
	officePUE = 1
	// Amazon.com, annual report (form 10-K) for 2024: the useful life of a part of its
	// servers and networking equipment is five years from 2025 on, six before.
	defaultYears = 5
	// An assumption, not a measurement: processors, memory, board and case cost a quarter of the
	// cards that they carry. It is a parameter.
	defaultHost = 0.25
)

// CompleteRequest fills in what a request leaves open and does not depend on the
// card. The weights and the framework are chosen once for all cards.
func (a *Estimator) CompleteRequest(r *Request) {
	if r.Goal == "" {
		r.Goal = BestValue
		if r.Budget.Micros > 0 { // the budget is what it may cost: the best that it buys is wanted
			r.Goal = Fastest
		}
	}
	if r.Costs.Currency == "" {
		r.Costs.Currency = "USD"
	}
	r.Costs.site(r.Workload.Cards)
	if r.Costs.Years == 0 {
		r.Costs.Years = defaultYears
	}
	if r.Costs.Host == 0 && !slices.Contains(r.Given, "host_share") {
		r.Costs.Host = defaultHost
	}
	if r.Workload.Cards == 0 {
		r.Workload.Cards = 1
	}
}

// site fills in where bought cards stand and how much of the time they work, by the most that may be used: the same for
// all options of an answer, so that no option looks cheap for working longer.
func (k *Costs) site(cards int) {
	pue, use := float64(officePUE), officeUse
	if cards > inPC {
		pue, use = defaultPUE, serverUse
	}
	k.PUE, k.Utilisation = cmp.Or(k.PUE, pue), cmp.Or(k.Utilisation, use)
}

// AroundTheClock fills in that bought cards stand in a data centre and always work, as those of a service do.
func (k *Costs) AroundTheClock() {
	k.PUE, k.Utilisation = cmp.Or(k.PUE, defaultPUE), cmp.Or(k.Utilisation, 1)
}

// Complete fills in what a workload leaves open, as documented at the parameters,
// and tells what it chose. The card may be nil, which leaves open what depends on
// it: precision and attention, where the usual choice is named that most cards can.
func (a *Estimator) Complete(w *Workload, c *Card) []Assumption {
	var out []Assumption
	text := func(at *string, field, value, why string) {
		if *at == "" && value != "" {
			*at = value
			out = append(out, Assumption{field, value, why})
		}
	}
	count := func(at *int, field string, value int, why string) {
		if *at == 0 {
			*at = value
			out = append(out, Assumption{field, strconv.Itoa(value), why})
		}
	}
	if w.Task == "" {
		w.Task = Inference
		out = append(out, Assumption{"task", string(Inference), "usual"})
	}
	count(&w.Cards, "cards", 1, "usual")
	if c != nil && c.ICs > 1 {
		out = append(out, Assumption{"card", "1 / " + strconv.Itoa(c.ICs), "one_ic"})
	}
	out = append(out, between(w.Cards, c)...)
	if chosen, ok := a.completeWork(w, c); ok {
		return append(out, chosen...)
	}
	out = append(out, a.completeHost(w, text)...)
	a.completeFormats(w, c, text)
	if batch := usualBatch(w); batch > 1 {
		count(&w.Batch, "batch", batch, "usual_for_model")
	}
	count(&w.Batch, "batch", 1, "usual")
	count(&w.Context, "context", usualContext(w), "usual_or_model")
	if w.isBeyondModel() {
		out = append(out, Assumption{"context", strconv.Itoa(w.Context), "beyond_model"})
	}
	if !w.Task.Trains() {
		count(&w.Prompt, "prompt", max(1, w.Context/2), "half_of_context")
	} else {
		completeTraining(w, text, count)
	}
	out = append(out, completeSharding(w)...)
	return out
}

// usualBatch is the micro-batch of a card where nobody says one. A small model learns from several sequences at once,
// as nobody lets a card wait for its host: as many as make 5 TFLOP, of at most 8192 tokens.
func usualBatch(w *Workload) int {
	if !w.Task.Trains() || w.Model == nil || !w.Model.WritesText() {
		return 1
	}
	const work, most = 5e12, 8192
	n, context := 1, cmp.Or(w.Context, usualContext(w))
	for 6*w.Model.Active*float64(n*context) < work && 2*n*context <= most {
		n *= 2
	}
	return n
}

// isBeyondModel reports whether a sequence is longer than the model was made for.
func (w *Workload) isBeyondModel() bool {
	return w.Model != nil && w.Model.MaxContext > 0 && w.Context > w.Model.MaxContext
}

// needsLongContext reports whether nobody said that the model may take so long a sequence. A bare
// size is no model, and has no longest sequence.
func (w *Workload) needsLongContext() bool {
	return w.isBeyondModel() && !w.LongContext && w.Model.CompletedFrom == ""
}

func usualContext(w *Workload) int {
	usual := 4096
	if w.Task.Trains() {
		usual = 2048
	}
	if w.Model != nil && w.Model.MaxContext > 0 {
		usual = min(usual, w.Model.MaxContext)
	}
	return usual
}

func (a *Estimator) completeFormats(w *Workload, c *Card, text func(at *string, field, value, why string)) {
	weightsChosen := w.Weights == ""
	switch {
	case w.Task == QLoRA && w.Framework == "mlx":
		text(&w.Weights, "weights", "mlx-4bit", "usual_qlora")
	case w.Task == QLoRA:
		base := "nf4"
		if f := a.Profiles.Find(w.Framework); f != nil && f.QuantizedBase != "" {
			base = f.QuantizedBase
		}
		text(&w.Weights, "weights", base, "usual_qlora")
	case w.Framework == "llama.cpp" || w.Framework == "ollama":
		// both fetch Q4_K_M where no format is named (llama.cpp, option -hf; Ollama's library), and the files of a
		// model that was published in MXFP4 keep that
		if w.Model != nil && w.Model.Published == "mxfp4" {
			text(&w.Weights, "weights", "mxfp4", "published")
			break
		}
		text(&w.Weights, "weights", "q4_k_m", "usual")
	case a.takesInt8(w, c):
		text(&w.Weights, "weights", "int8", "fp8_not_read")
	case !w.Task.Trains() && w.Model != nil && a.readsPublished(w):
		text(&w.Weights, "weights", w.Model.Published, "published")
	default:
		text(&w.Weights, "weights", "bf16", "usual")
	}
	if w.Framework == "" {
		a.completeFramework(w, c, weightsChosen, text)
	}
	switch {
	case c != nil && !c.hasBF16() && c.FP16 > 0:
		text(&w.Compute, "precision", "fp16", "no_bf16_on_card")
	case c != nil && !c.hasBF16() && c.FP32 > 0:
		text(&w.Compute, "precision", "fp32", "no_16_bit_on_card")
	default:
		text(&w.Compute, "precision", "bf16", "usual")
	}
	attention := "flash" // what most frameworks use
	if f := a.Profiles.Find(w.Framework); f != nil && f.Attention != "" {
		attention = f.Attention
	}
	if attention == "flash" && c != nil && !c.hasFlash2() {
		text(&w.Attention, "attention", "sdpa", "no_flash_on_card")
	} else {
		text(&w.Attention, "attention", attention, "of_framework")
	}
	if !w.Task.Trains() {
		text(&w.KVCache, "kv_cache", "fp16", "usual")
	}
	w.Prepare(a.Profiles, a.Formats)
}

// completeFramework chooses what most use, or on a card on which that does not run, another one
// that does.
func (a *Estimator) completeFramework(w *Workload, c *Card, weightsChosen bool,
	text func(at *string, field, value, why string)) {
	framework, why := usualFramework(w)
	if why == "usual_serving" && w.Task == Inference && w.Batch <= 1 && c != nil && c.inProcessor() &&
		slices.Contains([]string{"", "bf16", "fp16", "mxfp4"}, w.Weights) { // files of llama.cpp have these, too
		framework, why = "llama.cpp", "usual_in_processor"
	}
	if c != nil && c.figures != nil {
		usual := *w
		usual.Framework = framework
		usual.Prepare(a.Profiles, a.Formats)
		if usual.profile != nil && !runsOn(&usual, c) {
			if other, weights, because := a.instead(w, c, weightsChosen); other != "" {
				framework, why = other, because
				if weights != "" {
					w.Weights = ""
					text(&w.Weights, "weights", weights, "of_framework")
				}
			}
		}
	}
	text(&w.Framework, "framework", framework, why)
}

// frameworks are the ids of all frameworks, in the order of menus.
func (a *Estimator) frameworks() []string {
	out := make([]string, len(a.Profiles.All))
	for i := range a.Profiles.All {
		out[i] = a.Profiles.All[i].ID
	}
	return out
}

// does reports whether a framework does a task with a model of its kind.
func (a *Estimator) does(framework string, w *Workload) bool {
	p := a.Profiles.Find(framework)
	return p != nil && p.does(w)
}

// runs reports whether a framework does a task.
func (a *Estimator) runs(framework string, t Task) bool {
	p := a.Profiles.Find(framework)
	return p != nil && p.Does(t)
}

// usualFramework is what most run such a job with: llama.cpp reads GGUF files, MLX
// its own; servers of many use vLLM; transformers trains.
func usualFramework(w *Workload) (id, why string) {
	switch {
	case w.Task == GaLore:
		return "galore", "usual_training"
	case w.Task == Pretrain:
		return "torchtitan", "usual_training"
	case w.Task.Trains():
		return "trl-liger", "usual_training"
	case isGGUF(w.Weights):
		return "llama.cpp", "gguf"
	case strings.HasPrefix(w.Weights, "mlx"):
		return "mlx", "mlx_weights"
	case strings.HasPrefix(w.Weights, "nf4"), strings.HasPrefix(w.Weights, "bnb"), strings.HasPrefix(w.Weights, "fp4"),
		w.Weights == "hqq-int4":
		return "transformers", "bitsandbytes"
	}
	return "vllm", "usual_serving"
}

// isGGUF reports whether a format is one of llama.cpp's files alone.
func isGGUF(format string) bool {
	for _, prefix := range []string{"q2_", "q3_", "q4_", "q5_", "q6_", "q8_", "iq"} {
		if strings.HasPrefix(format, prefix) {
			return true
		}
	}
	return false
}

func completeTraining(w *Workload, text func(at *string, field, value, why string),
	count func(at *int, field string, value int, why string)) {
	optimizer, why := "adamw", "usual"
	if w.profile != nil && w.profile.FullOptimizer != "" {
		optimizer, why = w.profile.FullOptimizer, "of_framework"
	}
	switch {
	case w.Task == GaLore:
		optimizer, why = "galore", "usual"
	case w.profile != nil && w.profile.Optimizer != "" && (w.Task == LoRA || w.Task == QLoRA):
		optimizer, why = w.profile.Optimizer, "of_framework"
	}
	text(&w.Optimizer, "optimizer", optimizer, why)
	checkpointing := "full"
	why = "usual"
	if w.profile != nil && w.profile.Checkpointing != "" {
		checkpointing, why = w.profile.Checkpointing, "of_framework"
	}
	text(&w.Checkpointing, "checkpointing", checkpointing, why)
	count(&w.Accumulation, "accumulation", 1, "usual")
	switch w.Task {
	case LoRA, QLoRA:
		count(&w.Rank, "rank", 16, "usual")
		if w.Model != nil && w.Model.ExpertTensors && w.profile != nil && w.profile.Family == hfFamily {
			text(&w.Targets, "targets", attentionTargets, "experts_are_tensors")
		}
		text(&w.Targets, "targets", allLinear, "every_linear_layer")
	case GaLore:
		count(&w.Rank, "rank", 128, "usual_galore")
	}
}

// completeSharding divides the cards where nothing is said: data parallel in
// training; in inference the layers shared by all cards, or one after another for
// llama.cpp and where the heads cannot be divided.
func completeSharding(w *Workload) []Assumption {
	s := &w.Sharding
	if s.Offload == "none" {
		s.Offload = ""
	}
	if s.Data > 0 && s.Tensor > 0 && s.Pipeline > 0 {
		return nil
	}
	chosen := s.Tensor == 0 && s.Pipeline == 0 && w.Cards > 1
	switch {
	case w.Task.Trains():
		s.Tensor, s.Pipeline = max(1, s.Tensor), max(1, s.Pipeline)
		s.Data = max(1, w.Cards/(s.Tensor*s.Pipeline))
	case s.Layers || chosen && w.profile.divides() == "layers":
		s.Data, s.Tensor, s.Pipeline, s.Layers = 1, 1, w.Cards, true
	case chosen && w.Model != nil && w.Model.Heads%w.Cards != 0:
		s.Data, s.Tensor, s.Pipeline = 1, 1, w.Cards
	case chosen:
		s.Data, s.Tensor, s.Pipeline = 1, w.Cards, 1
	default:
		s.Tensor, s.Pipeline = max(1, s.Tensor), max(1, s.Pipeline)
		s.Data = max(1, w.Cards/(s.Tensor*s.Pipeline))
	}
	if s.Offload == "parameters" {
		s.Stage = 3
	} else if s.Offload == "optimizer" && s.Stage == 0 {
		s.Stage = 2
	}
	if chosen {
		return []Assumption{{"sharding", s.String(), "usual_sharding"}}
	}
	return nil
}

// String names a sharding as people do: "DP 4 · ZeRO-3", "TP 8", "PP 4".
func (s Sharding) String() string {
	var parts []string
	add := func(name string, n int) {
		if n > 1 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	add("DP", s.Data/max(1, s.Sequence))
	add("CP", s.Sequence)
	add("EP", s.Experts)
	add("TP", s.Tensor)
	if s.Layers {
		add("layers over", s.Pipeline)
	} else {
		add("PP", s.Pipeline)
	}
	if s.Stage > 0 {
		parts = append(parts, fmt.Sprintf("ZeRO-%d", s.Stage))
	}
	if s.Offload != "" {
		parts = append(parts, "offload "+s.Offload)
	}
	return strings.Join(parts, " · ")
}

// divides is how a framework shares a model among cards unless told otherwise:
// "tensor" or "layers".
func (p *Profile) divides() string {
	if p != nil {
		for _, s := range p.Sharding {
			if s == "tensor" || s == "layers" {
				return s
			}
		}
	}
	return "tensor"
}
