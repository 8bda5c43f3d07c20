package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// HubConfig configures a hub. Only Open is required; the others have the defaults given here.
type HubConfig struct {
	// Open opens the source. It is called when there are watchers and the source is closed: at first, after a time
	// without watchers, after failures. The hub owns the frames that it reads.
	Open func() (Source, error)

	Interval       time.Duration // between reads while there are watchers; 1 s
	Linger         time.Duration // polling goes on for so long after the last watcher; 60 s
	LingerInterval time.Duration // between those reads; 10 s
	Timeout        time.Duration // of a read; 5 s
	MaxBackoff     time.Duration // between reads that fail or bring no device; 30 s
	MaxDevices     int           // that are shown; 4096. A quarter of them has a history
}

func (c HubConfig) withDefaults() HubConfig {
	c.Interval = cmp.Or(c.Interval, time.Second)
	c.Linger = cmp.Or(c.Linger, time.Minute)
	c.LingerInterval = max(cmp.Or(c.LingerInterval, 10*time.Second), c.Interval)
	c.Timeout = cmp.Or(c.Timeout, 5*time.Second)
	c.MaxBackoff = max(cmp.Or(c.MaxBackoff, 30*time.Second), c.Interval)
	c.MaxDevices = cmp.Or(c.MaxDevices, 4096)
	return c
}

// A Hub polls a source for all watchers together, so that many cost no more reads than one, and keeps a history of the
// last minutes. Without watchers it polls at a longer interval, then stops and closes the source. Failures of the
// source do not end it.
//
// Its methods are safe for concurrent use.
type Hub struct {
	cfg     HubConfig
	history *history
	shown   atomic.Pointer[View]
	hung    atomic.Int32 // abandoned jobs that still run

	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{} // signalled when the first watcher comes
	done   chan struct{} // closed when the hub has ended

	mu       sync.Mutex
	watchers map[*Watcher]struct{}
	watched  bool      // there has been a watcher
	left     time.Time // when the last watcher went
	closed   bool
}

// NewHub returns a hub, which reads nothing until the first watcher. The caller closes it.
func NewHub(cfg HubConfig) *Hub {
	cfg = cfg.withDefaults()
	h := &Hub{
		cfg: cfg, history: newHistory(time.Now(), cfg.Interval, max(1, cfg.MaxDevices/4)),
		wake: make(chan struct{}, 1), done: make(chan struct{}), watchers: map[*Watcher]struct{}{},
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.shown.Store(&View{Reason: ReasonStarting, every: cfg.Interval})
	go func() {
		defer close(h.done)
		(&poller{h: h}).run()
	}()
	return h
}

// Close ends the hub and its watchers and closes the source. It waits no longer than some seconds for a source that
// hangs.
func (h *Hub) Close() error {
	h.cancel()
	<-h.done
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.closed = true
		for w := range h.watchers {
			close(w.c)
		}
		clear(h.watchers)
	}
	return nil
}

// View is the current view. It does not block and starts no read.
func (h *Hub) View() View { return h.shown.Load().at(time.Now()) }

// Devices is how many devices the current view has.
func (h *Hub) Devices() int { return h.shown.Load().Frame.Devices() }

// Fresh is a view that is not older than the interval. It waits for one until ctx ends. When the source fails, or has
// just reported no device, it returns the current view at once. The caller counts as a short-lived watcher.
func (h *Hub) Fresh(ctx context.Context) View {
	w := h.Subscribe()
	defer w.Close()
	first := h.View()
	if h.fresh(&first) {
		return first
	}
	for {
		select {
		case _, ok := <-w.C:
			if v := h.View(); !ok || v.tried.After(first.tried) {
				return v
			}
		case <-ctx.Done():
			return h.View()
		}
	}
}

// fresh reports whether waiting for another view would be in vain. Whether devices are asleep is always read again, as
// that costs nothing.
func (h *Hub) fresh(v *View) bool {
	since := v.Now.Sub(v.tried)
	switch {
	case v.State == OK:
		return v.Age < h.cfg.Interval || v.failing && since <= h.cfg.MaxBackoff
	case v.Reason == ReasonAsleep:
		return since < h.cfg.Interval
	case v.failing || v.State == Unavailable && v.Reason != ReasonStarting:
		return since <= h.cfg.MaxBackoff
	}
	return false
}

// Series is the history of a metric of a device: [HistoryPoints] points, oldest first, up to the last frame; NaN is a
// gap. It is nil without a history. The caller owns it.
func (h *Hub) Series(uuid string, m Metric) []float32 { return h.history.series(uuid, m) }

// Step is the time between two points of a series.
func (h *Hub) Step() time.Duration { return h.history.step }

// A Watcher makes a hub read until it is closed.
type Watcher struct {
	// C is signalled when the view has changed since the last signal was received. It is closed with the hub or the
	// watcher. A slow receiver misses views.
	C <-chan struct{}

	c   chan struct{}
	hub *Hub
}

// Subscribe returns a watcher. The caller closes it.
func (h *Hub) Subscribe() *Watcher {
	w := &Watcher{c: make(chan struct{}, 1), hub: h}
	w.C = w.c
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(w.c)
		return w
	}
	h.watchers[w] = struct{}{}
	h.watched = true
	if len(h.watchers) == 1 {
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
	return w
}

// Close ends the watcher; it may be called again.
func (w *Watcher) Close() {
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.watchers[w]; !ok {
		return
	}
	delete(h.watchers, w)
	close(w.c)
	h.left = time.Now()
}

// Watchers is the number of watchers.
func (h *Hub) Watchers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers)
}

// audience reports whether there are watchers; until is when polling ends if there are none.
func (h *Hub) audience() (watching bool, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.watched {
		return false, time.Time{}
	}
	return len(h.watchers) > 0, h.left.Add(h.cfg.Linger)
}

// publish sets the view and signals the watchers.
func (h *Hub) publish(v View) {
	v.Seq++
	h.shown.Store(&v)
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		select {
		case w.c <- struct{}{}:
		default: // the last signal is still pending
		}
	}
}

// attempt opens the source when it is closed, and reads. A panic becomes an error.
func (h *Hub) attempt(ctx context.Context, src Source) (o outcome) {
	o.src = src
	defer func() {
		if v := recover(); v != nil {
			o.err, o.reopen = fmt.Errorf("the source panicked: %v", v), true
		}
	}()
	if o.src == nil {
		if o.src, o.err = h.cfg.Open(); o.err == nil && o.src == nil {
			o.err = errors.New("there is no source")
		}
		if o.err != nil {
			return o
		}
	}
	if o.frame, o.err = o.src.Read(ctx); o.err == nil {
		o.frame = sanitize(o.frame, time.Now(), h.cfg.MaxDevices)
	}
	return o
}

// closeSource closes a source unless it is nil. Its error is ignored, as nothing could be done about it.
func closeSource(src Source) {
	defer func() { _ = recover() }()
	if src != nil {
		_ = src.Close()
	}
}
