package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/exportcontrol"
	"tianti/locale"
	"tianti/sorting"
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
	named := map[string]bool{}
	if err := collect(body, named); err != nil {
		return nil, 0, err
	}
	out := []cited{}
	for i := range s.Sources() {
		src := &s.Sources()[i]
		key := src.ID
		if set := s.Datasets()[src.Dataset].ID; set != "builtin" {
			key = set + "/" + src.ID
		}
		if named[key] {
			out = append(out, cited{key, src.Publisher, src.Title, src.URL, string(src.Published),
				string(src.Retrieved)})
		}
	}
	sorting.Func(out, func(a, b cited) int { return strings.Compare(a.Key, b.Key) })
	if len(out) > mostSources {
		return out[:mostSources], len(out) - mostSources, nil
	}
	return out, 0, nil
}

// collect notes the keys of sources in a body of the API: texts under "source", and lists of texts under "sources". The
// API writes no space between names and values, and no quote within a text without a backslash, so these are names
// wherever they stand; to read whole answers into memory for them costs as much as to make the answers.
func collect(body []byte, named map[string]bool) error {
	for rest := body; ; {
		_, after, found := bytes.Cut(rest, []byte(`"source`))
		if !found {
			return nil
		}
		rest = after
		one, isOne := bytes.CutPrefix(after, []byte(`":"`))
		list, isList := bytes.CutPrefix(after, []byte(`s":["`))
		switch {
		case isOne:
			end := endOfText(one)
			if err := note(one[:end], named); err != nil {
				return err
			}
			rest = one[end:]
		case isList:
			for isList {
				end := endOfText(list)
				if err := note(list[:end], named); err != nil {
					return err
				}
				rest = list[end:]
				list, isList = bytes.CutPrefix(rest, []byte(`","`))
			}
		}
	}
}

// endOfText is where the quote stands that ends a text of JSON, or the end.
func endOfText(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(b)
}

// note notes a text of JSON, given without its quotes.
func note(text []byte, named map[string]bool) error {
	if bytes.IndexByte(text, '\\') < 0 {
		named[string(text)] = true
		return nil
	}
	var s string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, text, []byte{'"'}), &s); err != nil {
		return err
	}
	named[s] = true
	return nil
}

// exportCaveat says what of export control is not modelled.
func exportCaveat() string { return locale.Of("en").T("export.disclaimer", exportcontrol.GroupsAsOf) }
