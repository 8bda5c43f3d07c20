package sizing

// Sources of what is counted.
const (
	fromKaplan = "Kaplan et al., Scaling Laws for Neural Language Models, arXiv:2001.08361, table 1"
	fromStates = "Rajbhandari et al., ZeRO, arXiv:1910.02054, section 3.1 and figure 1"
	fromLayers = "multiply-accumulates counted; one is two operations"
)

// A Count is a number with how it was counted.
type Count struct {
	Part    string // a key of the texts
	Value   float64
	Active  float64 // of parameters: those that one token passes through
	Formula string  // in symbols
	Inputs  []Input
	Source  string
}

// Parts counts the parameters of a model by part. What the architecture does not
// tell (biases, norms, projections of a compressed attention) is the rest to the
// known total, so that the parts sum to it.
func (m *Model) Parts() []Count {
	v, h := float64(m.Vocabulary), float64(m.Hidden)
	in := func(symbol string, value float64) Input { return Input{Symbol: symbol, Value: value} }
	out := []Count{{Part: "embeddings", Value: m.Embeddings(), Active: m.Embeddings(), Formula: "V · h",
		Inputs: []Input{in("V", v), in("h", h)}}}
	add := func(c Count) {
		if c.Value > 0 {
			out = append(out, c)
		}
	}
	add(Count{Part: "head", Value: m.Head(), Active: m.Head(), Formula: "V · h",
		Inputs: []Input{in("V", v), in("h", h)}})
	if m.KVLoRARank == 0 && m.CacheValues == 0 {
		add(m.attentionPart())
	}
	l := float64(m.feedForwardLayers())
	dense, i := l, float64(m.Intermediate)
	matrices, symbol := m.mlpMatrices(), "2"
	if m.GatedMLP {
		symbol = "3"
	}
	if m.Experts > 0 {
		dense = float64(m.DenseLayers)
		if m.DenseIntermediate > 0 {
			i = float64(m.DenseIntermediate)
		}
	}
	mlp := dense * matrices * h * i
	add(Count{Part: "mlp", Value: mlp, Active: mlp, Formula: symbol + " · L · h · i",
		Inputs: []Input{in("L", dense), in("h", h), in("i", i)}})
	if m.Experts > 0 {
		e, k, wide := float64(m.Experts), float64(m.ExpertsPerToken), float64(m.ExpertIntermediate)
		inner := h
		if m.ExpertHidden > 0 {
			inner = float64(m.ExpertHidden)
		}
		each := (l - dense) * matrices * inner * wide
		inputs := []Input{in("L", l-dense), in("E", e), in("k", k), in("h", inner), in("i", wide)}
		add(Count{Part: "experts", Value: e * each, Active: k * each,
			Formula: symbol + " · L · E · h · i", Inputs: inputs})
		shared := (l - dense) * matrices * h * float64(m.SharedIntermediate)
		add(Count{Part: "shared", Value: shared, Active: shared, Formula: symbol + " · L · h · i",
			Inputs: []Input{in("L", l-dense), in("h", h), in("i", float64(m.SharedIntermediate))}})
		router := (l - dense) * h * e
		add(Count{Part: "router", Value: router, Active: router, Formula: "L · h · E",
			Inputs: []Input{in("L", l-dense), in("h", h), in("E", e)}})
	}
	rest := Count{Part: "rest", Value: m.Parameters, Active: m.Active}
	for _, c := range out {
		rest.Value, rest.Active = rest.Value-c.Value, rest.Active-c.Active
	}
	rest.Active = min(max(0, rest.Active), rest.Value)
	if m.KVLoRARank > 0 {
		rest.Part = "latent" // attention by a compressed latent, whose projections are not all known
	}
	if rest.Value >= 1 {
		out = append(out, rest)
	}
	return out
}

// attentionPart counts the projections of layers with attention.
func (m *Model) attentionPart() Count {
	c := Count{Part: "attention", Value: m.attention(), Active: m.attention(),
		Formula: "L · (h · (a + 2·kv) · d + a · d · h)", Inputs: []Input{
			{Symbol: "L", Value: float64(m.attentionLayers())}, {Symbol: "h", Value: float64(m.Hidden)},
			{Symbol: "a", Value: float64(m.Heads)}, {Symbol: "kv", Value: float64(m.KVHeads)},
			{Symbol: "d", Value: float64(m.HeadDim)}}}
	if m.valueHeadDim() != m.HeadDim {
		c.Formula = "L · (h · (a · d + kv · (d + d_v)) + a · d_v · h)"
		c.Inputs = append(c.Inputs, Input{Symbol: "d_v", Value: float64(m.valueHeadDim())})
	}
	return c
}

// computed are the parameters that a token is multiplied with: all that it passes
// through but the embeddings, which are looked up. A tied head is multiplied with.
func (m *Model) computed() float64 { return max(0, m.Active-m.Head()) }

// ForwardFLOPs are the operations of one token of a sequence of that many tokens:
// 2 for each parameter that it is multiplied with, and those of attention to half
// of the sequence on average, which a causal mask leaves.
func (m *Model) ForwardFLOPs(context float64) Count {
	n, l, a, d := m.computed(), float64(m.Layers), float64(m.Heads), float64(m.HeadDim)
	layers := 2 * l * m.lookBack(context/2)
	return Count{Part: "forward", Value: 2*n + 2*layers*a*d, Formula: "2·N + 2·L·a·d·s", Source: fromKaplan,
		Inputs: []Input{{"N", n, ""}, {"L", l, ""}, {"a", a, ""}, {"d", d, ""}, {"s", context, "tokens"}}}
}

// CacheOfToken counts the bytes of keys and values of one token, in 16 bits.
func (m *Model) CacheOfToken() Count {
	c := Count{Part: "cache", Value: m.KVBytes(1, 2), Formula: "2 · L · kv · d · b"}
	layers := m.attentionLayers()
	if m.CacheLayers > 0 {
		layers = m.CacheLayers
	}
	in := func(symbol string, value int) {
		c.Inputs = append(c.Inputs, Input{Symbol: symbol, Value: float64(value)})
	}
	if shape := m.cache(); m.hasMixedCache() {
		c.Formula = "(v + v_local) · b"
		c.Inputs = []Input{{Symbol: "v", Value: shape.growing}, {Symbol: "v_local", Value: shape.local}}
	} else if in("L", layers); m.KVLoRARank > 0 {
		c.Formula = "L · (c_kv + d_rope) · b"
		in("c_kv", m.KVLoRARank)
		in("d_rope", m.RoPEHeadDim)
	} else {
		in("kv", m.KVHeads)
		in("d", m.HeadDim)
	}
	in("b", 2)
	return c
}

// TrainingFLOPs are the operations of one token in training: the backward pass
// takes twice the forward pass, and full recomputation repeats the forward pass.
func (m *Model) TrainingFLOPs(context float64, recomputed bool) Count {
	f := m.ForwardFLOPs(context)
	out := Count{Part: "training", Value: 3 * f.Value, Formula: "3 · F", Source: fromKaplan,
		Inputs: []Input{{"F", f.Value, "FLOPs"}}}
	if recomputed {
		out.Part, out.Value, out.Formula = "recomputed", 4*f.Value, "4 · F"
		out.Source = "Korthikanti et al., arXiv:2205.05198"
	}
	return out
}

// WeightBytes are the bytes of the weights in a format: formats that only the
// matrices of the layers have leave the rest in 16 bits, as they do towers.
func (m *Model) WeightBytes(f *Format) float64 {
	if !f.Linear {
		return (m.Parameters + m.Vision) * f.in(m).all / 8
	}
	in := m.Linear() - m.fixedIn(f)
	return in*f.Bytes() + (m.Parameters+m.Vision-in)*2
}

// TrainingStates are the bytes on each of a number of cards that mixed-precision
// training with Adam keeps of P parameters under a ZeRO stage: 2 bytes of weights,
// 2 of gradients and 12 of the optimiser's 32-bit weights and moments.
func TrainingStates(parameters float64, stage, cards int) Count {
	n := float64(max(1, cards))
	c := Count{Part: "states", Source: fromStates, Inputs: []Input{{"P", parameters, ""}, {"n", n, "cards"}}}
	switch stage {
	case 0:
		c.Value, c.Formula = 16*parameters, "16 · P"
	case 1:
		c.Value, c.Formula = (4+12/n)*parameters, "(4 + 12/n) · P"
	case 2:
		c.Value, c.Formula = (2+14/n)*parameters, "(2 + 14/n) · P"
	default:
		c.Value, c.Formula = 16/n*parameters, "16/n · P"
	}
	return c
}

// A Layer is one layer of a network.
type Layer struct {
	Kind            string // "dense", "convolution"
	Inputs, Outputs int    // width, or channels
	KernelHeight    int    // of a convolution
	KernelWidth     int
	Height, Width   int // of a convolution's output
}

// Count counts the parameters of a layer without bias, and the operations of one
// sample: of one vector in a dense layer, of one image in a convolution.
func (l Layer) Count() (parameters, flops Count) {
	in, out := float64(l.Inputs), float64(l.Outputs)
	inputs := []Input{{"C_in", in, ""}, {"C_out", out, ""}}
	if l.Kind == "dense" {
		return Count{Part: "parameters", Value: in * out, Formula: "C_in · C_out", Inputs: inputs, Source: fromLayers},
			Count{Part: "flops", Value: 2 * in * out, Formula: "2 · C_in · C_out", Inputs: inputs, Source: fromLayers}
	}
	kh, kw, h, w := float64(l.KernelHeight), float64(l.KernelWidth), float64(l.Height), float64(l.Width)
	kernel := append([]Input{{"K_h", kh, ""}, {"K_w", kw, ""}}, inputs...)
	return Count{Part: "parameters", Value: kh * kw * in * out, Formula: "K_h · K_w · C_in · C_out", Inputs: kernel,
			Source: fromLayers},
		Count{Part: "flops", Value: 2 * kh * kw * in * out * h * w,
			Formula: "2 · K_h · K_w · C_in · C_out · H_out · W_out",
			Inputs:  append(kernel[:len(kernel):len(kernel)], Input{"H_out", h, ""}, Input{"W_out", w, ""}),
			Source:  fromLayers}
}
