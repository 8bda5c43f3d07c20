package sizing

import (
	"slices"

	"tianti/catalog"
)

// shape is the preset whose runs tell of a model.
func (m *Models) shape(x *Model) *Model {
	if x.ShapeOf != "" {
		return m.Find(x.ShapeOf)
	}
	return x
}

// readsPublished reports whether a model was published in fewer than 16 bits that the
// framework of a workload, if one is given, reads.
func (a *Estimator) readsPublished(w *Workload) bool {
	if w.Model.Published == "" || a.Formats.Find(w.Model.Published) == nil {
		return false
	}
	p := a.Profiles.Find(w.Framework)
	return p == nil || len(p.Formats) == 0 || slices.Contains(p.Formats, w.Model.Published)
}

// takesInt8 reports whether a model that was published in FP8 is served in INT8 (W8A8): as many bits, to which the
// makers of hardware without FP8 convert such models for their engines. It is where the framework of the job is such
// an engine, or where none is given and, of all that run on the card, none reads FP8.
func (a *Estimator) takesInt8(w *Workload, c *Card) bool {
	if w.Task.Trains() || w.Model == nil || w.Model.Published != "fp8" {
		return false
	}
	if w.Framework != "" {
		p := a.Profiles.Find(w.Framework)
		return p != nil && p.takesInt8()
	}
	if c == nil || c.figures == nil || !a.hasEngineInInt8(c) {
		return false
	}
	job := *w
	job.Weights = w.Model.Published
	job.Framework, _ = usualFramework(&job)
	job.Prepare(a.Profiles, a.Formats)
	if job.profile == nil || runsOn(&job, c) {
		return false
	}
	job = *w
	job.Weights = w.Model.Published
	if other, _, _ := a.instead(&job, c, false); other != "" {
		return false
	}
	job.Weights = "int8"
	other, _, _ := a.instead(&job, c, false)
	p := a.Profiles.Find(other)
	return p != nil && p.takesInt8()
}

// hasEngineInInt8 reports whether one that reads INT8 and no FP8 is built for a card: on most, none is.
func (a *Estimator) hasEngineInInt8(c *Card) bool {
	for i := range a.Profiles.All {
		if p := &a.Profiles.All[i]; p.takesInt8() && p.builtFor(c) {
			return true
		}
	}
	return false
}

// takesInt8 reports whether a framework reads INT8 and no FP8.
func (p *Profile) takesInt8() bool {
	return slices.Contains(p.Formats, "int8") && !slices.Contains(p.Formats, "fp8")
}

// takePublished sets the weights of inference to the format that the name of the model
// tells, where none was given.
func (p *parser) takePublished() {
	if p.published == nil || p.given["weights"] || p.r.Workload.Task != Inference {
		return
	}
	p.r.Workload.Weights, p.given["weights"] = p.published.ID, true
}

// wrongKind refuses models of a kind that a task does not have: only decoders write
// text. Speech models are not trained as language models either.
func wrongKind(w *Workload) *catalog.ParamError {
	m := w.Model
	if m == nil || m.WritesText() || w.Task == "" || m.Kind == "diffusion" ||
		w.Task == Inference && (m.embeds() || m.Kind == "speech") {
		return nil
	}
	trained := w.Task == Full || w.Task == LoRA || w.Task == QLoRA || w.Task == Pretrain
	if trained && m.Kind != "speech" && m.Kind != "encoder-decoder" {
		return nil
	}
	return &catalog.ParamError{Param: "model", Value: m.Name, Code: catalog.KindCode(m.Kind)}
}

// Sources of what is kept of a sequence, and of towers.
const (
	sourceState = "Gu and Dao, Mamba, arXiv:2312.00752: a state of fixed size in each layer"
	sourceTower = "configuration of the model: the tower beside the language model, in 16 bits"
)

// hasMixedCache reports whether layers keep different amounts of a token, so that no
// product of layers and heads gives them.
func (m *Model) hasMixedCache() bool {
	return m.CacheValues > 0 || m.IndexLayers > 0 || m.GlobalKVHeads > 0 ||
		m.ValueHeadDim > 0 && m.KVLoRARank == 0
}

// fixedStates adds what linear attention and state-space layers keep of each sequence.
func (j *job) fixedStates(l *ledger) {
	n := j.shard
	if j.Sharding.Layers {
		n = j.cards
	}
	if l.add("state", j.batch*j.m.StateBytes/n) {
		l.because("b · state ÷ n", sourceState, Input{"b", j.batch, "sequences"},
			Input{"state", j.m.StateBytes, "bytes"}, Input{"n", n, "cards"})
	}
}

// tower adds what reads pictures, which files of llama.cpp and of MLX leave out.
func (j *job) tower(l *ledger, n float64) {
	if slices.Contains([]string{"llama.cpp", "ollama", "mlx"}, j.Framework) {
		return
	}
	if l.add("vision", 2*j.m.Vision/n) {
		l.because("2 · P_vision ÷ n", sourceTower, Input{"P_vision", j.m.Vision, "parameters"},
			Input{"n", n, "cards"})
	}
}
