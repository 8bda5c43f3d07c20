package web

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"tianti/live"
)

// counters count answers.
type counters struct {
	hits, misses atomic.Int64 // of the page cache
	mu           sync.Mutex   // of whoever adds a key
	answers      atomic.Pointer[map[answerKey]*atomic.Int64]
}

// answerKey is a route with a status.
type answerKey struct {
	route  string
	status int
}

func newCounters() *counters {
	t := &counters{}
	t.answers.Store(&map[answerKey]*atomic.Int64{})
	return t
}

// count adds an answer. Routes and statuses are few, so that keys are rarely added.
func (t *counters) count(route string, status int) {
	if route == "" {
		route = "/static/" // the files besides pages, and what no route has
	}
	key := answerKey{route, status}
	if n := (*t.answers.Load())[key]; n != nil {
		n.Add(1)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := (*t.answers.Load())[key]; n != nil {
		n.Add(1)
		return
	}
	next := maps.Clone(*t.answers.Load())
	next[key] = new(atomic.Int64)
	next[key].Add(1)
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
	for _, k := range slices.SortedFunc(maps.Keys(answers), func(a, b answerKey) int {
		return cmp.Or(cmp.Compare(a.route, b.route), a.status-b.status)
	}) {
		e.sample("tianti_http_requests_total", float64(answers[k].Load()), "route", k.route, "status", strconv.Itoa(k.status))
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

// deviceMetrics are the readings: a family for each, a sample for each device that has it.
func deviceMetrics(e *exposition, st *state, v *live.View) {
	e.family("tianti_live_up", "gauge", "1 while readings are as new as they should be.")
	up := 0.0
	if v.State == live.OK {
		up = 1
	}
	e.sample("tianti_live_up", up)
	if v.Frame.Devices() == 0 {
		return
	}
	e.family("tianti_live_age_seconds", "gauge", "Age of the last readings.")
	e.sample("tianti_live_age_seconds", math.Round(v.Age.Seconds()*1000)/1000)
	matched := live.MatchFrame(st.snap, &v.Frame)
	families := map[live.Metric]*exposition{}
	for i := range v.Frame.Hosts {
		h := &v.Frame.Hosts[i]
		for j := range h.Devices {
			d := &h.Devices[j]
			card := ""
			if m := matched[d.UUID]; m.OK() {
				card = st.snap.Card(m.Row).ID
			}
			for m, r := range d.Readings {
				if v.IsStale(h, r) || math.IsNaN(r.Value) {
					continue // an old value would look like a new one
				}
				if families[m] == nil {
					families[m] = &exposition{}
				}
				families[m].sample(metricName(m), r.Value, "uuid", d.UUID, "name", d.Name, "card", card, "host", h.Name)
			}
		}
	}
	for _, m := range slices.Sorted(maps.Keys(families)) {
		kind := "gauge"
		if m == live.Energy {
			kind = "counter"
		}
		e.family(metricName(m), kind, "Reading "+string(m)+" of a device.")
		e.Write(families[m].Bytes())
	}
}

// units of readings as Prometheus spells them.
var promUnits = strings.NewReplacer("_bytes_s", "_bytes_per_second", "_mhz", "_megahertz", "_w", "_watts", "_j", "_joules_total", "_c", "_celsius")

// metricName is the name of a reading's family. Only the end of a name is its unit.
func metricName(m live.Metric) string {
	name := string(m)
	for _, unit := range []string{"_bytes_s", "_mhz", "_w", "_j", "_c"} {
		if base, ok := strings.CutSuffix(name, unit); ok {
			name = base + promUnits.Replace(unit)
			break
		}
	}
	return "tianti_device_" + name
}
