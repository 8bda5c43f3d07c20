package tables

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// openJSON finds the tables of a JSON file: lists of records or of rows wherever they stand, records one after another
// (JSON Lines), objects that hold records by their names, lists side by side that are columns.
func openJSON(text *kept, lim Limits) (*File, error) {
	f := &finder{text: text, lim: lim, j: jsonReaderOf(text, 1, lim)}
	f.j.begin("what stands outside of lists of records", outsideMost)
	t, err := f.j.token()
	if err == io.EOF {
		return nil, fail("", 1, "", "the JSON is empty; want records")
	} else if err != nil {
		return nil, err
	}
	root, err := f.node(t)
	if err != nil {
		return nil, err
	}
	end := f.j.dec.InputOffset()
	next, err := f.j.token()
	switch {
	case err == nil:
		return f.lines(end, next)
	case err != io.EOF:
		return nil, err
	}
	if err := f.walk(nil, root); err != nil {
		return nil, err
	}
	if len(f.found) == 0 && root.kind == '{' && len(root.kids) > 0 {
		if err := f.tree("", nil, []*node{root}, nil); err != nil {
			return nil, err
		}
	}
	return f.file()
}

// finder looks for tables.
type finder struct {
	text *kept
	lim  Limits
	j    *jsonReader

	found []*jsonTable
}

// A jsonTable is records that have a layout in common.
type jsonTable struct {
	path    []string
	shape   *shape
	streams []stream // where they stand in the file, or
	kids    []*node  // in memory,
	keys    []string // with their names
	named   string   // the column of those; "" none
	cells   *Table   // a table that is no list of records
}

// A stream is a list of records in the file.
type stream struct {
	key string // that tells it from others beside it
	at  *node
}

// node reads a value into memory, but for lists of records and of rows.
func (f *finder) node(t json.Token) (*node, error) {
	d, ok := t.(json.Delim)
	if !ok || d == '[' {
		if ok {
			return f.list()
		}
		if err := f.j.count(); err != nil {
			return nil, err
		}
		return scalarOf(t), nil
	}
	if err := f.j.count(); err != nil {
		return nil, err
	}
	n := &node{kind: '{'}
	for {
		t, err := f.j.inside()
		if err != nil {
			return nil, err
		}
		if d, ok := t.(json.Delim); ok && d == '}' {
			return n, nil
		}
		key := t.(string)
		if t, err = f.j.inside(); err != nil {
			return nil, err
		}
		kid, err := f.node(t)
		if err != nil {
			return nil, err
		}
		n.keys, n.kids = append(n.keys, key), append(n.kids, kid)
	}
}

// list reads a list whose bracket has been read: of records or rows only their shape.
func (f *finder) list() (*node, error) {
	offset, line := f.j.dec.InputOffset()-1, f.j.line()
	n := &node{kind: '['}
	if err := f.j.count(); err != nil {
		return nil, err
	}
	for {
		t, err := f.j.inside()
		if err != nil {
			return nil, err
		}
		d, nested := t.(json.Delim)
		if nested && d == ']' {
			return n, nil
		}
		if nested && len(n.kids) == 0 {
			return f.stream(&node{kind: '*', inFile: &inFile{offset: offset, line: line, rows: d == '['}}, t)
		}
		kid, err := f.j.value(t)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
}

// stream learns the shape of the records or rows of a list, from the first token of the first on.
func (f *finder) stream(n *node, t json.Token) (*node, error) {
	began, most, nodes, what := f.j.began, f.j.most, f.j.nodes, f.j.what
	start := f.j.dec.InputOffset()
	n.shape = newShape(f.lim.Columns)
	for {
		if d, ok := t.(json.Delim); ok && d == ']' {
			break
		}
		if err := f.learn(n, t); err != nil {
			return nil, err
		}
		var err error
		if t, err = f.j.inside(); err != nil {
			return nil, err
		}
	}
	f.j.began, f.j.most, f.j.nodes, f.j.what = began+f.j.dec.InputOffset()-start, most, nodes, what
	return n, nil
}

func (f *finder) learn(n *node, t json.Token) error {
	line := f.j.line()
	f.j.begin("a record", recordBytes)
	record, err := f.j.value(t)
	if err != nil {
		return err
	}
	if record.kind == '{' && !n.rows {
		return n.shape.learn(record, line)
	}
	if record.kind == '[' && n.rows {
		if n.shape.seen == 0 {
			n.width = len(record.kids)
			for _, k := range record.kids {
				n.first = append(n.first, k.cell())
			}
			if n.width > f.lim.Columns {
				return fail("", line, "", "the row has more than %d columns; want fewer", f.lim.Columns)
			}
		}
		n.shape.seen++
	}
	return nil
}

// lines makes a table of values that follow one another. The first, which was read as a whole file is, is read again;
// of the second the first token has been read.
func (f *finder) lines(end int64, t json.Token) (*File, error) {
	n := &node{kind: '*', inFile: &inFile{offset: -1, line: 1, shape: newShape(f.lim.Columns)}}
	first := newJSONReader(f.text, 0, end, 1, f.lim)
	rest := f.j
	f.j = first
	start, err := first.inside()
	if err != nil {
		return nil, err
	}
	if err := f.learn(n, start); err != nil {
		return nil, err
	}
	for f.j = rest; err == nil; t, err = f.j.token() {
		if err := f.learn(n, t); err != nil {
			return nil, err
		}
	}
	if err != io.EOF {
		return nil, err
	}
	if n.shape.seen == 0 {
		return nil, fail("", 1, "", "the file has values one after another, but no records; want objects")
	}
	f.found = append(f.found, &jsonTable{shape: n.shape, streams: []stream{{at: n}}})
	return f.file()
}

// walk finds the tables below a value.
func (f *finder) walk(path []string, n *node) error {
	if n.kind == '*' {
		return f.listed(path, n, nil)
	}
	if n.kind != '{' {
		return nil
	}
	if err := f.columns(path, n); err != nil {
		return err
	}
	if named := f.byName(n); named != nil {
		return f.tree("name", path, named.kids, named.keys)
	}
	for i, k := range n.kids {
		at := append(slices.Clone(path), n.keys[i])
		var err error
		if k.kind == '*' {
			err = f.listed(at, k, n)
		} else {
			err = f.walk(at, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// listed adds a list of records or of rows, whose columns may stand beside it.
func (f *finder) listed(path []string, n, beside *node) error {
	if !n.rows {
		if n.shape.seen > 0 {
			f.found = append(f.found, &jsonTable{path: path, shape: n.shape, streams: []stream{{at: n}}})
		}
		return nil
	}
	skip, header := 1, n.first
	if beside != nil {
		for _, key := range []string{"columns", "header", "headers", "fields", "names"} {
			if h := beside.member(key); h != nil && h.kind == '[' && len(h.kids) == n.width && h.plain() {
				skip, header = 0, nil
				for _, k := range h.kids {
					header = append(header, k.cell())
				}
				break
			}
		}
	}
	if n.width < 2 || n.shape.seen <= skip {
		return nil
	}
	t := &Table{Name: strings.Join(path, "."), Columns: named(header)}
	t.open = func(context.Context) (source, error) {
		s := &jsonRows{f: f, layout: &layout{columns: t.Columns}, streams: []stream{{at: n}}, skip: skip}
		return s, nil
	}
	f.found = append(f.found, &jsonTable{path: path, cells: t})
	return nil
}

// columns adds lists side by side, all of one length, as a table.
func (f *finder) columns(path []string, n *node) error {
	var names []string
	var lists []*node
	for i, k := range n.kids {
		if k.kind == '[' && len(k.kids) > 1 && k.plain() {
			names, lists = append(names, n.keys[i]), append(lists, k)
		}
	}
	if len(lists) < 2 || slices.ContainsFunc(lists, func(k *node) bool { return len(k.kids) != len(lists[0].kids) }) {
		return nil
	}
	t := &Table{Name: strings.Join(path, "."), Columns: named(names)}
	t.open = func(context.Context) (source, error) {
		at := -1
		return rowFunc(func() ([]string, int, error) {
			if at++; at == len(lists[0].kids) {
				return nil, 0, io.EOF
			}
			row := make([]string, len(lists))
			for i, l := range lists {
				row[i] = l.kids[at].cell()
			}
			return row, at + 1, nil
		}), nil
	}
	f.found = append(f.found, &jsonTable{path: path, cells: t})
	return nil
}

// byName returns the members of an object that are records: two or more objects, each with a value of its own, most of
// which have a member in common.
func (f *finder) byName(n *node) *node {
	out := &node{kind: '{'}
	common := map[string]int{}
	for i, k := range n.kids {
		if k.kind != '{' || !slices.ContainsFunc(k.kids, (*node).scalar) || streams(k) {
			continue
		}
		out.keys, out.kids = append(out.keys, n.keys[i]), append(out.kids, k)
		for _, key := range k.keys {
			common[key]++
		}
	}
	most := 0
	for _, c := range common {
		most = max(most, c)
	}
	if len(out.kids) < 2 || most < 2 || 2*most < len(out.kids) {
		return nil
	}
	return out
}

// streams reports whether lists of records stand in a value.
func streams(n *node) bool {
	return n.kind == '*' || slices.ContainsFunc(n.kids, streams)
}

// tree adds records in memory.
func (f *finder) tree(named string, path []string, kids []*node, keys []string) error {
	t := &jsonTable{path: path, shape: newShape(f.lim.Columns), kids: kids, keys: keys, named: named}
	for i, k := range kids {
		if err := t.shape.learn(k, i+1); err != nil {
			return err
		}
	}
	f.found = append(f.found, t)
	return nil
}

// rowFunc is a source made of a function.
type rowFunc func() ([]string, int, error)

func (f rowFunc) next() ([]string, int, error) { return f() }
func (f rowFunc) close() error                 { return nil }
