package api

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
)

// ModelItem is a preset.
type ModelItem struct {
	ID              string  `json:"id" example:"llama-3.1-8b"`
	Name            string  `json:"name" example:"Llama-3.1-8B"`
	Family          string  `json:"family,omitempty"`
	Kind            string  `json:"kind" enum:"decoder,encoder,encoder-decoder,embedding,reranker,vision,diffusion,speech"`
	SameShape       string  `json:"same_shape,omitempty" doc:"id of the earlier model with the same layers"`
	Parameters      float64 `json:"parameters"`
	Active          float64 `json:"active_parameters" doc:"that a token passes through"`
	Vision          float64 `json:"vision_parameters,omitempty" doc:"of towers, beside parameters"`
	Layers          int     `json:"layers,omitempty"`
	Hidden          int     `json:"hidden,omitempty"`
	Heads           int     `json:"heads,omitempty"`
	KVHeads         int     `json:"kv_heads,omitempty"`
	HeadDim         int     `json:"head_dim,omitempty"`
	Intermediate    int     `json:"intermediate,omitempty"`
	Vocabulary      int     `json:"vocabulary,omitempty"`
	MaxContext      int     `json:"max_context,omitempty"`
	TiedEmbeddings  bool    `json:"tied_embeddings"`
	Experts         int     `json:"experts,omitempty"`
	ExpertsPerToken int     `json:"experts_per_token,omitempty"`
	SlidingWindow   int     `json:"sliding_window,omitempty" doc:"tokens that a local layer looks back"`
	KVBytes         float64 `json:"kv_bytes_per_token,omitempty" doc:"of keys and values in 16 bits, of one token in every layer"`
	FullBytes       float64 `json:"kv_bytes_per_token_unwindowed,omitempty" doc:"of one token in 16 bits, in software that keeps all tokens in local layers; where it differs beyond the window"`
	GrowingBytes    float64 `json:"kv_bytes_per_token_beyond_window,omitempty" doc:"of one more token in 16 bits, beyond the window of local layers"`
	StateBytes      float64 `json:"state_bytes,omitempty" doc:"of a sequence, whatever its length"`
	Published       string  `json:"published_format,omitempty" doc:"format of the published weights; 16 bits where there is none"`
	MTPLayers       int     `json:"mtp_layers,omitempty" doc:"layers that predict further tokens, not among parameters"`
	Source          string  `json:"source"`
}

// ConfigAnswer is what a configuration says of a model.
type ConfigAnswer struct {
	Envelope
	Model  ModelItem  `json:"model"`
	Config string     `json:"config,omitempty" doc:"the configuration in one line, as recommend and estimate take it"`
	Preset *ModelItem `json:"preset,omitempty" doc:"the model of the list that has the same layers"`
}

// Configuration is the answer for the model of a configuration.
func Configuration(s *catalog.Snapshot, all *sizing.Models, m *sizing.Model) ConfigAnswer {
	out := ConfigAnswer{Envelope: EnvelopeOf(s), Model: modelItem(m), Config: m.Config}
	if m.ShapeOf != "" {
		item := modelItem(all.Find(m.ShapeOf))
		out.Preset = &item
	}
	return out
}

// ModelList is a page of presets.
type ModelList struct {
	Envelope
	Items []ModelItem `json:"items"`
	Total int         `json:"total" doc:"models that match, on all pages"`
	Next  *string     `json:"next" doc:"address of the next page, or null"`
}

// A ModelQuery chooses presets.
type ModelQuery struct {
	Text, Family, Kind string
	From, Limit        int
}

// Models are the presets that a query means; next is the address of the following
// page for the offset that it starts at.
func Models(s *catalog.Snapshot, m *sizing.Models, q ModelQuery, next func(from int) string) ModelList {
	out := ModelList{Envelope: EnvelopeOf(s), Items: []ModelItem{}}
	words := strings.Fields(strings.ToLower(q.Text))
	for i := range m.All {
		x := &m.All[i]
		item := modelItem(x)
		names := strings.ToLower(x.ID + " " + x.Name + " " + x.Family)
		if q.Family != "" && !strings.EqualFold(q.Family, x.Family) || q.Kind != "" && q.Kind != item.Kind ||
			slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(names, w) }) {
			continue
		}
		if out.Total >= q.From && len(out.Items) < q.Limit {
			out.Items = append(out.Items, item)
		}
		out.Total++
	}
	if end := q.From + len(out.Items); end < out.Total && len(out.Items) > 0 {
		address := next(end)
		out.Next = &address
	}
	return out
}

func modelItem(m *sizing.Model) ModelItem {
	kind := m.Kind
	if kind == "" {
		kind = "decoder"
	}
	out := ModelItem{ID: m.ID, Name: m.Name, Family: m.Family, Kind: kind, Parameters: m.Parameters, Active: m.Active,
		Layers: m.Layers, Hidden: m.Hidden, Heads: m.Heads,
		KVHeads: m.KVHeads, HeadDim: m.HeadDim, Intermediate: m.Intermediate, Vocabulary: m.Vocabulary,
		MaxContext: m.MaxContext, TiedEmbeddings: m.TiedEmbeddings,
		Experts: m.Experts, ExpertsPerToken: m.ExpertsPerToken, SlidingWindow: m.SlidingWindow, Source: m.Source,
		SameShape: m.ShapeOf, Vision: m.Vision, StateBytes: m.StateBytes, Published: m.Published,
		MTPLayers: m.MTPLayers}
	if kind == "decoder" {
		out.KVBytes = m.KVBytes(1, 2)
		beyond := float64(m.SlidingWindow)
		if more := m.KVBytes(beyond+1, 2) - m.KVBytes(beyond, 2); more != out.KVBytes {
			out.GrowingBytes, out.FullBytes = more, m.KVBytesUnwindowed(1, 2)
		}
	}
	return out
}
