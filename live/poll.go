package live

import (
	"context"
	"sync/atomic"
	"time"
)

// Limits for sources that violate their contract.
const (
	grace     = 3 * time.Second // after the timeout, before a job is abandoned
	maxHung   = 3               // abandoned jobs that still run; at this many no other is started
	reopenAt  = 3               // consecutive failures, after which the source is reopened
	longSleep = time.Hour       // while there is nothing to do
)

// A poller is the work of a hub. All of it runs in one goroutine. The source runs in others, one at a time, so that it
// may hang.
type poller struct {
	h   *Hub
	src Source // nil while a job has it, and while it is closed
	job *job   // under way

	due      time.Time // of the next read
	started  time.Time // when the last read began
	misses   int       // consecutive reads without a device
	failures int       // consecutive reads that failed
	reopen   bool
	state    State // as watchers were told
}

// A job is a call of a source.
type job struct {
	began time.Time
	ended atomic.Bool // it has ended, or was abandoned
	done  chan outcome
}

// An outcome is the result of a job.
type outcome struct {
	src    Source // nil when it is closed
	frame  Frame
	err    error
	reopen bool
	read   bool // the job was a read
}

// run polls until the hub's context ends.
func (p *poller) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var done chan outcome
		if p.job != nil {
			done = p.job.done
		}
		select {
		case <-p.h.ctx.Done():
			p.stop()
			return
		case o := <-done:
			p.take(o)
		case <-p.h.wake:
		case <-timer.C:
		}
		timer.Reset(p.step(time.Now()))
	}
}

// step does what is due and returns the time until the next step.
func (p *poller) step(now time.Time) time.Duration {
	watching, until := p.h.audience()
	if p.job != nil && now.Sub(p.job.began) >= p.h.cfg.Timeout+grace {
		p.abandon(now)
	}
	if v := p.h.View(); v.State != p.state {
		p.state = v.State
		if v.State == Stale {
			p.h.publish(v)
		}
	}
	if !watching && !now.Before(until) {
		if p.job == nil && p.src != nil {
			p.start(now, closeJob)
		}
		if p.job == nil {
			return longSleep
		}
		return p.wait(now, p.due)
	}
	if early := p.started.Add(p.h.cfg.Interval); watching && p.misses == 0 && early.Before(p.due) {
		p.due = early // it was due at the longer interval without watchers
	}
	if p.job == nil && !now.Before(p.due) {
		p.read(now, watching)
	}
	next := p.due
	if !watching && until.Before(next) {
		next = until
	}
	return p.wait(now, next)
}

// wait is the time until the next thing to do: until next, or until the running job is abandoned, or until the view
// becomes stale.
func (p *poller) wait(now, next time.Time) time.Duration {
	if p.job != nil {
		next = p.job.began.Add(p.h.cfg.Timeout + grace)
	}
	if v := p.h.shown.Load(); p.state == OK {
		if stale := v.Frame.Taken.Add(v.allowed() + 1); stale.Before(next) {
			next = stale
		}
	}
	return max(next.Sub(now), time.Millisecond)
}

// read starts a read and schedules the next.
func (p *poller) read(now time.Time, watching bool) {
	every := p.h.cfg.Interval
	if !watching {
		every = p.h.cfg.LingerInterval
	}
	if p.due = p.due.Add(every); !p.due.After(now) {
		p.due = now.Add(every)
	}
	if p.h.hung.Load() >= maxHung {
		return
	}
	p.started = now
	reopen := p.reopen
	p.reopen = false
	p.start(now, func(ctx context.Context, src Source) outcome {
		if reopen {
			closeSource(src)
			src = nil
		}
		o := p.h.attempt(ctx, src)
		o.read = true
		return o
	})
}

// start runs a job. The source of an abandoned job is closed when that ends.
func (p *poller) start(now time.Time, do func(context.Context, Source) outcome) {
	h, src := p.h, p.src
	j := &job{began: now, done: make(chan outcome, 1)}
	p.src, p.job = nil, j
	go func() {
		ctx, cancel := context.WithTimeout(h.ctx, h.cfg.Timeout)
		defer cancel()
		o := do(ctx, src)
		if j.ended.CompareAndSwap(false, true) {
			j.done <- o
			return
		}
		closeSource(o.src)
		h.hung.Add(-1)
	}()
}

// abandon leaves a hanging job alone. Another source will be opened.
func (p *poller) abandon(now time.Time) {
	j := p.job
	p.h.hung.Add(1)
	if !j.ended.CompareAndSwap(false, true) {
		p.h.hung.Add(-1)
		return // it has just ended
	}
	p.job = nil
	p.miss(now, context.DeadlineExceeded)
}

// take publishes the outcome of a job.
func (p *poller) take(o outcome) {
	p.job, p.src = nil, o.src
	if !o.read || p.h.ctx.Err() != nil {
		return
	}
	now := time.Now()
	if o.err != nil {
		p.reopen = o.reopen
		p.miss(now, o.err)
		return
	}
	v := p.h.shown.Load().read(o.frame)
	v.tried = now
	p.failures = 0
	if soon := o.frame.Reason == ReasonStarting || o.frame.Reason == ReasonAsleep; o.frame.Devices() == 0 && !soon {
		p.misses++
		p.due = now.Add(p.backoff())
	} else {
		p.misses = 0
		v := v.at(now)
		p.h.history.put(p.started, &o.frame, v.IsStale)
	}
	p.h.publish(v)
	p.state = v.at(now).State
}

// miss publishes a failed read.
func (p *poller) miss(now time.Time, err error) {
	p.misses++
	p.failures++
	p.reopen = p.reopen || p.failures%reopenAt == 0
	p.due = now.Add(p.backoff())
	v := p.h.shown.Load().failed(err)
	v.tried = now
	p.h.publish(v)
	p.state = v.at(now).State
}

// backoff is the wait after the misses so far; it doubles.
func (p *poller) backoff() time.Duration {
	return min(p.h.cfg.Interval<<min(p.misses-1, 20), p.h.cfg.MaxBackoff)
}

// stop ends the running job and closes the source.
func (p *poller) stop() {
	p.finish()
	if p.src != nil {
		p.start(time.Now(), closeJob)
		p.finish()
	}
}

// finish waits for the job, no longer than grace.
func (p *poller) finish() {
	if p.job == nil {
		return
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case o := <-p.job.done:
		p.job, p.src = nil, o.src
	case <-late.C:
		p.h.hung.Add(1)
		if p.job.ended.CompareAndSwap(false, true) {
			p.job = nil
			return
		}
		p.h.hung.Add(-1)
		o := <-p.job.done
		p.job, p.src = nil, o.src
	}
}

// closeJob closes the source.
func closeJob(_ context.Context, src Source) outcome {
	closeSource(src)
	return outcome{}
}
