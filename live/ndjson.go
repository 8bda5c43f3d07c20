package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Recordings, and what a probe prints, are frames as lines: one JSON object each,
// with the fields of [Frame] and a version.
//
//	{"version":1,"source":"nvml","taken":"2026-03-01T08:00:00Z","hosts":[{"name":"a","devices":[…]}]}
//
// Fields are only ever added; readers skip those that they do not know.
const recordVersion = 1

// maxLine is the longest line that is written or read, in bytes: some 300 devices.
const maxLine = 1 << 20

type record struct {
	Version int `json:"version"`
	Frame
}

// WriteFrame writes one line. Readings that are not finite numbers are left out.
func WriteFrame(w io.Writer, f Frame) error {
	line, err := json.Marshal(record{recordVersion, writable(f)})
	if err != nil {
		return fmt.Errorf("frame of %s: %w", f.Source, err)
	}
	if len(line) >= maxLine {
		return fmt.Errorf("frame of %s: %d bytes are more than a line may have, %d", f.Source, len(line)+1, maxLine)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// writable is f with lists that are empty instead of null and without readings
// that JSON has no numbers for. It shares with f what does not change.
func writable(f Frame) Frame {
	f.Hosts = append([]Host{}, f.Hosts...)
	for i := range f.Hosts {
		h := &f.Hosts[i]
		h.Devices = append([]Device{}, h.Devices...)
		for j := range h.Devices {
			h.Devices[j].Readings = finite(h.Devices[j].Readings)
		}
	}
	return f
}

func finite(readings map[Metric]Reading) map[Metric]Reading {
	odd := func(_ Metric, r Reading) bool { return math.IsNaN(r.Value) || math.IsInf(r.Value, 0) }
	for m, r := range readings {
		if odd(m, r) {
			readings = maps.Clone(readings)
			maps.DeleteFunc(readings, odd)
			break
		}
	}
	return readings
}

// A LineError is what is wrong with a line of a recording.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// What a line can be, other than a frame. Errors wrap these where they say more.
var (
	ErrTruncated = errors.New("it is cut off in the middle of a frame")
	ErrLongLine  = fmt.Errorf("it is longer than %d bytes", maxLine)
	ErrNotJSON   = errors.New("it is not JSON")
	ErrVersion   = errors.New("its version is not known")
)

// A Reader reads frames from lines.
type Reader struct {
	b    *bufio.Reader
	line int    // number of the line last read
	from int64  // where in the input it began
	to   int64  // and ended
	buf  []byte // of lines that are longer than the buffer of b
}

// NewReader returns a reader of frames. It holds no more of r than one line.
func NewReader(r io.Reader) *Reader { return &Reader{b: bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next frame; io.EOF when there is none. For a line that is no
// frame the error is a [*LineError], and the next call goes on with the line after
// it. Other errors are of the input. Empty lines are skipped.
func (r *Reader) Next() (Frame, error) {
	for {
		text, err := r.readLine()
		if err != nil {
			return Frame{}, err
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		f, err := parseFrame(text)
		if err != nil {
			return Frame{}, &LineError{r.line, err}
		}
		return f, nil
	}
}

// readLine returns the next line, which is valid until the next call. A last line
// need not end with a line feed.
func (r *Reader) readLine() ([]byte, error) {
	r.buf = r.buf[:0]
	r.line, r.from = r.line+1, r.to
	long := false
	for {
		part, err := r.b.ReadSlice('\n')
		r.to += int64(len(part))
		if err == nil && len(r.buf) == 0 {
			return part, nil
		}
		if long = long || len(r.buf)+len(part) > maxLine; !long {
			r.buf = append(r.buf, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case long && (err == nil || err == io.EOF):
			return nil, &LineError{r.line, ErrLongLine}
		case err == nil || err == io.EOF && len(r.buf) > 0:
			return r.buf, nil
		case err == io.EOF:
			r.line--
			return nil, io.EOF
		default: // no fault of the line: to go on would be of no use
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
}

func parseFrame(text []byte) (Frame, error) {
	var rec record
	if err := json.Unmarshal(text, &rec); err != nil {
		return Frame{}, plainJSON(err)
	}
	switch {
	case rec.Version == 0:
		return Frame{}, errors.New("it has no version: not a recording of readings")
	case rec.Version != recordVersion:
		return Frame{}, fmt.Errorf("%w: got %d, want %d", ErrVersion, rec.Version, recordVersion)
	}
	return rec.Frame, rec.Frame.check()
}

// plainJSON says what is wrong in words of the format, without names of Go.
func plainJSON(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field == "" {
			return fmt.Errorf("it is a JSON %s: want an object", e.Value)
		}
		return fmt.Errorf("%s is a JSON %s: want another type", strings.TrimPrefix(e.Field, "Frame."), e.Value)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		if e.Error() == "unexpected end of JSON input" {
			return ErrTruncated
		}
		return fmt.Errorf("%w: %v, at byte %d", ErrNotJSON, e, e.Offset)
	}
	return err // a time that is none; the error quotes it
}

// UnmarshalJSON reads a reading. One without a value is refused: it would be zero.
func (r *Reading) UnmarshalJSON(text []byte) error {
	var v struct {
		Value *float64  `json:"v"`
		Taken time.Time `json:"t"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("readings: %w", plainJSON(err))
	}
	if v.Value == nil {
		return errors.New("readings: one has no field v")
	}
	*r = Reading{*v.Value, v.Taken}
	return nil
}

// check says what a frame lacks that every frame has.
func (f *Frame) check() error {
	switch {
	case f.Source == "":
		return errors.New("it has no field source")
	case f.Taken.IsZero():
		return errors.New("it has no field taken")
	case f.Hosts == nil:
		return errors.New("it has no field hosts")
	}
	seen := map[string]bool{}
	for i, h := range f.Hosts {
		if h.Devices == nil {
			return fmt.Errorf("hosts[%d] has no field devices", i)
		}
		for j, d := range h.Devices {
			switch {
			case d.UUID == "":
				return fmt.Errorf("hosts[%d].devices[%d] has no field uuid", i, j)
			case seen[d.UUID]:
				return fmt.Errorf("hosts[%d].devices[%d]: uuid %q is there twice", i, j, d.UUID)
			case slices.Contains(d.Hidden, ""):
				return fmt.Errorf("hosts[%d].devices[%d].hidden has an empty name", i, j)
			}
			seen[d.UUID] = true
		}
	}
	return nil
}
