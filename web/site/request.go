package site

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
)

// MaxQuery bounds the query of an address: the longest that any form makes is
// a tenth of it.
const MaxQuery = 8 << 10

// MaxParams bounds the parameters of an address. The form with the most fields sends a third of it, empty ones too.
const MaxParams = 400

// Request is an HTTP request as the handlers want it.
type Request struct {
	*http.Request
	Loc    *locale.Locale
	Path   string // without the language prefix and the format suffix
	Format Format
	As     Format // of a table: what its CSV is made into; empty: nothing
	Mark   bool   // CSV begins with a byte-order mark, so that spreadsheets read it as UTF-8
	Values url.Values
}

// Format is the form of an answer.
type Format string

const (
	HTML     Format = ""
	AsJSON   Format = "json"
	AsCSV    Format = "csv"
	Markdown Format = "md"
	AsSVG    Format = "svg"
	AsPNG    Format = "png"
	AsPDF    Format = "pdf"
	// Tables in other formats: they are made of their CSV.
	AsJSONL   Format = "jsonl"
	AsXLSX    Format = "xlsx"
	AsParquet Format = "parquet"
)

// tableTwins are what the CSV of a table can be made into.
var tableTwins = []Format{AsJSONL, AsXLSX, AsParquet}

// twins are the forms of pages for programs.
var twins = []Format{AsJSON, AsCSV, Markdown, AsSVG, AsPNG, AsPDF, AsJSONL, AsXLSX, AsParquet}

// A plan is what a handler makes of a request: the canonical address of the
// answer, and how to render it. Two requests with the same key get the same bytes.
type Plan struct {
	Key    string // canonical path and query
	Render func() (Answer, error)
	Dated  bool // the page is about today: tomorrow the same address is another
	Least  int  // how many bytes it has at least, where that is known before it is made
}

// An answer is a rendered page, not yet compressed.
type Answer struct {
	Status      int // 0 is 200
	ContentType string
	Body        []byte
	Link        string // Link header
	Deprecation string // header of RFC 9745: a parameter of the address is no longer to be used
	download    string // file name to suggest; empty: shown in the browser
	Uncached    bool
	Here        bool                                  // it would tell of devices if there were any
	Unstored    bool                                  // nor may clients keep it: it is of this moment
	component   templ.Component                       // renders the body; nil: it is there
	paint       func(context.Context) ([]byte, error) // likewise
	Sum         []byte                                // a hash that stands for the body's; nil: there is none
	// what the body lies in, to be used again once the page is let go; may be nil
	Buffer *[]byte
}

// buffers are for bodies of pages that are sent once and not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func NewBuffer() *[]byte { return buffers.Get().(*[]byte) }

// MaxBuffer keeps the rare large body from staying in memory.
const MaxBuffer = 256 << 10

// cached is the answer with a body of its own, and no room beside it.
func (a Answer) cached() Answer {
	a.Body = bytes.Clone(a.Body)
	a.release()
	return a
}

// release gives the buffer of an answer back. Nobody may hold its page.
func (a Answer) release() {
	if a.Buffer != nil && cap(*a.Buffer) <= MaxBuffer {
		buffers.Put(a.Buffer)
	}
}

// Handler answers one kind of request from a state.
type Handler func(st *State, r *Request) (Plan, error)

// Page turns a handler into an http.HandlerFunc: it finds language and format,
// parses the query, asks for the plan, and renders what is not cached.
func (s *Site) Page(h Handler) http.HandlerFunc { return s.PageOf(h, Light) }

// PageOf is Page for answers of a cost.
func (s *Site) PageOf(h Handler, cost Cost) http.HandlerFunc {
	return func(w http.ResponseWriter, httpReq *http.Request) {
		NoteRoute(w, httpReq)
		r := NewRequest(httpReq)
		st := s.stateOf(httpReq.Context())
		if err := s.answer(w, r, st, h, costOf(cost, r.Format)); err != nil {
			s.Fail(w, r, st, err)
		}
	}
}

var ErrNotLoaded = api.NewProblem(http.StatusServiceUnavailable, "The catalogue is still being loaded.")

// answer bounds the work before it begins: a token of the client's, then a turn.
func (s *Site) answer(w http.ResponseWriter, r *Request, st *State, h Handler, cost Cost) error {
	if st == nil {
		return ErrNotLoaded
	}
	client := s.ClientOf(r.Request)
	if err := s.take(r.Request, client, cost); err != nil {
		return err
	}
	if err := r.Parse(); err != nil {
		return err
	}
	if r.Method == http.MethodPost {
		if err := r.receive(); err != nil {
			return err
		}
	}
	leave, err := s.enter(r.Context(), cost, client)
	if err != nil {
		return err
	}
	p, done, err := s.made(r, st, h, leave)
	if err != nil {
		return err
	}
	s.Send(w, r.Request, p) // a slow reader holds up nobody
	done()
	return nil
}

// mostReceived is how much of a body is read before a turn is taken: nobody who sends slowly holds one. Handlers bound
// what they take.
const mostReceived = 4 << 20

// receive reads what was sent.
func (r *Request) receive() error {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostReceived))
	if err != nil {
		return api.NewProblem(http.StatusBadRequest, "What was sent ends too early.")
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	return nil
}

// made is the page that answers a request, from the cache or rendered. It calls leave at its end, also when it panics;
// done is to be called once the page was sent.
func (s *Site) made(r *Request, st *State, h Handler, leave func()) (p *page, done func(), err error) {
	defer leave()
	r.Request = r.WithContext(context.WithValue(r.Context(), hasTurn{}, true))
	day := s.day() // of the answer, though midnight may pass while it is made
	pl, err := h(st, r)
	if err == nil && pl.Render == nil { // there is no such format of the page
		pl, err = s.NotFound(st, r)
	}
	if r.Format == Markdown && isNotFound(err) && s.Twin != nil {
		if twin, failed := s.Twin(st, r); !isNotFound(failed) {
			pl, err = twin, failed
		}
	}
	if err != nil {
		return nil, nil, err
	}
	done = func() {}
	pl = r.remade(pl)
	if p := st.Pages.find(pl.Key); p != nil && s.Fresh(p) {
		s.Stats.Hits.Add(1)
		st.Pages.alias(r.URL.Path, r.URL.RawQuery, p)
		return p, done, nil
	}
	s.Stats.Misses.Add(1)
	a, err := pl.Render()
	if err == nil {
		err = a.Render(r.Context())
	}
	if gone := r.Context().Err(); err == nil && gone != nil {
		err = gone // what was left off is neither sent nor kept
	}
	if err != nil {
		return nil, nil, err
	}
	if a.Uncached || st.Snap.Partial() || !st.Pages.shouldCache(pl.Key) {
		return NewPage(a, r.Pattern), a.release, nil
	}
	p = NewPage(a.cached(), r.Pattern)
	if pl.Dated {
		p.day = day
	}
	st.Pages.put(pl.Key, p)
	st.Pages.alias(r.URL.Path, r.URL.RawQuery, p)
	return p, done, nil
}

// NewRequest finds the language and the format of a request.
func NewRequest(httpReq *http.Request) *Request {
	r := &Request{Request: httpReq, Loc: locale.Of("en"), Path: httpReq.URL.Path}
	if rest, ok := strings.CutPrefix(r.Path, "/zh"); ok && (rest == "" || rest[0] == '/') {
		r.Loc, r.Path = locale.Of("zh"), rest
	}
	if strings.HasPrefix(r.Path, "/api/") || r.Path == "/healthz" || r.Path == "/readyz" {
		r.Format = AsJSON
		return r
	}
	for _, f := range twins {
		if base, ok := strings.CutSuffix(r.Path, "."+string(f)); ok {
			r.Path, r.Format = base, f
			break
		}
	}
	if slices.Contains(tableTwins, r.Format) {
		r.Format, r.As = AsCSV, r.Format
	}
	return r
}

// Parse reads the query strictly.
func (r *Request) Parse() error {
	if len(r.URL.RawQuery) > MaxQuery {
		p := api.NewProblem(http.StatusRequestURITooLong, "The query of the address is longer than %d bytes.", MaxQuery)
		return p
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return api.BadParams(
			[]catalog.ParamError{{Param: "query", Value: catalog.Clip(r.URL.RawQuery), Code: catalog.BadEncoding}},
		)
	}
	r.Values = values
	n := 0
	for _, given := range values {
		n += len(given)
	}
	if n > MaxParams {
		return api.BadParams([]catalog.ParamError{{Param: "query", Value: strconv.Itoa(n), Code: catalog.TooMany,
			Allowed: strconv.Itoa(MaxParams)}})
	}
	return r.parseMark()
}

// Only checks that a request has no other parameters than those named, and each
// at most once.
func (r *Request) Only(names ...string) error {
	var errs []catalog.ParamError
	for key, given := range r.Values {
		if len(errs) >= catalog.MostErrors {
			break
		}
		known := false
		for _, n := range names {
			known = known || n == key
		}
		switch {
		case !known:
			errs = append(
				errs,
				catalog.ParamError{
					Param:   catalog.Clip(key),
					Code:    catalog.UnknownParam,
					Nearest: catalog.Nearest(key, names, 3),
				},
			)
		case len(given) > 1:
			errs = append(errs, catalog.ParamError{Param: key, Code: catalog.Repeated})
		}
	}
	if len(errs) > 0 {
		return api.BadParams(errs)
	}
	return nil
}

// Address is the request's path in a language and format, with a query.
func (r *Request) Address(loc *locale.Locale, f Format, query string) string {
	path := loc.Path(r.Path)
	if f != HTML {
		path += "." + string(f)
	}
	if query != "" {
		path += "?" + query
	}
	return path
}
