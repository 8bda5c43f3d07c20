package site

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// TestClientsOfIPv6CountByTheirNetwork: who has a /64 has as much as one address of IPv4, and its neighbour has its
// own.
func TestClientsOfIPv6CountByTheirNetwork(t *testing.T) {
	s := New(Config{MissesPerMin: 1, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}})
	defer s.Close()
	now := 0
	for _, c := range []struct {
		peer, forwarded string
		free            bool
	}{
		{"[2001:db8:1:2::3]:80", "", true},
		{"[2001:db8:1:2:ffff:ffff:ffff:ffff]:81", "", false},
		{"192.0.2.1:80", "2001:db8:1:2::9", false}, // behind a proxy
		{"[2001:db8:1:3::3]:80", "", true},
		{"192.0.2.1:80", "2001:db8:1:4::9", true},
		{"[fe80::1%eth0]:80", "", true}, {"[fe80::2%eth1]:80", "", false},
		{"198.51.100.1:80", "", true}, {"[::ffff:198.51.100.1]:80", "", false}, // the same
		{"198.51.100.2:80", "", true},
	} {
		r := httptest.NewRequest(http.MethodGet, "/cards", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		now++
		if err := s.take(r, s.ClientOf(r), Light); (err == nil) != c.free {
			t.Errorf("request %d, of %s %s: got %v, want that it is free: %v", now, c.peer, c.forwarded, err, c.free)
		}
	}
}
