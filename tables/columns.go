package tables

import (
	"errors"
	"io"
)

// A Columnar is a Parquet file without missing values whose columns are read by themselves: numbers as numbers, texts
// as bytes, and values that come again and again once. It is safe for concurrent use.
type Columnar struct {
	file *parquetFile
	rows int64
}

// Types of values of a column.
const (
	Int32s = parquetInt32
	Int64s = parquetInt64
	Texts  = parquetBytes
)

// OpenColumnar opens a file. Every length in it is held against the file before anything is made of it.
func OpenColumnar(r io.ReaderAt, size int64, lim Limits) (*Columnar, error) {
	head := make([]byte, 4)
	if n, err := r.ReadAt(head, 0); n < len(head) || string(head) != "PAR1" {
		return nil, errors.Join(fail("", 0, "", "the file is no Parquet file"), err)
	}
	file, err := checkParquet(r, size, lim)
	if err != nil {
		return nil, err
	}
	f := &Columnar{file: file}
	for _, l := range file.leaves {
		if l.maxDef > 0 || l.maxRep > 0 {
			return nil, fail("", 0, clip(l.name), "the column may lack values or have several; want one in every row")
		}
	}
	for i, g := range file.groups {
		f.rows += g.rows
		for j, place := range g.columns {
			n := int64(0)
			for _, p := range place.pages {
				n += p.values
			}
			if n != g.rows {
				return nil, file.bad(file.leaves[j].name, i+1, "the column has %d values for %d rows; want as many", n,
					g.rows)
			}
		}
	}
	return f, nil
}

// Rows is how many rows the file has.
func (f *Columnar) Rows() int64 { return f.rows }

// Columns are the names of the columns, and what their values are.
func (f *Columnar) Columns() (names []string, kinds []int64) {
	for _, l := range f.file.leaves {
		names, kinds = append(names, l.name), append(kinds, l.kind)
	}
	return names, kinds
}

// Groups are the groups of rows: how many rows each of them has.
func (f *Columnar) Groups() []int64 {
	out := make([]int64, len(f.file.groups))
	for i, g := range f.file.groups {
		out[i] = g.rows
	}
	return out
}

// Each passes the values of some rows of a column of a group, equal ones that are kept as such together, until fn
// returns false. fn may not keep the bytes.
func (f *Columnar) Each(group, column int, from, to int64, fn func(from, to int64, text []byte, n int64) bool) error {
	place := f.file.groups[group].columns[column]
	c := &chunk{file: f.file, leaf: f.file.leaves[column], group: group + 1, place: place}
	damaged := func() error { return c.bad("the values of a page are damaged; want them whole") }
	row := int64(0) // with which a page begins
	for _, p := range place.pages {
		end := row + p.values
		if p.values > 0 && (end <= from || row >= to) || p.values == 0 && c.dictionary != nil {
			row = end
			continue
		}
		c.at, c.values = p.at, nil
		if err := c.page(); err != nil {
			return err
		}
		if p.values == 0 { // of the dictionary
			continue
		}
		if c.values == nil {
			return damaged()
		}
		at := max(row, from)
		if !skip(c.values, at-row) {
			return damaged()
		}
		for last := min(end, to); at < last; {
			text, n, same, ok := next(c.values, last-at)
			if !ok {
				return damaged()
			}
			if !fn(at, at+same, text, n) {
				return nil
			}
			at += same
		}
		row = end
	}
	return nil
}

// next is the next value, and how often it comes, up to most times.
func next(d decoder, most int64) (text []byte, n, same int64, ok bool) {
	if v, is := d.(*indexed); is && v.at.run > 1 {
		text, n, ok = v.next()
		same = min(most, int64(v.at.run)+1)
		v.at.run -= uint64(same - 1)
		return text, n, same, ok
	}
	text, n, ok = d.next()
	return text, n, 1, ok
}

// skip leaves out values.
func skip(d decoder, n int64) bool {
	if v, is := d.(*indexed); is {
		return v.at.skip(uint64(n))
	}
	if v, is := d.(*values); is && v.leaf.width > 0 {
		v.at += int(n) * v.leaf.width
		return v.at <= len(v.b)
	}
	for range n {
		if _, _, ok := d.next(); !ok {
			return false
		}
	}
	return true
}

// skip leaves out numbers.
func (h *hybrid) skip(n uint64) bool {
	for n > 0 {
		switch {
		case h.run > 0:
			some := min(n, h.run)
			h.run, n = h.run-some, n-some
		case h.packed > 1:
			some := min(n, h.packed-1)
			h.packed, n = h.packed-some, n-some
			h.at += int(some) * h.width
		default:
			if _, ok := h.next(); !ok {
				return false
			}
			n--
		}
	}
	return true
}
