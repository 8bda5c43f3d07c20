package account

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestAttemptsWaitTwiceAsLongEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := NewThrottle(3, time.Second, 10*time.Second, time.Hour, 10)
		for i := range 3 {
			if wait := x.Take("a", time.Now()); wait != 0 {
				t.Fatalf("attempt %d waits %s, want none", i+1, wait)
			}
		}
		for _, want := range []time.Duration{1, 2, 4, 8, 10, 10} {
			want *= time.Second
			if got := x.Take("a", time.Now()); got != want {
				t.Errorf("got a wait of %s, want %s", got, want)
			}
			time.Sleep(want - time.Millisecond)
			if got := x.Take("a", time.Now()); got != time.Millisecond {
				t.Errorf("got a wait of %s before the end, want 1ms: trying does not prolong it", got)
			}
			time.Sleep(time.Millisecond)
			if got := x.Take("a", time.Now()); got != 0 {
				t.Errorf("got a wait of %s after the wait, want none", got)
			}
		}
		if got := x.Take("b", time.Now()); got != 0 {
			t.Errorf("another key waits %s", got)
		}
		time.Sleep(time.Hour)
		for i := range 3 {
			if got := x.Take("a", time.Now()); got != 0 {
				t.Errorf("attempt %d after an hour waits %s, want none", i+1, got)
			}
		}
	})
}

func TestWhatWasRightIsNotHeldAgainstAnybody(t *testing.T) {
	x, now := NewThrottle(2, time.Second, time.Minute, time.Hour, 10), time.Now()
	for range 100 {
		if wait := x.Take("a", now); wait != 0 {
			t.Fatalf("waits %s after attempts that were right", wait)
		}
		x.Forgive("a")
	}
	if len(x.entries) != 0 {
		t.Errorf("got %d keys, want none", len(x.entries))
	}
	x.Take("a", now)
	x.Take("a", now)
	x.Reset("a")
	if wait := x.Take("a", now); wait != 0 {
		t.Errorf("waits %s after a reset", wait)
	}
	x.Forgive("nobody")
}

func TestMadeUpNamesPushNobodyOut(t *testing.T) {
	x, now := NewThrottle(2, time.Hour, time.Hour, 2*time.Hour, 100), time.Now()
	x.Take("victim", now)
	x.Take("victim", now)
	for i := range 10_000 {
		x.Take(strconv.Itoa(i), now)
	}
	if len(x.entries) > 100 {
		t.Errorf("got %d keys, want at most 100", len(x.entries))
	}
	if wait := x.Take("victim", now); wait == 0 {
		t.Error("the attempts against an account are forgotten")
	}
}
