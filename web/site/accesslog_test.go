package site

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// slogLine is the line as log/slog writes it.
func slogLine(t *testing.T, l *accessLine) string {
	t.Helper()
	var b bytes.Buffer
	r := slog.NewRecord(l.at, slog.LevelInfo, "request", 0)
	r.AddAttrs(slog.String("method", l.method), slog.String("pattern", l.pattern), slog.String("path", l.path),
		slog.Int("status", l.status), slog.Int("bytes", l.bytes), slog.Int64("took_us", l.took.Microseconds()))
	if l.client != "" {
		r.AddAttrs(slog.String("client", l.client))
	}
	if l.account != "" {
		r.AddAttrs(slog.String("account", l.account))
	}
	if err := slog.NewJSONHandler(&b, nil).Handle(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// FuzzAccessLine: what is written fast is what log/slog writes, or is left to it.
func FuzzAccessLine(f *testing.F) {
	f.Add(int64(1_780_000_000_123_456_789), "GET", "/cards/{id}", "/cards/nvidia-h100", 200, 10_432, int64(37),
		"203.0.113.0/24", "")
	f.Add(int64(0), "GET", "", "/zh/卡\n\"x\\<&>\x7f", 404, 0, int64(-1), "2001:db8::/48", "anna")
	f.Add(int64(-5_000_000_000), "M-SEARCH", "/a", "/\u2028", 304, -1, int64(1)<<60, "", "张伟")
	f.Fuzz(func(t *testing.T, at int64, method, pattern, path string, status, n int, took int64, client,
		account string) {
		l := &accessLine{time.Unix(0, at).In(time.FixedZone("", 8*3600)), method, pattern, path, status, n,
			time.Duration(took), client, account}
		var b bytes.Buffer
		if !writeLine(&b, l) {
			if b.Len() > 0 {
				t.Errorf("a line that is left to slog was begun: %q", &b)
			}
			return
		}
		if got, want := b.String(), slogLine(t, l); got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	})
}

func TestUsualLinesAreWrittenFast(t *testing.T) {
	l := &accessLine{time.Now(), "GET", "/cards", "/cards", 200, 10_000, time.Millisecond, "203.0.113.0/24", "anna"}
	if !writeLine(&bytes.Buffer{}, l) {
		t.Error("a usual line is left to slog")
	}
	allocs := testing.AllocsPerRun(100, func() { writeLine(discard{}, l) })
	if allocs > 0 {
		t.Errorf("got %.0f allocations a line, want none", allocs)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkLogRequest writes the line of a kept answer, with the address of the client, to nowhere.
func BenchmarkLogRequest(b *testing.B) {
	s := New(Config{Log: slog.New(linesHandler{slog.NewJSONHandler(io.Discard, nil)}), LogClient: Whole, Now: time.Now})
	b.Cleanup(s.Close)
	r := httptest.NewRequest(http.MethodGet, "/api/v1/cards?limit=50", nil)
	r.RemoteAddr = "192.0.2.17:51234"
	b.ReportAllocs()
	for b.Loop() {
		s.LogRequest(r, "/api/v1/cards", "", http.StatusNotModified, 0, time.Now())
	}
}

// linesHandler takes whole lines.
type linesHandler struct{ slog.Handler }

// Lines implements LineHandler.
func (linesHandler) Lines() io.Writer { return io.Discard }
