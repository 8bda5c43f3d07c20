package tablefile

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Values of Parquet's own enumerations (apache/parquet-format, parquet.thrift).
const (
	ofBoolean, ofDouble, ofByteArray = 0, 5, 6
	optional                         = 1
	utf8Text                         = 0 // converted type
	plain, rle                       = 0, 3
	uncompressed                     = 0
	dataPage                         = 0
	magic                            = "PAR1" // at both ends of a file
)

// Parquet writes the table as one row group with a column chunk of one plain, uncompressed page for each column, all of
// them optional; meta are keys and values by turns for its metadata. Equal tables give equal bytes.
func (t *Table) Parquet(meta ...string) []byte {
	var b bytes.Buffer
	b.WriteString(magic)
	kinds := t.kinds()
	chunks := make([]chunk, len(t.Columns))
	for i := range t.Columns {
		chunks[i] = t.writeChunk(&b, i, kinds[i])
	}
	footer := t.footer(kinds, chunks, meta)
	b.Write(footer)
	_ = binary.Write(&b, binary.LittleEndian, uint32(len(footer)))
	b.WriteString(magic)
	return b.Bytes()
}

// A chunk is where the values of a column are.
type chunk struct{ offset, size int64 }

func physical(k kind) int64 {
	return map[kind]int64{text: ofByteArray, number: ofDouble, truth: ofBoolean}[k]
}

func (t *Table) writeChunk(b *bytes.Buffer, column int, k kind) chunk {
	there := make([]bool, len(t.Rows))
	var values bytes.Buffer
	var bits []bool
	for i, row := range t.Rows {
		cell := row[column]
		if there[i] = cell != ""; !there[i] {
			continue
		}
		switch k {
		case number:
			_ = binary.Write(&values, binary.LittleEndian, math.Float64bits(numberOf(cell)))
		case truth:
			bits = append(bits, cell == "true")
		default:
			_ = binary.Write(&values, binary.LittleEndian, uint32(len(cell)))
			values.WriteString(cell)
		}
	}
	values.Write(packed(bits))
	// Definition levels: one run of groups of eight bits, 1 for a value that is there.
	levels := binary.AppendUvarint(nil, uint64((len(there)+7)/8)<<1|1)
	levels = append(levels, packed(there)...)
	page := binary.LittleEndian.AppendUint32(nil, uint32(len(levels)))
	page = append(append(page, levels...), values.Bytes()...)

	var head thrift
	head.i32(1, dataPage)
	head.i32(2, int64(len(page)))
	head.i32(3, int64(len(page)))
	head.structure(5, func() { // data_page_header
		head.i32(1, int64(len(t.Rows)))
		head.i32(2, plain)
		head.i32(3, rle)
		head.i32(4, rle)
	})
	head.end()
	at := chunk{int64(b.Len()), int64(len(head.b) + len(page))}
	b.Write(head.b)
	b.Write(page)
	return at
}

// packed are bits, the first in the lowest place of the first byte.
func packed(bits []bool) []byte {
	out := make([]byte, (len(bits)+7)/8)
	for i, on := range bits {
		if on {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return out
}

// footer is the FileMetaData.
func (t *Table) footer(kinds []kind, chunks []chunk, meta []string) []byte {
	var f thrift
	rows := int64(len(t.Rows))
	f.i32(1, 1) // version
	f.list(2, 1+len(t.Columns), func(i int) {
		if i == 0 {
			f.text(4, "table")
			f.i32(5, int64(len(t.Columns)))
			return
		}
		f.i32(1, physical(kinds[i-1]))
		f.i32(3, optional)
		f.text(4, t.Columns[i-1])
		if kinds[i-1] == text {
			f.i32(6, utf8Text)
		}
	})
	f.i64(3, rows)
	total := int64(0)
	for _, c := range chunks {
		total += c.size
	}
	f.list(4, 1, func(int) {
		f.list(1, len(chunks), func(i int) {
			f.i64(2, chunks[i].offset)
			f.structure(3, func() {
				f.i32(1, physical(kinds[i]))
				f.i32s(2, plain, rle)
				f.texts(3, t.Columns[i])
				f.i32(4, uncompressed)
				f.i64(5, rows)
				f.i64(6, chunks[i].size)
				f.i64(7, chunks[i].size)
				f.i64(9, chunks[i].offset)
			})
		})
		f.i64(2, total)
		f.i64(3, rows)
	})
	f.list(5, len(meta)/2, func(i int) {
		f.text(1, meta[2*i])
		f.text(2, meta[2*i+1])
	})
	f.text(6, "Tianti")
	f.end()
	return f.b
}

// thrift writes Thrift's compact protocol, as much of it as Parquet's metadata needs.
type thrift struct {
	b     []byte
	last  int16   // id of the field before
	outer []int16 // of the structures around
}

// Types of fields.
const (
	typeFalse, typeI32, typeI64, typeBinary, typeList, typeStruct = 2, 5, 6, 8, 9, 12
)

func (t *thrift) field(id int16, kind byte) {
	if delta := id - t.last; delta > 0 && delta < 16 {
		t.b = append(t.b, byte(delta)<<4|kind)
	} else {
		t.b = append(t.b, kind)
		t.varint(int64(id))
	}
	t.last = id
}

// varint is a number in zigzag form.
func (t *thrift) varint(n int64) { t.b = binary.AppendVarint(t.b, n) }

func (t *thrift) i32(id int16, n int64) { t.field(id, typeI32); t.varint(n) }

func (t *thrift) i64(id int16, n int64) { t.field(id, typeI64); t.varint(n) }

// no is a truth value, which stands in the head of its field.
func (t *thrift) no(id int16) { t.field(id, typeFalse) }

func (t *thrift) bytes(s string) {
	t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
}

func (t *thrift) text(id int16, s string) { t.field(id, typeBinary); t.bytes(s) }

func (t *thrift) listHead(id int16, kind byte, n int) {
	t.field(id, typeList)
	if n < 15 {
		t.b = append(t.b, byte(n)<<4|kind)
		return
	}
	t.b = binary.AppendUvarint(append(t.b, 0xf0|kind), uint64(n))
}

func (t *thrift) i32s(id int16, list ...int64) {
	t.listHead(id, typeI32, len(list))
	for _, n := range list {
		t.varint(n)
	}
}

func (t *thrift) texts(id int16, list ...string) {
	t.listHead(id, typeBinary, len(list))
	for _, s := range list {
		t.bytes(s)
	}
}

// list writes structures.
func (t *thrift) list(id int16, n int, each func(i int)) {
	t.listHead(id, typeStruct, n)
	for i := range n {
		t.inside(func() { each(i) })
	}
}

func (t *thrift) structure(id int16, fields func()) {
	t.field(id, typeStruct)
	t.inside(fields)
}

func (t *thrift) inside(fields func()) {
	t.outer = append(t.outer, t.last)
	t.last = 0
	fields()
	t.end()
	t.last = t.outer[len(t.outer)-1]
	t.outer = t.outer[:len(t.outer)-1]
}

func (t *thrift) end() { t.b = append(t.b, 0) }
