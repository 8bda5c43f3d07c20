package site

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
)

// served answers requests over one connection, and returns all bytes that came back.
func served(t *testing.T, corking bool, h http.Handler, requests string, answers int) []byte {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	at := l
	if corking {
		at = Corking(srv, l)
	}
	go srv.Serve(at)
	defer srv.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, requests); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	r := bufio.NewReader(io.TeeReader(c, &all))
	for i := range answers {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
	}
	return all.Bytes()
}

// TestPlainConnectionsAreLeftToNetHTTP asks over a listener that is not to be touched, and over one that may.
func TestPlainConnectionsAreLeftToNetHTTP(t *testing.T) {
	for plain, want := range map[bool]string{true: "false", false: "true"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, corks := connOf(w, r).(corker)
			fmt.Fprint(w, corks)
		})}
		defer srv.Close()
		at := l
		if plain {
			at = Plain(l)
		}
		go srv.Serve(Corking(srv, at))
		res, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || string(body) != want {
			t.Errorf("plain %t: got %q, %v; want that it is corked: %s", plain, body, err, want)
		}
	}
}

// TestTheClientOfAConnectionIsNamedOnce has the log name clients without proxies, and behind one.
func TestTheClientOfAConnectionIsNamedOnce(t *testing.T) {
	for behind, want := range map[bool]int{true: 2, false: 1} {
		named := 0
		cfg := Config{Log: slog.New(slog.DiscardHandler),
			LogClient: func(a netip.Addr) string { named++; return Whole(a) }}
		if behind {
			cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
		}
		s := New(cfg)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, s.loggedClient(r))
		})
		const ask = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2."
		got := string(served(t, true, h, ask+"7\r\n\r\n"+ask+"8\r\n\r\n", 2))
		s.Close()
		if both := strings.Contains(got, "192.0.2.7") && strings.Contains(got, "192.0.2.8"); both != behind ||
			named != want {
			t.Errorf("behind a proxy %t: named %d times, want %d: %q", behind, named, want, got)
		}
	}
}

// TestWhatIsSentAtOnceIsTheSame sends answers of many lengths, one after the other and several together, with and
// without corking.
func TestWhatIsSentAtOnceIsTheSame(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("n"))
		body := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
		w.Header()["Date"] = nil
		if r.URL.Query().Has("length") {
			w.Header().Set("Content-Length", strconv.Itoa(n))
		}
		if r.URL.Query().Has("inside") { // what was corked is read by the program, and the answer is short
			cork(httptest.NewRecorder(), r, n)
			if c, ok := r.Context().Value(corkerKey{}).(corker); ok {
				c.Cork()
			}
			body = body[:n/1000]
		} else {
			cork(w, r, n)
		}
		_, _ = w.Write(body)
		if r.URL.Query().Has("more") {
			_, _ = w.Write(body)
		}
	})
	requests, n := "", 0
	for _, length := range []int{0, 1, 1000, 2047, 2048, 2049, 3900, 4000, 4095, 4096, 4097, 5000, 8100, 8191, 8192,
		8193, 12_000, 65_536, 300_000} {
		for _, query := range []string{"", "&length=", "&more=", "&inside="} {
			for _, version := range []string{"1.1", "1.0"} {
				keep := ""
				if version == "1.0" {
					keep = "Connection: keep-alive\r\n"
					if query != "&length=" {
						continue // ends with the connection
					}
				}
				requests += fmt.Sprintf("GET /?n=%d%s HTTP/%s\r\nHost: x\r\n%s\r\n", length, query, version, keep)
				n++
			}
		}
	}
	want, got := served(t, false, h, requests, n), served(t, true, h, requests, n)
	if !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, want the same %d as without", len(got), len(want))
	}
}

func TestAHeldConnectionWritesBothAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	accepted, err := corkingListener{l}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := accepted.(*heldConn)
	for _, corked := range []bool{true, false, true} {
		if corked {
			c.Cork()
		}
		for _, part := range []string{"head", "body", "end"} {
			if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("%s: got %d, %v", part, n, err)
			}
		}
		if len(c.held) > 0 || c.corked {
			t.Errorf("got %q held", c.held)
		}
		got := make([]byte, len("headbodyend"))
		if _, err := io.ReadFull(client, got); err != nil || string(got) != "headbodyend" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	_ = c.Close()
	c.Cork()
	if n, err := c.Write([]byte("head")); n != 4 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	if n, err := c.Write([]byte("body")); n != 0 || err == nil {
		t.Errorf("after the end: got %d, %v, want an error", n, err)
	}
}
