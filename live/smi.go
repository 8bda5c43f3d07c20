package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// SMIConfig says how nvidia-smi is run. Nothing need be given.
type SMIConfig struct {
	Path    string        // a name is looked for as shells do; "nvidia-smi"
	Host    string        // the name of this host
	Timeout time.Duration // after which the program is killed; 4 s
	Refresh time.Duration // reads that come sooner get the last answer; 5 s
	Now     func() time.Time
}

// SMI reads the cards of this host with the program nvidia-smi, where the library
// cannot be linked. It tells less, and each time starts a program that asks the
// driver anew, so that it is asked rarely.
type SMI struct {
	cfg    SMIConfig
	path   string
	fields []string // those that this nvidia-smi knows, as far as is known

	turn    chan struct{} // held by the one who reads, and by a program that cannot be killed
	tried   time.Time
	last    Frame
	lastErr error
}

// smiFields is what is asked for. Fields that older programs do not know are left
// out, or asked for by their older names.
var smiFields = []string{
	"index", "uuid", "name", "driver_version", "serial", "pci.bus_id", "pci.device_id", "pci.sub_device_id", "compute_cap", "mig.mode.current",
	"utilization.gpu", "utilization.encoder", "utilization.decoder", "memory.total", "memory.reserved", "memory.used",
	"power.draw", "enforced.power.limit", "power.default_limit", "temperature.gpu", "temperature.memory", "fan.speed", "pstate",
	"clocks.current.sm", "clocks.current.memory", "clocks.max.sm", "clocks.max.memory", "clocks_event_reasons.active",
	"pcie.link.gen.current", "pcie.link.width.current", "pcie.link.gen.max", "pcie.link.width.max",
	"ecc.errors.uncorrected.volatile.total",
}

// NewSMI finds the program; the error says where there is none.
func NewSMI(c SMIConfig) (*SMI, error) {
	path, err := exec.LookPath(cmp.Or(c.Path, "nvidia-smi"))
	if err != nil {
		return nil, fmt.Errorf("nvidia-smi: %w", err)
	}
	c.Timeout = orDuration(c.Timeout, 4*time.Second)
	c.Refresh = orDuration(c.Refresh, 5*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Host == "" {
		c.Host, _ = os.Hostname()
	}
	return &SMI{cfg: c, path: path, fields: smiFields, turn: make(chan struct{}, 1)}, nil
}

// Name is "nvidia-smi".
func (s *SMI) Name() string { return "nvidia-smi" }

// Close does nothing: what runs ends by itself.
func (s *SMI) Close() error { return nil }

// Read runs the program, at most once in the refresh time; sooner it returns the last
// frame, or error, again. Frames are shared: callers do not change them.
func (s *SMI) Read(ctx context.Context) (Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return Frame{}, fmt.Errorf("%s, run earlier, has not ended: %w", s.path, ctx.Err())
	}
	type result struct {
		frame Frame
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-s.turn }()
		f, err := s.paced(ctx)
		done <- result{f, err}
	}()
	select {
	case r := <-done:
		return r.frame, r.err
	case <-ctx.Done():
	}
	select { // the program has been killed, which a driver that hangs may prevent
	case r := <-done:
		return r.frame, r.err
	case <-time.After(time.Second):
		return Frame{}, fmt.Errorf("%s cannot be killed: %w", s.path, ctx.Err())
	}
}

func (s *SMI) paced(ctx context.Context) (Frame, error) {
	now := s.cfg.Now()
	if age := now.Sub(s.tried); !s.tried.IsZero() && age >= 0 && age < s.cfg.Refresh*9/10 {
		return s.last, s.lastErr
	}
	frame, err := s.read(ctx)
	if errors.Is(err, context.Canceled) {
		return Frame{}, err // the caller's doing
	}
	frame.readEvery(s.cfg.Refresh)
	s.tried, s.last, s.lastErr = now, frame, err
	return frame, err
}

// read runs the program until it knows all fields that it is asked for.
func (s *SMI) read(ctx context.Context) (Frame, error) {
	for {
		out, err := s.run(ctx)
		if field := unknownField(out); err != nil && field != "" && s.forget(field) {
			continue
		}
		if err != nil {
			return s.failed(ctx, out, err)
		}
		return s.parse(out)
	}
}

// maxSMIOutput is how much of what the program says is read.
const maxSMIOutput = 1 << 20

func (s *SMI) run(ctx context.Context) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.path, "--query-gpu="+strings.Join(s.fields, ","), "--format=csv")
	var out cappedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 500 * time.Millisecond // for children that keep the pipe open
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s does not answer: %w", s.path, ctx.Err())
	case out.full:
		return nil, errAnswerTooLong
	}
	return out.b.Bytes(), err
}

// cappedBuffer takes no more than a program of that kind should say.
type cappedBuffer struct {
	b    bytes.Buffer
	full bool
}

func (c *cappedBuffer) Write(p []byte) (int, error) {
	if c.full = c.full || c.b.Len()+len(p) > maxSMIOutput; c.full {
		return 0, errAnswerTooLong
	}
	return c.b.Write(p)
}

var unknownFieldText = regexp.MustCompile(`Field "([^"]+)" is not a valid field to query`)

func unknownField(out []byte) string {
	if m := unknownFieldText.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	return ""
}

// forget leaves a field out, or takes its older name; false when it is not asked for.
func (s *SMI) forget(field string) bool {
	i := slices.Index(s.fields, field)
	if i < 0 || len(s.fields) == 1 {
		return false
	}
	s.fields = slices.Clone(s.fields)
	if field == "clocks_event_reasons.active" {
		s.fields[i] = "clocks_throttle_reasons.active"
	} else {
		s.fields = slices.Delete(s.fields, i, i+1)
	}
	return true
}

// smiTroubles are what the program says when it cannot say more, and its exit codes.
var smiTroubles = []struct {
	code   int
	text   string
	reason string
}{
	{9, "couldn't communicate with the NVIDIA driver", "no-driver"},
	{6, "No devices were found", ReasonNoDevice},
	{4, "Insufficient Permissions", "no-permission"},
	{12, "shared library", "no-library"},
	{18, "Driver/library version mismatch", "version-mismatch"},
}

// failed says why the program failed.
func (s *SMI) failed(ctx context.Context, out []byte, err error) (Frame, error) {
	if ctx.Err() != nil {
		return Frame{}, err
	}
	said := oneLine(string(out))
	var exit *exec.ExitError
	errors.As(err, &exit)
	for _, t := range smiTroubles {
		if strings.Contains(said, t.text) || exit != nil && exit.ExitCode() == t.code {
			return Frame{}, &probeError{t.reason, cmp.Or(said, err.Error())}
		}
	}
	return Frame{}, fmt.Errorf("%s: %w: %s", s.path, err, said)
}

func (s *SMI) parse(out []byte) (Frame, error) {
	reader := newSMIReader(bytes.NewReader(out))
	var rows []*smiRow
	for {
		row, err := reader.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && strings.Contains(string(out), "No devices were found") {
			return Frame{}, &probeError{ReasonNoDevice, oneLine(string(out))}
		}
		if err != nil {
			return Frame{}, fmt.Errorf("%s: %w", s.path, err)
		}
		rows = append(rows, row)
	}
	frame := smiFrame(s.cfg.Host, s.cfg.Now(), rows)
	if len(rows) == 0 {
		frame.Reason = ReasonNoDevice
	}
	return frame, nil
}
