package format

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// recordBytes is the longest record of a JSON file.
const recordBytes = 8 << 20

// eachRecord passes the records of a JSON file on as values, and leaves out those that have another form; name is what
// a record is called by what of it could be read.
func eachRecord[T any](
	ctx context.Context, f *File, s Sink, name func(*T) Scalar, each func(line int, in *T) error,
) error {
	return EachJSON(ctx, f, s, func(line int, record json.RawMessage) error {
		var in T
		if err := json.Unmarshal(record, &in); err != nil {
			return s.Skip(Skipped{Line: line, Name: clip(string(name(&in))), Reason: BadValue,
				Message: fmt.Sprintf("the record cannot be read: %v", err)})
		}
		return each(line, &in)
	})
}

// EachJSON passes the records of a JSON file on, one after another: the elements of an array, or values that follow one
// another, a line each or not. line is where the record begins. What each returns ends the reading.
func EachJSON(ctx context.Context, f *File, s Sink, each func(line int, record json.RawMessage) error) error {
	guard := &jsonGuard{file: f, line: 1}
	dec := json.NewDecoder(guard)
	array, err := openArray(f, dec)
	for n := 0; err == nil && (!array || dec.More()); n++ {
		if n%256 == 255 && ctx.Err() != nil {
			return ctx.Err()
		}
		var record json.RawMessage
		if err = dec.Decode(&record); err == io.EOF && !array {
			return nil
		} else if err == nil {
			line := guard.lineAt(dec.InputOffset() - int64(len(record)))
			s.Row(line)
			if err := each(line, record); err != nil {
				return err
			}
		}
	}
	if err == nil {
		err = closeArray(dec)
	}
	return jsonError(f, guard, dec.InputOffset(), err)
}

// openArray steps into the array that a file may be.
func openArray(f *File, dec *json.Decoder) (bool, error) {
	head := bytes.TrimLeft([]byte(f.Head.Text), " \t\n")
	if len(head) == 0 || head[0] != '[' {
		return false, nil
	}
	_, err := dec.Token()
	return true, err
}

var errAfter = errors.New("something follows the end of the array")

func closeArray(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		if err == nil {
			err = errAfter
		}
		return err
	}
	return nil
}

// jsonError says where a JSON file is wrong.
func jsonError(f *File, guard *jsonGuard, at int64, err error) error {
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return f.fail(guard.line, "", "the JSON ends in the middle; want it whole")
	case !errors.Is(err, errAfter):
		return err // of the file below: it says where itself
	}
	return f.fail(guard.lineAt(at), "", fmt.Sprintf("the JSON cannot be read: %v", err))
}

// jsonGuard passes JSON on while its depth and the length of its texts, numbers and records stay within limits: a
// decoder keeps all of a record in memory.
type jsonGuard struct {
	file     *File
	line     int // of what has been asked for last
	passed   int64
	newlines []int64 // offsets of those beyond line

	started, quoted, escaped bool
	depth, base              int
	run                      int   // bytes since the last sign that divides values
	record                   int64 // where the record begins
}

func (g *jsonGuard) Read(p []byte) (int, error) {
	n, err := g.file.Text.Read(p)
	for _, c := range p[:n] {
		if bad := g.byte(c); bad != "" {
			return 0, g.file.fail(g.lineAt(g.passed), "", bad)
		}
		g.passed++
	}
	return n, err
}

// byte follows the JSON by a byte, and says what is beyond the limits.
func (g *jsonGuard) byte(c byte) string {
	if c == '\n' {
		g.newlines = append(g.newlines, g.passed)
	}
	if g.run++; g.run > g.file.limits.Line {
		return fmt.Sprintf("a text or number is longer than %d bytes; want shorter ones", g.file.limits.Line)
	}
	switch {
	case g.escaped:
		g.escaped = false
	case g.quoted && c == '\\':
		g.escaped = true
	case c == '"':
		g.quoted, g.run = !g.quoted, 0
	case !g.quoted:
		return g.structure(c)
	}
	return ""
}

func (g *jsonGuard) structure(c byte) string {
	switch c {
	case '[', '{':
		if !g.started && c == '[' {
			g.base = 1
		}
		g.started = true
		if g.depth++; g.depth > g.file.limits.Depth {
			return fmt.Sprintf("the JSON is more than %d levels deep; want fewer", g.file.limits.Depth)
		}
		g.run = 0
	case ']', '}':
		g.depth--
		g.run = 0
	case ',', ':':
		g.run = 0
	}
	if g.depth <= g.base {
		g.record = g.passed
	} else if g.passed-g.record > recordBytes {
		return fmt.Sprintf("a record is longer than %d bytes; want shorter ones", recordBytes)
	}
	return ""
}

// lineAt is the line of an offset, which does not fall from call to call.
func (g *jsonGuard) lineAt(offset int64) int {
	n := 0
	for n < len(g.newlines) && g.newlines[n] < offset {
		n++
	}
	g.line += n
	g.newlines = g.newlines[:copy(g.newlines, g.newlines[n:])]
	return g.line
}

// A Scalar is a text, number, truth value or null of JSON as the text of a cell; null is "".
type Scalar string

// UnmarshalJSON refuses lists and objects.
func (s *Scalar) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(s))
	case '[', '{':
		return fmt.Errorf("want a text or number, not %.20s", b)
	case 'n':
		*s = ""
	default:
		*s = Scalar(b)
	}
	return nil
}
