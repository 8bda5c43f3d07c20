package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"tianti/bench/address"
	"tianti/bench/process"
)

// request is something to ask, with the statuses that are right for it.
type request struct {
	path            string
	least, greatest int
}

func good(path string) request { return request{path, 200, 200} }

var pages = []string{"/", "/cards", "/sources", "/methodology", "/api", "/zh/", "/zh/cards", "/zh/sources",
	"/api/openapi.json",
	"/api/v1/metrics", "/api/v1/sources", "/robots.txt", "/healthz", "/readyz"}

// next is what a visitor, a program or a probe may ask.
func next(r *rand.Rand) request {
	prefix := []string{"", "", "/zh"}[r.IntN(3)]
	switch n := r.IntN(100); {
	case n < 25:
		return good("/api/v1/cards?" + address.Filter(r, 50))
	case n < 37:
		return good(prefix + "/cards?" + address.Filter(r, 0))
	case n < 45:
		return good(prefix + "/cards?" + address.Search(r))
	case n < 60:
		return good(pages[r.IntN(len(pages))])
	case n < 72:
		return good(prefix + "/cards/" + address.Card(r, cards))
	case n < 77:
		return good(prefix + "/compare?card=" + address.Card(r, cards/2) + "&card=synthetic-000499")
	case n < 82:
		return good(prefix + "/cards." + []string{"csv", "md", "json"}[r.IntN(3)] + "?" + address.Filter(r, 0))
	case n < 86:
		return request{"/api/v1/peak?precision=fp16&device=" + address.Card(r, cards*2), 200, 404}
	}
	path, least, greatest := address.Bad(r)
	return request{path, least, greatest}
}

// counts is what the clients saw.
type counts struct {
	mu       sync.Mutex
	statuses map[int]int
	busy     int      // answers that were put off, with when to come again
	cut      int      // answers that a client did not wait for
	wrong    []string // the first of each kind
	kinds    map[string]bool
}

func (c *counts) add(req request, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.statuses[status]++
	path, _, _ := strings.Cut(req.path, "?")
	if kind := fmt.Sprintf("%d %s", status, path); (status < req.least || status > req.greatest) && !c.kinds[kind] &&
		len(c.wrong) < 10 {
		c.kinds[kind] = true
		c.wrong = append(c.wrong, fmt.Sprintf("%.200s answered %d, want %d to %d", req.path, status,
			req.least, req.greatest))
	}
}

func (c *counts) failed(req request, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrong) < 10 {
		c.wrong = append(c.wrong, fmt.Sprintf("%.200s: %v", req.path, err))
	}
}

// total is how many requests were answered.
func (c *counts) total() int {
	n := c.busy
	for _, of := range c.statuses {
		n += of
	}
	return n
}

func (c *counts) summary() string {
	var b strings.Builder
	b.WriteString("answers:")
	for _, status := range slices.Sorted(maps.Keys(c.statuses)) {
		fmt.Fprintf(&b, " %d × %d,", c.statuses[status], status)
	}
	fmt.Fprintf(&b, " %d put off, %d cut off by the client", c.busy, c.cut)
	return b.String()
}

// load starts clients; the function that it returns ends them.
func load(p *process.Process, clients int, w *writers) (stop func() *counts) {
	c := &counts{statuses: map[int]int{}, kinds: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
	var running sync.WaitGroup
	w.c, w.p = c, p
	running.Go(func() { w.run(ctx) })
	for i := range clients {
		r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(i)))
		running.Go(func() {
			for ctx.Err() == nil {
				ask(c, transport, p, r)
			}
		})
	}
	return func() *counts {
		cancel()
		running.Wait()
		transport.CloseIdleConnections()
		return c
	}
}

var codings = []string{"", "gzip", "gzip, deflate, br, zstd", "br;q=1, *;q=0", "identity"}

// ask sends one request, sometimes as HEAD, sometimes twice with the ETag, and
// sometimes goes away before the answer is there.
func ask(c *counts, t http.RoundTripper, p *process.Process, r *rand.Rand) {
	req := next(r)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if r.IntN(200) == 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(3000))*time.Microsecond)
		defer cancel()
	}
	method := http.MethodGet
	if r.IntN(20) == 0 {
		method = http.MethodHead
	}
	header := http.Header{"Accept-Encoding": {codings[r.IntN(len(codings))]}}
	began := time.Now()
	etag, err := exchange(ctx, c, t, req, method, p.URL(req.path), header)
	if err == nil && etag != "" && r.IntN(5) == 0 {
		header.Set("If-None-Match", etag)
		req.least, req.greatest = 200, 304 // an import may have come between
		_, err = exchange(ctx, c, t, req, method, p.URL(req.path), header)
	}
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		c.mu.Lock()
		c.cut++
		c.mu.Unlock()
	case err != nil:
		c.failed(req, fmt.Errorf("after %s: %w", time.Since(began).Round(time.Millisecond), err))
	}
}

func exchange(ctx context.Context, c *counts, t http.RoundTripper, req request, method, url string,
	header http.Header) (etag string, err error) {
	httpReq, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil { // what no client can send, such as a broken escape
		return "", nil
	}
	httpReq.Header = header
	res, err := t.RoundTrip(httpReq)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return "", err
	}
	if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") != "" {
		c.mu.Lock()
		c.busy++
		c.mu.Unlock()
		return "", nil
	}
	c.add(req, res.StatusCode)
	return res.Header.Get("Etag"), nil
}
