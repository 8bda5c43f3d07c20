package site

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"
)

// limiter bounds the work that one client may cause: each rendering of a page
// that was not cached takes a token. A nil limiter has no bound.
type limiter struct {
	perMin  int
	clients *otter.Cache[netip.Addr, *rate.Limiter]
}

// trackedClients bounds the memory of the limiter; a client that was forgotten
// starts with a full bucket.
const trackedClients = 10_000

func newLimiter(perMin int) *limiter {
	if perMin <= 0 {
		return nil
	}
	return &limiter{perMin, otter.Must(&otter.Options[netip.Addr, *rate.Limiter]{MaximumSize: trackedClients})}
}

// take takes tokens of the client; it returns how long to wait when there are too few.
func (l *limiter) take(client netip.Addr, tokens int) time.Duration {
	if l == nil {
		return 0
	}
	bucket, ok := l.clients.GetIfPresent(client)
	if !ok {
		bucket, _ = l.clients.SetIfAbsent(client, rate.NewLimiter(rate.Limit(float64(l.perMin)/60), l.perMin))
	}
	r := bucket.ReserveN(time.Now(), min(tokens, l.perMin))
	wait := r.Delay()
	if wait > 0 {
		r.Cancel()
	}
	return wait
}

// unlimited marks contexts of requests that the program itself makes.
type unlimited struct{}

// Unlimited is a context for requests of the program itself, which have no client whose work is bounded.
func Unlimited(ctx context.Context) context.Context { return context.WithValue(ctx, unlimited{}, true) }

// IsUnlimited reports whether a context is of a request of the program itself.
func IsUnlimited(ctx context.Context) bool { return ctx.Value(unlimited{}) != nil }

// take takes the tokens of a cost of the client of a request; the error says when there are enough.
func (s *Site) take(r *http.Request, client netip.Addr, cost Cost) error {
	if s.limits == nil || !client.IsValid() || IsUnlimited(r.Context()) {
		return nil
	}
	if wait := s.limits.take(client, cost.tokens()); wait > 0 {
		return tooMany(wait)
	}
	return nil
}

// ClientOf is the address of the client: the peer, or, behind trusted proxies,
// the last address of X-Forwarded-For that is not one of them. IPv6 clients count
// by their /64.
func (s *Site) ClientOf(r *http.Request) netip.Addr {
	addr := s.clientAddr(r)
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return addr
}

// clientAddr is ClientOf with the whole address.
func (s *Site) clientAddr(r *http.Request) netip.Addr {
	addr := PeerOf(r)
	if !s.Trusted(addr) {
		return addr.Unmap().WithZone("")
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.Trusted(addr); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = next
	}
	return addr.Unmap().WithZone("")
}

// PeerOf is the other end of the connection.
func PeerOf(r *http.Request) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, _ := netip.ParseAddr(host)
	return addr
}

func (s *Site) Trusted(a netip.Addr) bool {
	for _, p := range s.TrustedProxies {
		if p.Contains(a.Unmap()) {
			return true
		}
	}
	return false
}
