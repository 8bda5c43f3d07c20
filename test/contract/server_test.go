// Package contract_test holds the answers of the API against the document that describes them, as the clients of other
// people do.
package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
	"tianti/web"
)

// served is a server of the built-in data, with the document that it gives of itself.
type served struct {
	*web.Server
	document map[string]any
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema
	cards    []string
}

var builtin = sync.OnceValues(func() (*served, error) {
	data, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	s := &served{schemas: map[string]*jsonschema.Schema{}, compiler: jsonschema.NewCompiler()}
	s.Server = web.New(web.Config{Version: "0.0.0",
		NewEstimator: func(snap *catalog.Snapshot) (*sizing.Estimator, error) {
			return sizing.New(seed.Sizing(), snap)
		}})
	snap := catalog.NewSnapshot(1, data)
	s.Swap(snap)
	for row := range snap.Len() {
		s.cards = append(s.cards, snap.Card(row).ID)
	}
	w := s.get("/api/openapi.json")
	if err := json.Unmarshal(w.Body.Bytes(), &s.document); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(w.Body.String()))
	if err != nil {
		return nil, err
	}
	return s, s.compiler.AddResource("openapi.json", doc)
})

func serve(t *testing.T) *served {
	t.Helper()
	s, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *served) get(target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

// check holds an answer to a GET against what the document says of the path.
func (s *served) check(t *testing.T, path, target string, w *httptest.ResponseRecorder) {
	t.Helper()
	status := w.Result().Status[:3]
	media, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
	responses := at(s.document, "paths", path, "get", "responses")
	if at(responses, status) == nil {
		t.Errorf("%s: status %s is not documented: %.200s", target, status, w.Body)
		return
	}
	if at(responses, status, "content", media) == nil {
		t.Errorf("%s: %s is not documented for status %s", target, media, status)
		return
	}
	schema, err := s.schema("openapi.json#" + pointer("paths", path, "get", "responses", status, "content",
		media, "schema"))
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	body, err := bodyOf(media, w.Body.Bytes())
	if err != nil {
		t.Errorf("%s: %v", target, err)
		return
	}
	if err := schema.Validate(body); err != nil {
		t.Errorf("%s: status %s: %v", target, status, err)
	}
}

func (s *served) schema(at string) (*jsonschema.Schema, error) {
	if known := s.schemas[at]; known != nil {
		return known, nil
	}
	schema, err := s.compiler.Compile(at)
	if err == nil {
		s.schemas[at] = schema
	}
	return schema, err
}

// at is what lies below a value of JSON; nil when there is nothing.
func at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

// pointer is a JSON pointer (RFC 6901), as a fragment of an address.
func pointer(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(p))
	}
	return b.String()
}

// bodyOf is what a schema is held against: what JSON says, or a text.
func bodyOf(media string, body []byte) (any, error) {
	switch {
	case strings.HasSuffix(media, "json") && media != "application/x-ndjson":
		return jsonschema.UnmarshalJSON(bytes.NewReader(body))
	case media == "application/x-ndjson":
		for line := range bytes.Lines(body) {
			if _, err := jsonschema.UnmarshalJSON(bytes.NewReader(line)); err != nil {
				return nil, fmt.Errorf("%.200q: %w", line, err)
			}
		}
	}
	return string(body), nil
}
