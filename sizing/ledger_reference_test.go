package sizing

import (
	"cmp"
	"slices"
)

// A reference writes the formulas out.
type reference struct {
	*Workload
	m *Model
	p *Profile
	k Constants

	lines   map[string]float64
	passing float64 // of them, what comes and goes
	logits  float64 // of that, logits that are whole
	blocks  float64 // and what was allocated for them

	gradients float64
	late      bool // they come while the backward pass gives activations back
}

func one(n int) float64 { return float64(max(1, n)) }

func (x *reference) c(name string) float64 { return x.k[Constant{"", name}] }

// parameters are P, those of the matrices of the layers, of the embeddings and of the head.
func (x *reference) parameters() (all, linear, embeddings, head float64) {
	embeddings = float64(x.m.Vocabulary * x.m.Hidden)
	all = x.m.Parameters
	linear = all - embeddings
	switch {
	case !x.m.TiedEmbeddings:
		head = embeddings
		linear -= head
	case x.p.UntiesHead || slices.Contains(x.p.UntiesFormats, x.format.ID): // stored a second time
		head = embeddings
		all += head
	}
	return all, linear, embeddings, head
}

// stored are the bytes of all weights in their formats.
func (x *reference) stored() float64 {
	all, linear, embeddings, head := x.parameters()
	b := x.format.Bits / 8
	rest := 2.0 // bytes of what is not in the format
	if x.Task != Inference && x.p.KeptBytes != 0 && !x.p.QuantizesHead && x.format.ID != "gptq-four" &&
		!x.unprepared {
		rest = x.p.KeptBytes
	}
	switch {
	case !x.format.Linear:
		return all * b
	case x.p.QuantizesHead:
		return linear*b + head*b + embeddings*rest
	}
	return linear*b + head*rest + embeddings*rest
}

// width is that of the MLPs that a token passes.
func (x *reference) width() float64 {
	if x.m.Experts == 0 {
		return float64(x.m.Intermediate)
	}
	return float64(x.m.ExpertsPerToken)*float64(x.m.ExpertIntermediate) + float64(x.m.SharedIntermediate)
}

func (x *reference) goes(part string, bytes float64) {
	x.lines[part] += bytes
	x.passing += bytes
}

func (x *reference) infer() {
	s := x.Sharding
	_, linear, _, _ := x.parameters()
	tensor, pipeline := one(s.Tensor), one(s.Pipeline)
	cards := tensor * pipeline
	if s.Layers {
		cards = one(x.Cards)
	}
	layer := linear / float64(x.m.Layers) * x.format.Bits / 8
	x.lines["weights"] = x.stored() / cards
	if s.Offload == "parameters" { // two layers at a time
		x.lines["weights"] = 2 * layer / cards
	}
	if _, _, embeddings, head := x.parameters(); x.p.ReplicatesEmbeddings && s.Offload != "parameters" {
		x.lines["replicated"] = 2*(embeddings+head) - 2*(embeddings+head)/tensor
	}
	if s.Layers && x.Cards > 1 && !x.mean {
		x.lines["imbalance"] = layer / 2
	}
	x.rotations()
	x.lines["kv_cache"] = x.keysAndValues()
	if x.m.CopiesCache && x.p.RunsModelCode {
		x.lines["cache_copy"] = x.lines["kv_cache"]
	}
	if x.Reading == readHeld {
		return
	}

	tokens := one(x.Batch) * float64(x.Prompt)
	if x.p.PromptChunk != 0 && (x.Prompt == 0 || tokens > float64(x.p.PromptChunk)) {
		tokens = float64(x.p.PromptChunk)
	}
	h, a := float64(x.m.Hidden), float64(x.m.Heads)
	x.goes("prompt", x.c("prompt")*tokens*(6*x.width()+8*h)/tensor)
	if x.Attention == "eager" { // a matrix of tokens by tokens for each head
		x.goes("attention", x.c("square")*tokens*float64(max(x.Context, x.Prompt))*a/tensor)
	}
	rows := one(x.Batch)
	if x.p.PromptLogits && x.Prompt > 0 {
		rows *= float64(x.Prompt)
	}
	logits := x.c("logits") * rows * float64(x.m.Vocabulary) / tensor
	if x.mean && s.Layers {
		logits /= one(x.Cards)
	}
	x.goes("logits", logits)
	x.dequantise()
}

// rotations are two numbers of 16 bits for each position and dimension of a head.
func (x *reference) rotations() {
	if x.m.CopiesCache {
		return
	}
	cards := one(x.Sharding.Pipeline)
	if x.Sharding.Layers {
		cards = one(x.Cards)
	}
	for range x.m.Layers {
		x.lines["rotary"] += 2 * 2 * float64(min(x.rotary, x.m.MaxContext)*x.m.HeadDim) / cards
	}
}

// keysAndValues adds up the cache layer by layer.
func (x *reference) keysAndValues() float64 {
	if x.m.Kind == "encoder" {
		return 0
	}
	bytes := 2.0
	if x.cache != nil {
		bytes = x.cache.Bits / 8
	}
	tensor, pipeline := one(x.Sharding.Tensor), one(x.Sharding.Pipeline)
	ofToken, cards := 2*float64(
		x.m.KVHeads*x.m.HeadDim,
	), pipeline*min(
		tensor,
		one(x.m.KVHeads),
	) // heads are divided, no finer
	if x.m.KVLoRARank > 0 { // one latent for all heads
		ofToken, cards = float64(x.m.KVLoRARank+x.m.RoPEHeadDim), pipeline
	}
	if x.Sharding.Layers {
		cards = one(x.Cards)
	}
	sum := 0.0
	for layer := range x.m.Layers {
		tokens := x.Context
		if x.m.SlidingWindow > 0 && layer >= x.m.GlobalLayers {
			tokens = min(tokens, x.m.SlidingWindow)
		}
		sum += ofToken * float64(tokens) * bytes
	}
	return one(x.Batch) * sum / cards
}

// dequantise is the largest quantised matrix, unpacked.
func (x *reference) dequantise() {
	if x.format.Bits >= 16 || !x.format.Linear {
		return
	}
	x.goes("dequantisation", x.c("dequantisation")*x.largest()/one(x.Sharding.Tensor))
}

// largest is the number of parameters of the largest matrix of a layer, or the head where it is
// quantised too.
func (x *reference) largest() float64 {
	h, i := float64(x.m.Hidden), float64(x.m.Intermediate)
	if x.m.Experts > 0 {
		i = float64(x.m.ExpertIntermediate)
	}
	matrices := []float64{h * h, h * i}
	if _, _, _, head := x.parameters(); x.p.QuantizesHead {
		matrices = append(matrices, head)
	}
	return slices.Max(matrices)
}

// outside is what is not in tensors, as far as the reading counts it.
func (x *reference) outside() {
	counts := map[string][]string{
		readHeld:      nil,
		readAllocated: {"overhead"},
		readReserved:  {"overhead", "reserve"},
		readDriver:    {"overhead", "reserve", "context", "communication", "graphs"},
	}[cmp.Or(x.Reading, readDriver)]
	all := map[string]float64{
		"overhead": x.c("overhead"),
		"reserve":  (x.c("reserve")-1)*(x.passing-x.logits) + x.c("blocks")*x.blocks,
		"context":  x.c("context"),
		"graphs":   x.p.Graphs,
	}
	if x.Task != Inference && x.gathers() {
		all["reserve"] += x.c("sharded reserve") * (x.passing - x.logits)
	}
	if x.Cards > 1 && !x.Sharding.Layers {
		all["communication"] = x.c("communication")
	}
	for _, part := range counts {
		x.lines[part] += all[part]
	}
}

// gathers reports whether parameters are divided and gathered layer by layer.
func (x *reference) gathers() bool { return x.Sharding.Stage == 3 && x.Sharding.Data > 1 }

func (x *reference) fine() bool { return x.Task == LoRA || x.Task == QLoRA }
