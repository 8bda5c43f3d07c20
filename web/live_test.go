package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tianti/catalog"
	"tianti/live"
	"tianti/live/sample"
	"tianti/web"
)

// devices is a source whose frames the test chooses.
type devices struct {
	mu    sync.Mutex
	frame live.Frame
	err   error
	reads int
}

func (d *devices) Name() string { return "replay" }

func (d *devices) Close() error { return nil }

func (d *devices) Read(context.Context) (live.Frame, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads++
	f := d.frame
	f.Taken = time.Time{} // now
	return f, d.err
}

// change alters what is read next.
func (d *devices) change(f func(*live.Frame)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(&d.frame)
}

func builtinSnapshot(t testing.TB) *catalog.Snapshot {
	t.Helper()
	snap, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func newHub(t testing.TB, src live.Source) *live.Hub {
	t.Helper()
	hub := live.NewHub(live.HubConfig{Open: func() (live.Source, error) { return src, nil }})
	t.Cleanup(func() { _ = hub.Close() })
	return hub
}

func newLiveServer(t testing.TB, src live.Source) *web.Server {
	t.Helper()
	s := web.New(web.Config{Live: newHub(t, src)})
	t.Cleanup(s.Close)
	s.Swap(builtinSnapshot(t))
	return s
}

func TestLivePageHoldsReadingsAgainstRatings(t *testing.T) {
	s := newLiveServer(t, &devices{frame: sample.Frame()})
	for path, wants := range map[string][]string{
		"/live?show=all": {"train-01", "NVIDIA H100 SXM5 80GB", "Matched by PCI id", "Tensor pipe", "at most 3",
			"dense BF16 TFLOPS", "GPU utilization",
			"The driver has lost the device", "shown only to people who have signed in",
			`name="robots" content="noindex"`, "What fits right now", "Pause"},
		"/zh/live": {"实时状态", "至多", "只对已登录的人显示", "现在放得下什么"},
	} {
		r := get(t, s, path)
		body := bodyOf(t, r)
		if r.StatusCode != 200 || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, Cache-Control %q", path, r.StatusCode, r.Header.Get("Cache-Control"))
		}
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
		for _, secret := range []string{"alice", "python3", "41873", "achieved", " style="} {
			if strings.Contains(body, secret) {
				t.Errorf("%s has %q", path, secret)
			}
		}
	}
}

func TestLivePageFiltersAndSorts(t *testing.T) {
	s := newLiveServer(t, &devices{frame: sample.Frame()})
	body := bodyOf(t, get(t, s, "/live?host=train-02&sort=-power"))
	if strings.Contains(body, sample.H100) || !strings.Contains(body, `aria-sort="descending"`) {
		t.Error("got other hosts or no order")
	}
	if a, v := strings.Index(body, `"`+sample.A100Small+`"`), strings.Index(body, `"`+sample.A100+`"`); a < 0 || a > v {
		t.Errorf("the device with 301 W is at %d, that with 58 W at %d: want it first", a, v)
	}
	if r := get(t, s, "/live?sort=powr"); r.StatusCode != 400 || !strings.Contains(bodyOf(t, r), "power") {
		t.Errorf("an unknown order: %d", r.StatusCode)
	}
}

func TestLiveWithoutSourceOrDriverSaysWhatToDo(t *testing.T) {
	bare := newServer(t, 10, nil)
	if body := bodyOf(t, get(t, bare, "/live")); !strings.Contains(body, "--live auto") ||
		strings.Contains(body, "/static/live.") {
		t.Error("without a source the page does not say how to configure one")
	}
	if r := get(t, bare, "/api/v1/live/stream"); r.StatusCode != 503 {
		t.Errorf("a stream without a source: %d, want 503", r.StatusCode)
	}
	s := newLiveServer(
		t,
		&devices{frame: live.Frame{Source: "nvml", Reason: "no-driver", Detail: "ERROR_LIBRARY_NOT_FOUND"}},
	)
	body := bodyOf(t, get(t, s, "/live"))
	for _, want := range []string{"No readings", "There is no driver for accelerators on this host.",
		"ERROR_LIBRARY_NOT_FOUND", "Install the driver"} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %q", want)
		}
	}
}

func TestLiveAPIIsOfNowAndForThisSite(t *testing.T) {
	s := newLiveServer(t, &devices{frame: sample.Frame()})
	r := get(t, s, "/api/v1/live?host=train-01")
	if h := r.Header; h.Get("Access-Control-Allow-Origin") != "" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("got headers %v", h)
	}
	var got struct {
		State string
		Hosts []struct {
			Devices []struct {
				Card     struct{ ID string }
				Match    string
				Readings map[string]struct {
					Value float64
					Unit  string
					Rated []struct {
						Metric  string
						Value   float64
						Ceiling bool
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(bodyOf(t, r)), &got); err != nil {
		t.Fatal(err)
	}
	d := got.Hosts[0].Devices[0]
	tensor := d.Readings["tensor_active"]
	if got.State != "ok" || d.Card.ID != "nvidia-h100-sxm5-80gb" || d.Match != "pci" || len(tensor.Rated) != 1 ||
		tensor.Rated[0].Metric != "bf16_matrix_dense_tflops" || !tensor.Rated[0].Ceiling ||
		d.Readings["power_w"].Unit != "W" {
		t.Errorf("got %+v", d)
	}
	if twin := bodyOf(t, get(t, s, "/live.json?host=train-01")); !strings.Contains(twin, sample.H100) ||
		strings.Contains(twin, sample.V100) {
		t.Error("/live.json is not the host's")
	}
}

// events reads a stream of a real server.
type events struct {
	*bufio.Scanner
	close func()
}

func watch(t testing.TB, url string) events {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") ||
		res.Header.Get("X-Accel-Buffering") != "no" ||
		res.Header.Get("Content-Encoding") != "" {
		t.Fatalf("got %d %v", res.StatusCode, res.Header)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20)
	return events{lines, func() { cancel(); _ = res.Body.Close() }}
}

// next is the data of the next event with devices.
func (e events) next(t testing.TB) string {
	t.Helper()
	for e.Scan() {
		if data, ok := strings.CutPrefix(e.Text(), "data: "); ok && strings.Contains(data, `"uuid"`) {
			return data
		}
	}
	t.Error("the stream has ended")
	return ""
}

func TestLiveStreamSendsWhatChanges(t *testing.T) {
	src := &devices{frame: sample.Frame()}
	s := newLiveServer(t, src)
	server := httptest.NewServer(s)
	defer server.Close()
	e := watch(t, server.URL+"/api/v1/live/stream?host=train-01")
	defer e.close()
	if first := e.next(t); strings.Count(first, `"uuid"`) != 3 || !json.Valid([]byte(first)) {
		t.Errorf("the first event has %d devices: %.200s", strings.Count(first, `"uuid"`), first)
	}
	src.change(func(f *live.Frame) {
		next := sample.Frame()
		next.Hosts[0].Devices[0].Readings[live.Power] = live.Reading{Value: 601}
		*f = next
	})
	if second := e.next(t); strings.Count(second, `"uuid"`) != 1 || !strings.Contains(second, sample.H100) ||
		!strings.Contains(second, "601") ||
		!json.Valid([]byte(second)) {
		t.Errorf(
			"the second event has %d devices %v, valid: %v, with the new power: %v",
			strings.Count(second, `"uuid"`),
			uuidsIn.FindAllString(second, -1),
			json.Valid([]byte(second)),
			strings.Contains(second, "601"),
		)
	}
	page := watch(t, server.URL+"/zh/live/stream?host=train-01")
	defer page.close()
	if first := page.next(t); strings.Count(first, `"uuid"`) != 3 || !strings.Contains(first, "TFLOPS（BF16 稠密）") ||
		!json.Valid([]byte(first)) {
		t.Errorf("the page's event is %.300s", first)
	}
}

func TestLiveStreamEndsWithClientAndServer(t *testing.T) {
	src := &devices{frame: sample.Frame()}
	hub := newHub(t, src)
	s := web.New(web.Config{Live: hub})
	defer s.Close()
	s.Swap(builtinSnapshot(t))
	server := httptest.NewServer(s)
	defer server.Close()
	gone, stays := watch(t, server.URL+"/live/stream"), watch(t, server.URL+"/live/stream")
	gone.next(t)
	stays.next(t)
	gone.close()
	for deadline := time.Now().Add(5 * time.Second); hub.Watchers() != 1; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d watch, want 1", hub.Watchers())
		}
	}
	s.EndStreams()
	for stays.Scan() {
	}
	for deadline := time.Now().Add(5 * time.Second); hub.Watchers() != 0; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d watch, want none", hub.Watchers())
		}
	}
	if r := get(t, s, "/live/stream"); r.StatusCode != 503 {
		t.Errorf("a stream of a server that shuts down: %d, want 503", r.StatusCode)
	}
}

var uuidsIn = regexp.MustCompile(`"uuid":"[^"]*"`)

// quiet is a writer of answers that keeps nothing.
type quiet struct {
	mu    sync.Mutex
	h     http.Header
	bytes int
	beats int
}

func (q *quiet) Header() http.Header { return q.h }

func (q *quiet) WriteHeader(int) {}

func (q *quiet) Flush() {}

func (q *quiet) Write(b []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes += len(b)
	if string(b) == ": \n\n" {
		q.beats++
	}
	return len(b), nil
}

// TestManyViewersCostOneRead lets 300 watch for a minute, in a bubble that fails when
// a goroutine is left.
func TestManyViewersCostOneRead(t *testing.T) {
	snap := builtinSnapshot(t)
	synctest.Test(t, func(t *testing.T) {
		src := &devices{frame: sample.Frame()}
		hub := live.NewHub(live.HubConfig{Open: func() (live.Source, error) { return src, nil }})
		s := web.New(web.Config{Live: hub})
		s.Swap(snap)
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		writers := make([]*quiet, 300)
		for i := range writers {
			writers[i] = &quiet{h: http.Header{}}
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/live/stream", nil)
			group.Go(func() { s.ServeHTTP(writers[i], r) })
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if src.reads < 58 || src.reads > 63 {
			t.Errorf("%d reads in a minute", src.reads)
		}
		if writers[299].bytes == 0 || writers[299].beats != 4 {
			t.Errorf("the last viewer got %d bytes and %d heartbeats, want 4", writers[299].bytes, writers[299].beats)
		}
		cancel()
		group.Wait()
		if n := hub.Watchers(); n != 0 {
			t.Errorf("%d still watch", n)
		}
		s.Close()
		_ = hub.Close()
	})
}
