package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFailuresKeepWhatIsShownAndAreRetriedMoreAndMoreRarely(t *testing.T) {
	s := new(station)
	var failing atomic.Bool
	failing.Store(true)
	s.do = func(_ context.Context, n int) (Frame, error) {
		if n > 5 && failing.Load() {
			return Frame{}, errors.New("connection\nrefused")
		}
		return s.frame(), nil
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe()
		after(6 * time.Second) // reads at 0 to 4, 5 fails, 6 fails
		v := h.View()
		wantView(t, v, OK, ReasonFailed, 2*time.Second)
		if v.Detail != "connection refused" || v.Frame.Devices() != 1 {
			t.Errorf("got detail %q and %d devices, want the error in one line and the last frame", v.Detail,
				v.Frame.Devices())
		}
		after(2 * time.Second)
		wantView(t, h.View(), Stale, ReasonFailed, 4*time.Second)
		before := s.reads.Load()
		after(10 * time.Minute)
		if got := s.reads.Load() - before; got < 18 || got > 26 {
			t.Errorf("got %d reads in ten minutes of failures, want about 23", got)
		}
		if s.opened.Load() < 3 || s.opened.Load() != s.closed.Load()+1 {
			t.Errorf("opened %d times and closed %d times, want it opened anew", s.opened.Load(), s.closed.Load())
		}
		failing.Store(false)
		after(30 * time.Second)
		if v := h.View(); v.State != OK || v.Reason != "" || v.Detail != "" {
			t.Errorf("got %s, %q, %q after it has recovered", v.State, v.Reason, v.Detail)
		}
		before = s.reads.Load()
		after(10 * time.Second)
		if got := s.reads.Load() - before; got != 10 {
			t.Errorf("got %d reads in ten seconds, want 10", got)
		}
	})
}

func TestWatchersAreToldThatAHangingSourceIsStale(t *testing.T) {
	s := new(station)
	s.do = func(ctx context.Context, n int) (Frame, error) {
		if n == 2 {
			<-ctx.Done()
			return Frame{}, ctx.Err()
		}
		return s.frame(), nil
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		w := h.Subscribe()
		<-w.C
		began := time.Now()
		<-w.C
		if d := time.Since(began).Round(time.Millisecond); d != 3*time.Second {
			t.Errorf("signalled after %v, want 3 s", d)
		}
		if got := h.View().State; got != Stale {
			t.Errorf("got state %s, want %s", got, Stale)
		}
		<-w.C // the read ends
		wantView(t, h.View(), Stale, ReasonTimeout, 6*time.Second)
		<-w.C
		wantView(t, h.View(), OK, "", 0)
	})
}

func TestASourceThatHangsForEverIsReplaced(t *testing.T) {
	s := new(station)
	release := make(chan struct{})
	s.do = func(_ context.Context, n int) (Frame, error) {
		if n >= 2 && n <= 9 {
			<-release // whatever the context says
		}
		return s.frame(), nil
	}
	synctest.Test(t, func(t *testing.T) {
		release = make(chan struct{})
		h := NewHub(HubConfig{Open: s.open})
		h.Subscribe()
		after(10 * time.Second)
		wantView(t, h.View(), Stale, ReasonTimeout, 10*time.Second)
		after(10 * time.Minute)
		if got := s.reads.Load(); got != 4 {
			t.Errorf("got %d reads, want no more than three that hang", got)
		}
		close(release)
		after(time.Minute)
		if got := h.View().State; got != OK {
			t.Errorf("got state %s after it was released, want %s", got, OK)
		}
		h.Close()
		synctest.Wait()
		if o, c := s.opened.Load(), s.closed.Load(); o != c || o != 4 {
			t.Errorf("opened %d times, closed %d times, want 4 of both", o, c)
		}
	})
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	s := new(station)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s.do = func(context.Context, int) (Frame, error) { <-release; return Frame{}, nil }
		h := NewHub(HubConfig{Open: s.open})
		w := h.Subscribe()
		after(time.Second)
		began := time.Now()
		h.Close()
		if d := time.Since(began); d != grace {
			t.Errorf("it took %v, want %v", d, grace)
		}
		if _, ok := <-w.C; ok {
			t.Error("the watcher is not ended")
		}
		h.Close()
		if _, ok := <-h.Subscribe().C; ok {
			t.Error("a watcher of a closed hub is not ended")
		}
		if v := h.Fresh(t.Context()); v.State != Unavailable {
			t.Errorf("got %v of a closed hub", v.State)
		}
		close(release)
		synctest.Wait()
		if got := s.closed.Load(); got != 1 {
			t.Errorf("the source is closed %d times, want once it has ended", got)
		}
	})
}

func TestPanicsOfASourceAreFailures(t *testing.T) {
	s := new(station)
	s.do = func(_ context.Context, n int) (Frame, error) {
		if n%2 == 0 {
			panic("index out of range")
		}
		return s.frame(), nil
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe()
		after(time.Second)
		v := h.View()
		wantView(t, v, OK, ReasonFailed, time.Second)
		if !strings.Contains(v.Detail, "index out of range") {
			t.Errorf("got detail %q", v.Detail)
		}
		after(time.Second)
		wantView(t, h.View(), OK, "", 0)
		if s.opened.Load() != 2 {
			t.Errorf("it is opened %d times, want it opened anew", s.opened.Load())
		}
	})
}

func TestSourcesThatCannotBeOpenedAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, tries := new(station), 0
		h := NewHub(HubConfig{Open: func() (Source, error) {
			switch tries++; tries {
			case 1:
				return nil, errors.New("not yet")
			case 2:
				panic("not at all")
			case 3:
				return nil, nil
			}
			return s, nil
		}})
		defer h.Close()
		h.Subscribe()
		var details []string
		for _, wait := range []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second} {
			after(wait)
			details = append(details, h.View().Detail)
		}
		want := []string{"not yet", "the source panicked: not at all", "there is no source", ""}
		if diff := cmp.Diff(want, details); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestReasonsOfErrorsAndFramesAreShown(t *testing.T) {
	s := new(station)
	s.do = func(_ context.Context, n int) (Frame, error) {
		switch n {
		case 1:
			return Frame{Source: "nvml", Reason: "no-driver", Detail: "Driver Not Loaded"}, nil
		case 2:
			return Frame{Source: "nvml", Hosts: []Host{{Name: "a"}}}, nil
		default:
			return Frame{}, fmt.Errorf("read: %w", &SourceError{Reason: "unauthorized", Detail: "401"})
		}
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe()
		after(0)
		wantView(t, h.View(), Unavailable, "no-driver", 0)
		after(time.Second)
		wantView(t, h.View(), Unavailable, ReasonNoDevice, 0)
		after(2 * time.Second)
		wantView(t, h.View(), Unavailable, "unauthorized", 2*time.Second)
	})
}
