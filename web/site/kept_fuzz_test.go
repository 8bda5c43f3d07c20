package site

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"tianti/catalog"
	"tianti/catalog/sample"
)

// keptAddresses are addresses whose answers are kept: pages in both languages, data, a short text.
var keptAddresses = []string{"/page", "/zh/page", "/data", "/text"}

// bothWays serves kept answers to two listeners: as they are in production, and by net/http alone. It is a site alone,
// as Go's fuzzer carries the counters of all code that is linked from one process to another, and those of the whole
// server cost twenty times as much as the answers; the whole server is held against net/http by a test of package web.
func bothWays(t testing.TB) (fast, plain string) {
	t.Helper()
	s := New(Config{Log: slog.New(slog.DiscardHandler), CacheBytes: 1 << 20})
	t.Cleanup(s.Close)
	of := func(kind, body string) Handler {
		return func(_ *State, r *Request) (Plan, error) {
			return Plan{Key: r.Path, Render: func() (Answer, error) {
				return Answer{ContentType: kind, Body: []byte(body)}, nil
			}}, nil
		}
	}
	page := "<!doctype html>" + strings.Repeat("<p>NVIDIA H100 SXM5 80GB</p>", 300)
	m := chi.NewRouter()
	s.Register(m, []Route{{Pattern: "/page", Page: of("text/html; charset=utf-8", page)},
		{Pattern: "/data", Page: of("application/json", `{"cards":[1,2,3]}`)},
		{Pattern: "/text", Page: of("text/plain; charset=utf-8", "User-agent: *\n"), Plain: true}})
	s.Router, s.Answer = m, m
	s.Swap(catalog.NewSnapshot(1, sample.Dataset("synthetic", 3)))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			if !slices.Contains(keptAddresses, r.URL.RequestURI()) {
				r.URL.Path, r.URL.RawQuery = keptAddresses[0], ""
			}
			// A client that says that it sends no more has hung up for net/http; what is kept is sent all the same.
			r = r.WithContext(context.WithoutCancel(r.Context()))
			if p := s.State.Load().Pages.Get(r.URL.Path, r.URL.RawQuery); p != nil {
				s.SendKept(w, r, p, false)
				return
			}
			s.Begin(w.Header(), false)
			m.ServeHTTP(w, r)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
	for _, address := range keptAddresses {
		keep(t, h, address)
	}
	serve := func(corked bool) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute,
			ReadTimeout: 2 * time.Minute, WriteTimeout: 3 * time.Minute, IdleTimeout: 4 * time.Minute}
		at := l
		if corked {
			at = Corking(srv, l)
		}
		go srv.Serve(at)
		t.Cleanup(func() { _ = srv.Close() })
		return l.Addr().String()
	}
	return serve(true), serve(false)
}

// keep asks for an address until it is kept, compressed as well as it ever is.
func keep(t testing.TB, h http.Handler, address string) {
	t.Helper()
	tag := func(accept string) string {
		r, w := httptest.NewRequest(http.MethodGet, address, nil), httptest.NewRecorder()
		r.Header.Set("Accept-Encoding", accept)
		if h.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("%s: got %d: %s", address, w.Code, w.Body)
		}
		return w.Header().Get("Etag")
	}
	for range 3 { // asked for twice it is kept, asked for again it is compressed well
		tag("identity")
	}
	for _, accept := range []string{"gzip", "zstd", "br", "gzip"} {
		settled := func() bool {
			first := tag(accept)
			return first == tag(accept) && !slices.ContainsFunc([]string{`-g"`, `-z"`, `-b"`}, func(quick string) bool {
				return strings.HasSuffix(first, quick)
			})
		}
		for end := time.Now().Add(time.Minute); !settled(); runtime.Gosched() {
			if time.Now().After(end) {
				t.Fatalf("%s is not compressed well after a minute", address)
			}
		}
	}
}

// exchange sends bytes over a connection of its own, says that there are no more, and returns all that comes back.
func exchange(t testing.TB, address string, requests []byte) []byte {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		_, _ = c.Write(requests) // it may be cut off, for bytes that are no request
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	var all bytes.Buffer
	_, err = io.Copy(&all, c)
	if err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset by peer") {
		t.Fatal(err)
	}
	return all.Bytes()
}

// headsOfAnswers are what answers begin with.
var headsOfAnswers = regexp.MustCompile("HTTP/1[.][01] [0-9]{3} [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n")

// withoutDates are answers without their times, and with the lines of heads in order: net/http writes the three by
// which it frames an answer among the others.
func withoutDates(answers []byte) string {
	return headsOfAnswers.ReplaceAllStringFunc(string(answers), func(head string) string {
		lines := strings.SplitAfter(head, "\r\n")
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "Date: ") })
		slices.Sort(lines[1 : len(lines)-2]) // between the first line and the empty one
		return strings.Join(lines, "")
	})
}

// FuzzKeptPages: whatever bytes come, they are answered as by net/http alone.
func FuzzKeptPages(f *testing.F) {
	fast, plain := bothWays(f)
	_, tag, _ := strings.Cut(string(exchange(f, plain, []byte("GET /page HTTP/1.0\r\n\r\n"))), "Etag: ")
	if tag, _, _ = strings.Cut(tag, "\r\n"); tag == "" {
		f.Fatal("the page has no Etag")
	}
	// few seeds beside those of one address: each is run again, and its counters carried, whenever the fuzzer begins
	for i, address := range keptAddresses {
		get := "GET " + address + " HTTP/1.1\r\nHost: x\r\n"
		head := strings.Replace(get, "GET", "HEAD", 1)
		for n, more := range []string{"Accept-Encoding: gzip, br\r\n", "If-None-Match: *\r\nAccept-Encoding: gzip\r\n",
			"", "Accept-Encoding: zstd\r\n", "Range: bytes=0-9\r\n", "X-Forwarded-Proto: https\r\n",
			"Connection: keep-alive\r\n", "If-None-Match: " + tag + "\r\n", "If-None-Match: \"a\", W/" + tag + "\r\n",
			"If-None-Match: \"other\"\r\n",
			"If-None-Match: *\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab", "Content-Length: 3\r\n\r\nabc",
			"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", "Connection: close\r\n"} {
			if i == 0 || n < 2 {
				f.Add([]byte(get + more + "\r\n" + head + more + "\r\n"))
			}
		}
		f.Add([]byte(strings.Replace(get, "1.1", "1.0", 1) + "Connection: keep-alive\r\nIf-None-Match: *\r\n\r\n" +
			get + "\r\n"))
	}
	f.Add([]byte("POST /page HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n" +
		"aGET /page HTTP/1.1\r\nHost: x\r\n\r\n"))
	f.Add([]byte("GET / HTTP/1.1\nHost: x\n\nGET /page HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n\r\nG"))
	f.Add([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	f.Add([]byte("\r\nOPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"))
	f.Fuzz(func(t *testing.T, requests []byte) {
		if len(requests) > 4<<10 {
			return // a server that closes a connection before it has read everything may cut off its own answer
		}
		got, want := withoutDates(exchange(t, fast, requests)), withoutDates(exchange(t, plain, requests))
		if got != want {
			t.Errorf("%q: answered by\n%.4000q\nwant\n%.4000q", requests, got, want)
		}
	})
}

// TestKeptAnswersAreWrittenByTheSite: what the fuzzer compares is not net/http twice.
func TestKeptAnswersAreWrittenByTheSite(t *testing.T) {
	fast, plain := bothWays(t)
	order := func(address string) bool { // net/http writes its lines of framing where they stand in the alphabet
		a := string(exchange(t, address, []byte("GET /page HTTP/1.0\r\n\r\n")))
		return strings.Index(a, "Content-Length: ") < strings.Index(a, "X-Content-Type-Options: ")
	}
	if order(fast) || !order(plain) {
		t.Errorf("in the order of the alphabet: %v by the site, %v by net/http alone", order(fast), order(plain))
	}
}
