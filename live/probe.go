package live

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
)

// ProbeConfig says how a probe runs its process. Only Command must be given.
type ProbeConfig struct {
	Source  string   // name of the source; nvml
	Command []string // the program and its arguments: it prints frames as lines, see [WriteFrame]

	Interval   time.Duration // at which it prints them; 1 s. The command has to know it
	Silence    time.Duration // after which it is killed; five intervals, 5 s at least
	Start      time.Duration // for the first frame, instead: drivers may have to wake cards; 30 s
	Wait       time.Duration // of Read for that frame; 3 s
	Backoff    time.Duration // from the end of a process to the next; 1 s. It doubles
	MaxBackoff time.Duration // up to this, and is this when the first frame was final; 30 s

	watch func(probeEvent) // of tests
}

func (c ProbeConfig) withDefaults() ProbeConfig {
	c.Source = cmp.Or(c.Source, "nvml")
	c.Interval = cmp.Or(c.Interval, time.Second)
	c.Silence = cmp.Or(c.Silence, max(5*c.Interval, 5*time.Second))
	c.Start = cmp.Or(c.Start, 30*time.Second)
	c.Wait = cmp.Or(c.Wait, 3*time.Second)
	c.Backoff = cmp.Or(c.Backoff, time.Second)
	c.MaxBackoff = max(cmp.Or(c.MaxBackoff, 30*time.Second), c.Backoff)
	if c.watch == nil {
		c.watch = func(probeEvent) {}
	}
	return c
}

// A probeEvent is what happens to a process: it was started, gave a frame, ended.
type probeEvent struct {
	name string
	pid  int
}

// A Probe is a source whose readings are taken by a process of its own. Drivers
// hang, and libraries end the process that has loaded them: here that is the child,
// which is killed when it is silent, and started again, ever more rarely.
//
// A frame without devices and with a reason is final: the child may end after it.
type Probe struct {
	cfg ProbeConfig

	mu      sync.Mutex
	cancel  context.CancelFunc // nil until it was first read
	done    chan struct{}      // closed when nothing is left
	changed chan struct{}      // closed, and another, with each of the following
	frame   Frame              // the newest; Taken is zero before the first
	trouble *probeError        // why there is none newer
	closed  bool
}

// A probeError is why a probe has nothing to show. Reason is a key of live.reason.
type probeError struct{ reason, detail string }

func (e *probeError) Error() string  { return cmp.Or(e.detail, e.reason) }
func (e *probeError) Reason() string { return e.reason }

// NewProbe returns a probe. The process is started by the first Read.
func NewProbe(cfg ProbeConfig) *Probe {
	return &Probe{cfg: cfg.withDefaults(), changed: make(chan struct{}), done: make(chan struct{})}
}

// Name is the source's.
func (p *Probe) Name() string { return p.cfg.Source }

// Read returns the newest frame; with a reason when the process that should have
// given a newer one has failed. It waits only for the first, and not for long: then
// the reason is "starting". Without any frame the error says why.
func (p *Probe) Read(ctx context.Context) (Frame, error) {
	late := time.NewTimer(p.cfg.Wait)
	defer late.Stop()
	for {
		f, changed, err := p.newest()
		if err != nil || changed == nil {
			return f, err
		}
		select {
		case <-changed:
		case <-late.C:
			return Frame{Source: p.cfg.Source, Taken: time.Now(), Reason: ReasonStarting}, nil
		case <-ctx.Done():
			return Frame{}, ctx.Err()
		}
	}
}

// newest is what there is to return; changed is not nil when there is nothing yet.
func (p *Probe) newest() (f Frame, changed <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return Frame{}, nil, os.ErrClosed
	case p.cancel == nil:
		var ctx context.Context
		ctx, p.cancel = context.WithCancel(context.Background())
		go p.supervise(ctx)
		return Frame{}, p.changed, nil
	case p.frame.Taken.IsZero() && p.trouble == nil:
		return Frame{}, p.changed, nil
	case p.frame.Taken.IsZero():
		return Frame{}, nil, p.trouble
	}
	f = p.frame
	if p.trouble != nil && f.Devices() > 0 {
		f.Reason, f.Detail = p.trouble.reason, p.trouble.detail
	}
	return f, nil, nil
}

// closeWait is how long Close waits for a process that was killed: one that hangs
// in the kernel ends only when that lets go of it.
const closeWait = 3 * time.Second

// Close ends the process and waits for its end.
func (p *Probe) Close() error {
	p.mu.Lock()
	started := p.cancel != nil
	if started {
		p.cancel()
	}
	p.closed = true
	p.notify()
	p.mu.Unlock()
	if !started {
		return nil
	}
	late := time.NewTimer(closeWait)
	defer late.Stop()
	select {
	case <-p.done:
		return nil
	case <-late.C:
		return fmt.Errorf("the process of %s does not end: it hangs in the driver", p.cfg.Source)
	}
}

// notify wakes whoever waits. The caller holds the lock.
func (p *Probe) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// supervise runs one process after another until ctx ends. It keeps its thread: the
// kernel takes the end of the thread that started a process for the parent's.
func (p *Probe) supervise(ctx context.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	wait := p.cfg.Backoff
	for ctx.Err() == nil {
		began := time.Now()
		c := &child{probe: p}
		trouble := c.run(ctx)
		p.fail(trouble)
		p.cfg.watch(probeEvent{name: "ended"})
		switch {
		case c.final && !c.worked:
			wait = p.cfg.MaxBackoff
		case time.Since(began) > 2*p.cfg.MaxBackoff:
			wait = p.cfg.Backoff // it did well
		}
		pause(ctx, wait)
		wait = min(2*wait, p.cfg.MaxBackoff)
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

func (p *Probe) fail(trouble *probeError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble = trouble
	p.notify()
}

func (p *Probe) take(f Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frame, p.trouble = f, nil
	p.notify()
}

// A child is one run of a probe's process.
type child struct {
	probe  *Probe
	stderr tail
	bad    error // a line that was no frame, the last
	bads   int   // such lines one after another
	worked bool  // it had devices
	final  bool  // it said that there is nothing to read; after it worked, another may: the driver was replaced
}

// Causes for which a process is killed.
var (
	errSilent  = errors.New("it was silent for too long")
	errGarbage = errors.New("it prints no frames")
)

// silent is what is said of a process that was killed for its silence.
const silent = "the process that reads the driver was silent and has been stopped"

// maxBad is how many lines that are no frames a process may print one after another.
const maxBad = 100

// run starts the process, takes its frames, and returns how it ended. Nothing of it
// is left then.
func (c *child) run(ctx context.Context) *probeError {
	cfg := &c.probe.cfg
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(cfg.Start, func() {
		cancel(errSilent)
		c.probe.fail(&probeError{ReasonTimeout, silent}) // its end may take for ever: in the kernel
	})
	defer watchdog.Stop()

	cmd := exec.CommandContext(ctx, cfg.Command[0], cfg.Command[1:]...)
	cmd.SysProcAttr = diesWithParent()
	cmd.WaitDelay = time.Second // for pipes that others hold
	frames, out := io.Pipe()
	cmd.Stdout, cmd.Stderr = out, &c.stderr
	stdin, err := cmd.StdinPipe() // its end is our end
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return &probeError{ReasonFailed, oneLine(err.Error())}
	}
	cfg.watch(probeEvent{"started", cmd.Process.Pid})
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(frames, watchdog, cancel)
	}()
	err = cmd.Wait()
	out.Close()
	<-read
	stdin.Close()
	return c.trouble(err, context.Cause(ctx))
}

// read takes frames until the process prints no more. Lines that are none are no
// sign of life.
func (c *child) read(from io.Reader, watchdog *time.Timer, kill context.CancelCauseFunc) {
	for r := NewReader(from); ; {
		f, err := r.Next()
		if _, ok := errors.AsType[*LineError](err); ok {
			c.bad = err
			if c.bads++; c.bads == maxBad {
				kill(errGarbage)
			}
			continue
		}
		if err != nil {
			return
		}
		watchdog.Reset(c.probe.cfg.Silence)
		c.bads = 0
		c.worked = c.worked || f.Devices() > 0
		c.final = f.Reason != "" && f.Devices() == 0
		c.probe.take(f)
		c.probe.cfg.watch(probeEvent{name: "frame"})
	}
}

// trouble is how the process ended, in one line.
func (c *child) trouble(err, cause error) *probeError {
	said := c.stderr.lastLine()
	if said == "" && c.bad != nil {
		said = "its " + c.bad.Error()
	}
	what := "the process that reads the driver has ended"
	reason := ReasonFailed
	switch {
	case errors.Is(cause, errSilent):
		reason, what = ReasonTimeout, silent
	case errors.Is(cause, errGarbage):
		what = "what should read the driver prints something else and has been stopped"
	case err != nil:
		what += ": " + err.Error()
	}
	if said != "" {
		what += ": " + said
	}
	return &probeError{reason, oneLine(what)}
}

// A tail keeps the end of what is written to it.
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

// lastLine is the last line that is not empty.
func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.buf))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
