package refresh

import (
	"crypto/x509"

	"tianti/outbound"
)

// NewWith is New with another way to the network.
func NewWith(cfg Config, lookup outbound.Lookup, dial outbound.Dial, roots *x509.CertPool) *Refresher {
	r := New(cfg)
	d := &outbound.Dialer{Also: cfg.Feeds.networks, Lookup: lookup, Dial: dial}
	r.fetcher = newFetcherWith(cfg.Feeds, "test", d, roots)
	return r
}
