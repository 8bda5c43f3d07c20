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
	Kind            string  `json:"kind" enum:"decoder,encoder,vision,diffusion"`
	Parameters      float64 `json:"parameters"`
	Active          float64 `json:"active_parameters" doc:"that a token passes through"`
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
	Source          string  `json:"source"`
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
	out := ModelList{Envelope: envelope(s), Items: []ModelItem{}}
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
		Experts: m.Experts, ExpertsPerToken: m.ExpertsPerToken, SlidingWindow: m.SlidingWindow, Source: m.Source}
	if kind == "decoder" {
		out.KVBytes = m.KVBytes(1, 2)
	}
	return out
}
