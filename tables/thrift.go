package tables

import (
	"encoding/binary"
	"io"
)

// Parquet says in Thrift's compact form where its pages lie and how large they are. The reader of pages believes it; so
// what it says is held against the file first, and every list in it against the bytes that are left.

// Types of the compact form.
const (
	thriftTrue, thriftFalse, thriftByte, thriftI16, thriftI32, thriftI64, thriftDouble = 1, 2, 3, 4, 5, 6, 7
	thriftBinary, thriftList, thriftSet, thriftMap, thriftStruct                       = 8, 9, 10, 11, 12
	thriftDepth                                                                        = 16
)

// A thrift value: a number, or the members of a structure, or the elements of a list.
type thrift struct {
	number  int64
	text    string
	members map[int16]thrift
	list    []thrift
}

func (t thrift) at(path ...int16) thrift {
	for _, id := range path {
		t = t.members[id]
	}
	return t
}

func (t thrift) has(id int16) bool { _, ok := t.members[id]; return ok }

// thriftReader reads values of the compact form.
type thriftReader struct {
	b     []byte
	at    int
	nodes int
	bad   bool
}

// readThrift reads a structure, and returns how many bytes it took; false where the bytes are none.
func readThrift(b []byte) (thrift, int, bool) {
	r := &thriftReader{b: b}
	t := r.structure(0)
	return t, r.at, !r.bad
}

func (r *thriftReader) byte() byte {
	if r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *thriftReader) varint() uint64 {
	v, n := binary.Uvarint(r.b[min(r.at, len(r.b)):])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.at += n
	return v
}

func (r *thriftReader) signed() int64 {
	v := r.varint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *thriftReader) structure(depth int) thrift {
	var out thrift
	if depth > thriftDepth {
		r.bad = true
	}
	var id int16
	for !r.bad {
		head := r.byte()
		if head == 0 {
			break
		}
		if delta := head >> 4; delta > 0 {
			id += int16(delta)
		} else {
			id = int16(r.signed())
		}
		if out.members == nil {
			out.members = map[int16]thrift{}
		}
		out.members[id] = r.value(head&15, depth+1, false)
	}
	return out
}

func (r *thriftReader) value(kind byte, depth int, element bool) (out thrift) {
	const mostNodes = 500_000
	if r.nodes++; r.nodes > mostNodes {
		r.bad = true
	}
	if r.bad {
		return out
	}
	switch kind {
	case thriftTrue, thriftFalse:
		if element {
			kind = r.byte()
		}
		out.number = int64(kind & 1)
	case thriftByte:
		out.number = int64(int8(r.byte()))
	case thriftI16, thriftI32, thriftI64:
		out.number = r.signed()
	case thriftDouble:
		r.skip(8)
	case thriftBinary:
		n := r.varint()
		from := r.at
		if r.skip(n); !r.bad && n < 1000 {
			out.text = string(r.b[from:r.at])
		}
	case thriftList, thriftSet:
		head := r.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = r.varint()
		}
		if n > uint64(len(r.b)-r.at) {
			r.bad = true
		}
		for ; n > 0 && !r.bad; n-- {
			out.list = append(out.list, r.value(head&15, depth+1, true))
		}
	case thriftMap:
		n := r.varint()
		if n == 0 {
			break
		}
		kinds := r.byte()
		if n > uint64(len(r.b)-r.at) {
			r.bad = true
		}
		for ; n > 0 && !r.bad; n-- {
			r.value(kinds>>4, depth+1, true)
			r.value(kinds&15, depth+1, true)
		}
	case thriftStruct:
		return r.structure(depth + 1)
	default:
		r.bad = true
	}
	return out
}

func (r *thriftReader) skip(n uint64) {
	if n > uint64(len(r.b)-r.at) {
		r.bad = true
		return
	}
	r.at += int(n)
}

// Bounds of Parquet beyond Limits.
const (
	footerBytes = 8 << 20
	headerBytes = 64 << 10  // of the header of a page
	pageBytes   = 64 << 20  // of a page
	groupBytes  = 128 << 20 // of a page of each column of a group
	pageValues  = 4 << 20
	mostPages   = 100_000
)

// checkParquet holds what a file says of itself against what it is.
func checkParquet(r io.ReaderAt, size int64, lim Limits) error {
	tail := make([]byte, 8)
	if size < 12 {
		return fail("", 0, "", "the Parquet file ends in its header; want it whole")
	}
	if _, err := r.ReadAt(tail, size-8); err != nil {
		return err
	}
	switch string(tail[4:]) {
	case "PARE":
		return fail("", 0, "footer", "the Parquet file is encrypted; want it without a key")
	case "PAR1":
	default:
		return fail("", 0, "footer", "the Parquet file ends in the middle; want it whole")
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > size-12 || length > footerBytes {
		return fail("", 0, "footer", "the footer says that it has %d bytes of %d; want at most %d", length, size,
			min(size-12, footerBytes))
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-8-length); err != nil {
		return err
	}
	meta, _, ok := readThrift(footer)
	if !ok {
		return fail("", 0, "footer", "the footer is damaged; want it whole")
	}
	c := &parquetCheck{r: r, end: size - 8 - length, lim: lim}
	return c.groups(meta)
}

type parquetCheck struct {
	r     io.ReaderAt
	end   int64 // of the pages
	lim   Limits
	pages int
	// of all columns of the group
	largest int64
}

func (c *parquetCheck) groups(meta thrift) error {
	leaves := 0
	for _, s := range meta.at(2).list {
		if !s.has(5) || s.at(5).number == 0 {
			leaves++
		}
		if s.has(2) && (s.at(2).number < 0 || s.at(2).number > int64(c.lim.Cell)) {
			return fail("", 0, clip(s.at(4).text), "values of the column have %d bytes; want at most %d", s.at(2).number,
				c.lim.Cell)
		}
	}
	if leaves > c.lim.Columns {
		return fail("", 0, "footer", "the table has %d columns; want at most %d", leaves, c.lim.Columns)
	}
	var rows int64
	for i, g := range meta.at(4).list {
		n := g.at(3).number
		if rows += n; n < 0 || rows < 0 {
			return fail("", 0, "footer", "row group %d says that it has %d rows; want 0 or more", i+1, n)
		}
		if got := len(g.at(1).list); got != leaves {
			return fail("", 0, "footer", "row group %d has %d columns, the schema %d; want as many", i+1, got, leaves)
		}
		c.largest = 0
		for _, col := range g.at(1).list {
			if err := c.column(i+1, n, col); err != nil {
				return err
			}
		}
	}
	if rows != meta.at(3).number {
		return fail("", 0, "footer", "the footer says that there are %d rows, its row groups %d; want as many",
			meta.at(3).number, rows)
	}
	return nil
}

// column follows the pages of a column of a group.
func (c *parquetCheck) column(group int, rows int64, col thrift) error {
	meta := col.at(3)
	name := ""
	for _, p := range meta.at(3).list {
		if name != "" {
			name += "."
		}
		name += p.text
	}
	bad := func(format string, args ...any) error {
		return fail("", 0, clip(name), "row group %d: "+format, append([]any{group}, args...)...)
	}
	if col.at(1).text != "" {
		return bad("the column lies in another file (%s); want it in this one", clip(col.at(1).text))
	}
	if col.has(8) || col.has(9) {
		return bad("the column is encrypted; want it without a key")
	}
	from, length, values := meta.at(9).number, meta.at(7).number, meta.at(5).number
	if d := meta.at(11).number; d > 0 && d < from {
		from = d
	}
	if from < 4 || length < 0 || from > c.end || length > c.end-from {
		return bad("the column lies at byte %d with %d bytes, outside of the pages; want it inside", from, length)
	}
	if values < 0 || values < rows {
		return bad("the column has %d values for %d rows; want as many", values, rows)
	}
	var largest, got int64
	for at := from; at < from+length; {
		if c.pages++; c.pages > mostPages {
			return bad("the file has more than %d pages; want fewer", mostPages)
		}
		page, n, ok, err := c.page(at, from+length)
		if err != nil {
			return err
		}
		if !ok {
			return bad("the page at byte %d is damaged; want it whole", at)
		}
		unpacked, packed := page.at(2).number, page.at(3).number
		if packed < 0 || unpacked < 0 || packed > from+length-at-int64(n) {
			return bad("the page at byte %d says that it has %d bytes, more than there are; want it whole", at, packed)
		}
		if unpacked > pageBytes || unpacked > freeBytes+c.lim.Ratio*packed {
			return bad("the page at byte %d unpacks from %d bytes to %d; want less", at, packed, unpacked)
		}
		count := page.at(5, 1).number + page.at(8, 1).number
		if dict := page.at(7, 1).number; count < 0 || count > pageValues || dict < 0 || dict > pageValues {
			return bad("the page at byte %d says that it has %d values; want at most %d", at, max(count, dict), pageValues)
		}
		got += count
		largest = max(largest, unpacked)
		at += int64(n) + packed
	}
	if got != values {
		return bad("the column says that it has %d values, its pages %d; want as many", values, got)
	}
	if c.largest += largest; c.largest > groupBytes {
		return bad("a page of each column has more than %d bytes; want less", groupBytes)
	}
	return nil
}

// page reads the header of a page: mostly it is short.
func (c *parquetCheck) page(at, end int64) (t thrift, n int, ok bool, err error) {
	for _, most := range []int64{512, headerBytes} {
		head := make([]byte, min(most, end-at))
		if _, err = c.r.ReadAt(head, at); err != nil {
			return t, 0, false, err
		}
		if t, n, ok = readThrift(head); ok {
			break
		}
	}
	return t, n, ok, nil
}
