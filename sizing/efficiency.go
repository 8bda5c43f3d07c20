package sizing

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tianti/sizing/kriging"
	"tianti/sorting"
)

// What limits the speed of inference: the part of a step that takes longest.
const (
	LimitBandwidth     = "bandwidth"
	LimitCompute       = "compute"
	LimitLaunch        = "launch"
	LimitCommunication = "communication"
	LimitHost          = "host"
)

// rated is the estimate of a speed with what it rests on; false where a figure that
// it needs is not known.
func (a *Estimator) rated(q Quantity, basis string, w *Workload, c *Card) (Speed, bool) {
	f := a.fields[q]
	if f == nil {
		return Speed{}, false
	}
	r, lines, e, ok := f.estimate(w, c, true, nil)
	if !ok {
		return Speed{}, false
	}
	if e.Tier == Measured {
		r.hold(f.ran(w, c))
	}
	return Speed{Rate: r, Lines: lines, Evidence: e, Limit: Limit(lines), Basis: basis,
		Efficiency: r.Expected / f.ceiling(w, c)}, true
}

// exposed is the part of the time to launch kernels that the work of the card does not hide: a host launches ahead, so
// the slower of the two sets the pace; near where they are the same, some of both is seen.
func exposed(launch, busy float64) float64 {
	return math.Sqrt(math.Sqrt(busy*busy*busy*busy+launch*launch*launch*launch)) - busy
}

// hold widens an interval to what was measured of the same job: a page that calls it measured does not exclude it.
func (r *Range) hold(runs []*Case) {
	for _, c := range runs {
		r.Low, r.High = min(r.Low, c.Measured), max(r.High, c.Measured)
	}
}

// limitOf says what each part of the time of a step is spent on.
var limitOf = map[string]string{
	"weights": LimitBandwidth, "kv": LimitBandwidth,
	"dequantisation": LimitCompute, "matrices": LimitCompute, "attention": LimitCompute, "prompt": LimitCompute,
	"head": LimitCompute, "recomputation": LimitCompute, "elementwise": LimitBandwidth, "optimizer": LimitBandwidth,
	"launch": LimitLaunch, "overhead": LimitLaunch,
	"training": LimitCompute, "forward": LimitCompute, "text_encoders": LimitCompute, "vae_decode": LimitCompute,
	"rollouts": LimitBandwidth, "card": LimitBandwidth, "host_read": LimitHost,
	"communication": LimitCommunication, "stages": LimitCommunication, "offload": LimitCommunication,
	"bubble": LimitCommunication, "scaling": LimitCommunication,
}

// Limit is what takes most of the time in lines of seconds; empty without lines.
func Limit(lines []Line) string {
	sums, most := map[string]float64{}, ""
	for _, l := range lines {
		limit := limitOf[l.Part]
		sums[limit] += l.Value
		if most == "" || sums[limit] > sums[most] {
			most = limit
		}
	}
	return most
}

// below is a speed under a bound that nothing exceeds: v itself well below it, and nearer
// to it the larger v is, so that of two jobs the faster one stays the faster.
func below(bound, v float64) float64 {
	const sharp = 16
	return v / math.Pow(1+math.Pow(v/bound, sharp), 1.0/sharp)
}

// A division says how the cards of a job of inference share its work.
type division struct {
	replicas float64 // groups of cards that answer different requests
	tensor   float64 // cards that share each layer
	stages   float64 // groups that hold layers one after another
}

// divisionOf takes what is not given from what the framework does by itself.
func divisionOf(w *Workload) division {
	s := &w.Sharding
	d := division{float64(max(1, s.Data)), float64(max(1, s.Tensor)), float64(max(1, s.Pipeline))}
	if n := float64(w.Cards); n > 1 && d.replicas*d.tensor*d.stages == 1 {
		if s.Layers || slices.Contains(w.profile.Sharding, "layers") {
			d.stages = n
		} else {
			d.tensor = n
		}
	}
	return d
}

// split is the kind of division that cases are compared by.
func (d division) split() string {
	switch {
	case d.tensor > 1:
		return "tensor"
	case d.stages > 1:
		return "layers"
	}
	return "one"
}

// readBytes are the bytes of weights that a step of so many tokens reads: of the
// parameters that the tokens pass through, without the table of embeddings, of which
// it reads one row a token. A tied table is the output projection as well. What the
// format in which a model was published leaves in 16 bits is read as such.
func readBytes(w *Workload, tokens float64) float64 {
	m := w.Model
	if !w.format.Linear {
		return (activeLinear(m, tokens)*w.bits.layers + m.Embeddings()*w.bits.head) / 8
	}
	kept := 2.0
	if w.format.Bits > 16 {
		kept = w.format.Bytes()
	}
	head := kept
	if w.profile.QuantizesHead {
		head = w.format.Bytes()
	}
	linear := activeLinear(m, tokens)
	fixed := min(linear, m.fixedIn(w.format))
	return (linear-fixed)*w.format.Bytes() + fixed*kept + m.Embeddings()*head
}

// activeLinear is the number of parameters in the matrices of the layers that a
// batch of tokens reads.
func activeLinear(m *Model, tokens float64) float64 {
	return max(0, m.ActiveAt(tokens)-m.Embeddings()-m.Head())
}

// matrixRate is the rate of 16-bit matrix products with 16-bit sums: half that of
// INT8 on the matrix units of all makers (NVIDIA, "Ada GPU Architecture", appendix
// A), more than the figure with 32-bit sums on GeForce cards. Cards without matrix
// units have their vector rate.
func matrixRate(c *Card) float64 { return max(c.FP16, c.BF16, c.INT8/2, c.FP32) }

// vectorRate is the FP32 rate of the vector units. Where no source states it, it is
// taken to be a sixteenth of the matrix rate, as on most cards for data centres: a
// card must not come out faster for what its maker does not publish.
func vectorRate(c *Card) float64 {
	if c.FP32 > 0 {
		return c.FP32
	}
	return matrixRate(c) / 16
}

// backends that makers of cards have for themselves.
var backends = map[string]string{"NVIDIA": "cuda", "AMD": "rocm", "Apple": "metal", "Intel": "sycl"}

func backendOf(w *Workload, c *Card) string {
	if w.Backend != "" {
		return w.Backend
	}
	if b, ok := backends[c.Vendor]; ok {
		return b
	}
	return c.Vendor
}

// ownedBy names the constants of a framework on Apple's GPUs, for which its kernels are written anew; empty elsewhere.
// ROCm compiles those of CUDA. Those of Vulkan run on cards of all makers: with constants of their own they were off by
// 23 % with a card held back, with the framework's by 11. Hardware that engines were ported to is left to the effect of
// its backend, which all engines there share.
func ownedBy(w *Workload, c *Card) string {
	if backendOf(w, c) == "metal" {
		return w.Framework + " on metal"
	}
	if name := generation(w); name != "vllm v0" && backends[c.Vendor] != "" {
		return name
	}
	return ""
}

// owner is whose constants of speed hold for a job on a card: those of the framework there, or of the framework.
func (k Constants) owner(w *Workload, c *Card) string {
	if name := ownedBy(w, c); name != "" && k.has(name) {
		return name
	}
	return w.Framework
}

// backendNamed is the backend that the name of a framework in a table mentions.
func backendNamed(framework string) string {
	for _, word := range strings.Fields(strings.ToLower(framework)) {
		if slices.Contains([]string{"cuda", "rocm", "vulkan", "metal", "sycl"}, word) {
			return word
		}
	}
	return ""
}

// series is a model's name up to its size: "qwen2.5" of "qwen2.5-7b-instruct". Its
// models have the same layers, and a framework gets the same kernels for them.
func series(id string) string {
	for i := 1; i+1 < len(id); i++ {
		if id[i-1] == '-' && id[i] >= '0' && id[i] <= '9' {
			for j := i; j < len(id) && id[j] != '-'; j++ {
				if id[j] == 'b' || id[j] == 'm' {
					return id[:i-1]
				}
			}
		}
	}
	return id
}

// Effects that are held, see holder: those of a framework are fitted by its own constants, and most makers' cards have
// been measured with
// few engines or none. With the constants that all share, the median speeds of engines made
// for inference are up to a third from the formula; with an engine ported to other
// hardware (vLLM on Ascend) it has been from half to an eighth of what the figures promise.
const (
	effectBackend   = "backend"
	effectFramework = "framework"
)

func heldEffect(name string) bool {
	return name == effectBackend || name == effectFramework
}

// Keys and coordinates of the points of both speeds.
const (
	keyFramework = iota
	keyEngine    // framework whose kernels run
	keyBackend
	keyCard
	keyArchitecture
	keyMatrix // whether a rate of matrix units is known
	keyHBM
	keyFormat
	keyModel
	keySeries
	keySplit
	keyExperts
	keyGeneration // of an engine's core, in serving
	keyChip       // see [chipOf]
	keys
)

const (
	axisBytes = iota // of weights that a token reads
	axisStep         // seconds that a layer's weights take at the bandwidth
	axisRatio        // operations per byte of a card
	axisPrompt
	axisMatrix // matrix rate over vector rate
	axes
)

// speedPoint places a job of inference among the cases. Coordinates are logarithms.
func speedPoint(w *Workload, c *Card) kriging.Point {
	d := divisionOf(w)
	p := kriging.Point{Keys: make([]string, keys), Coordinates: make([]float64, axes)}
	k, x := p.Keys, p.Coordinates
	k[keyFramework], k[keyBackend], k[keyCard], k[keyArchitecture] = w.Framework, backendOf(w, c), c.ID, c.Architecture
	k[keyEngine] = cmp.Or(w.profile.Engine, w.Framework)
	k[keyMatrix], k[keyHBM], k[keyExperts] = "vector", "other", "dense"
	if matrixRate(c) > 1.2*vectorRate(c) {
		k[keyMatrix] = "matrix"
	}
	if c.stacked() {
		k[keyHBM] = "stacked"
	}
	k[keyChip] = chipOf(c)
	if w.Model.Experts > 0 {
		k[keyExperts] = "experts"
	}
	k[keyFormat], k[keyModel], k[keySeries] = w.format.ID, w.Model.Shape(), series(w.Model.Shape())
	k[keySplit] = d.split()
	x[axisBytes] = math.Log(readBytes(w, 1))
	x[axisStep] = x[axisBytes] - math.Log(float64(w.Model.Layers)*c.reads())
	x[axisRatio] = math.Log(vectorRate(c) / c.reads())
	x[axisMatrix] = math.Log(matrixRate(c) / vectorRate(c))
	x[axisPrompt] = math.Log(promptTokens(w))
	return p
}

// meanPosition is the mean length of the sequence while it is generated: from the
// prompt to the whole context.
func meanPosition(w *Workload) float64 { return float64(w.Context+w.Prompt) / 2 }

// promptTokens is the length of a prompt that is read: all of the context where no
// part of it is said to be generated.
func promptTokens(w *Workload) float64 {
	if w.Prompt > 0 {
		return float64(w.Prompt)
	}
	return float64(max(1, w.Context))
}

// known reports whether a job and a card have what the formulas of speed need.
func known(w *Workload, c *Card) bool {
	return c != nil && c.Bandwidth > 0 && matrixRate(c) > 0 &&
		w.Model != nil && w.Model.Layers > 0 && w.Model.Hidden > 0 && w.format != nil &&
		w.cache != nil && w.profile != nil
}

// alike reports whether two jobs of inference are the same but for noise.
func alike(a *Workload, ac *Card, b *Workload, bc *Card) bool {
	near := func(a, b int) bool { return math.Abs(math.Log((float64(a)+64)/(float64(b)+64))) < 0.35 }
	return a.Model.Shape() == b.Model.Shape() && a.Framework == b.Framework && a.format.ID == b.format.ID &&
		ac.ID == bc.ID &&
		backendOf(a, ac) == backendOf(b, bc) && max(1, a.Cards) == max(1, b.Cards) && divisionOf(a) == divisionOf(b) &&
		max(1, a.Batch) == max(1, b.Batch) && near(a.Context, b.Context) && near(a.Prompt, b.Prompt)
}

// speedNoise is how much rougher a case is than a run by somebody who wrote down
// all of it: uploads by strangers differ by a fifth among themselves for the same
// model, format, framework and card; collections over many releases of a driver
// (Vulkan), and engines ported to hardware that they were not made for, stand between.
func speedNoise(c *Case) float64 {
	switch {
	case !c.Trusted:
		return 6
	case c.Workload.Backend == "vulkan", c.Card != nil && backends[c.Card.Vendor] == "":
		return 3
	}
	return 1
}

// mostCases is how many cases a speed's field holds at most: conditioning takes
// their third power, an estimate their number.
const mostCases = 700

// A likeness is a group of cases that are alike but for who measured them.
type likeness struct {
	name  string
	cases []likeCase
	turn  int // of its framework's groups
}

type likeCase struct {
	*Case
	residual float64
}

// representative takes the trusted cases, and from the others the median of each
// group of alike ones: those of frameworks without trusted cases first, in turn,
// of cards without them and of many uploads before others. It leaves out what
// differs threefold from the median of its framework, and what is faster than its
// card allows: other settings than stated, such as layers left on the host, tokens
// guessed ahead, or weights of fewer bits.
func representative(g gauge, k Constants, cases []*Case) []*Case {
	var out []*Case
	frameworks, cards := map[string]bool{}, map[string]bool{}
	others := map[string][]likeCase{}
	for _, c := range cases {
		if c.Trusted {
			out = append(out, c)
			frameworks[c.Workload.Framework], cards[c.Card.ID] = true, true
		} else if r, ok := residual(g, k, c); ok && !strings.Contains(c.Note, "speculative") &&
			!strings.Contains(c.Note, "slow path") && possible(g, k, c) {
			others[c.Workload.Framework] = append(others[c.Workload.Framework], likeCase{c, r})
		}
	}
	var groups []*likeness
	for _, framework := range slices.Sorted(maps.Keys(others)) {
		own := groupsOf(others[framework])
		slices.SortFunc(own, func(a, b *likeness) int {
			strange := func(l *likeness) int {
				if cards[l.cases[0].Card.ID] {
					return 0
				}
				return 1
			}
			return cmp.Or(cmp.Compare(strange(b), strange(a)), cmp.Compare(len(b.cases), len(a.cases)),
				cmp.Compare(a.name, b.name))
		})
		for i, x := range own {
			x.turn = i
			if frameworks[framework] {
				x.turn = 3 * i // a third as many as of a framework that has nothing else
			}
		}
		groups = append(groups, own...)
	}
	slices.SortStableFunc(groups, func(a, b *likeness) int { return cmp.Compare(a.turn, b.turn) })
	for _, x := range groups[:max(0, min(len(groups), mostCases-len(out)))] {
		out = append(out, x.cases[len(x.cases)/2].Case)
	}
	return out
}

// possible reports whether a run is no faster than its card allows.
func possible(g gauge, k Constants, c *Case) bool {
	b, ok := g.(bounded)
	return !ok || c.Measured <= b.bound(k, &c.Workload, c.Card)
}

// groupsOf gathers alike cases of one framework, ordered by residual.
func groupsOf(cases []likeCase) []*likeness {
	sorting.Func(cases, func(a, b likeCase) int {
		return cmp.Or(cmp.Compare(a.residual, b.residual), cmp.Compare(a.ID, b.ID))
	})
	median := cases[len(cases)/2].residual
	byName := map[string]*likeness{}
	var out []*likeness
	for _, c := range cases {
		if math.Abs(c.residual-median) > math.Log(3) {
			continue
		}
		w := &c.Workload
		length := int(math.Log2(1 + meanPosition(w)))
		name := fmt.Sprint(w.Model.Shape(), w.format.ID, c.Card.ID, w.Backend, divisionOf(w), w.Batch, length)
		x := byName[name]
		if x == nil {
			x = &likeness{name: name}
			byName[name] = x
			out = append(out, x)
		}
		x.cases = append(x.cases, c)
	}
	return out
}
