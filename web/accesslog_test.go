package web_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"tianti/web"
	pages "tianti/web/site"
)

// logBuffer is safe for handlers that log at once.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// of returns the lines of the requests for a path.
func (l *logBuffer) of(t *testing.T, path string) (out []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if fields["msg"] == "request" && fields["path"] == path {
			out = append(out, fields)
		}
	}
	return out
}

func TestTheAccessLogNamesClientAndAccount(t *testing.T) {
	for name, c := range map[string]struct {
		form   func(netip.Addr) string
		v4, v6 any
	}{
		"full": {pages.Whole, "203.0.113.77", "2001:db8:1:2::3"}, "truncated": {pages.Truncated, "203.0.113.0/24",
			"2001:db8:1::/48"},
		"none": {nil, nil, nil},
	} {
		lines := &logBuffer{}
		s := newSite(t, func(c2 *web.Config) {
			c2.Log = slog.New(slog.NewJSONHandler(lines, nil))
			c2.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			c2.LogClient = c.form
		})
		b := s.signedIn(t, "anna", annasPassword)
		b.get("/admin", "X-Forwarded-For", "203.0.113.77")
		b.get("/api/v1/imports", "X-Forwarded-For", "::ffff:203.0.113.77")
		s.browser(t).get("/cards", "X-Forwarded-For", "2001:db8:1:2::3")
		s.browser(t).get("/zh/cards%0Amsg=request%20%22", "X-Forwarded-For", "spoofed\" client=1, 203.0.113.77")
		s.Close() // waits for the lines
		for _, want := range []struct {
			path            string
			client, account any
		}{
			{"/admin", c.v4, "anna"}, {"/api/v1/imports", c.v4, "anna"}, {"/cards", c.v6, nil},
			{"/zh/cards\nmsg=request \"", c.v4, nil},
		} {
			got := lines.of(t, want.path)
			if len(got) != 1 || got[0]["client"] != want.client || got[0]["account"] != want.account {
				t.Errorf("%s: %q: got %v, want one line with %v and %v", name, want.path, got,
					want.client, want.account)
			}
		}
	}
}

func TestTheAccessLogOfAPrivateServerNamesTheReaderOfACachedPage(t *testing.T) {
	lines := &logBuffer{}
	s := newSite(t, func(c *web.Config) { c.Private, c.Log = true, slog.New(slog.NewJSONHandler(lines, nil)) })
	b := s.signedIn(t, "bob", bobsPassword)
	b.get("/cards")
	b.get("/cards") // from the cache
	s.Close()       // waits for the lines
	got := lines.of(t, "/cards")
	if len(got) != 2 {
		t.Fatalf("got %d lines, want two", len(got))
	}
	for _, line := range got {
		if line["account"] != "bob" || line["client"] != nil {
			t.Errorf("got %v", line)
		}
	}
}
