package web

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
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// retryError is a problem that goes away by itself.
type retryError struct {
	*api.Problem
	after time.Duration
}

func (e retryError) Unwrap() error { return e.Problem }

func tooMany(wait time.Duration) error {
	return retryError{api.NewProblem(http.StatusTooManyRequests, "Too many requests for pages that were not rendered before."), wait}
}

// fail is the one way out for errors: a problem is shown as it is; anything else
// is logged under an id, and the client sees the id only.
func (s *Server) fail(w http.ResponseWriter, r *request, st *state, err error) {
	var p *api.Problem
	if !errors.As(err, &p) {
		p = s.unexpected(r.Request, err)
	}
	var retry retryError
	var auth authError
	if errors.As(err, &auth) && auth.challenge != "" {
		w.Header().Set("WWW-Authenticate", auth.challenge)
	}
	switch {
	case errors.As(err, &retry):
		w.Header().Set("Retry-After", strconv.Itoa(int(retry.after.Seconds())+1))
	case p.Status == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	if errors.Is(r.Context().Err(), context.Canceled) {
		return // nobody is there to read it
	}
	a := answer{status: p.Status, contentType: "application/problem+json", body: p.JSON()}
	if r.format == html {
		a = s.errorPage(r, st, p)
	}
	s.send(w, r.Request, newPage(a, r.Pattern))
}

// unexpected logs an error and returns what the client may know of it.
func (s *Server) unexpected(r *http.Request, err error) *api.Problem {
	id := newRequestID()
	s.cfg.Log.LogAttrs(r.Context(), slog.LevelError, "request failed", slog.String("request_id", id),
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("error", err.Error()))
	p := api.NewProblem(http.StatusInternalServerError, "Something failed on our side. Quote %s when you report it.", id)
	p.Instance = id
	return p
}

func newRequestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}

// panicked answers a request whose handler panicked.
func (s *Server) panicked(w *recorder, r *http.Request, v any) {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	err := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	if w.status != 0 {
		s.unexpected(r, err) // too late to say so to the client
		return
	}
	s.fail(w, newRequest(r), s.state.Load(), err)
}

// notFound answers every address that no route has.
func (s *Server) notFound(st *state, r *request) (plan, error) {
	return plan{}, api.NewProblem(http.StatusNotFound, "There is no page at %q.", catalog.Clip(r.URL.Path))
}

func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allowed := s.allowed(r.URL.Path)
	w.Header().Set("Allow", allowed)
	s.fail(w, newRequest(r), s.state.Load(), api.NewProblem(http.StatusMethodNotAllowed, "%s is not answered here; %s are.", catalog.Clip(r.Method), allowed))
}

// allowed lists the methods that an address answers.
func (s *Server) allowed(path string) string {
	methods := []string{}
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if !s.router.Match(chi.NewRouteContext(), m, path) {
			continue
		}
		methods = append(methods, m)
		if m == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return strings.Join(append(methods, http.MethodOptions), ", ")
}

// options answers OPTIONS, for browsers that ask before calling the API.
func (s *Server) options(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Allow", s.allowed(r.URL.Path))
	if isShared(r.URL.Path) && !s.cfg.Private {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "If-None-Match")
		h.Set("Access-Control-Max-Age", "86400")
	}
	w.WriteHeader(http.StatusNoContent)
}

// errorPage renders a problem in the reader's language.
func (s *Server) errorPage(r *request, st *state, p *api.Problem) answer {
	l := r.loc
	e := view.ErrorPage{Layout: s.layout(r, st, "", ""), Status: p.Status, RequestID: p.Instance}
	e.Layout.Title, e.Layout.NoIndex = strconv.Itoa(p.Status), true
	switch p {
	case errRole.Problem:
		e.Detail = l.T("error.role")
	case errReadOnly:
		e.Detail = l.T("error.readonly")
	}
	for _, pe := range p.Params {
		e.Problems = append(e.Problems, paramText(l, pe))
	}
	if p.Card != "" {
		e.Problems = append(e.Problems, l.T("param.nocard", p.Card))
	}
	for _, c := range p.Candidates {
		e.Nearest = append(e.Nearest, view.Link{Label: c.Name, Href: l.Path("/cards/" + c.ID)})
	}
	if e.Nearest == nil && p.Status == http.StatusNotFound && st != nil {
		e.Nearest = s.nearestPages(st, r)
	}
	var b bytes.Buffer
	if err := e.Page().Render(context.WithoutCancel(r.Context()), &b); err != nil {
		s.unexpected(r.Request, err)
	}
	return answer{status: p.Status, contentType: htmlType, body: b.Bytes()}
}

// nearestPages suggests cards for the last part of an address that does not exist.
func (s *Server) nearestPages(st *state, r *request) []view.Link {
	var links []view.Link
	last := r.path[strings.LastIndexByte(r.path, '/')+1:]
	for _, row := range st.snap.Suggest(last, 3) {
		c := st.snap.Card(row)
		links = append(links, view.Link{Label: c.Vendor + " " + c.Name, Href: r.loc.Path("/cards/" + c.ID)})
	}
	return links
}

// paramText says in the reader's language what is wrong with a parameter.
func paramText(l *locale.Locale, e catalog.ParamError) string {
	text := l.T("param."+string(e.Code), e.Param, e.Value)
	if e.Allowed != "" {
		text += l.T("param.allowed", e.Allowed)
	}
	if len(e.Nearest) > 0 {
		text += l.T("param.nearest", strings.Join(e.Nearest, l.T("list.separator")))
	}
	return text
}
