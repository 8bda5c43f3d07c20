package sizing

import (
	"cmp"
	"strings"
)

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

// autocasts reports whether weights in 32 bits are trained in 16-bit arithmetic, for which
// torch.autocast casts them. Sharded ones are gathered in 16 bits instead.
func (j *job) autocasts() bool {
	return j.p.Autocasts && !j.fine() && !j.isSharded() && j.Compute != "fp32" && j.stateBytes().Weights == 4
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
	return j.spread()
}

func (j *job) gradientShards() float64 {
	if j.Sharding.Stage >= 2 {
		return j.shard * j.data
	}
	return j.spread()
}

func (j *job) weightShards() float64 {
	switch {
	case j.Sharding.Stage >= 3:
		return j.shard * j.data
	case j.Sharding.Layers:
		return j.cards
	case j.fine(): // what adapters train is small: their experts are not told apart
		return j.shard / (1 - j.expertShare() + j.expertShare()/j.experts())
	}
	return j.spread()
}

// spread is how many cards hold what no stage of ZeRO divides: those of tensor and pipeline
// parallelism, and of expert parallelism for the share of the parameters that is in experts
// (D. Lepikhin et al., GShard, section 3.3).
func (j *job) spread() float64 {
	if j.fine() {
		return j.shard
	}
	return j.shard / (1 - j.expertShare() + j.expertShare()/j.experts())
}

// experts is the number of data-parallel cards that share the experts of a layer in training.
func (j *job) experts() float64 {
	if !j.Task.Trains() {
		return 1
	}
	return float64(max(1, j.Sharding.Experts))
}

// expertShare is the share of the parameters that is in routed experts: what a token does not
// pass is in all but those that it does.
func (j *job) expertShare() float64 {
	if j.params <= 0 {
		return 0
	}
	return min(1, j.m.routed()/j.params)
}

// routed is the number of parameters in routed experts.
func (m *Model) routed() float64 {
	if m.Experts <= m.ExpertsPerToken {
		return 0
	}
	e, k := float64(m.Experts), float64(m.ExpertsPerToken)
	return max(0, (m.Parameters-m.Active)*e/(e-k))
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
	j.rotations(l)
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
	if (j.data > 1 || j.p.BucketsAlone) && l.passing("buckets", j.p.Buckets) {
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
	if layers == j.layers {
		embeddings = 0 // all of the model is one unit, they as well
	}
	if l.add("gathered", weights/j.shard*(layers/j.layers+share)+embeddings) {
		l.because("W ÷ m · (layers ÷ L + c) + embeddings ÷ m",
			"PyTorch documentation, torch.distributed.fsdp: the units being computed are gathered", Input{"W", weights,
				"bytes"}, Input{"m", j.shard, "cards"}, Input{"layers", layers, "layers"}, Input{"L", j.layers,
				"layers"}, Input{"c", share, ""}, Input{"embeddings", embeddings * j.shard, "bytes"})
	}
}
