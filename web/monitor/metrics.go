package monitor

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
	"time"

	"tianti/sorting"
	weblive "tianti/web/live"
	"tianti/web/site"
)

// exposition writes Prometheus' text format.
type exposition struct{ bytes.Buffer }

// family begins a metric. All its samples follow.
func (e *exposition) family(name, kind, help string) {
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help), name,
		kind)
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
func (s *Handler) metrics(w http.ResponseWriter, r *http.Request) {
	site.NoteRoute(w, r)
	e := &exposition{}
	s.ownMetrics(e)
	s.databaseMetrics(e, r)
	s.followingMetrics(e)
	s.publishingMetrics(e)
	runtimeMetrics(e)
	if st := s.site.State.Load(); st != nil {
		text, _ := site.Once(st, cardSeries{}, func() ([]byte, error) { // they are of the snapshot alone
			cards := &exposition{}
			cardMetrics(cards, st)
			return cards.Bytes(), nil
		})
		e.Write(text)
	}
	if st := s.site.State.Load(); st != nil && s.live.Hub() != nil {
		v := s.live.LiveView(r.Context(), weblive.LivePatience)
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

// cardSeries is the key of the series of cards.
type cardSeries struct{}

// ownMetrics are those of the server.
func (h *Handler) ownMetrics(e *exposition) {
	e.family("tianti_build_info", "gauge", "Always 1; the labels say which program this is.")
	e.sample("tianti_build_info", 1, "version", h.Version, "go", runtime.Version())
	if snap := h.site.Snapshot(); snap != nil {
		e.family("tianti_snapshot_revision", "gauge", "Revision of the catalogue that is served.")
		e.sample("tianti_snapshot_revision", float64(snap.Revision))
		e.family("tianti_snapshot_cards", "gauge", "Cards of the catalogue that is served.")
		e.sample("tianti_snapshot_cards", float64(snap.Len()))
	}
	e.family("tianti_http_requests_total", "counter", "Answers by route and status.")
	answers := *h.site.Stats.Answers.Load()
	keys := slices.Collect(maps.Keys(answers))
	sorting.Func(keys, func(a, b site.AnswerKey) int {
		return cmp.Or(cmp.Compare(a.Route, b.Route), a.Status-b.Status)
	})
	for _, k := range keys {
		e.sample("tianti_http_requests_total", float64(answers[k].N.Load()), "route", k.Route, "status",
			strconv.Itoa(k.Status))
	}
	e.family("tianti_http_request_duration_seconds", "summary", "Time from a request to the end of its answer, by "+
		"route and status. Streams last as long as somebody watches and are left out.")
	for _, k := range keys {
		if strings.HasSuffix(k.Route, "/stream") {
			continue
		}
		labels := []string{"route", k.Route, "status", strconv.Itoa(k.Status)}
		e.sample("tianti_http_request_duration_seconds_sum", time.Duration(answers[k].Took.Load()).Seconds(), labels...)
		e.sample("tianti_http_request_duration_seconds_count", float64(answers[k].N.Load()), labels...)
	}
	e.family("tianti_page_cache_hits_total", "counter", "Answers from the page cache.")
	e.sample("tianti_page_cache_hits_total", float64(h.site.Stats.Hits.Load()))
	e.family("tianti_page_cache_misses_total", "counter", "Answers that were made.")
	e.sample("tianti_page_cache_misses_total", float64(h.site.Stats.Misses.Load()))
	if h.Accounts != nil {
		e.family("tianti_password_hashes_total", "counter", "Passwords that were hashed or checked.")
		e.sample("tianti_password_hashes_total", float64(h.Accounts.Hasher.Computed()))
	}
	e.family("tianti_live_viewers", "gauge", "Open streams of readings.")
	e.sample("tianti_live_viewers", float64(h.live.Viewers()))
}

// databaseMetrics say whether the database answers.
func (h *Handler) databaseMetrics(e *exposition, r *http.Request) {
	if h.Healthy == nil {
		return
	}
	began := time.Now()
	up := 1.0
	if h.Healthy(r) != nil {
		up = 0
	}
	e.family("tianti_database_up", "gauge", "1 while the database answers.")
	e.sample("tianti_database_up", up)
	e.family("tianti_database_answer_seconds", "gauge", "Time that it took to ask the database just now.")
	e.sample("tianti_database_answer_seconds", time.Since(began).Seconds())
	if h.Room == nil {
		return
	}
	room := 1.0
	if h.Room() != nil {
		room = 0
	}
	e.family("tianti_database_room", "gauge", "1 while the disk of the database takes more.")
	e.sample("tianti_database_room", room)
}

// started is when the program was.
var started = time.Now()

// ofRuntime are the metrics of Go, by the names under which Prometheus' own client
// gives them.
var ofRuntime = []struct{ from, name, kind, help string }{
	{"/sched/goroutines:goroutines", "go_goroutines", "gauge", "Number of goroutines that currently exist."},
	{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", "gauge", "Bytes of objects on the heap, " +
		"live or not yet swept."},
	{"/gc/heap/live:bytes", "go_gc_heap_live_bytes", "gauge",
		"Bytes of objects on the heap that the last collection found in use."},
	{"/memory/classes/total:bytes", "go_memstats_sys_bytes", "gauge", "Bytes of memory that the runtime has obtained " +
		"from the system."},
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
