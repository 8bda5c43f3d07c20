package live

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
)

// A Replay is a [Source] that plays a recording at the pace at which it was made,
// again and again. Its frames are taken now; a time without frames in the recording
// is one without new readings when it is played.
type Replay struct {
	path   string
	marks  []mark
	step   time.Duration // from one frame to the next, usually
	length time.Duration // of the recording, up to its repetition

	mu    sync.Mutex
	file  *os.File
	began time.Time // zero before the first Read
}

// A mark says where in the file a frame is.
type mark struct {
	offset int64
	size   int
	line   int
	at     time.Duration // since the first frame
}

// OpenReplay opens a recording. It reads the whole file once: one that is cut off
// or anything else is refused with its name and the line.
func OpenReplay(path string) (*Replay, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &Replay{path: path, file: file}
	if err := r.index(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// longest is the most that a recording takes: times beyond it are wrong.
const longest = 366 * 24 * time.Hour

// index finds the frames.
func (r *Replay) index() error {
	if info, err := r.file.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: it is no file of a recording", r.path)
	}
	reader := NewReader(r.file)
	var first, last time.Time
	for {
		f, err := reader.Next()
		if err == io.EOF {
			break
		}
		if e, ok := errors.AsType[*LineError](err); ok {
			return fmt.Errorf("%s:%d: %w", r.path, e.Line, e.Err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", r.path, err)
		}
		if len(r.marks) == 0 {
			first = f.Taken
		} else if f.Taken.Before(last) {
			return fmt.Errorf("%s:%d: taken is %s, before the frame above it", r.path, reader.line, f.Taken.Format(time.RFC3339Nano))
		}
		last = f.Taken
		if last.Sub(first) > longest {
			return fmt.Errorf("%s:%d: taken is %s, more than a year after the first frame", r.path, reader.line, last.Format(time.RFC3339Nano))
		}
		r.marks = append(r.marks, mark{reader.from, int(reader.to - reader.from), reader.line, last.Sub(first)})
	}
	if len(r.marks) == 0 {
		return fmt.Errorf("%s: it has no frames", r.path)
	}
	r.step = usualStep(r.marks)
	r.length = r.marks[len(r.marks)-1].at + r.step
	return nil
}

// usualStep is the median time from one frame to the next.
func usualStep(marks []mark) time.Duration {
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

// Name implements [Source].
func (r *Replay) Name() string { return "replay" }

// Read returns the frame of this moment; the recording begins with the first Read.
func (r *Replay) Read(ctx context.Context) (Frame, error) {
	if err := ctx.Err(); err != nil {
		return Frame{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.began.IsZero() {
		r.began = now
	}
	// Whoever reads at the pace of the recording is at times a little early.
	early := min(r.step/10, 100*time.Millisecond)
	played := (now.Sub(r.began) + early) % r.length
	i, found := slices.BinarySearchFunc(r.marks, played, func(m mark, t time.Duration) int { return cmp.Compare(m.at, t) })
	if !found {
		i-- // the first is at 0
	}
	f, err := r.load(r.marks[i])
	if err != nil {
		return Frame{}, fmt.Errorf("%s:%d: %w", r.path, r.marks[i].line, err)
	}
	f.Source = r.Name()
	f.shift(now.Add(-max(0, played-early-r.marks[i].at)))
	return f, nil
}

// load reads a frame again, from a file that may have been changed meanwhile.
func (r *Replay) load(m mark) (Frame, error) {
	text := make([]byte, m.size)
	if _, err := r.file.ReadAt(text, m.offset); err == io.EOF {
		return Frame{}, ErrTruncated
	} else if err != nil {
		return Frame{}, err
	}
	return parseFrame(text)
}

// shift makes a frame of its own readings one that was taken at a time.
func (f *Frame) shift(taken time.Time) {
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

// Close closes the file; nothing can be read after it.
func (r *Replay) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file.Close()
}
