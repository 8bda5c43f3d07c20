package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/test/agents"
	"tianti/web"
)

// sizedServerWith serves the built-in catalogue with estimates.
func sizedServerWith(t testing.TB, change func(*web.Config)) *web.Server {
	return builtinServer(t, func(c *web.Config) {
		adv, err := sized()
		if err != nil {
			t.Fatal(err)
		}
		c.NewEstimator = func(*catalog.Snapshot) (*sizing.Estimator, error) { return adv, nil }
		change(c)
	})
}

// toolCalls are one call of each tool, with the address of the API that answers the same.
var toolCalls = []struct {
	tool      string
	arguments map[string]any
	api       string
}{
	{"resolve_name", map[string]any{"q": "H100"}, "/api/v1/search?q=H100"},
	{"search_cards", map[string]any{"memory_gb": "80..", "vendor": "NVIDIA", "limit": 3},
		"/api/v1/cards?limit=3&memory_gb=80..&vendor=NVIDIA"},
	{"get_card", map[string]any{"id": h100}, "/api/v1/cards/" + h100},
	{"compare_cards", map[string]any{"card": []any{h100, a800}}, "/api/v1/compare?card=" + h100 + "&card=" + a800},
	{"estimate", map[string]any{"card": []any{h100}, "model": "llama-3.1-8b", "batch": 8},
		"/api/v1/estimate?batch=8&card=" + h100 + "&model=llama-3.1-8b"},
	{"recommend", map[string]any{"model": "llama-3.1-8b", "limit": 2}, "/api/v1/recommend?limit=2&model=llama-3.1-8b"},
	{"export_status", map[string]any{"card": h100, "destination": "CN"},
		"/api/v1/export-control?card=" + h100 + "&destination=CN"},
	{"prices", map[string]any{"card": h100, "limit": 3}, "/api/v1/prices?card=" + h100 + "&limit=3"},
	{"prices", map[string]any{"card": h100, "acquire": "rent", "limit": 3}, "/api/v1/offers?card=" + h100 + "&limit=3"},
}

// envelope is what stands around the answer of a tool.
type envelope struct {
	Answer   json.RawMessage `json:"answer"`
	Snapshot string          `json:"snapshot"`
	Page     string          `json:"page"`
	PageZh   string          `json:"page_zh"`
	API      string          `json:"api"`
	Sources  []struct{ Key, Published, Retrieved string }
	Caveats  []string
}

func envelopeOf(t testing.TB, r *sdk.CallToolResult) envelope {
	t.Helper()
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatalf("%v in %.300s", err, raw)
	}
	return e
}

func compactJSON(t testing.TB, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %.300s", err, raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestToolsAnswerAsTheAPI asks each tool by the SDK's own client, and the API for the same; the answer fits the schema
// that the tool declares, and every page that it names exists.
func TestToolsAnswerAsTheAPI(t *testing.T) {
	s := sizedServer(t)
	l := httptest.NewServer(s)
	t.Cleanup(l.Close)
	session := agents.Connect(t, l.URL, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		raw, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		if schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		if a := tool.Annotations; a == nil || !a.ReadOnlyHint || *a.OpenWorldHint {
			t.Errorf("%s: got annotations %+v, want read-only of a closed world", tool.Name, a)
		}
	}
	called := map[string]bool{}
	for _, c := range toolCalls {
		called[c.tool] = true
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.arguments})
		if err != nil || r.IsError {
			t.Errorf("%s: %v %+v", c.tool, err, r)
			continue
		}
		e := envelopeOf(t, r)
		if got, want := compactJSON(t, e.Answer), compactJSON(t, []byte(bodyOf(t, get(t, s, c.api)))); got != want {
			t.Errorf("%s: got %.200s, want as %s %.200s", c.tool, got, c.api, want)
		}
		if e.Snapshot != "1" || e.API != c.api {
			t.Errorf("%s: got snapshot %q of %q, want 1 of %q", c.tool, e.Snapshot, e.API, c.api)
		}
		for _, page := range []string{e.Page, e.PageZh} {
			page, _, _ = strings.Cut(page, "#")
			if status := get(t, s, page).StatusCode; status != http.StatusOK {
				t.Errorf("%s: the page %s answers %d", c.tool, page, status)
			}
		}
		var v any
		raw, _ := json.Marshal(r.StructuredContent)
		_ = json.Unmarshal(raw, &v)
		if err := schemas[c.tool].Validate(v); err != nil {
			t.Errorf("%s: the answer is not as its schema: %v", c.tool, err)
		}
	}
	if len(called) != len(list.Tools) {
		t.Errorf("called %d tools of %d", len(called), len(list.Tools))
	}
}

func TestToolsSayWhereFiguresComeFromAndWhatIsNotModelled(t *testing.T) {
	s := sizedServer(t)
	l := httptest.NewServer(s)
	t.Cleanup(l.Close)
	session := agents.Connect(t, l.URL, nil)
	call := func(tool string, arguments map[string]any) envelope {
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || r.IsError {
			t.Fatal(err, r)
		}
		return envelopeOf(t, r)
	}
	card := call("get_card", map[string]any{"id": h100})
	dated := slices.ContainsFunc(card.Sources, func(s struct{ Key, Published, Retrieved string }) bool {
		return s.Key == "nvidia-h100-datasheet" && (s.Published != "" || s.Retrieved != "")
	})
	if !dated {
		t.Errorf("get_card: got sources %v, want the datasheet with its day", card.Sources)
	}
	export := call("export_status", map[string]any{"card": h100, "destination": "SG"})
	if len(export.Caveats) == 0 || !strings.Contains(export.Caveats[0], "Entity List") {
		t.Errorf("export_status: got caveats %q, want what is not modelled", export.Caveats)
	}
}

func TestBadArgumentsOfToolsAreErrorsWithCandidates(t *testing.T) {
	l := httptest.NewServer(sizedServer(t))
	t.Cleanup(l.Close)
	session := agents.Connect(t, l.URL, nil)
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		says      string
	}{
		{"get_card", map[string]any{"id": "nvidia-h100"}, "candidates"},
		{"search_cards", map[string]any{"memry_gb": "80"}, "memory_gb"},
		{"recommend", map[string]any{"model": "llama-3"}, "nearest"},
		{"estimate", map[string]any{"model": "llama-3.1-8b"}, "card"},
		{"compare_cards", map[string]any{"card": []any{h100}}, "2 … 8"},
		{"export_status", map[string]any{"card": h100, "destination": "ZZ"}, "destination"},
		{"prices", map[string]any{"acquire": "steal"}, "buy or rent"},
		{"get_card", map[string]any{"id": map[string]any{"a": 1}}, "text or a number"},
		{"get_card", map[string]any{"id": "../../metrics"}, "no card"},
	} {
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.arguments})
		if err != nil {
			t.Errorf("%s %v: %v, want an error that the model sees", c.tool, c.arguments, err)
			continue
		}
		text := r.Content[0].(*sdk.TextContent).Text
		if !r.IsError || !strings.Contains(text, c.says) {
			t.Errorf("%s %v: got error %v %.300s, want one that says %q", c.tool, c.arguments, r.IsError, text, c.says)
		}
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "delete_card"}); err == nil {
		t.Error("a tool that does not exist answers")
	}
}

// TestCallsOverTwoServersNeedNoSession asks two servers in turn, half by the SDK's client and half with requests
// written by hand, none of which is introduced by another. A thousand calls of two processes, with their times, are
// among the slow tests of cmd/tianti.
func TestCallsOverTwoServersNeedNoSession(t *testing.T) {
	var urls []string
	for range 2 {
		l := httptest.NewServer(sizedServer(t))
		t.Cleanup(l.Close)
		urls = append(urls, l.URL)
	}
	client := agents.InTurns(urls...)
	session := agents.Connect(t, "http://front", client)
	versions := []string{"2025-11-25", "2026-07-28"}
	for _, c := range toolCalls {
		var want string
		for i := range 4 { // each server in turn
			raw := agents.Call(t, session, c.tool, c.arguments)
			if i%2 == 0 {
				raw = agents.Raw(t, client, versions[i/2], c.tool, c.arguments)
			}
			if got := compactJSON(t, raw); want != "" && got != want {
				t.Errorf("%s: call %d answers otherwise than before: %.300s", c.tool, i, got)
			} else {
				want = got
			}
		}
	}
}

func TestResourcesAndPromptsOfMCP(t *testing.T) {
	l := httptest.NewServer(sizedServer(t))
	t.Cleanup(l.Close)
	session := agents.Connect(t, l.URL, nil)
	for uri, says := range map[string]string{"tianti://methodology": "# ",
		"tianti://metrics": "bf16_matrix_dense_tflops"} {
		r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || !strings.Contains(r.Contents[0].Text, says) {
			t.Errorf("%s: got %v %+v, want %q", uri, err, r, says)
		}
	}
	list, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 6 {
		t.Fatalf("got %v %+v, want three prompts in two languages", err, list)
	}
	p, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "export_zh",
		Arguments: map[string]string{"card": "H20", "destination": "CN"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Messages[0].Content.(*sdk.TextContent).Text; !strings.Contains(text, "H20 出口到 CN") {
		t.Errorf("got %q, want the arguments in it", text)
	}
}

// The library calls tools in goroutines of its own, where a panic would end the process.
func TestAToolThatPanicsIsAnErrorOfItsCall(t *testing.T) {
	var log bytes.Buffer
	l := httptest.NewServer(sizedServerWith(t, func(c *web.Config) {
		c.NewEstimator = func(*catalog.Snapshot) (*sizing.Estimator, error) { return new(sizing.Estimator), nil }
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
	}))
	t.Cleanup(l.Close)
	session := agents.Connect(t, l.URL, nil)
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "recommend",
		Arguments: map[string]any{"model": "llama-3.1-8b"}})
	if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "failed on our side") {
		t.Errorf("got %+v, %v; want an error to report", r, err)
	}
	if !strings.Contains(log.String(), "panic: ") {
		t.Errorf("the log lacks the cause: %s", log.String())
	}
	if r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "resolve_name",
		Arguments: map[string]any{"q": "H100"}}); err != nil || r.IsError {
		t.Errorf("the call after it: got %+v, %v", r, err)
	}
}

func TestMCPIsWithinTheRateLimit(t *testing.T) {
	l := httptest.NewServer(sizedServerWith(t, func(c *web.Config) { c.MissesPerMin = 5 }))
	t.Cleanup(l.Close)
	session := agents.Connect(t, l.URL, nil)
	refused := 0
	for i := range 10 {
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "search_cards",
			Arguments: map[string]any{"memory_gb": fmt.Sprintf("%d..", i)}})
		if err != nil {
			t.Fatal(err)
		}
		if r.IsError && strings.Contains(r.Content[0].(*sdk.TextContent).Text, "Too many requests") {
			refused++
		}
	}
	if refused < 5 || refused > 6 {
		t.Errorf("got %d calls refused of 10, want those beyond 5 a minute, of which the greeting was one", refused)
	}
	if _, err := session.ListTools(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "Too many requests") {
		t.Errorf("the list of tools: got %v, want it refused too", err)
	}
}

func TestGuidesForPrograms(t *testing.T) {
	s := sizedServer(t)
	short := bodyOf(t, get(t, s, "/llms.txt"))
	if !strings.HasPrefix(short, "# Tianti\n\n> ") || !strings.Contains(short, "/mcp") {
		t.Errorf("got %.300s, want a title, a summary and where to ask", short)
	}
	for _, line := range strings.Split(short, "\n") {
		_, path, ok := strings.Cut(line, "](")
		path, _, _ = strings.Cut(path, ")")
		if ok && path != "/mcp" && get(t, s, path).StatusCode != http.StatusOK {
			t.Errorf("llms.txt leads to %s, which answers %d", path, get(t, s, path).StatusCode)
		}
	}
	full := bodyOf(t, get(t, s, "/llms-full.txt"))
	for _, want := range []string{h100 + ": NVIDIA H100 SXM5 80GB", "memory_bandwidth_gb_s", "Methodology"} {
		if !strings.Contains(full, want) {
			t.Errorf("llms-full.txt lacks %q", want)
		}
	}
}

// TestEveryPageHasAMarkdownTwin asks pages that have no Markdown of their own, and those that have.
func TestEveryPageHasAMarkdownTwin(t *testing.T) {
	s := sizedServer(t)
	for _, path := range []string{"/index", "/cards", "/cards/" + h100, "/glossary", "/methodology", "/ecosystem",
		"/architectures", "/sources", "/sources/nvidia-h100-datasheet", "/data-health", "/export-control",
		"/export-control/US-BIS-2023-3A090", "/prices", "/prices/" + h100, "/calculator", "/accuracy", "/api",
		"/ladders/memory_gb", "/plot", "/licenses", "/live"} {
		for _, lang := range []string{"", "/zh"} {
			r := get(t, s, lang+path+".md")
			body := bodyOf(t, r)
			if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/markdown; charset=utf-8" {
				t.Errorf("%s%s.md: status %d, %s", lang, path, r.StatusCode, r.Header.Get("Content-Type"))
			}
			if strings.Contains(body, "<div") || strings.Contains(body, "<svg") || len(body) < 20 {
				t.Errorf("%s%s.md: %.300s", lang, path, body)
			}
		}
	}
	for path, status := range map[string]int{"/nothing.md": 404, "/cards/nope.md": 404, "/static/nope.md": 404,
		"/glossary.md?x=1": 400, "/robots.txt.md": 404, "/.md": 404, "/glossary.md.md": 404,
		"/x" + strings.Repeat(".md", 1000): 404} {
		if got := get(t, s, path).StatusCode; got != status {
			t.Errorf("%s: got %d, want %d", path, got, status)
		}
	}
	a, b := bodyOf(t, get(t, s, "/glossary.md")), bodyOf(t, get(t, s, "/glossary.md"))
	if a != b {
		t.Error("the same page is another Markdown the second time")
	}
}
