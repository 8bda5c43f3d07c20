package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/seed"
	"tianti/sizing"
	few "tianti/sizing/sample"
	"tianti/web"
	"tianti/web/api"
)

func serve(t *testing.T) *web.Server {
	t.Helper()
	d := sample.Dataset("builtin", 20)
	// The examples of the document name real cards; give two synthetic ones their ids.
	d.Cards[0].ID, d.Cards[0].Aliases, d.Cards[0].PCIIDs = "nvidia-h100-sxm5-80gb", []string{
		"NVIDIA H100 80GB HBM3",
	}, []string{
		"10de:2330",
	}
	d.Cards[0].Vendor = "NVIDIA"
	d.Cards[1].ID = "nvidia-h20-sxm5-96gb"
	d.Generations[0].ID, d.Generations[0].Cards = "nvidia-hopper", []string{"nvidia-h100-sxm5-80gb"}
	d.Claims[0].Cards, d.Measured[0].Card = []string{"nvidia-h100-sxm5-80gb"}, "nvidia-h100-sxm5-80gb"
	d.Benchmarks[0].Results[0].Card = "nvidia-h100-sxm5-80gb"
	s := web.New(
		web.Config{
			Version: "test",
			NewEstimator: func(s *catalog.Snapshot) (*sizing.Estimator, error) {
				return sizing.New(few.Few(seed.Sizing(), 5), s)
			},
		},
	)
	t.Cleanup(s.Close)
	s.Swap(catalog.NewSnapshot(1, d))
	return s
}

// public are the operations that anybody may call.
func public(s *web.Server) []api.Operation {
	return slices.DeleteFunc(s.Operations(), func(o api.Operation) bool { return o.Managed })
}

func fetch(t *testing.T, h *web.Server, path string) (int, []byte) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.Bytes()
}

// TestAnswersFollowTheDocumentedSchemas fetches every example and validates it,
// so that the hand-written encoders cannot drift from the contract.
func TestAnswersFollowTheDocumentedSchemas(t *testing.T) {
	h := serve(t)
	doc := api.Document("test", "", h.Operations(), func(string, string) any { return nil })
	for _, o := range public(h) {
		if o.Body != "" {
			continue // its answer is in the test of what it reads
		}
		if len(o.Examples) == 0 {
			t.Errorf("%s: no example", o.ID)
		}
		if o.Stream {
			continue // its events are of the type of another operation's answer
		}
		for _, path := range o.Examples {
			status, body := fetch(t, h, path)
			if status != http.StatusOK {
				t.Errorf("%s: %d %s", path, status, body)
				continue
			}
			if o.Media != "" {
				continue // no JSON: what it holds is in the test of what writes it
			}
			validate(t, doc, doc.Paths[o.Path].Get, path, "200", "application/json", body)
		}
	}
}

func TestAConfigurationIsAnsweredAsDocumented(t *testing.T) {
	h := serve(t)
	doc := api.Document("test", "", h.Operations(), func(string, string) any { return nil })
	const path = "/api/v1/models/config"
	for body, status := range map[string]int{
		`{"model_type":"llama","num_hidden_layers":32,"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,` +
			`"vocab_size":128256,"intermediate_size":14336,"max_position_embeddings":131072}`: 200,
		`{"model_type":"llama","num_hidden_layers":"32"}`: 400,
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, r)
		if w.Code != status || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d, %q: %s", body, w.Code, w.Header().Get("Cache-Control"), w.Body)
			continue
		}
		kind := map[int]string{200: "application/json", 400: "application/problem+json"}[status]
		validate(t, doc, doc.Paths[path].Post, path, strconv.Itoa(status), kind, w.Body.Bytes())
	}
}

func TestProblemsFollowTheDocumentedSchema(t *testing.T) {
	h := serve(t)
	doc := api.Document("test", "", h.Operations(), func(string, string) any { return nil })
	for path, status := range map[string]string{"/api/v1/cards?limit=0": "400", "/api/v1/cards/nope": "404",
		"/api/v1/peak?device=nothing": "404"} {
		_, body := fetch(t, h, path)
		template := strings.Replace(strings.SplitN(path, "?", 2)[0], "/nope", "/{id}", 1)
		validate(t, doc, doc.Paths[template].Get, path, status, "application/problem+json", body)
	}
}

func validate(t *testing.T, doc *huma.OpenAPI, op *huma.Operation, path, status, media string, body []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	response := op.Responses[status]
	if response == nil {
		t.Errorf("%s: status %s is not documented", path, status)
		return
	}
	var result huma.ValidateResult
	huma.Validate(
		doc.Components.Schemas,
		response.Content[media].Schema,
		huma.NewPathBuffer(nil, 0),
		huma.ModeReadFromServer,
		v,
		&result,
	)
	for _, err := range result.Errors {
		t.Errorf("%s: %v", path, err)
	}
}

func TestTheDocumentIsServedAndNamesEveryFilter(t *testing.T) {
	status, body := fetch(t, serve(t), "/api/openapi.json")
	if status != http.StatusOK {
		t.Fatalf("got %d: %s", status, body)
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]struct {
			Get struct{ Parameters []struct{ Name string } }
		}
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("got OpenAPI %q, want 3.1", doc.OpenAPI)
	}
	documented := map[string]bool{}
	for _, p := range doc.Paths["/api/v1/cards"].Get.Parameters {
		documented[p.Name] = true
	}
	for _, name := range catalog.QueryParams() {
		if !documented[name] {
			t.Errorf("parameter %q is taken but not documented", name)
		}
		delete(documented, name)
	}
	delete(documented, "as_of") // is taken before the query is read
	for name := range documented {
		t.Errorf("parameter %q is documented but not taken", name)
	}
}

// TestEveryDocumentedParameterIsTaken asks each operation with each of its
// parameters; none may be called unknown.
func TestEveryDocumentedParameterIsTaken(t *testing.T) {
	h := serve(t)
	for _, o := range public(h) {
		for _, name := range o.QueryParams() {
			_, body := fetch(t, h, strings.Replace(o.Path, "{id}", "nvidia-h100-sxm5-80gb", 1)+"?"+name+"=")
			if strings.Contains(string(body), "unknown_parameter") {
				t.Errorf("%s: documented parameter %q is refused: %s", o.ID, name, body)
			}
		}
	}
}
