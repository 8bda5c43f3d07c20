package web_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tianti/web"
	website "tianti/web/site"
)

// keptAddresses are addresses that the two servers of bothWays answer from the cache: pages, data, a picture.
var keptAddresses = []string{"/cards", "/zh/cards", "/cards.csv", "/cards.json?limit=1",
	"/api/v1/cards?limit=2", "/glossary",
	"/cards?limit=1", "/embed/compare?card=acme-x1-40gb", "/badge/acme-x1-40gb.svg", "/robots.txt"}

// bothWays serves kept pages of one server to two listeners: as it is in production, and by net/http alone. Other
// addresses are answered with the first, so that every GET is answered from the cache.
func bothWays(t testing.TB, change func(*web.Config)) (fast, plain string) {
	t.Helper()
	s := newServer(t, 3, change)
	settled := func(address, accept string) bool {
		tag := func() string { return get(t, s, address, "Accept-Encoding", accept).Header.Get("Etag") }
		first := tag()
		return first == tag() && !slices.ContainsFunc([]string{`-g"`, `-z"`, `-b"`}, func(fast string) bool {
			return strings.HasSuffix(first, fast)
		})
	}
	for _, address := range keptAddresses {
		for range 3 { // asked for twice it is kept, asked for again it is compressed well
			get(t, s, address)
		}
		for _, accept := range []string{"gzip", "zstd", "br", "gzip"} {
			for end := time.Now().Add(time.Minute); !settled(address, accept); runtime.Gosched() {
				if time.Now().After(end) {
					t.Fatalf("%s is not compressed well after a minute", address)
				}
			}
		}
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			if !slices.Contains(keptAddresses, r.URL.RequestURI()) {
				r.URL.Path, r.URL.RawQuery = keptAddresses[0], ""
			}
			// A client that says that it sends no more has hung up for net/http; what is kept is sent all the same.
			s.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
	serve := func(corked bool) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute,
			ReadTimeout: 2 * time.Minute, WriteTimeout: 3 * time.Minute, IdleTimeout: 4 * time.Minute}
		at := l
		if corked {
			at = website.Corking(srv, l)
		}
		go srv.Serve(at)
		t.Cleanup(func() { _ = srv.Close() })
		return l.Addr().String()
	}
	return serve(true), serve(false)
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
	if _, err := io.Copy(&all, c); err != nil && !errors.Is(err, net.ErrClosed) && !isReset(err) {
		t.Fatal(err)
	}
	return all.Bytes()
}

// isReset reports whether a server closed a connection before it had read everything.
func isReset(err error) bool { return strings.Contains(err.Error(), "reset by peer") }

// heads are what answers begin with.
var heads = regexp.MustCompile("HTTP/1[.][01] [0-9]{3} [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n")

// withoutDates are answers without their times, and with the lines of heads in order: net/http writes the three by
// which it frames an answer among the others.
func withoutDates(answers []byte) string {
	return heads.ReplaceAllStringFunc(string(answers), func(head string) string {
		lines := strings.SplitAfter(head, "\r\n")
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "Date: ") })
		slices.Sort(lines[1 : len(lines)-2]) // between the first line and the empty one
		return strings.Join(lines, "")
	})
}

// same holds answers against those of net/http alone.
func same(t *testing.T, fast, plain string, requests []byte) (got string) {
	t.Helper()
	got, want := withoutDates(exchange(t, fast, requests)), withoutDates(exchange(t, plain, requests))
	if got != want {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		from := max(0, at-200)
		t.Errorf("%q: answers differ at %d:\ngot  %.400q\nwant %.400q", requests, at, got[from:], want[from:])
	}
	return got
}

// requestsOf are requests for a page as clients write them.
func requestsOf(address, tag string) []string {
	get := "GET " + address + " HTTP/1.1\r\nHost: x\r\n"
	var all []string
	for _, more := range []string{"", "Accept-Encoding: gzip, br\r\n", "Accept-Encoding: zstd\r\n",
		"Accept-Encoding: gzip\r\n",
		"Range: bytes=0-9\r\n", "X-Forwarded-Proto: https\r\n", "Connection: keep-alive\r\n",
		"If-None-Match: " + tag + "\r\n", "If-None-Match: *\r\nAccept-Encoding: gzip\r\n",
		"If-None-Match: \"a\", W/" + tag + "\r\n",
		"If-None-Match: \"other\"\r\n", "If-None-Match: " + tag + "\r\nX-Forwarded-Proto: https\r\n",
		"If-None-Match: *\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab", "Content-Length: 3\r\n\r\nabc",
		"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"} {
		all = append(all, get+more+"\r\n", strings.Replace(get, "GET", "HEAD", 1)+more+"\r\n")
	}
	return append(all, strings.Replace(get, "1.1", "1.0", 1)+"Connection: keep-alive\r\n\r\n",
		strings.Replace(get, "1.1", "1.0", 1)+"Connection: keep-alive\r\nIf-None-Match: *\r\n\r\n",
		strings.Replace(get, "1.1", "1.0", 1)+"\r\n", get+"Connection: close\r\n\r\n",
		"POST "+address+" HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na")
}

// TestKeptPagesAreSentAsNetHTTPSendsThem asks for kept pages in every way, alone and one after the other without
// waiting.
func TestKeptPagesAreSentAsNetHTTPSendsThem(t *testing.T) {
	for name, change := range map[string]func(*web.Config){
		"plain": nil,
		"a proxy that is trusted, and an age": func(c *web.Config) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			c.Now = func() time.Time { return time.Unix(1_800_000_000, 0) }
			c.ReadOnly, c.Follows = true, func() website.Following {
				return website.Following{Revision: 7, Published: time.Unix(1_799_999_000, 0),
					Checked: time.Unix(1_799_999_999, 0)}
			}
		},
		"an origin": func(c *web.Config) { c.Origin = "https://cards.example" },
	} {
		t.Run(name, func(t *testing.T) {
			fast, plain := bothWays(t, change)
			if a := string(exchange(t, fast, []byte("GET /cards HTTP/1.0\r\n\r\n"))); strings.Index(a,
				"Content-Length: ") <
				strings.Index(a, "X-Content-Type-Options: ") {
				t.Errorf("the head is net/http's own, so that nothing is compared:\n%.700s", a)
			}
			unchanged := 0
			for _, address := range keptAddresses {
				_, tag, _ := strings.Cut(string(exchange(t, plain, []byte("GET "+address+" HTTP/1.0\r\n\r\n"))),
					"Etag: ")
				tag, _, _ = strings.Cut(tag, "\r\n")
				requests := requestsOf(address, cmp.Or(tag, `"none"`))
				for _, r := range append(requests, strings.Join(requests, "")) {
					got := same(t, fast, plain, []byte(r))
					if strings.HasPrefix(got, "HTTP/1.1 304") {
						unchanged++
					}
				}
			}
			if unchanged < 5*len(keptAddresses) {
				t.Errorf("got %d answers 304, want some for each address", unchanged)
			}
		})
	}
}

// TestHeadsFollowWhoAsks: a page is asked for by the same address with TLS and without, and under two addresses.
func TestHeadsFollowWhoAsks(t *testing.T) {
	fast, _ := bothWays(t, func(c *web.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	for range 2 {
		for _, proto := range []string{"http", "https"} {
			for _, more := range []string{"", "If-None-Match: *\r\n"} {
				a := string(exchange(t, fast, []byte("GET /cards HTTP/1.1\r\nHost: x\r\n"+
					"X-Forwarded-Proto: "+proto+"\r\n"+more+"\r\n")))
				head, _, _ := strings.Cut(a, "\r\n\r\n")
				if got, want := strings.Count(head, "Strict-Transport-Security: max-age=31536000"),
					strings.Count(proto, "s"); got != want {
					t.Errorf("%s, %q: got %d lines of HSTS, want %d:\n%s", proto, more, got, want, head)
				}
				if strings.Count(head, "Content-Security-Policy: default-src 'none'; img-src") != 1 {
					t.Errorf("%s, %q: want the policy of pages once:\n%s", proto, more, head)
				}
			}
		}
	}
}
