package live

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestManyWatchersCostOneReadASecond(t *testing.T) {
	s := new(station)
	hubOf(t, s, func(t *testing.T, h *Hub) {
		var seen [300]int
		for i := range seen {
			w := h.Subscribe()
			go func() {
				for range w.C {
					seen[i]++
				}
			}()
		}
		after(time.Minute + time.Millisecond)
		if got := s.reads.Load(); got != 61 {
			t.Errorf("got %d reads in a minute, want 61", got)
		}
		h.Close()
		synctest.Wait()
		for i, n := range seen {
			if n != 61 && n != 60 { // some come after the first
				t.Fatalf("watcher %d saw %d views, want 61", i, n)
			}
		}
	})
}

func TestSlowWatchersMissViewsAndHoldUpNobody(t *testing.T) {
	s := new(station)
	hubOf(t, s, func(t *testing.T, h *Hub) {
		// The first watcher makes the hub read at once: whoever comes second may miss that view.
		quick, slow := h.Subscribe(), h.Subscribe()
		views := 0
		go func() {
			for range quick.C {
				views++
			}
		}()
		after(10*time.Second + time.Millisecond)
		if views != 11 {
			t.Errorf("the quick one saw %d views, want 11", views)
		}
		<-slow.C
		wantView(t, h.View(), OK, "", time.Millisecond)
		select {
		case <-slow.C:
			t.Error("the slow one is signalled twice for one view")
		default:
		}
	})
}

func TestNobodyWatchingEndsReading(t *testing.T) {
	s := new(station)
	hubOf(t, s, func(t *testing.T, h *Hub) {
		after(time.Hour)
		if got := s.opened.Load(); got != 0 {
			t.Fatalf("it is opened %d times before anybody watches", got)
		}
		wantView(t, h.View(), Unavailable, ReasonStarting, 0)
		w := h.Subscribe()
		after(9*time.Second + time.Millisecond)
		w.Close()
		w.Close()
		before := s.reads.Load()
		after(time.Minute + time.Second)
		if got := s.reads.Load() - before; got < 5 || got > 7 {
			t.Errorf("got %d reads in the minute after the last watcher, want about 6", got)
		}
		if got := s.closed.Load(); got != 1 {
			t.Errorf("the source is closed %d times after it, want once", got)
		}
		before = s.reads.Load()
		after(time.Hour)
		if got := s.reads.Load() - before; got != 0 {
			t.Errorf("got %d reads while nobody watches, want none", got)
		}
		if got := h.View().State; got != Stale {
			t.Errorf("got state %s, want %s", got, Stale)
		}
		h.Subscribe()
		after(0)
		wantView(t, h.View(), OK, "", 0)
		if got := s.opened.Load(); got != 2 {
			t.Errorf("it is opened %d times, want twice", got)
		}
	})
}

func TestComingBackWhileItReadsRarelyReadsAtOnce(t *testing.T) {
	s := new(station)
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe().Close()
		after(15 * time.Second)
		before := s.reads.Load()
		h.Subscribe()
		after(0)
		if got := s.reads.Load() - before; got != 1 {
			t.Errorf("got %d reads, want 1", got)
		}
	})
}

func TestWatchersMayComeAndGoAtTheSameTime(t *testing.T) {
	s := new(station)
	hubOf(t, s, func(t *testing.T, h *Hub) {
		for i := range 100 {
			go func() {
				for range 50 {
					w := h.Subscribe()
					select {
					case <-w.C:
					case <-time.After(time.Duration(i) * 10 * time.Millisecond):
					}
					h.Series(h.View().Frame.Source, Power)
					w.Close()
				}
			}()
		}
		after(10 * time.Minute)
		if got := h.Watchers(); got != 0 {
			t.Errorf("got %d watchers, want none", got)
		}
		if s.opened.Load() != s.closed.Load() {
			t.Errorf("opened %d times, closed %d times", s.opened.Load(), s.closed.Load())
		}
	})
}
