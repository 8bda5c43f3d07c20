package tables

import (
	"slices"
	"strings"
)

// A shape is the columns that records of JSON have: their members, those of objects in them with a dot between, and, of
// records that each hold one list of records, the members of those.
type shape struct {
	columns []string
	at      map[string]int
	lists   []*list // of records in the records
	most    int     // columns
	seen    int     // records
}

// A list is a member of records that holds records itself.
type list struct {
	path string
	in   *shape
}

func newShape(most int) *shape { return &shape{at: map[string]int{}, most: most} }

// learn takes the columns of a record.
func (s *shape) learn(record *node, line int) error {
	s.seen++
	return eachMember("", record, func(path string, v *node) error {
		if v.kind == '[' && records(v) {
			in := s.list(path)
			if in == nil {
				in = newShape(s.most)
				s.lists = append(s.lists, &list{path, in})
			}
			for _, k := range v.kids {
				in.seen++
				if err := eachMember("", k, func(path string, _ *node) error {
					return in.add(path, line)
				}); err != nil {
					return err
				}
			}
		}
		return s.add(path, line)
	})
}

func (s *shape) list(path string) *shape {
	for _, l := range s.lists {
		if l.path == path {
			return l.in
		}
	}
	return nil
}

func (s *shape) add(path string, line int) error {
	if _, ok := s.at[path]; ok {
		return nil
	}
	if len(s.columns) == s.most {
		return fail("", line, clip(path), "the records have more than %d different members; want fewer", s.most)
	}
	s.at[path] = len(s.columns)
	s.columns = append(s.columns, path)
	return nil
}

// records reports whether a list holds nothing but objects.
func records(n *node) bool {
	return len(n.kids) > 0 && !slices.ContainsFunc(n.kids, func(k *node) bool { return k.kind != '{' })
}

// eachMember calls f for the members of a record, those of objects in it under a path with dots.
func eachMember(prefix string, record *node, f func(path string, v *node) error) error {
	for i, key := range record.keys {
		v := record.kids[i]
		var err error
		if v.kind == '{' && len(v.kids) > 0 {
			err = eachMember(prefix+key+".", v, f)
		} else {
			err = f(prefix+key, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A layout says where the cells of a row come from.
type layout struct {
	columns []string
	at      map[string]int // of the members of a record
	inner   string         // the list of records in a record that has a row for each
	in      map[string]int // of the members of those
}

// layout is what the rows of such records look like, behind so many columns that come before.
func (s *shape) layout(before []string) (*layout, error) {
	l := &layout{columns: slices.Clone(before), at: map[string]int{}, in: map[string]int{}}
	expand := len(s.lists) == 1
	if expand {
		l.inner = s.lists[0].path
	}
	for _, c := range s.columns {
		if !expand || c != l.inner {
			l.at[c] = len(l.columns)
			l.columns = append(l.columns, c)
		}
	}
	if expand {
		for _, c := range s.lists[0].in.columns {
			l.in[c] = len(l.columns)
			if slices.Contains(l.columns, c) {
				c = l.inner + "." + c
			}
			l.columns = append(l.columns, c)
		}
	}
	if len(l.columns) > s.most {
		return nil, fail("", 0, "", "the records have more than %d different members; want fewer", s.most)
	}
	return l, nil
}

// A batch is the rows of a record that are still to come.
type batch struct {
	layout *layout
	row    []string // what they have in common
	inner  []*node  // a record in the record for each; of none there is one row
	left   int
}

// rows are those of a record, behind cells that come before.
func (l *layout) rows(before []string, record *node) batch {
	b := batch{layout: l, row: fitted(slices.Clone(before), len(l.columns)), left: 1}
	eachMember("", record, func(path string, v *node) error {
		if i, ok := l.at[path]; ok {
			b.row[i] = strings.TrimSpace(v.cell())
		} else if path == l.inner && v.kind == '[' && records(v) {
			b.inner, b.left = v.kids, len(v.kids)
		}
		return nil
	})
	return b
}

// next is the next row; there is one left.
func (b *batch) next() []string {
	b.left--
	if b.inner == nil {
		return b.row
	}
	row := slices.Clone(b.row)
	eachMember("", b.inner[len(b.inner)-b.left-1], func(path string, v *node) error {
		if i, ok := b.layout.in[path]; ok {
			row[i] = strings.TrimSpace(v.cell())
		}
		return nil
	})
	return row
}
