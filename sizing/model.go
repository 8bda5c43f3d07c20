package sizing

import (
	"cmp"
	"math"
)

// A Model is the architecture of a transformer, as its configuration gives it.
// Counts are of single parameters.
type Model struct {
	ID      string // "llama-3.1-8b"
	Name    string // "Llama-3.1-8B"
	Family  string
	Kind    string // of [ModelKinds]; empty is a decoder
	ShapeOf string // the preset that was published earlier with the same layers; empty: none

	Parameters float64 // of the language model, without Vision and layers that predict further tokens
	Active     float64 // those that a token passes through; Parameters unless experts are chosen
	Vision     float64 // of the towers beside it

	Layers, Hidden, Heads, KVHeads, HeadDim int
	ValueHeadDim                            int // where values are narrower than keys; 0 is HeadDim
	Intermediate, Vocabulary, MaxContext    int
	TiedEmbeddings, GatedMLP                bool
	// its own code joins a token to keys and values by copying them, while those before it are still held
	CopiesCache bool
	// its own code computes the loss in the format of the logits, where nothing casts them to 32 bits
	ShortLoss bool
	// the GELU of its MLP is written in single operations, each of which keeps what its gradient needs
	UnfusedGELU bool
	// the experts of a layer are one tensor in Transformers, no modules: adapters of modules by name leave them out
	ExpertTensors bool

	AttentionLayers   int // layers that attend to earlier tokens; 0 is all
	FeedForwardLayers int // layers with an MLP or experts; 0 is all

	Experts, ExpertsPerToken, ExpertIntermediate int
	ExpertHidden                                 int // width that experts read and write; 0 is Hidden
	SharedIntermediate                           int // of experts that every token passes
	DenseLayers, DenseIntermediate               int // layers with an MLP that have no experts
	MTPLayers                                    int // that predict further tokens; not among Layers

	KVLoRARank, RoPEHeadDim int // multi-head latent attention
	IndexDim, IndexLayers   int // keys of the index that chooses tokens, and the layers that own one

	SlidingWindow int  // tokens that a local layer looks back; 0 is all
	Chunked       bool // local layers look back to the start of a chunk of SlidingWindow tokens
	GlobalLayers  int  // layers that look at everything, where SlidingWindow is set
	// keys and values of global layers, where they differ; 0 is as in local layers
	GlobalKVHeads, GlobalHeadDim int
	// Layers with a cache of their own, where others read theirs; 0 is all with attention.
	CacheLayers, CacheGlobalLayers int
	// Values that all layers together keep of a token, where they compress; 0: as above.
	CacheValues float64
	// Bytes of a sequence whatever its length: states of linear attention and of
	// state-space layers, buffers of windows. Tails of convolutions are left out where
	// there is a state.
	StateBytes float64

	Published      string  // id of the format of the published weights; empty is 16 bits
	PublishedFixed float64 // parameters of layers that this format leaves in 16 bits

	Pipeline *Pipeline // of a model of diffusion; nil where it is not known

	// The first presets with the same layers, see [Models.relate]: with nearly the same vocabulary, and with nearly as
	// many parameters. Empty is Shape.
	TwinOf, KinOf string

	Source string
	// the preset whose shape was scaled, where only a size was given
	CompletedFrom string
	// what a configuration said of it, in one line; empty for presets
	Config string
}

// ModelKinds are the kinds of models. Only a decoder writes text.
var ModelKinds = []string{"decoder", "encoder", "encoder-decoder", "embedding", "reranker", "vision", "diffusion",
	"speech"}

// Shape is the id of the preset whose runs tell of the model too.
func (m *Model) Shape() string {
	if m.ShapeOf != "" {
		return m.ShapeOf
	}
	return m.ID
}

// Twin is the id of the first preset with the same layers and a vocabulary within a little: what runs of one measure
// holds of the other.
func (m *Model) Twin() string { return cmp.Or(m.TwinOf, m.Shape()) }

// Kin is the id of the first preset with the same layers and nearly as many parameters, whatever its vocabulary: what
// formulas get wrong of one they get wrong of the other.
func (m *Model) Kin() string { return cmp.Or(m.KinOf, m.Shape()) }

// hasLayersOf reports whether the layers of two models are the same, but for how far they look back where one of them
// looks at everything.
func (m *Model) hasLayersOf(o *Model) bool {
	layers := func(m *Model) Model {
		x := *m
		x.ID, x.Name, x.Family, x.ShapeOf, x.Source, x.CompletedFrom, x.Config = "", "", "", "", "", "", ""
		x.Parameters, x.Active, x.Vision, x.Vocabulary, x.MaxContext = 0, 0, 0, 0, 0
		x.Published, x.PublishedFixed, x.Pipeline, x.TwinOf, x.KinOf = "", 0, nil, "", ""
		if x.GlobalLayers == 0 && !x.Chunked {
			x.SlidingWindow = 0
		}
		return x
	}
	return layers(m) == layers(o)
}

// Embeddings counts the token embeddings, once.
func (m *Model) Embeddings() float64 { return float64(m.Vocabulary) * float64(m.Hidden) }

// Head counts the output projection that is stored beside the embeddings.
func (m *Model) Head() float64 {
	if m.TiedEmbeddings {
		return 0
	}
	return m.Embeddings()
}

// Linear counts the matrices of the layers: what quantisation formats apply to.
func (m *Model) Linear() float64 { return max(0, m.Parameters-m.Embeddings()-m.Head()) }

// fixedIn counts what a format leaves in 16 bits of the layers: the format in which
// the model was published may apply to its experts alone.
func (m *Model) fixedIn(f *Format) float64 {
	if f == nil || m.Published == "" || f.ID != m.Published {
		return 0
	}
	return m.PublishedFixed
}

// A cacheShape is what the layers of a model keep of tokens, in values.
type cacheShape struct {
	growing float64 // of each token
	local   float64 // of each token in the window
	window  float64 // tokens
}

// cache counts the values of keys and values: kv·(d + d_v) of each layer, r_kv +
// d_rope where they are compressed, and d_index of each layer with an index.
func (m *Model) cache() cacheShape {
	if m.CacheValues > 0 {
		return cacheShape{growing: m.CacheValues}
	}
	each := float64(m.KVHeads) * float64(m.HeadDim+m.valueHeadDim())
	if m.KVLoRARank > 0 {
		each = float64(m.KVLoRARank + m.RoPEHeadDim)
	}
	layers, global := m.attentionLayers(), m.GlobalLayers
	if m.CacheLayers > 0 {
		layers, global = m.CacheLayers, m.CacheGlobalLayers
	}
	index := float64(m.IndexDim) * float64(m.IndexLayers)
	if m.SlidingWindow == 0 {
		return cacheShape{growing: float64(layers)*each + index}
	}
	wide := each
	if m.GlobalKVHeads > 0 {
		keys, values := m.HeadDim, m.valueHeadDim()
		if m.GlobalHeadDim > 0 {
			keys, values = m.GlobalHeadDim, m.GlobalHeadDim
		}
		wide = float64(m.GlobalKVHeads) * float64(keys+values)
	}
	return cacheShape{float64(global)*wide + index, float64(layers-global) * each, float64(m.SlidingWindow)}
}

func (m *Model) valueHeadDim() int {
	if m.ValueHeadDim > 0 {
		return m.ValueHeadDim
	}
	return m.HeadDim
}

func (m *Model) attentionLayers() int {
	if m.AttentionLayers > 0 {
		return m.AttentionLayers
	}
	return m.Layers
}

func (m *Model) feedForwardLayers() int {
	if m.FeedForwardLayers > 0 {
		return m.FeedForwardLayers
	}
	return m.Layers
}

// KVBytes are the bytes that the keys and values of one sequence of tokens take,
// at bytes per element: 2·L·kv·d·tokens, the compressed latent where the model
// has one, and no more than the window in local layers. StateBytes come on top.
func (m *Model) KVBytes(tokens, bytesPerElement float64) float64 {
	c := m.cache()
	return bytesPerElement * (c.growing*tokens + c.local*min(tokens, c.window))
}

// KVBytesUnwindowed are KVBytes of software that keeps all tokens in local layers.
func (m *Model) KVBytesUnwindowed(tokens, bytesPerElement float64) float64 {
	c := m.cache()
	return bytesPerElement * (c.growing + c.local) * tokens
}

// lookBack is how many tokens the average layer reads for a token at a position.
// Layers without attention read none; those that compress read what they keep.
func (m *Model) lookBack(position float64) float64 {
	switch layers := float64(m.Layers); {
	case layers == 0:
		return position
	case m.CacheValues > 0:
		return position * min(1, m.CacheValues/(layers*float64(m.KVHeads*m.HeadDim)))
	case m.SlidingWindow == 0:
		return position * float64(m.attentionLayers()) / layers
	default:
		global, reach := float64(m.GlobalLayers), float64(m.SlidingWindow)
		if m.Chunked {
			reach /= 2 // on average
		}
		return (global*position + (float64(m.attentionLayers())-global)*min(position, reach)) / layers
	}
}

// ActiveAt is the number of parameters that a batch of tokens reads: the union of
// the experts that the tokens choose, E·(1−(1−k/E)^b) of them on average.
func (m *Model) ActiveAt(tokens float64) float64 {
	if m.Experts == 0 || tokens <= 1 {
		return m.Active
	}
	e, k := float64(m.Experts), float64(m.ExpertsPerToken)
	perExpert := m.chosen() / k
	return m.Active - k*perExpert + perExpert*e*(1-math.Pow(1-k/e, tokens))
}

// routedValues counts the inputs and outputs of the products of the experts that a token is sent to: hidden values, and
// those in between.
func (m *Model) routedValues() float64 {
	h, i := float64(cmp.Or(m.ExpertHidden, m.Hidden)), float64(cmp.Or(m.ExpertIntermediate, m.Intermediate))
	if m.Experts == 0 || h == 0 || i == 0 {
		return 0
	}
	experts := m.chosen() / (m.mlpMatrices() * h * i) // in all layers
	return experts * (2*h + 3*i)
}

// chosen are the parameters of the experts that a token is sent to; 0 of models without.
func (m *Model) chosen() float64 {
	if m.Experts == 0 {
		return 0
	}
	e, k := float64(m.Experts), float64(m.ExpertsPerToken)
	return k * (m.Parameters - m.Active) / (e - k)
}
