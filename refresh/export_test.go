package refresh

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
)

// Lookup is how names become addresses, and Dial how connections are made.
type (
	Lookup = func(ctx context.Context, network, host string) ([]netip.Addr, error)
	Dial   = func(ctx context.Context, network, address string) (net.Conn, error)
)

// NewWith is New with another way to the network.
func NewWith(cfg Config, lookup Lookup, dial Dial, roots *x509.CertPool) *Refresher {
	r := New(cfg)
	r.fetcher = newFetcherWith(cfg.Feeds, "test", &dialer{cfg.Feeds.networks, lookup, dial}, roots)
	return r
}

// Public is public.
var Public = public
