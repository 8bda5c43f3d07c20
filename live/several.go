package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// ReasonPartly is the reason when some of several sources fail; the detail says which.
const ReasonPartly = "partly"

// Limits for the sources of [Several].
const (
	readWait      = 800 * time.Millisecond // for a source that has answered before
	firstReadWait = 3 * time.Second        // for one that has not; a read that takes longer is reported as a timeout
	readTimeout   = 10 * time.Second       // of the read of one source
	lastFrameFor  = 5 * time.Minute        // a source's last frame is shown after it fails
)

// several merges sources.
type several struct {
	parts  []*part
	cancel context.CancelFunc
	ctx    context.Context
	reads  sync.WaitGroup
}

// A part is one of several sources and its state.
type part struct {
	src Source

	mu      sync.Mutex
	reading chan struct{} // closed when the running read has ended; nil when there is none
	began   time.Time     // the running read
	known   bool          // it has answered
	last    Frame
	err     error // of the last read
}

// Several merges the devices of several sources. A device that several of them have is taken from the first, so put the
// best first. A source that fails or hangs does not delay the others: its last readings are shown with their age, for
// some minutes.
func Several(sources ...Source) Source {
	s := new(several)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, src := range sources {
		s.parts = append(s.parts, &part{src: src})
	}
	return s
}

// Name implements [Source].
func (s *several) Name() string {
	var names []string
	for _, p := range s.parts {
		names = append(names, p.src.Name())
	}
	return strings.Join(names, "+")
}

// Read reads all sources concurrently. It fails when all of them do.
func (s *several) Read(ctx context.Context) (Frame, error) {
	wait := readWait
	for _, p := range s.parts {
		if !s.begin(p) {
			wait = firstReadWait
		}
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	waiting := true
	for _, p := range s.parts {
		done := p.running()
		if !waiting || done == nil {
			continue
		}
		select {
		case <-done:
		case <-late.C:
			waiting = false
		case <-ctx.Done():
			waiting = false
		}
	}
	if err := s.ctx.Err(); err != nil {
		return Frame{}, err
	}
	return s.merge(time.Now())
}

// begin starts a read, unless one is running. It reports whether the source has answered before.
func (s *several) begin(p *part) (known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reading != nil || s.ctx.Err() != nil {
		return p.known
	}
	done := make(chan struct{})
	p.reading, p.began = done, time.Now()
	s.reads.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, readTimeout)
		defer cancel()
		f, err := readSafely(ctx, p.src)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.err = err; err == nil {
			p.last = sanitize(f, time.Now(), 1<<20)
		}
		p.reading, p.known = nil, true
		close(done)
	})
	return p.known
}

// readSafely reads; a panic becomes an error.
func readSafely(ctx context.Context, src Source) (f Frame, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the source panicked: %v", v)
		}
	}()
	return src.Read(ctx)
}

// running is closed when the running read ends; nil when there is none.
func (p *part) running() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reading
}

// now is the last frame of a source, and the error of its last read. A frame that is too old is the zero frame.
func (p *part) now(now time.Time) (Frame, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.err
	if p.reading != nil && now.Sub(p.began) >= firstReadWait {
		err = context.DeadlineExceeded
	}
	if now.Sub(p.last.Taken) > lastFrameFor {
		return Frame{}, err
	}
	return p.last, err
}

// merge makes one frame of the last ones of all sources.
func (s *several) merge(now time.Time) (Frame, error) {
	out := Frame{Source: s.Name()}
	var errs []error
	seen, alive, fresh := map[string]bool{}, false, false // fresh: a source with devices has been read now
	for _, p := range s.parts {
		f, err := p.now(now)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.src.Name(), err))
		}
		if f.Taken.IsZero() {
			continue
		}
		alive = alive || err == nil && f.Reason == "" // a library that is not here is no source that was read
		fresh = fresh || err == nil && f.Devices() > 0
		out.add(f, now, seen)
	}
	// All devices that there are are of a source that fails: what is known of them gets old.
	if len(errs) > 0 && (!alive || out.Devices() > 0 && !fresh) {
		return Frame{}, errors.Join(errs...)
	}
	if len(errs) > 0 {
		out.Reason, out.Detail = ReasonPartly, OneLine(errors.Join(errs...).Error())
	}
	return out, nil
}

// add appends the devices of another frame that are not in seen. Their readings get the timestamp of their frame.
func (f *Frame) add(other Frame, now time.Time, seen map[string]bool) {
	if other.Taken.After(f.Taken) {
		f.Taken = other.Taken
	}
	// The reason why one source has no device counts only when no source has any.
	here, there := len(f.Hosts) > 0, other.Devices() > 0
	if !here && there || f.Reason == "" && here == there {
		f.Reason, f.Detail = other.Reason, other.Detail
	}
	for _, h := range other.Hosts {
		var devices []Device
		for _, d := range h.Devices {
			if seen[d.UUID] {
				continue
			}
			seen[d.UUID] = true
			d.Readings = stamped(d.Readings, other.Taken)
			devices = append(devices, d)
		}
		if len(devices) == 0 {
			continue
		}
		h.Devices = devices
		f.addHost(h)
	}
}

// addHost adds a host, or its devices to one of the same name.
func (f *Frame) addHost(h Host) {
	i := slices.IndexFunc(f.Hosts, func(x Host) bool { return x.Name == h.Name })
	if i < 0 {
		f.Hosts = append(f.Hosts, h)
		return
	}
	have := &f.Hosts[i]
	have.Devices = append(have.Devices, h.Devices...)
	have.Every = max(have.Every, h.Every)
	have.Driver, have.Runtime = cmp.Or(have.Driver, h.Driver), cmp.Or(have.Runtime, h.Runtime)
}

// stamped is readings with timestamps; taken is for those that have none.
func stamped(readings map[Metric]Reading, taken time.Time) map[Metric]Reading {
	out := make(map[Metric]Reading, len(readings))
	for m, r := range readings {
		if r.Taken.IsZero() {
			r.Taken = taken
		}
		out[m] = r
	}
	return out
}

// Close cancels running reads and closes all sources.
func (s *several) Close() error {
	s.cancel()
	ended := make(chan struct{})
	go func() { s.reads.Wait(); close(ended) }()
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C: // closing the source may end the read
	}
	var errs []error
	for _, p := range s.parts {
		if err := p.src.Close(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.src.Name(), err))
		}
	}
	return errors.Join(errs...)
}
