package sizing

import "math"

// A Model is the architecture of a transformer, as its configuration gives it.
// Counts are of single parameters.
type Model struct {
	ID     string // "llama-3.1-8b"
	Name   string // "Llama-3.1-8B"
	Family string
	Kind   string // "decoder", "encoder", "vision", "diffusion"; empty is a decoder

	Parameters float64 // all of them
	Active     float64 // those that a token passes through; Parameters unless experts are chosen

	Layers, Hidden, Heads, KVHeads, HeadDim int
	Intermediate, Vocabulary, MaxContext    int
	TiedEmbeddings, GatedMLP                bool

	Experts, ExpertsPerToken, ExpertIntermediate int
	SharedIntermediate                           int // of experts that every token passes
	DenseLayers, DenseIntermediate               int // the first layers, where they have no experts
	KVLoRARank, RoPEHeadDim                      int // multi-head latent attention
	SlidingWindow                                int // tokens that a local layer looks back; 0 is all
	GlobalLayers                                 int // layers that look at everything, where SlidingWindow is set
	Source                                       string
	// the preset whose shape was scaled, where only a size was given
	CompletedFrom string
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

// KVBytes are the bytes that the keys and values of one sequence of tokens take,
// at bytes per element: 2·L·kv·d·tokens, the compressed latent where the model
// has one, and no more than the window in local layers.
func (m *Model) KVBytes(tokens, bytesPerElement float64) float64 {
	perLayer := 2 * float64(m.KVHeads) * float64(m.HeadDim)
	if m.KVLoRARank > 0 {
		perLayer = float64(m.KVLoRARank + m.RoPEHeadDim)
	}
	layers, local := float64(m.Layers), 0.0
	if m.SlidingWindow > 0 {
		local = layers - float64(m.GlobalLayers)
		layers = float64(m.GlobalLayers)
	}
	return perLayer * bytesPerElement * (layers*tokens + local*min(tokens, float64(m.SlidingWindow)))
}

// ActiveAt is the number of parameters that a batch of tokens reads: the union of
// the experts that the tokens choose, E·(1−(1−k/E)^b) of them on average.
func (m *Model) ActiveAt(tokens float64) float64 {
	if m.Experts == 0 || tokens <= 1 {
		return m.Active
	}
	e, k := float64(m.Experts), float64(m.ExpertsPerToken)
	perExpert := (m.Parameters - m.Active) / (e - k)
	return m.Active - k*perExpert + perExpert*e*(1-math.Pow(1-k/e, tokens))
}
