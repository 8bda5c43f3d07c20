package tables

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// file puts what was found together: records beside one another that differ in one name of their path are one table,
// with a column of that name.
func (f *finder) file() (*File, error) {
	out := &File{}
	var done []*jsonTable
	for _, t := range f.found {
		if t.cells != nil {
			out.Tables = append(out.Tables, t.cells)
			continue
		}
		if !slices.ContainsFunc(done, func(to *jsonTable) bool { return to.join(t) }) {
			done = append(done, t)
		}
	}
	for _, t := range done {
		table, err := f.table(t)
		if err != nil {
			return nil, err
		}
		out.Tables = append(out.Tables, table)
	}
	return out, nil
}

// join takes the records of another table over, where they belong together.
func (t *jsonTable) join(o *jsonTable) bool {
	if len(t.path) != len(o.path) || len(t.streams) == 0 || len(o.streams) == 0 {
		return false
	}
	differ := -1
	for i := range t.path {
		if t.path[i] != o.path[i] && t.path[i] != "*" {
			if differ >= 0 {
				return false
			}
			differ = i
		} else if t.path[i] == "*" {
			differ = i
		}
	}
	alike := 0
	for _, c := range o.shape.columns {
		if _, ok := t.shape.at[c]; ok {
			alike++
		}
	}
	if differ < 0 || 2*alike < max(len(o.shape.columns), len(t.shape.columns)) {
		return false
	}
	if t.path[differ] != "*" {
		t.streams[0].key = t.path[differ]
		t.path = slices.Clone(t.path)
		t.path[differ] = "*"
	}
	t.streams = append(t.streams, stream{o.path[differ], o.streams[0].at})
	for _, c := range o.shape.columns {
		if _, ok := t.shape.at[c]; !ok {
			t.shape.at[c] = len(t.shape.columns)
			t.shape.columns = append(t.shape.columns, c)
		}
	}
	for _, l := range o.shape.lists {
		if t.shape.list(l.path) == nil {
			t.shape.lists = append(t.shape.lists, l)
		}
	}
	return true
}

func (f *finder) table(t *jsonTable) (*Table, error) {
	var before []string
	if len(t.streams) > 1 {
		t.named = "key"
	}
	if t.named != "" {
		if _, taken := t.shape.at[t.named]; taken {
			t.named = "key"
		}
		before = append(before, t.named)
	}
	l, err := t.shape.layout(before)
	if err != nil {
		return nil, err
	}
	out := &Table{Name: strings.Join(t.path, "."), Columns: named(l.columns)}
	out.open = func(context.Context) (source, error) {
		if t.streams != nil {
			return &jsonRows{f: f, layout: l, streams: t.streams, keyed: t.named != ""}, nil
		}
		return &treeRows{t: t, layout: l}, nil
	}
	return out, nil
}

// treeRows are the rows of records in memory.
type treeRows struct {
	t      *jsonTable
	layout *layout
	at     int
	rows   batch
}

func (s *treeRows) next() ([]string, int, error) {
	for s.rows.left == 0 {
		if s.at == len(s.t.kids) {
			return nil, 0, io.EOF
		}
		var before []string
		if s.t.named != "" {
			before = []string{s.t.keys[s.at]}
		}
		s.rows = s.layout.rows(before, s.t.kids[s.at])
		s.at++
	}
	return s.rows.next(), s.at, nil
}

func (s *treeRows) close() error { return nil }

// jsonRows are the rows of records in the file.
type jsonRows struct {
	f       *finder
	layout  *layout
	streams []stream
	keyed   bool
	skip    int // of the rows of a list of rows

	at   int // of the stream
	j    *jsonReader
	line int
	rows batch
}

func (s *jsonRows) next() ([]string, int, error) {
	for s.rows.left == 0 {
		if s.at == len(s.streams) {
			return nil, 0, io.EOF
		}
		if err := s.record(s.streams[s.at]); err == io.EOF {
			s.at, s.j = s.at+1, nil
		} else if err != nil {
			return nil, 0, err
		}
	}
	return s.rows.next(), s.line, nil
}

// record reads the rows of the next record of a stream; io.EOF after the last.
func (s *jsonRows) record(of stream) error {
	if s.j == nil {
		s.j = newJSONReader(s.f.text, max(0, of.at.offset), s.f.text.size, of.at.line, s.f.lim)
		if of.at.offset >= 0 {
			if _, err := s.j.inside(); err != nil {
				return err
			}
		}
	}
	t, err := s.j.token()
	if err != nil {
		return err
	}
	if d, ok := t.(json.Delim); ok && d == ']' {
		return io.EOF
	}
	s.line = s.j.line()
	s.j.begin("a record", recordBytes)
	n, err := s.j.value(t)
	switch {
	case err != nil:
		return err
	case of.at.rows && n.kind == '[':
		if s.skip > 0 {
			s.skip--
			return nil
		}
		row := make([]string, len(n.kids))
		for i, k := range n.kids {
			row[i] = k.cell()
		}
		for len(row) < len(s.layout.columns) {
			row = append(row, "")
		}
		s.rows = batch{row: row, left: 1}
	case !of.at.rows && n.kind == '{':
		var before []string
		if s.keyed {
			before = []string{of.key}
		}
		s.rows = s.layout.rows(before, n)
	}
	return nil
}

func (s *jsonRows) close() error { return nil }
