package live

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"

	"tianti/web/site"
)

// TestAClientHasSoManyStreams: one more is put off, of others none is, and one that ends makes room.
func TestAClientHasSoManyStreams(t *testing.T) {
	x := newStreams(2)
	defer x.end()
	one, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	take := func(client netip.Addr, free bool) func() {
		t.Helper()
		leave, err := x.take(client)
		retry, put := errors.AsType[site.RetryError](err)
		putOff := put && retry.Status == http.StatusServiceUnavailable && retry.After > 0
		if (err == nil) != free || !free && !putOff {
			t.Fatalf("%s: got %v, want that it is free: %v", client, err, free)
		}
		return leave
	}
	take(one, true)
	leave := take(one, true)
	take(one, false)
	take(other, true)()
	leave()
	take(one, true)
	take(one, false)
	if len(x.clients) != 1 {
		t.Errorf("%d clients are kept, want the one that reads", len(x.clients))
	}
}

// TestAllStreamsTogetherAreBounded: whoever reads.
func TestAllStreamsTogetherAreBounded(t *testing.T) {
	x := newStreams(0)
	defer x.end()
	client := netip.MustParseAddr("2001:db8::")
	for i := range mostViewers {
		if _, err := x.take(client); err != nil {
			t.Fatalf("stream %d: %v", i+1, err)
		}
		client = client.Next()
	}
	if _, err := x.take(client); err == nil {
		t.Errorf("got stream %d, want none beyond %d", mostViewers+1, mostViewers)
	}
}
