package live

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestGarbageOfASourceIsLeftOut(t *testing.T) {
	now := monday
	f := Frame{Taken: now.Add(time.Hour), Hosts: []Host{
		{Devices: []Device{{UUID: ""}, {UUID: "a",
			Readings: map[Metric]Reading{Power: {Value: math.NaN()}, SMClock: {1980, now.Add(time.Hour)},
				MemoryUsed: {Value: 1}}}, {UUID: "a"}}},
		{Devices: []Device{{UUID: "b"}, {UUID: "a"}, {UUID: "c"}}},
	}}
	want := Frame{Taken: now, Reason: ReasonMany, Detail: "2 of 6 devices are shown", Hosts: []Host{
		{Devices: []Device{{UUID: "a", Readings: map[Metric]Reading{SMClock: {1980, now}, MemoryUsed: {Value: 1}}}}},
		{Devices: []Device{{UUID: "b"}}},
	}}
	if diff := cmp.Diff(want, sanitize(f, now, 2)); diff != "" {
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
		if !v.IsStale(host, readings[Power]) || v.AgeOf(readings[Power]) != 4*time.Second ||
			v.IsStale(host, readings[SMClock]) {
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
