package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"tianti/cmd/tianti/internal/nvml"
	"tianti/live"
	"tianti/live/recording"
)

// liveProbeCmd is tianti live-probe.
type liveProbeCmd struct {
	Interval  time.Duration `placeholder:"TIME" default:"1s" help:"${interval_help} ${default} unless given."`
	Record    string        `placeholder:"FILE" help:"${record_help}"`
	Processes bool          `help:"Record the names and users of processes too."`
	Library   string        `placeholder:"PATH" help:"${library_help}"`
	Wake      bool          `help:"Wake cards that sleep. Without this, as long as all of them do, the lines say so."`
	Sys       string        `hidden:"" default:"/sys" help:"Where the kernel's files are, for tests."`
}

// probeHelp is the help of flags that is too long for their tags.
var probeHelp = kong.Vars{
	"interval_help": "From one line to the next, 100ms to 1h;",
	"record_help":   "Add the lines to this file as well, without the names and users of processes.",
	"library_help":  "The driver's library; libnvidia-ml.so.1, where the loader finds it, unless given.",
}

// Help is the manual of tianti live-probe.
func (liveProbeCmd) Help() string {
	return `Prints what the NVIDIA cards of this host are doing, one line of JSON at each
interval. The server runs it beside itself: drivers can hang, and this way they take
only this process with them. By hand it records readings, which the server plays with
--live replay:FILE:

    tianti live-probe --record busy.ndjson >/dev/null

A recording has the ids of the processes on the cards and the memory that they use,
and with --processes their names and users. Standard output has all of it.

Cards of laptops sleep while nothing uses them. They are left asleep, and read from
when something has woken them; with --wake they are woken. While they are read from
they stay awake.

It ends when whoever started it does: when its standard input is a pipe, and that is
closed. It also ends when there is nothing to read; the last line then has the reason
and the exit status says it once more:

  10  this build cannot read drivers: it was built with the tag nonvml, or not for Linux
      on amd64 or arm64
  11  the driver's library is not there, or is not usable
  12  the driver is not loaded
  13  library and driver are of different versions: the driver was just replaced
  14  there is no device
  15  the driver refuses this user
  16  the driver failed`
}

// probeStatuses are the exit statuses by the reason of a final frame.
var probeStatuses = map[string]int{
	nvml.NotLinked: 10, nvml.NoLibrary: 11, nvml.NoDriver: 12, nvml.VersionMismatch: 13, nvml.NoDevice: 14,
	nvml.NoPermission: 15,
}

const probeFailed = 16

// A probeEnd is a final frame as an error.
type probeEnd struct {
	frame live.Frame
}

func (e probeEnd) Error() string { return e.frame.Reason + ": " + e.frame.Detail }

// ExitStatus is the exit status of the process.
func (e probeEnd) ExitStatus() int { return cmp.Or(probeStatuses[e.frame.Reason], probeFailed) }

// Limits of an interval.
const (
	minInterval = 100 * time.Millisecond
	maxInterval = time.Hour
)

// validate is called by validMethod.
func (c *liveProbeCmd) validate() error {
	if c.Interval < minInterval || c.Interval > maxInterval {
		return fmt.Errorf("--interval is %v: want %v to %v", c.Interval, minInterval, maxInterval)
	}
	return nil
}

// Run prints frames until the end. It also ends while a driver hangs.
func (c *liveProbeCmd) Run(e *env) error {
	write := func(f live.Frame) error { return recording.WriteFrame(e.stdout, f) }
	if c.Record != "" {
		file, err := os.OpenFile(c.Record, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("--record: %w", err)
		}
		defer file.Close()
		write = func(f live.Frame) error { return errors.Join(c.record(file, f), recording.WriteFrame(e.stdout, f)) }
	}
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	whileOpen(os.Stdin, cancel)
	done := make(chan error, 1)
	go func() { done <- c.print(ctx, write) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done: // the last line is complete
		return err
	case <-time.After(time.Second):
		return nil
	}
}

// record writes a frame to a recording.
func (c *liveProbeCmd) record(file io.Writer, f live.Frame) error {
	if !c.Processes {
		f = f.Anonymous()
	}
	return recording.WriteFrame(file, f)
}

// whileOpen calls closed when f, a pipe, is closed by the other side. It ignores files and terminals.
func whileOpen(f *os.File, closed func()) {
	if info, err := f.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return
	}
	go func() {
		io.Copy(io.Discard, f)
		closed()
	}()
}

// second is the time from the first reading to the second. The first has no rates, as these are differences of
// counters; it is not printed, so that pages do not begin without the columns of rates.
const second = 150 * time.Millisecond

// print prints frames until ctx ends or a frame is final.
func (c *liveProbeCmd) print(ctx context.Context, write func(live.Frame) error) error {
	r := nvml.New(c.Library)
	if !c.Wake {
		r.Sys = c.Sys
	}
	next := time.Now()
	for known := false; ctx.Err() == nil; {
		f, wait := r.Read(time.Now()), c.Interval
		if !known && f.Devices() > 0 {
			known, wait = true, min(second, c.Interval)
		} else if err := write(f); err != nil {
			return err
		}
		if f.Reason != "" && f.Devices() == 0 && f.Reason != live.ReasonAsleep {
			return probeEnd{f}
		}
		// Performance counters need a minimum time between two readings.
		if next = next.Add(wait); time.Until(next) < minInterval {
			next = time.Now().Add(minInterval)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(next)):
		}
	}
	r.Close()
	return nil
}

// liveSources are the names of the sources in this build.
func liveSources() []string {
	var out []string
	if nvml.Linked {
		out = append(out, nvml.Source)
	}
	return append(out, "nvidia-smi", "prometheus", "replay")
}
