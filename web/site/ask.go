package site

import (
	"bytes"
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// An Asked is what the site answers itself.
type Asked struct {
	Status int
	Header http.Header
	Body   []byte
}

// Ask answers GET of an address of this site, path and query, within the process: through the page cache, and at the
// cost of the client of r, as if it had asked. r may be nil: then nobody pays.
func (s *Site) Ask(ctx context.Context, r *http.Request, target string) (Asked, error) {
	return AskOf(ctx, s.Answer, r, target)
}

// AskOf is [Site.Ask] of any handler.
func AskOf(ctx context.Context, h http.Handler, r *http.Request, target string) (Asked, error) {
	inner, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return Asked{}, err
	}
	if r != nil {
		inner.RemoteAddr = r.RemoteAddr
		for _, name := range []string{"X-Forwarded-For", "Authorization", "Cookie"} {
			if v := r.Header.Values(name); v != nil {
				inner.Header[name] = v
			}
		}
	}
	// A router takes a request that has a context of its own for a part of another route.
	inner = inner.WithContext(context.WithValue(ctx, chi.RouteCtxKey, (*chi.Context)(nil)))
	w := &answerBuffer{header: http.Header{}}
	h.ServeHTTP(w, inner)
	return Asked{Status: max(w.status, http.StatusOK), Header: w.header, Body: w.body.Bytes()}, nil
}

// An answerBuffer keeps an answer.
type answerBuffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *answerBuffer) Header() http.Header { return w.header }

func (w *answerBuffer) Write(b []byte) (int, error) { return w.body.Write(b) }

func (w *answerBuffer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}
