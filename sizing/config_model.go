package sizing

import (
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
)

func itoa(n int) string { return strconv.Itoa(n) }

// model is the model of a configuration; nil with errors.
func (c *config) model() *Model {
	name, t := c.architecture()
	if len(c.errs) > 0 {
		return nil
	}
	m := &Model{ID: ownID, Kind: "decoder", GatedMLP: !t.plain, Layers: c.needed("num_hidden_layers"),
		Hidden: c.needed("hidden_size"), Heads: c.needed("num_attention_heads"), Vocabulary: c.needed("vocab_size"),
		MaxContext: c.whole("max_position_embeddings"), TiedEmbeddings: c.flag("tie_word_embeddings", t.tied),
		MTPLayers: c.whole("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules")}
	if m.Layers > maxConfigLayers {
		c.fail(c.within+"num_hidden_layers", catalog.OutOfRange, m.Layers, "1 … "+itoa(maxConfigLayers))
	}
	if len(c.errs) > 0 {
		return nil
	}
	kinds := c.layerKinds(m.Layers, t)
	c.heads(m)
	if len(c.errs) > 0 {
		return nil
	}
	p := c.attentionOf(m, kinds, t)
	p += c.statesOf(m, kinds)
	p += c.feedForward(m, kinds, name)
	p += c.perLayer(m)
	m.Parameters = p + m.Embeddings() + m.Head() + float64(2*m.Layers+1)*float64(m.Hidden)
	m.Active += m.Parameters // less the experts that a token does not pass
	m.Vision = c.vision(m)
	c.published(m)
	if len(c.errs) > 0 {
		return nil
	}
	if m.Parameters < 1e6 || m.Parameters > 1e14 {
		c.fail(c.within+"hidden_size", catalog.OutOfRange, m.Hidden, "10^6 … 10^14")
		return nil
	}
	m.Name = strings.ReplaceAll(name, "_", "-") + " " + strconv.FormatFloat(m.Parameters/1e9, 'g', 3, 64) + "B"
	m.Source = "config.json"
	m.Config = c.canonical()
	return m
}

// heads reads the widths of heads.
func (c *config) heads(m *Model) {
	m.KVHeads = c.whole("num_key_value_heads")
	if m.KVHeads == 0 {
		m.KVHeads = m.Heads
	}
	m.HeadDim = c.whole("head_dim", "attention_head_dim")
	if m.KVLoRARank = c.whole("kv_lora_rank"); m.KVLoRARank > 0 {
		m.RoPEHeadDim = c.needed("qk_rope_head_dim")
		m.HeadDim = c.needed("qk_nope_head_dim") + m.RoPEHeadDim
		m.ValueHeadDim = c.needed("v_head_dim")
	}
	if m.HeadDim == 0 {
		if m.Hidden%m.Heads != 0 {
			c.fail(c.within+"head_dim", catalog.Missing, nil)
			return
		}
		m.HeadDim = m.Hidden / m.Heads
	}
	if m.Heads%m.KVHeads != 0 && m.KVLoRARank == 0 {
		c.fail(c.within+"num_key_value_heads", catalog.NotDivisible, m.KVHeads, "num_attention_heads="+itoa(m.Heads))
	}
	m.GlobalHeadDim, m.GlobalKVHeads = c.whole("global_head_dim"), c.whole("num_global_key_value_heads")
	if m.GlobalHeadDim > 0 && m.GlobalKVHeads == 0 {
		m.GlobalKVHeads = m.KVHeads
	}
}

func countKinds(kinds []string, of ...string) int {
	n := 0
	for _, k := range kinds {
		if slices.Contains(of, k) {
			n++
		}
	}
	return n
}

// attentionOf reads windows, caches and indexes, and counts the parameters of layers
// with attention.
func (c *config) attentionOf(m *Model, kinds []string, t traits) float64 {
	local := countKinds(kinds, layerLocal, layerChunk)
	attending := local + countKinds(kinds, layerFull, layerParallel)
	if attending < m.Layers {
		m.AttentionLayers = attending
		if attending == 0 {
			c.fail(c.within+"layer_types", catalog.UnknownValue, nil, "≥ 1 full_attention")
			return 0
		}
	}
	if local > 0 {
		m.GlobalLayers, m.SlidingWindow = attending-local, c.whole("sliding_window")
		if countKinds(kinds, layerChunk) > 0 {
			m.Chunked, m.SlidingWindow = true, c.needed("attention_chunk_size")
		} else if m.SlidingWindow == 0 {
			c.fail(c.within+"sliding_window", catalog.Missing, nil)
		}
	}
	if shared := c.whole("num_kv_shared_layers"); shared > 0 {
		own := kinds[:max(0, len(kinds)-shared)]
		if m.CacheLayers = len(own); len(own) == 0 {
			c.fail(c.within+"num_kv_shared_layers", catalog.OutOfRange, shared, "< num_hidden_layers")
		}
		m.CacheGlobalLayers = countKinds(own, layerFull)
	}
	if ratios := c.words("compress_ratios"); ratios != nil {
		return c.compressed(m, ratios)
	}
	h, a, d := float64(m.Hidden), float64(m.Heads), float64(m.HeadDim)
	switch {
	case m.KVLoRARank > 0:
		return c.latent(m) * float64(attending)
	case m.GlobalKVHeads > 0:
		return c.mixed(m, local, attending)
	}
	gate := 0.0
	if t.wideQuery && c.flag("attn_output_gate", true) {
		gate = float64(attending) * h * a * d
	}
	shared := 0.0
	if m.CacheLayers > 0 {
		shared = float64(attending-m.CacheLayers) * 2 * h * float64(m.KVHeads) * d
	}
	return m.attention() + gate - shared
}

// latent counts a layer of multi-head latent attention: h·r_q + r_q·a·d, or h·a·d, of
// queries; h·(r_kv + d_rope) + r_kv·a·(d_nope + d_v) of keys and values; a·d_v·h.
func (c *config) latent(m *Model) float64 {
	h, a, d, v := float64(m.Hidden), float64(m.Heads), float64(m.HeadDim), float64(m.ValueHeadDim)
	r, rope := float64(m.KVLoRARank), float64(m.RoPEHeadDim)
	query, rank := h*a*d, float64(c.whole("q_lora_rank"))
	if rank > 0 {
		query = h*rank + rank*a*d
	}
	out := query + h*(r+rope) + r*a*(d-rope+v) + a*v*h
	if m.IndexDim = c.whole("index_head_dim"); m.IndexDim > 0 {
		m.IndexLayers = m.Layers
		heads, k := float64(c.needed("index_n_heads")), float64(m.IndexDim)
		out += rank*heads*k + h*k + h*heads
	}
	return out
}

// mixed counts layers whose global ones have heads of their own, with one projection
// for keys and values where the file says so.
func (c *config) mixed(m *Model, local, attending int) float64 {
	h, a := float64(m.Hidden), float64(m.Heads)
	d, wide := float64(m.HeadDim), float64(m.GlobalHeadDim)
	projections := 2.0
	if c.flag("attention_k_eq_v", false) {
		projections = 1
	}
	each := h * (2*a*d + 2*float64(m.KVHeads)*d)
	global := h * (2*a*wide + projections*float64(m.GlobalKVHeads)*wide)
	out := float64(local)*each + float64(attending-local)*global
	if m.CacheLayers > 0 {
		without := attending - m.CacheLayers
		wideWithout := attending - local - m.CacheGlobalLayers
		out -= h * (float64(without-wideWithout)*2*float64(m.KVHeads)*d +
			float64(wideWithout)*projections*float64(m.GlobalKVHeads)*wide)
	}
	return out
}

// compressed reads the cache of DeepSeek-V4: a latent of one head for each so many
// tokens, with an index where they are four, and a window in every layer; and counts its
// attention, whose output has a low rank by group.
func (c *config) compressed(m *Model, ratios []string) float64 {
	window, index := c.needed("sliding_window"), c.needed("index_head_dim")
	d := float64(m.HeadDim)
	for i, ratio := range ratios {
		n, err := strconv.Atoi(ratio)
		if err != nil || n < 0 {
			c.fail(c.within+"compress_ratios", catalog.NotWhole, ratio)
			return 0
		}
		if i >= m.Layers || n == 0 {
			continue // the last is of the layer that predicts further tokens
		}
		m.CacheValues += d / float64(n)
		if n == 4 {
			m.CacheValues += float64(index) / 4
		}
	}
	m.StateBytes = float64(m.Layers) * float64(window) * d * 2
	m.SlidingWindow, m.GlobalLayers = 0, 0 // of a fixed size, and counted there
	h, a := float64(m.Hidden), float64(m.Heads)
	rank, out := float64(c.needed("q_lora_rank")), float64(c.needed("o_lora_rank"))
	groups := float64(c.needed("o_groups"))
	return float64(m.Layers) * (h*rank + rank*a*d + h*d + a*d*out + groups*out*h)
}

// statesOf reads the states of layers without a growing cache, and counts their
// parameters.
func (c *config) statesOf(m *Model, kinds []string) float64 {
	h := float64(m.Hidden)
	linear, conv := float64(countKinds(kinds, layerLinear)), float64(countKinds(kinds, layerConv))
	mamba := float64(countKinds(kinds, layerMamba, layerParallel))
	out := 0.0
	switch {
	case linear > 0 && c.whole("linear_num_value_heads") > 0:
		keys := float64(c.needed("linear_num_key_heads")) * float64(c.needed("linear_key_head_dim"))
		heads, v := float64(c.whole("linear_num_value_heads")), float64(c.needed("linear_value_head_dim"))
		m.StateBytes += linear * heads * float64(c.whole("linear_key_head_dim")) * v * 4
		out += linear * (h*(2*keys+2*heads*v+2*heads) + heads*v*h)
	case linear > 0: // lightning attention: a state of d·d of each head, and a gate
		a, d := float64(m.Heads), float64(m.HeadDim)
		m.StateBytes += linear * a * d * d * 2
		out += linear * 5 * h * a * d
	}
	if mamba > 0 {
		out += mamba * c.mamba(m, mamba)
	}
	if conv > 0 {
		tail := float64(c.needed("conv_L_cache") - 1)
		m.StateBytes += conv * tail * h * 2
		out += conv * 4 * h * h
	}
	return out
}

// mamba counts a state-space layer, of the first kind where it has no heads, and adds
// the states of so many.
func (c *config) mamba(m *Model, layers float64) float64 {
	h, n := float64(m.Hidden), float64(c.needed("mamba_d_state", "ssm_state_size"))
	bytes := 2.0
	if c.text("mamba_ssm_cache_dtype") == "float32" {
		bytes = 4
	}
	heads, dim := float64(c.whole("mamba_n_heads", "mamba_num_heads")), 0.0
	inner := float64(c.whole("mamba_d_ssm"))
	if heads == 0 {
		inner = h * float64(c.needed("mamba_expand"))
		rank := float64(c.needed("mamba_dt_rank"))
		m.StateBytes += layers * inner * n * bytes
		return 2*h*inner + inner*(rank+2*n) + rank*inner + inner*n + inner*h
	}
	if dim = float64(c.whole("mamba_d_head", "mamba_head_dim")); dim > 0 {
		inner = heads * dim
	} else if inner == 0 {
		c.fail(c.within+"mamba_d_head", catalog.Missing, nil)
	}
	groups := float64(max(1, c.whole("mamba_n_groups", "n_groups")))
	m.StateBytes += layers * inner * n * bytes
	return h*(2*inner+2*groups*n+heads) + inner*h
}

// perLayer counts embeddings that each layer has of its own.
func (c *config) perLayer(m *Model) float64 {
	width := float64(c.whole("hidden_size_per_layer_input"))
	if width == 0 {
		return 0
	}
	layers, h := float64(m.Layers), float64(m.Hidden)
	return layers*width*float64(c.needed("vocab_size_per_layer_input")) + h*layers*width + layers*2*h*width
}
