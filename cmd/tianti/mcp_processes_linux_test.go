package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tianti/test/slow"
)

// askedCards are what calls are about, so that few of them are of a page that is in the cache.
var askedCards = []string{"nvidia-h100-sxm5-80gb", "nvidia-h200-sxm5-141gb", "nvidia-a100-sxm4-80gb", "nvidia-l40s",
	"nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-5090", "amd-instinct-mi300x", "nvidia-geforce-rtx-3090", "nvidia-l4",
	"nvidia-geforce-rtx-4080"}

// mcpCalls are calls of each tool, the n-th; api is the address that answers the same.
var mcpCalls = []struct {
	tool      string
	arguments func(n int) map[string]any
	api       string
}{
	{"resolve_name", func(n int) map[string]any { return map[string]any{"q": card(n), "limit": 1 + n%7} }, "/api/v1/search"},
	{"search_cards", func(n int) map[string]any {
		return map[string]any{"memory_gb": fmt.Sprintf("%d..", n%97), "limit": 20}
	}, "/api/v1/cards"},
	{"get_card", func(n int) map[string]any { return map[string]any{"id": card(n)} }, "/api/v1/cards/{id}"},
	{"compare_cards", func(n int) map[string]any { return map[string]any{"card": []any{card(n), card(n + 1 + n/10%8)}} },
		"/api/v1/compare"},
	{"estimate", func(n int) map[string]any {
		return map[string]any{"card": []any{card(n)}, "model": "llama-3.1-8b", "batch": 1 + n%50}
	}, "/api/v1/estimate"},
	{"recommend", func(n int) map[string]any {
		return map[string]any{"model": "llama-3.1-8b", "batch": 1 + n%50, "limit": 5}
	}, "/api/v1/recommend"},
	{"export_status", func(n int) map[string]any {
		return map[string]any{"card": card(n), "destination": []string{"CN", "FR", "IN", "JP"}[n%4], "as_of": fmt.Sprintf("2025-%02d-01", 1+n%12)}
	}, "/api/v1/export-control"},
	{"prices", func(n int) map[string]any { return map[string]any{"card": card(n), "limit": 1 + n%50} }, "/api/v1/prices"},
}

func card(n int) string { return askedCards[n%len(askedCards)] }

// addressOfCall is what answers the same as a call.
func addressOfCall(api string, arguments map[string]any) string {
	values := url.Values{}
	for name, v := range arguments {
		if strings.Contains(api, "{"+name+"}") {
			api = strings.ReplaceAll(api, "{"+name+"}", fmt.Sprint(v))
			continue
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, e := range list {
			values.Add(name, fmt.Sprint(e))
		}
	}
	return api + "?" + values.Encode()
}

// between sends each request to the next of some processes.
type between struct {
	hosts []string
	next  atomic.Int64
}

func (b *between) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = b.hosts[int(b.next.Add(1))%len(b.hosts)]
	return http.DefaultTransport.RoundTrip(r)
}

// cpuOf is what a process has computed, in ticks of a hundredth of a second.
func cpuOf(t *testing.T, p *process) (ticks int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.Process.Pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return ticks
}

// TestFullThousandCallsOverTwoProcesses: two servers of one database behind a round robin answer a thousand calls, half by
// the SDK's own client and half by nothing but HTTP, in both versions of the protocol, without a session and as the API.
func TestFullThousandCallsOverTwoProcesses(t *testing.T) {
	slow.Only(t)
	db := filepath.Join(t.TempDir(), "tianti.db")
	var servers []*process
	front := &between{}
	for range 2 {
		p := start(t, func(c *exec.Cmd) { c.Env = append(c.Env, "TIANTI_RATE_LIMIT=0") }, "serve", "--db", db)
		if p.url == "" {
			t.Fatal(p.stderr)
		}
		servers = append(servers, p)
		front.hosts = append(front.hosts, strings.TrimPrefix(p.url, "http://"))
	}
	client := &http.Client{Transport: front}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: "http://front/mcp", HTTPClient: client, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for range 2 { // what the first question of sizing computes
		mcpRaw(t, client, "2025-11-25", "recommend", mcpCalls[5].arguments(49))
	}
	const each = 125
	var all []time.Duration
	for _, c := range mcpCalls {
		before := cpuOf(t, servers[0]) + cpuOf(t, servers[1])
		var took []time.Duration
		for n := range each {
			arguments := c.arguments(n)
			begin := time.Now()
			var answer json.RawMessage
			if n%2 == 0 {
				answer = mcpSDK(t, session, c.tool, arguments)
			} else {
				answer = mcpRaw(t, client, []string{"2025-11-25", "2026-07-28"}[n/2%2], c.tool, arguments)
			}
			took = append(took, time.Since(begin))
			if n%25 == 0 {
				if _, want := servers[n%2].get(t, addressOfCall(c.api, arguments)); sameJSON(t, answer) != sameJSON(t, []byte(want)) {
					t.Errorf("%s %v: got %.300s, the API says %.300s", c.tool, arguments, answer, want)
				}
			}
		}
		cpu := time.Duration(cpuOf(t, servers[0])+cpuOf(t, servers[1])-before) * 10 * time.Millisecond
		all = append(all, took...)
		slices.Sort(took)
		t.Logf("%-14s median %6.1f ms, 99 %% within %6.1f ms, CPU %5.1f ms a call", c.tool, ms(took[each/2]),
			ms(took[each*99/100]), ms(cpu/each))
		if cpu/each > 100*time.Millisecond {
			t.Errorf("%s: %s of CPU a call, want 50 ms with room", c.tool, cpu/each)
		}
	}
	slices.Sort(all)
	t.Logf("%d calls: median %.1f ms, 99 %% within %.1f ms, longest %.1f ms", len(all), ms(all[len(all)/2]),
		ms(all[len(all)*99/100]), ms(all[len(all)-1]))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func sameJSON(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %.300s", err, raw)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func mcpSDK(t *testing.T, s *sdk.ClientSession, tool string, arguments map[string]any) json.RawMessage {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || r.IsError {
		t.Fatalf("%s %v: %v %+v", tool, arguments, err, r)
	}
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		Answer json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		t.Fatal(err)
	}
	return e.Answer
}

// mcpRaw calls a tool by nothing but HTTP, in a version of the protocol.
func mcpRaw(t *testing.T, client *http.Client, version, tool string, arguments map[string]any) json.RawMessage {
	t.Helper()
	params := map[string]any{"name": tool, "arguments": arguments}
	if version >= "2026" {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": version,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://front/mcp", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": version,
		"Accept": "application/json, text/event-stream", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		req.Header.Set(name, v)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Mcp-Session-Id") != "" {
		t.Fatalf("%s in %s: status %d, session %q, %v: %.300s", tool, version, resp.StatusCode,
			resp.Header.Get("Mcp-Session-Id"), err, raw)
	}
	var answer struct {
		Result struct {
			Structured struct {
				Answer json.RawMessage `json:"answer"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Result.Structured.Answer == nil {
		t.Fatalf("%s in %s: %v: %.300s", tool, version, err, raw)
	}
	return answer.Result.Structured.Answer
}
