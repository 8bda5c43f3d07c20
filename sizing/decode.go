package sizing

import "tianti/sizing/kriging"

// decodeGauge estimates how fast tokens are generated.
//
// A step makes one token for each request. It reads all weights that the tokens pass
// through and the keys and values of each request, and the states of layers that keep
// such, at a share of the bandwidth that the framework reaches, and weights no faster than the units of
// a GPU ask for them, see [streamed]; each layer adds the time
// to launch its kernels, and the host its own for a step; unpacking and multiplying takes time on the vector units
// that matters where bandwidth is high (R. Pope et al., "Efficiently Scaling Transformer
// Inference", arXiv 2211.05102, section 2, for the bytes and operations). Cards that share
// layers read their parts at once and add two all-reduces a layer (arXiv 1909.08053);
// cards that hold layers one after another are no faster than one.
type decodeGauge struct{}

func (decodeGauge) bounds() []Bound {
	return []Bound{
		// share of the bandwidth reached on weights
		{Name: "bandwidth", Start: 0.85, Low: 0.5, High: 0.95, Each: true},
		{Name: "cache bandwidth", Start: 0.7, Low: 0.1, High: 0.95, Each: true}, // and on keys and values
		// bytes that a unit of a GPU reads in a cycle
		{Name: "unit", Start: 9, Low: 2, High: 40, Each: true},
		// bytes of weights that a vector operation unpacks and multiplies
		{Name: "unpack", Start: 0.5, Low: 0.05, High: 10, Each: true},
		// bytes of keys and values that a vector operation multiplies
		{Name: "cache unpack", Start: 2, Low: 0.1, High: 40, Each: true},
		// seconds a layer that products with quantised weights take more to launch and to add up
		{Name: "quantised", Start: 10e-6, Low: 0.5e-6, High: 300e-6, Each: true, Log: true},
		{Name: "launch", Start: 100e-6, Low: 1e-6, High: 1500e-6, Each: true},    // seconds a layer
		{Name: "dispatch", Start: 600e-6, Low: 50e-6, High: 3000e-6, Each: true}, // where launches run ahead
		// seconds a layer that LLM.int8 takes more to launch: it quantises inputs and looks for outliers in each
		// product
		{Name: "outliers", Start: 2e-3, Low: 0.2e-3, High: 6e-3, Log: true},
		{Name: "host step", Start: 0.5e-3, Low: 10e-6, High: 10e-3, Each: true, Log: true}, // seconds a step
		{Name: "all-reduce", Start: 10e-6, Low: 1e-6, High: 200e-6, Each: true},            // seconds each
		{Name: "stage", Start: 400e-6, Low: 1e-6, High: 3000e-6, Each: true},               // from one card to the next
		// share of the matrix rate, of batches and prompts
		{Name: "matrix", Start: 0.65, Low: 0.2, High: 0.9},
		{Name: "attention rate", Start: 0.5, Low: 0.05, High: 0.75}, // the same in attention over a long prompt
	}
}

// decodeStep are the seconds of one step by part.
type decodeStep struct {
	division
	batch         float64 // requests of one replica
	bytes, cached float64 // of weights and of keys and values, read in a step
	packed        float64 // weights of fewer than 16 bits read in a step

	weights, kv, unpack, matrices, launch, reduce, handing, request float64
}

func (s *decodeStep) total() float64 {
	return max(s.weights+s.unpack, s.matrices) + s.kv + s.launch + s.reduce + s.handing + s.request
}

// launching names the constant of the time to launch the kernels of a layer.
func launching(w *Workload) string {
	if w.profile.LaunchesAhead {
		return "dispatch"
	}
	return "launch"
}

func decodeParts(k Constants, w *Workload, c *Card) decodeStep {
	m, f := w.Model, k.owner(w, c)
	s := decodeStep{division: divisionOf(w)}
	s.batch = max(1, float64(w.Batch)/s.replicas)
	s.bytes = readBytes(w, s.batch)
	if w.format.Bits < 16 {
		linear := activeLinear(m, s.batch)
		s.packed = linear - min(linear, m.fixedIn(w.format))
	}
	s.cached = s.batch * (m.KVBytes(meanPosition(w), w.cache.Bytes()) + m.StateBytes)
	layers := float64(m.Layers)
	s.weights = streamed(s.bytes/s.tensor, c.reads(), k.Of(f, "bandwidth"), c.Streams, k.Of(f, "unit"))
	s.kv = s.cached / (c.reads() * k.Of(f, "cache bandwidth") * s.tensor)
	if v := vectorRate(c); v > 0 {
		if w.Attention == "eager" {
			s.kv += s.cached / (v * k.Of(f, "cache unpack") * s.tensor)
		}
		s.unpack = s.bytes / (v * k.Of(f, "unpack") * s.tensor)
	}
	rate := matrixRate(c) * s.tensor
	s.matrices = 2 * m.Active * s.batch / (rate * k.Of(f, "matrix"))
	s.launch = layers*k.Of(f, launching(w)) + k.Of(f, "host step")
	if s.packed > 0 {
		s.launch += layers * k.Of(f, "quantised")
	}
	if w.format.Outliers {
		s.launch += layers * k.Of(f, "outliers")
	}
	if w.profile.LaunchesAhead {
		s.launch = exposed(s.launch, max(s.weights+s.unpack, s.matrices)+s.kv)
	}
	if s.tensor > 1 {
		s.reduce = 2 * layers * k.Of(f, "all-reduce")
		if link := linkRate(c, s.tensor); link > 0 {
			s.reduce += 2 * layers * s.batch * float64(m.Hidden) * 2 * 2 * (s.tensor - 1) / s.tensor / link
		}
	}
	s.handing = (s.stages - 1) * k.Of(f, "stage")
	if generated := float64(w.Context - w.Prompt); w.Reading == "request" && generated > 0 && w.Prompt > 0 {
		prompt := float64(w.Prompt)
		read := 2*m.Active*prompt/k.Of(f, "matrix") + 4*layers*float64(m.Heads*m.HeadDim)*prompt*m.lookBack(
			prompt/2)/k.Of(f, "attention rate")
		s.request = s.batch * read / rate / generated
	}
	return s
}

func (decodeGauge) formula(k Constants, w *Workload, c *Card, explain bool) (float64, []Line) {
	if !known(w, c) {
		return 0, nil
	}
	s := decodeParts(k, w, c)
	value := s.replicas * s.batch / s.total()
	if !explain {
		return value, nil
	}
	return value, s.lines(k, w, c)
}

const (
	sourceRoofline = "arXiv 2211.05102, section 2"
	sourceStreams  = "UCB/EECS-2016-143, section 4"
	sourceTensor   = "arXiv 1909.08053, section 3"
	sourceFitted   = "fitted from measured cases"
)

func (s *decodeStep) lines(k Constants, w *Workload, c *Card) []Line {
	m, f := w.Model, k.owner(w, c)
	layers := Input{"L", float64(m.Layers), "layers"}
	tensor := Input{"n", s.tensor, "cards"}
	bandwidth := Input{"BW", c.reads(), "B/s"}
	read := Line{"weights", s.weights, "W ÷ (BW · e · n)", []Input{{"W", s.bytes, "B"}, bandwidth,
		{"e", k.Of(f, "bandwidth"), ""}, tensor}, sourceRoofline}
	if c.Streams > 0 {
		read.Formula, read.Source = "W ÷ n · ∛((BW · e)⁻³ + (U · u)⁻³)", sourceStreams
		read.Inputs = append(read.Inputs, Input{"U", c.Streams, "Hz"}, Input{"u", k.Of(f, "unit"), "B"})
	}
	lines := []Line{read,
		{"kv", s.kv, "KV ÷ (BW · e · n)", []Input{{"KV", s.cached, "B"}, bandwidth,
			{"e", k.Of(f, "cache bandwidth"), ""}, tensor}, sourceRoofline},
	}
	if kv := &lines[1]; w.Attention == "eager" && vectorRate(c) > 0 {
		kv.Formula = "KV · (1 ÷ (BW · e) + 1 ÷ (V · c)) ÷ n"
		kv.Inputs = append(kv.Inputs, Input{"V", vectorRate(c), "FLOP/s"},
			Input{"c", k.Of(f, "cache unpack"), "B/FLOP"})
	}
	if s.matrices > s.weights+s.unpack {
		lines = append(lines, Line{"matrices", s.matrices - s.weights, "2 · N · b ÷ (R · MFU · n) − weights",
			[]Input{{"N", m.Active, "parameters"}, {"b", s.batch, "requests"}, {"R", matrixRate(c), "FLOP/s"},
				{"MFU", k.Of(f, "matrix"), ""}, tensor}, sourceRoofline})
	} else if s.unpack > 0 {
		lines = append(lines, Line{"dequantisation", s.unpack, "W ÷ (V · c · n)",
			[]Input{{"W", s.bytes, "B"}, {"V", vectorRate(c), "FLOP/s"}, {"c", k.Of(f, "unpack"), "B/FLOP"},
				tensor}, sourceFitted})
	}
	launch := Line{"launch", s.launch, "L · o + h", []Input{layers, {"o", k.Of(f, launching(w)), "s"},
		{"h", k.Of(f, "host step"), "s"}}, sourceFitted}
	if s.packed > 0 {
		launch.Formula = "L · (o + q) + h"
		launch.Inputs = append(launch.Inputs, Input{"q", k.Of(f, "quantised"), "s"})
	}
	if w.format.Outliers {
		launch.Formula += " + L · x"
		launch.Inputs = append(launch.Inputs, Input{"x", k.Of(f, "outliers"), "s"})
	}
	if w.profile.LaunchesAhead {
		launch.Formula = "⁴√(t⁴ + (" + launch.Formula + ")⁴) − t"
		launch.Inputs = append(launch.Inputs, Input{"t", max(s.weights+s.unpack, s.matrices) + s.kv, "s"})
	}
	lines = append(lines, launch)
	if s.reduce > 0 {
		lines = append(lines, Line{"communication", s.reduce, "2 · L · (a + 4 · b · h · (n − 1) ÷ n ÷ link)",
			[]Input{layers, {"a", k.Of(f, "all-reduce"), "s"}, {"b", s.batch, "requests"}, {"h", float64(m.Hidden), ""},
				tensor, {"link", linkRate(c, s.tensor), "B/s"}}, sourceTensor})
	}
	if s.handing > 0 {
		lines = append(lines, Line{"stages", s.handing, "(p − 1) · o",
			[]Input{{"p", s.stages, "cards"}, {"o", k.Of(f, "stage"), "s"}}, sourceFitted})
	}
	if s.request > 0 {
		lines = append(lines, Line{"prompt", s.request, "b · (2 · N · p ÷ MFU + 2 · L · a · d · p² ÷ " +
			"MFUa) ÷ (R · n) ÷ g",
			[]Input{{"b", s.batch, "requests"}, {"N", m.Active, "parameters"}, {"p", float64(w.Prompt), "tokens"},
				{"MFU", k.Of(f, "matrix"), ""}, layers,
				{"a · d", float64(m.Heads * m.HeadDim), ""}, {"MFUa", k.Of(f, "attention rate"), ""}, {"R",
					matrixRate(c), "FLOP/s"}, tensor, {"g", float64(w.Context - w.Prompt), "tokens"}}, sourceRoofline})
	}
	return lines
}

func (decodeGauge) point(w *Workload, c *Card) kriging.Point { return speedPoint(w, c) }

func (decodeGauge) same(a *Workload, ac *Card, b *Workload, bc *Card) bool {
	return alike(a, ac, b, bc) && a.Reading == b.Reading
}

func (decodeGauge) noise(c *Case) float64 { return speedNoise(c) }

func (g decodeGauge) choose(k Constants, cases []*Case) []*Case { return representative(g, k, cases) }

func (decodeGauge) generation(c *Case) string { return ownedBy(&c.Workload, c.Card) }

func (decodeGauge) foretells() bool { return true }

// pull: what engines share is where it begins more than what few of them have made of it; of
// 0.1 to 64 this left the smallest errors where cards and frameworks were held back.
func (decodeGauge) pull() pull { return pull{64, 0.1} }

func (decodeGauge) holds(effect string) bool { return heldEffect(effect) }

// effects are the same for any number of tokens, requests and cards: what those gain
// is left to the formula, so that no correction turns it round. They are settled, see [settler].
func (decodeGauge) effects() []kriging.Effect {
	return []kriging.Effect{
		{Name: effectBackend, Keys: []int{keyBackend}, Deviation: 0.35},
		{Name: effectFramework, Keys: []int{keyFramework, keyBackend}, Deviation: 0.2},
		{Name: "chip", Keys: []int{keyChip}, Deviation: 0.02},
		{Name: "framework, card", Keys: []int{keyFramework, keyCard}, Deviation: 0.0011},
		{Name: "framework, architecture", Keys: []int{keyFramework, keyBackend, keyArchitecture}, Deviation: 0.149},
		{Name: "framework, figures", Keys: []int{keyFramework, keyBackend}, Axes: []int{axisStep, axisRatio},
			Lengths: []float64{9, 0.71}, Deviation: 0.2},
		{Name: "framework, format, figures", Keys: []int{keyFramework, keyFormat}, Axes: []int{axisStep},
			Lengths: []float64{0.525}, Deviation: 0.042},
		{Name: "framework, series", Keys: []int{keyFramework, keySeries}, Deviation: 0.034},
		{Name: "framework, format, experts", Keys: []int{keyFramework, keyFormat, keyExperts}, Deviation: 0.05},
		{Name: "same job", Keys: []int{keyFramework, keyModel, keyFormat, keyChip}, Deviation: 0.055},
	}
}

func (decodeGauge) settled() bool { return true }

// Decode is the speed of generation of a complete workload; false where a figure
// that it needs is not known.
func (a *Estimator) Decode(w *Workload, c *Card) (Speed, bool) {
	return a.rated(DecodeSpeed, LimitBandwidth, w, c)
}

// mostRead is the share of a memory's bandwidth that remains for reading: refresh and turning the bus take the rest. Of
// the trusted runs of one card but one, which is of a chip with few units, none reaches more than 0.90 with its step.
const mostRead = 0.95

// bound is the speed at which weights and cache are read as fast as memory can be.
func (decodeGauge) bound(k Constants, w *Workload, c *Card) float64 {
	s := decodeParts(k, w, c)
	return mostRead * s.replicas * s.batch * c.Bandwidth * s.tensor / (s.bytes + s.cached)
}
