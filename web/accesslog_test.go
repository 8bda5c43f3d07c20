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

// take returns the one line of the request for a path.
func (l *logBuffer) take(t *testing.T, path string) map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if fields["msg"] == "request" && fields["path"] == path {
			return fields
		}
	}
	t.Fatalf("no line for %s in\n%s", path, l.b.String())
	return nil
}

func TestTheAccessLogNamesClientAndAccount(t *testing.T) {
	for name, c := range map[string]struct {
		form   func(netip.Addr) string
		v4, v6 any
	}{
		"full": {pages.Whole, "203.0.113.77", "2001:db8:1:2::3"}, "truncated": {pages.Truncated, "203.0.113.0/24", "2001:db8:1::/48"},
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
		for _, want := range []struct {
			path            string
			client, account any
		}{
			{"/admin", c.v4, "anna"}, {"/api/v1/imports", c.v4, "anna"}, {"/cards", c.v6, nil},
			{"/zh/cards\nmsg=request \"", c.v4, nil},
		} {
			got := lines.take(t, want.path)
			if got["client"] != want.client || got["account"] != want.account {
				t.Errorf("%s: %q: got %v and %v, want %v and %v", name, want.path, got["client"], got["account"], want.client, want.account)
			}
		}
	}
}

func TestTheAccessLogOfAPrivateServerNamesTheReaderOfACachedPage(t *testing.T) {
	lines := &logBuffer{}
	s := newSite(t, func(c *web.Config) { c.Private, c.Log = true, slog.New(slog.NewJSONHandler(lines, nil)) })
	b := s.signedIn(t, "bob", bobsPassword)
	for range 2 { // the second is from the cache
		lines.b.Reset()
		b.get("/cards")
		if got := lines.take(t, "/cards"); got["account"] != "bob" || got["client"] != nil {
			t.Errorf("got %v", got)
		}
	}
}
