package site

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/display"
	"tianti/web/ui"
)

// Config is what a site is made with.
type Config struct {
	Log          *slog.Logger // nil discards
	Origin       string       // "https://tianti.example": makes canonical addresses absolute; may be empty
	CacheBytes   int64        // bound of the page cache; 0 means 64 MiB
	MissesPerMin int          // page renderings a client may cause each minute; 0 is no limit
	// StreamsPerClient is how many streams of readings one client may read; 0 is no limit.
	StreamsPerClient int
	TrustedProxies   []netip.Prefix   // whose X-Forwarded-For names the client
	Now              func() time.Time // nil is time.Now
	// NewEstimator makes what answers questions of sizing from a catalogue; nil leaves out its pages.
	NewEstimator func(*catalog.Snapshot) (*sizing.Estimator, error)
	// Runs: measured runs can be kept.
	Runs bool
	// Webhooks: addresses can be told of changes.
	Webhooks bool
	// Painter paints pictures; nil is one that finds its fonts on the system.
	Painter  *chart.Painter
	SignIn   bool // people can sign in: pages link to the administration
	ReadOnly bool // nothing can be changed
	Private  bool // nobody sees anything before signing in
	// LogClient makes of the client's address what the access log says; nil: nothing.
	LogClient func(netip.Addr) string
	// Leaving is closed when the server is about to end: no catalogue is held back any longer; nil: never.
	Leaving <-chan struct{}
	// Follows tells of the published snapshot that is shown; nil: the catalogue comes from a database.
	Follows func() Following
	// Patience is for how long answers wait that can do without what takes long to compute; 0 is two seconds.
	Patience time.Duration
}

// A Site turns requests into answers of a snapshot: it parses, caches, renders,
// compresses and sends. What there is to answer comes from features.
type Site struct {
	Config
	State      atomic.Pointer[State] // nil until the first Swap
	Router     chi.Routes            // all addresses, for Allow
	Operations []Operation           // of the API
	Answer     http.Handler          // answers all addresses, for Ask
	Twin       Handler               // answers pages as Markdown that have none of their own; nil: there are none
	// Prepare asks for pages of a catalogue before it is shown; nil: nothing is computed before it is asked for,
	// estimates neither.
	Prepare func(context.Context, *catalog.Snapshot)
	Devices func() bool // reports whether there are devices that pages of cards tell of
	Stats   *stats

	limits     *limiter
	gates      [Waits]*gate // by cost
	compressor *compressor
	painter    *chartPainter
	lines      io.Writer // of the log; nil: it takes records only
}

// New returns a site that has no catalogue yet. Close it when it has stopped serving.
func New(cfg Config) *Site {
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = 64 << 20
	}
	if cfg.Patience == 0 {
		cfg.Patience = 2 * time.Second
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Site{
		Config:     cfg,
		Devices:    func() bool { return false },
		Stats:      newStats(),
		limits:     newLimiter(cfg.MissesPerMin),
		gates:      newGates(),
		compressor: newCompressor(),
		painter:    newChartPainter(cfg.Painter),
	}
	if h, ok := cfg.Log.Handler().(LineHandler); ok {
		s.lines = h.Lines()
	}
	return s
}

// Close ends the background work.
func (s *Site) Close() { s.compressor.close() }

// AuthError is a problem of who asks. It carries the challenge of a 401 or 403.
type AuthError struct {
	*api.Problem
	challenge string // WWW-Authenticate; may be empty
}

func (e AuthError) Unwrap() error { return e.Problem }

const realm = `Bearer realm="tianti"`

var (
	ErrSignIn = AuthError{
		api.NewProblem(
			http.StatusUnauthorized,
			"This needs a session, or a token in the header Authorization: Bearer.",
		),
		realm,
	}
	ErrToken = AuthError{
		api.NewProblem(
			http.StatusUnauthorized,
			"The token is unknown, expired or revoked, or its account is disabled.",
		),
		realm + `, error="invalid_token"`,
	}
	ErrScheme = AuthError{
		api.NewProblem(http.StatusUnauthorized, "Of the header Authorization only Bearer is understood."),
		realm + `, error="invalid_request"`,
	}
	ErrRole = AuthError{
		api.NewProblem(http.StatusForbidden, "This account may read only; an administrator may do this."),
		"",
	}
	ErrFactor = AuthError{
		api.NewProblem(http.StatusForbidden, "An administrator of this server needs a second factor, which is set up "+
			"under /admin/account/second-factor."),
		"",
	}
	ErrManage = AuthError{
		api.NewProblem(http.StatusForbidden, "A token cannot do this: an administrator who is signed in can."),
		realm + `, error="insufficient_scope"`,
	}
	ErrScope = AuthError{
		api.NewProblem(
			http.StatusForbidden,
			"The token may read only; this needs one with the scope import, of an administrator.",
		),
		realm + `, error="insufficient_scope", scope="import"`,
	}

	ErrReadOnly = api.NewProblem(
		http.StatusForbidden,
		"This server was started with --read-only: nothing can be changed here.",
	)
	ErrInQuery = api.NewProblem(
		http.StatusBadRequest,
		"A token in an address is written to logs: revoke it, and send another in the header Authorization: Bearer.",
	)
)

func JSONAnswer(v any) (Answer, error) {
	return Answer{ContentType: "application/json", Body: api.Encode(v)}, nil
}

// PageLimit is how many cards a page of the catalogue holds when it names no limit.
const PageLimit = 50

// NextPage is the address of the following page, or "".
func NextPage(r *Request, f Format, q catalog.Query, res catalog.Result) string {
	if res.Next == "" {
		return ""
	}
	if q.Cursor != "" {
		q.Cursor = res.Next
	} else {
		q.Page = max(1, q.Page) + 1
	}
	return r.Address(r.Loc, f, q.Encode())
}

func NextLink(next string) string {
	if next == "" {
		return ""
	}
	return "<" + next + `>; rel="next"`
}

// WithoutParam is the request without a parameter that may be repeated.
func (r *Request) WithoutParam(param string) *Request {
	rest := maps.Clone(r.Values)
	delete(rest, param)
	return &Request{Values: rest}
}

// Today is the day on which a request is answered, in UTC.
func (s *Site) Today() string { return s.Now().UTC().Format(time.DateOnly) }

func (s *Site) Now() time.Time {
	if s.Config.Now != nil {
		return s.Config.Now()
	}
	return time.Now()
}

// day is today as a number.
func (s *Site) day() int64 { return s.Now().Unix() / (24 * 60 * 60) }

// Fresh reports whether a kept page is still right.
func (s *Site) Fresh(p *page) bool {
	return (p.day == 0 || p.day == s.day()) && !(p.here && s.Devices())
}

// Types of answers that are neither JSON nor CSV nor Markdown.
const (
	htmlType = "text/html; charset=utf-8"
	svgType  = "image/svg+xml"
	pngType  = "image/png"
	pdfType  = "application/pdf"
)

// Layout is what every page has around its content. query is the canonical query
// of the page.
func (s *Site) Layout(r *Request, st *State, active ui.Nav, query string) ui.Layout {
	l := ui.Layout{
		Locale: r.Loc, Active: active, Origin: s.Origin,
		Path: r.Address(r.Loc, HTML, query), OtherPath: r.Address(r.Loc.Other(), HTML, query),
		Canonical: r.Address(r.Loc, HTML, ""), NoIndex: query != "", Administered: s.SignIn,
	}
	if st == nil {
		return l
	}
	l.Revision = strconv.FormatInt(st.Snap.Revision, 10)
	l.DataDate = display.DataDay(r.Loc, st.Snap)
	if IsKept(r.Path) {
		l.Permanent = strings.TrimSuffix("/r/"+l.Revision+l.Path, "/")
	}
	if st.Snap.Partial() {
		l.Loading = r.Loc.T("site.loading", st.Snap.Loaded, st.Snap.Total)
	}
	return l
}

// WithAlternates names the same data in other formats.
func WithAlternates(l ui.Layout, r *Request, query string) ui.Layout {
	l.Alternates = ui.Alternates{
		JSON: r.Address(
			r.Loc,
			AsJSON,
			query,
		), CSV: r.Address(r.Loc, AsCSV, query), Markdown: r.Address(r.Loc, Markdown, query),
	}
	return l
}

// Rendered is the answer with a component as its body, which is rendered when the answer is sent: until the client
// hangs up.
func Rendered(c templ.Component) (Answer, error) {
	return Answer{ContentType: htmlType, component: c}, nil
}

// Render writes the body of an answer that has something to make it of in its place.
func (a *Answer) Render(ctx context.Context) (err error) {
	switch {
	case a.paint != nil:
		a.Body, err = a.paint(ctx)
		a.paint = nil
	case a.component != nil:
		var b bytes.Buffer
		b.Grow(64 << 10)
		if err = a.component.Render(ctx, &b); err != nil {
			err = fmt.Errorf("render page: %w", err)
		}
		a.Body, a.component = b.Bytes(), nil
	}
	return err
}

// Stopped reports, of the work for a request, whether nobody waits for it any more.
func Stopped(r *Request) func() bool {
	ctx := r.Context()
	return func() bool { return ctx.Err() != nil }
}

func ParamsEncoded(name, value string) string { return url.Values{name: {value}}.Encode() }

// Refused is a page that tells what was wrong with its address. It is not kept.
func Refused(c templ.Component) (Answer, error) {
	a, err := Rendered(c)
	a.Status, a.Uncached = http.StatusBadRequest, true
	return a, err
}

// WithoutParams are the parameters but some.
func WithoutParams(values url.Values, names ...string) url.Values {
	out := url.Values{}
	for name, given := range values {
		if !slices.Contains(names, name) {
			out[name] = given
		}
	}
	return out
}

// LimitOf reads a limit of a list.
func LimitOf(values url.Values, standard int) (int, []catalog.ParamError) {
	text := strings.TrimSpace(values.Get("limit"))
	if text == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > catalog.MaxLimit || len(values["limit"]) > 1 {
		return standard, []catalog.ParamError{
			{
				Param:   "limit",
				Value:   catalog.Clip(text),
				Code:    catalog.BadLimit,
				Allowed: "1 … " + strconv.Itoa(catalog.MaxLimit),
			},
		}
	}
	return n, nil
}
