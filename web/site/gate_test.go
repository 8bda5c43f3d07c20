package site

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"tianti/web/api"
)

var (
	here  = netip.MustParseAddr("192.0.2.1")
	there = netip.MustParseAddr("192.0.2.2")
)

func TestAGateRefusesWhoeverHasAQuarterOfIt(t *testing.T) {
	g := newGate(1, 7, time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	leave, err := g.enter(ctx, here)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan error)
	go func() { _, err := g.enter(ctx, here); waited <- err }()
	for !func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.clients[here] == 2 }() {
	}
	var p *api.Problem
	if _, err := g.enter(ctx, here); !errors.As(err, &p) || p.Status != 503 {
		t.Errorf("a third of eight places: got %v, want 503", err)
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("who hung up in the queue: got %v", err)
	}
	leave()
	if leave, err = g.enter(t.Context(), there); err != nil {
		t.Fatalf("the place was not given back: %v", err)
	}
	leave()
	if g.within != 0 || len(g.clients) != 0 {
		t.Errorf("%d are within, of %v", g.within, g.clients)
	}
}

func TestNobodyWaitsLongAtAGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, 7, 3*time.Second)
		leave, err := g.enter(t.Context(), here)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		began := time.Now()
		var retry RetryError
		if _, err := g.enter(t.Context(), there); !errors.As(err, &retry) || retry.After <= 0 {
			t.Errorf("got %v, want 503 with the time to come again", err)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("waited %v, want 3s", took)
		}
	})
}
