package web

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
)

// maxQuery bounds the query of an address: the longest that any form makes is
// a tenth of it.
const maxQuery = 8 << 10

// request is an HTTP request as the handlers want it.
type request struct {
	*http.Request
	loc    *locale.Locale
	path   string // without the language prefix and the format suffix
	format format
	values url.Values
}

// format is the form of an answer.
type format string

const (
	html     format = ""
	asJSON   format = "json"
	asCSV    format = "csv"
	markdown format = "md"
	asSVG    format = "svg"
	asPNG    format = "png"
)

// A plan is what a handler makes of a request: the canonical address of the
// answer, and how to render it. Two requests with the same key get the same bytes.
type plan struct {
	key    string // canonical path and query
	render func() (answer, error)
	dated  bool // the page is about today: tomorrow the same address is another
}

// An answer is a rendered page, not yet compressed.
type answer struct {
	status      int // 0 is 200
	contentType string
	body        []byte
	link        string // Link header
	download    string // file name to suggest; empty: shown in the browser
	uncached    bool
	here        bool    // it would tell of devices if there were any
	unstored    bool    // nor may clients keep it: it is of this moment
	sum         []byte  // a hash that stands for the body's; nil: there is none
	buffer      *[]byte // what the body lies in, to be used again once the page is let go; may be nil
}

// buffers are for bodies of pages that are sent once and not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func newBuffer() *[]byte { return buffers.Get().(*[]byte) }

// maxBuffer keeps the rare large body from staying in memory.
const maxBuffer = 256 << 10

// kept is the answer with a body of its own, and no room beside it.
func (a answer) kept() answer {
	a.body = bytes.Clone(a.body)
	a.letGo()
	return a
}

// letGo gives the buffer of an answer back. Nobody may hold its page.
func (a answer) letGo() {
	if a.buffer != nil && cap(*a.buffer) <= maxBuffer {
		buffers.Put(a.buffer)
	}
}

// handler answers one kind of request from a state.
type handler func(st *state, r *request) (plan, error)

// page turns a handler into an http.HandlerFunc: it finds language and format,
// parses the query, asks for the plan, and renders what is not cached.
func (s *Server) page(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		noteRoute(w, httpReq)
		r := newRequest(httpReq)
		st := s.state.Load()
		if err := s.answer(w, r, st, h); err != nil {
			s.fail(w, r, st, err)
		}
	}
}

var errNotLoaded = api.NewProblem(http.StatusServiceUnavailable, "The catalogue is still being loaded.")

func (s *Server) answer(w http.ResponseWriter, r *request, st *state, h handler) error {
	if st == nil {
		return errNotLoaded
	}
	if err := r.parse(); err != nil {
		return err
	}
	day := s.day() // of the answer, though midnight may pass while it is made
	pl, err := h(st, r)
	if err == nil && pl.render == nil { // there is no such format of the page
		pl, err = s.notFound(st, r)
	}
	if err != nil {
		if wait := s.limits.take(s.clientOf(r.Request)); wait > 0 {
			return tooMany(wait)
		}
		return err
	}
	if p := st.pages.find(pl.key); p != nil && s.fresh(p) {
		s.tally.hits.Add(1)
		st.pages.alias(r.URL.Path, r.URL.RawQuery, p)
		s.send(w, r.Request, p)
		return nil
	}
	if wait := s.limits.take(s.clientOf(r.Request)); wait > 0 {
		return tooMany(wait)
	}
	s.tally.misses.Add(1)
	a, err := pl.render()
	if err != nil {
		return err
	}
	if a.uncached || st.snap.Partial() || !st.pages.worth(pl.key) {
		s.send(w, r.Request, newPage(a, r.Pattern))
		a.letGo()
		return nil
	}
	p := newPage(a.kept(), r.Pattern)
	if pl.dated {
		p.day = day
	}
	st.pages.put(pl.key, p)
	st.pages.alias(r.URL.Path, r.URL.RawQuery, p)
	s.send(w, r.Request, p)
	return nil
}

// newRequest finds the language and the format of a request.
func newRequest(httpReq *http.Request) *request {
	r := &request{Request: httpReq, loc: locale.Of("en"), path: httpReq.URL.Path}
	if rest, ok := strings.CutPrefix(r.path, "/zh"); ok && (rest == "" || rest[0] == '/') {
		r.loc, r.path = locale.Of("zh"), rest
	}
	if strings.HasPrefix(r.path, "/api/") || r.path == "/healthz" || r.path == "/readyz" {
		r.format = asJSON
		return r
	}
	for _, f := range []format{asJSON, asCSV, markdown, asSVG, asPNG} {
		if base, ok := strings.CutSuffix(r.path, "."+string(f)); ok {
			r.path, r.format = base, f
		}
	}
	return r
}

// parse reads the query strictly.
func (r *request) parse() error {
	if len(r.URL.RawQuery) > maxQuery {
		p := api.NewProblem(http.StatusRequestURITooLong, "The query of the address is longer than %d bytes.", maxQuery)
		return p
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return api.BadParams([]catalog.ParamError{{Param: "query", Value: catalog.Clip(r.URL.RawQuery), Code: catalog.BadEncoding}})
	}
	r.values = values
	return nil
}

// only checks that a request has no other parameters than those named, and each
// at most once.
func (r *request) only(names ...string) error {
	var errs []catalog.ParamError
	for key, given := range r.values {
		known := false
		for _, n := range names {
			known = known || n == key
		}
		switch {
		case !known:
			errs = append(errs, catalog.ParamError{Param: catalog.Clip(key), Code: catalog.UnknownParam, Nearest: catalog.Nearest(key, names, 3)})
		case len(given) > 1:
			errs = append(errs, catalog.ParamError{Param: key, Code: catalog.Repeated})
		}
	}
	if len(errs) > 0 {
		return api.BadParams(errs)
	}
	return nil
}

// address is the request's path in a language and format, with a query.
func (r *request) address(loc *locale.Locale, f format, query string) string {
	path := loc.Path(r.path)
	if f != html {
		path += "." + string(f)
	}
	if query != "" {
		path += "?" + query
	}
	return path
}
