package site

import (
	"context"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"tianti/web/api"
)

// Cost is how much work the answers of a route may be.
type Cost int

// Costs.
const (
	Light Cost = iota // some milliseconds
	Dear              // pictures, estimates for all cards: tens of milliseconds
	Waits             // waits for something else, such as a driver, and computes little: it takes no turn
)

// tokens are how many an answer takes of the rate limit.
func (c Cost) tokens() int {
	if c == Dear {
		return 5
	}
	return 1
}

// costOf is the cost of an address: pictures are painted whatever the page costs.
func costOf(route Cost, f Format) Cost {
	if f == AsPNG || f == AsPDF {
		return Dear
	}
	return route
}

// A gate lets so many answers be made at a time. Others wait in a short queue, in which no client has more than a part.
type gate struct {
	turns     chan struct{}
	most      int           // that work or wait
	perClient int           // of one client
	patience  time.Duration // how long one waits

	mu      sync.Mutex
	within  int
	clients map[netip.Addr]int
}

// newGate returns a gate; at most a quarter of the places are one client's.
func newGate(atOnce, waiting int, patience time.Duration) *gate {
	most := atOnce + waiting
	return &gate{turns: make(chan struct{}, atOnce), most: most, perClient: max(2, most/4), patience: patience,
		clients: map[netip.Addr]int{}}
}

// newGates are those of a site by cost. Dear work leaves half of the processors to everything else.
func newGates() [Waits]*gate {
	cores := runtime.GOMAXPROCS(0)
	return [Waits]*gate{
		Light: newGate(4*cores, 256, 2*time.Second),
		Dear:  newGate(max(1, cores/2), 32, 4*time.Second),
	}
}

// errCrowded: too much is being worked on to wait for.
func errCrowded() error {
	return RetryError{api.NewProblem(http.StatusServiceUnavailable,
		"The server is computing too many other answers at this moment."), 2 * time.Second}
}

// hasTurn marks contexts of work that has a turn: what it asks of this very site takes no other.
type hasTurn struct{}

// enter waits for a turn of an answer of a cost; see [gate.enter].
func (s *Site) enter(ctx context.Context, cost Cost, client netip.Addr) (leave func(), err error) {
	if cost == Waits || ctx.Value(hasTurn{}) != nil {
		return func() {}, nil
	}
	return s.gates[cost].enter(ctx, client)
}

// Admit bounds the work of an answer that is no [Plan], before it begins: the client's tokens, then a turn, which leave
// gives back.
func (s *Site) Admit(r *http.Request, cost Cost) (leave func(), err error) {
	client := s.ClientOf(r)
	if err := s.take(r, client, cost); err != nil {
		return nil, err
	}
	return s.enter(r.Context(), cost, client)
}

// enter waits for a turn; leave gives it back. The error is one for the client, or that of ctx.
func (g *gate) enter(ctx context.Context, client netip.Addr) (leave func(), err error) {
	if !g.queue(client) {
		return nil, errCrowded()
	}
	select {
	case g.turns <- struct{}{}:
	default:
		timer := time.NewTimer(g.patience)
		defer timer.Stop()
		select {
		case g.turns <- struct{}{}:
		case <-ctx.Done():
			g.unqueue(client)
			return nil, context.Cause(ctx)
		case <-timer.C:
			g.unqueue(client)
			return nil, errCrowded()
		}
	}
	return func() {
		<-g.turns
		g.unqueue(client)
	}, nil
}

// queue takes a place for a client, if there is one.
func (g *gate) queue(client netip.Addr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.within >= g.most || g.clients[client] >= g.perClient {
		return false
	}
	g.within++
	g.clients[client]++
	return true
}

func (g *gate) unqueue(client netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.within--
	if g.clients[client]--; g.clients[client] <= 0 {
		delete(g.clients, client)
	}
}
