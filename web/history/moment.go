package history

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/site"
)

// A moment is a past state, made when it is first asked for.
type moment struct {
	of
	snap *catalog.Snapshot // it is made of
	done chan struct{}     // is closed when it is made, or cannot be
	late time.Duration     // after which nobody waits any longer
	rest bool              // it is so much work that the next one has to wait
	made made
	err  error
}

// of is what tells past states apart.
type of struct {
	revision int64
	day      string
	sized    bool // with estimates, by the method of now
	bare     bool // without prices
}

// made is the site of a past state.
type made struct {
	handler http.Handler
	end     func()
	then    bool // it is of the revisions that were shown then, which are others than now
}

const (
	mostMoments  = 8       // past states kept: each has a page cache and the columns of its cards
	mostHeld     = 150_000 // cards and offers in all of them, unless one alone has more
	mostWaiting  = 4       // that are made in turn, or wait for it
	lightWork    = 60 * time.Millisecond
	soon         = 300 * time.Millisecond // how long an answer waits for more work than that
	likely       = 2 * time.Second        // for what is likely to be no more
	patience     = 20 * time.Second       // for what is no more, on a busy machine
	manyCards    = 2_000                  // of which to load earlier revisions is no light work
	longestPause = 5 * time.Second
)

// moment is a past state of a snapshot, which is being made or has been; what is much work is done beside the request,
// one after the other.
func (h *Handler) moment(s *catalog.Snapshot, what of) (*moment, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	what.revision = s.Revision
	at := slices.IndexFunc(h.past, func(m *moment) bool { return m.of == what })
	if at >= 0 {
		m := h.past[at]
		h.past = slices.Insert(slices.Delete(h.past, at, at+1), 0, m)
		return m, nil
	}
	m := &moment{of: what, snap: s, done: make(chan struct{}), late: patience}
	switch {
	case h.ctx.Err() != nil:
		return nil, errPreparing(what.day)
	case !h.inTurn(m):
		h.making.Go(func() { h.make(m) })
	case h.waiting >= mostWaiting:
		crowded := api.NewProblem(http.StatusServiceUnavailable,
			"The catalogues of several other days are being put together.")
		crowded.Message = "history.crowded"
		return nil, site.RetryError{Problem: crowded, After: 5 * time.Second}
	default:
		h.waiting++
		h.making.Go(func() { h.makeInTurn(m) })
	}
	h.past = slices.Insert(h.past, 0, m)
	h.forget()
	return m, nil
}

// forget lets go of what was not asked for for the longest time.
func (h *Handler) forget() {
	held := 0
	for i, m := range h.past {
		held += m.snap.Len()
		if !m.bare {
			held += len(m.snap.LatestPrices())
		}
		if i >= mostMoments || i > 0 && held > mostHeld {
			h.drop(h.past[i:])
			h.past = h.past[:i]
			return
		}
	}
}

// drop ends past states; requests under way are answered nevertheless.
func (h *Handler) drop(list []*moment) {
	for _, m := range list {
		h.making.Go(m.end)
	}
}

// inTurn reports whether a past state is so much work that it is made when no other is, and sets how long answers wait
// for it.
func (h *Handler) inTurn(m *moment) bool {
	if m.day == "" {
		return false
	}
	m.rest = m.snap.WorkAsOf(catalog.Date(m.day), !m.bare) > lightWork
	switch {
	case m.rest:
		m.late = soon
	case h.cfg.Then == nil || m.snap.Len() <= manyCards:
		return false
	default: // if its revisions were others, it is more work
		m.late = likely
	}
	return true
}

// makeInTurn makes a past state when no other is made, and rests as long afterwards: whoever asks for one day after the
// other has half of a processor at most.
func (h *Handler) makeInTurn(m *moment) {
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.waiting--
	}()
	select {
	case h.turn <- struct{}{}:
	case <-h.ctx.Done():
	}
	began := time.Now()
	h.make(m)
	switch {
	case h.ctx.Err() != nil:
	case !m.rest && !m.made.then:
		<-h.turn
	default:
		h.making.Go(func() {
			defer func() { <-h.turn }()
			select {
			case <-time.After(min(time.Since(began), longestPause)):
			case <-h.ctx.Done():
			}
		})
	}
}

// make makes a past state. One that failed is forgotten, as the next may not fail.
func (h *Handler) make(m *moment) {
	defer close(m.done)
	func() {
		defer func() {
			if v := recover(); v != nil { // no request is there to answer it
				m.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		m.made, m.err = h.madeOf(h.ctx, m)
	}()
	if _, early := errors.AsType[catalog.NotYetError](m.err); m.err == nil || early {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past = slices.DeleteFunc(h.past, func(other *moment) bool { return other == m })
}

// madeOf makes a past state.
func (h *Handler) madeOf(ctx context.Context, m *moment) (out made, err error) {
	if err := ctx.Err(); err != nil {
		return out, err
	}
	s := m.snap
	if m.day != "" {
		out.then, s, err = h.then(ctx, s, m.day)
		if err == nil && m.bare {
			s, err = s.CardsAsOf(catalog.Date(m.day))
		} else if err == nil {
			s, err = s.AsOf(ctx, catalog.Date(m.day))
		}
		if err != nil {
			return out, err
		}
	}
	out.handler, out.end = h.cfg.Make(s, m.day, m.sized)
	return out, nil
}

// then is the catalogue whose figures were shown on a day, at its end; whether it is another than that of now.
func (h *Handler) then(ctx context.Context, s *catalog.Snapshot, day string) (bool, *catalog.Snapshot, error) {
	now := h.site.Snapshot()
	if h.cfg.Then == nil || day >= h.site.Today() || now == nil || s.Revision != now.Revision || s.Len() > largestKept {
		return false, s, nil
	}
	begin, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return false, s, err
	}
	then, err := h.cfg.Then(ctx, begin.AddDate(0, 0, 1))
	if then == nil || err != nil {
		return false, s, err
	}
	return true, then, nil
}

// end ends the background work of a state, once it is made.
func (m *moment) end() {
	<-m.done
	if m.made.end != nil {
		m.made.end()
	}
}

// wait returns what is made. Who would wait for long is told to come again.
func (m *moment) wait(ctx context.Context) (made, error) {
	late := time.NewTimer(m.late)
	defer late.Stop()
	select {
	case <-m.done:
		if errors.Is(m.err, context.Canceled) { // the server ends
			return made{}, errPreparing(m.day)
		}
		return m.made, m.err
	case <-ctx.Done():
		return made{}, ctx.Err()
	case <-late.C:
		return made{}, errPreparing(m.day)
	}
}

// errPreparing: the catalogue of a day is not there yet.
func errPreparing(day string) error {
	p := api.NewProblem(http.StatusServiceUnavailable,
		"The catalogue as of %s is being put together, out of many cards or prices: ask again in a moment.", day)
	p.Message, p.Args = "history.preparing", []any{day}
	return site.RetryError{Problem: p, After: time.Second}
}

// ask asks a past state for an address.
func (m *moment) ask(ctx context.Context, target string) (asked site.Asked, then bool, err error) {
	built, err := m.wait(ctx)
	if early, ok := errors.AsType[catalog.NotYetError](err); ok {
		err = api.NewProblem(http.StatusNotFound, "There is no catalogue as of %s: it begins on %s.", m.day,
			early.First)
	}
	if err != nil {
		return asked, false, err
	}
	asked, err = site.AskOf(ctx, built.handler, nil, target)
	return asked, built.then, err
}

// Settle waits until what is being made is there.
func (h *Handler) Settle() {
	h.mu.Lock()
	list := slices.Clone(h.past)
	h.mu.Unlock()
	for _, m := range list {
		<-m.done
	}
}

// Close ends all past states.
func (h *Handler) Close() {
	h.end()
	h.mu.Lock()
	h.drop(h.past)
	h.past = nil
	h.mu.Unlock()
	h.making.Wait()
}
