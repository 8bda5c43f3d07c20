package web

import (
	"context"
	"net/http"
	"sync"

	"tianti/catalog"
	"tianti/web/site"
)

// firstAsked are pages whose first visitor would wait: what they rest on takes long to compute, and is computed once a
// catalogue. Pictures are those that pages link to.
var firstAsked = []string{"/ladders", "/", "/cards", "/accuracy", "/data-health", "/prices", "/export-control", "/plot",
	"/recommend?model=llama-3.1-8b&task=inference", "/ladders/decode_8b.png", "/api", "/sources"}

// plainAsked are such answers that are the same in all languages, or rest on the same.
var plainAsked = []string{"/api/openapi.json", "/changes", "/feed.xml"}

// An ahead asks for pages before visitors do: after a catalogue was swapped in, one after the other, in the background.
type ahead struct {
	mu      sync.Mutex
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// begin asks the router for pages of a state, and leaves off what was begun for the one before.
func (a *ahead) begin(router http.Handler) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancel != nil {
		a.cancel()
	}
	ctx, cancel := context.WithCancel(site.Unlimited(context.Background()))
	a.cancel = cancel
	a.running.Go(func() {
		defer cancel()
		for _, language := range []string{"", "/zh"} {
			for _, address := range firstAsked {
				visit(ctx, router, language+address)
			}
		}
		for _, address := range plainAsked {
			visit(ctx, router, address)
		}
	})
}

// end leaves off, and waits until it has.
func (a *ahead) end() {
	a.mu.Lock()
	if a.cancel != nil {
		a.cancel()
	}
	a.mu.Unlock()
	a.running.Wait()
}

// visit asks for a page and throws the answer away; what it rests on is kept.
func visit(ctx context.Context, router http.Handler, address string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || ctx.Err() != nil {
		return
	}
	defer func() { _ = recover() }() // a page that panics does so for its visitors too, who get an answer
	router.ServeHTTP(nowhere{}, r)
}

// nowhere is a client that reads nothing.
type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) WriteHeader(int)             {}
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// Swap makes the server answer from a snapshot; requests under way finish with the one they began with.
func (s *Server) Swap(snap *catalog.Snapshot) {
	s.past.Keep(s.Snapshot(), snap)
	s.site.Swap(snap)
	if s.computesAhead && !snap.Partial() && snap.Len() <= site.MostEstimated {
		s.ahead.begin(s.router)
	}
}

// Settle waits until what is computed ahead of visitors is there.
func (s *Server) Settle() { s.ahead.running.Wait() }
