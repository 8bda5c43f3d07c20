package sizing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

// Contradictions are what in a request does not go together, whatever the card.
func (a *Estimator) Contradictions(r *Request) []catalog.ParamError {
	w := &r.Workload
	var errs []catalog.ParamError
	fail := func(e catalog.ParamError) { errs = append(errs, e) }
	k := a.workOf(w)
	if e := wrongKind(w); e != nil {
		fail(*e)
		return errs
	}
	if m := w.Model; m != nil && m.Layers == 0 && m.Kind != "diffusion" {
		fail(catalog.ParamError{Param: "model", Value: m.ID, Code: catalog.NoArchitecture})
		return errs
	}
	if w.needsLongContext() {
		fail(catalog.ParamError{Param: "context", Value: strconv.Itoa(w.Context), Code: catalog.BeyondModel,
			Allowed: catalog.Listed(fmt.Sprintf("1 … %d", w.Model.MaxContext), "allow_long_context=yes")})
	}
	a.contradictoryWork(k, r, fail)
	formats := *w
	if t := w.Preference.Tuning; t != "" && (w.Task == DPO || w.Task == GRPO) {
		formats.Task = t
	}
	a.contradictoryFormats(&formats, fail)
	if w.Framework != "" && w.Task != "" && !a.does(w.Framework, w) {
		var able []string
		for _, f := range a.frameworks() {
			if a.does(f, w) {
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
			allowed = []string{"galore", "galore-8bit", galoreLayerwise}
		}
		fail(catalog.ParamError{Param: "optimizer", Value: w.Optimizer, Code: catalog.Contradicts,
			Allowed: catalog.Listed(allowed...)})
	}
	if strings.HasSuffix(w.Optimizer, inBackward) || strings.HasSuffix(w.Optimizer, layerwise) {
		if w.Accumulation > 1 { // a gradient that was used is gone
			fail(catalog.ParamError{Param: "accumulation", Value: strconv.Itoa(w.Accumulation),
				Code: catalog.Contradicts, Allowed: "1"})
		}
		if w.Task == GaLore && w.Cards > 1 { // jiaweizzhao/GaLore README.md: on a single GPU alone
			fail(catalog.ParamError{Param: "optimizer", Value: w.Optimizer, Code: catalog.Contradicts,
				Allowed: catalog.Listed("galore", "galore-8bit")})
		}
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

// contradictoryExperts refuses experts shared by cards that do not divide them, or each other.
func contradictoryExperts(w *Workload, data int, fail func(catalog.ParamError)) {
	e := catalog.ParamError{Param: "expert_parallel", Value: strconv.Itoa(w.Sharding.Experts),
		Code: catalog.NotDivisible}
	switch m := w.Model; {
	case m != nil && m.Experts == 0:
		e.Code, e.Allowed = catalog.Contradicts, "1"
	case m != nil && m.Experts%w.Sharding.Experts != 0:
		e.Allowed = fmt.Sprintf("%d ÷ n", m.Experts)
	case max(1, data)%w.Sharding.Experts != 0:
		e.Allowed = fmt.Sprintf("%d ÷ n", max(1, data))
	default:
		return
	}
	fail(e)
}

func contradictorySharding(r *Request, fail func(catalog.ParamError)) {
	w, s := &r.Workload, r.Workload.Sharding
	cards := w.Cards + count(r.With)
	if w.Cards == 0 {
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
	if s.Experts > 1 {
		contradictoryExperts(w, cards/(tensor*pipeline), fail)
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
	if m := w.Model; m != nil && pipeline > max(1, m.Layers) {
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
