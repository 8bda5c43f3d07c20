// Package agents calls tools of the Model Context Protocol in tests as programs of other people do: by the SDK's own
// client, and by nothing but HTTP.
package agents

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// InTurns sends each request to the next of some servers, whatever host it names.
func InTurns(urls ...string) *http.Client {
	b := &between{}
	for _, u := range urls {
		b.hosts = append(b.hosts, strings.TrimPrefix(u, "http://"))
	}
	return &http.Client{Transport: b}
}

type between struct {
	hosts []string
	next  atomic.Int64
}

// RoundTrip implements [http.RoundTripper].
func (b *between) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = b.hosts[int(b.next.Add(1))%len(b.hosts)]
	return http.DefaultTransport.RoundTrip(r)
}

// Connect is a session of the SDK's own client; the client may be nil.
func Connect(t testing.TB, url string, client *http.Client) *sdk.ClientSession {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: client, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// Call calls a tool in a session; its structured answer.
func Call(t testing.TB, s *sdk.ClientSession, tool string, arguments map[string]any) json.RawMessage {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || r.IsError {
		t.Fatalf("%s %v: %v %+v", tool, arguments, err, r)
	}
	raw, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Raw calls a tool by nothing but HTTP, in a version of the protocol, introduced by nothing; its structured answer.
func Raw(t testing.TB, client *http.Client, version, tool string, arguments map[string]any) json.RawMessage {
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
			Structured json.RawMessage `json:"structuredContent"`
			IsError    bool            `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Result.Structured == nil || answer.Result.IsError {
		t.Fatalf("%s in %s: %v: %.300s", tool, version, err, raw)
	}
	return answer.Result.Structured
}
