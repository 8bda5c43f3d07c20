// Package web serves the pages and the JSON API of Tianti from an immutable snapshot of the catalogue.
//
// A request for something seen before is answered from the page cache without touching the catalogue; anything else is
// parsed into a plan (what the canonical address is, and how to render it), rendered into memory, compressed, cached
// and sent. Errors of every kind leave through one place, see errors.go.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"tianti/account"
	"tianti/audit"
	"tianti/catalog"
	"tianti/changes"
	"tianti/importer"
	"tianti/live"
	"tianti/sizing"
	"tianti/static"
	"tianti/web/accuracy"
	"tianti/web/admin"
	"tianti/web/api"
	"tianti/web/bulk"
	"tianti/web/calculator"
	"tianti/web/cards"
	webchanges "tianti/web/changes"
	"tianti/web/chart"
	"tianti/web/cite"
	"tianti/web/compare"
	"tianti/web/estimate"
	webexport "tianti/web/exportcontrol"
	"tianti/web/history"
	"tianti/web/home"
	"tianti/web/ladders"
	"tianti/web/licenses"
	weblive "tianti/web/live"
	"tianti/web/mcp"
	"tianti/web/mine"
	"tianti/web/monitor"
	webplot "tianti/web/plot"
	"tianti/web/prices"
	"tianti/web/recommend"
	"tianti/web/reference"
	"tianti/web/runs"
	"tianti/web/search"
	webserving "tianti/web/serving"
	"tianti/web/session"
	"tianti/web/site"
	"tianti/web/twin"
	"tianti/web/webhooks"
)

// Config is what a server is made with.
type Config struct {
	Log          *slog.Logger
	Origin       string // "https://tianti.example": makes canonical addresses absolute; may be empty
	Version      string // of the program, for the API document
	CacheBytes   int64  // bound of the page cache; 0 means 64 MiB
	MissesPerMin int    // page renderings a client may cause each minute; 0 is no limit
	// StreamsPerClient is how many streams of readings one client may read; 0 is no limit.
	StreamsPerClient int
	TrustedProxies   []netip.Prefix   // whose X-Forwarded-For names the client
	Now              func() time.Time // nil is time.Now
	// LogClient makes of the client's address what the access log says, such as [site.Truncated]; nil: nothing.
	LogClient func(netip.Addr) string
	// NewEstimator makes what answers questions of sizing from a catalogue; nil leaves out its pages.
	NewEstimator func(*catalog.Snapshot) (*sizing.Estimator, error)
	// Painter paints pictures; nil is one that finds its fonts on the system.
	Painter *chart.Painter
	// Healthy is asked by /readyz: it returns an error when the database does not answer.
	Healthy func(*http.Request) error
	// Room is asked by /readyz: it returns why the disk takes nothing more. It is asked often, and shall not write as
	// often; nil: nobody knows.
	Room func() error
	// Live reads the devices of this host or fleet; nil: the pages say that there is no source. It belongs to the
	// caller.
	Live *live.Hub
	// Accounts lets people and programs in; nil: there is nothing to administer.
	Accounts *account.Authenticator
	// RequireFactor: administrators do nothing before they have a second factor.
	RequireFactor bool
	// Record keeps a line of the audit log; nil: there is none.
	Record func(context.Context, audit.Entry) error
	// Intake takes files in, and Datasets tells of what it has taken; nil: there are no imports. Changed, unless nil,
	// is called after the catalogue has moved.
	Importer *importer.Importer
	Datasets admin.Store
	Changed  func()
	// Then is the catalogue of the revisions that were shown at a moment; nil where these are those of now. It may be
	// nil.
	Then func(ctx context.Context, at time.Time) (*catalog.Snapshot, error)
	// Changes has the record of what has changed; nil: there is none, as for a reader of published snapshots.
	Changes changes.Store
	// RefreshEvery is how often feeds are looked at, for people to know; 0: only when a command says so.
	RefreshEvery time.Duration
	// Webhooks are the addresses that are told of changes; without a store there are none.
	Webhooks webhooks.Config
	// Runs keeps measured runs, which NewEstimator then reads; nil: none can be kept.
	Runs runs.Store
	// Patience is for how long answers wait that can do without what takes long to compute; 0 is two seconds.
	Patience time.Duration
	// Ahead: what the first visitors of a catalogue would wait for is computed in the background.
	Ahead bool
	// SQLite makes a database of the whole catalogue; nil: there is none to have.
	SQLite func(context.Context) ([]byte, error)
	// ReadOnly: nothing can be changed, and there is no administration.
	ReadOnly bool
	// Leaving is closed when the server is about to end: no catalogue is held back any longer for its first visitors;
	// nil: never.
	Leaving <-chan struct{}
	// Follows tells of the published snapshot that is shown, for a server without a database. It needs ReadOnly.
	Follows func() site.Following
	// Publishing tells how publishing goes, for metrics; nil: nothing is published.
	Publishing func() monitor.Publishing
	// Metrics says who is told the metrics; monitor.Readers needs Accounts.
	Metrics monitor.Audience
	// Private: nobody sees anything before signing in. It needs Accounts.
	Private bool
}

// Server is the HTTP side of Tianti. It answers 503 until the first Swap.
type Server struct {
	site     *site.Site
	session  *session.Handler
	live     *weblive.Handler
	programs *mcp.Handler
	monitor  *monitor.Handler
	past     *history.Handler
	features []feature // in the order of the API's operations
	router   chi.Router
	origins  *http.CrossOriginProtection

	computesAhead bool
	ahead         ahead
}

// A feature is a package of pages and operations.
type feature interface {
	Routes() []site.Route
	Operations() []site.Operation
}

// New returns a server that has no catalogue yet. Close it when it has stopped serving.
func New(cfg Config) *Server {
	base := site.New(site.Config{Log: cfg.Log, Origin: cfg.Origin, CacheBytes: cfg.CacheBytes,
		MissesPerMin: cfg.MissesPerMin, StreamsPerClient: cfg.StreamsPerClient, TrustedProxies: cfg.TrustedProxies,
		Now: cfg.Now, NewEstimator: cfg.NewEstimator, Painter: cfg.Painter, ReadOnly: cfg.ReadOnly,
		Private: cfg.Private, LogClient: cfg.LogClient, Runs: cfg.Runs != nil, Webhooks: cfg.Webhooks.Store != nil,
		Follows: cfg.Follows, Leaving: cfg.Leaving, Patience: cfg.Patience,
		SignIn: cfg.Accounts != nil && (!cfg.ReadOnly || cfg.Private)})
	users := session.New(base, session.Config{Accounts: cfg.Accounts, Record: cfg.Record,
		RequireFactor: cfg.RequireFactor})
	export := webexport.New(base)
	devices := weblive.New(base, users, cfg.Live)
	scatter := webplot.New(base, export)
	tiers := ladders.New(base)
	whole := bulk.New(base, cfg.SQLite)
	compared := compare.New(base, export, devices)
	chosen, served := recommend.New(base, export), webserving.New(base, export)
	base.Devices = devices.DevicesHere
	base.Twin = twin.New(base).Answer
	programs := mcp.New(base, cfg.Version)
	s := &Server{site: base, session: users, live: devices, programs: programs, origins: site.CrossOrigin(cfg.Origin),
		computesAhead: cfg.Ahead, past: history.New(base, history.Config{Make: pastOf(cfg, base), Then: cfg.Then,
			RulesFrom: webexport.FirstDay})}
	s.monitor = monitor.New(base, devices, monitor.Config{
		Version: cfg.Version, Accounts: cfg.Accounts, Healthy: cfg.Healthy, Room: cfg.Room, Publishing: cfg.Publishing,
		Metrics: cfg.Metrics, Authorize: func(r *http.Request) error {
			_, err := users.Authorize(r, session.ToRead)
			return err
		},
	})
	s.features = []feature{
		cards.New(base, cards.Features{Export: export, Live: devices, Plot: scatter, Correct: cfg.Importer != nil}),
		search.New(base, search.Heads{Compare: compared.Headline, Recommend: chosen.Headline,
			Serve: served.Headline}), compared, reference.New(base), export, chosen,
		estimate.New(base), mine.New(base), accuracy.New(base), calculator.New(base),
		served, tiers,
		prices.New(base), devices, scatter,
		admin.New(base, users, admin.Config{
			Importer: cfg.Importer, Store: cfg.Datasets, Changed: cfg.Changed, Every: cfg.RefreshEvery,
		}),
		webhooks.New(base, users, cfg.Webhooks),
		runs.New(base, users, cfg.Runs, cfg.Changed),
		s.monitor,
		licenses.New(base, cfg.Version), programs, s.past,
		whole, cite.New(base), webchanges.New(base, cfg.Changes),
		home.New(base, home.Features{Plot: scatter, Ladders: tiers, Bulk: whole}, cfg.Version),
	}
	for _, f := range s.features {
		base.Operations = append(base.Operations, f.Operations()...)
	}
	for i := range base.Operations {
		if o := &base.Operations[i]; slices.Contains(history.Operations, o.ID) {
			o.Params = append(slices.Clone(o.Params), history.Param)
		}
	}
	s.router = s.routes()
	base.Router, base.Answer = s.router, http.HandlerFunc(s.answer)
	if cfg.Ahead {
		base.Prepare = prepare(s.router)
	}
	return s
}

// pastCache bounds the page cache of a past state, in bytes.
const pastCache = 2 << 20

// pastOf makes servers of past states: with a day, their clock stands at its noon, and they have no estimates, unless
// they are those of now for the cards and prices of then. They ask nobody who they are: whoever gets there has been
// asked.
func pastOf(cfg Config, now *site.Site) func(*catalog.Snapshot, string, bool) (http.Handler, func()) {
	return func(snap *catalog.Snapshot, day string, sized bool) (http.Handler, func()) {
		c := Config{Log: cfg.Log, Origin: cfg.Origin, Version: cfg.Version, CacheBytes: pastCache, Now: cfg.Now,
			Painter: cfg.Painter, NewEstimator: cfg.NewEstimator, ReadOnly: true}
		if noon, err := time.Parse(time.DateOnly, day); err == nil {
			c.Now = func() time.Time { return noon.Add(12 * time.Hour) }
			c.NewEstimator = nil
			if sized && cfg.NewEstimator != nil {
				c.NewEstimator = func(then *catalog.Snapshot) (*sizing.Estimator, error) {
					a, err := now.State.Load().Estimator()
					if err != nil {
						return nil, err
					}
					return a.AsOf(then), nil
				}
			}
		}
		past := New(c)
		past.Swap(snap)
		return past.router, past.Close
	}
}

// Close ends the background work and the streams.
func (s *Server) Close() {
	s.EndStreams()
	s.ahead.end()
	s.past.Close()
	s.site.Close()
}

// Drain makes /readyz say that the server is about to end; everything else is answered as before.
func (s *Server) Drain() { s.monitor.Drain() }

// EndStreams ends the answers that go on for as long as somebody reads; there are no new ones. It is for servers that
// shut down.
func (s *Server) EndStreams() { s.live.EndStreams() }

// Watched answers with metrics and health, for a listener of its own.
func (s *Server) Watched() http.Handler { return s.monitor.Elsewhere() }

// Snapshot returns what the server answers from, or nil.
func (s *Server) Snapshot() *catalog.Snapshot { return s.site.Snapshot() }

// MCP speaks the Model Context Protocol.
func (s *Server) MCP() *mcp.Handler { return s.programs }

// Operations describe the API, in the order in which people read of it.
func (s *Server) Operations() []api.Operation { return site.Described(s.site.Operations) }

// ServeHTTP answers a request: security headers, who may ask, page cache, routes, access log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start, secure := time.Now(), s.session.IsSecure(r)
	account := ""
	if s.site.Private {
		s.site.Begin(w.Header(), secure)
		rec := &site.Recorder{ResponseWriter: w}
		refused := s.session.RequireSignIn(rec, r)
		account = rec.Account
		if refused {
			s.site.LogRequest(r, rec.Route, account, max(rec.Status, http.StatusOK), rec.Bytes, start)
			return
		}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if st := s.site.State.Load(); st != nil {
			if p := st.Pages.Get(r.URL.Path, r.URL.RawQuery); p != nil && s.site.Fresh(p) {
				s.site.Stats.Hits.Add(1)
				status, n := s.site.SendKept(w, r, p, secure)
				s.site.LogRequest(r, p.Pattern, account, status, n, start)
				return
			}
		}
	}
	s.site.Begin(w.Header(), secure)
	rec := &site.Recorder{ResponseWriter: w, Account: account}
	defer func() {
		if v := recover(); v != nil {
			s.site.Panicked(rec, r, v)
		}
		s.site.LogRequest(r, rec.Route, rec.Account, max(rec.Status, http.StatusOK), rec.Bytes, start)
	}()
	s.dispatch(rec, r)
}

// dispatch answers what the page cache does not hold.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	bare := strings.TrimRight(r.URL.Path, "/")
	if err := s.origins.Check(r); err != nil {
		s.site.Fail(w, site.NewRequest(r), nil,
			api.NewProblem(http.StatusForbidden, "The request comes from a page of another site."))
		return
	}
	switch {
	case r.Method == http.MethodOptions:
		s.site.Options(w, r)
	case bare != r.URL.Path && bare != "" && bare != "/zh" && !strings.HasPrefix(bare, "//"):
		to := url.URL{Path: bare, RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
	default:
		s.answer(w, r)
	}
}

// answer answers an address, as of the day that it names.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if !s.past.Serve(w, r) {
		s.router.ServeHTTP(w, r)
	}
}

// routes are the addresses of all features.
func (s *Server) routes() chi.Router {
	m := chi.NewRouter()
	m.NotFound(s.site.Page(s.site.NotFound))
	m.MethodNotAllowed(s.site.MethodNotAllowed)
	for _, f := range s.features {
		s.site.Register(m, f.Routes())
	}
	for _, o := range s.site.Operations {
		m.Method(o.HTTPMethod(), o.Path, s.site.Answering(o))
	}
	m.Get("/zh", redirect("/zh/"))
	m.Get("/favicon.ico", redirect(static.URL("mark.svg")))
	m.Handle(static.Prefix+"*", static.Handler())
	// HEAD is GET without the body; send leaves the body out.
	outer := headAsGet(m)
	outer.MethodNotAllowed(s.site.MethodNotAllowed) // of methods that HTTP does not know
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
