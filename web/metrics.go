package web

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// counters count answers.
type counters struct {
	hits, misses atomic.Int64 // of the page cache
	mu           sync.Mutex   // of whoever adds a key
	answers      atomic.Pointer[map[answerKey]*answered]
}

// answered is what there was of a kind of answer.
type answered struct {
	n    atomic.Int64
	took atomic.Int64 // nanoseconds of all together
}

func (a *answered) add(took time.Duration) {
	a.n.Add(1)
	a.took.Add(int64(took))
}

// answerKey is a route with a status.
type answerKey struct {
	route  string
	status int
}

func newCounters() *counters {
	t := &counters{}
	t.answers.Store(&map[answerKey]*answered{})
	return t
}

// count adds an answer. Routes and statuses are few, so that keys are rarely added.
func (t *counters) count(route string, status int, took time.Duration) {
	if route == "" {
		route = "/static/" // the files besides pages, and what no route has
	}
	key := answerKey{route, status}
	if n := (*t.answers.Load())[key]; n != nil {
		n.add(took)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := (*t.answers.Load())[key]; n != nil {
		n.add(took)
		return
	}
	next := maps.Clone(*t.answers.Load())
	next[key] = new(answered)
	next[key].add(took)
	t.answers.Store(&next)
}

// exposition writes Prometheus' text format.
type exposition struct{ bytes.Buffer }

// family begins a metric. All its samples follow.
func (e *exposition) family(name, kind, help string) {
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help), name, kind)
}

// label values may hold anything but these as they are.
var labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// sample adds a value; labels are names and values by turns.
func (e *exposition) sample(name string, value float64, labels ...string) {
	e.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		e.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(e, `%s="%s"`, labels[i], labelEscapes.Replace(strings.ToValidUTF8(labels[i+1], "\ufffd")))
	}
	if len(labels) > 0 {
		e.WriteByte('}')
	}
	e.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

// metrics answers /metrics for Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	noteRoute(w, r)
	e := &exposition{}
	s.ownMetrics(e)
	s.databaseMetrics(e, r)
	runtimeMetrics(e)
	if st := s.state.Load(); st != nil && s.cfg.Live != nil {
		v := s.liveView(r.Context(), livePatience)
		deviceMetrics(e, st, &v)
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(e.Bytes()) // the client may be gone
}

// ownMetrics are those of the server.
func (s *Server) ownMetrics(e *exposition) {
	e.family("tianti_build_info", "gauge", "Always 1; the labels say which program this is.")
	e.sample("tianti_build_info", 1, "version", s.cfg.Version, "go", runtime.Version())
	if snap := s.Snapshot(); snap != nil {
		e.family("tianti_snapshot_revision", "gauge", "Revision of the catalogue that is served.")
		e.sample("tianti_snapshot_revision", float64(snap.Revision))
		e.family("tianti_snapshot_cards", "gauge", "Cards of the catalogue that is served.")
		e.sample("tianti_snapshot_cards", float64(snap.Len()))
	}
	e.family("tianti_http_requests_total", "counter", "Answers by route and status.")
	answers := *s.tally.answers.Load()
	keys := slices.SortedFunc(maps.Keys(answers), func(a, b answerKey) int {
		return cmp.Or(cmp.Compare(a.route, b.route), a.status-b.status)
	})
	for _, k := range keys {
		e.sample("tianti_http_requests_total", float64(answers[k].n.Load()), "route", k.route, "status", strconv.Itoa(k.status))
	}
	e.family("tianti_http_request_duration_seconds", "summary", "Time from a request to the end of its answer, by route and status. Streams last as long as somebody watches and are left out.")
	for _, k := range keys {
		if strings.HasSuffix(k.route, "/stream") {
			continue
		}
		labels := []string{"route", k.route, "status", strconv.Itoa(k.status)}
		e.sample("tianti_http_request_duration_seconds_sum", time.Duration(answers[k].took.Load()).Seconds(), labels...)
		e.sample("tianti_http_request_duration_seconds_count", float64(answers[k].n.Load()), labels...)
	}
	e.family("tianti_page_cache_hits_total", "counter", "Answers from the page cache.")
	e.sample("tianti_page_cache_hits_total", float64(s.tally.hits.Load()))
	e.family("tianti_page_cache_misses_total", "counter", "Answers that were made.")
	e.sample("tianti_page_cache_misses_total", float64(s.tally.misses.Load()))
	if s.cfg.Accounts != nil {
		e.family("tianti_password_hashes_total", "counter", "Passwords that were hashed or checked.")
		e.sample("tianti_password_hashes_total", float64(s.cfg.Accounts.Hasher.Computed()))
	}
	e.family("tianti_live_viewers", "gauge", "Open streams of readings.")
	e.sample("tianti_live_viewers", float64(s.streams.viewers.Load()))
}

// databaseMetrics say whether the database answers.
func (s *Server) databaseMetrics(e *exposition, r *http.Request) {
	if s.cfg.Healthy == nil {
		return
	}
	began := time.Now()
	up := 1.0
	if s.cfg.Healthy(r) != nil {
		up = 0
	}
	e.family("tianti_database_up", "gauge", "1 while the database answers.")
	e.sample("tianti_database_up", up)
	e.family("tianti_database_answer_seconds", "gauge", "Time that it took to ask the database just now.")
	e.sample("tianti_database_answer_seconds", time.Since(began).Seconds())
}

// started is when the program was.
var started = time.Now()

// ofRuntime are the metrics of Go, by the names under which Prometheus' own client
// gives them.
var ofRuntime = []struct{ from, name, kind, help string }{
	{"/sched/goroutines:goroutines", "go_goroutines", "gauge", "Number of goroutines that currently exist."},
	{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", "gauge", "Bytes of objects on the heap, live or not yet swept."},
	{"/memory/classes/total:bytes", "go_memstats_sys_bytes", "gauge", "Bytes of memory that the runtime has obtained from the system."},
	{"/gc/heap/allocs:bytes", "go_memstats_alloc_bytes_total", "counter", "Bytes allocated on the heap, freed or not."},
}

// runtimeMetrics are those of Go.
func runtimeMetrics(e *exposition) {
	samples := make([]metrics.Sample, len(ofRuntime))
	for i, m := range ofRuntime {
		samples[i].Name = m.from
	}
	metrics.Read(samples)
	for i, m := range ofRuntime {
		if samples[i].Value.Kind() == metrics.KindUint64 {
			e.family(m.name, m.kind, m.help)
			e.sample(m.name, float64(samples[i].Value.Uint64()))
		}
	}
	e.family("process_start_time_seconds", "gauge", "When the program started, in seconds since 1970.")
	e.sample("process_start_time_seconds", float64(started.UnixMilli())/1000)
}
