// Package probe is a source whose readings are taken by a child process.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"tianti/live"
	"tianti/live/recording"
)

// Config configures a source. Only Command is required; the others have the defaults given here.
type Config struct {
	Source  string   // name of the source; nvml
	Command []string // the program and its arguments; it prints frames, see [recording.WriteFrame]

	Interval   time.Duration // between the frames of the program, which has to know it; 1 s
	Silence    time.Duration // without a frame, after which the process is killed; five intervals, 5 s at least
	Start      time.Duration // the same for the first frame, as drivers may have to wake cards; 30 s
	Wait       time.Duration // of Read for the first frame; 3 s
	Backoff    time.Duration // from the end of a process to the start of the next; 1 s. It doubles
	MaxBackoff time.Duration // limit of that; also the backoff after a first frame that is final; 30 s

	watch func(event) // hook of tests
}

func (c Config) withDefaults() Config {
	c.Source = cmp.Or(c.Source, "nvml")
	c.Interval = cmp.Or(c.Interval, time.Second)
	c.Silence = cmp.Or(c.Silence, max(5*c.Interval, 5*time.Second))
	c.Start = cmp.Or(c.Start, 30*time.Second)
	c.Wait = cmp.Or(c.Wait, 3*time.Second)
	c.Backoff = cmp.Or(c.Backoff, time.Second)
	c.MaxBackoff = max(cmp.Or(c.MaxBackoff, 30*time.Second), c.Backoff)
	if c.watch == nil {
		c.watch = func(event) {}
	}
	return c
}

// An event of a process: "started", "frame", "ended".
type event struct {
	name string
	pid  int
}

// A Source is a [live.Source] whose readings are taken by a child process. A driver can hang, and its library can end
// the process that has loaded it: here that is only the child. It is killed when it is silent, and started again with
// an increasing backoff.
//
// A frame with a reason and without devices is final: the child may end after it.
type Source struct {
	cfg Config

	mu      sync.Mutex
	cancel  context.CancelFunc // nil before the first Read
	done    chan struct{}      // closed when the process and its goroutines have ended
	changed chan struct{}      // closed and replaced when a field below changes
	frame   live.Frame         // the newest; Taken is zero before the first
	failure *live.SourceError  // why there is none newer
	closed  bool
}

// New returns a source. The first Read starts the process.
func New(cfg Config) *Source {
	return &Source{cfg: cfg.withDefaults(), changed: make(chan struct{}), done: make(chan struct{})}
}

// Name is the one of the configuration.
func (s *Source) Name() string { return s.cfg.Source }

// Read returns the newest frame, with a reason when the process has failed since. It waits only for the first frame, no
// longer than Wait; then the reason is "starting". When the process fails before its first frame, the error is a
// [*live.SourceError].
func (s *Source) Read(ctx context.Context) (live.Frame, error) {
	late := time.NewTimer(s.cfg.Wait)
	defer late.Stop()
	for {
		f, changed, err := s.newest()
		if err != nil || changed == nil {
			return f, err
		}
		select {
		case <-changed:
		case <-late.C:
			return live.Frame{Source: s.cfg.Source, Taken: time.Now(), Reason: live.ReasonStarting}, nil
		case <-ctx.Done():
			return live.Frame{}, ctx.Err()
		}
	}
}

// newest is the result of Read. While there is none, changed is not nil.
func (s *Source) newest() (f live.Frame, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return live.Frame{}, nil, os.ErrClosed
	case s.cancel == nil:
		var ctx context.Context
		ctx, s.cancel = context.WithCancel(context.Background())
		go s.supervise(ctx)
		return live.Frame{}, s.changed, nil
	case s.frame.Taken.IsZero() && s.failure == nil:
		return live.Frame{}, s.changed, nil
	case s.frame.Taken.IsZero():
		return live.Frame{}, nil, s.failure
	}
	f = s.frame
	if s.failure != nil && f.Devices() > 0 {
		f.Reason, f.Detail = s.failure.Reason, s.failure.Detail
	}
	return f, nil, nil
}

// closeWait is how long Close waits for a killed process. One that hangs in the kernel may not end.
const closeWait = 3 * time.Second

// Close ends the process and waits for its end.
func (s *Source) Close() error {
	s.mu.Lock()
	started := s.cancel != nil
	if started {
		s.cancel()
	}
	s.closed = true
	s.notify()
	s.mu.Unlock()
	if !started {
		return nil
	}
	late := time.NewTimer(closeWait)
	defer late.Stop()
	select {
	case <-s.done:
		return nil
	case <-late.C:
		return fmt.Errorf("the process of %s does not end: it hangs in the driver", s.cfg.Source)
	}
}

// notify wakes waiting readers. The caller holds the lock.
func (s *Source) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// supervise runs one process after another until ctx ends. It is locked to its thread, as Linux signals the death of
// the parent (PR_SET_PDEATHSIG) when the thread ends that started the process.
func (s *Source) supervise(ctx context.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(s.done)
	wait := s.cfg.Backoff
	for ctx.Err() == nil {
		began := time.Now()
		c := &child{source: s}
		s.fail(c.run(ctx))
		s.cfg.watch(event{name: "ended"})
		switch {
		case c.final && !c.worked:
			wait = s.cfg.MaxBackoff
		case time.Since(began) > 2*s.cfg.MaxBackoff:
			wait = s.cfg.Backoff // it has worked for a while
		}
		pause(ctx, wait)
		wait = min(2*wait, s.cfg.MaxBackoff)
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func (s *Source) fail(failure *live.SourceError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = failure
	s.notify()
}

func (s *Source) take(f live.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame, s.failure = f, nil
	s.notify()
}

// A child is one run of the process.
type child struct {
	source *Source
	stderr tail
	bad    error // the last line that was no frame
	bads   int   // consecutive lines of that kind
	worked bool  // it has given devices
	final  bool  // its last frame was final; if it had worked, the driver was replaced, and the next child may work
}

// Causes for killing the process.
var (
	errSilent  = errors.New("it was silent for too long")
	errGarbage = errors.New("it prints no frames")
)

// silent is the detail of a process that was killed for its silence.
const silent = "the process that reads the driver was silent and has been stopped"

// maxBad is the limit for consecutive lines that are no frames.
const maxBad = 100

// run starts the process, takes its frames, and returns why it ended. The process and its goroutines have ended then.
func (c *child) run(ctx context.Context) *live.SourceError {
	cfg := &c.source.cfg
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(cfg.Start, func() {
		cancel(errSilent)
		// At once, as a process that hangs in the kernel may not end.
		c.source.fail(&live.SourceError{Reason: live.ReasonTimeout, Detail: silent})
	})
	defer watchdog.Stop()

	cmd := exec.CommandContext(ctx, cfg.Command[0], cfg.Command[1:]...)
	cmd.SysProcAttr = diesWithParent()
	cmd.WaitDelay = time.Second // for descendants that hold its pipes open
	frames, out := io.Pipe()
	cmd.Stdout, cmd.Stderr = out, &c.stderr
	stdin, err := cmd.StdinPipe() // the child ends when it is closed
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return &live.SourceError{Reason: live.ReasonFailed, Detail: live.OneLine(err.Error())}
	}
	cfg.watch(event{"started", cmd.Process.Pid})
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(frames, watchdog, cancel)
	}()
	err = cmd.Wait()
	out.Close()
	<-read
	stdin.Close()
	return c.failure(err, context.Cause(ctx))
}

// read takes frames until the end of the output. Lines that are no frames do not reset the watchdog.
func (c *child) read(from io.Reader, watchdog *time.Timer, kill context.CancelCauseFunc) {
	for r := recording.NewReader(from); ; {
		f, err := r.Next()
		if _, ok := errors.AsType[*recording.LineError](err); ok {
			c.bad = err
			if c.bads++; c.bads == maxBad {
				kill(errGarbage)
			}
			continue
		}
		if err != nil {
			return
		}
		watchdog.Reset(c.source.cfg.Silence)
		c.bads = 0
		c.worked = c.worked || f.Devices() > 0
		c.final = f.Reason != "" && f.Devices() == 0
		c.source.take(f)
		c.source.cfg.watch(event{name: "frame"})
	}
}

// failure is the reason for the end of the process, with its last line on standard error.
func (c *child) failure(err, cause error) *live.SourceError {
	said := c.stderr.lastLine()
	if said == "" && c.bad != nil {
		said = "its " + c.bad.Error()
	}
	what := "the process that reads the driver has ended"
	reason := live.ReasonFailed
	switch {
	case errors.Is(cause, errSilent):
		reason, what = live.ReasonTimeout, silent
	case errors.Is(cause, errGarbage):
		what = "what should read the driver prints something else and has been stopped"
	case err != nil:
		what += ": " + err.Error()
	}
	if said != "" {
		what += ": " + said
	}
	return &live.SourceError{Reason: reason, Detail: live.OneLine(what)}
}

// A tail is a writer that keeps the last tailSize bytes.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 4 << 10

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b[max(0, len(b)-tailSize):]...)
	t.buf = append(t.buf[:0], t.buf[max(0, len(t.buf)-tailSize):]...)
	return len(b), nil
}

// lastLine is the last line that is not empty, "" without one.
func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.buf))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
