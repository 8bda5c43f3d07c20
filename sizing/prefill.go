package sizing

import (
	"cmp"
	"math"

	"tianti/sizing/kriging"
)

// prefillGauge estimates how fast a prompt is read.
//
// Each token takes two operations for every parameter of the layers that it passes
// through (arXiv 2211.05102, section 2), at a share of the matrix rate; unpacking
// quantised weights and adding up blocks takes part of the vector rate. Attention
// that keeps its scores in memory writes and reads them, which goes with bandwidth;
// otherwise it is operations (arXiv 2205.14135). Weights are read and kernels
// launched once for each piece of the prompt. Cards that hold layers one after
// another work on several pieces at once: p cards take (u + p − 1) ÷ (u · p) of the
// time of one for u pieces (arXiv 1811.06965, section 2.3).
type prefillGauge struct{}

func (prefillGauge) bounds() []Bound {
	return []Bound{
		{Name: "matrix", Start: 0.6, Low: 0.1, High: 1, Each: true}, // share of the matrix rate
		// operations of products per vector operation
		{Name: "vector", Start: 6, Low: 1, High: 40, Each: true},
		// bytes that a unit of a GPU moves in a cycle where weights become 16 bits before a product
		{Name: "unit", Start: 6, Low: 2, High: 40},
		// moved for each score that is kept in memory
		{Name: "score bytes", Start: 40, Low: 4, High: 100},
		{Name: "launch", Start: 50e-6, Low: 1e-6, High: 1500e-6, Each: true}, // seconds a layer and piece
		// of the time of a stage, lost for each further card
		{Name: "stage", Start: 0.05, Low: 0, High: 0.3, Each: true},
		{Name: "all-reduce", Start: 10e-6, Low: 1e-6, High: 200e-6, Each: true}, // seconds each
	}
}

// prefillPass are the seconds of one token of prompt by part.
type prefillPass struct {
	division
	prompt, piece, pieces float64 // tokens, tokens and number
	operations            float64 // in the matrices of the layers
	scores                float64 // of one head in all layers
	bytes                 float64 // of weights read
	widened               float64 // bytes of weights that are read and written as 16 bits for a piece

	matrices, unpack, attention, weights, launch, reduce float64

	// of all but communication between cards that share layers: the gain by working on several pieces at once
	scale float64
}

func (p *prefillPass) total() float64 {
	return (p.matrices+p.unpack+p.attention+p.weights+p.launch)*p.scale + p.reduce
}

func prefillParts(k Constants, w *Workload, c *Card) prefillPass {
	m, f := w.Model, k.owner(w, c)
	p := prefillPass{division: divisionOf(w), prompt: promptTokens(w), scale: 1}
	p.piece = p.prompt
	if n := float64(w.profile.PromptChunk); n > 0 {
		p.piece = min(p.piece, n)
	}
	p.pieces = math.Ceil(p.prompt / p.piece)
	layers, width := float64(m.Layers), float64(m.Heads*m.HeadDim)
	rate := matrixRate(c)
	p.operations = 2 * activeLinear(m, 1)
	p.matrices = p.operations / (rate * k.Of(f, "matrix") * p.tensor)
	if widens(w, c) {
		p.widened = activeLinear(m, p.piece) * (2 + w.bits.layers/8)
		p.unpack = streamed(p.widened/p.piece/p.tensor, c.Bandwidth, mostRead, c.Streams, k.Of(f, "unit"))
	} else if v := vectorRate(c); v > 0 && w.format.Bits < 16 {
		p.unpack = p.operations / (v * k.Of(f, "vector") * p.tensor)
	}
	p.scores = layers * m.lookBack(p.prompt/2)
	if w.Attention == "eager" {
		p.attention = p.scores * float64(m.Heads) * k.Of(f, "score bytes") / (c.Bandwidth * p.tensor)
	} else {
		p.attention = 4 * p.scores * width / (rate * k.Of(f, "matrix") * p.tensor)
	}
	p.bytes = readBytes(w, p.piece) / p.piece
	p.weights = p.bytes / (c.Bandwidth * p.tensor)
	busy := p.matrices + p.unpack + p.attention + p.weights
	p.launch = layers * k.Of(f, "launch") / p.piece
	if w.profile.LaunchesAhead {
		p.launch = exposed(p.launch, busy)
	}
	if p.stages > 1 {
		p.scale = (p.pieces + p.stages - 1) / (p.pieces * p.stages) * (1 + k.Of(f, "stage")*(p.stages-1))
	}
	if p.tensor > 1 {
		p.reduce = 2 * layers * k.Of(f, "all-reduce") / p.piece
		if link := linkRate(c, p.tensor); link > 0 {
			p.reduce += 2 * layers * float64(m.Hidden) * 2 * 2 * (p.tensor - 1) / p.tensor / link
		}
	}
	return p
}

const sourceWidened = "ggml-org/llama.cpp#3412, #8075"

// widens reports whether a product of a whole piece first makes weights of fewer bits 16 bits and writes them to
// memory: llama.cpp did it on cards with matrix units until June 2024, and does it where it has no product of 8-bit
// integers for them, as on Volta.
func widens(w *Workload, c *Card) bool {
	if cmp.Or(w.profile.Engine, w.Framework) != "llama.cpp" || w.format.Bits >= 16 || c.Vendor != "NVIDIA" ||
		backendOf(w, c) != "cuda" || c.FP16 <= 1.2*c.FP32 {
		return false
	}
	return w.Version != "" && w.Version < "2024-06" || c.Architecture == "Volta"
}

func (prefillGauge) formula(k Constants, w *Workload, c *Card, explain bool) (float64, []Line) {
	if !known(w, c) {
		return 0, nil
	}
	p := prefillParts(k, w, c)
	value := p.replicas / p.total()
	if !explain {
		return value, nil
	}
	return value, p.lines(k, w, c)
}

func (p *prefillPass) lines(k Constants, w *Workload, c *Card) []Line {
	m, f := w.Model, k.owner(w, c)
	layers := Input{"L", float64(m.Layers), "layers"}
	tensor := Input{"n", p.tensor, "cards"}
	operations := Input{"2N", p.operations, "FLOP"}
	rate := Input{"R", matrixRate(c), "FLOP/s"}
	mfu := Input{"MFU", k.Of(f, "matrix"), ""}
	bandwidth := Input{"BW", c.Bandwidth, "B/s"}
	piece := Input{"u", p.piece, "tokens"}
	attended := Input{"s", m.lookBack(p.prompt / 2), "tokens"}
	stages, suffix := Input{"p", p.scale, ""}, ""
	if p.scale != 1 {
		suffix = " · p"
	}
	line := func(part string, seconds float64, formula, source string, in ...Input) Line {
		if suffix != "" {
			in = append(in, stages)
		}
		return Line{part, seconds * p.scale, formula + suffix, in, source}
	}
	lines := []Line{line("matrices", p.matrices, "2N ÷ (R · MFU · n)", sourceRoofline, operations, rate, mfu, tensor)}
	switch {
	case p.widened > 0:
		read := []Input{{"Q", p.widened, "B"}, piece, bandwidth, {"e", mostRead, ""}, tensor}
		formula := "Q ÷ u ÷ (BW · e · n)"
		if c.Streams > 0 {
			formula = "Q ÷ u ÷ n · ∛((BW · e)⁻³ + (U · c)⁻³)"
			read = append(read, Input{"U", c.Streams, "Hz"}, Input{"c", k.Of(f, "unit"), "B"})
		}
		lines = append(lines, line("dequantisation", p.unpack, formula, sourceWidened, read...))
	case p.unpack > 0:
		lines = append(lines, line("dequantisation", p.unpack, "2N ÷ (V · c · n)", sourceFitted, operations,
			Input{"V", vectorRate(c), "FLOP/s"}, Input{"c", k.Of(f, "vector"), ""}, tensor))
	}
	if w.Attention == "eager" {
		lines = append(lines, line("attention", p.attention, "L · a · s · B ÷ (BW · n)", sourceFitted, layers, Input{
			"a", float64(m.Heads), "heads"}, attended, Input{"B", k.Of(f, "score bytes"), "B"}, bandwidth, tensor))
	} else {
		lines = append(lines, line("attention", p.attention, "4 · L · a · d · s ÷ (R · MFU · n)", "arXiv 2205.14135",
			layers, Input{"a · d", float64(m.Heads * m.HeadDim), ""}, attended, rate, mfu, tensor))
	}
	launches := line("launch", p.launch, "L · o ÷ u", sourceFitted, layers, Input{"o", k.Of(f, "launch"), "s"}, piece)
	if w.profile.LaunchesAhead {
		launches.Formula = "⁴√(t⁴ + (" + launches.Formula + ")⁴) − t"
		launches.Inputs = append(launches.Inputs, Input{"t", p.matrices + p.unpack + p.attention + p.weights, "s"})
	}
	lines = append(lines,
		line("weights", p.weights, "W ÷ u ÷ (BW · n)", sourceRoofline, Input{"W", p.bytes * p.piece, "B"}, piece,
			bandwidth, tensor),
		launches)
	if p.reduce > 0 {
		lines = append(lines, Line{"communication", p.reduce, "2 · L · (a ÷ u + 4 · h · (n − 1) ÷ n ÷ link)",
			[]Input{layers, {"a", k.Of(f, "all-reduce"), "s"}, piece, {"h", float64(m.Hidden), ""}, tensor,
				{"link", linkRate(c, p.tensor), "B/s"}}, sourceTensor})
	}
	return lines
}

// point: prompts are arithmetic, of which error correction in the memory takes nothing.
func (prefillGauge) point(w *Workload, c *Card) kriging.Point {
	p := speedPoint(w, c)
	p.Coordinates[axisRatio] = math.Log(vectorRate(c) / c.Bandwidth)
	return p
}

func (prefillGauge) same(a *Workload, ac *Card, b *Workload, bc *Card) bool {
	return alike(a, ac, b, bc) && a.Attention == b.Attention
}

func (prefillGauge) noise(c *Case) float64 { return speedNoise(c) }

func (g prefillGauge) choose(k Constants, cases []*Case) []*Case { return representative(g, k, cases) }

func (prefillGauge) generation(c *Case) string { return ownedBy(&c.Workload, c.Card) }

func (prefillGauge) foretells() bool { return true }

func (prefillGauge) holds(effect string) bool { return heldEffect(effect) }

// effects are the same for any number of cards: what those gain is left to the formula.
func (prefillGauge) effects() []kriging.Effect {
	return []kriging.Effect{
		{Name: effectBackend, Keys: []int{keyBackend}, Deviation: 0.35},
		{Name: effectFramework, Keys: []int{keyFramework, keyBackend}, Deviation: 0.2},
		{Name: "card", Keys: []int{keyCard}, Deviation: 0.035},
		{Name: "framework, card", Keys: []int{keyFramework, keyCard}, Deviation: 0.1},
		{Name: "framework, architecture", Keys: []int{keyEngine, keyBackend, keyArchitecture, keyHBM, keyMatrix},
			Deviation: 0.2},
		{Name: "framework, architecture, figures", Keys: []int{keyEngine, keyBackend, keyArchitecture},
			Axes: []int{axisRatio}, Lengths: []float64{0.3}, Deviation: 0.3},
		{Name: "framework, figures", Keys: []int{keyEngine, keyBackend}, Axes: []int{axisRatio, axisMatrix},
			Lengths: []float64{0.42, 1}, Deviation: 0.39},
		{Name: "framework, format, figures", Keys: []int{keyEngine, keyFormat}, Axes: []int{axisRatio, axisMatrix},
			Lengths: []float64{1.3, 2.4}, Deviation: 0.11},
		{Name: "format, architecture", Keys: []int{keyEngine, keyFormat, keyArchitecture, keyHBM}, Deviation: 0.07},
		{Name: "same job", Keys: []int{keyFramework, keyModel, keyFormat, keyCard}, Deviation: 0.06},
		{Name: "split, model, format", Keys: []int{keyEngine, keySplit, keyModel, keyFormat},
			Axes: []int{axisPrompt}, Lengths: []float64{1.7}, Deviation: 0.085},
		{Name: "size", Keys: []int{keyFramework, keyBackend}, Axes: []int{axisBytes}, Lengths: []float64{1.2},
			Deviation: 0.17},
		{Name: "architecture, length", Keys: []int{keyEngine, keyBackend, keyArchitecture, keyHBM},
			Axes: []int{axisPrompt}, Lengths: []float64{3}, Deviation: 0.05},
	}
}

// Prefill is the speed of reading the prompt of a complete workload; false where a
// figure that it needs is not known.
func (a *Estimator) Prefill(w *Workload, c *Card) (Speed, bool) {
	return a.rated(PrefillSpeed, LimitCompute, w, c)
}

// bound is the speed at which all cards compute at their rate. Quantised weights may be
// multiplied in INT8; where its rate is not known, it is taken to be twice that of 16 bits.
func (prefillGauge) bound(k Constants, w *Workload, c *Card) float64 {
	p := prefillParts(k, w, c)
	operations := p.operations + 4*p.scores*float64(w.Model.Heads*w.Model.HeadDim)
	rate := matrixRate(c)
	if c.INT8 == 0 {
		rate *= 2
	}
	return rate * p.replicas * p.tensor * p.stages / operations
}
