package sizing

import (
	"math"
	"strconv"
	"strings"

	"tianti/sizing/kriging"
)

// The mean lengths of a request where nobody says: an assumption, not a measurement. The
// requests of AccelMark (ShareGPT) are of 256 and 340 tokens, those of summaries and documents of
// thousands and some hundreds; see docs/adr/0027-serving.md.
const (
	DefaultPrompt = 1024
	DefaultOutput = 256
)

// The quantities of serving. A case of [Serve] measures one of them.
const (
	ServeSpeed Quantity = "serve" // output tokens per second of all cards
	ServeTPOT  Quantity = "tpot"  // seconds per output token of a request after its first, median over requests
	ServeTTFT  Quantity = "ttft"  // seconds from sending a request to its first token, median over requests
)

// serves reports whether a quantity is one of serving.
func (q Quantity) serves() bool { return q == ServeSpeed || q == ServeTPOT || q == ServeTTFT }

// serveGauge estimates how an engine with continuous batching answers many requests
// (G.-I. Yu et al., "Orca", OSDI 2022; W. Kwon et al., arXiv 2309.06180).
//
// A step makes one token for each request in flight: it reads the weights once and the keys and
// values of each request, multiplies the batch, launches kernels, adds up over cards, and
// the host schedules, samples and writes text. Prompts are read between or within steps and delay
// them. Requests in flight are what arrives times how long it stays (J. D. C. Little, "A Proof
// for the Queuing Formula: L = λW", 1961), and no more than fit in the memory that weights leave.
// The three quantities have the same formula and the same constants, see [joint]; each has its own correction.
type serveGauge struct{ quantity Quantity }

func (serveGauge) bounds() []Bound {
	return []Bound{
		// share of the bandwidth reached on weights
		{Name: "bandwidth", Start: 0.8, Low: 0.5, High: 0.95, Each: true},
		{Name: "cache bandwidth", Start: 0.75, Low: 0.2, High: 0.95, Each: true}, // and on keys and values
		// share of the matrix rate, of a batch
		{Name: "matrix", Start: 0.7, Low: 0.2, High: 0.95, Each: true},
		{Name: "prompt rate", Start: 0.5, Low: 0.15, High: 0.9, Each: true}, // and of a prompt
		// times that inputs and outputs of the products of chosen experts are moved: tokens are sorted and copied for
		// them, and tiles of few tokens are not full
		{Name: "experts", Start: 10, Low: 1, High: 80, Each: true, Log: true},
		// the same in attention over a long prompt
		{Name: "attention rate", Start: 0.3, Low: 0.05, High: 0.8},
		// bytes moved to unpack a weight of fewer than 8 bits for a batch
		{Name: "unpacking", Start: 2, Low: 0, High: 8, Each: true},
		{Name: "launch", Start: 15e-6, Low: 1e-6, High: 1000e-6, Each: true, Log: true}, // seconds a layer
		// the same of a layer whose kernels are launched one by one: what the host takes, whatever the card does
		{Name: "eager", Start: 300e-6, Low: 20e-6, High: 2000e-6, Each: true, Log: true},
		{Name: "host step", Start: 2.5e-3, Low: 100e-6, High: 10e-3, Each: true, Log: true}, // seconds a step
		// seconds a request and step
		{Name: "host token", Start: 40e-6, Low: 1e-6, High: 600e-6, Each: true, Log: true},
		// more of it where text is sent to users as it is written
		{Name: "streaming", Start: 80e-6, Low: 1e-6, High: 600e-6, Each: true, Log: true},
		{Name: "admission", Start: 5e-3, Low: 0.5e-3, High: 60e-3, Each: true, Log: true}, // seconds a request
		{Name: "all-reduce", Start: 15e-6, Low: 2e-6, High: 200e-6, Log: true},            // seconds each
		// share of the rate between cards
		{Name: "link", Start: 0.5, Low: 0.1, High: 1},
		// from one card to the next
		{Name: "stage", Start: 300e-6, Low: 10e-6, High: 3000e-6, Log: true},
		// of a step, lost for a prompt
		{Name: "separate", Start: 0.5, Low: 0, High: 1.5, Each: true},
		// steps until a prompt is taken up
		{Name: "waiting", Start: 0.7, Low: 0, High: 3, Each: true},
		// longest ÷ mean output of a burst
		{Name: "tail", Start: 1.3, Low: 1, High: 2},
		// bytes beside weights and cache
		{Name: "reserve", Start: 1e9, Low: 0, High: 4e9, Each: true},
		// seconds of a card for each that the same figures take where engines were written for it; see [ported]
		{Name: "port", Start: 1.5, Low: 1, High: 6, Each: true, Log: true},
		// share of the requests of a benchmark with equally long answers that begin and end together
		{Name: "waves", Start: 0.5, Low: 0, High: 1},
	}
}

// requests of one replica in flight at once that a step is worked out for at most.
const mostInFlight = 1 << 15

// A service is one replica of an engine on its cards: what a step costs as a function of the
// requests in it.
type service struct {
	division
	w *Workload

	prompt, output float64 // tokens of a request
	position       float64 // mean length of a request while it is generated
	moe            bool    // the weights that a step reads depend on its tokens

	weights           float64 // seconds to read those of one token
	expert            float64 // seconds to read all of them, where experts are chosen
	left, leaves      float64 // share of the experts that a token does not choose, and its logarithm
	unpack            float64 // seconds to unpack them for a batch
	multiply, prefill float64 // seconds of a token in the matrices, of a batch and of a prompt
	dense             float64 // seconds of prefill in what is no expert
	single            float64 // seconds that a prompt alone takes from the steps of the others
	attend            float64 // seconds of a prompt in attention
	routed            float64 // seconds of a token to and from the experts that it is sent to
	cached, reduced   float64 // seconds of a request and step: keys and values; moved between cards
	fixed, token      float64 // seconds of a step; of a request and step on the host
	admission         float64
	separate, wait    float64
	captured, eager   float64 // tokens of a step that are one graph at most; seconds of one whose kernels are not
	host              float64 // seconds of a step on the host
	apart             bool    // each card attends to requests of its own, see [Sharding]
	tail, waves       float64
	room, most        float64 // bytes for keys and values of all cards of the replica; requests at once
	sequences, budget float64 // requests, and tokens of a step, that the engine is set to at most
	crowded           bool    // most is what room holds, and not what the engine is set to
	planned           bool    // the engine is told to run no more at once than is best, see [service.best]

	// see [Tuning]
	skip             float64 // tokens of a prompt that are not read
	work, yield      float64 // tokens computed, and written, for a request in a step
	draft            float64 // seconds of a step
	whole, elsewhere bool    // prompts are read between steps, or not here
}

func serviceOf(k Constants, w *Workload, c *Card) service {
	m, f := w.Model, w.Framework
	for _, name := range [2]string{generation(w), coreOf(w, c)} {
		if name != "" && k.has(name) {
			f = name
		}
	}
	s := service{division: divisionOf(w), w: w, moe: m.Experts > 0, work: 1, yield: 1}
	s.prompt, s.output = float64(max(1, w.Prompt)), float64(max(1, w.Output))
	s.position = s.prompt + s.output/2
	layers, links := float64(m.Layers), s.tensor > 1
	bandwidth, rate := c.reads()*s.tensor, serveRate(w, c)*s.tensor
	s.apart = w.Sharding.AttentionData && s.moe && s.tensor > 1
	slow := 1.0
	if ported(w, c) {
		slow = k.Of(f, "port")
		bandwidth, rate = bandwidth/slow, rate/slow
	}
	s.weights = readBytes(w, 1) / (bandwidth * k.Of(f, "bandwidth"))
	if s.moe {
		s.expert = readBytes(w, mostInFlight) / (bandwidth * k.Of(f, "bandwidth"))
		s.left = 1 - float64(m.ExpertsPerToken)/float64(m.Experts)
		s.leaves = math.Log(s.left)
	}
	if s.apart { // all cards hold and read what is no expert
		e, chosen := float64(m.Experts), float64(m.ExpertsPerToken)
		part := (s.expert - s.weights) * chosen / (e - chosen)
		more := (s.tensor - 1) * (s.weights - part)
		s.weights, s.expert = s.weights+more, s.expert+more
	}
	if w.format.Bits < 8 && !microscaled(w.format) && !multiplies(w, c) {
		s.unpack = m.Linear() * k.Of(f, "unpacking") / bandwidth
	}
	work := 2 * m.computed()
	s.routed = k.Of(f, "experts") * m.routedValues() * valueBytes(w, c) / bandwidth
	s.multiply = work / (rate * k.Of(f, "matrix"))
	s.prefill = work / (rate * k.Of(f, "prompt rate"))
	s.dense = 2 * max(0, m.computed()-m.chosen()) / (rate * k.Of(f, "prompt rate"))
	scores := layers * m.lookBack(s.prompt/2) * float64(m.Heads*m.HeadDim)
	s.attend = 4 * scores * s.prompt / (matrix16(c) / slow * s.tensor * k.Of(f, "attention rate"))
	kv := min(s.tensor, max(1, float64(m.KVHeads)))
	if m.KVLoRARank > 0 {
		kv = 1
	}
	if s.apart {
		kv = s.tensor
	}
	kept := m.KVBytes(s.position, w.cache.Bytes()) + m.StateBytes
	s.cached = kept * slow / (c.reads() * kv * k.Of(f, "cache bandwidth"))
	s.captured, s.eager = captured(w, c), layers*k.Of(f, "eager")
	s.host = k.Of(f, "host step")
	s.fixed = layers*slow*k.Of(f, "launch") + (s.stages-1)*k.Of(f, "stage")
	if links {
		s.fixed += 2 * layers * k.Of(f, "all-reduce")
		if link := linkRate(c, s.tensor); link > 0 {
			s.reduced = 2 * layers * float64(m.Hidden) * 4 * (s.tensor - 1) / s.tensor / (link * k.Of(f, "link"))
			if s.apart { // tokens are sent to the experts and back once, where two sums over cards are each both
				s.reduced /= 2
			}
		}
	}
	s.token, s.admission = k.Of(f, "host token"), k.Of(f, "admission")
	s.separate, s.wait, s.tail = k.Of(f, "separate"), k.Of(f, "waiting"), k.Of(f, "tail")
	if w.EqualLengths {
		s.tail, s.waves = 1, k.Of(f, "waves")
	}
	if w.Requests == 0 {
		s.token += k.Of(f, "streaming")
	}
	if s.apart { // each card has a scheduler for its requests
		s.token /= s.tensor
	}
	if s.sequences, s.budget = engineLimits(w, c); s.apart { // each card has its own; SGLang divides its own among them
		if s.captured *= s.tensor; w.Framework != "sglang" {
			s.budget *= s.tensor
		}
	}
	s.room = cacheRoom(w, c, k.Of(f, "reserve"), s.budget)
	s.settle()
	return s
}

// matrix16 is the rate of 16-bit products with 32-bit sums, in which engines for serving compute.
func matrix16(c *Card) float64 {
	rate, _ := c.Rate("bf16")
	return rate
}

// microscaled reports whether the kernels of a format unpack weights in registers while they multiply, so that
// nothing is moved for it: those that engines have for blocks of 16 or 32 weights with a scale of 8 bits
// (vLLM, quantization/mxfp4 and nvfp4: Marlin and triton_kernels where a card has no such products).
func microscaled(f *Format) bool { return f.ID == "mxfp4" || f.ID == "nvfp4" }

// multiplies reports whether a card multiplies the weights in the format in which they are stored.
func multiplies(w *Workload, c *Card) bool {
	switch w.Compute {
	case "fp8", "mxfp8":
		return c.FP8 > 0
	case "int8":
		return c.INT8 > 0
	case "nvfp4", "mxfp4", "fp4":
		return c.FP4 > 0
	}
	return false
}

// valueBytes are the bytes of a value that goes into a product and comes from it.
func valueBytes(w *Workload, c *Card) float64 {
	switch {
	case !multiplies(w, c):
		return 2
	case w.Compute == "fp8" || w.Compute == "mxfp8" || w.Compute == "int8":
		return 1
	}
	return 0.5
}

// serveRate is the rate of the matrix units in the format of arithmetic where the card has it.
func serveRate(w *Workload, c *Card) float64 {
	if multiplies(w, c) {
		rate, _ := c.Rate(w.Compute)
		return rate
	}
	return matrix16(c)
}

// read is the seconds to read the weights that a step of so many tokens passes through.
func (s *service) read(tokens float64) float64 {
	if !s.moe || tokens <= 1 {
		return s.weights
	}
	touched := (s.left - math.Exp(tokens*s.leaves)) / s.left // of the experts beyond those of one token
	return s.weights + (s.expert-s.weights)*touched
}

// step is the seconds of one step of b requests; each of several stages works on its part of them, and its host does
// what it does for each part.
func (s *service) step(b float64) float64 {
	x := b / s.stages
	tokens := x * s.work
	return s.launched(s.busy(x), tokens) + s.draft + s.stages*(s.host+s.token*s.fullest(x))
}

// busy is how long a card works for a step of so many requests.
func (s *service) busy(x float64) float64 {
	tokens := x * s.work
	return max(s.read(tokens)+s.unpackFor(tokens), s.multiply*tokens) + s.fixed +
		s.cached*s.fullest(x) + (s.reduced+s.routed)*tokens
}

// unpackFor grows with the tokens that a matrix multiplies: few are multiplied while the weights are
// unpacked. Of experts it is those that the tokens touch, each with its share of them.
func (s *service) unpackFor(tokens float64) float64 {
	if s.unpack == 0 || !s.moe {
		return s.unpack * tokens / (tokens + 16)
	}
	m := s.w.Model
	each := tokens * float64(m.ExpertsPerToken) / float64(m.Experts)
	return s.unpack * s.read(tokens) / s.expert * each / (each + 16)
}

// pass is the seconds to read one prompt alone, with the first token.
func (s *service) pass(prompt float64) float64 {
	card := s.readOf(1, prompt)
	if s.captured == 0 {
		card = max(card, s.eager)
	}
	return card + s.host
}

// delay is what reading a prompt takes from the steps of the others, of whom so many are in flight.
func (s *service) delay(inFlight float64) float64 {
	if s.apart {
		return s.delayOf(s.abreast(inFlight))
	}
	return s.single
}

// delayOf is the same of each of n prompts that are read in one pass.
func (s *service) delayOf(n float64) float64 {
	if s.elsewhere {
		return 0
	}
	base := s.launched(s.read(1)+s.fixed, 1) + s.host
	pass := s.readOf(n, s.prompt-s.skip)
	if s.captured == 0 {
		pass = max(pass, s.eager)
	}
	pass += s.host
	return (max(0, pass-base) + s.separate*base) / n / s.stages
}

// together is how many prompts an engine reads in one pass while so many requests wait: as many as
// have the tokens that it computes at once.
func (s *service) together(waiting float64) float64 {
	return max(1, min(waiting, s.budget/max(1, s.prompt-s.skip)))
}

// usualPass is how many tokens an engine computes in one pass where its profile does not say
// (vLLM, max_num_batched_tokens).
const usualPass = 2048

// steps is how many steps write one answer.
func (s *service) steps() float64 { return s.output / s.yield }

// rate is the requests per second that one replica completes with b in flight.
func (s *service) rate(b float64) float64 {
	return b / (s.steps()*s.step(b) + b*s.delay(b))
}

func (g serveGauge) formula(k Constants, w *Workload, c *Card, explain bool) (float64, []Line) {
	if w.Task != Serve || !known(w, c) || matrix16(c) <= 0 || c.Usable <= 0 {
		return 0, nil
	}
	s := serviceOf(k, w, c)
	if s.most < 1 { // not even one request fits
		return 0, nil
	}
	l := s.under()
	value := map[Quantity]float64{ServeSpeed: l.tokens, ServeTPOT: l.tpot, ServeTTFT: l.ttft}[g.quantity]
	if !explain {
		return value, nil
	}
	return value, s.lines(&l, g.quantity)
}

func (serveGauge) point(w *Workload, c *Card) kriging.Point {
	p := speedPoint(w, c)
	if w.Compute != "" && w.Compute == w.Weights {
		p.Keys[keyFormat] += " products"
	}
	p.Keys[keyGeneration] = generation(w)
	if w.Sharding.AttentionData {
		p.Keys[keySplit] = "attention data"
	}
	return p
}

func (g serveGauge) same(a *Workload, ac *Card, b *Workload, bc *Card) bool {
	near := func(a, b float64) bool { return a == b || a > 0 && b > 0 && math.Abs(math.Log(a/b)) < 0.05 }
	return alike(a, ac, b, bc) && a.Sharding.AttentionData == b.Sharding.AttentionData &&
		near(float64(a.Output), float64(b.Output)) && near(a.RateRPS, b.RateRPS) &&
		near(float64(a.Requests), float64(b.Requests)) && near(float64(a.Concurrency), float64(b.Concurrency))
}

// noise: where weights take most of the memory, gigabytes that engines keep for themselves decide how many requests
// fit, and with them how fast all is.
func (serveGauge) noise(c *Case) float64 {
	if w := &c.Workload; c.Card != nil && w.Model != nil && w.format != nil && w.profile != nil {
		d := divisionOf(w)
		if jobOf(w).stored > mostlyWeights*d.tensor*d.stages*c.Card.Usable {
			return 3 * speedNoise(c)
		}
	}
	return speedNoise(c)
}

// mostlyWeights is the share of a replica's memory from which weights leave little for requests.
const mostlyWeights = 0.75

func (serveGauge) generation(c *Case) string { return coreOf(&c.Workload, c.Card) }

func (serveGauge) together() []Quantity { return []Quantity{ServeSpeed, ServeTPOT, ServeTTFT} }

func (serveGauge) foretells() bool { return true }

func (serveGauge) holds(effect string) bool { return heldEffect(effect) }

// shortest, see [smooth]: in throughput, cards whose operations per byte differ by less than a factor of e are near.
func (g serveGauge) shortest() float64 {
	if g.quantity == ServeSpeed {
		return 1
	}
	return 0
}

// effects are the same for any load: what that costs is left to the formula, so that no correction
// turns it round.
func (g serveGauge) effects() []kriging.Effect {
	card := keyCard
	if g.quantity == ServeSpeed { // a run tells of all cards with its chip; times of one request are also the host's
		card = keyChip
	}
	return []kriging.Effect{
		{Name: effectBackend, Keys: []int{keyBackend}, Deviation: 0.35},
		{Name: effectFramework, Keys: []int{keyFramework, keyBackend}, Deviation: 0.2},
		{Name: "card", Keys: []int{card}, Deviation: 0.05},
		{Name: "framework, card", Keys: []int{keyFramework, card}, Deviation: 0.1},
		{Name: "framework, architecture", Keys: []int{keyFramework, keyBackend, keyArchitecture}, Deviation: 0.1},
		{Name: "generation", Keys: []int{keyGeneration}, Deviation: 0.15},
		{Name: "framework, format", Keys: []int{keyFramework, keyFormat}, Deviation: 0.1},
		{Name: "format, architecture", Keys: []int{keyFramework, keyFormat, keyArchitecture}, Deviation: 0.1},
		{Name: "framework, figures", Keys: []int{keyFramework, keyBackend}, Axes: []int{axisStep, axisRatio},
			Lengths: []float64{2, 1}, Deviation: 0.2},
		{Name: "framework, series", Keys: []int{keyFramework, keySeries}, Deviation: 0.08},
		{Name: "split", Keys: []int{keyFramework, keySplit, keyModel}, Deviation: 0.1},
		{Name: "same job", Keys: []int{keyFramework, keyModel, keyFormat, card}, Deviation: 0.08},
	}
}

// bound is the speed at which the largest batch reads its weights, keys and values at the card's
// bandwidth, and all tokens are multiplied at its rate. Times have none.
func (g serveGauge) bound(_ Constants, w *Workload, c *Card) float64 {
	if g.quantity != ServeSpeed {
		return 0
	}
	ideal := serviceOf(idealConstants, w, c)
	l := ideal.under()
	return l.tokens
}

// least is the time below which no card goes: weights read at its bandwidth, a prompt multiplied at its rate.
func (g serveGauge) least(w *Workload, c *Card) float64 {
	ideal := serviceOf(idealConstants, w, c)
	return ideal.leastOf(g.quantity)
}

// leastOf is the time of an engine that loses nothing.
func (s *service) leastOf(q Quantity) float64 {
	if q == ServeTTFT {
		return s.pass(s.prompt)
	}
	return s.read(1)
}

// idealConstants are those of an engine that loses nothing.
var idealConstants = Constants{{"", "bandwidth"}: 1, {"", "cache bandwidth"}: 1, {"", "matrix"}: 1,
	{"", "prompt rate"}:    1,
	{"", "attention rate"}: 1, {"", "experts"}: 1, {"", "unpacking"}: 0, {"", "launch"}: 0, {"", "host step"}: 0,
	{"", "host token"}: 0,
	{"", "streaming"}:  0,
	{"", "admission"}:  0, {"", "all-reduce"}: 0, {"", "link"}: 1, {"", "stage"}: 0, {"", "separate"}: 0,
	{"", "waiting"}: 0, {"", "waves"}: 0, {"", "port"}: 1, {"", "tail"}: 1, {"", "reserve"}: 0,
	{"", "eager"}: 0}

// generation is the core of an engine whose releases differ more than engines do: vLLM has had a new one
// from 0.8 on (vllm-project/vllm docs/usage/v1_guide.md), in which the host works while the card does, and no other
// from 0.11 on, so that who names no release has it.
func generation(w *Workload) string {
	if w.Framework != "vllm" {
		return ""
	}
	if rest, ok := strings.CutPrefix(w.Version, "0."); ok {
		minor, _, _ := strings.Cut(rest, ".")
		if n, err := strconv.Atoi(minor); err == nil && n < 8 {
			return "vllm v0"
		}
	}
	return "vllm v1"
}

// onKernels stands between an engine's core and the hardware that it has kernels of its own for.
const onKernels = " on "

// coreOf is the generation of an engine with the kernels that it has on a card: those of other makers' cards are others
// than CUDA's.
func coreOf(w *Workload, c *Card) string {
	name := generation(w)
	if b := backendOf(w, c); name != "" && b != "cuda" {
		return name + onKernels + b
	}
	return name
}

// ported reports whether an engine runs on hardware that it was not written for, by an adapter: vLLM and SGLang were
// written for GPUs, of which ROCm compiles the same kernels, and reach less of the figures of others.
func ported(w *Workload, c *Card) bool { return backends[c.Vendor] == "" && w.Backend == "" }
