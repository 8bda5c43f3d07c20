package live

import (
	"net/http"
	"strconv"
	"time"

	"tianti/web/api"
	"tianti/web/session"
	"tianti/web/site"
)

// Limits of streams.
const (
	mostViewers   = 1000
	heartbeat     = 15 * time.Second
	streamTimeout = 10 * time.Second // of one write
	streamRetry   = 3 * time.Second  // that clients wait before they connect again
)

// liveStream answers /live/stream and /api/v1/live/stream with events, until the
// client or the server goes.
func (s *Handler) liveStream(w http.ResponseWriter, httpReq *http.Request) {
	site.NoteRoute(w, httpReq)
	r := site.NewRequest(httpReq)
	st := s.site.State.Load()
	kind := r.Loc.Code()
	if site.IsAPI(r.URL.Path) {
		kind = ""
	}
	if err := s.mayStream(st, r); err != nil {
		r.Format = site.AsJSON // nobody reads a page here
		s.site.Fail(w, r, st, err)
		return
	}
	leave := func() {}
	if r.Method != http.MethodHead {
		var err error
		if leave, err = s.streams.take(s.site.ClientOf(httpReq)); err != nil {
			r.Format = site.AsJSON
			s.site.Fail(w, r, st, err)
			return
		}
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	out := eventWriter{w: w, rc: http.NewResponseController(w)}
	_ = out.rc.SetReadDeadline(time.Time{}) // the server's is for requests; a reader that goes is noticed all the same
	s.stream(r, &out, kind)
}

// mayStream checks a request for events.
func (h *Handler) mayStream(st *site.State, r *site.Request) error {
	switch err := r.Parse(); {
	case st == nil:
		return api.NewProblem(http.StatusServiceUnavailable, "The catalogue is still being loaded.")
	case err != nil:
		return err
	case h.hub == nil:
		return api.NewProblem(http.StatusServiceUnavailable, "This server has no source of live readings.")
	case h.streams.ctx.Err() != nil:
		return api.NewProblem(http.StatusServiceUnavailable, "This server is shutting down.")
	}
	return r.Only("host")
}

// An eventWriter is where events are written to.
type eventWriter struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// send writes within the time that a write may take.
func (o *eventWriter) send(data []byte) error {
	_ = o.rc.SetWriteDeadline(time.Now().Add(streamTimeout)) // a writer without deadlines has none to keep
	if _, err := o.w.Write(data); err != nil {
		return err
	}
	return o.rc.Flush()
}

// stream sends what changes, for as long as the client reads and may see it.
func (h *Handler) stream(r *site.Request, out *eventWriter, kind string) {
	ctx, host := r.Context(), r.Values.Get("host")
	watcher := h.hub.Subscribe()
	defer watcher.Close()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	if out.send([]byte("retry: "+strconv.FormatInt(streamRetry.Milliseconds(), 10)+"\n\n")) != nil {
		return
	}
	var after uint64
	var from *site.State
	send := func() error {
		st := h.site.State.Load()
		if from != st {
			after, from = 0, st // what devices are matched to may have changed
		}
		v := h.hub.View()
		x := h.streams.of(h, st, kind, &v)
		if x.seq == after {
			return nil
		}
		err := out.send(x.event(after, host))
		after = x.seq
		return err
	}
	for err := send(); err == nil; {
		select {
		case <-ctx.Done():
			return
		case <-h.streams.ctx.Done():
			return
		case <-beat.C:
			if h.site.Private {
				if _, err := h.session.Authorize(r.Request, session.ToRead); err != nil {
					return // the session or the token has ended
				}
			}
			err = out.send([]byte(": \n\n"))
		case _, open := <-watcher.C:
			if !open {
				return
			}
			err = send()
		}
	}
}
