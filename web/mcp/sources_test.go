package mcp

import (
	"encoding/json"
	"maps"
	"testing"
)

// TestKeysOfSourcesAreFoundWhereverTheyStand holds the search in bytes against one in the values.
func TestKeysOfSourcesAreFoundWhereverTheyStand(t *testing.T) {
	for _, v := range []any{
		object{"source": "a", "b": []any{object{"source": "with \"quotes\" and \\"},
			object{"sources": []any{"c", "d\"e", "ü"}}}},
		object{"text": `"source":"no"`, "sources": []any{object{"key": "x", "source": "y"}}, "source_name": "z"},
		object{"sources": []any{}, "source": 3, "sources_left_out": []any{"q"}},
		[]any{"source", "sources", "source:"},
	} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, want := map[string]bool{}, map[string]bool{}
		if err := collect(raw, got); err != nil {
			t.Error(err)
		}
		if keysIn(v, want); !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", raw, got, want)
		}
	}
	for _, broken := range []string{`"source":"`, `"source":"a\\`, `"sources":["`, `"source`, `"sources":["a","`} {
		_ = collect([]byte(broken), map[string]bool{}) // it ends
	}
}

// keysIn notes the keys of sources in a value.
func keysIn(v any, named map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			keysIn(e, named)
		}
	case object:
		if text, ok := v["source"].(string); ok {
			named[text] = true
		}
		list, _ := v["sources"].([]any)
		for _, e := range list {
			if text, ok := e.(string); ok {
				named[text] = true
			}
		}
		for _, e := range v {
			keysIn(e, named)
		}
	}
}
