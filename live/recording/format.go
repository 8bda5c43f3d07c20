// Package recording writes frames to files, reads them, and replays such a file as a source.
//
// A recording is NDJSON: lines of one JSON object each, with the fields of [live.Frame] and a version. The child
// process of package probe prints the same format.
//
//	{"version":1,"source":"nvml","taken":"2026-03-01T08:00:00Z","hosts":[{"name":"a","devices":[…]}]}
//
// Later versions of the program only add fields; readers ignore unknown ones.
package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tianti/live"
)

const version = 1

// maxLine is the longest line that is written or read, in bytes: some 300 devices.
const maxLine = 1 << 20

type record struct {
	Version int `json:"version"`
	live.Frame
}

// WriteFrame writes one line. Readings that are not finite numbers are omitted.
func WriteFrame(w io.Writer, f live.Frame) error {
	line, err := json.Marshal(record{version, f.Normalized()})
	if err != nil {
		return fmt.Errorf("frame of %s: %w", f.Source, err)
	}
	if len(line) >= maxLine {
		return fmt.Errorf("frame of %s: %d bytes are more than a line may have, %d", f.Source, len(line)+1, maxLine)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Errors of a line that is no frame. Other errors wrap these.
var (
	ErrTruncated = errors.New("it is cut off in the middle of a frame")
	ErrLongLine  = fmt.Errorf("it is longer than %d bytes", maxLine)
	ErrNotJSON   = errors.New("it is not JSON")
	ErrVersion   = errors.New("its version is not known")
)

// parse decodes a line.
func parse(text []byte) (live.Frame, error) {
	var rec record
	if err := json.Unmarshal(text, &rec); err != nil {
		return live.Frame{}, plainJSON(err)
	}
	switch {
	case rec.Version == 0:
		return live.Frame{}, errors.New("it has no version: not a recording of readings")
	case rec.Version != version:
		return live.Frame{}, fmt.Errorf("%w: got %d, want %d", ErrVersion, rec.Version, version)
	}
	return rec.Frame, check(&rec.Frame)
}

// plainJSON describes an error of encoding/json by the names of the format instead of those of Go.
func plainJSON(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		where := strings.TrimSuffix(err.Error(), e.Error()) // the prefix that wraps e
		if e.Field == "" {
			return fmt.Errorf("%sit is a JSON %s: want an object", where, e.Value)
		}
		return fmt.Errorf("%s%s is a JSON %s: want another type", where, strings.TrimPrefix(e.Field, "Frame."), e.Value)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		if e.Error() == "unexpected end of JSON input" {
			return ErrTruncated
		}
		return fmt.Errorf("%w: %v, at byte %d", ErrNotJSON, e, e.Offset)
	}
	return err // a malformed time, which the error quotes
}

// check returns an error for a missing field that every frame has.
func check(f *live.Frame) error {
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
