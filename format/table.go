package format

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Table reads the rows of a delimited table whose first row names the columns. Rows that have more or fewer cells
// than that are left out, empty lines passed over.
type Table struct {
	ctx    context.Context
	file   *File
	sink   Sink
	rec    rowReader
	header []string // as shown: trimmed, none empty, none twice
	keys   []string // as looked up
	row    []string
	line   int
	rows   int
}

// A rowReader splits a file into rows. Those that next returns stay valid until the next call, their cells for good;
// fault is what is wrong with the last one, "" nothing.
type rowReader interface {
	next() (cells []string, line int, err error)
	fault() string
}

// NewTable reads the first row of a file.
func NewTable(ctx context.Context, f *File, s Sink) (*Table, error) {
	if f.table != nil {
		return f.newTableOf(ctx, s)
	}
	if f.Head.Delimiter == 0 {
		return nil, f.fail(1, "", "the file is no table: want columns separated by comma, semicolon, tab or |")
	}
	t := &Table{ctx: ctx, file: f, sink: s, rec: newRecords(f, f.Head.Delimiter)}
	for len(t.row) == 0 {
		var err error
		if t.row, t.line, err = t.rec.next(); err == io.EOF {
			return nil, f.fail(1, "", "the table is empty; want a row of column names")
		} else if err != nil {
			return nil, err
		}
	}
	t.name(t.row)
	return t, nil
}

// name names the columns.
func (t *Table) name(cells []string) {
	t.header = headerOf(cells)
	for _, name := range cells {
		t.keys = append(t.keys, columnKey(name))
	}
}

// headerOf names the columns of a table: empty names and those that stand twice get one.
func headerOf(cells []string) []string {
	names := make([]string, len(cells))
	seen := map[string]int{}
	for i, c := range cells {
		name := clip(strings.TrimSpace(c))
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		names[i] = name
	}
	return names
}

// columnKey is a column's name for comparing: without case, spaces, hyphens and underscores.
func columnKey(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '_' || r == '-' || r == '\u00a0' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// Header returns the names of the columns. The caller must not change it.
func (t *Table) Header() []string { return t.header }

// Column returns the index of the column that has the first of the names, in whatever case and spacing, or else the
// next; -1 when there is none.
func (t *Table) Column(names ...string) int {
	for _, name := range names {
		if i := slices.Index(t.keys, columnKey(name)); i >= 0 {
			return i
		}
	}
	return -1
}

// Require is Column, and an error that names the columns there are.
func (t *Table) Require(names ...string) (int, error) {
	if i := t.Column(names...); i >= 0 {
		return i, nil
	}
	return -1, t.file.fail(1, names[0], fmt.Sprintf("the table has no such column; it has %s", listed(t.header)))
}

// Next reads a row, and leaves out those that do not fit the header. It returns io.EOF after the last.
func (t *Table) Next() error {
	for {
		if t.rows++; t.rows%1024 == 0 && t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		row, line, err := t.rec.next()
		if err != nil {
			return err
		}
		if len(row) == 0 {
			continue
		}
		t.row, t.line = row, line
		t.sink.Row(line)
		if len(row) == len(t.header) && t.rec.fault() == "" {
			return nil
		}
		msg := t.rec.fault()
		if msg == "" {
			msg = fmt.Sprintf("the row has %d cells, the first row %d", len(row), len(t.header))
		}
		if err := t.sink.Skip(Skipped{Line: line, Reason: BadValue, Message: msg}); err != nil {
			return err
		}
	}
}

// each calls read for every row.
func (t *Table) each(read func() error) error {
	for {
		switch err := t.Next(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := read(); err != nil {
			return err
		}
	}
}

// Cell is a cell of the row, without spaces around it; "" for column -1. It stays valid.
func (t *Table) Cell(i int) string {
	if i < 0 {
		return ""
	}
	return trimmed(t.row[i])
}

// trimmed is strings.TrimSpace, at once for the most of all cells: a table of prices has fifteen million of them.
func trimmed(s string) string {
	visible := func(c byte) bool { return c > ' ' && c < 0x7f }
	if s == "" || visible(s[0]) && visible(s[len(s)-1]) {
		return s
	}
	return strings.TrimSpace(s)
}

// Line is where the row begins.
func (t *Table) Line() int { return t.line }

// Skip reports a column of the row as skipped; column -1 is the whole row, and name is the card in it.
func (t *Table) Skip(reason Reason, name string, column int, msg string) error {
	l := Skipped{Line: t.line, Name: clip(name), Reason: reason, Message: msg}
	if column >= 0 {
		l.Field = t.header[column]
	}
	return t.sink.Skip(l)
}

// listed joins names for a message, the first of many.
func listed(names []string) string {
	const most = 30
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
