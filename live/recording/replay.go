package recording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"tianti/live"
)

// A Replay is a [live.Source] that plays a recording in a loop, at the pace at which it was made. The timestamps are
// moved to now. A gap in the recording is a time without new readings.
type Replay struct {
	name   string // for errors
	marks  []mark
	step   time.Duration // median between two frames
	length time.Duration // of one loop

	mu    sync.Mutex
	file  *os.File
	began time.Time // of the first Read; zero before
}

// A mark is the position of a frame.
type mark struct {
	offset int64
	size   int
	line   int
	at     time.Duration // since the first frame
}

// Open opens a recording. It reads the whole file once. The error of a file that is incomplete or no recording has its
// name and the line.
func Open(path string) (*Replay, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReplay(path, file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// NewReplay is [Open] for a file that is already open, at offset 0; errors call it name. Unless there is an error,
// Close closes the file.
func NewReplay(name string, file *os.File) (*Replay, error) {
	r := &Replay{name: name, file: file}
	if err := r.index(); err != nil {
		return nil, err
	}
	return r, nil
}

// longest is the limit for the length of a recording, to detect wrong timestamps.
const longest = 366 * 24 * time.Hour

// index finds the frames.
func (r *Replay) index() error {
	if info, err := r.file.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: it is no file of a recording", r.name)
	}
	reader := NewReader(r.file)
	var first time.Time
	for {
		f, err := reader.Next()
		if err == io.EOF {
			break
		}
		if e, ok := errors.AsType[*LineError](err); ok {
			return fmt.Errorf("%s:%d: %w", r.name, e.Line, e.Err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		if len(r.marks) == 0 {
			first = f.Taken
		}
		at := f.Taken.Sub(first)
		if wrong := r.misplaced(at); wrong != "" {
			taken := f.Taken.Format(time.RFC3339Nano)
			return fmt.Errorf("%s:%d: taken is %s, %s", r.name, reader.line, taken, wrong)
		}
		r.marks = append(r.marks, mark{reader.from, int(reader.to - reader.from), reader.line, at})
	}
	if len(r.marks) == 0 {
		return fmt.Errorf("%s: it has no frames", r.name)
	}
	r.step = medianStep(r.marks)
	r.length = r.marks[len(r.marks)-1].at + r.step
	return nil
}

// misplaced says why no frame can follow at a time since the first frame; "" when one can.
func (r *Replay) misplaced(at time.Duration) string {
	switch n := len(r.marks); {
	case n > 0 && at < r.marks[n-1].at:
		return "before the frame above it"
	case at > longest:
		return "more than a year after the first frame"
	}
	return ""
}

// medianStep is the median time between two frames; 1 s without two.
func medianStep(marks []mark) time.Duration {
	var steps []time.Duration
	for i := range len(marks) - 1 {
		if d := marks[i+1].at - marks[i].at; d > 0 {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return time.Second
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// Name is "replay".
func (r *Replay) Name() string { return "replay" }

// Read returns the current frame. The loop starts with the first Read.
func (r *Replay) Read(ctx context.Context) (live.Frame, error) {
	if err := ctx.Err(); err != nil {
		return live.Frame{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.began.IsZero() {
		r.began = now
	}
	// A reader at the pace of the recording may be a little early.
	early := min(r.step/10, 100*time.Millisecond)
	played := (now.Sub(r.began) + early) % r.length
	after := func(m mark, t time.Duration) int { return cmp.Compare(m.at, t) }
	i, found := slices.BinarySearchFunc(r.marks, played, after)
	if !found {
		i-- // the first is at 0
	}
	f, err := r.load(r.marks[i])
	if err != nil {
		return live.Frame{}, fmt.Errorf("%s:%d: %w", r.name, r.marks[i].line, err)
	}
	f.Source = r.Name()
	shift(&f, now.Add(-max(0, played-early-r.marks[i].at)))
	return f, nil
}

// load reads a frame again. The file may have changed.
func (r *Replay) load(m mark) (live.Frame, error) {
	text := make([]byte, m.size)
	if _, err := r.file.ReadAt(text, m.offset); err == io.EOF {
		return live.Frame{}, ErrTruncated
	} else if err != nil {
		return live.Frame{}, err
	}
	return parse(text)
}

// shift moves the timestamps of a frame that shares nothing, so that it is taken at a time.
func shift(f *live.Frame, taken time.Time) {
	by := taken.Sub(f.Taken)
	f.Taken = taken
	for _, h := range f.Hosts {
		for _, d := range h.Devices {
			for m, reading := range d.Readings {
				if !reading.Taken.IsZero() {
					reading.Taken = reading.Taken.Add(by)
					d.Readings[m] = reading
				}
			}
		}
	}
}

// Close closes the file. No frame can be read after it.
func (r *Replay) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file.Close()
}
