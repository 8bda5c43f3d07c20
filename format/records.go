package format

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// records splits delimited text into records, as RFC 4180 has it; a quote inside a cell that does not begin with one is
// a character like others.
type records struct {
	file  *File
	delim byte
	buf   []byte // read and not yet split
	from  int    // of the next record in buf
	eof   bool
	line  int // of the next record, from 1

	cells []string // of the last record; reused
	bad   string   // what is wrong with its quotes; "" nothing
}

func newRecords(f *File, delimiter rune) *records {
	return &records{file: f, delim: byte(delimiter), line: 1}
}

// next returns the cells of the next record and the line it begins on: none for an empty line, io.EOF after the last.
// The slice is valid until the next call, the cells for good.
func (r *records) next() (cells []string, line int, err error) {
	text, err := r.takeLine(0)
	if err != nil {
		return nil, 0, err
	}
	line, r.bad = r.line, ""
	if bytes.IndexByte(text, '"') >= 0 {
		err = r.quoted()
	} else {
		err = r.plain(string(bytes.TrimSuffix(text, newline)))
		r.from += len(text)
		r.line++
	}
	return r.cells, line, err
}

// takeLine returns the buffer from the next record on to the end of the line that holds its after-th byte, with the
// line feed. It keeps no more than the limit.
func (r *records) takeLine(after int) ([]byte, error) {
	for {
		if len(r.buf)-r.from > after {
			if i := bytes.IndexByte(r.buf[r.from+after:], '\n'); i >= 0 {
				if after+i > r.file.limits.Line {
					return nil, r.tooLong()
				}
				return r.buf[r.from : r.from+after+i+1], nil
			}
		}
		if r.eof {
			if rest := r.buf[r.from:]; len(rest) > after {
				return rest, nil
			}
			return nil, io.EOF
		}
		if len(r.buf)-r.from > r.file.limits.Line {
			return nil, r.tooLong()
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
}

func (r *records) tooLong() error {
	return r.file.fail(r.line, "", fmt.Sprintf("the row is longer than %d bytes; want shorter ones",
		r.file.limits.Line))
}

// fill reads more, behind what is left of the buffer.
func (r *records) fill() error {
	const room = 256 << 10
	if r.from > 0 {
		r.buf = r.buf[:copy(r.buf, r.buf[r.from:])]
		r.from = 0
	}
	if cap(r.buf)-len(r.buf) < room/2 {
		r.buf = append(make([]byte, 0, 2*cap(r.buf)+room), r.buf...)
	}
	n, err := r.file.Text.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	if err == io.EOF {
		r.eof, err = true, nil
	}
	return err
}

func (r *records) fault() string { return r.bad }

// plain splits a line without quotes.
func (r *records) plain(text string) error {
	r.cells = r.cells[:0]
	if text == "" {
		return nil
	}
	for {
		i := strings.IndexByte(text, r.delim)
		if i < 0 {
			return r.cell(text)
		}
		if err := r.cell(text[:i]); err != nil {
			return err
		}
		text = text[i+1:]
	}
}

func (r *records) cell(text string) error {
	if len(r.cells) == r.file.limits.Columns {
		return r.file.fail(r.line, "", fmt.Sprintf("the row has more than %d columns; want fewer",
			r.file.limits.Columns))
	}
	r.cells = append(r.cells, text)
	return nil
}

// quoted splits a record that has quotes, and takes as many lines as it needs.
func (r *records) quoted() error {
	r.cells = r.cells[:0]
	at := 0 // of the cell in the record
	for {
		text, end, err := r.one(at)
		if err == nil {
			err = r.cell(text)
		}
		if err != nil {
			return err
		}
		if r.from+end >= len(r.buf) || r.buf[r.from+end] == '\n' {
			end = min(end+1, len(r.buf)-r.from)
			r.line += bytes.Count(r.buf[r.from:r.from+end], newline)
			r.from += end
			return nil
		}
		at = end + 1
	}
}

// one reads the cell that begins at a place of the record, and returns where it ends: at a delimiter, a line feed, or
// the end of the file.
func (r *records) one(at int) (text string, end int, err error) {
	line := r.buf[r.from:]
	if at < len(line) && line[at] == '"' {
		return r.inQuotes(at)
	}
	end = at
	for end < len(line) && line[end] != r.delim && line[end] != '\n' {
		end++
	}
	return string(line[at:end]), end, nil
}

func (r *records) inQuotes(at int) (text string, end int, err error) {
	var b []byte
	for i := at + 1; ; {
		whole, err := r.takeLine(i)
		if err == io.EOF {
			return "", 0, r.file.fail(r.line, "", "a quoted cell that begins in this row never ends; want a "+
				"closing quote")
		}
		if err != nil {
			return "", 0, err
		}
		quote := bytes.IndexByte(whole[i:], '"')
		if quote < 0 {
			b, i = append(b, whole[i:]...), len(whole)
			continue
		}
		b = append(b, whole[i:i+quote]...)
		switch i += quote + 1; {
		case i < len(whole) && whole[i] == '"':
			b = append(b, '"')
			i++
		case i == len(whole) || whole[i] == r.delim || whole[i] == '\n':
			return string(b), i, nil
		default:
			r.bad = "text follows the closing quote of a cell; want a delimiter there"
			for i < len(whole) && whole[i] != r.delim && whole[i] != '\n' {
				i++
			}
			return string(b), i, nil
		}
	}
}
