package web_test

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tianti/account"
	"tianti/live"
	"tianti/live/sample"
	"tianti/web"
	"tianti/web/monitor"
)

var (
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\S+)$`)
	labelPair  = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)`)
)

// parseMetrics reads Prometheus' text format strictly: a family is announced before
// its samples, once, and no series comes twice. Keys are series with their labels.
func parseMetrics(t *testing.T, text string) map[string]float64 {
	t.Helper()
	out, family, done := map[string]float64{}, "", map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			family, _, _ = strings.Cut(rest, " ")
			if done[family] {
				t.Errorf("%s comes twice", family)
			}
			done[family] = true
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			if name, kind, _ := strings.Cut(rest, " "); name != family ||
				!slices.Contains([]string{"gauge", "counter", "summary"}, kind) {

				t.Errorf("%q follows %q", line, family)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil || m[1] != family && m[1] != family+"_sum" && m[1] != family+"_count" {
			t.Errorf("%q in the family %q", line, family)
			continue
		}
		for labels := m[3]; labels != ""; {
			pair := labelPair.FindString(labels)
			if pair == "" {
				t.Errorf("bad labels in %q", line)
				break
			}
			labels = labels[len(pair):]
		}
		v, err := strconv.ParseFloat(m[4], 64)
		if _, twice := out[m[1]+m[2]]; twice || err != nil {
			t.Errorf("%q: twice %v, %v", line, twice, err)
		}
		out[m[1]+m[2]] = v
	}
	return out
}

func TestMetricsAreInPrometheusText(t *testing.T) {
	frame := sample.Frame()
	frame.Hosts[0].Devices[0].Name = "NVIDIA \"H100\" \\ 80GB\nHBM3"
	s := newLiveServer(t, &devices{frame: frame})
	get(t, s, "/sources")
	get(t, s, "/sources")
	get(t, s, "/nothing")
	r := get(t, s, "/metrics")
	if got := r.Header.Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("Content-Type is %q", got)
	}
	got := parseMetrics(t, bodyOf(t, r))
	for series, want := range map[string]float64{
		`tianti_http_requests_total{route="/sources",status="200"}`:                                                                 2,
		`tianti_http_request_duration_seconds_count{route="/sources",status="200"}`:                                                 2,
		`tianti_device_sm_clock_hertz{uuid="GPU-h100-1",name="NVIDIA H100 80GB HBM3",card="nvidia-h100-sxm5-80gb",host="train-01"}`: 345e6,
		`tianti_page_cache_hits_total`: 1, `tianti_snapshot_revision`: 1, `tianti_live_up`: 1, `tianti_live_viewers`: 0,
		`tianti_device_power_watts{uuid="GPU-h100-0",name="NVIDIA \"H100\" \\ 80GB\nHBM3",card="nvidia-h100-sxm5-80gb",host="train-01"}`: 688,
		`tianti_device_tensor_active_ratio{uuid="GPU-h100-1",name="NVIDIA H100 80GB HBM3",card="nvidia-h100-sxm5-80gb",host="train-01"}`: 0,
	} {
		if v, ok := got[series]; !ok || v != want {
			t.Errorf("%s is %v (there: %v), want %v", series, v, ok, want)
		}
	}
	if got["go_goroutines"] < 1 || got["go_memstats_heap_alloc_bytes"] < 1 || got["process_start_time_seconds"] < 1e9 {
		t.Errorf("the program's own are %v, %v, %v", got["go_goroutines"], got["go_memstats_heap_alloc_bytes"],
			got["process_start_time_seconds"])
	}
	for series := range got {
		if strings.Contains(series, sample.Lost) {
			t.Errorf("%s of a lost device", series)
		}
	}
}

func TestCardsThatAreHereSaySo(t *testing.T) {
	src := &devices{frame: sample.Frame()}
	s := newLiveServer(t, src)
	get(t, s, "/live")
	for path, want := range map[string]string{
		"/cards?q=h100": "3 here", "/zh/cards/nvidia-h100-sxm5-80gb": "本地 3 张",
		"/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-a100-sxm4-80gb": "3 here", "/cards?live=here": "3 here",
	} {
		r := get(t, s, path)
		if body := bodyOf(t, r); r.StatusCode != 200 || !strings.Contains(body, want) ||
			r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, %q, there: %v", path, r.StatusCode, r.Header.Get("Cache-Control"),
				strings.Contains(body, want))
		}
	}
	if body := bodyOf(t, get(t, s, "/cards.csv?live=here")); strings.Contains(body, "h200") ||
		!strings.Contains(strings.ToLower(body), "h100") {
		t.Errorf("the filter gives %.300s", body)
	}
	if r := get(t, s, "/cards?live=there"); r.StatusCode != 400 {
		t.Errorf("live=there: %d, want 400", r.StatusCode)
	}
}

func TestPagesAreKeptWhereNoDeviceIs(t *testing.T) {
	s := newLiveServer(t, &devices{frame: live.Frame{Source: "nvml", Reason: "no-driver"}})
	get(t, s, "/cards/nvidia-h100-sxm5-80gb")
	get(t, s, "/cards/nvidia-h100-sxm5-80gb")
	if got := parseMetrics(t, bodyOf(t, get(t, s, "/metrics"))); got["tianti_page_cache_hits_total"] != 1 {
		t.Errorf("%v hits, want 1", got["tianti_page_cache_hits_total"])
	}
}

func TestEachReadingOfTheSampleIsAMetric(t *testing.T) {
	frame := sample.Frame()
	want := 0
	for _, h := range frame.Hosts {
		for _, d := range h.Devices {
			want += len(d.Readings)
		}
	}
	s := newLiveServer(t, &devices{frame: frame})
	got := 0
	for series := range parseMetrics(t, bodyOf(t, get(t, s, "/metrics"))) {
		if strings.HasPrefix(series, "tianti_device_") {
			got++
		}
	}
	if got < want-20 || got > want { // those of a device whose readings are old are left out
		t.Errorf("%d series of devices, want some %d", got, want)
	}
}

func TestNothingTellsOfProcesses(t *testing.T) {
	s := newLiveServer(t, &devices{frame: sample.Frame()})
	stream := streamFor(t, &devices{frame: sample.Frame()}, "/live/stream", 2*time.Second) +
		streamFor(t, &devices{frame: sample.Frame()}, "/api/v1/live/stream", 2*time.Second)
	answers := map[string]string{"streams": stream}
	for _, path := range []string{"/live", "/live.json", "/api/v1/live", "/metrics", "/cards?live=here",
		"/cards.json?live=here", "/cards/nvidia-h100-sxm5-80gb"} {
		answers[path] = bodyOf(t, get(t, s, path))
	}
	for where, text := range answers {
		for _, h := range sample.Frame().Hosts {
			for _, d := range h.Devices {
				for _, p := range d.Processes {
					if p.User != "" && strings.Contains(text, `"`+p.User+`"`) ||
						strings.Contains(text, `"`+p.Name+`"`) || strings.Contains(text, `"pid"`) ||
						strings.Contains(text, `"processes"`) {
						t.Errorf("%s tells of the process %v", where, p)
					}
				}
			}
		}
	}
}

func TestMetricsCanBeForReadersOnly(t *testing.T) {
	s := newSite(t, func(c *web.Config) { c.Metrics = monitor.Readers })
	if r := s.browser(t).get("/metrics"); r.StatusCode != http.StatusUnauthorized ||
		strings.Contains(r.body, "tianti_") {
		t.Errorf("a stranger: got %d", r.StatusCode)
	}
	_, secret := s.token(t, "bob", account.ScopeRead, time.Time{})
	if r := s.browser(t).get("/metrics", "Authorization", "Bearer "+secret); r.StatusCode != http.StatusOK ||
		!strings.Contains(r.body, "tianti_build_info") {
		t.Errorf("with a token: got %d", r.StatusCode)
	}
	if r := s.browser(t).get("/cards"); r.StatusCode != http.StatusOK {
		t.Errorf("the catalogue: got %d, want it open", r.StatusCode)
	}
}
