package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tianti/test/agents"
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
	{"resolve_name", func(n int) map[string]any { return map[string]any{"q": card(n), "limit": 1 + n%7} },
		"/api/v1/search"},
	{"search_cards", func(n int) map[string]any {
		return map[string]any{"memory_gb": fmt.Sprintf("%d..", n%97), "limit": 20}
	}, "/api/v1/cards"},
	{"get_card", func(n int) map[string]any { return map[string]any{"id": card(n)} }, "/api/v1/cards/{id}"},
	{"compare_cards", func(n int) map[string]any {
		return map[string]any{"card": []any{card(n), card(n + 1 + n/10%8)}}
	},
		"/api/v1/compare"},
	{"estimate", func(n int) map[string]any {
		return map[string]any{"card": []any{card(n)}, "model": "llama-3.1-8b", "batch": 1 + n%50}
	}, "/api/v1/estimate"},
	{"recommend", func(n int) map[string]any {
		return map[string]any{"model": "llama-3.1-8b", "batch": 1 + n%50, "limit": 5}
	}, "/api/v1/recommend"},
	{"export_status", func(n int) map[string]any {
		return map[string]any{"card": card(n), "destination": []string{"CN", "FR", "IN", "JP"}[n%4],
			"as_of": fmt.Sprintf("2025-%02d-01", 1+n%12)}
	}, "/api/v1/export-control"},
	{"prices", func(n int) map[string]any { return map[string]any{"card": card(n), "limit": 1 + n%50} },
		"/api/v1/prices"},
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

// TestFullThousandCallsOverTwoProcesses: two servers of one database behind a round robin answer a thousand calls, half
// by the SDK's own client and half by nothing but HTTP, in both versions of the protocol, without a session and as the
// API.
func TestFullThousandCallsOverTwoProcesses(t *testing.T) {
	slow.Only(t)
	db := filepath.Join(t.TempDir(), "tianti.db")
	var servers []*process
	var urls []string
	for range 2 {
		p := start(t, func(c *exec.Cmd) { c.Env = append(c.Env, "TIANTI_RATE_LIMIT=0") }, "serve", "--db", db)
		if p.url == "" {
			t.Fatal(p.stderr)
		}
		servers = append(servers, p)
		urls = append(urls, p.url)
	}
	client := agents.InTurns(urls...)
	session := agents.Connect(t, "http://front", client)
	for range 2 { // what the first question of sizing computes
		agents.Raw(t, client, "2025-11-25", "recommend", mcpCalls[5].arguments(49))
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
				answer = agents.Call(t, session, c.tool, arguments)
			} else {
				answer = agents.Raw(t, client, []string{"2025-11-25", "2026-07-28"}[n/2%2], c.tool, arguments)
			}
			took = append(took, time.Since(begin))
			if n%25 == 0 {
				_, want := servers[n%2].get(t, addressOfCall(c.api, arguments))
				if sameJSON(t, answerIn(t, answer)) != sameJSON(t, []byte(want)) {
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

// answerIn is what the API says in what a tool answers.
func answerIn(t *testing.T, structured json.RawMessage) json.RawMessage {
	t.Helper()
	var e struct {
		Answer json.RawMessage `json:"answer"`
	}
	if err := json.Unmarshal(structured, &e); err != nil || e.Answer == nil {
		t.Fatalf("%v in %.300s", err, structured)
	}
	return e.Answer
}
