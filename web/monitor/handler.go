package monitor

import (
	"net/http"
	"sync/atomic"

	"tianti/account"
	weblive "tianti/web/live"
	"tianti/web/site"
)

// A Handler answers those who watch over the server.
type Handler struct {
	site *site.Site
	live *weblive.Handler
	Config
	draining atomic.Bool
}

// Config is what there is to watch besides.
type Config struct {
	Version  string                    // of the program
	Accounts *account.Authenticator    // may be nil
	Healthy  func(*http.Request) error // returns an error when the database does not answer; may be nil
	Room     func() error              // returns why the disk takes nothing more; may be nil
	// Metrics says who is told the metrics.
	Metrics Audience
	// Authorize lets a request be told, when they are for those who may read; it must not be nil then.
	Authorize func(*http.Request) error
	// Publishing tells how publishing goes; nil: nothing is published.
	Publishing func() Publishing
}

// Audience is who is told the metrics.
type Audience int

// Audiences.
const (
	Everybody Audience = iota
	Readers            // who has signed in, and programs with a token
	Elsewhere          // nobody at this address: there is another listener, see [Handler.Elsewhere]
)

// New returns a handler of a site.
func New(s *site.Site, devices *weblive.Handler, cfg Config) *Handler {
	return &Handler{site: s, live: devices, Config: cfg}
}

// Operations are those of the API: the feature has none.
func (h *Handler) Operations() []site.Operation { return nil }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	out := []site.Route{
		{Pattern: "/healthz", Serve: h.healthz, Plain: true},
		{Pattern: "/readyz", Serve: h.readyz, Plain: true},
	}
	if h.Metrics != Elsewhere {
		out = append(out, site.Route{Pattern: "/metrics", Serve: h.asked, Plain: true})
	}
	return out
}

// asked tells the metrics to whom they are for.
func (h *Handler) asked(w http.ResponseWriter, r *http.Request) {
	if h.Metrics == Readers {
		if err := h.Authorize(r); err != nil {
			site.NoteRoute(w, r)
			req := site.NewRequest(r)
			req.Format = site.AsJSON
			h.site.Fail(w, req, nil, err)
			return
		}
	}
	h.metrics(w, r)
}

// Elsewhere answers at the address of a listener of its own, for those who watch: metrics and health, to whoever can
// reach it.
func (h *Handler) Elsewhere() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /metrics", h.metrics)
	m.HandleFunc("GET /healthz", h.healthz)
	m.HandleFunc("GET /readyz", h.readyz)
	return m
}
