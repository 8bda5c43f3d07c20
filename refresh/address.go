package refresh

import (
	"context"
	"net"
	"net/netip"
	"strings"
)

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

// public reports whether an address is one of a host on the Internet.
func public(a netip.Addr) bool {
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

// A dialer connects to allowed addresses alone. It looks a name up once and connects to what it has checked, so that a
// name that means something else a moment later leads nowhere.
type dialer struct {
	also   []netip.Prefix // private networks that are allowed
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := d.lookup(ctx, "ip", strings.TrimSuffix(host, "."))
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if a := a.Unmap(); !public(a) && !within(d.also, a) {
			return nil, &failure{BadAddress, host + " → " + a.String()}
		}
	}
	err = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	for _, a := range addrs {
		var conn net.Conn
		if conn, err = d.dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
