// Package history answers from the catalogue of another time: as of a day (as_of=YYYY-MM-DD), and of a revision
// (/r/REVISION/…). Other features know nothing of it: each past state is a site of its own, whose clock stands still.
package history

import (
	"cmp"
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
	cfg  Config

	ctx    context.Context // ends with the handler: nobody who asks does the work for others
	end    func()
	making sync.WaitGroup
	turn   chan struct{} // of heavy work

	mu      sync.Mutex
	kept    []*catalog.Snapshot // of earlier revisions, the latest first
	past    []*moment           // the last asked for first
	waiting int                 // heavy ones that are made, or wait for it
}

// Config is what past states are made with.
type Config struct {
	// Make makes a site that answers from a snapshot on a day, and what ends it. Without a day its clock is the usual
	// one. A sized one has estimates, by the method of now.
	Make func(s *catalog.Snapshot, day string, sized bool) (http.Handler, func())
	// Then is the catalogue of the revisions that were shown at a moment; nil where these are those of now, or nobody
	// knows.
	Then func(ctx context.Context, at time.Time) (*catalog.Snapshot, error)
	// RulesFrom is the first day that export control is asked for.
	RulesFrom string
	// MostCards are those of a catalogue that can be put back to a day; 0 means 120,000.
	MostCards int
}

const (
	mostKept     = 2      // earlier revisions kept
	largestKept  = 20_000 // cards of a revision that is kept when the next one comes
	queryParam   = "as_of"
	largestMoved = 120_000 // cards of a catalogue that can be put back to a day
)

// New returns a handler of a site.
func New(s *site.Site, cfg Config) *Handler {
	cfg.MostCards = cmp.Or(cfg.MostCards, largestMoved)
	h := &Handler{site: s, cfg: cfg, turn: make(chan struct{}, 1)}
	h.ctx, h.end = context.WithCancel(context.Background())
	return h
}

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
			h.drop([]*moment{m})
		}
		return old
	})
}

// moved are the first parts of addresses that a day puts back; those below /api/v1 are the same.
var moved = []string{"cards", "compare", "prices", "offers", "ladders", "plot", "export-control", "recommend", "serve"}

// ofRules are the parameters that ask what export control says of cards.
var ofRules = []string{"export", "destination", "headquarters"}

// Operations of the API that take the parameter, by id.
var Operations = []string{"list-cards", "get-card", "compare-cards", "list-prices", "list-offers", "get-ladder",
	"get-measured-ladder"}

// Param is the parameter.
var Param = api.Param{Name: queryParam, Type: "string", Example: "2024-06-30", Description: catalog.Text{
	En: "the catalogue as of that day, YYYY-MM-DD: cards announced by then, prices and rates up to then, judged on " +
		"that day",
	Zh: "该日的目录，YYYY-MM-DD：仅含当日及以前发布的卡、价格与汇率，并以当日为准判断时效",
}}

// Serve answers requests that name a day, where a day puts the catalogue back; it reports whether it has.
//
// Rules of export control are known before they hold, and begin later than the catalogue. Where an address asks for
// them, the feature itself answers for days to come, and says which days there are.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.Contains(r.URL.RawQuery, queryParam+"=") {
		return false
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || !values.Has(queryParam) || !hasDays(r.URL.Path) {
		return false
	}
	day := strings.TrimSpace(values.Get(queryParam))
	if day == "" && (sized(r.URL.Path) || ruled(r.URL.Path, values)) {
		return false // a field that was left empty
	}
	if ruled(r.URL.Path, values) && !h.earlier(day) {
		return false
	}
	r.Pattern = "/as_of" // for the log
	h.site.PageOf(h.asOf, site.Dear)(w, r)
	return true
}

// earlier reports whether text is a day before today that has rules.
func (h *Handler) earlier(text string) bool {
	day, err := catalog.ParseDate(text)
	return err == nil && len(day) == len(time.DateOnly) && text >= h.cfg.RulesFrom && text < h.site.Today()
}

// hasDays reports whether a day puts back what is at a path. A sheet of export control is about figures that somebody
// types, not about the catalogue; so are the jobs below /recommend.
func hasDays(path string) bool {
	switch first, rest := parts(path); first {
	case "recommend":
		return rest == ""
	case "export-control":
		return rest != "worksheet"
	default:
		return slices.Contains(moved, first)
	}
}

// ruled reports whether an address asks export control for verdicts.
func ruled(path string, values url.Values) bool {
	first := site.FirstPart(path)
	if strings.HasPrefix(path, "/api/") && first == "cards" {
		return false // it has no such parameters
	}
	return first == "export-control" || slices.ContainsFunc(ofRules, values.Has)
}

// sized reports whether a path is that of recommendations or services, as a page, a file or an answer of the API.
func sized(path string) bool {
	first, _ := parts(path)
	return first == "serve" || first == "recommend"
}

// parts are the first part of a path and what is below it.
func parts(path string) (first, rest string) {
	first = site.FirstPart(path)
	_, rest, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(path, "/zh"), "/api/v1"), "/"),
		"/")
	return first, rest
}

// asOf answers a request from the catalogue of a day.
func (h *Handler) asOf(st *site.State, r *site.Request) (site.Plan, error) {
	day, err := h.day(st, r.Values)
	if err != nil {
		return site.Plan{}, err
	}
	rest := site.WithoutParams(asIs(r), queryParam)
	target := r.URL.EscapedPath()
	if len(rest) > 0 {
		target += "?" + rest.Encode()
	}
	f := frame{h: h, r: r, day: day, revision: st.Snap.Revision, now: target}
	rest.Set(queryParam, day)
	return site.Plan{Key: r.URL.Path + "?" + rest.Encode(), Render: func() (site.Answer, error) {
		return f.answer(st.Snap, of{day: day, sized: sized(r.URL.Path), bare: priceless(r.URL.Path)}, target)
	}}, nil
}

// priceless reports whether what is at a path says nothing of prices.
func priceless(path string) bool { return site.FirstPart(path) == "export-control" }

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
	if n := st.Snap.Len(); n > h.cfg.MostCards {
		large := api.NewProblem(http.StatusNotFound,
			"Only catalogues of up to %d cards are put back to a day; this one has %d.", h.cfg.MostCards, n)
		large.Message, large.Args = "history.large", []any{h.cfg.MostCards, n}
		return "", large
	}
	if st.Snap.Partial() {
		loading := api.NewProblem(http.StatusServiceUnavailable,
			"The catalogue is still being loaded: days of it can be shown in a moment.")
		loading.Message = "history.loading"
		return "", loading
	}
	if first := st.Snap.FirstDay(); day.Ordinal() < first.Ordinal() {
		early := api.NewProblem(http.StatusNotFound, "There is no catalogue as of %s: it begins on %s.", day, first)
		early.Params = []catalog.ParamError{{Param: queryParam, Value: string(day), Code: catalog.BadDay,
			Allowed: string(first) + " – " + h.site.Today()}}
		return "", early
	}
	return string(day), nil
}

// revision answers /r/{revision}/…: from that revision while it is kept.
func (h *Handler) revision(st *site.State, r *site.Request) (site.Plan, error) {
	number, _, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/r/"), "/")
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/r/"+number)
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
	if values.Has(queryParam) && hasDays(path) && (!ruled(path, values) ||
		h.earlier(strings.TrimSpace(values.Get(queryParam)))) {
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
		return f.answer(snap, of{day: day, sized: day == "" || sized(path), bare: day != "" && priceless(path)}, target)
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
