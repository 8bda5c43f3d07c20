package live

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

func TestFreshWaitsForAFrame(t *testing.T) {
	s := new(station)
	s.do = func(ctx context.Context, _ int) (Frame, error) {
		time.Sleep(300 * time.Millisecond)
		return s.frame(), nil
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		wantView(t, h.Fresh(t.Context()), OK, "", 0)
		for range 10 {
			h.Fresh(t.Context())
		}
		if got := s.reads.Load(); got != 1 {
			t.Errorf("got %d reads, want 1", got)
		}
		after(5 * time.Second)
		wantView(t, h.Fresh(t.Context()), OK, "", 0)
		after(5 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		wantView(t, h.Fresh(ctx), Stale, "", 4100*time.Millisecond)
	})
}

func TestFreshDoesNotWaitForAFailingSource(t *testing.T) {
	s := &station{do: func(context.Context, int) (Frame, error) { return Frame{}, errors.New("no route to host") }}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe()
		after(20 * time.Second)
		began := time.Now()
		wantView(t, h.Fresh(t.Context()), Unavailable, ReasonFailed, 0)
		if d := time.Since(began); d != 0 {
			t.Errorf("it waited %v", d)
		}
	})
}

func TestFreshDoesNotWaitWhereThereIsNothing(t *testing.T) {
	s := &station{do: func(context.Context, int) (Frame, error) {
		return Frame{Source: "nvml", Taken: time.Now(), Reason: "no-library"}, nil
	}}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Fresh(t.Context())
		for range 20 { // it is read more and more rarely
			after(5 * time.Second)
			began := time.Now()
			if v := h.Fresh(t.Context()); v.Reason != "no-library" {
				t.Errorf("got reason %q", v.Reason)
			}
			if d := time.Since(began); d != 0 {
				t.Errorf("it waited %v", d)
			}
		}
	})
}

func TestFreshLooksWhetherDevicesStillSleep(t *testing.T) {
	var awake atomic.Bool
	s := new(station)
	s.do = func(context.Context, int) (Frame, error) {
		if !awake.Load() {
			return AsleepFrame("nvml", time.Now()), nil
		}
		return s.frame(), nil
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Fresh(t.Context())
		after(5 * time.Second)
		began, before := time.Now(), s.reads.Load()
		if v := h.Fresh(t.Context()); v.Reason != ReasonAsleep || time.Since(began) != 0 || s.reads.Load() != before+1 {
			t.Errorf("got reason %q after %v and %d reads", v.Reason, time.Since(began), s.reads.Load()-before)
		}
		awake.Store(true)
		after(5 * time.Second)
		wantView(t, h.Fresh(t.Context()), OK, "", 0)
	})
}
