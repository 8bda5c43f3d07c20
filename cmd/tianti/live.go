package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"tianti/catalog"
	"tianti/live"
	"tianti/live/recording"
	"tianti/seed"
)

// liveCmd is tianti live.
type liveCmd struct {
	sources   `embed:""`
	JSON      bool `name:"json" help:"Print one JSON object instead of a table: a line of a recording."`
	Processes bool `help:"With --json: print the names and users of processes too."`
	Watch     bool `help:"Print again every second until interrupted."`
}

// Help is the manual of tianti live.
func (liveCmd) Help() string {
	return `Prints what the accelerators of this host are doing, beside what the catalogue
rates them for. With --prometheus it is the devices of a fleet as well, and with
--live off those alone. Only the built-in catalogue is used.

Columns that no device has a reading for, and those that the terminal has no room
for, are left out. A reading that is not to be had is —.

    CARD        the card of the catalogue, "?" when it may be one of several
    MEMORY GiB  used, of what the driver reports
    POWER W     now, of the limit in force
    KERNEL %    share of time in which any kernel ran: not how full the device is
    SM %        share of compute units with work
    TENSOR %    share of cycles in which the matrix pipe was busy
    ≤ TFLOPS    what that is at most, of the rated dense rate; nothing measures how
                much of it is useful work
    DRAM %      share of cycles in which memory moved data
    ≤ GB/s      what that is at most, of the rated bandwidth

The exit status is 1 when there is no device to show.

Examples:

    tianti live --watch
    tianti live --json --watch > recording.ndjson
    tianti live --live replay:recording.ndjson --watch
    tianti live --live off --prometheus http://prometheus:9090 --prometheus-selector 'cluster="a"'`
}

// validate checks the flags.
func (c *liveCmd) validate() error {
	if err := c.sources.validate(); err != nil {
		return err
	}
	switch {
	case c.Live == "off" && c.Prometheus == "":
		return errors.New("--live is off and there is no --prometheus: nothing to read")
	case c.Processes && !c.JSON:
		return errors.New("--processes needs --json: the table has no processes")
	}
	return nil
}

// firstFrame is how long to wait for a first frame with devices, as drivers may have to wake cards.
const firstFrame = 15 * time.Second

// Run prints once, or until e.ctx ends.
func (c *liveCmd) Run(e *env) error {
	open, err := c.open(e.ctx)
	if err != nil {
		return err
	}
	d, err := seed.Builtin()
	if err != nil {
		return err
	}
	hub := live.NewHub(live.HubConfig{Open: open})
	defer hub.Close()
	w := hub.Subscribe()
	defer w.Close()
	s := screen{out: e.stdout, json: c.JSON, processes: c.Processes, catalogue: catalog.NewSnapshot(0, d)}
	if c.Watch {
		return s.watch(e.ctx, hub, w)
	}
	v := firstView(e.ctx, hub, w)
	if e.ctx.Err() != nil {
		return nil
	}
	if v.State == live.Unavailable {
		if c.JSON {
			err = s.print(v)
		}
		return errors.Join(err, errors.New("no device: "+why(v)))
	}
	return s.print(v)
}

// firstView is the first view with devices, or the last one after the time firstFrame. From NVML it is the second, as
// the first has no rates yet: those are differences of counters.
func firstView(ctx context.Context, hub *live.Hub, w *live.Watcher) live.View {
	ctx, cancel := context.WithTimeout(ctx, firstFrame)
	defer cancel()
	seen := 0
	for {
		select {
		case <-w.C:
		case <-ctx.Done():
			return hub.View()
		}
		v := hub.View()
		if v.State == live.Unavailable && v.Reason != live.ReasonStarting && v.Reason != live.ReasonTimeout {
			return v
		}
		if v.State == live.Unavailable {
			continue
		}
		if seen++; seen > 1 || !strings.Contains(v.Frame.Source, "nvml") {
			return v
		}
	}
}

// A screen prints views.
type screen struct {
	out       io.Writer
	json      bool
	processes bool // with their names and users, in JSON
	catalogue *catalog.Snapshot
}

// print prints a view once.
func (s *screen) print(v live.View) error {
	if s.json {
		f := v.Frame
		if !s.processes {
			f = f.Anonymous()
		}
		return recording.WriteFrame(s.out, live.WithCards(s.catalogue, f))
	}
	width, _ := s.size()
	var b bytes.Buffer
	writeView(&b, s.catalogue, v, width)
	_, err := s.out.Write(b.Bytes())
	return err
}

// watch prints each view until ctx ends; on a terminal it replaces the last one.
func (s *screen) watch(ctx context.Context, hub *live.Hub, w *live.Watcher) error {
	var taken time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.C:
		}
		v := hub.View()
		if s.json && (v.Frame.Taken.IsZero() || v.Frame.Taken.Equal(taken)) {
			continue // a recording has each frame once
		}
		taken = v.Frame.Taken
		var err error
		if width, height := s.size(); s.json || width == 0 {
			err = s.print(v)
		} else {
			err = s.redraw(v, width, height)
		}
		if err != nil {
			return err
		}
	}
}

// redraw prints a view in the place of the last one.
func (s *screen) redraw(v live.View, width, height int) error {
	const home, endOfLine, endOfScreen = "\x1b[H", "\x1b[K", "\x1b[J"
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  Ctrl-C ends\n", v.Now.Format(time.TimeOnly))
	writeView(&b, s.catalogue, v, width)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if most := max(height-1, 3); len(lines) > most {
		lines = append(lines[:most-1], fmt.Sprintf("… %d more lines", len(lines)-most+1))
	}
	_, err := io.WriteString(s.out, home+strings.Join(lines, endOfLine+"\n")+endOfLine+"\n"+endOfScreen)
	return err
}

// size is the size of the terminal in cells; 0 when the output is none.
func (s *screen) size() (width, height int) {
	f, ok := s.out.(*os.File)
	if !ok {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// why is the reason of a view, in one line.
func why(v live.View) string {
	reason := strings.ReplaceAll(v.Reason, "-", " ")
	if v.Detail != "" {
		reason += ": " + v.Detail
	}
	return printable(reason)
}
