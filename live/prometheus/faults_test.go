package prometheus

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tianti/live"
	"tianti/test/slow"
)

// A moody server answers as Prometheus does, with samples of just now, until it is
// told to do something else.
type moody struct {
	*httptest.Server
	mood atomic.Pointer[http.HandlerFunc] // nil: it answers well
	end  chan struct{}
}

func newMoody(t *testing.T) *moody {
	m := &moody{end: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mood := m.mood.Load(); mood != nil {
			(*mood)(w, r)
			return
		}
		m.well(w, r)
	}))
	t.Cleanup(func() { close(m.end); m.Close() })
	return m
}

// well has one card, which is scraped a hundred times a second.
func (m *moody) well(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.PostFormValue("query"), "DCGM") {
		io.WriteString(w, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
		return
	}
	now := float64(time.Now().UnixMilli()) / 1000
	fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[{
		"metric":{"__name__":"DCGM_FI_DEV_GPU_TEMP","gpu":"0","UUID":"GPU-1","Hostname":"a"},
		"values":[[%.3f,"39"],[%.3f,"40"]]
	}]}}`, now-0.01, now)
}

// until waits for a view that is as it is wanted.
func until(t *testing.T, h *live.Hub, w *live.Watcher, what string, wanted func(live.View) bool) live.View {
	t.Helper()
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	for {
		if v := h.View(); wanted(v) {
			return v
		}
		select {
		case <-w.C:
		case <-late.C:
			v := h.View()
			t.Fatalf("%s: got %s %q %q, %d devices, %v old", what, v.State, v.Reason, v.Detail, v.Frame.Devices(),
				v.Age)
		}
	}
}

// TestFaultsOfTheServerLeaveTheLastReadings has a server go wrong in many ways while
// somebody watches: the card stays, grows old, and is fresh again after each.
func TestFaultsOfTheServerLeaveTheLastReadings(t *testing.T) {
	slow.Raced(t, "source.go")
	m := newMoody(t)
	answer := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	h := live.NewHub(live.HubConfig{
		Open: func() (live.Source, error) {
			return New(Config{URL: m.URL, Timeout: 100 * time.Millisecond, Refresh: time.Millisecond})
		},
		Interval: 5 * time.Millisecond, MaxBackoff: 20 * time.Millisecond,
	})
	defer h.Close()
	w := h.Subscribe()
	defer w.Close()
	well := func(v live.View) bool { return v.State == live.OK && v.Reason == "" && v.Frame.Devices() == 1 }
	for _, tt := range []struct {
		name   string
		mood   http.HandlerFunc
		reason string
		detail string
	}{
		{"500", answer(500, "text/plain", "out of memory"), live.ReasonFailed,
			"500 Internal Server Error: out of memory"},
		{"bad gateway", answer(502, "text/html", "<html>nginx"), live.ReasonFailed, "with a web page"},
		{"hangs", func(http.ResponseWriter, *http.Request) { <-m.end }, live.ReasonTimeout, "does not answer in time"},
		{"50 MB", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"status":"success","data":{"result":[`)
			for series := strings.Repeat(`{"metric":{},"values":[[1,"2"]]},`, 1<<14); ; {
				if _, err := io.WriteString(w, series); err != nil {
					return
				}
			}
		}, "", m.URL}, // too long or too late, whichever comes first
		{"garbage", answer(200, "application/json", "\x00\xff{{{"), live.ReasonFailed,
			"does not answer as Prometheus does"},
		{"login page", answer(200, "text/html; charset=utf-8", "<!doctype html><title>Sign in</title>"),
			live.ReasonFailed, "web page, not with Prometheus' API"},
		{"redirect", http.RedirectHandler("https://login.example/?next=/", http.StatusFound).ServeHTTP,
			live.ReasonFailed, "302 Found to https://login.example/?next=/: give that address instead"},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"status":"success","data":{"result":[{"metric":{"__name`)
		}, live.ReasonFailed, m.URL}, // in the answer or in the connection, whichever is seen first
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, live.ReasonFailed,
			m.URL},
		{"error", answer(200, "application/json", `{"status":"error","errorType":"execution","error":"no such store"}`),
			live.ReasonFailed, "no such store"},
		{"refusal", answer(422, "application/json",
			`{"status":"error","errorType":"execution","error":"too many samples"}`), live.ReasonFailed,
			"execution: too many samples"},
		{"nothing", answer(200, "application/json", ""), live.ReasonFailed, "does not answer as Prometheus does"},
	} {
		until(t, h, w, "before "+tt.name, well)
		m.mood.Store(&tt.mood)
		v := until(t, h, w, tt.name, func(v live.View) bool { return v.State == live.Stale && v.Reason != "" })
		if v.Frame.Devices() != 1 || v.Age <= 0 || tt.reason != "" && v.Reason != tt.reason ||
			!strings.Contains(v.Detail, tt.detail) || !strings.Contains(v.Detail, m.URL) {
			t.Errorf("%s: got %d devices, %v old, %s: %q", tt.name, v.Frame.Devices(), v.Age, v.Reason, v.Detail)
		}
		m.mood.Store(nil)
	}
	until(t, h, w, "in the end", well)
}

// TestSamplesThatAreNoNumbersAreAbsent has samples that Prometheus stores and no device
// can have.
func TestSamplesThatAreNoNumbersAreAbsent(t *testing.T) {
	text := ""
	for _, value := range []string{"NaN", "+Inf", "-Inf", "1e999"} {
		text += fmt.Sprintf("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-%s\",Hostname=\"a\"} %s\n", value, value)
	}
	frame, err := fakeSource(t, fakePrometheus(t, text).URL).Read(t.Context())
	if err != nil || frame.Devices() != 4 {
		t.Fatalf("got %d devices, %v, want 4", frame.Devices(), err)
	}
	for _, d := range frame.Hosts[0].Devices {
		if len(d.Readings) > 0 {
			t.Errorf("%s: got %v", d.UUID, d.Readings)
		}
	}
}

// TestAFleetOfTenThousandSeriesIsRead has 105 hosts with 8 cards and 12 counters each.
func TestAFleetOfTenThousandSeriesIsRead(t *testing.T) {
	url := fakePrometheus(t, fleetText(105)).URL
	now := func() time.Time { return sampled.Add(10 * time.Second) }
	c := Config{URL: url, Timeout: time.Minute, Now: now} // it is slow with the race detector
	frame, err := newSource(t, c).Read(t.Context())
	if err != nil || len(frame.Hosts) != 105 || frame.Devices() != 840 {
		t.Fatalf("got %d devices on %d hosts, %v", frame.Devices(), len(frame.Hosts), err)
	}
}
