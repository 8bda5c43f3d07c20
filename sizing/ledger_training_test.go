package sizing

import (
	"cmp"
	"slices"
	"strings"
)

func (x *reference) rank() float64 {
	usual := map[bool]float64{true: 1024, false: 8}[x.Task == GaLore]
	return cmp.Or(float64(x.Rank), usual)
}

// adapters adds r·(in + out) of each matrix that has one.
func (x *reference) adapters() float64 {
	h, i, experts := float64(x.m.Hidden), float64(x.m.Intermediate), 1
	if x.m.Experts > 0 {
		i, experts = float64(x.m.ExpertIntermediate), x.m.Experts
	}
	q, kv := float64(x.m.Heads*x.m.HeadDim), float64(x.m.KVHeads*x.m.HeadDim)
	targets := map[string]string{"": "q,v", "attention": "q,k,v,o", "all": "q,k,v,o,gate,up,down"}
	sum := 0.0
	for target := range strings.SplitSeq(cmp.Or(targets[x.Targets], x.Targets), ",") {
		for range x.m.Layers {
			switch target {
			case "q", "o":
				sum += x.rank() * (h + q)
			case "k", "v":
				sum += x.rank() * (h + kv)
			}
			for range experts {
				if target == "up" || target == "down" || target == "gate" && x.m.GatedMLP {
					sum += x.rank() * (h + i)
				}
			}
		}
		if target == "head" {
			sum += x.rank() * (h + float64(x.m.Vocabulary))
		}
	}
	return sum
}

// A part is parameters that are trained, with the bytes of each.
type trainedPart struct {
	parameters float64
	StateBytes
}

// trained are the parameters that are trained: all, or adapters and perhaps embeddings and
// head beside them. Mixed precision keeps 2 + 2 + 4 bytes and moments of 4 (ZeRO, section 3.1)
// unless the framework says otherwise; 32-bit training keeps no second copy.
func (x *reference) trained() []trainedPart {
	all, _, embeddings, head := x.parameters()
	zero := StateBytes{Weights: 2, Gradients: 2, Master: 4, Moment: 4}
	if !x.fine() {
		s := cmp.Or(x.p.Full, zero)
		if x.gathers() {
			s = cmp.Or(x.p.ShardedFull, s)
		}
		if x.Compute == "fp32" || x.format.Bits >= 32 {
			s = StateBytes{Weights: 4, Gradients: max(4, s.Gradients), Moment: 4}
		}
		if x.Compute == "fp16" && x.format.Bits == 16 && s.Master == 0 && s.Weights == 2 { // FP32 and a copy
			s = StateBytes{Weights: 6, Gradients: 4, Moment: 4}
		}
		return []trainedPart{{all, s}}
	}
	s := cmp.Or(x.p.Adapters, zero)
	out := []trainedPart{{x.adapters(), s}}
	if x.TrainEmbeddings {
		out = append(out, trainedPart{embeddings + head, cmp.Or(x.p.Embeddings, s)})
	}
	return out
}

func (x *reference) sum(of func(trainedPart) float64) float64 {
	sum := 0.0
	for _, part := range x.trained() {
		sum += part.parameters * of(part)
	}
	return sum
}

// moments are the bytes of the optimiser's states for a parameter whose moment takes so many.
func (x *reference) moments(moment float64) float64 {
	o := strings.TrimPrefix(x.Optimizer, "paged-")
	if strings.Contains(o, "8bit") { // a byte, and a scale of 4 for 256
		moment = 1.015625
	}
	switch o {
	case "lion", "sgd-momentum", "momentum", "muon":
		return moment
	case "sgd":
		return 0
	case "adafactor": // a number of 4 bytes for a row and for a column of h
		return 8 / float64(x.m.Hidden)
	}
	return 2 * moment // of Adam
}

// paged reports whether the states lie in host memory; of plain SGD there are none.
func (x *reference) paged() bool {
	return strings.HasPrefix(x.Optimizer, "paged-") && x.Optimizer != "paged-sgd"
}

func (x *reference) inBackward() bool {
	return strings.HasSuffix(x.Optimizer, "-layerwise") || strings.HasSuffix(x.Optimizer, "-in-backward")
}

// states are weights, gradients and what the optimiser keeps, divided as ZeRO's stages do.
func (x *reference) states() {
	s := x.Sharding
	_, linear, embeddings, head := x.parameters()
	over := func(stage int) float64 { // cards that share what a stage divides
		n := one(s.Tensor) * one(s.Pipeline)
		if s.Stage >= stage {
			n *= one(s.Data)
		}
		return n
	}
	weights := over(3)
	if s.Layers && s.Stage < 3 {
		weights = one(x.Cards)
	}
	ofTrained := x.sum(func(p trainedPart) float64 { return p.Weights })
	gradients := x.sum(func(p trainedPart) float64 { return p.Gradients })
	if x.inBackward() && !x.fine() { // of one layer, or of the embeddings
		gradients = x.trained()[0].Gradients * max(linear/float64(x.m.Layers), embeddings)
	}
	x.late = !x.fine() && x.Accumulation < 2 && !x.inBackward() && x.p.Buckets == 0 &&
		x.trained()[0].Master == 0 && (x.Cards <= 1 || x.gathers() && one(s.Tensor)*one(s.Pipeline) == 1)
	if s.Offload != "parameters" {
		x.gradients = gradients / over(2)
		if x.fine() {
			x.lines["weights"], x.lines["adapters"] = x.stored()/weights, ofTrained/weights
		} else {
			x.lines["weights"] = ofTrained / weights
		}
	}
	if s.Offload == "" {
		x.lines["master"] = x.sum(func(p trainedPart) float64 { return p.Master }) / over(1)
		x.lines["optimizer"] = x.optimizer() / over(1)
	}
	if one(s.Data) > 1 || x.p.BucketsAlone {
		x.goes("buckets", x.p.Buckets)
	}
	x.rotations()
	if s.Offload != "parameters" && (s.Stage < 3 || one(s.Data) == 1) {
		return
	}
	whole, _, _, _ := x.parameters() // gathered in 16 bits
	whole *= 2
	if x.fine() {
		whole = x.stored()
	}
	layers, share := min(cmp.Or(x.p.Gathered, 2), float64(x.m.Layers))/float64(x.m.Layers), x.c("gathered")
	if s.Offload == "parameters" {
		share = 0
	}
	m := one(s.Tensor) * one(s.Pipeline)
	x.lines["gathered"] = whole*layers/m + whole*share/m
	if layers < 1 {
		x.lines["gathered"] += 2 * (embeddings + head) / m
	}
}

// optimizer is the bytes of the optimiser's states on the card. GaLore projects the gradient
// of each matrix to the rank along its shorter side and keeps the projector in 16 bits.
func (x *reference) optimizer() float64 {
	if x.paged() {
		return 0
	}
	if x.Task != GaLore {
		return x.ofOptimizer()
	}
	_, _, embeddings, head := x.parameters()
	b := x.moments(x.trained()[0].Moment)
	h, i := float64(x.m.Hidden), float64(x.m.Intermediate)
	matrices := [][2]float64{{h, h}, {h, h}, {h, h}, {h, h}, {h, i}, {h, i}}
	if x.m.GatedMLP {
		matrices = append(matrices, [2]float64{h, i})
	}
	sum := (embeddings + head) * b
	for range x.m.Layers {
		for _, size := range matrices {
			r := min(x.rank(), h)
			sum += r*max(size[0], size[1])*b + r*min(size[0], size[1])*2
		}
	}
	return sum
}

// ofOptimizer is the bytes of the states of all that is trained, wherever they lie.
func (x *reference) ofOptimizer() float64 {
	sum := x.sum(func(p trainedPart) float64 { return x.moments(p.Moment) })
	if _, _, embeddings, head := x.parameters(); x.Optimizer == "muon" && !x.fine() {
		sum += (embeddings + head) * x.trained()[0].Moment // Adam's second
	}
	return sum
}

// ofToken is the bytes that a layer keeps of a token for the backward pass, divided over
// tensor-parallel cards, when nothing is computed again.
func (x *reference) ofToken() float64 {
	h, i, kv := float64(x.m.Hidden), x.width(), float64(x.m.KVHeads*x.m.HeadDim)
	q := float64(x.m.Heads * x.m.HeadDim)
	// inputs of norms and attention, residuals; queries and output; keys and values
	parts := []float64{12 * h, 4 * q, 2 * kv * 2}
	if x.m.Experts > 0 { // copies, what comes back, in 32 bits, weighted
		parts = append(parts, float64(x.m.ExpertsPerToken)*(2*h+2*h+4*h+2*h))
	}
	if x.m.GatedMLP {
		parts = append(parts, 8*h, 6*i) // norms in 32 bits; two products and the activation
	} else {
		parts = append(parts, 2*i)
		if x.m.UnfusedGELU && x.p.Autocasts { // its input, tanh and the sum in 32 bits, half of it
			parts = append(parts, 4*i, 4*i, 4*i)
		}
	}
	mlp := x.Targets == "all" || slices.Contains([]string{"up", "down,head"}, x.Targets)
	if !x.fine() || mlp {
		parts = append(parts, 4*h, 2*i) // inputs of matrices whose own gradient is needed
	}
	bytes := 0.0
	for _, b := range parts {
		bytes += b * x.c("activations")
	}
	if x.fine() && x.format.Bits < 16 && x.p.KeepsQuantizedInputs {
		bytes += x.c("quantised inputs") * (2*h + i)
	}
	if x.Compute == "fp32" {
		bytes *= 2
	}
	if x.autocasts() { // residuals and products of norms in 32 bits
		bytes += 2 * 4 * h
	}
	if x.fine() && x.p.CastsInputs && x.casts { // each adapter has a copy of its input
		targets := map[string]string{"": "q,v", "attention": "q,k,v,o", "all": "q,k,v,o,gate,up,down"}
		for target := range strings.SplitSeq(cmp.Or(targets[x.Targets], x.Targets), ",") {
			if target == "gate" && !x.m.GatedMLP {
				continue
			}
			bytes += x.p.Adapters.Weights * map[string]float64{"q": h, "k": h, "v": h, "gate": h, "up": h, "o": q,
				"down": i}[target]
		}
	}
	if x.Attention == "eager" {
		bytes += x.c("square") * float64(x.m.Heads) * float64(x.Context)
	}
	return bytes / one(x.Sharding.Tensor)
}

func (x *reference) train() {
	x.states()
	s := x.Sharding
	tensor, pipeline := one(s.Tensor), one(s.Pipeline)
	tokens := one(x.Batch) * float64(x.Context) / one(s.Sequence)
	layers := float64(
		x.m.Layers,
	) / pipeline * min(
		pipeline,
		one(x.Accumulation),
	) // of the first stage, for each micro-batch in flight
	if s.Layers {
		layers = float64(x.m.Layers) / one(x.Cards)
	}
	kept, live := x.ofToken()*layers*tokens, 0.0
	h, i, kv := float64(x.m.Hidden), x.width(), float64(x.m.KVHeads*x.m.HeadDim)
	if x.m.GatedMLP {
		i *= 2
	}
	residual := x.residual()
	products := map[bool]float64{true: 3, false: 2}[x.m.GatedMLP]
	passing, sent := x.width(), 6*h*float64(x.m.ExpertsPerToken)
	if x.m.Experts > 0 && x.p.ExpertsInTurn { // of one expert, which has its share of the tokens
		passing -= float64(x.m.ExpertsPerToken*x.m.ExpertIntermediate) * float64(x.m.Experts-1) / float64(x.m.Experts)
		sent /= float64(x.m.Experts)
	}
	ofLayer := x.ofToken() + (2*h+2*h+products*2*passing+sent)/tensor
	switch {
	case x.Checkpointing == "full": // the input of each layer
		kept, live = residual*h*layers*tokens/tensor, ofLayer*tokens
	case x.Checkpointing == "offload": // and of two of them
		kept, live = residual*h*min(2, layers)*tokens/tensor, ofLayer*tokens
	case x.Checkpointing == "selective" && !x.p.KeepsAllButScores: // each second product is computed again
		kept, live = x.c("activations")*(2*h+2*h+3*h+2*kv+i)*layers*tokens/tensor, ofLayer*tokens
	}
	ofLogit, allocated := x.c("logits"), x.c("logits")
	switch {
	case x.p.Loss == LossChunked: // 16 bits, and an eighth in 32 with its gradient
		ofLogit, allocated = 2.75, 2.75
	case x.p.Loss == LossInPlace: // gradients lie where logits were
		ofLogit -= gradientOfLogit
	case x.m.ShortLoss && x.p.NoAutocast:
		ofLogit, allocated = ofLogit/2, allocated/2
	}
	logits := ofLogit * tokens * float64(x.m.Vocabulary) / tensor
	fused := x.FusedLoss || x.p.Loss == LossFused
	if fused { // as many as there are hidden states: 16 bits, 32 and 16
		logits = 8 * tokens * h / tensor
	}
	x.goes("activations", kept)
	if logits > live {
		if x.goes("logits", logits); !fused {
			x.logits, x.blocks = logits, logits/ofLogit*allocated
		}
	} else {
		x.goes("layer", live)
	}
	peak := kept + max(live, logits)
	if x.autocasts() { // a 16-bit copy of each weight, until the backward pass has ended
		all, _, _, _ := x.parameters()
		copies := 2 * all / tensor / pipeline
		x.goes("casts", copies)
		peak, live = peak+copies, live+copies
	}
	x.peaks(peak, live)
	x.dequantise()
	if x.DoRA && x.fine() {
		x.goes("dora", 4*x.largest()/tensor)
	}
}

// autocasts reports whether 32-bit weights are cast for arithmetic in 16 bits.
func (x *reference) autocasts() bool {
	return x.p.Autocasts && !x.fine() && !x.gathers() && x.Compute != "fp32" && x.trained()[0].Weights == 4
}

// residual is the bytes of a number between layers.
func (x *reference) residual() float64 {
	bytes := 2.0
	if x.fine() && x.format.Bits < 16 && x.format.ID != "gptq-four" && !x.unprepared {
		bytes = max(bytes, x.p.QuantizedResiduals)
	}
	if x.fine() && x.gathers() {
		bytes = max(bytes, x.p.ShardedResiduals)
	}
	if x.autocasts() {
		bytes = 4
	}
	return bytes
}

// checkpoints are the bytes of all inputs of layers of all replicas.
func (x *reference) checkpoints() float64 {
	tokens := one(x.Batch) * float64(x.Context) / one(x.Sharding.Sequence)
	layers := float64(x.m.Layers) / one(x.Sharding.Pipeline) * min(one(x.Sharding.Pipeline), one(x.Accumulation))
	if x.Sharding.Layers {
		layers = float64(x.m.Layers) / one(x.Cards)
	}
	return x.residual() * float64(x.m.Hidden) * layers * tokens * one(x.Sharding.Data)
}

// peaks are the gradients and what the optimiser's step copies, as far as the larger of the
// peaks of backward pass and step has them.
func (x *reference) peaks(backward, live float64) {
	s := x.Sharding
	x.lines["gradients"] = x.gradients
	if x.late {
		x.lines["gradients"] = max(0, x.gradients+live-backward)
	}
	if s.Offload != "" || x.Task == GaLore || strings.Contains(x.Optimizer, "8bit") || x.inBackward() ||
		strings.HasSuffix(x.Optimizer, "fused") {
		return
	}
	copies := x.c("temporaries") * x.sum(func(p trainedPart) float64 { return p.Moment }) / one(s.Tensor) /
		one(s.Pipeline)
	if s.Stage >= 1 {
		copies /= one(s.Data)
	}
	if s.Stage >= 1 && x.trained()[0].Master > 0 { // by groups, where weights are shared as well
		n := x.sum(func(trainedPart) float64 { return 1 }) / one(s.Tensor) / one(s.Pipeline) / one(s.Data)
		if x.gathers() && x.p.SubGroup > 0 {
			n = min(n, x.p.SubGroup)
		}
		copies = max(copies, x.p.GradientCopies*n)
	}
	if x.Optimizer == "adafactor" { // gradient, parameter and update in 32 bits, of one after the other
		_, _, embeddings, head := x.parameters()
		copies = (4 + 4 + 4) * max(x.largest(), embeddings, head) / one(s.Tensor) / one(s.Pipeline)
		if s.Stage >= 1 {
			copies /= one(s.Data)
		}
	}
	if x.sum(func(trainedPart) float64 { return 1 }) == 0 { // the adapters are on a matrix that there is none of
		copies = 0
	}
	peak := backward
	if x.late { // the step has all gradients and copies
		copies += x.gradients
		peak = backward + x.lines["gradients"]
	}
	if copies > peak {
		x.goes("temporaries", copies-peak)
	}
}
