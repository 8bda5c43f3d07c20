// Package outbound connects to hosts of others, and to none in a private network: whoever may name an address does not
// thereby reach what only this machine can.
package outbound

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"time"
)

// ConnectTimeout bounds how long one connection takes.
const ConnectTimeout = 15 * time.Second

// reserved are networks inside the global ones that reach no public host, or one behind another address: the registries
// of special-purpose addresses of IANA (RFC 6890 and later).
var reserved = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

// globalV6 has all public addresses of IPv6; outside it are also those that carry one of IPv4 (64:ff9b::/96, ::/96).
var globalV6 = netip.MustParsePrefix("2000::/3")

func prefixes(list ...string) (out []netip.Prefix) {
	for _, p := range list {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

func within(list []netip.Prefix, a netip.Addr) bool {
	for _, p := range list {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Public reports whether an address is one of a host on the Internet.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	switch {
	case !a.IsValid(), a.Zone() != "", a.IsUnspecified(), a.IsLoopback(), a.IsPrivate(), a.IsMulticast(),
		a.IsLinkLocalUnicast():
		return false
	case a.Is6() && !globalV6.Contains(a):
		return false
	}
	return !within(reserved, a)
}

// A RefusedError says that a name means an address that nothing here connects to.
type RefusedError struct {
	Host string
	Addr netip.Addr
}

func (e *RefusedError) Error() string { return e.Host + " → " + e.Addr.String() }

// Lookup is how names become addresses, and Dial how connections are made.
type (
	Lookup = func(ctx context.Context, network, host string) ([]netip.Addr, error)
	Dial   = func(ctx context.Context, network, address string) (net.Conn, error)
)

// A Dialer connects to allowed addresses alone. It looks a name up once and connects to what it has checked, so that a
// name that means something else a moment later leads nowhere.
type Dialer struct {
	Also   []netip.Prefix // private networks that are allowed
	Only   bool           // nothing else is
	Lookup Lookup
	Dial   Dial
}

// NewDialer returns a dialer that asks the resolver of the system.
func NewDialer(also []netip.Prefix) *Dialer {
	return &Dialer{Also: also, Lookup: net.DefaultResolver.LookupNetIP,
		Dial: (&net.Dialer{Timeout: ConnectTimeout}).DialContext}
}

// DialContext connects to a host and port; an address that is not allowed is a *RefusedError.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := d.Lookup(ctx, "ip", strings.TrimSuffix(host, "."))
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if a := a.Unmap(); !within(d.Also, a) && (d.Only || !Public(a)) {
			return nil, &RefusedError{host, a}
		}
	}
	err = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	for _, a := range addrs {
		var conn net.Conn
		if conn, err = d.Dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
