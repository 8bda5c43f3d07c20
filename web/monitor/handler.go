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
	// Publishing tells how publishing goes; nil: nothing is published.
	Publishing func() Publishing
}

// New returns a handler of a site.
func New(s *site.Site, devices *weblive.Handler, cfg Config) *Handler {
	return &Handler{site: s, live: devices, Config: cfg}
}

// Operations are those of the API: the feature has none.
func (h *Handler) Operations() []site.Operation { return nil }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return []site.Route{
		{Pattern: "/healthz", Serve: h.healthz, Plain: true},
		{Pattern: "/readyz", Serve: h.readyz, Plain: true},
		{Pattern: "/metrics", Serve: h.metrics, Plain: true},
	}
}
