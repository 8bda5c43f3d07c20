// Package nvidiasmi reads NVIDIA cards with the program nvidia-smi, and plays logs that it has written.
package nvidiasmi

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

	"tianti/live"
)

// Config configures a source. All fields are optional.
type Config struct {
	Path    string        // of the program, looked up in PATH; "nvidia-smi"
	Host    string        // the name of this host; that of the kernel
	Timeout time.Duration // of a run, after which the program is killed; 4 s
	Refresh time.Duration // a frame is cached for so long; 5 s
	Now     func() time.Time
}

func (c Config) withDefaults() Config {
	c.Path = cmp.Or(c.Path, "nvidia-smi")
	c.Timeout = cmp.Or(max(0, c.Timeout), 4*time.Second)
	c.Refresh = cmp.Or(max(0, c.Refresh), 5*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Host == "" {
		c.Host, _ = os.Hostname()
	}
	return c
}

// A Source is a [live.Source] of the cards of this host, where the driver's library cannot be used. It has fewer
// readings than the library. Each run starts a program that opens the driver again, so it runs rarely.
type Source struct {
	cfg    Config
	path   string
	fields []string // of queryFields, without those that this version has refused

	turn    chan struct{} // a lock that a context can leave; held by the reader and by a program that cannot be killed
	tried   time.Time     // when last and lastErr were read
	last    live.Frame
	lastErr error
}

// queryFields are those of --query-gpu. A field that an older version refuses is removed or renamed; see forget.
var queryFields = []string{
	"index", "uuid", "name", "driver_version", "serial", "pci.bus_id", "pci.device_id", "pci.sub_device_id",
	"compute_cap", "mig.mode.current", "utilization.gpu", "utilization.encoder", "utilization.decoder",
	"memory.total", "memory.reserved", "memory.used", "power.draw", "enforced.power.limit", "power.default_limit",
	"temperature.gpu", "temperature.memory", "fan.speed", "pstate", "clocks.current.sm", "clocks.current.memory",
	"clocks.max.sm", "clocks.max.memory", "clocks_event_reasons.active", "pcie.link.gen.current",
	"pcie.link.width.current", "pcie.link.gen.max", "pcie.link.width.max", "ecc.errors.uncorrected.volatile.total",
}

// New finds the program. Without one the error names the path.
func New(c Config) (*Source, error) {
	c = c.withDefaults()
	path, err := exec.LookPath(c.Path)
	if err != nil {
		return nil, fmt.Errorf("nvidia-smi: %w", err)
	}
	return &Source{cfg: c, path: path, fields: queryFields, turn: make(chan struct{}, 1)}, nil
}

// Name is "nvidia-smi".
func (s *Source) Name() string { return "nvidia-smi" }

// Close does nothing: a running program ends by itself.
func (s *Source) Close() error { return nil }

// Read runs the program, at most once in the refresh time; otherwise it returns the last frame or error again. Frames
// are shared and read-only.
func (s *Source) Read(ctx context.Context) (live.Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return live.Frame{}, fmt.Errorf("%s, run earlier, has not ended: %w", s.path, ctx.Err())
	}
	type result struct {
		frame live.Frame
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-s.turn }()
		f, err := s.cached(ctx)
		done <- result{f, err}
	}()
	select {
	case r := <-done:
		return r.frame, r.err
	case <-ctx.Done():
	}
	select { // the program has been killed; a driver that hangs can prevent its end
	case r := <-done:
		return r.frame, r.err
	case <-time.After(time.Second):
		return live.Frame{}, fmt.Errorf("%s cannot be killed: %w", s.path, ctx.Err())
	}
}

// cached returns the last result, or reads when it is too old.
func (s *Source) cached(ctx context.Context) (live.Frame, error) {
	now := s.cfg.Now()
	if age := now.Sub(s.tried); !s.tried.IsZero() && age >= 0 && age < s.cfg.Refresh*9/10 {
		return s.last, s.lastErr
	}
	frame, err := s.read(ctx)
	if errors.Is(err, context.Canceled) {
		return live.Frame{}, err // cancelled by the caller: not cached
	}
	frame.SetMinInterval(s.cfg.Refresh)
	s.tried, s.last, s.lastErr = now, frame, err
	return frame, err
}

// read runs the program until it accepts all fields.
func (s *Source) read(ctx context.Context) (live.Frame, error) {
	for {
		out, err := s.run(ctx)
		if field := unknownField(out); err != nil && field != "" && s.forget(field) {
			continue
		}
		if err != nil {
			return live.Frame{}, s.failure(ctx, out, err)
		}
		return s.parse(out)
	}
}

// maxOutput is the limit for the output of the program, in bytes.
const maxOutput = 1 << 20

var errOutputTooLong = errors.New("the answer is too long")

func (s *Source) run(ctx context.Context) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.path, "--query-gpu="+strings.Join(s.fields, ","), "--format=csv")
	var out cappedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 500 * time.Millisecond // for children that hold the pipe open
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s does not answer: %w", s.path, ctx.Err())
	case out.full:
		return nil, errOutputTooLong
	}
	return out.b.Bytes(), err
}

// cappedBuffer is a buffer of at most maxOutput bytes.
type cappedBuffer struct {
	b    bytes.Buffer
	full bool
}

func (c *cappedBuffer) Write(p []byte) (int, error) {
	if c.full = c.full || c.b.Len()+len(p) > maxOutput; c.full {
		return 0, errOutputTooLong
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

// forget removes a field, or replaces it by its older name; false when it is not among the fields.
func (s *Source) forget(field string) bool {
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

// knownFailures maps exit codes and messages of the program to reasons.
var knownFailures = []struct {
	code   int
	text   string
	reason string
}{
	{9, "couldn't communicate with the NVIDIA driver", "no-driver"},
	{6, "No devices were found", live.ReasonNoDevice},
	{4, "Insufficient Permissions", "no-permission"},
	{12, "shared library", "no-library"},
	{18, "Driver/library version mismatch", "version-mismatch"},
}

// failure is the error of a run that has failed with err.
func (s *Source) failure(ctx context.Context, out []byte, err error) error {
	if ctx.Err() != nil {
		return err
	}
	said := live.OneLine(string(out))
	var exit *exec.ExitError
	errors.As(err, &exit)
	for _, known := range knownFailures {
		if strings.Contains(said, known.text) || exit != nil && exit.ExitCode() == known.code {
			return &live.SourceError{Reason: known.reason, Detail: cmp.Or(said, err.Error())}
		}
	}
	return fmt.Errorf("%s: %w: %s", s.path, err, said)
}

func (s *Source) parse(out []byte) (live.Frame, error) {
	reader := newCSVReader(bytes.NewReader(out))
	var rows []*csvRow
	for {
		row, err := reader.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && strings.Contains(string(out), "No devices were found") {
			return live.Frame{}, &live.SourceError{Reason: live.ReasonNoDevice, Detail: live.OneLine(string(out))}
		}
		if err != nil {
			return live.Frame{}, fmt.Errorf("%s: %w", s.path, err)
		}
		rows = append(rows, row)
	}
	frame := frameOf(s.cfg.Host, s.cfg.Now(), rows)
	if len(rows) == 0 {
		frame.Reason = live.ReasonNoDevice
	}
	return frame, nil
}
