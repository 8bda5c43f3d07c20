// Package tables reads tables out of files that are no delimited text: JSON with records, pages of HTML, workbooks,
// databases of SQLite, Parquet. A table is rows of text under names of columns, whatever it came from.
//
// Files are anybody's. What is beyond [Limits], damaged, or would have to be computed (formulas, views) is refused with
// an [Error] that names the place; nothing of a file is executed.
package tables

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is what a file is.
type Kind string

// Kinds of files.
const (
	JSON     Kind = "json"
	HTML     Kind = "html"
	Workbook Kind = "xlsx"
	SQLite   Kind = "sqlite"
	Parquet  Kind = "parquet"
)

// KindOf tells what a file is by its first bytes; "" for what is none of these, or is inside a zip.
func KindOf(head []byte) Kind {
	switch {
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return SQLite
	case bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("PARE")):
		return Parquet
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		return HTML
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return JSON
	}
	return ""
}

// Limits of a file.
type Limits struct {
	Bytes   int64 // of the text of a table, and of what is unpacked
	Ratio   int64 // of that to the size of the file, beyond the first MiB
	Cell    int   // bytes of a cell, or of a row of a database
	Columns int
	Depth   int // of JSON and of markup
}

// Bounds that no option changes.
const (
	mostTables  = 200
	freeBytes   = 1 << 20  // may come out of a file before its ratio counts
	sharedBytes = 64 << 20 // of texts that a workbook shares among its cells
)

// A File is an open file.
type File struct {
	Kind   Kind
	Tables []*Table // in the order of the file; at least one
	close  func() error
}

// Close gives back what reading took.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close()
}

// A Table is one table of a file.
type Table struct {
	Name    string   // of the sheet, the table, the path in JSON; "" for the only one of a file without names
	Columns []string // trimmed
	open    func(ctx context.Context) (source, error)
	lim     Limits
	size    int64 // of the file
}

// An Error is a file that cannot be read.
type Error struct {
	Table string // in which table; may be empty
	Line  int    // row, or line of text; 0 when it is not about one
	Field string // column or cell; may be empty
	Msg   string // what is wrong and what is allowed
}

func (e *Error) Error() string {
	var at []string
	for _, s := range []string{e.Table, e.place(), e.Field, e.Msg} {
		if s != "" {
			at = append(at, s)
		}
	}
	return strings.Join(at, ": ")
}

func (e *Error) place() string {
	if e.Line == 0 {
		return ""
	}
	return strconv.Itoa(e.Line)
}

func fail(table string, line int, field, format string, args ...any) error {
	return &Error{table, line, field, fmt.Sprintf(format, args...)}
}

// A Keeper keeps what is written to it, for reading it again.
type Keeper interface {
	io.Writer
	io.ReaderAt
}

// kept is a text that is read once as it comes, and kept meanwhile.
type kept struct {
	io.ReaderAt
	from io.Reader
	size int64
}

func (k *kept) Read(p []byte) (int, error) {
	n, err := k.from.Read(p)
	k.size += int64(n)
	return n, err
}

func (k *kept) again() io.Reader { return io.NewSectionReader(k, 0, k.size) }

// OpenText finds the tables of JSON or HTML in UTF-8, which it reads to its end and writes to keep; that is read until
// Close.
func OpenText(kind Kind, text io.Reader, keep Keeper, lim Limits) (f *File, err error) {
	defer rescue(&err, kind, "")
	k := &kept{ReaderAt: keep, from: io.TeeReader(text, keep)}
	switch kind {
	case JSON:
		f, err = openJSON(k, lim)
	case HTML:
		f, err = openHTML(k, lim)
	default:
		return nil, fail("", 0, "", "%q is no kind of text", kind)
	}
	return f.ready(kind, k.size, lim, err)
}

// Open finds the tables of a file of the other kinds, which is read until Close.
func Open(kind Kind, r io.ReaderAt, size int64, lim Limits) (f *File, err error) {
	defer rescue(&err, kind, "")
	switch kind {
	case Workbook:
		f, err = openWorkbook(r, size, lim)
	case SQLite:
		f, err = openSQLite(r, size, lim)
	case Parquet:
		f, err = openParquet(r, size, lim)
	default:
		return nil, fail("", 0, "", "%q is no kind of file", kind)
	}
	return f.ready(kind, size, lim, err)
}

// ready holds an opened file to the limits.
func (f *File) ready(kind Kind, size int64, lim Limits, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	f.Kind = kind
	f.Tables = slices.DeleteFunc(f.Tables, func(t *Table) bool { return len(t.Columns) == 0 })
	for _, t := range f.Tables {
		t.lim, t.size = lim, size
		if len(t.Columns) > lim.Columns {
			err = fail(t.Name, 0, "", "the table has %d columns; want at most %d", len(t.Columns), lim.Columns)
		}
	}
	if len(f.Tables) == 0 {
		err = fail("", 0, "", "the file holds no table with rows; want at least one")
	} else if len(f.Tables) > mostTables {
		err = fail("", 0, "", "the file holds more than %d tables; want fewer", mostTables)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// rescue makes a fault of a library an error of the file.
func rescue(err *error, kind Kind, table string) {
	if v := recover(); v != nil {
		*err = fail(table, 0, "", "the %s reader stumbles over the file (%.200v); want it as its program "+
			"writes it", kind,
			v)
	}
}

// A source yields rows as they come. The slice is valid until the next call.
type source interface {
	next() (cells []string, line int, err error)
	close() error
}

// Rows are the rows of a table below its names of columns.
type Rows struct {
	ctx   context.Context
	table *Table
	from  source
	n     int
	bytes int64
	fault string
}

// Rows begins to read the table. The caller closes them before the file.
func (t *Table) Rows(ctx context.Context) (r *Rows, err error) {
	defer rescue(&err, "table", t.Name)
	from, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	return &Rows{ctx: ctx, table: t, from: from}, nil
}

// Next returns the cells of the next row, as many as there are columns and "" where nothing stands, and the row or line
// where it is in the file; io.EOF after the last. The slice is valid until the next call, the cells for good.
func (r *Rows) Next() (cells []string, line int, err error) {
	defer rescue(&err, "table", r.table.Name)
	if r.n++; r.n%256 == 0 && r.ctx.Err() != nil {
		return nil, 0, r.ctx.Err()
	}
	if cells, line, err = r.from.next(); err != nil {
		return nil, 0, err
	}
	r.fault = ""
	r.bytes += int64(len(cells)) + 1
	for i, c := range cells {
		if len(c) > r.table.lim.Cell {
			return nil, 0, fail(r.table.Name, line, r.column(i), "the cell is longer than %d bytes; want shorter ones",
				r.table.lim.Cell)
		}
		if r.bytes += int64(len(c)); c != "" && !isText(c) {
			cells[i], r.fault = "", fmt.Sprintf("the column %s holds bytes that are no text in UTF-8", r.column(i))
		}
	}
	if r.bytes > r.table.lim.Bytes {
		return nil, 0, fail(r.table.Name, line, "", "the table is longer than %d bytes of text; want less",
			r.table.lim.Bytes)
	}
	if over := r.bytes - freeBytes; over > 0 && over > r.table.lim.Ratio*r.table.size {
		return nil, 0, fail(r.table.Name, line, "", "the table unpacks to more than %d times the size of its file; "+
			"want less", r.table.lim.Ratio)
	}
	return cells, line, nil
}

// Fault says what is wrong with the row that Next returned last; "" nothing.
func (r *Rows) Fault() string { return r.fault }

// Close ends the reading.
func (r *Rows) Close() error { return r.from.close() }

func (r *Rows) column(i int) string {
	if i < len(r.table.Columns) {
		return r.table.Columns[i]
	}
	return strconv.Itoa(i + 1)
}

func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// named trims the names of columns, and names those that have none.
func named(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		if out[i] = strings.Join(strings.Fields(strings.ToValidUTF8(c, "")), " "); out[i] == "" {
			out[i] = fmt.Sprintf("column %d", i+1)
		}
	}
	return out
}

// fitted is a row of n cells.
func fitted(cells []string, n int) []string {
	for len(cells) < n {
		cells = append(cells, "")
	}
	return cells[:n]
}

// decimal writes a number as people do.
func decimal(v float64) string {
	if a := math.Abs(v); v == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// clip shortens what is quoted in a message.
func clip(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
