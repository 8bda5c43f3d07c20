package recording

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"tianti/live"
)

// A LineError is an error of one line.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the error without the line.
func (e *LineError) Unwrap() error { return e.Err }

// A Reader reads frames from lines.
type Reader struct {
	b    *bufio.Reader
	line int    // number of the last line
	from int64  // its offset in the input
	to   int64  // the offset of its end
	buf  []byte // for lines that are longer than the buffer of b
}

// NewReader returns a reader of frames. It buffers at most one line of r.
func NewReader(r io.Reader) *Reader { return &Reader{b: bufio.NewReaderSize(r, 64<<10)} }

// Next returns the next frame, or io.EOF. The error of a line that is no frame is a [*LineError], and the next call
// continues with the line after it. Other errors are those of the input. Empty lines are skipped.
func (r *Reader) Next() (live.Frame, error) {
	for {
		text, err := r.readLine()
		if err != nil {
			return live.Frame{}, err
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		f, err := parse(text)
		if err != nil {
			return live.Frame{}, &LineError{r.line, err}
		}
		return f, nil
	}
}

// readLine returns the next line, which is valid until the next call. The last line may lack the line feed.
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
		default: // an error of the input: the next call would fail too
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
}
