package tablefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A ColumnKind is what the values of a column are.
type ColumnKind uint8

// Kinds of columns.
const (
	Texts  ColumnKind = iota // by number, in a dictionary: for words that come again
	Int32s                   // as they are
	Int64s
	Steps // 64 bits, by what each differs from the one before
)

// A Column is one of a file that [Columns] writes. Every row has a value.
type Column struct {
	Name             string
	Kind             ColumnKind
	Scale, Precision int // of whole numbers that stand for decimals: digits behind the point, and all of them
}

// Columns writes a Parquet file of many rows, which are given column by column or row by row: one row group with pages
// of ten thousand rows, compressed by Zstandard, with the least and greatest value of each column. Equal values give
// equal bytes.
type Columns struct {
	w       io.Writer
	columns []written
	sorted  []int
}

// A written column holds its values until the file is closed.
type written struct {
	Column
	number map[string]uint32
	words  []string
	at     []uint32 // words by number
	list   []int64

	first, dictionary, offset int64 // bytes in the file: of all, of the words or -1, of the values
	packed, unpacked          int64
}

// NewColumns begins a file whose rows are sorted by some of the columns.
func NewColumns(w io.Writer, columns []Column, sorted ...int) *Columns {
	c := &Columns{w: w, sorted: sorted}
	for _, column := range columns {
		c.columns = append(c.columns, written{Column: column, number: map[string]uint32{}})
	}
	return c
}

// Text adds a value to a column of texts.
func (c *Columns) Text(column int, text string) {
	to := &c.columns[column]
	n, known := to.number[text]
	if !known {
		n = uint32(len(to.words))
		to.words = append(to.words, text)
		to.number[text] = n
	}
	to.at = append(to.at, n)
}

// Int adds a value to a column of numbers.
func (c *Columns) Int(column int, n int64) {
	to := &c.columns[column]
	to.list = append(to.list, n)
}

func (w *written) rows() int { return max(len(w.at), len(w.list)) }

// What Parquet calls encodings, kinds of pages and compression.
const (
	deltaPacked, byDictionary = 5, 8
	dictionaryPage            = 2
	zstandard                 = 6
	ofInt32, ofInt64          = 1, 2
	required                  = 0
	asDecimal                 = 5 // converted type, and member of the logical one
	pageRows                  = 10_000
)

var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		panic(err) // the options are right
	}
	return e
})

// Close writes the file.
func (c *Columns) Close() error {
	rows := c.columns[0].rows()
	var b bytes.Buffer
	at := int64(0)
	flush := func() error {
		at += int64(b.Len())
		_, err := b.WriteTo(c.w)
		return err
	}
	b.WriteString(magic)
	for i := range c.columns {
		w := &c.columns[i]
		if w.rows() != rows {
			return fmt.Errorf("column %s has %d values, want %d", w.Name, w.rows(), rows)
		}
		w.first, w.dictionary = at+int64(b.Len()), -1
		if w.Kind == Texts {
			w.dictionary = w.first
			w.page(&b, dictionaryPage, plain, len(w.words), plainTexts(w.words))
		}
		w.offset = at + int64(b.Len())
		for from := 0; from < rows || from == 0; from += pageRows {
			to := min(rows, from+pageRows)
			encoding, body := w.encode(from, to)
			w.page(&b, dataPage, encoding, to-from, body)
		}
		w.packed = at + int64(b.Len()) - w.first
		if err := flush(); err != nil {
			return err
		}
	}
	footer := c.footer(int64(rows))
	b.Write(footer)
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	b.WriteString(magic)
	return flush()
}

func plainTexts(words []string) (b []byte) {
	for _, word := range words {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(word))), word...)
	}
	return b
}

// encode are the values of some rows.
func (w *written) encode(from, to int) (encoding int64, b []byte) {
	switch w.Kind {
	case Texts:
		width := max(1, bits.Len(uint(max(0, len(w.words)-1))))
		return byDictionary, hybrid([]byte{byte(width)}, w.at[from:to], width)
	case Int32s:
		for _, n := range w.list[from:to] {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	case Int64s:
		for _, n := range w.list[from:to] {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
	case Steps:
		return deltaPacked, steps(w.list[from:to])
	}
	return plain, b
}

// page writes a page behind its header.
func (w *written) page(b *bytes.Buffer, kind, encoding int64, values int, body []byte) {
	packed := packer().EncodeAll(body, nil)
	var head thrift
	head.i32(1, kind)
	head.i32(2, int64(len(body)))
	head.i32(3, int64(len(packed)))
	if kind == dictionaryPage {
		head.structure(7, func() {
			head.i32(1, int64(values))
			head.i32(2, encoding)
		})
	} else {
		head.structure(5, func() {
			head.i32(1, int64(values))
			head.i32(2, encoding)
			head.i32(3, rle)
			head.i32(4, rle)
		})
	}
	head.end()
	b.Write(head.b)
	b.Write(packed)
	w.unpacked += int64(len(head.b) + len(body))
}

// hybrid appends small numbers: runs of eight and more as runs, others packed by bits, eight at a time.
func hybrid(b []byte, list []uint32, width int) []byte {
	equal := func(i, most int) (n int) {
		for n = 1; n < most && i+n < len(list) && list[i+n] == list[i]; n++ {
		}
		return n
	}
	for i := 0; i < len(list); {
		if equal(i, 8) == 8 {
			n := equal(i, len(list))
			b = binary.AppendUvarint(b, uint64(n)<<1)
			b = append(b, binary.LittleEndian.AppendUint32(nil, list[i])[:(width+7)/8]...)
			i += n
			continue
		}
		from := i
		for i < len(list) && equal(i, 8) < 8 {
			i += 8
		}
		i = min(i, len(list))
		groups := (i - from + 7) / 8
		b = binary.AppendUvarint(b, uint64(groups)<<1|1)
		end := len(b) + groups*width
		p := bitWriter{b: b}
		for _, n := range list[from:i] {
			p.put(uint64(n), width)
		}
		b = append(p.b, make([]byte, end-len(p.b))...)
	}
	return b
}

// steps are numbers by what they differ in, in blocks of four times 32.
func steps(list []int64) []byte {
	const block, minis = 128, 4
	b := binary.AppendUvarint(nil, block)
	b = binary.AppendUvarint(b, minis)
	b = binary.AppendUvarint(b, uint64(len(list)))
	if len(list) == 0 {
		return binary.AppendVarint(b, 0)
	}
	b = binary.AppendVarint(b, list[0])
	deltas := make([]int64, len(list)-1)
	for i := range deltas {
		deltas[i] = list[i+1] - list[i]
	}
	for part := range slices.Chunk(deltas, block) {
		least := slices.Min(part)
		b = binary.AppendVarint(b, least)
		widths := len(b)
		b = append(b, make([]byte, minis)...)
		i := 0
		for mini := range slices.Chunk(part, block/minis) {
			width := 0
			for _, d := range mini {
				width = max(width, bits.Len64(uint64(d-least)))
			}
			b[widths+i] = byte(width)
			i++
			end := len(b) + block/minis*width/8
			p := bitWriter{b: b}
			for _, d := range mini {
				p.put(uint64(d-least), width)
			}
			b = append(p.b, make([]byte, end-len(p.b))...)
		}
	}
	return b
}

// A bitWriter appends numbers of some bits, the lowest first.
type bitWriter struct {
	b    []byte
	used int // bits of the last byte; 0 where it is full
}

func (p *bitWriter) put(v uint64, width int) {
	for width > 0 {
		if p.used == 0 {
			p.b = append(p.b, 0)
		}
		n := min(8-p.used, width)
		p.b[len(p.b)-1] |= byte(v&(1<<n-1)) << p.used
		v >>= n
		width -= n
		p.used = (p.used + n) % 8
	}
}

// bounds are the least and the greatest value as files have them; texts of a few bytes alone.
func (w *written) bounds() (least, greatest []byte) {
	const most = 64
	switch {
	case w.rows() == 0:
	case w.Kind == Texts:
		a, z := slices.Min(w.words), slices.Max(w.words)
		if len(a) <= most && len(z) <= most {
			return []byte(a), []byte(z)
		}
	case w.Kind == Int32s:
		return binary.LittleEndian.AppendUint32(nil, uint32(slices.Min(w.list))),
			binary.LittleEndian.AppendUint32(nil, uint32(slices.Max(w.list)))
	default:
		return binary.LittleEndian.AppendUint64(nil, uint64(slices.Min(w.list))),
			binary.LittleEndian.AppendUint64(nil, uint64(slices.Max(w.list)))
	}
	return nil, nil
}

func (w *written) physical() int64 {
	return []int64{Texts: ofByteArray, Int32s: ofInt32, Int64s: ofInt64, Steps: ofInt64}[w.Kind]
}

// footer is the FileMetaData.
func (c *Columns) footer(rows int64) []byte {
	var f thrift
	f.i32(1, 2) // version
	f.list(2, 1+len(c.columns), func(i int) {
		if i == 0 {
			f.text(4, "rows")
			f.i32(5, int64(len(c.columns)))
			return
		}
		w := &c.columns[i-1]
		f.i32(1, w.physical())
		f.i32(3, required)
		f.text(4, w.Name)
		switch {
		case w.Kind == Texts:
			f.i32(6, utf8Text)
			f.structure(10, func() { f.structure(1, func() {}) })
		case w.Precision > 0:
			f.i32(6, asDecimal)
			f.i32(7, int64(w.Scale))
			f.i32(8, int64(w.Precision))
			f.structure(10, func() {
				f.structure(asDecimal, func() {
					f.i32(1, int64(w.Scale))
					f.i32(2, int64(w.Precision))
				})
			})
		}
	})
	f.i64(3, rows)
	f.list(4, 1, func(int) {
		packed, unpacked := int64(0), int64(0)
		f.list(1, len(c.columns), func(i int) {
			w := &c.columns[i]
			packed, unpacked = packed+w.packed, unpacked+w.unpacked
			f.i64(2, w.first)
			f.structure(3, func() { w.meta(&f, rows) })
		})
		f.i64(2, unpacked)
		f.i64(3, rows)
		f.list(4, len(c.sorted), func(i int) {
			f.i32(1, int64(c.sorted[i]))
			f.no(2) // descending
			f.no(3) // nulls first
		})
		f.i64(5, c.columns[0].first)
		f.i64(6, packed)
	})
	f.text(6, "Tianti")
	f.list(7, len(c.columns), func(int) { f.structure(1, func() {}) }) // bounds are in the order of the type
	f.end()
	return f.b
}

// meta is the ColumnMetaData.
func (w *written) meta(f *thrift, rows int64) {
	f.i32(1, w.physical())
	switch w.Kind {
	case Texts:
		f.i32s(2, plain, rle, byDictionary)
	case Steps:
		f.i32s(2, deltaPacked)
	default:
		f.i32s(2, plain)
	}
	f.texts(3, w.Name)
	f.i32(4, zstandard)
	f.i64(5, rows)
	f.i64(6, w.unpacked)
	f.i64(7, w.packed)
	f.i64(9, w.offset)
	if w.dictionary >= 0 {
		f.i64(11, w.dictionary)
	}
	least, greatest := w.bounds()
	f.structure(12, func() {
		f.i64(3, 0) // nulls
		if greatest != nil {
			f.text(5, string(greatest))
			f.text(6, string(least))
		}
	})
}
