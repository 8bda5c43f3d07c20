package tables

import (
	"encoding/binary"
	"io"
)

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
func checkParquet(r io.ReaderAt, size int64, lim Limits) (*parquetFile, error) {
	tail := make([]byte, 8)
	if size < 12 {
		return nil, fail("", 0, "", "the Parquet file ends in its header; want it whole")
	}
	_, err := r.ReadAt(tail, size-8)
	if err != nil {
		return nil, err
	}
	switch string(tail[4:]) {
	case "PARE":
		return nil, fail("", 0, "footer", "the Parquet file is encrypted; want it without a key")
	case "PAR1":
	default:
		return nil, fail("", 0, "footer", "the Parquet file ends in the middle; want it whole")
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > size-12 || length > footerBytes {
		return nil, fail("", 0, "footer", "the footer says that it has %d bytes of %d; want at most %d", length, size,
			min(size-12, footerBytes))
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-8-length); err != nil {
		return nil, err
	}
	meta, _, ok := readThrift(footer)
	if !ok {
		return nil, fail("", 0, "footer", "the footer is damaged; want it whole")
	}
	c := &parquetFile{r: r, end: size - 8 - length, lim: lim}
	if c.leaves, err = leavesOf(meta.at(2).list, lim); err != nil {
		return nil, err
	}
	return c, c.readGroups(meta)
}

type parquetFile struct {
	r      io.ReaderAt
	end    int64 // of the pages
	lim    Limits
	leaves []*leaf
	groups []parquetGroup

	pages   int
	largest int64 // page of each column of the group, added up
}

// A parquetGroup is so many rows, and where their columns lie.
type parquetGroup struct {
	rows    int64
	columns []chunkPlace
}

type chunkPlace struct {
	from, length int64
	codec        int64
	pages        []pagePlace
}

// A pagePlace is where a page begins, and how many values it has; one of a dictionary has none.
type pagePlace struct{ at, values int64 }

// bad is an error of a column of a group.
func (c *parquetFile) bad(column string, group int, format string, args ...any) error {
	return fail("", 0, clip(column), "row group %d: "+format, append([]any{group}, args...)...)
}

func (c *parquetFile) readGroups(meta thrift) error {
	var rows int64
	for i, g := range meta.at(4).list {
		n := g.at(3).number
		if rows += n; n < 0 || rows < 0 {
			return fail("", 0, "footer", "row group %d says that it has %d rows; want 0 or more", i+1, n)
		}
		if got := len(g.at(1).list); got != len(c.leaves) {
			return fail("", 0, "footer", "row group %d has %d columns, the schema %d; want as many", i+1,
				got, len(c.leaves))
		}
		c.largest = 0
		group := parquetGroup{rows: n}
		for j, col := range g.at(1).list {
			place, err := c.column(i+1, n, c.leaves[j], col)
			if err != nil {
				return err
			}
			group.columns = append(group.columns, place)
		}
		c.groups = append(c.groups, group)
	}
	if rows != meta.at(3).number {
		return fail("", 0, "footer", "the footer says that there are %d rows, its row groups %d; want as many",
			meta.at(3).number, rows)
	}
	return nil
}

// column follows the pages of a column of a group.
func (c *parquetFile) column(group int, rows int64, of *leaf, col thrift) (place chunkPlace, err error) {
	meta := col.at(3)
	bad := func(format string, args ...any) error { return c.bad(of.name, group, format, args...) }
	if got := meta.at(1).number; got != of.kind {
		return place, bad("the column has values of the type %d, its description of %d; want the same", got, of.kind)
	}
	if col.at(1).text != "" {
		return place, bad("the column lies in another file (%s); want it in this one", clip(col.at(1).text))
	}
	if col.has(8) || col.has(9) {
		return place, bad("the column is encrypted; want it without a key")
	}
	from, length, values := meta.at(9).number, meta.at(7).number, meta.at(5).number
	if d := meta.at(11).number; d > 0 && d < from {
		from = d
	}
	place = chunkPlace{from: from, length: length, codec: meta.at(4).number}
	if from < 4 || length < 0 || from > c.end || length > c.end-from {
		return place, bad("the column lies at byte %d with %d bytes, outside of the pages; want it "+
			"inside", from, length)
	}
	if values < 0 || values < rows {
		return place, bad("the column has %d values for %d rows; want as many", values, rows)
	}
	var largest, got int64
	for at := from; at < from+length; {
		if c.pages++; c.pages > mostPages {
			return place, bad("the file has more than %d pages; want fewer", mostPages)
		}
		page, n, ok, err := c.page(at, from+length)
		if err != nil {
			return place, err
		}
		if !ok {
			return place, bad("the page at byte %d is damaged; want it whole", at)
		}
		unpacked, packed := page.at(2).number, page.at(3).number
		if packed < 0 || unpacked < 0 || packed > from+length-at-int64(n) {
			return place, bad("the page at byte %d says that it has %d bytes, more than there are; want it "+
				"whole", at, packed)
		}
		if unpacked > pageBytes || packed > pageBytes || unpacked > freeBytes+c.lim.Ratio*packed {
			return place, bad("the page at byte %d unpacks from %d bytes to %d; want less", at, packed, unpacked)
		}
		count := page.at(5, 1).number + page.at(8, 1).number
		if dict := page.at(7, 1).number; count < 0 || count > pageValues || dict < 0 || dict > pageValues {
			return place, bad("the page at byte %d says that it has %d values; want at most %d", at, max(count, dict),
				pageValues)
		}
		place.pages = append(place.pages, pagePlace{at, count})
		got += count
		largest = max(largest, unpacked)
		at += int64(n) + packed
	}
	if got != values {
		return place, bad("the column says that it has %d values, its pages %d; want as many", values, got)
	}
	if c.largest += largest; c.largest > groupBytes {
		return place, bad("a page of each column has more than %d bytes; want less", groupBytes)
	}
	return place, nil
}

// page reads the header of a page: mostly it is short.
func (c *parquetFile) page(at, end int64) (t thrift, n int, ok bool, err error) {
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
