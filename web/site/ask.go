package site

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// An Asked is what the site answers itself.
type Asked struct {
	Status int
	Header http.Header
	Body   []byte
}

// errBrokenOff is what an answer that ended before it was whole is for who asked within the process.
var errBrokenOff = errors.New("the answer broke off")

// Ask answers GET of an address of this site, path and query, within the process: through the page cache, and at the
// cost of the client of r, as if it had asked. r may be nil: then nobody pays. A panic is answered with 500 and
// logged: who asks may be a goroutine of a library, where it would end the process.
func (s *Site) Ask(ctx context.Context, r *http.Request, target string) (Asked, error) {
	guarded := func(w http.ResponseWriter, r *http.Request) {
		rec := &Recorder{ResponseWriter: w}
		defer func() {
			if v := recover(); v != nil {
				s.Panicked(rec, r, v)
			}
		}()
		s.Answer.ServeHTTP(rec, r)
	}
	return AskOf(ctx, http.HandlerFunc(guarded), r, target)
}

// AskOf is [Site.Ask] of any handler, which answers its own panics.
func AskOf(ctx context.Context, h http.Handler, r *http.Request, target string) (asked Asked, err error) {
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
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			asked, err = Asked{}, errBrokenOff
		default:
			panic(v)
		}
	}()
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
