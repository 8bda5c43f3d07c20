package sizing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

// Defaults with a source.
const (
	// The average of data centres in 2023: Uptime Institute, Intelligence Update 221,
	// "Large data centers are mostly more efficient, analysis confirms", 2023-11-23.
	defaultPUE = 1.58
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
	if r.Costs.PUE == 0 {
		r.Costs.PUE = defaultPUE
	}
	if r.Costs.Years == 0 {
		r.Costs.Years = defaultYears
	}
	if r.Costs.Utilisation == 0 {
		r.Costs.Utilisation = 1
	}
	if r.Costs.Host == 0 && !slices.Contains(r.Given, "host_share") {
		r.Costs.Host = defaultHost
	}
	if r.Workload.Cards == 0 {
		r.Workload.Cards = 1
	}
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
	a.completeFormats(w, c, text)
	count(&w.Batch, "batch", 1, "usual")
	count(&w.Context, "context", usualContext(w), "usual_or_model")
	if w.Model != nil && w.Model.MaxContext > 0 && w.Context > w.Model.MaxContext {
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
		text(&w.Weights, "weights", "fp16", "usual")
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
	switch {
	case w.Task == GaLore:
		optimizer = "galore"
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

// Contradictions are what in a request does not go together, whatever the card.
func (a *Estimator) Contradictions(r *Request) []catalog.ParamError {
	w := &r.Workload
	var errs []catalog.ParamError
	fail := func(e catalog.ParamError) { errs = append(errs, e) }
	if e := wrongKind(w); e != nil {
		fail(*e)
		return errs
	}
	if m := w.Model; m != nil && m.Layers == 0 {
		fail(catalog.ParamError{Param: "model", Value: m.ID, Code: catalog.NoArchitecture})
		return errs
	}
	a.contradictoryFormats(w, fail)
	if w.Framework != "" && w.Task != "" && !a.runs(w.Framework, w.Task) {
		var able []string
		for _, f := range a.frameworks() {
			if a.runs(f, w.Task) {
				able = append(able, f)
			}
		}
		fail(catalog.ParamError{Param: "framework", Value: w.Framework, Code: catalog.NotByFramework,
			Allowed: catalog.Listed(able...)})
	} else {
		a.beyondFramework(r, fail)
	}
	if w.Prompt > 0 && w.Prompt >= max(w.Context, 2) && w.Context > 0 {
		fail(catalog.ParamError{Param: "prompt", Value: strconv.Itoa(w.Prompt), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("1 … %d", w.Context-1)})
	} else if w.Prompt > 0 && w.Context == 0 && w.Prompt >= usualContext(w) {
		fail(catalog.ParamError{Param: "context", Code: catalog.Missing, Allowed: fmt.Sprintf("> %d", w.Prompt)})
	}
	galore := strings.HasPrefix(w.Optimizer, "galore")
	if w.Optimizer != "" && galore != (w.Task == GaLore) {
		allowed := []string{"task=galore"}
		if w.Task == GaLore {
			allowed = []string{"galore", "galore-8bit"}
		}
		fail(catalog.ParamError{Param: "optimizer", Value: w.Optimizer, Code: catalog.Contradicts,
			Allowed: catalog.Listed(allowed...)})
	}
	if w.Task == GaLore && w.Targets != "" {
		fail(catalog.ParamError{Param: "targets", Value: w.Targets, Code: catalog.NotForTask,
			Allowed: catalog.Listed("task=lora", "task=qlora")})
	}
	contradictorySharding(r, fail)
	contradictoryCosts(r, fail)
	return errs
}

func (a *Estimator) contradictoryFormats(w *Workload, fail func(catalog.ParamError)) {
	f := a.Formats.Find(w.Weights)
	if f == nil {
		return
	}
	switch {
	case w.Task == QLoRA && f.Bits >= 16:
		var allowed []string
		for i := range a.Formats.All {
			if x := &a.Formats.All[i]; x.Bits < 9 && x.Linear {
				allowed = append(allowed, x.ID)
			}
		}
		fail(catalog.ParamError{Param: "weights", Value: f.ID, Code: catalog.NeedsQuantised,
			Allowed: catalog.Listed(append(allowed, "task=lora")...)})
	case w.Task == QLoRA && (!f.Linear || f.Bits > 9):
		fail(catalog.ParamError{Param: "weights", Value: f.ID, Code: catalog.NotForTask,
			Allowed: catalog.Listed("nf4", "nf4-dq", "bnb-int8", "gptq-int4", "awq-int4", "hqq-int4")})
	case w.Task.Trains() && w.Task != QLoRA && f.Bits < 16:
		allowed := []string{"bf16", "fp16", "fp32"}
		if w.Task == LoRA {
			allowed = append(allowed, "task=qlora")
		}
		fail(catalog.ParamError{Param: "weights", Value: f.ID, Code: catalog.NeedsFullWeights,
			Allowed: catalog.Listed(allowed...)})
	}
}

// beyondFramework refuses what the documents of a framework leave out.
func (a *Estimator) beyondFramework(r *Request, fail func(catalog.ParamError)) {
	w := &r.Workload
	p := a.Profiles.Find(w.Framework)
	if p == nil {
		return
	}
	if f := a.Formats.Find(w.Weights); f != nil && f.Bits < 16 && len(p.Formats) > 0 {
		var able []string
		for _, id := range p.Formats {
			if g := a.Formats.Find(id); g != nil {
				able = append(able, g.ID)
			}
		}
		if !slices.Contains(able, f.ID) && !(isGGUF(f.ID) && slices.Contains(p.Formats, "gguf")) {
			fail(catalog.ParamError{Param: "weights", Value: f.ID, Code: catalog.NotByFramework,
				Allowed: catalog.Listed(append([]string{"bf16", "fp16"}, able...)...)})
		}
	}
	can := func(names ...string) bool {
		return len(p.Sharding) == 0 || slices.ContainsFunc(names, func(n string) bool {
			return slices.Contains(p.Sharding, n)
		})
	}
	if w.Sharding.Tensor > 1 && !can("tensor") {
		fail(catalog.ParamError{Param: "tensor", Value: strconv.Itoa(w.Sharding.Tensor),
			Code: catalog.NotByFramework, Allowed: "1"})
	}
	if w.Sharding.Pipeline > 1 && !can("pipeline", "layers") {
		fail(catalog.ParamError{Param: "pipeline", Value: strconv.Itoa(w.Sharding.Pipeline),
			Code: catalog.NotByFramework, Allowed: "1"})
	}
	if w.Sharding.Stage > 0 && !can("zero", "fsdp") {
		fail(catalog.ParamError{Param: "stage", Value: strconv.Itoa(w.Sharding.Stage),
			Code: catalog.NotByFramework, Allowed: "0"})
	}
	if o := w.Sharding.Offload; o != "" && o != "none" && !slices.Contains(p.Offload, o) {
		fail(catalog.ParamError{Param: "offload", Value: o, Code: catalog.NotByFramework,
			Allowed: catalog.Listed(append([]string{"none"}, p.Offload...)...)})
	}
}

func contradictorySharding(r *Request, fail func(catalog.ParamError)) {
	w, s := &r.Workload, r.Workload.Sharding
	cards := w.Cards
	if cards == 0 {
		return
	}
	tensor, pipeline, sequence := max(1, s.Tensor), max(1, s.Pipeline), max(1, s.Sequence)
	switch {
	case sequence > cards:
		fail(catalog.ParamError{Param: "context_parallel", Value: strconv.Itoa(sequence), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("1 … %d", cards)})
	case tensor > cards:
		fail(catalog.ParamError{Param: "tensor", Value: strconv.Itoa(tensor), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("1 … %d", cards)})
	case pipeline > cards:
		fail(catalog.ParamError{Param: "pipeline", Value: strconv.Itoa(pipeline), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("1 … %d", cards)})
	case cards%(tensor*pipeline*sequence) != 0:
		fail(catalog.ParamError{Param: "cards", Value: strconv.Itoa(cards), Code: catalog.NotDivisible,
			Allowed: fmt.Sprintf("%d · n", tensor*pipeline*sequence)})
	}
	if m := w.Model; m != nil && m.Heads > 0 && tensor > 1 && m.Heads%tensor != 0 {
		var divisors []string
		for n := 1; n <= min(m.Heads, cards); n++ {
			if m.Heads%n == 0 && cards%n == 0 {
				divisors = append(divisors, strconv.Itoa(n))
			}
		}
		fail(catalog.ParamError{Param: "tensor", Value: strconv.Itoa(tensor), Code: catalog.NotDivisible,
			Allowed: catalog.Listed(divisors...)})
	}
	if m := w.Model; m != nil && pipeline > m.Layers {
		fail(catalog.ParamError{Param: "pipeline", Value: strconv.Itoa(pipeline), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("1 … %d", m.Layers)})
	}
	offload := s.Offload != "" && s.Offload != "none"
	if s.Stage > 0 && cards == 1 && !offload {
		fail(catalog.ParamError{Param: "stage", Value: strconv.Itoa(s.Stage), Code: catalog.OneCard,
			Allowed: catalog.Listed("0", "cards=2 …", "offload=optimizer")})
	}
	if slices.Contains(r.Given, "stage") {
		switch {
		case s.Offload == "parameters" && s.Stage != 3:
			fail(catalog.ParamError{Param: "stage", Value: strconv.Itoa(s.Stage), Code: catalog.Contradicts,
				Allowed: catalog.Listed("3", "offload=optimizer")})
		case s.Offload == "optimizer" && s.Stage == 0:
			fail(catalog.ParamError{Param: "stage", Value: "0", Code: catalog.Contradicts,
				Allowed: catalog.Listed("1", "2", "3")})
		}
	}
}

func contradictoryCosts(r *Request, fail func(catalog.ParamError)) {
	if r.MaxHours > 0 && r.Tokens == 0 {
		fail(catalog.ParamError{Param: "tokens", Code: catalog.Missing, Allowed: "max_hours"})
	}
	if r.Costs.BuyPrice > 0 && r.Acquire == "rent" {
		fail(catalog.ParamError{Param: "buy_price", Code: catalog.Contradicts, Allowed: "acquire=buy"})
	}
	if r.Costs.RentPrice > 0 && r.Acquire == "buy" {
		fail(catalog.ParamError{Param: "rent_price", Code: catalog.Contradicts, Allowed: "acquire=rent"})
	}
	if r.Budget.Micros > 0 && r.Acquire == "rent" && r.Tokens == 0 {
		fail(catalog.ParamError{Param: "tokens", Code: catalog.Missing, Allowed: "budget"})
	}
}
