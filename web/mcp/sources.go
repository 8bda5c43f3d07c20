package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
)

// cited is a source that an answer names.
type cited struct {
	Key       string `json:"key"`
	Publisher string `json:"publisher"`
	Title     string `json:"title"`
	URL       string `json:"url,omitempty"`
	Published string `json:"published,omitempty"`
	Retrieved string `json:"retrieved,omitempty"`
}

// mostSources is how many sources stand beside an answer.
const mostSources = 40

// sourcesIn are the sources that an answer names under "source" and "sources", in the order of their keys, and how many
// more there are.
func sourcesIn(s *catalog.Snapshot, body []byte) ([]cited, int, error) {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, 0, err
	}
	named := map[string]bool{}
	collect(v, named)
	out := []cited{}
	for i := range s.Sources() {
		src := &s.Sources()[i]
		key := src.ID
		if set := s.Datasets()[src.Dataset].ID; set != "builtin" {
			key = set + "/" + src.ID
		}
		if named[key] {
			out = append(out, cited{key, src.Publisher, src.Title, src.URL, string(src.Published), string(src.Retrieved)})
		}
	}
	slices.SortFunc(out, func(a, b cited) int { return strings.Compare(a.Key, b.Key) })
	if len(out) > mostSources {
		return out[:mostSources], len(out) - mostSources, nil
	}
	return out, 0, nil
}

// collect notes the keys of sources in a value of JSON.
func collect(v any, named map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			collect(e, named)
		}
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			text, isText := v[key].(string)
			list, isList := v[key].([]any)
			switch {
			case key == "source" && isText:
				named[text] = true
			case key == "sources" && isList:
				for _, e := range list {
					if text, ok := e.(string); ok {
						named[text] = true
					}
				}
			}
			collect(v[key], named)
		}
	}
}

// exportCaveat says what of export control is not modelled.
func exportCaveat() string { return locale.Of("en").T("export.disclaimer", exportcontrol.GroupsAsOf) }
