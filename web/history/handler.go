// Package history answers from the catalogue of another time: as of a day (as_of=YYYY-MM-DD), and of a revision
// (/r/REVISION/…). Other features know nothing of it: each past state is a site of its own, whose clock stands still.
package history

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/site"
)

// A Handler answers from past states.
type Handler struct {
	site *site.Site
	make Maker

	mu   sync.Mutex
	kept []*catalog.Snapshot // of earlier revisions, the latest first
	past []*moment           // the last asked for first
}

// A Maker makes a site that answers from a snapshot on a day, and what ends it. Without a day its clock is the usual one.
type Maker func(s *catalog.Snapshot, day string) (http.Handler, func())

// A moment is a past state, made when it is first asked for.
type moment struct {
	revision int64
	day      string
	build    func() (http.Handler, func(), error)
}

const (
	mostMoments  = 8      // past states kept: each has a page cache and the columns of its cards
	mostKept     = 2      // earlier revisions kept
	largestKept  = 20_000 // cards of a revision that is kept when the next one comes
	queryParam   = "as_of"
	largestMoved = 100_000 // cards of a catalogue that can be put back to a day
)

// New returns a handler of a site.
func New(s *site.Site, m Maker) *Handler { return &Handler{site: s, make: m} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return []site.Route{{Pattern: "/r/{revision}", Page: h.revision, Plain: true, Cost: site.Dear},
		{Pattern: "/r/{revision}/*", Page: h.revision, Plain: true, Cost: site.Dear}}
}

// Operations are those of the API: the feature adds a parameter to some, and has none.
func (h *Handler) Operations() []site.Operation { return nil }

// Keep keeps the snapshot of a revision that another one takes the place of.
func (h *Handler) Keep(before, now *catalog.Snapshot) {
	if before == nil || before.Revision == now.Revision {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	// A reader deletes the database that an earlier snapshot reads its prices from.
	if h.site.Follows == nil && !before.Partial() && before.Len() <= largestKept {
		h.kept = slices.Insert(h.kept, 0, before)
		h.kept = h.kept[:min(len(h.kept), mostKept)]
	}
	h.past = slices.DeleteFunc(h.past, func(m *moment) bool {
		old := m.revision != now.Revision && !slices.ContainsFunc(h.kept, func(s *catalog.Snapshot) bool {
			return s.Revision == m.revision
		})
		if old {
			go m.end()
		}
		return old
	})
}

// moved are the first parts of addresses that a day puts back; those below /api/v1 are the same.
var moved = []string{"cards", "compare", "prices", "offers", "ladders", "plot"}

// Operations of the API that take the parameter, by id.
var Operations = []string{"list-cards", "get-card", "compare-cards", "list-prices", "list-offers", "get-ladder",
	"get-measured-ladder"}

// Param is the parameter.
var Param = api.Param{Name: queryParam, Type: "string", Example: "2024-06-30", Description: catalog.Text{
	En: "the catalogue as of that day, YYYY-MM-DD: cards announced by then, prices and rates up to then, judged on that day",
	Zh: "该日的目录，YYYY-MM-DD：仅含当日及以前发布的卡、价格与汇率，并以当日为准判断时效",
}}

// Serve answers requests that name a day, where a day puts the catalogue back; it reports whether it has.
//
// Export control has a day of its own, of the rules: where an address asks for that, the day stays with it.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.Contains(r.URL.RawQuery, queryParam+"=") {
		return false
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || !values.Has(queryParam) || !moves(r.URL.Path, values) {
		return false
	}
	r.Pattern = "/as_of" // for the log
	h.site.PageOf(h.asOf, site.Dear)(w, r)
	return true
}

// moves reports whether a day puts back the page at a path.
func moves(path string, values url.Values) bool {
	if strings.HasPrefix(strings.TrimPrefix(path, "/zh"), "/cards/") {
		return false // the day of a card's page is that of its export control
	}
	for _, param := range []string{"export", "destination", "headquarters"} {
		if values.Has(param) {
			return false
		}
	}
	return slices.Contains(moved, site.FirstPart(path))
}

// asOf answers a request from the catalogue of a day.
func (h *Handler) asOf(st *site.State, r *site.Request) (site.Plan, error) {
	day, err := h.day(st, r.Values)
	if err != nil {
		return site.Plan{}, err
	}
	rest := site.WithoutParams(asIs(r), queryParam)
	target := r.URL.Path
	if len(rest) > 0 {
		target += "?" + rest.Encode()
	}
	f := frame{h: h, r: r, day: day, revision: st.Snap.Revision, now: target}
	rest.Set(queryParam, day)
	return site.Plan{Key: r.URL.Path + "?" + rest.Encode(), Render: func() (site.Answer, error) {
		return f.answer(h.moment(st.Snap, day), target)
	}}, nil
}

// asIs are the parameters of a request, those of files too: the past state makes the file, and nothing is to be made of
// that again.
func asIs(r *site.Request) url.Values {
	r.As, r.Mark = "", false
	values, _ := url.ParseQuery(r.URL.RawQuery) // was parsed before
	return values
}

// day is the day that a request names: one that exists, is not later than today, and has a catalogue.
func (h *Handler) day(st *site.State, values url.Values) (string, error) {
	given := values[queryParam]
	wrong := func(code catalog.ParamCode) error {
		return api.BadParams([]catalog.ParamError{{Param: queryParam, Value: catalog.Clip(given[0]), Code: code,
			Allowed: "… – " + h.site.Today()}})
	}
	if len(given) > 1 {
		return "", api.BadParams([]catalog.ParamError{{Param: queryParam, Code: catalog.Repeated}})
	}
	day, err := catalog.ParseDate(strings.TrimSpace(given[0]))
	if err != nil || len(day) != len(time.DateOnly) || string(day) > h.site.Today() {
		return "", wrong(catalog.BadDay)
	}
	if st.Snap.Len() > largestMoved || st.Snap.Partial() {
		return "", api.NewProblem(http.StatusServiceUnavailable, "The catalogue is too large, or not yet loaded, to be put back to a day.")
	}
	if first := st.Snap.FirstDay(); day.Ordinal() < first.Ordinal() {
		early := api.NewProblem(http.StatusNotFound, "There is no catalogue as of %s: it begins on %s.", day, first)
		early.Params = []catalog.ParamError{{Param: queryParam, Value: string(day), Code: catalog.BadDay,
			Allowed: string(first) + " – " + h.site.Today()}}
		return "", early
	}
	return string(day), nil
}

// moment is a past state of a snapshot; it is made when it is first asked for.
func (h *Handler) moment(s *catalog.Snapshot, day string) *moment {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.IndexFunc(h.past, func(m *moment) bool { return m.revision == s.Revision && m.day == day })
	var m *moment
	if at >= 0 {
		m = h.past[at]
		h.past = slices.Delete(h.past, at, at+1)
	} else {
		m = &moment{revision: s.Revision, day: day, build: onceOf(func() (http.Handler, func(), error) {
			then := s
			if day != "" {
				var err error
				if then, err = s.AsOf(catalog.Date(day)); err != nil {
					return nil, nil, err
				}
			}
			answer, end := h.make(then, day)
			return answer, end, nil
		})}
	}
	h.past = slices.Insert(h.past, 0, m)
	if len(h.past) > mostMoments {
		old := h.past[mostMoments]
		h.past = h.past[:mostMoments]
		go old.end()
	}
	return m
}

func onceOf(f func() (http.Handler, func(), error)) func() (http.Handler, func(), error) {
	type made struct {
		handler http.Handler
		end     func()
	}
	once := sync.OnceValues(func() (made, error) {
		a, end, err := f()
		return made{a, end}, err
	})
	return func() (http.Handler, func(), error) {
		m, err := once()
		return m.handler, m.end, err
	}
}

// end ends the background work of a state; requests under way are answered nevertheless.
func (m *moment) end() {
	if _, end, err := m.build(); err == nil {
		end()
	}
}

// Close ends all past states.
func (h *Handler) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.past {
		m.end()
	}
	h.past = nil
}

// ask asks a past state for an address.
func (m *moment) ask(ctx context.Context, target string) (site.Asked, error) {
	answer, _, err := m.build()
	if err != nil {
		return site.Asked{}, err
	}
	return site.AskOf(ctx, answer, nil, target)
}

// revision answers /r/{revision}/…: from that revision while it is kept.
func (h *Handler) revision(st *site.State, r *site.Request) (site.Plan, error) {
	number, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/r/"), "/")
	path := strings.TrimPrefix(r.URL.Path, "/r/"+number)
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !site.IsKept(path) {
		return h.site.NotFound(st, r)
	}
	if path == "" || path == "/zh" {
		path += "/"
	}
	if strings.HasPrefix(path, "/api/") {
		r.Format = site.AsJSON
	}
	snap := h.find(st.Snap, n)
	if snap == nil {
		nearest := h.nearest(st.Snap, n)
		gone := api.NewProblem(http.StatusGone, "Revision %d is not kept; the nearest that is kept is %d.", n, nearest)
		gone.Nearest = fmt.Sprintf("/r/%d%s", nearest, path)
		return site.Plan{}, gone
	}
	day := ""
	values := asIs(r)
	asked := values.Encode()
	if values.Has(queryParam) && moves(path, values) {
		if day, err = h.day(st, values); err != nil {
			return site.Plan{}, err
		}
		values = site.WithoutParams(values, queryParam)
	}
	target := path
	if len(values) > 0 {
		target += "?" + values.Encode()
	}
	f := frame{h: h, r: r, day: day, revision: n, under: fmt.Sprintf("/r/%d", n), now: target}
	return site.Plan{Key: r.URL.Path + "?" + asked, Dated: day == "", Render: func() (site.Answer, error) {
		if day == "" && n == st.Snap.Revision {
			answer, err := h.site.Ask(r.Context(), r.Request, target)
			if err != nil {
				return site.Answer{}, err
			}
			return f.framed(answer)
		}
		return f.answer(h.moment(snap, day), target)
	}}, nil
}

// find is the snapshot of a revision, nil where it is not kept.
func (h *Handler) find(now *catalog.Snapshot, revision int64) *catalog.Snapshot {
	if now.Revision == revision {
		return now
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.kept {
		if s.Revision == revision {
			return s
		}
	}
	return nil
}

// nearest is the revision nearest to one that is not kept.
func (h *Handler) nearest(now *catalog.Snapshot, revision int64) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	best := now.Revision
	for _, s := range h.kept {
		if abs(s.Revision-revision) < abs(best-revision) {
			best = s.Revision
		}
	}
	return best
}

func abs(n int64) int64 { return max(n, -n) }
