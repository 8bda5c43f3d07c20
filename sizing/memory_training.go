package sizing

import (
	"cmp"
	"math"
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
			l.blocks = logits
		}
		if l.passing("logits", logits) {
			j.explainLoss(k, l)
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
	if !j.stepsAtOnce() {
		return
	}
	temporary := j.constant(k, "temporaries") * j.trained() / j.stateShards()
	if j.gradientsComeLate() {
		temporary += gradients
		backward += counted
	}
	if l.passing("temporaries", max(0, temporary-backward)) {
		l.because("max(0, B · P_trained ÷ n − backward)", "PyTorch torch.optim: the multi-tensor step makes copies",
			Input{"B", temporary / j.trained() * j.stateShards(), "bytes"},
			Input{"P_trained", j.trained(), "parameters"},
			Input{"n", j.stateShards(), "cards"}, Input{"backward", backward, "bytes"})
	}
}

// stepsAtOnce reports whether the optimiser's step makes copies of all parameters:
// PyTorch's own do on the card, those of 8-bit libraries, GaLore and steps within
// the backward pass go through one at a time.
func (j *job) stepsAtOnce() bool {
	return j.Sharding.Offload == "" && j.Task != GaLore && !strings.Contains(j.Optimizer, "-8bit") &&
		!j.stepsInBackward()
}

func (j *job) stepsInBackward() bool {
	return strings.HasSuffix(j.Optimizer, "-in-backward") || strings.HasSuffix(j.Optimizer, "-layerwise")
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

// stateBytes are the bytes of each trained parameter.
func (j *job) stateBytes() StateBytes {
	s := j.p.Full
	switch {
	case j.fine():
		s = j.p.Adapters
	case j.isSharded() && j.p.ShardedFull != (StateBytes{}):
		s = j.p.ShardedFull
	}
	if s == (StateBytes{}) {
		s = StateBytes{Weights: 2, Gradients: 2, Master: 4, Moment: 4} // arXiv:1910.02054
	}
	if !j.fine() && (j.format.Bits >= 32 || j.Compute == "fp32") {
		s = StateBytes{Weights: 4, Gradients: max(4, s.Gradients), Moment: 4}
	}
	if !j.fine() && j.Compute == "fp16" && j.format.Bits == 16 && s.Master == 0 && s.Weights == 2 {
		// gradients of FP16 vanish, so the weights are FP32, with a copy to compute with
		s = StateBytes{Weights: 6, Gradients: 4, Moment: 4}
	}
	return s
}

// optimizerBytes are the bytes of the optimiser's states of each trained parameter
// and whether they lie in host memory. Adafactor keeps one number a row and a
// column.
func (j *job) optimizerBytes(moment float64) (bytes float64, paged bool) {
	name := j.Optimizer
	name, paged = strings.CutPrefix(name, "paged-")
	if strings.Contains(name, "-8bit") {
		moment = 1 + 4.0/256 // arXiv:2110.02861: blocks of 256 with a 32-bit scale
	}
	switch {
	case name == "" || strings.HasPrefix(name, "adam") || strings.HasPrefix(name, "galore"):
		return 2 * moment, paged
	case strings.HasPrefix(name, "lion"), name == "sgd-momentum", strings.HasPrefix(name, "muon"), name == "momentum":
		return moment, paged
	case name == "sgd":
		return 0, false
	case name == "adafactor":
		return 2 * 4 / max(1, j.hidden), paged
	}
	return 2 * moment, paged
}

// stateShards is the number of cards that optimiser states are divided over.
func (j *job) stateShards() float64 {
	if j.Sharding.Stage >= 1 {
		return j.shard * j.data
	}
	return j.shard
}

func (j *job) gradientShards() float64 {
	if j.Sharding.Stage >= 2 {
		return j.shard * j.data
	}
	return j.shard
}

func (j *job) weightShards() float64 {
	switch {
	case j.Sharding.Stage >= 3:
		return j.shard * j.data
	case j.Sharding.Layers:
		return j.cards
	}
	return j.shard
}

// frozen is the bytes of weights that are not trained.
func (j *job) frozen() float64 {
	if !j.fine() {
		return 0
	}
	return j.stored
}

// states adds weights, gradients and optimiser states.
func (j *job) states(k Constants, l *ledger) {
	offload, n := j.Sharding.Offload, j.trained()
	whole := j.total(func(s StateBytes) float64 { return s.Weights })
	adapters := 0.0
	if j.fine() {
		whole, adapters = j.stored, whole
	}
	nw := j.weightShards()
	if offload != "parameters" && l.add("weights", whole/nw) {
		if j.fine() {
			j.explainWeights(l, nw)
		} else {
			l.because("P · B ÷ n", sourceZeRO, Input{"P", n, "parameters"}, Input{"B", whole / n, "bytes"},
				Input{"n", nw, "cards"})
		}
	}
	j.gathered(k, l, whole)
	if offload != "parameters" && l.add("adapters", adapters/nw) {
		l.because("P_trained · B ÷ n", sourceLoRA, Input{"r", j.rank(), ""}, Input{"P_trained", n, "parameters"},
			Input{"B", adapters / n, "bytes"}, Input{"n", nw, "cards"})
	}
	if offload == "" {
		m := j.total(func(s StateBytes) float64 { return s.Master })
		if l.add("master", m/j.stateShards()) {
			l.because("P_trained · B ÷ n", sourceZeRO, Input{"P_trained", n, "parameters"}, Input{"B", m / n, "bytes"},
				Input{"n", j.stateShards(), "cards"})
		}
		j.optimizer(l)
	}
	if j.data > 1 && l.passing("buckets", j.p.Buckets) {
		l.because("documented", sourceProfile, Input{"buckets", j.p.Buckets, "bytes"})
	}
}

// gradientBytes of all trained parameters. An optimiser that steps in the backward
// pass keeps those of one layer.
func (j *job) gradientBytes() float64 {
	if j.stepsInBackward() && !j.fine() {
		return max(j.linear/j.layers, j.embeddings) * j.stateBytes().Gradients
	}
	return j.total(func(s StateBytes) float64 { return s.Gradients })
}

// optimizer adds the optimiser's states. GaLore's are those of gradients projected
// to rank r: 2·r·long of each matrix, and the projector r·short.
func (j *job) optimizer(l *ledger) {
	if _, paged := j.optimizerBytes(0); paged {
		return
	}
	if j.Task == GaLore {
		bytes, _ := j.optimizerBytes(j.stateBytes().Moment)
		n := j.projected()
		rest := (j.embeddings + j.head) * bytes
		if l.add("optimizer", (n*bytes+j.projectors()*2+rest)/j.stateShards()) {
			l.because("(Σ r·long · B + Σ r·short · 2 + P_rest · B) ÷ n", sourceGaLore, Input{"Σ r·long", n, ""},
				Input{"B", bytes, "bytes"}, Input{"Σ r·short", j.projectors(), ""},
				Input{"P_rest", j.embeddings + j.head, "parameters"}, Input{"n", j.stateShards(), "cards"})
		}
		return
	}
	bytes := j.momentBytes()
	if l.add("optimizer", bytes/j.stateShards()) {
		l.because("P_trained · B ÷ n", sourceZeRO, Input{"P_trained", j.trained(), "parameters"},
			Input{"B", bytes / j.trained(), "bytes"}, Input{"n", j.stateShards(), "cards"})
	}
}

// momentBytes are the bytes of the optimiser's states of all that is trained.
func (j *job) momentBytes() float64 {
	bytes := j.total(func(s StateBytes) float64 {
		bytes, _ := j.optimizerBytes(s.Moment)
		return bytes
	})
	if strings.HasPrefix(j.Optimizer, "muon") && !j.fine() { // embeddings and head are Adam's
		bytes += (j.embeddings + j.head) * j.stateBytes().Moment
	}
	return bytes
}

// projected is Σ r·long over the matrices of the layers, projectors Σ r·short.
func (j *job) projected() float64 {
	h, i := j.hidden, float64(j.m.Intermediate)
	return j.layers * (4*min(j.rank(), h)*h + j.m.mlpMatrices()*min(j.rank(), h)*max(h, i))
}

func (j *job) projectors() float64 {
	h, i := j.hidden, float64(j.m.Intermediate)
	return j.layers * (4*min(j.rank(), h)*h + j.m.mlpMatrices()*min(j.rank(), h)*min(h, i))
}

// gathered adds what is whole at the peak of weights that are sharded or lie in
// host memory: some layers, and a share that the framework does not give back at
// once.
func (j *job) gathered(k Constants, l *ledger, weights float64) {
	if j.Sharding.Offload != "parameters" && !j.isSharded() {
		return
	}
	if !j.fine() {
		weights = j.params * 2 // gathered in the format of arithmetic
	}
	layers := min(cmp.Or(j.p.Gathered, 2), j.layers)
	share := 0.0
	if j.Sharding.Offload != "parameters" {
		share = j.constant(k, "gathered")
	}
	embeddings := (j.embeddings + j.head) * 2 / j.shard
	if l.add("gathered", weights/j.shard*(layers/j.layers+share)+embeddings) {
		l.because("W ÷ m · (layers ÷ L + c) + embeddings ÷ m",
			"PyTorch documentation, torch.distributed.fsdp: the units being computed are gathered", Input{"W", weights,
				"bytes"}, Input{"m", j.shard, "cards"}, Input{"layers", layers, "layers"}, Input{"L", j.layers,
				"layers"}, Input{"c", share, ""}, Input{"embeddings", (j.embeddings + j.head) * 2, "bytes"})
	}
}

// perToken is the bytes that a layer keeps of a token for its backward pass:
//   - h·12 + q·4: the inputs of norms and of the attention, the queries, its output, the
//     residuals;
//   - h·8 more where norms are computed in 32 bits, as RMSNorm mostly is, which
//     models with gated MLPs have, unless a kernel computes them at once;
//   - kv·d·4: keys and values;
//   - i·6 of a gated MLP (both products and the activation), i·4 where a kernel computes the
//     activation again and rotates queries and keys in place (q·2 + kv·d·2 less), i·2 of another;
//   - h·4 + i·2: the inputs of matrices whose own gradient is needed;
//   - h·10 for each expert that a token is sent to: its copy, what comes back, that in 32
//     bits to be weighted, and weighted;
//
// and the whole once more in 32-bit arithmetic.
func (j *job) perToken(k Constants) float64 {
	h, i := j.hidden, j.width
	a := 12*h + 4*j.queries() + 4*j.keys
	if j.m.Experts > 0 {
		a += 10 * h * float64(j.m.ExpertsPerToken)
	}
	switch {
	case j.m.GatedMLP && j.p.FusedLayers: // arXiv:2410.10989, section 3.2
		a += 4*i - 2*j.queries() - 2*j.keys
	case j.m.GatedMLP:
		a += 8*h + 6*i
	default:
		a += 2 * i
	}
	if !j.fine() || j.targetsMLP() {
		a += 4*h + 2*i
	}
	a *= j.constant(k, "activations")
	if j.quantised && j.fine() {
		a += j.constant(k, "quantised inputs") * (2*h + i)
	}
	if j.Compute == "fp32" {
		a *= 2
	}
	if j.Attention == "eager" {
		a += k.Of("", "square") * j.heads * float64(j.Context)
	}
	return a / j.tensor
}

// layersKept is how many layers' activations a card keeps at once: those of its stage,
// for each micro-batch that the stages work on.
func (j *job) layersKept() float64 {
	if j.Sharding.Layers {
		return j.layers / j.cards
	}
	return j.layers / j.pipeline * min(j.pipeline, math.Max(1, float64(j.Accumulation)))
}

// activations are the bytes kept of all layers, of the layer that is being
// computed, and of the logits.
func (j *job) activations(k Constants) (kept, live, logits float64) {
	a := j.perToken(k)
	layers := j.layersKept()
	logits = j.lossBytes(k) * j.tokens
	live = (a + j.passingGradients()) * j.tokens
	switch j.Checkpointing {
	case "full":
		return j.checkpoint() * layers * j.tokens, live, logits
	case "offload": // one layer's is on its way back
		return j.checkpoint() * min(2, layers) * j.tokens, live, logits
	case "selective":
		if !j.p.KeepsAllButScores {
			return j.selected(k) * layers * j.tokens, live, logits
		}
	}
	return a * layers * j.tokens, 0, logits
}

// passingGradients is the bytes of a token that the backward pass of a layer holds at
// once besides what the layer keeps: gradients of the MLP's products and of its input
// and output, and of what experts are sent and send back.
func (j *job) passingGradients() float64 {
	matrices := 2.0
	if j.m.GatedMLP {
		matrices = 3
	}
	routed := 6 * j.hidden * float64(j.m.ExpertsPerToken)
	return (4*j.hidden + 2*matrices*j.width + routed) / j.tensor
}

// isSharded reports whether parameters are gathered layer by layer.
func (j *job) isSharded() bool { return j.Sharding.Stage >= 3 && j.data > 1 }

// checkpoint is the bytes of a token at the boundary of a layer. Beside a quantised base
// whose embeddings became 32-bit the residuals are 32-bit.
func (j *job) checkpoint() float64 {
	bytes := 2.0
	if j.quantised && j.fine() {
		bytes = max(bytes, j.p.QuantizedResiduals)
	}
	if j.fine() && j.isSharded() {
		bytes = max(bytes, j.p.ShardedResiduals)
	}
	return bytes * j.hidden / j.tensor
}

// selected is the bytes that a layer keeps of a token when each second matrix
// product is computed again: its input and the output of the attention, and half of
// what the products give: h of the query, output and last MLP matrices, keys and
// values, i of each first MLP matrix.
func (j *job) selected(k Constants) float64 {
	i := j.width
	if j.m.GatedMLP {
		i *= 2
	}
	return j.constant(k, "activations") * (4*j.hidden + 3*j.hidden + 2*j.keys + i) / j.tensor
}

// fused reports whether the logits are never whole in memory.
func (j *job) fused() bool { return j.FusedLoss || j.p.Loss == LossFused }

// gradientOfLogit is the bytes of the gradient of a logit in 32 bits.
const gradientOfLogit = 4

// lossBytes are the bytes of a token that the loss takes. Fused, the tokens are cut in as
// many pieces as the vocabulary is times as long as the hidden states, so that a piece has
// as many logits as those have numbers: 16 bits of each, 32 of its gradient and 16 of the
// hidden state's. In chunks there are 16 bits of each logit, and of an eighth of them 32 and
// those of the gradient. Gradients that are written over the logits take nothing.
func (j *job) lossBytes(k Constants) float64 {
	switch {
	case j.fused():
		return 8 * j.hidden / j.tensor
	case j.p.Loss == LossChunked:
		return (2 + 6.0/8) * j.vocab / j.tensor
	case j.p.Loss == LossInPlace:
		return (j.constant(k, "logits") - gradientOfLogit) * j.vocab / j.tensor
	}
	return j.constant(k, "logits") * j.vocab / j.tensor
}

func (j *job) explainLoss(k Constants, l *ledger) {
	in := []Input{{"b", j.batch, "sequences"}, {"s", j.sequence(), "tokens"}, {"t", j.tensor, "cards"}}
	if j.fused() {
		l.because("8 · b · s · h ÷ t", sourceLiger, append(in, Input{"h", j.hidden, ""})...)
		return
	}
	b := j.lossBytes(k) * j.tensor / j.vocab
	l.because("B · b · s · V ÷ t", sourceLiger, append(in, Input{"B", b, "bytes"}, Input{"V", j.vocab, ""})...)
}

func (j *job) explainKept(k Constants, l *ledger) {
	in := []Input{{"b", j.batch, "sequences"}, {"s", j.sequence(), "tokens"}, {"L", j.layersKept(), "layers"},
		{"h", j.hidden, ""}, {"t", j.tensor, "cards"}}
	switch j.Checkpointing {
	case "full":
		l.because("R · b · s · h · L ÷ t", sourceRecompute,
			append(in, Input{"R", j.checkpoint() * j.tensor / j.hidden, "bytes"})...)
		return
	case "offload":
		in[2].Value = min(2, in[2].Value)
		l.because("R · b · s · h · L ÷ t", sourceCheckpointOffload,
			append(in, Input{"R", j.checkpoint() * j.tensor / j.hidden, "bytes"})...)
		return
	}
	kept := j.perToken(k)
	if j.Checkpointing == "selective" && !j.p.KeepsAllButScores {
		kept = j.selected(k)
	}
	in = append(in, Input{"A", kept * j.tensor, "bytes"})
	l.because("b · s · L · A ÷ t", sourceRecompute, in...)
}

func (j *job) explainLayer(k Constants, l *ledger) {
	l.because("b · s · (A + G) ÷ t", sourceRecompute, Input{"b", j.batch, "sequences"},
		Input{"s", j.sequence(), "tokens"}, Input{"A", j.perToken(k) * j.tensor, "bytes"},
		Input{"G", j.passingGradients() * j.tensor, "bytes"}, Input{"t", j.tensor, "cards"})
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
