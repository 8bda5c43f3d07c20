//go:build linux

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"tianti/bench/address"
	"tianti/bench/process"
)

// kase is one thing that is measured.
type kase struct {
	name      string
	path      string                           // what the bare handler's answer is recorded from
	accept    string                           // Accept-Encoding
	unchanged bool                             // send If-None-Match
	fresh     bool                             // every request asks for another address
	target    float64                          // 0: none
	translate func(query string) (path string) // for another program; nil for Tianti's
}

// Clients that ask: a browser, a program with a common HTTP library, one without
// compression.
const (
	browser = "gzip, deflate, br, zstd"
	library = "gzip"
	none    = ""
)

const list = "/api/v1/cards"

var cached = []kase{
	{name: "cached HTML, /cards", path: "/cards", accept: browser, target: 0.95},
	{name: "cached HTML, /cards, gzip", path: "/cards", accept: library, target: 0.95},
	{name: "cached JSON, 50 cards", path: list + "?limit=50", accept: browser, target: 0.95},
	{name: "cached JSON, 50 cards, plain", path: list + "?limit=50", accept: none, target: 0.95},
	{name: "304, /cards", path: "/cards", accept: browser, unchanged: true, target: 0.95},
}

var fresh = []kase{
	{name: "never-seen JSON, plain", path: list + "?limit=50", accept: none, fresh: true},
	{name: "never-seen JSON, gzip", path: list + "?limit=50", accept: library, fresh: true},
	{name: "never-seen JSON, browser", path: list + "?limit=50", accept: browser, fresh: true},
}

// requests returns what makes the requests of a case, with so many addresses if they are
// to be new. Addresses of a round do not come again in another one: seed tells rounds
// apart.
func (k kase) requests(a recorded, seed uint64, addresses int) func([]byte) []byte {
	head := " HTTP/1.1\r\nHost: bench.invalid\r\nUser-Agent: bench\r\n"
	if k.accept != "" {
		head += "Accept-Encoding: " + k.accept + "\r\n"
	}
	if k.unchanged {
		head += "If-None-Match: " + a.ETag + "\r\n"
	}
	head += "\r\n"
	if !k.fresh {
		request := []byte("GET " + k.path + head)
		return func(dst []byte) []byte { return append(dst, request...) }
	}
	// Made beforehand: making them costs more than sending them.
	r := rand.New(rand.NewPCG(seed, 1))
	paths := make([]string, addresses)
	for i := range paths {
		if q := address.Filter(r, 50); k.translate != nil {
			paths[i] = k.translate(q)
		} else {
			paths[i] = list + "?" + q
		}
	}
	n := 0
	return func(dst []byte) []byte {
		dst = append(append(append(dst, "GET "...), paths[n%len(paths)]...), head...)
		n++
		return dst
	}
}

// record asks Tianti for the answer of a case, until it has compressed it as well
// as it is going to.
func record(p *process.Process, k kase) (recorded, error) {
	var last recorded
	for same := 0; same < 3; {
		a, err := fetch(p.URL(k.path), k.accept)
		if err != nil {
			return a, err
		}
		if same++; a.ETag != last.ETag {
			same = 0
		}
		last = a
		time.Sleep(200 * time.Millisecond)
	}
	return last, nil
}

func fetch(url, accept string) (recorded, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return recorded{}, err
	}
	if accept != "" {
		req.Header.Set("Accept-Encoding", accept)
	}
	res, err := (&http.Transport{DisableCompression: true}).RoundTrip(req)
	if err != nil {
		return recorded{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, res.Status)
	}
	h := res.Header
	return recorded{h.Get("Content-Type"), h.Get("Content-Encoding"), h.Get("Etag"), body}, err
}
