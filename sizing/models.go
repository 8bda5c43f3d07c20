package sizing

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Models are the known architectures, in the order of menus.
type Models struct {
	All   []Model
	byKey map[string]int

	readFamilies sync.Once // when the first name is not known
	families     map[string]string
	heads        []string // what names them, in order
}

// ReadModels reads a table of architectures. What a row leaves empty is unknown. The
// names in same_shape are releases of their own: models like the row under another
// name.
func ReadModels(r io.Reader) (*Models, error) {
	m := &Models{byKey: map[string]int{}}
	bad := readTable(r, func(rec *record) {
		x := readModel(rec)
		if x.ID == "" || x.Name == "" || x.Parameters == 0 || x.Source == "" {
			rec.problem("", "id, name, total_params_b and source are needed")
		}
		if len(rec.bad) > 0 {
			return
		}
		m.add(rec, x, list(rec.text("aliases")))
		for _, name := range list(rec.text("same_shape")) {
			y := x
			y.ID, y.Name, y.ShapeOf = slug(name), name, x.Shape()
			m.add(rec, y, nil)
		}
	})
	for i := range m.All {
		if x := &m.All[i]; x.ShapeOf != "" && m.Find(x.ShapeOf) == nil {
			bad = append(bad, Problem{ID: x.ID, Field: "shape_of", Reason: "no model has the id " + x.ShapeOf})
		}
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("models: %w", bad[0])
	}
	m.relate()
	return m, nil
}

// Models with the same layers are of one build where their vocabularies, or all their parameters, differ by no more.
const (
	littleOfVocabulary = 0.05
	littleOfParameters = 0.03
)

// relate finds for each model the first one that its runs count for, see [Model.Twin] and [Model.Kin].
func (m *Models) relate() {
	near := func(x, y, by float64) bool { return math.Abs(x/y-1) <= by }
	for i := range m.All {
		x := &m.All[i]
		x.TwinOf, x.KinOf = x.Shape(), x.Shape()
		if of := m.Find(x.Shape()); of != x {
			x.TwinOf, x.KinOf = of.TwinOf, of.KinOf
			continue
		}
		for j := range i {
			y := &m.All[j]
			if !x.WritesText() || x.Layers == 0 || y.ShapeOf != "" || !x.hasLayersOf(y) {
				continue
			}
			if x.TwinOf == x.ID && y.TwinOf == y.ID &&
				near(float64(x.Vocabulary), float64(y.Vocabulary), littleOfVocabulary) {
				x.TwinOf = y.ID
			}
			if x.KinOf == x.ID && y.KinOf == y.ID && near(x.Parameters, y.Parameters, littleOfParameters) {
				x.KinOf = y.ID
			}
		}
	}
}

// add appends a model under its id, its name and other spellings of it.
func (m *Models) add(rec *record, x Model, spellings []string) {
	for _, name := range append([]string{x.ID, x.Name}, spellings...) {
		if at, ok := m.byKey[modelKey(name)]; ok && at != len(m.All) {
			rec.problem("aliases", "%q also means %s", name, m.All[at].ID)
			continue
		}
		m.byKey[modelKey(name)] = len(m.All)
	}
	m.All = append(m.All, x)
}

func readModel(rec *record) Model {
	const billion = 1e9
	parameters := func(column string) float64 { return math.Round(rec.number(column) * billion) }
	m := Model{
		ID: rec.text("id"), Name: rec.text("name"), Family: rec.text("family"), Kind: rec.text("kind"),
		ShapeOf: rec.text("shape_of"), Parameters: parameters("total_params_b"),
		Active: parameters("active_params_b"), Vision: parameters("vision_params_b"),
		Layers: rec.count("layers"), Hidden: rec.count("hidden"), Heads: rec.count("heads"),
		KVHeads: rec.count("kv_heads"), HeadDim: rec.count("head_dim"), ValueHeadDim: rec.count("v_head_dim"),
		Intermediate: rec.count("intermediate"), Vocabulary: rec.count("vocab"), MaxContext: rec.count("max_context"),
		TiedEmbeddings: rec.flag("tie_embeddings"), GatedMLP: rec.flag("gated_mlp"),
		CopiesCache: rec.flag("copies_cache"), ShortLoss: rec.flag("short_loss"),
		UnfusedGELU:     rec.flag("unfused_gelu"),
		ExpertTensors:   rec.flag("expert_tensors"),
		AttentionLayers: rec.count("attention_layers"), FeedForwardLayers: rec.count("mlp_layers"),
		Experts: rec.count("n_experts"), ExpertsPerToken: rec.count("experts_per_token"),
		ExpertIntermediate: rec.count("moe_intermediate"), ExpertHidden: rec.count("moe_hidden"),
		SharedIntermediate: rec.count("shared_expert_inter"), DenseLayers: rec.count("first_dense_layers"),
		DenseIntermediate: rec.count("dense_intermediate"), MTPLayers: rec.count("mtp_layers"),
		KVLoRARank: rec.count("kv_lora_rank"), RoPEHeadDim: rec.count("rope_head_dim"),
		IndexDim: rec.count("index_dim"), IndexLayers: rec.count("index_layers"),
		SlidingWindow: rec.count("sliding_window"), Chunked: rec.flag("chunked"),
		GlobalLayers: rec.count("global_layers"), GlobalKVHeads: rec.count("global_kv_heads"),
		GlobalHeadDim: rec.count("global_head_dim"), CacheLayers: rec.count("cache_layers"),
		CacheGlobalLayers: rec.count("cache_global_layers"), CacheValues: rec.number("cache_values"),
		StateBytes: rec.number("state_bytes"), Published: rec.text("published"),
		PublishedFixed: parameters("published_16bit_b"), Source: rec.text("source"),
	}
	if m.Active == 0 {
		m.Active = m.Parameters
	}
	m.check(rec.problem)
	return m
}

// check tells what of an architecture contradicts itself, by column.
func (m *Model) check(problem func(column, format string, args ...any)) {
	if m.Kind != "" && !slices.Contains(ModelKinds, m.Kind) {
		problem("kind", "%q is none of %s", clip(m.Kind), strings.Join(ModelKinds, ", "))
	}
	if m.Active > m.Parameters {
		problem("active_params_b", "more than total_params_b")
	}
	if m.Experts > 0 && (m.ExpertsPerToken == 0 || m.ExpertsPerToken >= m.Experts) {
		problem("experts_per_token", "must lie between 1 and n_experts − 1")
	}
	for _, x := range []struct {
		column string
		some   int
		of     int
	}{
		{"attention_layers", m.AttentionLayers, m.Layers}, {"mlp_layers", m.FeedForwardLayers, m.Layers},
		{"global_layers", m.GlobalLayers, m.attentionLayers()}, {"index_layers", m.IndexLayers, m.Layers},
		{"cache_layers", m.CacheLayers, m.attentionLayers()},
		{"cache_global_layers", m.CacheGlobalLayers, m.CacheLayers},
		{"first_dense_layers", m.DenseLayers, m.feedForwardLayers()},
	} {
		if x.some > x.of {
			problem(x.column, "%d of %d layers", x.some, x.of)
		}
	}
}

// Find returns the model with that id.
func (m *Models) Find(id string) *Model {
	for i := range m.All {
		if m.All[i].ID == id {
			return &m.All[i]
		}
	}
	return nil
}

// CompleteModel is a decoder with that many parameters in the shape of the dense
// preset that is nearest in the logarithm of parameters: its head dimension,
// vocabulary and ratio of query to key heads are kept, layers and width scaled with
// the cube root of the ratio, and the width of the MLP makes up the rest. Nil for
// fewer than 10 million or more than 10 trillion parameters.
func (m *Models) CompleteModel(parameters float64) *Model {
	if !(parameters >= 1e7 && parameters <= 1e13) {
		return nil
	}
	base := m.nearestDense(parameters)
	if base == nil {
		return nil
	}
	out := *base
	out.Parameters, out.Active = parameters, parameters
	out.Name = billions(parameters)
	out.ID, out.Family, out.CompletedFrom = slug(out.Name), "", base.ID
	out.Published, out.PublishedFixed, out.Vision = "", 0, 0
	if math.Abs(parameters/base.Parameters-1) <= 0.01 {
		return &out
	}
	scale := math.Cbrt(parameters / base.Parameters)
	group := max(1, base.Heads/max(1, base.KVHeads))
	out.Layers = max(2, int(math.Round(float64(base.Layers)*scale)))
	groups := max(1, int(math.Round(float64(base.Heads)*scale/float64(group))))
	for ; groups > 0; groups-- {
		out.Heads, out.KVHeads = groups*group, groups
		out.Hidden = out.Heads * base.HeadDim
		out.Intermediate = 0
		rest := (parameters - out.dense()) / float64(out.Layers) / float64(out.Hidden) / out.mlpMatrices()
		step := 64.0
		if rest < 4096 {
			step = 8
		}
		if out.Intermediate = int(math.Round(rest/step) * step); out.Intermediate >= out.Hidden {
			return &out
		}
	}
	return nil
}

// nearestDense is the dense decoder of today's kind (gated MLP, fewer key than
// query heads or as many) nearest to a number of parameters.
func (m *Models) nearestDense(parameters float64) *Model {
	var best *Model
	least := math.Inf(1)
	for i := range m.All {
		x := &m.All[i]
		if !x.WritesText() || x.ShapeOf != "" || x.Experts > 0 || !x.GatedMLP || x.KVLoRARank > 0 ||
			x.SlidingWindow > 0 || x.AttentionLayers > 0 || x.StateBytes > 0 ||
			x.Heads*x.HeadDim != x.Hidden || x.KVHeads == 0 || x.Intermediate == 0 || x.Vocabulary == 0 {
			continue
		}
		if d := math.Abs(math.Log(parameters / x.Parameters)); d < least {
			best, least = x, d
		}
	}
	return best
}

// WritesText reports whether the model is a decoder; others are embedding models, models
// of speech and the like.
func (m *Model) WritesText() bool { return m.Kind == "" || m.Kind == "decoder" }

func (m *Model) mlpMatrices() float64 {
	if m.GatedMLP {
		return 3
	}
	return 2
}

// dense counts the parameters of a dense decoder from its architecture: embeddings
// V·h, once more for an untied head, and in each layer h·(a·d + kv·(d + d_v)) + a·d_v·h
// of attention, 3·h·i of a gated MLP or 2·h·i, and two norms; biases are left out.
func (m *Model) dense() float64 {
	h := float64(m.Hidden)
	return m.Embeddings() + m.Head() + m.attention() +
		float64(m.feedForwardLayers())*m.mlpMatrices()*h*float64(m.Intermediate) + 2*h*float64(m.Layers) + h
}

// attention counts the projections of queries, keys, values and output in all layers
// with attention.
func (m *Model) attention() float64 {
	h, a, kv := float64(m.Hidden), float64(m.Heads), float64(m.KVHeads)
	d, v := float64(m.HeadDim), float64(m.valueHeadDim())
	return float64(m.attentionLayers()) * (h*(a*d+kv*(d+v)) + a*v*h)
}

func billions(parameters float64) string {
	if parameters < 1e9 {
		return strconv.FormatFloat(parameters/1e6, 'f', -1, 64) + "M"
	}
	return strconv.FormatFloat(parameters/1e9, 'f', -1, 64) + "B"
}
