package sizing

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// training estimates the tokens per second that all cards of a job learn from.
type training struct{}

// Sources of the formulas of training; others are those of memory and decoding.
const (
	sourceStep    = "Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, arXiv:2104.04473"
	sourceExperts = "Lepikhin et al., GShard, arXiv:2006.16668"
	sourceRing    = "Liu et al., Ring Attention with Blockwise Transformers, arXiv:2310.01889"
)

// pull: of 0.1 to 64 this left the smallest errors where cards and frameworks were held back.
func (training) pull() pull { return pull{1, 0.1} }

// bounds are the constants of the formula of training.
func (training) bounds() []Bound {
	// share of that which its cards reach, of what their power lets them: kernels are written for a generation
	out := make([]Bound, 0, len(generations))
	for _, g := range generations {
		out = append(out, Bound{Name: g, Start: 1, Low: 0.4, High: 1.6})
	}
	return append(out, []Bound{
		// share of the dense rate that matrix products reach
		{Name: "matrices", Start: 0.7, Low: 0.2, High: 1, Each: true},
		// bytes that a token moves in the other operations of a layer ÷ hidden width; those of a layer of Llama whose
		// operations run one by one move about 480, forward and backward
		{Name: "traffic", Start: 400, Low: 100, High: 900, Each: true},
		// share of them that is left where kernels compute several of them at once
		{Name: "fused", Start: 0.5, Low: 0.2, High: 1},
		// them where what lies beside a quantised base is in 32 bits, ÷ what they are in 16
		{Name: "prepared", Start: 1.5, Low: 1, High: 3},
		// seconds that the host takes to start a layer, forward and backward
		{Name: "launch", Start: 3e-3, Low: 0.5e-3, High: 8e-3, Each: true},
		// the same where a layer is captured as a graph: a few calls of some 10 µs each
		{Name: "graph", Start: 100e-6, Low: 20e-6, High: 3e-3, Each: true, Log: true},
		// the same for the adapter of a matrix ÷ that of a layer
		{Name: "adapters", Start: 0.1, Low: 0, High: 1},
		// time of communication that is not hidden ÷ its time at the rate of the link
		{Name: "exposed", Start: 1, Low: 0.2, High: 3, Each: true},
		// share of the dense rate that attention reaches whose scores stay in the chip
		{Name: "attention", Start: 0.5, Low: 0.15, High: 0.9, Each: true},
		// bytes that attention moves for an operation: much where its kernels are of an older generation than the card
		{Name: "scores", Start: 0.004, Low: 0, High: 0.02, Each: true},
		// the rate that attention reaches whose kernels are of the generation before a card's ÷ that of its own
		{Name: "older attention", Start: 0.46, Low: 0.25, High: 1},
		{Name: "eight bits", Start: 0.8, Low: 0.3, High: 1}, // the same for products of 8-bit formats
		{Name: "four bits", Start: 0.6, Low: 0.2, High: 1},  // the same for products of 4-bit formats
		// width of experts whose products reach half of what those of wide matrices do
		{Name: "expert width", Start: 600, Low: 0, High: 3000},
		// how steeply the share falls where a card has less power for its rate, see [poweredShare]
		{Name: "power", Start: 1.0 / 3, Low: 0, High: 2},
		// share of a forward pass that selective checkpointing repeats
		{Name: "selective", Start: 0.3, Low: 0, High: 1},
		// bytes moved to unpack a weight of NF4 and its kind, each pass: at least half a byte read, 2 written and 2
		// read
		{Name: "dequantisation", Start: 6, Low: 4.5, High: 15},
		{Name: "integers", Start: 20, Low: 0, High: 60}, // the same for weights that are integers with scales
		{Name: "bubble", Start: 0.5, Low: 0, High: 1},   // share of the pipeline's bubble that interleaving leaves
		{Name: "scale", Start: 0.02, Low: 0, High: 0.2}, // time added by each doubling of the cards beyond one server
		// share of the tokens of encoders that are not padding, which they leave out
		{Name: "padding", Start: 0.5, Low: 0.3, High: 1},
		{Name: "image", Start: 500, Low: 50, High: 3000}, // tokens that an image counts for
		{Name: "step", Start: 5e-3, Low: 0, High: 0.01},  // seconds of a step beside its micro-batches
	}...)
}

// aServer is the number of cards beyond which a job is taken to span servers.
const aServer = 8

// A trainingStep is the time of one step of one job on each of its cards, by
// part, in seconds.
type trainingStep struct {
	tokens float64 // of all cards
	flops  float64 // of the model for a token, without what is repeated

	matrices, head, attention, recomputation, traffic, dequantisation, launch float64
	communication, offload, bubble, scaling, optimizer, overhead, total       float64

	// What went in.
	owner      string  // of the constants
	rate, half float64 // of the format of arithmetic, and of 16 bits
	format     string
	// operations for a parameter and token: 2 forward, 4 backward, 2 of them for gradients of weights
	passes         float64
	repeated       float64 // operations of a forward pass that checkpointing repeats, of 2
	linear, width  float64 // parameters of the layers that a token passes; heads · their dimension
	seen           float64 // tokens that a token attends to in a layer that looks at everything
	micro          float64 // tokens of a micro-batch
	accumulation   float64
	cards, data    float64
	tensor         float64
	pipeline       float64
	holders, group float64 // cards that hold the parameters once; that share a micro-batch
	efficiency     float64 // of the matrix products of layers
	ofHead         float64 // and of the head, in 16 bits
	ofAttention    float64 // and of attention
	device, sent   float64 // seconds and bytes of a micro-batch
	start          float64 // seconds that the host takes to start a layer
	host           float64 // and the micro-batch
	link           float64 // bytes per second to other cards
	moved          float64 // bytes that a token moves in the other operations of a layer ÷ hidden width
	idle           float64 // share of the pipeline's bubble that its schedule leaves
	again          float64 // passes forward and backward, with what is repeated, ÷ those without
}

// of fills in the time of a step; it reports false where a figure is missing.
func (t *trainingStep) of(k Constants, w *Workload, c *Card) bool {
	m := w.Model
	if c == nil || m == nil || m.Active <= 0 || w.Context <= 0 || !w.Task.Trains() ||
		m.Layers == 0 && m.Kind != "diffusion" || w.DoRA {
		return false
	}
	t.owner = k.trained(w)
	t.rate, t.format = c.Rate(w.Compute)
	t.half = t.rate
	if w.Compute != "fp32" && w.Compute != "tf32" {
		t.half, _ = c.Rate("bf16")
	}
	t.link = linkRate(c, float64(w.Cards))
	if t.rate <= 0 || t.half <= 0 || c.Bandwidth <= 0 || w.Cards > 1 && t.link <= 0 ||
		w.Sharding.Offload != "" && c.PCIe <= 0 {
		return false
	}
	t.divide(w)
	t.compute(k, w, c)
	t.device = t.matrices + t.head + t.attention + t.recomputation + t.traffic + t.dequantisation
	// The host starts layers while the card works.
	t.start = t.starting(k, w)
	t.host = float64(m.Layers) / t.pipeline * t.start * t.again
	t.launch = exposed(t.host, t.device)
	t.communicate(k, w, c)
	t.finish(k, w, c)
	return t.total > 0
}

// starting is the seconds that the host takes to start a layer with its adapters, forward and backward: kernel by
// kernel, or at once where they are captured as a graph.
func (t *trainingStep) starting(k Constants, w *Workload) float64 {
	layer := k.Of(t.owner, "launch")
	if w.captured() {
		layer = k.Of(t.owner, "graph")
	}
	if w.Task != LoRA && w.Task != QLoRA {
		return layer
	}
	j := job{Workload: w}
	n := 0.0
	j.eachTarget(func(target string) {
		if target != "head" && (target != "gate" || w.Model.GatedMLP) {
			n++
		}
	})
	return layer * (1 + k.Of("", "adapters")*n)
}

// captured reports whether layers of a job are started as graphs, as in submissions to MLPerf
// (docs.nvidia.com/dl-cuda-graph: Llama 2 70B LoRA, Llama 3.1 405B, Stable Diffusion v2), which have no profile, or are
// parts of a program that is compiled whole.
func (w *Workload) captured() bool {
	if w.profile == nil {
		return w.Framework == submissions
	}
	return w.profile.Compiled
}

// divide says how cards share the job; those that no degree names work on
// different data.
func (t *trainingStep) divide(w *Workload) {
	t.cards = float64(max(1, w.Cards))
	t.tensor, t.pipeline = float64(max(1, w.Sharding.Tensor)), float64(max(1, w.Sharding.Pipeline))
	t.holders = t.tensor * t.pipeline
	t.data = max(1, t.cards/t.holders)
	t.group = min(t.cards, t.holders*float64(max(1, w.Sharding.Sequence)))
	t.micro, t.accumulation = float64(max(1, w.Batch))*float64(w.Context), float64(max(1, w.Accumulation))
	t.tokens = t.cards / t.group * t.micro * t.accumulation
}

// compute is what the card itself does with a micro-batch.
func (t *trainingStep) compute(k Constants, w *Workload, c *Card) {
	m := w.Model
	t.passes = 6
	if w.Task == LoRA || w.Task == QLoRA {
		t.passes = 4 // no gradients of frozen weights
	}
	switch w.Checkpointing {
	case "full", "offload":
		t.repeated = 2
	case "selective":
		t.repeated = 2 * k.Of("", "selective")
	}
	t.again = 1 + t.repeated/6
	both := m.Kind == "encoder" || m.Kind == "vision" // ways: tokens attend to those after them too
	t.linear = max(0, m.Active-m.Embeddings()-m.Head())
	head := m.Embeddings()
	if both {
		head = m.Head()
	}
	if m.Kind == "diffusion" {
		t.linear = m.Active * k.Of("", "image")
	}
	t.width = float64(m.Heads * m.HeadDim)
	if t.width == 0 {
		t.width = float64(m.Hidden)
	}
	t.seen = float64(w.Context)
	if !both {
		t.seen /= 2
	}
	attend := 12 * t.width * float64(m.Layers) * m.lookBack(t.seen) // 4 operations forward, 8 backward
	t.flops = t.passes*(t.linear+head) + attend

	efficiency := k.Of(t.owner, "matrices")
	t.efficiency = efficiency
	switch t.format {
	case "fp8", "int8":
		t.efficiency *= k.Of("", "eight bits")
	case "fp4":
		t.efficiency *= k.Of("", "four bits")
	}
	if m.Active < m.Parameters {
		width := float64(cmp.Or(m.ExpertIntermediate, m.Intermediate))
		t.efficiency *= width / (width + k.Of("", "expert width"))
	}
	powered := poweredShare(k, t.half, c)
	t.efficiency, t.ofHead = t.efficiency*powered, efficiency*powered
	share := t.micro / t.group
	if m.Kind == "encoder" {
		share *= k.Of("", "padding")
	}
	product := share / (t.rate * t.efficiency)
	t.ofAttention = k.Of(t.owner, "attention")
	if w.oldAttention(c) {
		t.ofAttention *= k.Of("", "older attention")
	}
	attention := share * (1/(t.half*t.ofAttention) + k.Of(t.owner, "scores")/c.Bandwidth)
	t.matrices = product * t.passes * t.linear
	t.head = share * t.passes * head / (t.half * t.ofHead)
	t.attention = attention * attend
	t.recomputation = t.repeated * (product*t.linear + attention*attend/6)
	t.moved = k.Of(t.owner, "traffic")
	if w.profile != nil && w.profile.FusedLayers {
		t.moved *= k.Of("", "fused")
	}
	if w.prepared() {
		t.moved *= k.Of("", "prepared")
	}
	t.traffic = share * float64(m.Layers) * float64(m.Hidden) * t.moved * t.again / c.Bandwidth
	if w.Task == QLoRA {
		t.dequantisation = m.Linear() / t.holders * k.Of("", unpacking(w.Weights)) * (2 + t.repeated/2) / c.Bandwidth
	}
}

// prepared reports whether residuals, embeddings, head and norms beside a quantised base are in 32 bits, as
// prepare_model_for_kbit_training of PEFT makes them.
func (w *Workload) prepared() bool {
	return w.Task == QLoRA && w.profile != nil && w.profile.QuantizedResiduals >= 4 && !w.unprepared &&
		!strings.HasPrefix(w.Weights, "gptq") && !strings.HasPrefix(w.Weights, "awq")
}

// doubt is the share of a change of the host's pace that the step changes by: (T⁴ + H⁴)^¼ is a step of a card that
// works for T and a host that takes H to start what it does. Hosts differ, by 1.8 times between two with an H100 in
// [ADR 69], and nobody says which they have.
//
// [ADR 69]: ../docs/adr/0069-what-people-fine-tune.md
func (training) doubt(k Constants, w *Workload, c *Card) float64 {
	var t trainingStep
	if !t.of(k, w, c) {
		return 1
	}
	card, host := t.device, t.host
	return host * host * host * host / (card*card*card*card + host*host*host*host)
}

// unpacking is the constant of a format of frozen weights. GPTQ and AWQ keep
// integers in groups, which other kernels unpack than those of NF4.
func unpacking(weights string) string {
	if strings.HasPrefix(weights, "gptq") || strings.HasPrefix(weights, "awq") {
		return "integers"
	}
	return "dequantisation"
}

// communicate is what the cards tell each other and the host, for a micro-batch.
func (t *trainingStep) communicate(k Constants, w *Workload, c *Card) {
	m := w.Model
	gradients := 1.0 // of the parameters
	if t.passes < 6 {
		gradients = 0
	}
	bytes := 2.0 // of a parameter
	if w.Task == QLoRA {
		bytes = 0.5
	}
	if w.Sharding.Offload == "parameters" {
		t.offload = (2*bytes + 2*gradients) * m.Parameters / t.holders / t.data / c.PCIe
	}
	if t.cards == 1 {
		return
	}
	perLayer := t.micro * float64(m.Hidden) * 2 * float64(m.Layers) // bytes of hidden states
	if t.tensor > 1 {
		t.sent += (4 + t.repeated) * 2 * (t.tensor - 1) / t.tensor * perLayer / t.pipeline
	}
	// Cards that share the experts of a layer send each token to those that it needs, and back.
	experts := float64(max(1, w.Sharding.Experts))
	layers := float64(m.Layers-m.DenseLayers) / float64(max(1, m.Layers))
	t.sent += (4 + t.repeated) * (experts - 1) / experts * perLayer * layers * float64(m.ExpertsPerToken) / t.group
	// Cards that share sequences pass keys and values around, and back with their gradients.
	if sequence := float64(max(1, w.Sharding.Sequence)); sequence > 1 {
		t.sent += (3 + t.repeated/2) * (sequence - 1) / sequence * t.micro * m.KVBytes(1, 2) / t.tensor / t.pipeline
	}
	routed := m.routed()
	copies := max(1, t.data/experts) // of an expert
	others := (t.data-1)/t.data*(m.Parameters-routed)/t.holders + (copies-1)/copies*routed/t.holders/experts
	if w.Sharding.Stage >= 3 {
		t.sent += (2*bytes + 2*gradients) * others
	} else {
		t.sent += 2 * 2 * gradients * others / t.accumulation
	}
	time := t.sent / t.link
	t.communication = max(time*k.Of(t.owner, "exposed"), time-t.device-t.launch)
}

// owners are the cards that share the states of the optimiser.
func (t *trainingStep) owners(w *Workload) float64 {
	if w.Sharding.Stage >= 1 {
		return t.holders * t.data
	}
	return t.holders
}

// finish adds up micro-batches to a step.
func (t *trainingStep) finish(k Constants, w *Workload, c *Card) {
	micro := t.device + t.launch + t.communication + t.offload
	if t.idle = 1; !w.plain {
		t.idle = k.Of("", "bubble")
	}
	if t.pipeline > 1 {
		t.bubble = t.idle * (t.pipeline - 1) * micro
	}
	if t.passes == 6 {
		bytes := 28 * w.Model.Parameters / t.owners(w)
		t.optimizer = bytes / c.Bandwidth
		if w.Sharding.Offload == "optimizer" {
			t.offload = bytes / 7 / c.PCIe / t.accumulation // gradients down, parameters up
		}
	}
	for _, part := range []*float64{&t.matrices, &t.head, &t.attention, &t.recomputation, &t.traffic, &t.dequantisation,
		&t.launch, &t.communication, &t.offload} {
		*part *= t.accumulation
		t.total += *part
	}
	t.total += t.bubble
	if t.cards > aServer {
		t.scaling = k.Of("", "scale") * math.Log2(t.cards/aServer) * t.total
	}
	t.overhead = k.Of("", "step")
	t.total += t.scaling + t.optimizer + t.overhead
}

// formula is the tokens a second of all cards, or the images where the model is of
// diffusion.
func (training) formula(k Constants, w *Workload, c *Card, explain bool) (float64, []Line) {
	var t trainingStep
	if !t.of(k, w, c) {
		return 0, nil
	}
	if !explain {
		return t.tokens / t.total, nil
	}
	return t.tokens / t.total, t.lines(k, w, c)
}

// lines are the seconds of a step, by part; they sum to its time.
func (t *trainingStep) lines(k Constants, w *Workload, c *Card) []Line {
	m := w.Model
	tokens := Input{"t", t.micro * t.accumulation, "tokens"}
	group := Input{"g", t.group, "cards"}
	rate := Input{"R", t.rate, "FLOP/s"}
	half := Input{"R16", t.half, "FLOP/s"}
	efficiency := Input{"e", t.ofHead, ""}
	reached := Input{"e", t.efficiency, ""}
	bandwidth := Input{"BW", c.Bandwidth, "B/s"}
	layers, hidden := Input{"L", float64(m.Layers), "layers"}, Input{"h", float64(m.Hidden), ""}
	lines := []Line{
		{"matrices", t.matrices, "f · N · t ÷ (g · R · e)",
			[]Input{{"f", t.passes, "FLOP"}, {"N", t.linear, "parameters"}, tokens, group, rate, reached}, sourceStep},
		{"head", t.head, "f · V · h · t ÷ (g · R16 · e)", []Input{{"f", t.passes, "FLOP"},
			{"V", float64(m.Vocabulary), "tokens"}, hidden, tokens, group, half, efficiency}, sourceStep},
		{"attention", t.attention, "12 · L · a · d · s · t ÷ g · (1 ÷ (R16 · e) + k ÷ BW)",
			[]Input{layers, {"a · d", t.width, ""}, {"s", t.seen, "tokens"}, tokens, group, half,
				{"e", t.ofAttention, ""}, {"k", k.Of(t.owner, "scores"),
					"B/FLOP"}, bandwidth}, sourceStep},
		{"recomputation", t.recomputation, "r · (matrices ÷ f + attention ÷ 6)", []Input{{"r", t.repeated, "FLOP"},
			{"f", t.passes, "FLOP"}, {"matrices", t.matrices, "s"}, {"attention", t.attention, "s"}}, sourceRecompute},
		{"elementwise", t.traffic, "k · L · h · t · (1 + r ÷ 6) ÷ (g · BW)",
			[]Input{{"k", t.moved, "B"},
				layers, hidden, tokens, {"r", t.repeated, "FLOP"}, group, bandwidth}, sourceFitted},
		{"dequantisation", t.dequantisation, "k · W · (2 + r ÷ 2) · m ÷ (q · BW)",
			[]Input{{"k", k.Of("", unpacking(w.Weights)), "B"}, {"W", m.Linear(), "parameters"},
				{"r", t.repeated, "FLOP"}, {"m", t.accumulation, "micro-batches"},
				{"q", t.tensor * t.pipeline, "cards"}, bandwidth}, sourceQLoRA},
		{"launch", t.launch, "((T⁴ + (o · L ÷ p · (1 + r ÷ 6))⁴)^¼ − T) · m",
			[]Input{{"T", t.device, "s"}, {"o", t.start, "s"}, layers,
				{"p", t.pipeline, "cards"},
				{"r", t.repeated, "FLOP"}, {"m", t.accumulation, "micro-batches"}}, sourceFitted},
		{"communication", t.communication, "max(x · B ÷ C, B ÷ C − T) · m",
			[]Input{{"B", t.sent, "B"}, {"C", t.link, "B/s"}, {"x", k.Of(t.owner, "exposed"), ""},
				{"T", t.device, "s"},
				{"m", t.accumulation, "micro-batches"}}, sourceZeRO + "; " + sourceTensor + "; " + sourceExperts +
				"; " + sourceRing},
		{"offload", t.offload, "B ÷ PCIe · m", []Input{{"B", t.offload * c.PCIe / t.accumulation, "B"},
			{"PCIe", c.PCIe, "B/s"}, {"m", t.accumulation, "micro-batches"}}, sourceOffload},
		{"bubble", t.bubble, "k · (p − 1) · (T + communication ÷ m)",
			[]Input{{"k", t.idle, ""}, {"p", t.pipeline, "cards"}, {"T", t.device, "s"},
				{"communication", t.communication, "s"}, {"m", t.accumulation, "micro-batches"}}, sourceStep},
		{"scaling", t.scaling, "k · log2(n ÷ 8) · (all above)",
			[]Input{{"k", k.Of("", "scale"), ""}, {"n", t.cards, "cards"}}, sourceFitted},
		{"optimizer", t.optimizer, "28 · P ÷ (q · BW)", []Input{{"P", m.Parameters, "parameters"},
			{"q", t.owners(w), "cards"}, bandwidth}, sourceZeRO},
		{"overhead", t.overhead, "k", []Input{{"k", k.Of("", "step"), "s"}}, sourceFitted},
	}
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Value <= 0 })
}

// Training is the speed of training of a complete workload, in tokens per second of
// all cards, or images per second where the model is of diffusion; false where a
// figure that it needs is not known.
func (a *Estimator) Training(w *Workload, c *Card) (Speed, bool) {
	return a.rated(TrainingSpeed, LimitCompute, w, c)
}

// bound is the speed at which all cards compute at their rate; of other models than
// transformers of text the work is only fitted.
func (training) bound(k Constants, w *Workload, c *Card) float64 {
	var t trainingStep
	if !w.Model.WritesText() || !t.of(k, w, c) {
		return 0
	}
	return t.cards * t.rate / t.flops
}
