package sizing

import "cmp"

// Files of llama.cpp mix types: a format names the type of most tensors, and what loses most by it has more bits.
// Which tensors those are depends on the layer, on the shape of the model and on its experts, so that Q4_K_M has 4.89
// bits a weight in Llama 3.1 8B, 4.82 in DeepSeek R1 and more than 6 in models whose rows do not divide by 256.

const fromGGUF = "ggml-org/llama.cpp src/llama-quant.cpp: the type of each tensor"

// ggmlBits are the bits per weight of the types of ggml, their scales included: bytes of a block · 8 ÷ weights in it
// (ggml/src/ggml-common.h).
var ggmlBits = map[string]float64{
	"F16": 16, "Q8_0": 8.5, "Q6_K": 6.5625, "Q5_1": 6, "Q5_0": 5.5, "Q5_K": 5.5, "Q4_1": 5, "Q4_0": 4.5, "Q4_K": 4.5,
	"IQ4_NL": 4.5, "IQ4_XS": 4.25, "Q3_K": 3.4375, "IQ3_S": 3.4375, "IQ3_XXS": 3.0625, "Q2_K": 2.625, "IQ2_S": 2.5625,
	"IQ2_XS": 2.3125, "IQ2_XXS": 2.0625, "IQ1_M": 1.75, "IQ1_S": 1.5625,
}

// ggmlShort are the types that stand in where rows do not divide into blocks of 256 weights.
var ggmlShort = map[string]string{
	"Q6_K": "Q8_0", "Q5_K": "Q5_1", "Q4_K": "Q5_0", "Q3_K": "Q4_0", "Q2_K": "Q4_0", "IQ4_XS": "IQ4_NL",
	"IQ3_S": "IQ4_NL", "IQ3_XXS": "IQ4_NL", "IQ2_S": "IQ4_NL", "IQ2_XS": "IQ4_NL", "IQ2_XXS": "IQ4_NL",
	"IQ1_M": "IQ4_NL", "IQ1_S": "IQ4_NL",
}

// ggml are the bits per weight of a type in rows of so many weights.
func ggml(kind string, row int) float64 {
	if short, ok := ggmlShort[kind]; ok && row%256 != 0 {
		kind = short
	}
	if kind != "F16" && row%32 != 0 {
		kind = "F16"
	}
	return ggmlBits[kind]
}

// A ggufRaise gives tensors of layers another type; that of layer i of n is the first that holds.
type ggufRaise struct {
	kind  string
	holds func(i, n int) bool
}

func ggufAll(int, int) bool         { return true }
func ggufEighth(i, n int) bool      { return i < n/8 }
func ggufSixteenth(i, n int) bool   { return i < n/16 }
func ggufFirstTwo(i, _ int) bool    { return i < 2 }
func ggufFirstFour(i, _ int) bool   { return i < 4 }
func ggufMore(i, n int) bool        { return i < n/8 || i >= 7*n/8 || (i-n/8)%3 == 2 }
func ggufTo(kind string) ggufRaises { return ggufRaises{{kind, ggufAll}} }

type ggufRaises []ggufRaise

func (r ggufRaises) of(base string, i, n int) string {
	for _, x := range r {
		if x.holds(i, n) {
			return x.kind
		}
	}
	return base
}

var (
	ggufMoreQ6   = ggufRaises{{"Q6_K", ggufMore}}
	ggufEighthQ5 = ggufRaises{{"Q5_K", ggufEighth}}
	ggufEighthQ4 = ggufRaises{{"Q4_K", ggufEighth}}
)

// A ggufMix is what a format does to the tensors of a model.
type ggufMix struct {
	base, embeddings, head   string     // embeddings: empty is base
	query, key, output, gate string     // empty is base
	value, down              ggufRaises // by layer
	shared                   string     // of values that four heads or more share
	narrow                   bool       // gate and up have that of gate in the middle three quarters of the layers
	eightKey, eightOutput    string     // of models with eight experts; empty is as above
	low                      bool       // of about two bits: values of models with experts as those that heads share
}

// ggufMixes are the formats that llama-quantize makes, those of IQ3_XXS and fewer bits with an importance matrix.
var ggufMixes = map[string]ggufMix{
	"q8_0":   {base: "Q8_0", head: "Q8_0"},
	"q6_k":   {base: "Q6_K", head: "Q6_K"},
	"q5_1":   {base: "Q5_1", head: "Q6_K"},
	"q5_0":   {base: "Q5_0", head: "Q6_K"},
	"q4_1":   {base: "Q4_1", head: "Q6_K"},
	"q4_0":   {base: "Q4_0", head: "Q6_K"},
	"q5_k_s": {base: "Q5_K", head: "Q6_K"},
	"q5_k_m": {base: "Q5_K", head: "Q6_K", value: ggufMoreQ6, down: ggufMoreQ6},
	"q4_k_s": {base: "Q4_K", head: "Q6_K", value: ggufRaises{{"Q5_K", ggufFirstFour}},
		down: ggufEighthQ5, eightOutput: "Q5_K"},
	"q4_k_m": {base: "Q4_K", head: "Q6_K", value: ggufMoreQ6, down: ggufMoreQ6,
		eightOutput: "Q5_K"},
	"q3_k_s": {base: "Q3_K", head: "Q6_K", eightOutput: "Q5_K"},
	"q3_k_m": {base: "Q3_K", head: "Q6_K", value: ggufRaises{{"Q5_K", ggufFirstTwo}, {"Q4_K", ggufAll}}, output: "Q4_K",
		down: ggufRaises{{"Q5_K", ggufSixteenth}, {"Q4_K", ggufAll}}, eightOutput: "Q5_K"},
	"q3_k_l": {base: "Q3_K", head: "Q6_K", value: ggufTo("Q5_K"), output: "Q5_K", down: ggufTo("Q5_K")},
	"q2_k_s": {base: "Q2_K", head: "Q6_K", shared: "Q4_K", down: ggufEighthQ4},
	"q2_k": {base: "Q2_K", head: "Q6_K", value: ggufTo("Q3_K"), shared: "Q4_K", output: "Q3_K", down: ggufTo("Q3_K"),
		eightOutput: "Q5_K"},
	"iq4_nl": {base: "IQ4_NL", head: "Q6_K", shared: "Q5_K", down: ggufEighthQ5, eightOutput: "Q5_K"},
	"iq4_xs": {base: "IQ4_XS", head: "Q6_K", shared: "Q5_K", down: ggufEighthQ5, eightOutput: "Q5_K"},
	"iq3_m": {base: "IQ3_S", head: "Q6_K", value: ggufTo("Q4_K"), output: "Q4_K", down: ggufEighthQ4,
		eightOutput: "Q5_K"},
	"iq3_s": {base: "IQ3_S", head: "Q6_K", shared: "Q4_K", eightOutput: "Q5_K"},
	"iq3_xs": {base: "IQ3_S", head: "Q6_K", shared: "Q4_K", query: "IQ3_XXS", key: "IQ3_XXS", gate: "IQ3_XXS",
		narrow: true, eightOutput: "Q5_K"},
	"iq3_xxs": {base: "IQ3_XXS", embeddings: "IQ3_S", head: "Q5_K", shared: "Q4_K", query: "IQ2_S", key: "IQ2_S",
		output: "IQ3_S", eightOutput: "Q5_K"},
	"iq2_m":   lowMix("IQ2_S", "IQ3_S", "IQ3_S"),
	"iq2_s":   lowMix("IQ2_XS", "IQ3_S", "IQ3_S"),
	"iq2_xs":  lowMix("IQ2_XS", "Q2_K", ""),
	"iq2_xxs": lowMix("IQ2_XXS", "Q2_K", ""),
	"iq1_m":   lowMix("IQ1_M", "Q2_K", "IQ2_XXS"),
	"iq1_s":   lowMix("IQ1_S", "Q2_K", "IQ2_XXS"),
}

// lowMix is a format of about two bits or fewer: embeddings, values and the first eighth of the down projections have
// more.
func lowMix(base, more, output string) ggufMix {
	return ggufMix{base: base, embeddings: more, head: "Q5_K", value: ggufTo(more), shared: "Q4_K", output: output,
		down: ggufRaises{{more, ggufEighth}}, eightKey: "Q4_K", eightOutput: "Q5_K", low: true}
}

// bitsOf are the bits per weight that a format has in a model: of all weights, of the matrices of the layers and of the
// head, which is the table of embeddings where the two are one.
type bitsOf struct{ all, layers, head float64 }

// in are the bits that the format has in a model: where its file mixes types, what they come to.
func (f *Format) in(m *Model) bitsOf {
	mix, ok := ggufMixes[f.ID]
	if !ok || m == nil || m.Layers == 0 || m.Vocabulary == 0 || m.Linear() == 0 || !m.WritesText() {
		return bitsOf{f.Bits, f.Bits, f.Bits}
	}
	layers, embeddings := mix.layers(m), mix.head
	if !m.TiedEmbeddings {
		embeddings = cmp.Or(mix.embeddings, mix.base)
	}
	head := ggml(mix.head, m.Hidden)
	all := layers + m.Embeddings()*ggml(embeddings, m.Hidden) + m.Head()*head
	return bitsOf{all / m.Parameters, layers / m.Linear(), head}
}

// BitsIn are the bits per weight that the format has in a model, over all its weights.
func (f *Format) BitsIn(m *Model) float64 { return f.in(m).all }

// layers are the bits of all matrices of the layers.
func (x *ggufMix) layers(m *Model) float64 {
	h, base := m.Hidden, ggml(x.base, m.Hidden)
	var counted, bits float64
	add := func(n, row int, kind string) {
		counted += float64(n) * float64(row)
		bits += float64(n) * float64(row) * ggml(kind, row)
	}
	eight, attends, v := m.Experts == 8, m.attentionLayers(), m.valueHeadDim()
	output, key := cmp.Or(x.output, x.base), cmp.Or(x.key, x.base)
	if eight {
		output, key = cmp.Or(x.eightOutput, x.base), cmp.Or(x.eightKey, "Q8_0")
	}
	add(attends*h, m.Heads*v, output)
	if m.KVLoRARank == 0 {
		add(attends*m.KVHeads*m.HeadDim, h, key)
		add(attends*m.Heads*m.HeadDim, h, cmp.Or(x.query, x.base))
		for i := range attends {
			add(m.KVHeads*v, h, x.values(m, i, attends))
		}
	}
	for i := range m.Layers {
		if m.feedForwardLayers() < m.Layers && i >= m.feedForwardLayers() {
			break
		}
		down, gate := x.down.of(x.base, i, m.Layers), x.base
		if x.narrow && i >= m.Layers/8 && i < 7*m.Layers/8 {
			gate = x.gate
		}
		mlp := func(copies, width, row int) {
			add(copies*row, width, down)
			add((int(m.mlpMatrices())-1)*copies*width, row, gate)
		}
		switch {
		case m.Experts == 0:
			mlp(1, m.Intermediate, h)
		case i < m.DenseLayers:
			mlp(1, m.DenseIntermediate, h)
		default:
			mlp(m.Experts, m.ExpertIntermediate, cmp.Or(m.ExpertHidden, h))
			mlp(1, m.SharedIntermediate, h)
			counted += float64(m.Experts * h)
			bits += float64(m.Experts*h) * 32 // what chooses them
		}
	}
	if rest := m.Linear() - counted; rest > 0 {
		return bits + rest*base
	}
	return bits / counted * m.Linear() // layers that share matrices
}

// values is the type of the values of layer i of n that attend.
func (x *ggufMix) values(m *Model, i, n int) string {
	kind := x.value.of(x.base, i, n)
	if x.shared != "" && (m.Heads >= 4*m.KVHeads || x.low && m.Experts >= 4) {
		kind = x.shared
	}
	if m.Layers == 80 && m.Heads != m.KVHeads && (kind == "Q3_K" || kind == "Q4_K") { // those of 70B
		kind = "Q5_K"
	}
	if m.Experts == 8 && !x.low {
		kind = "Q8_0"
	}
	return kind
}
