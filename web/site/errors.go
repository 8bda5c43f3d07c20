package site

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/ui"
)

// RetryError is a problem that goes away by itself, after some time.
type RetryError struct {
	*api.Problem
	After time.Duration
}

func (e RetryError) Unwrap() error { return e.Problem }

func tooMany(wait time.Duration) error {
	return RetryError{api.NewProblem(http.StatusTooManyRequests,
		"Too many requests whose answers have to be computed; those that are kept are not counted."), wait}
}

// Fail is the one way out for errors: a problem is shown as it is; anything else
// is logged under an id, and the client sees the id only. Work that ended because
// the client has hung up is no failure, and nobody is there to read of it.
func (s *Site) Fail(w http.ResponseWriter, r *Request, st *State, err error) {
	gone := errors.Is(r.Context().Err(), context.Canceled)
	if gone && errors.Is(err, context.Canceled) {
		return
	}
	var p *api.Problem
	if !errors.As(err, &p) {
		p = s.Unexpected(r.Request, err)
	}
	var retry RetryError
	var later interface{ RetryAfter() time.Duration }
	var auth AuthError
	if errors.As(err, &auth) && auth.challenge != "" {
		w.Header().Set("WWW-Authenticate", auth.challenge)
	}
	switch {
	case errors.As(err, &retry):
		w.Header().Set("Retry-After", strconv.Itoa(int(retry.After.Seconds())+1))
	case errors.As(err, &later):
		w.Header().Set("Retry-After", strconv.Itoa(int(later.RetryAfter().Seconds())))
	case p.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	if gone {
		return
	}
	a := Answer{Status: p.Status, ContentType: "application/problem+json"}
	switch {
	case r.Format == HTML:
		a = s.errorPage(r, st, p)
	case p == ErrReadOnly:
		a.Body = s.refused().JSON()
	default:
		a.Body = p.JSON()
	}
	s.Send(w, r.Request, NewPage(a, r.Pattern))
}

// Unexpected logs an error and returns what the client may know of it.
func (s *Site) Unexpected(r *http.Request, err error) *api.Problem {
	id := newRequestID()
	s.Log.LogAttrs(r.Context(), slog.LevelError, "request failed", slog.String("request_id", id),
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("error", err.Error()))
	p := api.NewProblem(http.StatusInternalServerError, "Something failed on our side. Quote %s when you "+
		"report it.", id)
	var away interface{ Unavailable() bool }
	if errors.As(err, &away) && away.Unavailable() {
		p = api.NewProblem(http.StatusServiceUnavailable, "The database does not answer at this moment: try again. "+
			"Quote %s when you report it.", id)
	}
	var later interface{ RetryAfter() time.Duration }
	if errors.As(err, &later) {
		p = api.NewProblem(http.StatusServiceUnavailable, "What this answer is made of cannot be fetched at this "+
			"moment: try again. Quote %s when you report it.", id)
	}
	p.Instance = id
	return p
}

func newRequestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// Panicked answers a request whose handler panicked.
func (s *Site) Panicked(w *Recorder, r *http.Request, v any) {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	err := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	if w.Status != 0 {
		s.Unexpected(r, err) // too late to say so to the client
		return
	}
	s.Fail(w, NewRequest(r), s.State.Load(), err)
}

// isNotFound reports whether an error says that there is nothing at an address.
func isNotFound(err error) bool {
	p, ok := errors.AsType[*api.Problem](err)
	return ok && p.Status == http.StatusNotFound
}

// NotFound answers every address that no route has.
func (s *Site) NotFound(st *State, r *Request) (Plan, error) {
	return Plan{}, api.NewProblem(http.StatusNotFound, "There is no page at %q.", catalog.Clip(r.URL.Path))
}

func (s *Site) MethodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allowed := s.allowed(r.URL.Path)
	w.Header().Set("Allow", allowed)
	s.Fail(w, NewRequest(r), s.State.Load(), api.NewProblem(http.StatusMethodNotAllowed, "%s is not answered here; "+
		"%s are.", catalog.Clip(r.Method), allowed))
}

// allowed lists the methods that an address answers.
func (s *Site) allowed(path string) string {
	methods := []string{}
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if !s.Router.Match(chi.NewRouteContext(), m, path) {
			continue
		}
		methods = append(methods, m)
		if m == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return strings.Join(append(methods, http.MethodOptions), ", ")
}

// Options answers OPTIONS, for browsers that ask before calling the API.
func (s *Site) Options(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Allow", s.allowed(r.URL.Path))
	if isShared(r.URL.Path) && !s.Private {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "If-None-Match")
		h.Set("Access-Control-Max-Age", "86400")
	}
	w.WriteHeader(http.StatusNoContent)
}

// errorPage renders a problem in the reader's language.
func (s *Site) errorPage(r *Request, st *State, p *api.Problem) Answer {
	l := r.Loc
	e := ui.ErrorPage{Layout: s.Layout(r, st, "", ""), Status: p.Status, RequestID: p.Instance}
	e.Layout.Title, e.Layout.NoIndex = strconv.Itoa(p.Status), true
	switch p {
	case ErrRole.Problem:
		e.Detail = l.T("error.role")
	case ErrFactor.Problem:
		e.Detail = l.T("error.factor")
	case ErrReadOnly:
		e.Detail = l.T("error.readonly")
		if s.Follows != nil {
			e.Detail, e.Elsewhere = l.T("error.reader"), s.writer(l)
		}
	}
	if p.Message != "" {
		e.Detail = l.T(p.Message, p.Args...)
		e.Elsewhere = ui.Link{Label: l.T("error.again"), Href: r.URL.RequestURI()}
	}
	for _, pe := range p.Params {
		e.Problems = append(e.Problems, display.ParamText(l, pe))
	}
	if p.Card != "" {
		e.Problems = append(e.Problems, l.T("param.nocard", p.Card))
	}
	for _, c := range p.Candidates {
		e.Nearest = append(e.Nearest, ui.Link{Label: c.Name, Href: l.Path("/cards/" + c.ID)})
	}
	if p.Nearest != "" {
		e.Nearest = append(e.Nearest, ui.Link{Label: p.Nearest, Href: p.Nearest})
	}
	if e.Nearest == nil && p.Status == http.StatusNotFound && st != nil {
		e.Nearest = s.nearestPages(st, r)
	}
	var b bytes.Buffer
	if err := e.Page().Render(context.WithoutCancel(r.Context()), &b); err != nil {
		s.Unexpected(r.Request, err)
	}
	return Answer{Status: p.Status, ContentType: htmlType, Body: b.Bytes()}
}

// nearestPages suggests cards for the last part of an address that does not exist.
func (s *Site) nearestPages(st *State, r *Request) []ui.Link {
	var links []ui.Link
	last := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
	for _, row := range st.Snap.Suggest(last, 3) {
		c := st.Snap.Card(row)
		links = append(links, ui.Link{Label: c.Vendor + " " + c.Name, Href: r.Loc.Path("/cards/" + c.ID)})
	}
	return links
}
