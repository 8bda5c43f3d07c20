package sizing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

// completeWork fills in what a job leaves open that is no language model's inference or
// training; false where it is one.
func (a *Estimator) completeWork(w *Workload, c *Card) ([]Assumption, bool) {
	x := completion{a: a, w: w, c: c}
	switch a.workOf(w).(type) {
	case preference:
		x.preference()
	case diffusion:
		x.diffusion()
	case encoding:
		x.encoding()
	case speech:
		x.speech()
	default:
		return nil, false
	}
	return x.out, true
}

// A completion tells what it chose.
type completion struct {
	a   *Estimator
	w   *Workload
	c   *Card
	out []Assumption
}

func (x *completion) text(at *string, field, value, why string) {
	if *at == "" && value != "" {
		*at = value
		x.out = append(x.out, Assumption{field, value, why})
	}
}

func (x *completion) count(at *int, field string, value int, why string) {
	if *at == 0 {
		*at = value
		x.out = append(x.out, Assumption{field, strconv.Itoa(value), why})
	}
}

// framework chooses the usual one, or the first of others that runs on the card.
func (x *completion) framework(usual string, others ...string) {
	if x.w.Framework != "" {
		return
	}
	if x.c == nil || x.c.figures == nil {
		x.text(&x.w.Framework, "framework", usual, "usual_for_model")
		return
	}
	for i, id := range append([]string{usual}, others...) {
		job := *x.w
		job.Framework = id
		job.Prepare(x.a.Profiles, x.a.Formats)
		if job.profile != nil && runsOn(&job, x.c) {
			x.text(&x.w.Framework, "framework", id, []string{"usual_for_model", "usual_not_on_card"}[min(i, 1)])
			return
		}
	}
	x.text(&x.w.Framework, "framework", usual, "usual_for_model")
}

func (x *completion) precision() {
	format := "bf16"
	why := "usual"
	if x.c != nil && !x.c.hasBF16() {
		format, why = "fp16", "no_bf16_on_card"
		if x.c.FP16 == 0 && x.c.FP32 > 0 {
			format, why = "fp32", "no_16_bit_on_card"
		}
	}
	x.text(&x.w.Compute, "precision", format, why)
}

func (x *completion) attention() {
	attention := "sdpa"
	if f := x.a.Profiles.Find(x.w.Framework); f != nil && f.Attention != "" {
		attention = f.Attention
	}
	if attention == "flash" && x.c != nil && !x.c.hasFlash2() {
		x.text(&x.w.Attention, "attention", "sdpa", "no_flash_on_card")
		return
	}
	x.text(&x.w.Attention, "attention", attention, "of_framework")
}

// done looks up what is named, and shares the job among cards as its kind does.
func (x *completion) done() {
	w := x.w
	w.Prepare(x.a.Profiles, x.a.Formats)
	s := &w.Sharding
	if s.Offload == "none" {
		s.Offload = ""
	}
	if s.Data == 0 || s.Tensor == 0 || s.Pipeline == 0 {
		stage, offload := s.Stage, s.Offload
		*s = Sharding{Data: max(1, w.Cards), Tensor: 1, Pipeline: 1, Stage: stage, Offload: offload}
		if offload == "parameters" {
			s.Stage = 3
		} else if offload == "optimizer" {
			s.Stage = max(1, s.Stage)
		}
		if w.Cards > 1 {
			x.out = append(x.out, Assumption{"sharding", s.String(), "usual_sharding"})
		}
	}
}

func (x *completion) diffusion() {
	w, p := x.w, x.w.Model.Pipeline
	format, why := "bf16", "usual"
	if w.Task == QLoRA {
		format, why = "nf4", "usual_qlora"
	}
	x.text(&w.Weights, "weights", format, why)
	x.framework("diffusers")
	x.precision()
	x.attention()
	x.count(&w.Batch, "batch", 1, "usual")
	if p == nil {
		x.done()
		return
	}
	if w.Media.Width == 0 {
		w.Media.Width, w.Media.Height = p.Width, p.Height
		x.out = append(x.out, Assumption{"resolution", w.Media.resolution(), "of_model"})
	}
	if p.MakesClips() {
		x.count(&w.Media.Frames, "frames", p.Frames, "of_model")
	}
	if !w.Task.Trains() {
		x.count(&w.Media.Steps, "steps", p.Steps, "of_model")
		x.done()
		return
	}
	optimizer, why := "adamw", "usual"
	if f := x.a.Profiles.Find(w.Framework); f != nil && f.Optimizer != "" {
		optimizer, why = f.Optimizer, "of_framework"
	}
	x.text(&w.Optimizer, "optimizer", optimizer, why)
	x.text(&w.Checkpointing, "checkpointing", "full", "usual")
	x.count(&w.Accumulation, "accumulation", 1, "usual")
	if w.Task == LoRA || w.Task == QLoRA {
		x.count(&w.Rank, "rank", 16, "usual")
	}
	x.done()
}

func (m Media) resolution() string {
	if m.Width == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", m.Width, m.Height)
}

// setResolution reads "1024x768", "1024×768" or the side of a square.
func (p *parser) setResolution(v string) {
	width, height, both := strings.Cut(strings.ReplaceAll(strings.ToLower(v), "×", "x"), "x")
	if !both {
		height = width
	}
	side := func(s string) int {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < leastPixels || n > mostPixels {
			return 0
		}
		return n
	}
	m := &p.r.Workload.Media
	if m.Width, m.Height = side(width), side(height); m.Width == 0 || m.Height == 0 {
		*m = Media{Frames: m.Frames, Steps: m.Steps, Uncached: m.Uncached}
		p.fail(catalog.ParamError{Param: "resolution", Value: v, Code: catalog.OutOfRange,
			Allowed: catalog.Listed("1024", "1024x768", fmt.Sprintf("%d … %d", leastPixels, mostPixels))})
	}
}

// setTask reads a task, and the names that it has for models of one kind.
func (p *parser) setTask(v string) {
	for name := range namesOfInference {
		if strings.EqualFold(name, v) {
			p.r.Workload.Task, p.named = Inference, name
			return
		}
	}
	p.r.Workload.Task = Task(p.choice(v, taskNames()))
}

// namesOfInference are what inference is called for some kinds of models.
var namesOfInference = map[string][]string{
	"embed": {"embedding", "encoder"}, "rerank": {"reranker"}, "transcribe": {"speech"}, "generate": {"diffusion"},
}

// namedFor refuses a name of inference that a model of another kind does not have.
func (p *parser) namedFor() {
	if p.named == "" || p.r.Workload.Model == nil {
		return
	}
	if kinds := namesOfInference[p.named]; !slices.Contains(kinds, p.r.Workload.Model.Kind) {
		p.fail(catalog.ParamError{Param: "task", Value: p.named, Code: catalog.NotForModel,
			Allowed: catalog.Listed(string(Inference))})
	}
}

// contradictoryWork is what in a job of a kind of work does not go together.
func (a *Estimator) contradictoryWork(k work, r *Request, fail func(catalog.ParamError)) {
	w := &r.Workload
	switch k.(type) {
	case diffusion:
		a.contradictoryDiffusion(w, fail)
	case encoding, speech:
		a.contradictoryEncoding(w, fail)
	case preference:
		contradictoryPreference(r, fail)
	case hosted:
		a.contradictoryHost(w, fail)
	}
	if _, ok := k.(diffusion); !ok {
		w.Media.refuse(fail)
	}
	if _, ok := k.(hosted); !ok {
		w.Host.refuse(k, fail)
	}
	if _, ok := k.(diffusion); ok || w.Task == "" {
		return
	}
	switch o := w.Sharding.Offload; {
	case o == "model", o == offloadExperts && w.Task.Trains(),
		(o == "optimizer" || o == "parameters") && w.Task == Inference:
		allowed := []string{"none", "task=full", "task=lora"}
		if w.Task.Trains() {
			allowed = []string{"none", "optimizer", "parameters"}
		}
		fail(catalog.ParamError{Param: "offload", Value: o, Code: catalog.NotForTask,
			Allowed: catalog.Listed(allowed...)})
	}
}

// refuse refuses what is said of pictures where none are made.
func (m *Media) refuse(fail func(catalog.ParamError)) {
	for _, x := range []struct {
		name  string
		value string
	}{{"resolution", m.resolution()}, {"frames", formatNumber(float64(m.Frames))},
		{"steps", formatNumber(float64(m.Steps))}} {
		if x.value != "" {
			fail(catalog.ParamError{Param: x.name, Value: x.value, Code: catalog.NotForModel, Allowed: "flux.1-dev"})
		}
	}
	if m.Uncached {
		fail(catalog.ParamError{Param: "cached", Value: "no", Code: catalog.NotForModel, Allowed: "flux.1-dev"})
	}
}

// noText refuses what only models of text have.
func noText(w *Workload, fail func(catalog.ParamError)) {
	refuse := func(name, value string) {
		if value != "" {
			fail(catalog.ParamError{Param: name, Value: value, Code: catalog.NotForModel})
		}
	}
	refuse("kv_cache", w.KVCache)
	refuse("prompt", formatNumber(float64(w.Prompt)))
	if w.FusedLoss {
		refuse("fused_loss", "yes")
	}
	if w.DoRA {
		refuse("dora", "yes")
	}
	for name, n := range map[string]int{"tensor": w.Sharding.Tensor, "pipeline": w.Sharding.Pipeline,
		"context_parallel": w.Sharding.Sequence} {
		if n > 1 {
			fail(catalog.ParamError{Param: name, Value: strconv.Itoa(n), Code: catalog.NotForModel, Allowed: "1"})
		}
	}
}

func (a *Estimator) contradictoryDiffusion(w *Workload, fail func(catalog.ParamError)) {
	p := w.Model.Pipeline
	if p == nil {
		fail(catalog.ParamError{Param: "model", Value: w.Model.ID, Code: catalog.NoPipeline})
		return
	}
	noText(w, fail)
	if w.Context > 0 {
		fail(catalog.ParamError{Param: "context", Value: strconv.Itoa(w.Context), Code: catalog.NotForModel,
			Allowed: catalog.Listed("resolution", "frames", "steps")})
	}
	if w.Targets != "" && w.Targets != allLinear {
		fail(catalog.ParamError{Param: "targets", Value: w.Targets, Code: catalog.NotForModel, Allowed: "all"})
	}
	if w.Media.Frames > 1 && !p.MakesClips() {
		fail(catalog.ParamError{Param: "frames", Value: strconv.Itoa(w.Media.Frames), Code: catalog.NotForModel,
			Allowed: "1"})
	}
	if w.Task == GaLore || w.Task == Pretrain {
		fail(catalog.ParamError{Param: "task", Value: string(w.Task), Code: catalog.NotForModel,
			Allowed: catalog.Listed(string(Inference), string(Full), string(LoRA), string(QLoRA))})
	}
	switch o := w.Sharding.Offload; {
	case w.Task.Trains():
		if o == "model" || o == "blocks" {
			fail(catalog.ParamError{Param: "offload", Value: o, Code: catalog.NotForTask,
				Allowed: catalog.Listed("none", "optimizer")})
		}
	case o == "blocks" && p.IsUNet():
		fail(catalog.ParamError{Param: "offload", Value: o, Code: catalog.NotForModel,
			Allowed: catalog.Listed("none", "model")})
	case !slices.Contains([]string{"", "none", "model", "blocks"}, o):
		fail(catalog.ParamError{Param: "offload", Value: o, Code: catalog.NotForTask,
			Allowed: catalog.Listed("none", "model", "blocks")})
	}
}

func (a *Estimator) contradictoryEncoding(w *Workload, fail func(catalog.ParamError)) {
	noText(w, fail)
	if m := w.Model; m.MaxContext > 0 && w.Context > m.MaxContext && m.embeds() {
		fail(catalog.ParamError{Param: "context", Value: strconv.Itoa(w.Context), Code: catalog.OutOfRange,
			Allowed: fmt.Sprintf("1 … %d", m.MaxContext)})
	}
	if o := w.Sharding.Offload; o != "" && o != "none" {
		fail(catalog.ParamError{Param: "offload", Value: o, Code: catalog.NotForModel, Allowed: "none"})
	}
}
