package tables

import (
	"context"
	"io"
	"strings"
)

// openParquet opens the one table of a Parquet file. Structures of columns have names with dots, lists in a cell are
// its values with commas.
func openParquet(r io.ReaderAt, size int64, lim Limits) (*File, error) {
	c, err := checkParquet(r, size, lim)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range c.leaves {
		names = append(names, l.name)
	}
	rows := int64(0)
	for _, g := range c.groups {
		rows += g.rows
	}
	if rows == 0 {
		return nil, fail("", 0, "", "the Parquet file holds no rows; want some")
	}
	// A row takes a byte for each of its cells and one for itself at least.
	if least := rows * int64(len(names)+1); rows > lim.Bytes || least > freeBytes+lim.Ratio*size {
		return nil, fail("", 0, "footer", "the table has %d rows, which is more than %d times the size of its file; "+
			"want less",
			rows, lim.Ratio)
	}
	t := &Table{Columns: named(names)}
	t.open = func(context.Context) (source, error) { return &parquetRows{file: c}, nil }
	return &File{Tables: []*Table{t}}, nil
}

// parquetRows are the rows of a file, group by group.
type parquetRows struct {
	file   *parquetFile
	group  int // that comes next
	left   int64
	chunks []*chunk
	n      int
}

func (s *parquetRows) close() error { return nil }

func (s *parquetRows) next() ([]string, int, error) {
	for s.left == 0 {
		if s.group == len(s.file.groups) {
			return nil, 0, io.EOF
		}
		g := s.file.groups[s.group]
		s.group++
		s.left, s.chunks = g.rows, nil
		for i, place := range g.columns {
			s.chunks = append(s.chunks, &chunk{file: s.file, leaf: s.file.leaves[i], group: s.group, place: place,
				at: place.from})
		}
	}
	s.left--
	s.n++
	row := make([]string, len(s.chunks))
	for i, c := range s.chunks {
		cell, err := c.cell()
		if err != nil {
			return nil, 0, err
		}
		row[i] = strings.TrimSpace(cell)
	}
	return row, s.n, nil
}

// chunk reads the values of a column of a group.
type chunk struct {
	file  *parquetFile
	leaf  *leaf
	group int
	place chunkPlace
	at    int64 // of the next page

	dictionary *values
	left       int64 // values of the page
	reps, defs *hybrid
	values     decoder
	ahead      bool // the repetition of the next value has been read: it begins a row
	rep        int
}

func (c *chunk) bad(format string, args ...any) error {
	return c.file.bad(c.leaf.name, c.group, format, args...)
}

// cell is the value of the next row, or its values.
func (c *chunk) cell() (string, error) {
	var b strings.Builder
	for n := 0; ; n++ {
		more, err := c.begin()
		if err != nil {
			return "", err
		}
		if !more && n == 0 {
			return "", c.bad("the column has fewer values than rows; want as many")
		}
		if !more || n > 0 && c.rep == 0 {
			return b.String(), nil
		}
		if n == 0 && c.rep != 0 {
			return "", c.bad("the values of a row do not begin with it")
		}
		c.ahead = false
		text, ok, err := c.value()
		if err != nil {
			return "", err
		}
		if !ok {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		if b.WriteString(text); b.Len() > c.file.lim.Cell {
			return "", c.bad("a cell is longer than %d bytes; want shorter ones", c.file.lim.Cell)
		}
	}
}

// begin reads how the next value stands to the one before it; false where there is none.
func (c *chunk) begin() (bool, error) {
	if c.ahead {
		return true, nil
	}
	for c.left == 0 {
		if c.at >= c.place.from+c.place.length {
			return false, nil
		}
		if err := c.page(); err != nil {
			return false, err
		}
	}
	c.left--
	c.rep = 0
	if c.leaf.maxRep > 0 {
		v, ok := c.reps.next()
		if !ok || int(v) > c.leaf.maxRep {
			return false, c.bad("the levels of a page are damaged; want them whole")
		}
		c.rep = int(v)
	}
	c.ahead = true
	return true, nil
}

// value is the value whose repetition has been read; false where it is none.
func (c *chunk) value() (string, bool, error) {
	if c.leaf.maxDef > 0 {
		v, ok := c.defs.next()
		if !ok || int(v) > c.leaf.maxDef {
			return "", false, c.bad("the levels of a page are damaged; want them whole")
		}
		if int(v) < c.leaf.maxDef {
			return "", false, nil
		}
	}
	b, n, ok := c.values.next()
	if !ok {
		return "", false, c.bad("the values of a page are damaged or in a form that is not read; want them whole")
	}
	return c.leaf.text(b, n), true, nil
}

// page begins the next page.
func (c *chunk) page() error {
	head, n, ok, err := c.file.page(c.at, c.place.from+c.place.length)
	if err != nil {
		return err
	}
	if !ok {
		return c.bad("the page at byte %d is damaged; want it whole", c.at)
	}
	unpacked, packed := head.at(2).number, head.at(3).number
	body := make([]byte, packed)
	if _, err := c.file.r.ReadAt(body, c.at+int64(n)); err != nil {
		return err
	}
	at := c.at
	c.at += int64(n) + packed
	switch head.at(1).number {
	case 0: // a page of data
		if body, err = unpackPage(c.place.codec, body, int(unpacked)); err != nil {
			return c.bad("the page at byte %d: %v", at, err)
		}
		ok = c.first(head.at(5), body)
	case 2: // of a dictionary
		if body, err = unpackPage(c.place.codec, body, int(unpacked)); err != nil {
			return c.bad("the page at byte %d: %v", at, err)
		}
		c.dictionary = newValues(c.leaf, body)
		ok = c.dictionary.index(int(head.at(7, 1).number))
	case 3: // of data, version 2
		ok, err = c.second(head.at(8), body, int(unpacked))
	}
	if err == nil && !ok {
		err = c.bad("the page at byte %d is damaged or in a form that is not read; want it whole", at)
	}
	return err
}

// first begins a page of data: levels and values in one.
func (c *chunk) first(head thrift, body []byte) bool {
	c.left = head.at(1).number
	levels := func(most int) *hybrid {
		if len(body) < 4 {
			return nil
		}
		n := int64(little(body[:4]))
		if n > int64(len(body)-4) {
			return nil
		}
		h := &hybrid{b: body[4 : 4+n], width: bitsOf(most)}
		body = body[4+n:]
		return h
	}
	if c.leaf.maxRep > 0 {
		if c.reps = levels(c.leaf.maxRep); c.reps == nil || head.at(4).number != encodedRLE {
			return false
		}
	}
	if c.leaf.maxDef > 0 {
		if c.defs = levels(c.leaf.maxDef); c.defs == nil || head.at(3).number != encodedRLE {
			return false
		}
	}
	return c.decode(head.at(2).number, body)
}

// second begins a page of data whose levels are not packed.
func (c *chunk) second(head thrift, body []byte, unpacked int) (bool, error) {
	c.left = head.at(1).number
	defs, reps := head.at(5).number, head.at(6).number
	if defs < 0 || reps < 0 || defs+reps < 0 || defs+reps > int64(len(body)) || defs+reps > int64(unpacked) {
		return false, nil
	}
	c.reps = &hybrid{b: body[:reps], width: bitsOf(c.leaf.maxRep)}
	c.defs = &hybrid{b: body[reps : reps+defs], width: bitsOf(c.leaf.maxDef)}
	body = body[reps+defs:]
	if !head.has(7) || head.at(7).number == 1 {
		var err error
		if body, err = unpackPage(c.place.codec, body, unpacked-int(reps+defs)); err != nil {
			return false, c.bad("a page: %v", err)
		}
	}
	return c.decode(head.at(4).number, body), nil
}

// decode begins to read the values of a page.
func (c *chunk) decode(encoding int64, body []byte) bool {
	c.values = nil
	switch encoding {
	case encodedPlain:
		c.values = newValues(c.leaf, body)
	case encodedPlainDictionary, encodedDictionary:
		if c.dictionary != nil && len(body) > 0 && body[0] <= 32 {
			c.values = &indexed{of: c.dictionary, at: hybrid{b: body[1:], width: int(body[0])}}
		} else if len(body) == 0 {
			c.values = newValues(c.leaf, nil)
		}
	case encodedRLE:
		if len(body) >= 4 && c.leaf.kind == parquetBool {
			c.values = &flags{hybrid{b: body[4:], width: 1}}
		}
	case encodedDelta:
		if c.leaf.kind == parquetInt32 || c.leaf.kind == parquetInt64 {
			c.values = &deltas{b: body}
		}
	case encodedDeltaLength:
		c.values = newDeltaTexts(body, false)
	case encodedDeltaText:
		c.values = newDeltaTexts(body, true)
	case encodedSplit:
		if w := c.leaf.width; w > 0 && len(body)%w == 0 {
			c.values = &split{leaf: c.leaf, b: body, n: len(body) / w}
		}
	}
	return c.values != nil
}
