package web

import (
	"context"
	"net/http"
	"sync"
	"time"

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

// visitorsFirst is for how long nothing is asked for where there are visitors: what they look at is made anew for them
// in the first second, and would wait for a processor.
const visitorsFirst = time.Second

// begin asks the router for pages of a state, and leaves off what was begun for the one before: gently, where there are
// visitors already.
func (a *ahead) begin(router http.Handler, gently bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancel != nil {
		a.cancel()
	}
	ctx, cancel := context.WithCancel(site.Unlimited(context.Background()))
	a.cancel = cancel
	a.running.Go(func() {
		defer cancel()
		if gently {
			wait(ctx, visitorsFirst)
		}
		for _, language := range []string{"", "/zh"} {
			for _, address := range firstAsked {
				pause(ctx, gently, func() { visit(ctx, router, language+address) })
			}
		}
		for _, address := range plainAsked {
			pause(ctx, gently, func() { visit(ctx, router, address) })
		}
	})
}

// pause does something, and gently nothing for as long afterwards: what it takes of processors and leaves of garbage is
// spread over more time.
func pause(ctx context.Context, gently bool, do func()) {
	began := time.Now()
	if do(); gently {
		wait(ctx, time.Since(began))
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
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

// prepare asks for pages of a catalogue that is not shown yet, as its first visitors will: for that of a card, which
// rests on all cards, the fastest one, and for lists.
func prepare(router http.Handler) func(context.Context, *catalog.Snapshot) {
	return func(ctx context.Context, snap *catalog.Snapshot) {
		fastest, most := 0, 0.0
		if rate, ok := catalog.LookupQuantity(catalog.DefaultBasis); ok {
			for row := range snap.Len() {
				if v, ok := snap.Number(rate, row); ok && v > most {
					fastest, most = row, v
				}
			}
		}
		for _, language := range []string{"", "/zh"} {
			if snap.Len() > 0 {
				visit(ctx, router, language+"/cards/"+snap.Card(fastest).ID)
			}
			visit(ctx, router, language+"/cards")
			visit(ctx, router, language+"/prices")
		}
	}
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
	before := s.Snapshot()
	s.past.Keep(before, snap)
	s.site.Swap(snap)
	if s.computesAhead && !snap.Partial() && snap.Len() <= site.MostEstimated {
		s.ahead.begin(s.router, before != nil)
	}
}

// Settle waits until what is computed ahead of visitors, or beside them, is there.
func (s *Server) Settle() {
	s.ahead.running.Wait()
	s.past.Settle()
}
