package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A scripted source reads what a test says.
type scripted struct {
	name   string
	read   func(ctx context.Context) (Frame, error)
	closed bool
}

func (s *scripted) Name() string                            { return s.name }
func (s *scripted) Read(ctx context.Context) (Frame, error) { return s.read(ctx) }
func (s *scripted) Close() error                            { s.closed = true; return nil }

// sourceOf is a source with one host and devices of these names.
func sourceOf(name, host string, uuids ...string) *scripted {
	return &scripted{name: name, read: func(context.Context) (Frame, error) {
		f := Frame{Source: name, Taken: time.Now(), Hosts: []Host{{Name: host, Devices: []Device{}}}}
		for _, u := range uuids {
			f.Hosts[0].Devices = append(f.Hosts[0].Devices,
				Device{UUID: u, Name: name, Readings: map[Metric]Reading{Power: {Value: 70}}})
		}
		return f, nil
	}}
}

// sourceWithout is a source that gives a reason and no device.
func sourceWithout(name, reason string) *scripted {
	return &scripted{name: name, read: func(context.Context) (Frame, error) {
		return Frame{Taken: time.Now(), Reason: reason}, nil
	}}
}

// outline is a frame as text: host: device of source, …; and its reason.
func outline(f Frame) string {
	var b strings.Builder
	for _, h := range f.Hosts {
		fmt.Fprintf(&b, "%s:", h.Name)
		for _, d := range h.Devices {
			fmt.Fprintf(&b, " %s of %s", d.UUID, d.Name)
		}
		b.WriteString("; ")
	}
	return b.String() + f.Reason
}

// severalOf runs test with several sources, at a fake time.
func severalOf(t *testing.T, test func(t *testing.T, s Source), sources ...Source) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := Several(sources...)
		test(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestSeveralSourcesAreOne(t *testing.T) {
	nvml, fleet, more := sourceOf("nvml", "gpu-1", "a", "b"), sourceOf("prometheus", "gpu-1", "b", "c"),
		sourceOf("replay", "gpu-2", "a", "d")
	none := sourceOf("nvidia-smi", "gpu-3")
	severalOf(t, func(t *testing.T, s Source) {
		if got, want := s.Name(), "nvml+prometheus+replay+nvidia-smi"; got != want {
			t.Errorf("got name %q, want %q", got, want)
		}
		f := readFrame(t, s)
		if got, want := outline(f), "gpu-1: a of nvml b of nvml c of prometheus; gpu-2: d of replay; "; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if !f.Taken.Equal(time.Now()) {
			t.Errorf("it was taken at %v, want now", f.Taken)
		}
	}, nvml, fleet, more, none)
	if !nvml.closed || !fleet.closed || !more.closed || !none.closed {
		t.Error("want all of them closed")
	}
}

func TestAFailingSourceKeepsItsLastReadingsForAWhile(t *testing.T) {
	fleet := sourceOf("prometheus", "gpu-2", "c")
	good := fleet.read
	severalOf(t, func(t *testing.T, s Source) {
		readFrame(t, s)
		for name, broken := range map[string]func(context.Context) (Frame, error){
			"error": func(context.Context) (Frame, error) { return Frame{}, errors.New("500 Internal Server Error") },
			"panic": func(context.Context) (Frame, error) { panic("no") },
		} {
			fleet.read = good
			readFrame(t, s)
			began := time.Now()
			fleet.read = broken
			time.Sleep(10 * time.Second)
			f := readFrame(t, s)
			if got, want := outline(f), "gpu-1: a of nvml; gpu-2: c of prometheus; partly"; got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
			if got := f.Hosts[1].Devices[0].Readings[Power].Taken; !got.Equal(began) {
				t.Errorf("%s: its reading is of %v, want %v", name, got, began)
			}
			time.Sleep(lastFrameFor)
			if got, want := outline(readFrame(t, s)), "gpu-1: a of nvml; partly"; got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		if got, want := readFrame(t, s).Detail, "prometheus: the source panicked: no"; got != want &&
			got != "prometheus: 500 Internal Server Error" {
			t.Errorf("got detail %q", got)
		}
	}, sourceOf("nvml", "gpu-1", "a"), fleet)
}

func TestASlowSourceIsNotWaitedForLong(t *testing.T) {
	slow := sourceOf("prometheus", "gpu-2", "c")
	good := slow.read
	slow.read = func(ctx context.Context) (Frame, error) {
		time.Sleep(1500 * time.Millisecond)
		return good(ctx)
	}
	severalOf(t, func(t *testing.T, s Source) {
		var took []time.Duration
		for range 3 {
			began := time.Now()
			if got, want := outline(readFrame(t, s)), "gpu-1: a of nvml; gpu-2: c of prometheus; "; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			took = append(took, time.Since(began))
			time.Sleep(time.Second)
		}
		if diff := cmp.Diff([]time.Duration{1500 * time.Millisecond, readWait, readWait}, took); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}, sourceOf("nvml", "gpu-1", "a"), slow)
}

func TestAHangingSourceIsSaidToHang(t *testing.T) {
	hanging := &scripted{name: "prometheus", read: func(ctx context.Context) (Frame, error) {
		<-ctx.Done()
		return Frame{}, ctx.Err()
	}}
	severalOf(t, func(t *testing.T, s Source) {
		f := readFrame(t, s)
		want := "gpu-1: a of nvml; partly prometheus: context deadline exceeded"
		if got := outline(f) + " " + f.Detail; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}, sourceOf("nvml", "gpu-1", "a"), hanging)
}

func TestAllSourcesFailingIsAFailure(t *testing.T) {
	broken := func(name, err string) Source {
		return &scripted{name: name, read: func(context.Context) (Frame, error) { return Frame{}, errors.New(err) }}
	}
	severalOf(t, func(t *testing.T, s Source) {
		_, err := s.Read(t.Context())
		if got, want := fmt.Sprint(err), "nvml: gone\nprometheus: 401"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}, broken("nvml", "gone"), broken("prometheus", "401"))
}

func TestWhyASourceHasNoDeviceIsSaidWhenNoneHas(t *testing.T) {
	without := func(reason string) Source { return sourceWithout("nvml", reason) }
	for _, tc := range []struct {
		sources []Source
		want    string
	}{
		{[]Source{without("no-driver"), without("no-device")}, "no-driver"},
		{[]Source{without(""), without("no-device")}, "no-device"},
		{[]Source{without("no-driver"), sourceOf("x", "gpu-1", "a")}, "gpu-1: a of x; "},
		{[]Source{sourceOf("x", "gpu-1", "a"), without("no-driver")}, "gpu-1: a of x; "},
	} {
		severalOf(t, func(t *testing.T, s Source) {
			if got := outline(readFrame(t, s)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		}, tc.sources...)
	}
}

func TestAHubReadsSeveralSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fleet := sourceOf("prometheus", "gpu-2", "c")
		good, broken := fleet.read, func(context.Context) (Frame, error) { return Frame{}, errors.New("garbage") }
		began := time.Now()
		fleet.read = func(ctx context.Context) (Frame, error) {
			if d := time.Since(began); d > 5*time.Second && d < 20*time.Second {
				return broken(ctx)
			}
			return good(ctx)
		}
		open := func() (Source, error) { return Several(sourceOf("nvml", "gpu-1", "a"), fleet), nil }
		h := NewHub(HubConfig{Open: open})
		defer h.Close()
		h.Subscribe()
		for _, tc := range []struct {
			wait   time.Duration
			reason string
			stale  bool
		}{{time.Second, "", false}, {14 * time.Second, ReasonPartly, true}, {10 * time.Second, "", false}} {
			after(tc.wait)
			v := h.View()
			stale := v.IsStale(&v.Frame.Hosts[1], v.Frame.Hosts[1].Devices[0].Readings[Power])
			if v.State != OK || v.Reason != tc.reason || stale != tc.stale {
				t.Errorf("after %v: got %s, %q, stale %v, want ok, %q, %v", time.Since(began), v.State, v.Reason, stale,
					tc.reason, tc.stale)
			}
		}
	})
}

// TestNoSourceReadIsStale has a host without a driver's library and a fleet that fails, from the beginning or later:
// what was read last gets old, and nothing is ok in part.
func TestNoSourceReadIsStale(t *testing.T) {
	for _, worked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			fleet := sourceOf("prometheus", "gpu-2", "c")
			good, began := fleet.read, time.Now()
			fleet.read = func(ctx context.Context) (Frame, error) {
				if worked && time.Since(began) < 5*time.Second {
					return good(ctx)
				}
				return Frame{}, errors.New("500")
			}
			open := func() (Source, error) { return Several(sourceWithout("nvml", "no-library"), fleet), nil }
			h := NewHub(HubConfig{Open: open})
			defer h.Close()
			h.Subscribe()
			for range 6 {
				after(4 * time.Second)
				v := h.View()
				want := Unavailable // nothing was ever read
				if worked {
					want = Stale
				}
				if worked && time.Since(began) < 5*time.Second {
					want = OK
				}
				if v.State != want || v.State != OK && v.Reason != "failed" {
					t.Errorf("worked %v, after %v: got %s, %q, %q", worked, time.Since(began), v.State,
						v.Reason, v.Detail)
				}
			}
		})
	}
}
