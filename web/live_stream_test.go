package web_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tianti/live"
	"tianti/live/sample"
	"tianti/web"
)

// kept is a writer of answers that keeps them.
type kept struct {
	quiet
	text strings.Builder
}

func (k *kept) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(b)
}

// streamFor is what a stream sends in a time, which passes at once.
func streamFor(t *testing.T, src live.Source, path string, d time.Duration) string {
	t.Helper()
	snap := builtinSnapshot(t)
	w := &kept{quiet: quiet{h: map[string][]string{}}}
	synctest.Test(t, func(t *testing.T) {
		hub := live.NewHub(live.HubConfig{Open: func() (live.Source, error) { return src, nil }})
		s := web.New(web.Config{Live: hub})
		s.Swap(snap)
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", path, nil)) })
		time.Sleep(d)
		synctest.Wait()
		cancel()
		group.Wait()
		s.Close()
		_ = hub.Close()
	})
	return w.text.String()
}

// eventsOf are the data of the events in a stream.
func eventsOf(t *testing.T, stream string) (out []string) {
	t.Helper()
	for line := range strings.Lines(stream) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if !json.Valid([]byte(data)) {
				t.Fatalf("an event is no JSON: %.300s", data)
			}
			out = append(out, data)
		}
	}
	return out
}

// inBubble is when the time of streamFor begins.
var inBubble = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestStaleReadingsAreNotSentAnewEachSecond(t *testing.T) {
	frame := sample.Frame()
	for m, r := range frame.Hosts[4].Devices[1].Readings {
		frame.Hosts[4].Devices[1].Readings[m] = live.Reading{Value: r.Value, Taken: inBubble.Add(-5 * time.Minute)}
	}
	for _, path := range []string{"/live/stream", "/api/v1/live/stream"} {
		events := eventsOf(t, streamFor(t, &devices{frame: frame}, path, 55*time.Second))
		if len(events) < 53 {
			t.Fatalf("%s: %d events in 55 seconds", path, len(events))
		}
		of := func(uuid string) (n int) {
			for _, e := range events {
				n += strings.Count(e, `"`+uuid+`"`)
			}
			return n
		}
		if n := of(sample.H100); n != 1 {
			t.Errorf("%s: a device that does not change is sent %d times", path, n)
		}
		// Its readings are minutes old, and another minute has not passed.
		if n := of(sample.Ascend); n != 1 {
			t.Errorf("%s: a device with old readings is sent %d times in a minute", path, n)
		}
		if last := events[len(events)-1]; len(last) > 300 {
			t.Errorf("%s: %d bytes say that nothing has changed: %s", path, len(last), last)
		}
	}
}

func TestPagesGetOnlyTheCellsThatChange(t *testing.T) {
	events := eventsOf(
		t,
		streamFor(t, &rising{devices: devices{frame: sample.Frame()}}, "/live/stream?host=train-01", 5*time.Second),
	)
	_, last, _ := strings.Cut(events[len(events)-1], `"hosts":`) // before it are the sums
	if !strings.Contains(last, `"power":{`) || strings.Contains(last, `"memory":{`) ||
		strings.Contains(last, "badges") ||
		strings.Contains(last, sample.H100Idle) {
		t.Errorf("got %s, want the cell of the power alone", last)
	}
}

// rising are devices the first of which takes a watt less at each reading.
type rising struct {
	devices
	n int
}

func (r *rising) Read(ctx context.Context) (live.Frame, error) {
	f := sample.Frame()
	r.n++
	f.Hosts[0].Devices[0].Readings[live.Power] = live.Reading{Value: 680 - float64(r.n)}
	r.change(func(old *live.Frame) { *old = f })
	return r.devices.Read(ctx)
}

func TestPagesAreToldWhenDevicesComeAndGo(t *testing.T) {
	shapes := func(host string) []string {
		src := &leaving{devices{frame: sample.Frame()}}
		var out []string
		for _, e := range eventsOf(t, streamFor(t, src, "/live/stream?host="+host, 6*time.Second)) {
			var head struct{ Shape string }
			if err := json.Unmarshal([]byte(e), &head); err != nil {
				t.Fatal(err)
			}
			if len(out) == 0 || out[len(out)-1] != head.Shape {
				out = append(out, head.Shape)
			}
		}
		return out
	}
	if got := shapes("train-01"); len(got) != 2 {
		t.Errorf("got shapes %q of the host that loses a device, want two", got)
	}
	if got := shapes("train-02"); len(got) != 1 {
		t.Errorf("got shapes %q of another host, want one", got)
	}
	s := newLiveServer(t, &devices{frame: sample.Frame()})
	if want, body := shapes("train-02")[0], bodyOf(t, get(t, s, "/live?host=train-02")); !strings.Contains(
		body,
		`data-shape="`+want+`"`,
	) {
		t.Errorf("the page has not the shape %s of its stream", want)
	}
}

// leaving are devices one of which goes at the third reading.
type leaving struct{ devices }

func (l *leaving) Read(ctx context.Context) (live.Frame, error) {
	l.change(func(f *live.Frame) {
		if l.reads == 3 {
			f.Hosts[0].Devices = f.Hosts[0].Devices[:2]
		}
	})
	return l.devices.Read(ctx)
}
