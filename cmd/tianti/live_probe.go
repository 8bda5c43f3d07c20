package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tianti/cmd/tianti/internal/nvml"
	"tianti/live"
)

// liveProbeCmd is tianti live-probe.
type liveProbeCmd struct {
	Interval  time.Duration `placeholder:"TIME" default:"1s" help:"From one line to the next, 100ms to 1h; ${default} unless given."`
	Record    string        `placeholder:"FILE" help:"Add the lines to this file as well, without the names and users of processes."`
	Processes bool          `help:"Record the names and users of processes too."`
	Library   string        `placeholder:"PATH" help:"The driver's library; libnvidia-ml.so.1, where the loader finds it, unless given."`
	Wake      bool          `help:"Wake cards that sleep. Without this, as long as all of them do, the lines say so."`
	Sys       string        `hidden:"" default:"/sys" help:"Where the kernel's files are, for tests."`
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

  10  this build cannot read drivers: it was built without cgo, or not for Linux
  11  the driver's library is not there, or is not usable
  12  the driver is not loaded
  13  library and driver are of different versions: the driver was just replaced
  14  there is no device
  15  the driver refuses this user
  16  the driver failed`
}

// probeStatuses are the exit statuses for frames after which nothing is left to do.
var probeStatuses = map[string]int{
	nvml.NotLinked: 10, nvml.NoLibrary: 11, nvml.NoDriver: 12, nvml.VersionMismatch: 13, nvml.NoDevice: 14, nvml.NoPermission: 15,
}

const probeFailed = 16

// A probeEnd is an error with an exit status of its own.
type probeEnd struct {
	frame live.Frame
}

func (e probeEnd) Error() string { return e.frame.Reason + ": " + e.frame.Detail }

// ExitStatus is the one of the reason.
func (e probeEnd) ExitStatus() int { return cmp.Or(probeStatuses[e.frame.Reason], probeFailed) }

// Limits of an interval.
const (
	minInterval = 100 * time.Millisecond
	maxInterval = time.Hour
)

// Validate is called by kong.
func (c *liveProbeCmd) Validate() error {
	if c.Interval < minInterval || c.Interval > maxInterval {
		return fmt.Errorf("--interval is %v: want %v to %v", c.Interval, minInterval, maxInterval)
	}
	return nil
}

// Run prints frames. A driver that hangs does not keep it from ending.
func (c *liveProbeCmd) Run(e *env) error {
	write := func(f live.Frame) error { return live.WriteFrame(e.stdout, f) }
	if c.Record != "" {
		file, err := os.OpenFile(c.Record, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("--record: %w", err)
		}
		defer file.Close()
		write = func(f live.Frame) error { return errors.Join(c.record(file, f), live.WriteFrame(e.stdout, f)) }
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
	case err := <-done: // a line is written to its end
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
	return live.WriteFrame(file, f)
}

// whileOpen calls closed when f, a pipe, comes to its end. Files and terminals have
// none that would mean anything.
func whileOpen(f *os.File, closed func()) {
	if info, err := f.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return
	}
	go func() {
		io.Copy(io.Discard, f)
		closed()
	}()
}

// second is when devices are read again after the first time, which has no rates yet
// and is not printed: pages that begin with it would be told of new columns at once.
const second = 150 * time.Millisecond

// print writes frames until ctx ends, or to the one that says that there is nothing
// to read.
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
		// Performance monitors need their time from the end of one reading to the next.
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

// liveSources are the sources of readings that this build has.
func liveSources() []string {
	var out []string
	if nvml.Linked {
		out = append(out, nvml.Source)
	}
	return append(out, "nvidia-smi", "prometheus", "replay")
}
