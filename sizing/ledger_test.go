package sizing

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The ledger of memory is compared with the formulas of its sources (see docs/adr/0015),
// written out here one line at a time, for jobs that are drawn at random; and the formula
// that explains a line is computed with the inputs that stand beside it.

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// drawModel draws an architecture; its parameters are those of its matrices, more or less.
func drawModel(r *rand.Rand) *Model {
	m := &Model{
		ID:             "drawn",
		Layers:         2 + r.IntN(7),
		Hidden:         64 * (1 + r.IntN(6)),
		Heads:          8,
		HeadDim:        pick(r, 16, 24),
		KVHeads:        pick(r, 0, 1, 2, 8),
		Intermediate:   32 * (1 + r.IntN(20)),
		Vocabulary:     pick(r, 0, 500, 1500, 40_000),
		TiedEmbeddings: r.IntN(2) == 0,
		GatedMLP:       r.IntN(2) == 0,
		CopiesCache:    r.IntN(2) == 0,
		Kind:           pick(r, "", "decoder", "decoder", "encoder"),
	}
	m.Parameters = m.Embeddings() + m.Head() + float64(m.Layers*m.Hidden*(4*m.Hidden+3*m.Intermediate))
	switch r.IntN(5) {
	case 0:
		m.Experts, m.ExpertsPerToken, m.ExpertIntermediate, m.SharedIntermediate = 8, 2, 16*(1+r.IntN(30)), pick(
			r,
			0,
			96,
		)
	case 1:
		m.KVLoRARank, m.RoPEHeadDim = 40, 8
	case 2:
		m.SlidingWindow, m.GlobalLayers = pick(r, 16, 1000), r.IntN(m.Layers+1)
	}
	return m
}

// drawProfile draws a framework.
func drawProfile(r *rand.Rand) *Profile {
	state := func() StateBytes {
		return pick(r, StateBytes{}, StateBytes{2, 2, 0, 2}, StateBytes{2, 4, 4, 4}, StateBytes{4, 8, 0, 4})
	}
	return &Profile{
		ID:         "framework",
		Full:       state(),
		Adapters:   state(),
		Embeddings: state(),
		Loss:       pick(r, LossWhole, LossChunked, LossFused),
		KeptBytes: pick(
			r,
			0.0,
			4,
		),
		ShardedFull:          pick(r, StateBytes{}, StateBytes{4, 4, 0, 4}),
		QuantizedResiduals:   pick(r, 0.0, 4),
		ShardedResiduals:     pick(r, 0.0, 4),
		ReplicatesEmbeddings: r.IntN(2) == 0,

		Buckets:       pick(r, 0.0, 0, 5000),
		Gathered:      pick(r, 0.0, 3),
		RunsModelCode: r.IntN(2) == 0,

		GradientCopies: pick(r, 0.0, 6),
		SubGroup:       pick(r, 0.0, 2000),
		QuantizesHead:  r.IntN(3) == 0,
		UntiesHead:     r.IntN(4) == 0,
		UntiesFormats: pick(
			r,
			nil,
			[]string{"four"},
		),
		PromptLogits:      r.IntN(2) == 0,
		PromptChunk:       pick(r, 0, 100),
		Graphs:            pick(r, 0.0, 7000),
		KeepsAllButScores: r.IntN(2) == 0,
	}
}

func drawSharding(r *rand.Rand, w *Workload) {
	s := &w.Sharding
	*s = Sharding{
		Data:     r.IntN(4),
		Tensor:   r.IntN(4),
		Pipeline: r.IntN(4),
		Stage:    r.IntN(4),
		Offload:  pick(r, "", "", "optimizer", "parameters"),
		Sequence: r.IntN(3),
	}
	w.Cards = max(1, s.Data) * max(1, s.Tensor) * max(1, s.Pipeline)
	if r.IntN(5) == 0 {
		*s = Sharding{Layers: true}
		w.Cards = r.IntN(4)
	}
}

// drawJob draws a job, prepared.
func drawJob(r *rand.Rand) *Workload {
	w := &Workload{
		Model:     drawModel(r),
		Task:      pick(r, Inference, Inference, Full, LoRA, QLoRA, GaLore, Pretrain),
		Framework: "framework",
		profile:   drawProfile(r),
		Batch: r.IntN(
			4,
		),
		Context: pick(r, 1, 20, 300),
		Prompt:  pick(r, 0, 1, 15, 250),
		Compute: pick(r, "bf16", "fp32", "fp16"),
		Checkpointing: pick(
			r,
			"none",
			"selective",
			"full",
			"offload",
		),
		DoRA:         r.IntN(4) == 0,
		FusedLoss:    r.IntN(5) == 0,
		Attention:    pick(r, "eager", "sdpa"),
		Accumulation: r.IntN(4),
		Optimizer: pick(
			r,
			"",
			"adamw",
			"adamw-8bit",
			"paged-adamw",
			"paged-adamw-8bit",
			"lion",
			"sgd",
			"paged-sgd",
			"sgd-momentum",
			"momentum",
			"muon",
			"adafactor",
			"galore-adamw",
			"adamw-layerwise",
			"adamw-in-backward",
			"something",
		),
		Rank: pick(
			r,
			0,
			4,
			70,
			2000,
		),
		Targets:         pick(r, "", "q,v", "attention", "all", "q,k,o", "gate", "up", "down,head", "head"),
		TrainEmbeddings: r.IntN(3) == 0,
		Reading:         pick(r, "", "", readHeld, readAllocated, readReserved, readDriver),
	}
	w.format = pick(
		r,
		&Format{ID: "full", Bits: 32, Source: "f"},
		&Format{ID: "half", Bits: 16, Source: "f"},
		&Format{
			ID:     "file",
			Bits:   4.9,
			Source: "f",
		},
		&Format{ID: "four", Bits: 4.5, Linear: true, Source: "f"},
		&Format{ID: "eight", Bits: 8, Linear: true, Source: "f"},
	)
	w.cache = pick(r, nil, &Format{ID: "half", Bits: 16}, &Format{ID: "eight", Bits: 8.5})
	drawSharding(r, w)
	return w
}

// drawConstants draws the numbers that are fitted, no two of them alike.
func drawConstants(r *rand.Rand) Constants {
	k := Constants{}
	for _, training := range []bool{false, true} {
		for _, b := range (memory{training}).bounds() {
			k[Constant{"", b.Name}] = 0.5 + 4*r.Float64()
		}
	}
	k[Constant{"", "reserve"}] = 1 + r.Float64()
	for _, name := range []string{"overhead", "context", "communication"} {
		k[Constant{"", name}] = 1000 + 1000*r.Float64()
	}
	return k
}

// jobs draws many jobs.
func jobs(t *testing.T, check func(w *Workload, k Constants)) {
	t.Helper()
	r := rand.New(rand.NewPCG(15, 1))
	for range 6000 {
		w, k := drawJob(r), drawConstants(r)
		if check(w, k); t.Failed() {
			t.Fatalf("the job is\n%+v\nof\n%+v\nwith\n%+v\nin %+v", *w, *w.Model, *w.profile, *w.format)
		}
	}
}

// A reference writes the formulas out.
type reference struct {
	*Workload
	m *Model
	p *Profile
	k Constants

	lines   map[string]float64
	passing float64 // of them, what comes and goes
	blocks  float64 // of that, logits that are whole

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
	if x.Task != Inference && x.p.KeptBytes != 0 && !x.p.QuantizesHead {
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
	if s.Layers && x.Cards > 1 {
		x.lines["imbalance"] = layer / 2
	}
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
	x.goes("logits", x.c("logits")*rows*float64(x.m.Vocabulary)/tensor)
	x.dequantise()
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
		"reserve":  (x.c("reserve")-1)*(x.passing-x.blocks) + x.c("blocks")*x.blocks,
		"context":  x.c("context"),
		"graphs":   x.p.Graphs,
	}
	if x.Task != Inference && x.gathers() {
		all["reserve"] += x.c("sharded reserve") * (x.passing - x.blocks)
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
	return x.Optimizer == "adamw-layerwise" || x.Optimizer == "adamw-in-backward"
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
	if one(s.Data) > 1 {
		x.goes("buckets", x.p.Buckets)
	}
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
	x.lines["gathered"] = whole*layers/m + whole*share/m + 2*(embeddings+head)/m
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
	}
	mlp := x.Targets == "all" || slices.Contains([]string{"up", "down,head"}, x.Targets)
	if !x.fine() || mlp {
		parts = append(parts, 4*h, 2*i) // inputs of matrices whose own gradient is needed
	}
	bytes := 0.0
	for _, b := range parts {
		bytes += b * x.c("activations")
	}
	if x.fine() && x.format.Bits < 16 {
		bytes += x.c("quantised inputs") * (2*h + i)
	}
	if x.Compute == "fp32" {
		bytes *= 2
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
	ofLayer := x.ofToken() + (2*h+2*h+products*2*x.width()+6*h*float64(x.m.ExpertsPerToken))/tensor
	switch {
	case x.Checkpointing == "full": // the input of each layer
		kept, live = residual*h*layers*tokens/tensor, ofLayer*tokens
	case x.Checkpointing == "offload": // and of two of them
		kept, live = residual*h*min(2, layers)*tokens/tensor, ofLayer*tokens
	case x.Checkpointing == "selective" && !x.p.KeepsAllButScores: // each second product is computed again
		kept, live = x.c("activations")*(2*h+2*h+3*h+2*kv+i)*layers*tokens/tensor, ofLayer*tokens
	}
	ofLogit := x.c("logits")
	if x.p.Loss == LossChunked { // 16 bits, and an eighth in 32 with its gradient
		ofLogit = 2.75
	}
	logits := ofLogit * tokens * float64(x.m.Vocabulary) / tensor
	fused := x.FusedLoss || x.p.Loss == LossFused
	if fused { // as many as there are hidden states: 16 bits, 32 and 16
		logits = 8 * tokens * h / tensor
	}
	x.goes("activations", kept)
	if logits > live {
		if x.goes("logits", logits); !fused {
			x.blocks = logits
		}
	} else {
		x.goes("layer", live)
	}
	x.peaks(kept+max(live, logits), live)
	x.dequantise()
	if x.DoRA && x.fine() {
		x.goes("dora", 4*x.largest()/tensor)
	}
}

// residual is the bytes of a number between layers.
func (x *reference) residual() float64 {
	bytes := 2.0
	if x.fine() && x.format.Bits < 16 {
		bytes = max(bytes, x.p.QuantizedResiduals)
	}
	if x.fine() && x.gathers() {
		bytes = max(bytes, x.p.ShardedResiduals)
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
	if s.Offload != "" || x.Task == GaLore || strings.Contains(x.Optimizer, "8bit") || x.inBackward() {
		return
	}
	copies := x.c("temporaries") * x.sum(func(trainedPart) float64 { return 1 }) / one(s.Tensor) / one(s.Pipeline)
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
	peak := backward
	if x.late { // the step has all gradients and copies
		copies += x.gradients
		peak = backward + x.lines["gradients"]
	}
	if copies > peak {
		x.goes("temporaries", copies-peak)
	}
}

func ledgerByDefinition(w *Workload, k Constants) map[string]float64 {
	x := reference{Workload: w, m: w.Model, p: w.profile, k: k, lines: map[string]float64{}}
	if w.Task == Inference {
		x.infer()
	} else {
		x.train()
	}
	x.outside()
	maps.DeleteFunc(x.lines, func(_ string, bytes float64) bool { return bytes == 0 })
	return x.lines
}

func TestTheLedgerAddsUpTheFormulasOfItsSources(t *testing.T) {
	seen := map[string]int{}
	jobs(t, func(w *Workload, k Constants) {
		m := memory{training: w.Task.Trains()}
		want := ledgerByDefinition(w, k)
		sum, lines := m.formula(k, w, nil, true)
		got, total := map[string]float64{}, 0.0
		for _, l := range lines {
			got[l.Part] += l.Value
			seen[l.Part]++
		}
		for _, part := range slices.Sorted(maps.Keys(want)) {
			if !near(got[part], want[part], 1e-9) {
				t.Errorf("%s: got %v, want %v", part, got[part], want[part])
			}
			total += want[part]
			delete(got, part)
		}
		if len(got) > 0 {
			t.Errorf("got %v besides", got)
		}
		if short, _ := m.formula(k, w, nil, false); !near(sum, total, 1e-9) || short != sum {
			t.Errorf("the sum is %v, and %v without lines, want %v", sum, short, total)
		}
	})
	if len(seen) != 24 {
		t.Errorf("the jobs have %d kinds of lines, want all 24: %v", len(seen), seen)
	}
}

func TestALineIsWhatItsFormulaGivesWithItsInputs(t *testing.T) {
	jobs(t, func(w *Workload, k Constants) {
		_, lines := memory{training: w.Task.Trains()}.formula(k, w, nil, true)
		for _, l := range lines {
			got, err := evaluate(l)
			if err != nil || !near(got, l.Value, 1e-9) {
				t.Errorf("%s = %s with %v: got %v (%v), want %v", l.Part, l.Formula, l.Inputs, got, err, l.Value)
			}
			if l.Source == "" {
				t.Errorf("%s has no source", l.Part)
			}
		}
	})
}

// evaluate computes the formula of a line as a reader does who puts the inputs in.
func evaluate(l Line) (float64, error) {
	if l.Formula == "fitted" || l.Formula == "documented" {
		return l.Inputs[0].Value, nil
	}
	symbols := map[string]float64{}
	for _, in := range l.Inputs {
		symbols[in.Symbol] = in.Value
	}
	if global, ok := symbols["L_global"]; ok {
		symbols["L_local"] = symbols["L"] - global
	}
	p := formulaParser{rest: l.Formula, symbols: symbols}
	for name := range symbols {
		p.names = append(p.names, name)
	}
	slices.SortFunc(p.names, func(a, b string) int { return len(b) - len(a) }) // "kv·d" before "kv"
	v := p.sum()
	if p.rest != "" && p.err == nil {
		p.err = fmt.Errorf("cannot read %q", p.rest)
	}
	return v, p.err
}

// A formulaParser reads sums and products, min and max.
type formulaParser struct {
	rest    string
	names   []string
	symbols map[string]float64
	err     error
}

func (p *formulaParser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " "), prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *formulaParser) sum() float64 {
	v := p.product()
	for {
		switch {
		case p.take("+"):
			v += p.product()
		case p.take("−"):
			v -= p.product()
		default:
			return v
		}
	}
}

func (p *formulaParser) product() float64 {
	v := p.factor()
	for {
		switch {
		case p.take("·"):
			v *= p.factor()
		case p.take("÷"):
			v /= p.factor()
		default:
			return v
		}
	}
}

func (p *formulaParser) factor() float64 {
	for name, f := range map[string]func(float64, float64) float64{"max(": math.Max, "min(": math.Min} {
		if p.take(name) {
			a := p.sum()
			p.take(",")
			b := p.sum()
			p.take(")")
			return f(a, b)
		}
	}
	if p.take("(") {
		v := p.sum()
		p.take(")")
		return v
	}
	spaced := func(s string) string { return strings.ReplaceAll(s, "·", " · ") }
	for _, name := range p.names {
		if p.take(name) || strings.Contains(name, "·") && p.take(spaced(name)) {
			return p.symbols[name]
		}
	}
	rest := strings.TrimLeft(p.rest, " ")
	n := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
	v, err := strconv.ParseFloat(rest[:n], 64)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("no number and no input at %q", rest)
		p.rest = ""
		return 0
	}
	p.rest = rest[n:]
	return v
}

func TestHostMemoryIsWhatOffloadingMovesThere(t *testing.T) {
	jobs(t, func(w *Workload, k Constants) {
		x := reference{Workload: w, m: w.Model, p: w.profile, k: k}
		want := 0.0
		switch {
		case w.Task == Inference:
			if w.Sharding.Offload == "parameters" {
				want = x.stored()
			}
		case w.Sharding.Offload == "parameters":
			want = x.sum(func(p trainedPart) float64 { return p.Weights + p.Gradients + p.Master }) + x.ofOptimizer()
			if x.fine() {
				want += x.stored()
			}
		case w.Sharding.Offload == "optimizer":
			want = x.sum(func(p trainedPart) float64 { return p.Master }) + x.ofOptimizer()
		case x.paged():
			want = x.ofOptimizer()
		}
		if w.Task != Inference && w.Checkpointing == "offload" {
			want += x.checkpoints()
		}
		if got := (memory{}).host(w); got != want && !near(got, want, 1e-9) {
			t.Errorf("host memory: got %v, want %v", got, want)
		}
	})
	for _, w := range []Workload{{}, {profile: &Profile{}, format: &Format{}}, {Model: &Model{}, format: &Format{}}, {Model: &Model{}, profile: &Profile{}}} {
		if got := (memory{}).host(&w); got != 0 {
			t.Errorf("host memory of %+v: got %v, want 0", w, got)
		}
	}
}

func TestNothingIsAddedUpWhereAFigureIsNotKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	k := drawConstants(r)
	whole := func() *Workload {
		w := drawJob(r)
		w.Task = Full
		return w
	}
	if sum, _ := (memory{training: true}).formula(k, whole(), nil, false); sum <= 0 {
		t.Fatalf("a job of which all is known takes %v", sum)
	}
	for what, change := range map[string]func(*Workload){
		"parameters": func(w *Workload) { w.Model.Parameters = 0 }, "layers": func(w *Workload) { w.Model.Layers = 0 },
		"hidden": func(w *Workload) { w.Model.Hidden = 0 }, "model": func(w *Workload) { w.Model = nil },
		"framework": func(w *Workload) { w.profile = nil }, "format": func(w *Workload) { w.format = nil },
		"task": func(w *Workload) { w.Task = Inference },
	} {
		w := whole()
		change(w)
		if sum, lines := (memory{training: true}).formula(k, w, nil, true); sum != 0 || len(lines) > 0 {
			t.Errorf("without its %s a job takes %v in %v", what, sum, lines)
		}
	}
}

func TestWhereTheLogitsAreAsLargeAsALayerTheLayerIsNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		w, k := drawJob(r), drawConstants(r)
		if w.Task == Inference || w.Checkpointing != "full" || w.FusedLoss || w.profile.Loss != LossWhole ||
			w.Model.Vocabulary == 0 {
			continue
		}
		j := jobOf(w)
		k[Constant{"", "logits"}] = (j.perToken(k) + j.passingGradients()) * j.tensor / j.vocab
		if _, live, logits := j.activations(k); live != logits {
			continue // rounded
		}
		_, lines := (memory{training: true}).formula(k, w, nil, true)
		if !slices.ContainsFunc(lines, func(l Line) bool { return l.Part == "layer" }) {
			t.Errorf("got %v, want a line of the layer", lines)
		}
		return
	}
	t.Fatal("no such job was drawn")
}
