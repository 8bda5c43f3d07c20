// Package web serves the pages and the JSON API of Tianti from an immutable
// snapshot of the catalogue.
//
// A request for something seen before is answered from the page cache without
// touching the catalogue; anything else is parsed into a plan (what the canonical
// address is, and how to render it), rendered into memory, compressed, cached and
// sent. Errors of every kind leave through one place, see errors.go.
package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"tianti/account"
	"tianti/advisor"
	"tianti/catalog"
	"tianti/intake"
	"tianti/live"
	"tianti/locale"
	"tianti/static"
	"tianti/web/api"
	"tianti/web/chart"
)

// Config is what a server is made with.
type Config struct {
	Log            *slog.Logger
	Origin         string           // "https://tianti.example": makes canonical addresses absolute; may be empty
	Version        string           // of the program, for the API document
	CacheBytes     int64            // bound of the page cache; 0 means 64 MiB
	MissesPerMin   int              // page renderings a client may cause each minute; 0 is no limit
	TrustedProxies []netip.Prefix   // whose X-Forwarded-For names the client
	Now            func() time.Time // nil is time.Now
	// Advise makes what answers questions of sizing from a catalogue; nil leaves out its pages.
	Advise func(*catalog.Snapshot) (*advisor.Advisor, error)
	// Painter paints pictures; nil is one that finds its fonts on the system.
	Painter *chart.Painter
	// Healthy is asked by /readyz: it returns an error when the database does not answer.
	Healthy func(*http.Request) error
	// Live reads the devices of this host or fleet; nil: the pages say that there is no
	// source. It belongs to the caller.
	Live *live.Hub
	// Accounts lets people and programs in; nil: there is nothing to administer.
	Accounts *account.Keeper
	// Record keeps a line of the record of changes; nil: there is none.
	Record func(context.Context, intake.Entry) error
	// Intake takes files in, and Datasets tells of what it has taken; nil: there are no
	// imports. Changed, unless nil, is called after the catalogue has moved.
	Intake   *intake.Intake
	Datasets intake.Store
	Changed  func()
	// ReadOnly: nothing can be changed, and there is no administration.
	ReadOnly bool
	// Private: nobody sees anything before signing in. It needs Accounts.
	Private bool
}

// Server is the HTTP side of Tianti. It answers 503 until the first Swap.
type Server struct {
	cfg     Config
	state   atomic.Pointer[state]
	router  chi.Router
	limits  *limiter
	squeeze *compressor
	brush   *brush
	streams *streams
	tally   *counters

	sessions *sessions // nil without accounts
	origins  *http.CrossOriginProtection
}

// state is everything that belongs to one snapshot; a new revision brings a new
// one, and the caches of the old go with it.
type state struct {
	snap  *catalog.Snapshot
	items *api.Items
	pages *pageCache
	// advisor is made when it is first asked for, and once.
	advisor func() (*advisor.Advisor, error)
	speeds  jobSpeeds // of ladders
}

// New returns a server that has no catalogue yet. Close it when it has stopped serving.
func New(cfg Config) *Server {
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 64 << 20
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, limits: newLimiter(cfg.MissesPerMin), squeeze: newCompressor(), brush: newBrush(cfg.Painter), streams: newStreams(), tally: newCounters()}
	if cfg.Accounts != nil {
		s.sessions = newSessions(cfg.Accounts.Store, cfg.ReadOnly)
	}
	s.origins = crossOrigin(cfg.Origin)
	s.router = s.routes()
	return s
}

// Close ends the background work and the streams.
func (s *Server) Close() {
	s.EndStreams()
	s.squeeze.close()
}

// EndStreams ends the answers that go on for as long as somebody reads; there are no
// new ones. It is for servers that shut down.
func (s *Server) EndStreams() { s.streams.end() }

// mostAdvised is the largest catalogue for which what sizing needs is made ahead.
const mostAdvised = 10_000

// Swap makes the server answer from a snapshot; requests under way finish with
// the one they began with.
func (s *Server) Swap(snap *catalog.Snapshot) {
	st := &state{snap: snap, items: api.NewItems(snap), pages: newPageCache(s.cfg.CacheBytes)}
	st.advisor = sync.OnceValues(func() (*advisor.Advisor, error) {
		if s.cfg.Advise == nil {
			return nil, errors.New("this server has no data for sizing")
		}
		return s.cfg.Advise(snap)
	})
	st.speeds = newJobSpeeds(snap, st.advisor)
	if before := s.state.Load(); before != nil && !before.snap.Partial() {
		s.reckon(snap)
	}
	s.state.Store(st)
	if s.cfg.Advise != nil && snap.Len() <= mostAdvised && !snap.Partial() {
		go st.advisor() // so that the first question of sizing need not wait for it
	}
}

// reckon does what takes long with many prices, while the catalogue before is served.
func (s *Server) reckon(snap *catalog.Snapshot) {
	for _, l := range locale.All() {
		snap.Priced(s.usualPricing(l))
	}
	snap.PriceTallies()
}

// Snapshot returns what the server answers from, or nil.
func (s *Server) Snapshot() *catalog.Snapshot {
	if st := s.state.Load(); st != nil {
		return st.snap
	}
	return nil
}

// ServeHTTP answers a request: security headers, who may ask, page cache, routes,
// access log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	secure(w.Header())
	if s.cfg.Private {
		rec := &recorder{ResponseWriter: w}
		if s.keepOut(rec, r) {
			s.logRequest(r, rec.route, max(rec.status, http.StatusOK), rec.bytes, start)
			return
		}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if st := s.state.Load(); st != nil {
			if p := st.pages.get(r.URL.Path, r.URL.RawQuery); p != nil && s.fresh(p) {
				s.tally.hits.Add(1)
				status, n := s.send(w, r, p)
				s.logRequest(r, p.pattern, status, n, start)
				return
			}
		}
	}
	rec := &recorder{ResponseWriter: w}
	defer func() {
		if v := recover(); v != nil {
			s.panicked(rec, r, v)
		}
		s.logRequest(r, rec.route, max(rec.status, http.StatusOK), rec.bytes, start)
	}()
	s.dispatch(rec, r)
}

// dispatch answers what the page cache does not hold.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	bare := strings.TrimRight(r.URL.Path, "/")
	if err := s.origins.Check(r); err != nil {
		s.fail(w, newRequest(r), nil, api.NewProblem(http.StatusForbidden, "The request comes from a page of another site."))
		return
	}
	switch {
	case r.Method == http.MethodOptions:
		s.options(w, r)
	case bare != r.URL.Path && bare != "" && bare != "/zh" && !strings.HasPrefix(bare, "//"):
		to := url.URL{Path: bare, RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
	default:
		s.router.ServeHTTP(w, r)
	}
}

// routes is the one list of addresses.
func (s *Server) routes() chi.Router {
	m := chi.NewRouter()
	m.NotFound(s.page(s.notFound))
	m.MethodNotAllowed(s.methodNotAllowed)
	for _, prefix := range []string{"", "/zh"} {
		m.Get(prefix+"/", s.page(s.overview))
		m.Get(prefix+"/cards", s.page(s.cards))
		m.Get(prefix+"/cards.{format}", s.page(s.cards))
		m.Get(prefix+"/cards/{id}", s.page(s.card))
		m.Get(prefix+"/compare", s.page(s.compare))
		m.Get(prefix+"/compare.{format}", s.page(s.compare))
		m.Get(prefix+"/og/cards/{id}", s.page(s.cardShare))
		m.Get(prefix+"/og/compare.{format}", s.page(s.compareShare))
		m.Get(prefix+"/ladders", chooseLadder(s.page(s.ladders)))
		m.Get(prefix+"/ladders/{basis}", s.page(s.ladderPage))
		m.Get(prefix+"/og/ladders/{basis}", s.page(s.ladderShare))
		m.Get(prefix+"/plot", s.page(s.plot))
		m.Get(prefix+"/plot.{format}", s.page(s.plot))
		m.Get(prefix+"/architectures", s.page(s.architectures))
		m.Get(prefix+"/architectures.{format}", s.page(s.architectures))
		m.Get(prefix+"/prices", s.page(s.prices))
		m.Get(prefix+"/prices.{format}", s.page(s.prices))
		m.Get(prefix+"/prices/{id}", s.page(s.pricesOfCard))
		m.Get(prefix+"/export-control", s.page(s.exportControl))
		m.Get(prefix+"/export-control.{format}", s.page(s.exportControl))
		m.Get(prefix+"/export-control/worksheet", s.page(s.whatIf))
		m.Get(prefix+"/export-control/{rule}", s.page(s.exportRule))
		m.Get(prefix+"/recommend", s.page(s.recommend))
		m.Get(prefix+"/recommend.{format}", s.page(s.recommend))
		m.Get(prefix+"/recommend/{card}", s.page(s.recommendCard))
		m.Get(prefix+"/accuracy", s.page(s.accuracyPage))
		m.Get(prefix+"/accuracy.{format}", s.page(s.accuracyPage))
		m.Get(prefix+"/calculator", s.page(s.calculator))
		m.Get(prefix+"/live", s.page(s.live))
		m.Get(prefix+"/live.{format}", s.page(s.live))
		m.Get(prefix+"/live/stream", s.liveStream)
		m.Get(prefix+"/ecosystem", s.page(s.ecosystem))
		m.Get(prefix+"/glossary", s.page(s.glossary))
		m.Get(prefix+"/sources", s.page(s.sources))
		m.Get(prefix+"/sources/{id}", s.page(s.source))
		m.Get(prefix+"/sources/{dataset}/{id}", s.page(s.source))
		m.Get(prefix+"/data-health", s.page(s.dataHealth))
		m.Get(prefix+"/methodology", s.page(s.methodology))
		m.Get(prefix+"/api", s.page(s.apiPage))
	}
	m.Get("/zh", redirect("/zh/"))
	s.adminRoutes(m)
	s.apiRoutes(m)
	m.Get("/healthz", s.healthz)
	m.Get("/readyz", s.readyz)
	m.Get("/metrics", s.metrics)
	m.Get("/robots.txt", s.page(s.robots))
	m.Get("/sitemap.xml", s.page(s.sitemap))
	m.Get("/favicon.ico", redirect(static.URL("mark.svg")))
	m.Handle(static.Prefix+"*", static.Handler())
	// HEAD is GET without the body; send leaves the body out.
	outer := headAsGet(m)
	outer.MethodNotAllowed(s.methodNotAllowed) // of methods that HTTP does not know
	return outer
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusPermanentRedirect) }
}

// headAsGet lets HEAD requests find the routes of GET.
func headAsGet(m chi.Router) chi.Router {
	outer := chi.NewRouter()
	outer.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				chi.RouteContext(r.Context()).RouteMethod = http.MethodGet
			}
			next.ServeHTTP(w, r)
		})
	})
	outer.Mount("/", m)
	return outer
}
