package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A station is a source of one H100 or more that does what a test says.
type station struct {
	devices        int
	do             func(ctx context.Context, read int) (Frame, error) // nil: all is well
	opened, closed atomic.Int32
	reads          atomic.Int32
}

func (s *station) open() (Source, error) {
	s.opened.Add(1)
	return s, nil
}

func (s *station) Name() string { return "nvml" }

func (s *station) Close() error {
	s.closed.Add(1)
	return nil
}

func (s *station) Read(ctx context.Context) (Frame, error) {
	n := int(s.reads.Add(1))
	if s.do != nil {
		return s.do(ctx, n)
	}
	return s.frame(), nil
}

func (s *station) frame() Frame {
	f := Frame{Source: "nvml", Taken: time.Now(), Hosts: []Host{{Name: "gpu-1"}}}
	for i := range max(1, s.devices) {
		f.Hosts[0].Devices = append(f.Hosts[0].Devices, h100.device(i, 0.5))
	}
	return f
}

// hubOf runs test with a hub of a source, at a fake time.
func hubOf(t *testing.T, s *station, test func(t *testing.T, h *Hub)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(HubConfig{Open: s.open})
		defer h.Close()
		test(t, h)
	})
}

// after lets time pass, and everything happen that is due.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// wantView checks the state, the reason and the age of what is shown.
func wantView(t *testing.T, v View, state State, reason string, age time.Duration) {
	t.Helper()
	got := fmt.Sprintf("%s, %q, %v", v.State, v.Reason, v.Age)
	if want := fmt.Sprintf("%s, %q, %v", state, reason, age); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

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
		slow, quick := h.Subscribe(), h.Subscribe()
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
			t.Errorf("got detail %q and %d devices, want the error in one line and the last frame", v.Detail, v.Frame.Devices())
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
			return Frame{}, fmt.Errorf("read: %w", because{errors.New("401"), "unauthorized"})
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

type because struct {
	error
	reason string
}

func (b because) Reason() string { return b.reason }

func TestGarbageOfASourceIsLeftOut(t *testing.T) {
	now := monday
	f := Frame{Taken: now.Add(time.Hour), Hosts: []Host{
		{Devices: []Device{{UUID: ""}, {UUID: "a", Readings: map[Metric]Reading{Power: {Value: math.NaN()}, SMClock: {1980, now.Add(time.Hour)}, MemoryUsed: {Value: 1}}}, {UUID: "a"}}},
		{Devices: []Device{{UUID: "b"}, {UUID: "a"}, {UUID: "c"}}},
	}}
	want := Frame{Taken: now, Reason: ReasonMany, Detail: "2 of 6 devices are shown", Hosts: []Host{
		{Devices: []Device{{UUID: "a", Readings: map[Metric]Reading{SMClock: {1980, now}, MemoryUsed: {Value: 1}}}}},
		{Devices: []Device{{UUID: "b"}}},
	}}
	if diff := cmp.Diff(want, tidy(f, now, 2)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := f.Devices(); got != 6 {
		t.Errorf("the source's frame has %d devices now, want it as it was", got)
	}
}

func TestReadingsAreStaleAfterThreeIntervals(t *testing.T) {
	s := new(station)
	s.do = func(_ context.Context, n int) (Frame, error) {
		f := s.frame()
		f.Hosts[0].Devices[0].Readings[Power] = Reading{Value: 70, Taken: time.Now().Add(-4 * time.Second)}
		return f, nil
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe()
		after(0)
		v := h.View()
		host, readings := &v.Frame.Hosts[0], v.Frame.Hosts[0].Devices[0].Readings
		if !v.IsStale(host, readings[Power]) || v.AgeOf(readings[Power]) != 4*time.Second || v.IsStale(host, readings[SMClock]) {
			t.Errorf("got %v and %v, want the old one stale", v.AgeOf(readings[Power]), v.AgeOf(readings[SMClock]))
		}
		if rare := (&Host{Every: 15}); v.IsStale(rare, readings[Power]) {
			t.Error("a reading of 4 s is stale for a host that is read every 15 s")
		}
		uuid := v.Frame.Hosts[0].Devices[0].UUID
		if h.Series(uuid, Power) != nil || h.Series(uuid, SMClock) == nil {
			t.Error("want a history of the new reading alone")
		}
	})
}

func TestASourceThatIsReadRarelyIsNotStale(t *testing.T) {
	s := new(station)
	var kept Frame
	s.do = func(context.Context, int) (Frame, error) {
		if now := time.Now(); now.Sub(kept.Taken) >= 5*time.Second {
			kept = s.frame()
			kept.Hosts[0].Every = 5
		}
		return kept, nil
	}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe()
		for range 30 {
			after(time.Second)
			if v := h.View(); v.State != OK {
				t.Fatalf("got %s at an age of %v", v.State, v.Age)
			}
		}
	})
}

func TestAnHourLeavesNoMemoryBehind(t *testing.T) {
	s := &station{devices: 8}
	hubOf(t, s, func(t *testing.T, h *Hub) {
		h.Subscribe()
		heap := func() int64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		after(10 * time.Minute)
		before := heap()
		after(time.Hour)
		if grown := heap() - before; grown > 256<<10 {
			t.Errorf("the heap has grown by %d bytes in an hour", grown)
		}
		if got := s.reads.Load(); got != 70*60+1 {
			t.Errorf("got %d reads, want %d", got, 70*60+1)
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

func BenchmarkTick(b *testing.B) {
	s := &station{devices: 8}
	h := NewHub(HubConfig{Open: s.open})
	h.Close() // the benchmark is its poller
	h.closed = false
	for range 300 {
		w := h.Subscribe()
		defer w.Close()
		go func() {
			for range w.C {
				h.View()
			}
		}()
	}
	p := &poller{h: h, started: time.Now()}
	h.ctx = context.Background()
	f := s.frame()
	b.ReportAllocs()
	for b.Loop() {
		p.started = p.started.Add(time.Second)
		f.Taken = time.Now()
		p.take(outcome{frame: tidy(f, f.Taken, 4096), read: true})
	}
}

func BenchmarkSeriesOfEightDevices(b *testing.B) {
	s := &station{devices: 8}
	h := NewHub(HubConfig{Open: s.open})
	defer h.Close()
	f := s.frame()
	for i := range HistoryPoints {
		h.history.put(f.Taken.Add(time.Duration(i)*time.Second), &f, func(*Host, Reading) bool { return false })
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, d := range f.Hosts[0].Devices {
			for _, m := range HistoryMetrics {
				h.Series(d.UUID, m)
			}
		}
	}
}
