package sizing

import (
	"cmp"
	"strings"
)

// train adds what training needs: weights, gradients and optimiser states of what
// is trained, and at the peak either the activations of the backward pass or the
// temporaries of the optimiser's step.
func (j *job) train(k Constants, l *ledger) {
	j.states(k, l)

	kept, live, logits := j.activations(k)
	backward := kept + max(live, logits)
	if l.passing("activations", kept) {
		j.explainKept(k, l)
	}
	if live >= logits {
		if l.passing("layer", live) {
			j.explainLayer(k, l)
		}
	} else {
		if !j.fused() {
			l.logits, l.blocks = logits, j.blockBytes(k)*j.tokens
		}
		if l.passing("logits", logits) {
			j.explainLoss(k, l)
		}
	}
	if j.autocasts() { // the copies stay until the backward pass has ended
		n := j.params / j.spread()
		backward += 2 * n
		if l.passing("casts", 2*n) {
			l.because("2 · P ÷ n", sourceAutocast, Input{"P", j.params, "parameters"}, Input{"n", j.spread(), "cards"})
		}
	}
	gradients, counted := j.gradients(l, live, backward)
	j.step(k, l, gradients, counted, backward)
	j.dequantisation(k, l)
	if j.DoRA && j.fine() && l.passing("dora", 4*j.largest()/j.tensor) {
		l.because("4 · largest matrix ÷ t", sourceDoRA, Input{"largest matrix", j.largest(), "parameters"},
			Input{"t", j.tensor, "cards"})
	}
}

// gradients adds those of all that is trained, and gives how many bytes of them there are
// when the optimiser steps, and how many the line has. The first backward pass makes them while it gives the
// activations back, so that both are never whole; those that are added up over
// micro-batches, or lie in buffers, are there from the beginning.
func (j *job) gradients(l *ledger, live, backward float64) (all, line float64) {
	if j.Sharding.Offload == "parameters" {
		return 0, 0
	}
	all = j.gradientBytes() / j.gradientShards()
	n := j.trained()
	in := []Input{{"P_trained", n, "parameters"}, {"B", j.gradientBytes() / n, "bytes"},
		{"n", j.gradientShards(), "cards"}}
	if !j.gradientsComeLate() {
		if l.add("gradients", all) {
			l.because("P_trained · B ÷ n", sourceZeRO, in...)
		}
		return all, all
	}
	if j.autocasts() {
		live += 2 * j.params / j.spread()
	}
	line = max(0, all+live-backward)
	if l.add("gradients", line) {
		l.because("max(0, P_trained · B ÷ n + layer − backward)", sourceAutograd,
			append(in, Input{"layer", live, "bytes"}, Input{"backward", backward, "bytes"})...)
	}
	return all, line
}

// gradientsComeLate reports whether there are no gradients when the backward pass begins.
func (j *job) gradientsComeLate() bool {
	return !j.fine() && j.Accumulation <= 1 && !j.stepsInBackward() && j.p.Buckets == 0 &&
		j.stateBytes().Master == 0 && (j.cards == 1 || j.isSharded() && j.shard == 1)
}

// step adds the temporaries of the optimiser's step as far as they exceed the backward pass.
func (j *job) step(k Constants, l *ledger, gradients, counted, backward float64) {
	if !j.stepsAtOnce() || j.trained() == 0 {
		return
	}
	temporary := j.constant(k, "temporaries") * j.momentOnce() / j.stateShards()
	source := "PyTorch torch/optim/adamw.py, _multi_tensor_adamw: _foreach_sqrt copies a moment of all parameters"
	if copies := j.gradientCopies(); copies > temporary {
		temporary, source = copies, sourceStep32
	}
	if j.Optimizer == "adafactor" {
		temporary, source = 12*max(j.largest(), j.embeddings, j.head)/j.stateShards(), sourceAdafactor
	}
	if j.gradientsComeLate() {
		temporary += gradients
		backward += counted
	}
	if l.passing("temporaries", max(0, temporary-backward)) {
		l.because("max(0, B · P_trained ÷ n − backward)", source,
			Input{"B", temporary / j.trained() * j.stateShards(), "bytes"},
			Input{"P_trained", j.trained(), "parameters"},
			Input{"n", j.stateShards(), "cards"}, Input{"backward", backward, "bytes"})
	}
}

// momentOnce is the bytes of one moment of all that is trained, as 32-bit numbers or 16-bit ones.
func (j *job) momentOnce() float64 { return j.total(func(s StateBytes) float64 { return s.Moment }) }

// gradientCopies are the bytes of gradients that a step of ZeRO copies beside those that there are: all
// of the card's share, or of a group of parameters at a time where weights are shared as well.
func (j *job) gradientCopies() float64 {
	if j.Sharding.Stage < 1 || j.stateBytes().Master == 0 {
		return 0
	}
	n := j.trained() / j.stateShards()
	if j.isSharded() && j.p.SubGroup > 0 {
		n = min(n, j.p.SubGroup)
	}
	return j.p.GradientCopies * n
}

// stepsAtOnce reports whether the optimiser's step makes copies of all parameters:
// PyTorch's multi-tensor ones do on the card. Fused kernels write in place; those of 8-bit
// libraries, GaLore and steps within the backward pass go through one at a time, as Adafactor
// does, but with three copies in 32 bits of each: gradient, parameter and update.
func (j *job) stepsAtOnce() bool {
	return j.Sharding.Offload == "" && j.Task != GaLore && !strings.Contains(j.Optimizer, "-8bit") &&
		!strings.HasSuffix(j.Optimizer, "-fused") && !j.stepsInBackward()
}

func (j *job) stepsInBackward() bool {
	return strings.HasSuffix(j.Optimizer, inBackward) || strings.HasSuffix(j.Optimizer, layerwise)
}

// fine reports whether adapters are trained instead of the weights.
func (j *job) fine() bool { return j.Task == LoRA || j.Task == QLoRA }

// trained is the number of parameters that are trained.
func (j *job) trained() float64 {
	if !j.fine() {
		return j.params
	}
	return j.adapters() + j.saved()
}

// saved is the number of parameters of embeddings and head that are trained beside
// adapters.
func (j *job) saved() float64 {
	if !j.TrainEmbeddings {
		return 0
	}
	return j.embeddings + j.head
}

// total is the sum over what is trained of so many bytes of each parameter.
func (j *job) total(of func(StateBytes) float64) float64 {
	if !j.fine() {
		return j.params * of(j.stateBytes())
	}
	return j.adapters()*of(j.stateBytes()) + j.saved()*of(cmp.Or(j.p.Embeddings, j.stateBytes()))
}

// adapters counts r·(in + out) of each matrix that has an adapter.
func (j *job) adapters() float64 {
	m, h, i := j.m, j.hidden, float64(j.m.Intermediate)
	q, kv, experts := j.heads*float64(m.HeadDim), j.keys, 1.0
	if m.Experts > 0 {
		i, experts = float64(m.ExpertIntermediate), float64(m.Experts)
	}
	each, once := 0.0, 0.0
	j.eachTarget(func(t string) {
		switch t {
		case "q", "o":
			each += h + q
		case "k", "v":
			each += h + kv
		case "gate":
			if m.GatedMLP {
				each += experts * (h + i)
			}
		case "up", "down":
			each += experts * (h + i)
		case "head":
			once += h + j.vocab
		}
	})
	return j.rank() * (j.layers*each + once)
}

// adapterInputs is the width of the inputs of all adapters of a layer that a token passes.
func (j *job) adapterInputs() (width float64) {
	j.eachTarget(func(t string) {
		switch t {
		case "q", "k", "v", "up":
			width += j.hidden
		case "gate":
			if j.m.GatedMLP {
				width += j.hidden
			}
		case "o":
			width += j.queries()
		case "down":
			width += j.width
		}
	})
	return width
}

// eachTarget calls f with each kind of matrix that has adapters.
func (j *job) eachTarget(f func(string)) {
	targets := j.Targets
	switch targets {
	case "": // the default of PEFT for most models
		targets = "q,v"
	case "attention":
		targets = "q,k,v,o"
	case "all":
		targets = "q,k,v,o,gate,up,down"
	}
	for targets != "" {
		var t string
		t, targets, _ = strings.Cut(targets, ",")
		f(t)
	}
}

func (j *job) targetsMLP() bool {
	return j.Targets == "all" || strings.Contains(j.Targets, "down") || strings.Contains(j.Targets, "up")
}

// rank is that of the workload, or the default of PEFT's LoraConfig; GaLore's is
// that of its README.
func (j *job) rank() float64 {
	switch {
	case j.Rank > 0:
		return float64(j.Rank)
	case j.Task == GaLore:
		return 1024
	}
	return 8
}

// host is the bytes of host memory that offloading takes on all cards together.
func (j *job) host() float64 {
	if !j.Task.Trains() {
		if j.Sharding.Offload == "parameters" {
			return j.stored
		}
		return 0
	}
	_, paged := j.optimizerBytes(0)
	master := j.total(func(s StateBytes) float64 { return s.Master })
	checkpoints := 0.0
	if j.Checkpointing == "offload" {
		checkpoints = j.checkpoint() * j.tensor * j.layersKept() * j.tokens * j.data
	}
	return checkpoints + j.hostStates(master, paged)
}

// hostStates are the bytes of host memory of weights, gradients and states.
func (j *job) hostStates(master float64, paged bool) float64 {
	switch {
	case j.Sharding.Offload == "parameters":
		return j.frozen() + j.total(func(s StateBytes) float64 {
			return s.Weights + s.Gradients
		}) + master + j.momentBytes()
	case j.Sharding.Offload == "optimizer":
		return master + j.momentBytes()
	case paged:
		return j.momentBytes()
	}
	return 0
}
