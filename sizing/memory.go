package sizing

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tianti/sizing/kriging"
)

// The quantities that memory is fitted as: what is near for one says nothing of
// the other. A case is one of MemoryPerCard until [Prepare] has looked at its task.
const (
	MemoryInference Quantity = "memory-inference"
	MemoryTraining  Quantity = "memory-training"
)

func memoryQuantity(w *Workload) Quantity {
	if w.Task.Trains() {
		return MemoryTraining
	}
	return MemoryInference
}

// memory estimates the bytes on the fullest card at the peak of a job. It depends
// on the card in nothing but what the card cannot do, which [Refusals] tells.
type memory struct{ training bool }

// Sources of the formulas of memory.
const (
	sourceZeRO      = "Rajbhandari et al., ZeRO, arXiv:1910.02054"
	sourceRecompute = "Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models, " +
		"arXiv:2205.05198"
	sourceQLoRA    = "Dettmers et al., QLoRA, arXiv:2305.14314"
	sourceAutograd = "PyTorch documentation, autograd mechanics: gradients are made in the backward pass, and " +
		"zero_grad sets them to None"
	sourceDoRA = "Liu et al., DoRA, arXiv:2402.09353; huggingface/peft src/peft/tuners/lora/dora.py: the " +
		"adapted matrix is made to take its norm"
	sourceLoRA              = "Hu et al., LoRA, arXiv:2106.09685"
	sourceGaLore            = "Zhao et al., GaLore, arXiv:2403.03507"
	sourceGQA               = "Ainslie et al., GQA, arXiv:2305.13245"
	sourceLiger             = "Hsu et al., Liger Kernel, arXiv:2410.10989"
	sourceOffload           = "Ren et al., ZeRO-Offload, arXiv:2101.06840"
	sourceCheckpointOffload = "unsloth.ai/blog/long-context: checkpoints lie in host memory, one layer's is on the card"
	sourceAllocator         = "PyTorch documentation, CUDA semantics: memory management"
	sourceStas              = "Bekman, Machine Learning Engineering, training/performance: CUDA context, NCCL buffers"
	sourceProfile           = "documents of the framework"
	sourceTransient         = "intermediate tensors of one MLP layer in 16 bits"
	sourceAccelerate        = "huggingface/accelerate infer_auto_device_map: layers are spread by their size"
)

// readings, from what counts least.
const (
	readHeld      = "held" // allocated after the run, not at its peak
	readAllocated = "allocated"
	readReserved  = "reserved"
	readDriver    = "driver"
)

func (m memory) bounds() []Bound {
	if m.training {
		return []Bound{
			{Name: "activations", Start: 1, Low: 0.6, High: 1.8, Each: true}, // on the bytes of a layer
			// bytes of a logit, its gradient included
			{Name: "logits", Start: 10, Low: 4, High: 16, Each: true},
			// bytes kept of each input of a quantised matrix
			{Name: "quantised inputs", Start: 0, Low: 0, High: 4, Each: true},
			// bytes of a parameter of the largest quantised matrix
			{Name: "dequantisation", Start: 2, Low: 0, High: 8, Each: true},
			// bytes of a parameter during the optimiser's step
			{Name: "temporaries", Start: 1, Low: 0, High: 4, Each: true},
			// share of sharded weights that is whole at the peak
			{Name: "gathered", Start: 0.02, Low: 0, High: 1.3, Each: true},
			// bytes of an element of the matrix of attention, where it is made
			{Name: "square", Start: 6, Low: 2, High: 16},
			{Name: "reserve", Start: 1.1, Low: 1, High: 1.35, Each: true}, // reserved ÷ allocated
			// more of it where layers are gathered and given back
			{Name: "sharded reserve", Start: 0.1, Low: 0, High: 0.4},
			// of the bytes of whole logits, what is reserved besides
			{Name: "blocks", Start: 0.3, Low: 0, High: 1.2, Each: true},
			{Name: "overhead", Start: 0.3 * gib, Low: 0, High: 2.5 * gib, Each: true}, // bytes of work space
			{Name: "context", Start: 0.6 * gib, Low: 0.3 * gib, High: 1.78 * gib},     // bytes outside the allocator
			{Name: "communication", Start: 1 * gib, Low: 0.2 * gib, High: 2 * gib},    // bytes of NCCL
		}
	}
	return []Bound{
		// on the bytes of a layer's intermediate tensors
		{Name: "prompt", Start: 1, Low: 0, High: 2, Each: true},
		{Name: "logits", Start: 6, Low: 2, High: 12, Each: true}, // bytes of a logit
		// bytes of a parameter of the largest quantised matrix
		{Name: "dequantisation", Start: 2, Low: 0, High: 8, Each: true},
		// bytes of an element of the matrix of attention, where it is made
		{Name: "square", Start: 6, Low: 2, High: 16},
		{Name: "reserve", Start: 1.05, Low: 1, High: 1.5, Each: true},              // reserved ÷ allocated
		{Name: "overhead", Start: 0.02 * gib, Low: 0, High: 1.5 * gib, Each: true}, // bytes of work space
		{Name: "context", Start: 0.5 * gib, Low: 0.3 * gib, High: 1.78 * gib},      // bytes outside the allocator
		{Name: "communication", Start: 0.3 * gib, Low: 0.1 * gib, High: 2 * gib},   // bytes of NCCL
	}
}

// pull: what inference takes is documented, and constants fitted with few frameworks are worse
// for others than what documents say; in training frameworks differ by less than few runs of one
// make it seem. Of 0.1 to 200 these left the smallest errors where cards, frameworks and
// sources were held back.
func (m memory) pull() pull {
	if m.training {
		return pull{0.1, 0.5}
	}
	return pull{200, 4}
}

// formula is the sum of the ledger.
func (m memory) formula(k Constants, w *Workload, _ *Card, explain bool) (float64, []Line) {
	l := m.ledger(k, w, explain)
	return l.sum, l.lines
}

// ledger adds up a job; it is empty where a figure is not known.
func (m memory) ledger(k Constants, w *Workload, explain bool) ledger {
	l := ledger{explaining: explain}
	x := w.Model
	if w.profile == nil || w.format == nil || x == nil || w.Task.Trains() != m.training || x.Parameters <= 0 ||
		x.Layers <= 0 || x.Hidden <= 0 {
		return l
	}
	j := jobOf(w)
	if m.training {
		j.train(k, &l)
	} else {
		j.infer(k, &l)
	}
	j.outside(k, &l)
	return l
}

// ofWeights is the share of the weights that no need falls below: tables of formats round
// the bits of mixed ones, and sizes of models are rounded.
const ofWeights = 0.97

// floor is what the weights on a card take, whatever the correction says.
func (m memory) floor(w *Workload) float64 {
	if w.profile == nil || w.format == nil || w.Model == nil || w.Model.Layers <= 0 || w.Sharding.Offload == "parameters" {
		return 0
	}
	j := jobOf(w)
	bytes := j.stored
	if m.training && !j.fine() {
		bytes = 2 * j.params
	}
	return ofWeights * bytes / j.weightShards()
}

// libraries is how much of what contexts and libraries keep differs among releases (0.47 to
// 1.78 GiB of context alone, see [sourceStas]): much for a small model, nothing for a large one.
const libraries = gib / 2

// doubt is the share of a need that does not follow from the model and the settings.
func (m memory) doubt(k Constants, w *Workload) float64 {
	l := m.ledger(k, w, false)
	if l.sum <= 0 {
		return 1
	}
	return min(1, 1-(l.sure-libraries)/l.sum)
}

// host is the bytes of host memory of a job.
func (m memory) host(w *Workload) float64 {
	if w.profile == nil || w.format == nil || w.Model == nil {
		return 0
	}
	j := jobOf(w)
	return j.host()
}

// A ledger adds up lines. Lines are kept only when they are to be explained.
type ledger struct {
	explaining bool
	sum        float64
	sure       float64 // of sum, what follows from the model and the settings: weights, states, keys and values
	dynamic    float64 // of sum, what comes and goes and so leaves gaps in the allocator
	blocks     float64 // of dynamic, tensors so large that what was freed before seldom holds them
	reserve    float64 // of sum, these gaps
	lines      []Line
}

// sureParts follow from the model, the formats and the optimiser.
var sureParts = []string{"weights", "adapters", "master", "optimizer", "kv_cache", "replicated", "tower", "state"}

// add adds a line and reports whether it is to be explained.
func (l *ledger) add(part string, bytes float64) bool {
	if bytes == 0 {
		return false
	}
	l.sum += bytes
	if slices.Contains(sureParts, part) {
		l.sure += bytes
	}
	if l.explaining {
		l.lines = append(l.lines, Line{Part: part, Value: bytes})
	}
	return l.explaining
}

// passing is add for what comes and goes.
func (l *ledger) passing(part string, bytes float64) bool {
	l.dynamic += bytes
	return l.add(part, bytes)
}

// because explains the last line.
func (l *ledger) because(formula, source string, inputs ...Input) {
	last := &l.lines[len(l.lines)-1]
	last.Formula, last.Source, last.Inputs = formula, source, inputs
}

// A job is a workload in the symbols of the formulas.
type job struct {
	*Workload
	m *Model
	p *Profile

	params                               float64 // P
	layers, hidden, heads, keys, vocab   float64 // L, h, a, kv·d, V
	width                                float64 // i: of the MLPs that a token passes
	batch, tokens                        float64 // b, b·s of one card
	cards, data, tensor, pipeline, shard float64 // n, and what divides: parameters by shard
	stored                               float64 // bytes of all weights on all cards, in their formats
	embeddings, head, linear             float64 // parameters
	quantised                            bool
}

func jobOf(w *Workload) job {
	m, p := w.Model, w.profile
	j := job{
		Workload: w, m: m, p: p, params: m.Parameters, layers: float64(m.Layers), hidden: float64(m.Hidden),
		heads: float64(m.Heads),
		keys:  float64(m.KVHeads) * float64(m.HeadDim), vocab: float64(m.Vocabulary), width: float64(m.Intermediate),
		batch: float64(max(1, w.Batch)), cards: float64(max(1, w.Cards)),
		data: float64(max(1, w.Sharding.Data)), tensor: float64(max(1, w.Sharding.Tensor)),
		pipeline:   float64(max(1, w.Sharding.Pipeline)),
		embeddings: m.Embeddings(), head: m.Head(), linear: m.Linear(), quantised: w.format.Bits < 16,
	}
	if m.Experts > 0 {
		j.width = float64(m.ExpertsPerToken*m.ExpertIntermediate + m.SharedIntermediate)
	}
	if m.TiedEmbeddings && (p.UntiesHead || slices.Contains(p.UntiesFormats, w.format.ID)) {
		j.head = j.embeddings
		j.params += j.head
	}
	j.tokens = j.batch * float64(w.Context) / float64(max(1, w.Sharding.Sequence))
	j.shard = j.tensor * j.pipeline
	j.stored = j.weightBytes()
	return j
}

// familyOwner is the owner of the constants of a family of frameworks.
func (p *Profile) familyOwner() string {
	if p == nil || p.Family == "" {
		return ""
	}
	return "family " + p.Family
}

func (memory) family(c *Case) string { return c.Workload.profile.familyOwner() }

// constant is that of the framework, of its family, or of all.
func (j *job) constant(k Constants, name string) float64 {
	if v, ok := k[Constant{j.Framework, name}]; ok {
		return v
	}
	return k.Of(j.p.familyOwner(), name)
}

// queries is the width of the queries and of the attention's output.
func (j *job) queries() float64 {
	if q := j.heads * float64(j.m.HeadDim); q > 0 {
		return q
	}
	return j.hidden
}

// sequence is the tokens of a sequence that one card computes.
func (j *job) sequence() float64 { return j.tokens / j.batch }

// weightBytes are the bytes of all weights where they are stored in the format of
// the workload: its bits for the matrices of the layers, 16 for the rest unless
// the format says otherwise.
func (j *job) weightBytes() float64 {
	bytes := j.format.Bytes()
	if !j.format.Linear {
		return j.params * bytes
	}
	inFormat, rest, kept := j.split()
	return inFormat*bytes + rest*kept
}

// split tells the parameters that a format for the matrices of the layers applies to
// from the rest, and gives the bytes of each of the rest.
func (j *job) split() (inFormat, rest, kept float64) {
	fixed := j.m.fixedIn(j.format)
	if j.p.QuantizesHead {
		return j.linear + j.head - fixed, j.embeddings + fixed, 2
	}
	kept = 2
	if j.Task.Trains() {
		kept = j.p.kept()
	}
	return j.linear - fixed, j.embeddings + j.head + fixed, kept
}

// largest is the number of parameters of the largest matrix that is quantised.
func (j *job) largest() float64 {
	width := float64(j.m.Intermediate)
	if j.m.Experts > 0 {
		width = float64(j.m.ExpertIntermediate)
	}
	n := j.hidden * max(width, j.hidden)
	if j.p.QuantizesHead {
		n = max(n, j.head)
	}
	return n
}

// reading is what is counted.
func (j *job) reading() string {
	if j.Reading == "" {
		return readDriver
	}
	return j.Reading
}

// explainWeights explains the line of the weights, which n cards share.
func (j *job) explainWeights(l *ledger, n float64) {
	if !j.format.Linear {
		l.because("P · bits ÷ 8 ÷ n", j.format.Source, Input{"P", j.params, "parameters"},
			Input{"bits", j.format.Bits, "bits"}, Input{"n", n, "cards"})
		return
	}
	inFormat, rest, kept := j.split()
	l.because("(P_linear · bits ÷ 8 + P_rest · B) ÷ n", j.format.Source,
		Input{"P_linear", inFormat, "parameters"}, Input{"bits", j.format.Bits, "bits"},
		Input{"P_rest", rest, "parameters"}, Input{"B", kept, "bytes"}, Input{"n", n, "cards"})
}

// outside adds what is not in tensors, as far as it is counted.
func (j *job) outside(k Constants, l *ledger) {
	reading := j.reading()
	if reading == readHeld {
		return
	}
	if l.add("overhead", j.constant(k, "overhead")) {
		l.because("fitted", "work space of libraries and what the framework keeps",
			Input{"overhead", j.constant(k, "overhead"), "bytes"})
	}
	if reading == readAllocated {
		return
	}
	context, communication, graphs := k.Of("", "context"), 0.0, j.p.Graphs
	if j.cards > 1 && !j.Sharding.Layers {
		communication = k.Of("", "communication")
	}
	r := j.constant(k, "reserve")
	if j.Task.Trains() && j.isSharded() {
		r += k.Of("", "sharded reserve")
	}
	l.reserve = (l.dynamic - l.blocks) * (r - 1)
	if l.blocks > 0 {
		c := j.constant(k, "blocks")
		l.reserve += l.blocks * c
		if l.add("reserve", l.reserve) {
			l.because("(dynamic − logits) · (r − 1) + logits · c", sourceAllocator,
				Input{"dynamic", l.dynamic, "bytes"}, Input{"logits", l.blocks, "bytes"}, Input{"r", r, ""},
				Input{"c", c, ""})
		}
	} else if l.add("reserve", l.reserve) {
		l.because("dynamic · (r − 1)", sourceAllocator, Input{"dynamic", l.dynamic, "bytes"}, Input{"r", r, ""})
	}
	if reading == readReserved {
		return
	}
	if l.add("context", context) {
		l.because("fitted", sourceStas, Input{"context", context, "bytes"})
	}
	if l.add("communication", communication) {
		l.because("fitted", sourceStas, Input{"communication", communication, "bytes"})
	}
	if l.add("graphs", graphs) {
		l.because("documented", sourceProfile, Input{"graphs", graphs, "bytes"})
	}
}

// Memory estimates the memory of the fullest card. Nothing is estimated where a
// figure of the model is not known.
func (a *Estimator) Memory(w *Workload, c *Card) (Memory, bool) {
	q := a.fields[memoryQuantity(w)]
	if q == nil {
		return Memory{}, false
	}
	r, lines, e, ok := q.estimate(w, c, true, nil)
	if !ok {
		return Memory{}, false
	}
	if correction := r.Expected - e.Formula; correction != 0 {
		lines = append(lines, Line{Part: "correction", Value: correction, Formula: "formula · (e^g − 1)",
			Source: "measured cases",
			Inputs: []Input{{"formula", e.Formula, "bytes"}, {"g", math.Log(r.Expected / e.Formula), ""}}})
	}
	m := Memory{Lines: lines, PerCard: r, Usable: c.Usable, Evidence: e, Host: memory{}.host(w)}
	m.Verdict, m.Missing = q.fits(w, c, r), max(0, r.Expected-c.Usable)
	return m, true
}

// fits says whether a job that needs so much fits on a card. What the allocator
// keeps of freed blocks it gives back before it fails, so the low end counts
// without it. On cards without the units for 16-bit training, frameworks fall back
// to 32 bits here and there, so the high end counts activations twice.
func (q *field) fits(w *Workload, c *Card, need Range) Verdict {
	if m, ok := q.gauge.(memory); ok {
		if l := m.ledger(q.Constants, w, false); l.sum > 0 {
			need.Low *= 1 - l.reserve/l.sum
			if m.training && c.isBeforeAmpere() {
				need.High *= 1 + l.dynamic/l.sum
			}
		}
	}
	return VerdictOf(w, c, need)
}

// VerdictOf compares a need with the memory of a card.
func VerdictOf(w *Workload, c *Card, need Range) Verdict {
	v, _ := verdict(need, c.Usable)
	if v == Fits && slices.ContainsFunc(Refusals(w, c), func(r Refusal) bool {
		return r.Reason == "no_bf16" || r.Reason == "no_flash2"
	}) {
		return Borderline
	}
	return v
}

// verdict compares a need with what there is, and gives what is missing of the
// expected need.
func verdict(need Range, usable float64) (Verdict, float64) {
	missing := max(0, need.Expected-usable)
	switch {
	case need.Low > usable:
		return TooBig, missing
	case need.High > usable:
		return Borderline, missing
	}
	return Fits, missing
}

// Keys and coordinates of the points of memory.
const (
	mFramework = iota
	mModel
	mFormat
	mFormatOfModel
	mFamily
	mSetting
	mVersion
	mReading
	mKeys
)

const (
	mParameters = iota
	mTokens
	mCards
	mAxes
)

// point is where a job lies among the cases.
func (m memory) point(w *Workload, _ *Card) kriging.Point {
	x := w.Model
	f := w.Framework + " " + kindOf(w.Task)
	weights := ""
	if w.format != nil {
		weights = w.format.ID
	}
	base := "16"
	if w.format != nil && w.format.Bits < 16 {
		base = "q"
	}
	setting := f + " " + w.Checkpointing + " " + w.Attention
	if w.Cards > 1 {
		setting += " " + shardingKey(w.Sharding)
	}
	keys := make([]string, mKeys)
	keys[mFramework], keys[mModel], keys[mFormat] = f, f+" "+x.Shape(), f+" "+weights
	keys[mFormatOfModel], keys[mSetting] = f+" "+x.Shape()+" "+base, setting
	if w.profile != nil && w.profile.Family != "" {
		keys[mFamily] = w.profile.Family + " " + kindOf(w.Task)
	}
	if keys[mReading] = f + " " + cmp.Or(w.Reading, readDriver); w.Cards > 1 {
		keys[mReading] += " " + shardingKey(w.Sharding)
	}
	if w.Version != "" {
		keys[mVersion] = f + " " + w.Version
	}
	c := make([]float64, mAxes)
	c[mParameters], c[mCards] = math.Log(max(1, x.Parameters)), math.Log(float64(max(1, w.Cards)))
	c[mTokens] = math.Log(float64(max(1, w.Batch)) * float64(max(64, w.Context)))
	return kriging.Point{Keys: keys, Coordinates: c}
}

// kindOf is what a task has to do with others: a run of one kind says nothing of how
// frameworks do another.
func kindOf(t Task) string {
	switch t {
	case LoRA, QLoRA:
		return "adapters"
	case Full, Pretrain:
		return "all"
	}
	return string(t)
}

func shardingKey(s Sharding) string {
	switch {
	case s.Layers:
		return "layers"
	case s.Offload != "":
		return "offload"
	case s.Tensor > 1 || s.Pipeline > 1:
		return "model"
	case s.Stage >= 3:
		return "3"
	}
	return "data"
}

func (m memory) effects() []kriging.Effect {
	all := []kriging.Effect{
		{Name: "family of frameworks", Keys: []int{mFamily}, Deviation: 0.03},
		{Name: "framework", Keys: []int{mFramework}, Deviation: 0.05},
		{Name: "framework, model", Keys: []int{mModel}, Axes: []int{mTokens}, Lengths: []float64{2}, Deviation: 0.06},
		{Name: "framework, model, base", Keys: []int{mFormatOfModel}, Axes: []int{mTokens}, Lengths: []float64{1},
			Deviation: 0.02},
		{Name: "framework, version", Keys: []int{mVersion}, Deviation: 0.05},
	}
	if !m.training { // whose formula is nearer than what other models have in common with one
		return all
	}
	return append(all,
		kriging.Effect{Name: "framework, format", Keys: []int{mFormat}, Axes: []int{mParameters},
			Lengths: []float64{1.5}, Deviation: 0.05},
		kriging.Effect{Name: "framework, setting", Keys: []int{mSetting}, Axes: []int{mParameters, mCards},
			Lengths: []float64{2, 2}, Deviation: 0.05},
		kriging.Effect{Name: "framework, reading", Keys: []int{mReading}, Deviation: 0.05})
}

func (memory) same(a *Workload, _ *Card, b *Workload, _ *Card) bool {
	return a.Framework == b.Framework && a.Model.Shape() == b.Model.Shape() && a.Task == b.Task && a.format == b.format &&
		a.Batch == b.Batch && a.Context == b.Context &&
		a.Checkpointing == b.Checkpointing && a.Optimizer == b.Optimizer && a.Attention == b.Attention &&
		a.Rank == b.Rank && a.Targets == b.Targets &&
		a.TrainEmbeddings == b.TrainEmbeddings && a.DoRA == b.DoRA && a.FusedLoss == b.FusedLoss && a.Cards == b.Cards &&
		a.Sharding == b.Sharding && cmp.Or(a.Reading, readDriver) == cmp.Or(b.Reading, readDriver)
}

// noise is larger where sources round, and where sequences were as long as they came.
func (memory) noise(c *Case) float64 {
	switch {
	case strings.Contains(c.Note, "rounded"):
		return 3
	case strings.Contains(c.Note, "truncated to max_length"):
		return 4
	}
	return 1
}
