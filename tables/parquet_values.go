package tables

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Encodings of pages.
const (
	encodedPlain           = 0
	encodedPlainDictionary = 2
	encodedRLE             = 3
	encodedDelta           = 5
	encodedDeltaLength     = 6
	encodedDeltaText       = 7
	encodedDictionary      = 8
	encodedSplit           = 9
)

// unzstd unpacks pages, each with memory of its own: none grows beyond the largest page that is taken.
var unzstd = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(32<<20), zstd.WithDecoderMaxMemory(pageBytes))
	if err != nil {
		panic(err) // the options are right
	}
	return d
})

// unpackPage unpacks a page to the size that it says it has, and no further.
func unpackPage(codec int64, body []byte, size int) ([]byte, error) {
	if size < 0 {
		return nil, errors.New("the page has a negative size")
	}
	if size == 0 && len(body) == 0 {
		return nil, nil
	}
	var r io.Reader
	switch codec {
	case 0:
		if len(body) != size {
			return nil, fmt.Errorf("the page has %d bytes and says that it has %d; want as many", len(body), size)
		}
		return body, nil
	case 1:
		if n, err := s2.DecodedLen(body); err != nil || n != size {
			return nil, fmt.Errorf("the page unpacks to other than %d bytes; want as many", size)
		}
		out, err := s2.Decode(make([]byte, size), body)
		if err != nil {
			return nil, fmt.Errorf("the page is damaged: %v", err)
		}
		return out, nil
	case 2:
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("the page is damaged: %v", err)
		}
		r = z
	case 4:
		r = brotli.NewReader(bytes.NewReader(body))
	case 6:
		out, err := unzstd().DecodeAll(body, make([]byte, 0, size))
		if err == nil && len(out) != size {
			err = fmt.Errorf("it unpacks to %d bytes; want %d", len(out), size)
		}
		if err != nil {
			return nil, fmt.Errorf("the page is damaged: %v", err)
		}
		return out, nil
	default:
		return nil, fmt.Errorf("its compression (%d) is not read; want Snappy, gzip, Zstandard, Brotli or none", codec)
	}
	out := make([]byte, size)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, fmt.Errorf("the page is damaged: %v", err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("the page unpacks to more than %d bytes; want as many", size)
	}
	return out, nil
}

// little is a number with its lowest byte first.
func little(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func bitsOf(most int) int { return bits.Len(uint(most)) }

// A decoder yields values: bytes of texts and of what has no number, numbers, and the bits of others.
type decoder interface {
	next() (b []byte, n int64, ok bool)
}

// hybrid are small numbers, in runs and packed by bits.
type hybrid struct {
	b     []byte
	width int

	run    uint64 // values that are left of a run
	value  uint64
	packed uint64 // values that are left of packed ones
	at     int    // bit of the next of those
}

func (h *hybrid) next() (uint64, bool) {
	for h.run == 0 && h.packed == 0 {
		head, n := binary.Uvarint(h.b)
		if n <= 0 {
			return 0, h.width == 0
		}
		h.b = h.b[n:]
		if head&1 == 1 {
			h.packed, h.at = head>>1*8, 0
			continue
		}
		bytes := (h.width + 7) / 8
		if len(h.b) < bytes {
			return 0, false
		}
		h.run, h.value = head>>1, little(h.b[:bytes])
		h.b = h.b[bytes:]
	}
	if h.run > 0 {
		h.run--
		return h.value, true
	}
	v, ok := bitsAt(h.b, h.at, h.width)
	h.at += h.width
	if h.packed--; h.packed == 0 {
		h.b = h.b[min(len(h.b), (h.at+7)/8):]
	}
	return v, ok
}

// bitsAt is a number of so many bits, the lowest first.
func bitsAt(b []byte, at, width int) (v uint64, ok bool) {
	if at < 0 || at+width > 8*len(b) {
		return 0, false
	}
	for i := 0; i < width; {
		bit := (at + i) % 8
		n := min(8-bit, width-i)
		v |= uint64(b[(at+i)/8]>>bit&(1<<n-1)) << i
		i += n
	}
	return v, true
}

// values are plain ones, one behind another.
type values struct {
	leaf  *leaf
	b     []byte
	at    int
	start []uint32 // of each, of a dictionary of texts
}

func newValues(l *leaf, b []byte) *values { return &values{leaf: l, b: b} }

func (v *values) next() ([]byte, int64, bool) {
	switch {
	case v.leaf.kind == parquetBool:
		n, ok := bitsAt(v.b, v.at, 1)
		v.at++
		return nil, int64(n), ok
	case v.leaf.width > 0:
		if v.at+v.leaf.width > len(v.b) {
			return nil, 0, false
		}
		b := v.b[v.at : v.at+v.leaf.width]
		v.at += v.leaf.width
		return b, v.leaf.number(b), true
	}
	if len(v.b)-v.at < 4 {
		return nil, 0, false
	}
	n := int64(little(v.b[v.at : v.at+4]))
	if v.at += 4; n > int64(len(v.b)-v.at) {
		return nil, 0, false
	}
	b := v.b[v.at : v.at+int(n)]
	v.at += int(n)
	return b, 0, true
}

// index finds where the values of a dictionary begin; false where there are fewer.
func (v *values) index(n int) bool {
	for range n {
		if v.leaf.width == 0 {
			v.start = append(v.start, uint32(v.at))
		}
		if _, _, ok := v.next(); !ok {
			return false
		}
	}
	return true
}

// indexed are values of a dictionary.
type indexed struct {
	of *values
	at hybrid
}

func (v *indexed) next() ([]byte, int64, bool) {
	i, ok := v.at.next()
	if !ok || i > pageValues {
		return nil, 0, false
	}
	of := *v.of
	switch {
	case of.leaf.kind == parquetBool:
		of.at = int(i)
	case of.leaf.width > 0:
		of.at = int(i) * of.leaf.width
	case int(i) < len(of.start):
		of.at = int(of.start[i])
	default:
		return nil, 0, false
	}
	return of.next()
}

// flags are truth values in runs.
type flags struct{ hybrid }

func (f *flags) next() ([]byte, int64, bool) {
	v, ok := f.hybrid.next()
	return nil, int64(v), ok
}

// deltas are whole numbers by what they differ in.
type deltas struct {
	b     []byte
	begun bool
	last  int64

	total, perBlock, minis uint64
	given                  uint64
	min                    int64
	widths                 []byte
	mini                   int // in the block
	inMini                 int // values given of it
}

func (d *deltas) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		return 0, false
	}
	d.b = d.b[n:]
	return v, true
}

func (d *deltas) varint() (int64, bool) {
	v, ok := d.uvarint()
	return int64(v>>1) ^ -int64(v&1), ok
}

func (d *deltas) begin() bool {
	var ok [4]bool
	d.perBlock, ok[0] = d.uvarint()
	d.minis, ok[1] = d.uvarint()
	d.total, ok[2] = d.uvarint()
	d.last, ok[3] = d.varint()
	d.begun = true
	return ok == [4]bool{true, true, true, true} && d.perBlock <= pageValues && d.minis > 0 && d.minis <= 1024 &&
		d.perBlock%d.minis == 0 && d.perBlock/d.minis%8 == 0 && d.perBlock > 0
}

func (d *deltas) next() ([]byte, int64, bool) {
	if !d.begun {
		if !d.begin() || d.total == 0 {
			return nil, 0, false
		}
		d.given = 1
		d.mini = int(d.minis)
		return nil, d.last, true
	}
	if d.given == d.total {
		return nil, 0, false
	}
	perMini := int(d.perBlock / d.minis)
	if d.mini < int(d.minis) && d.inMini == perMini {
		d.b = d.b[min(len(d.b), perMini*int(d.widths[d.mini])/8):]
		d.mini, d.inMini = d.mini+1, 0
	}
	if d.mini == int(d.minis) {
		var ok bool
		if d.min, ok = d.varint(); !ok || len(d.b) < int(d.minis) {
			return nil, 0, false
		}
		d.widths, d.b, d.mini, d.inMini = d.b[:d.minis], d.b[d.minis:], 0, 0
	}
	width := int(d.widths[d.mini])
	if width > 64 {
		return nil, 0, false
	}
	v, ok := bitsAt(d.b, d.inMini*width, width)
	if !ok {
		return nil, 0, false
	}
	d.inMini++
	d.given++
	d.last += d.min + int64(v)
	return nil, d.last, true
}

// rest is what follows the deltas that have all been given.
func (d *deltas) rest() []byte {
	if d.begun && d.mini < int(d.minis) && d.inMini > 0 {
		return d.b[min(len(d.b), int(d.perBlock/d.minis)*int(d.widths[d.mini])/8):]
	}
	return d.b
}

// deltaTexts are texts by their lengths, and by what they have in common with the one before.
type deltaTexts struct {
	shared, lengths *deltas
	b               []byte
	last            []byte
}

// newDeltaTexts is nil where the lengths cannot be read.
func newDeltaTexts(b []byte, shared bool) decoder {
	d := &deltaTexts{}
	skip := func() *deltas {
		at, scan := &deltas{b: b}, &deltas{b: b}
		for {
			if _, _, ok := scan.next(); !ok {
				break
			}
		}
		if !scan.begun || scan.given != scan.total {
			return nil
		}
		b = scan.rest()
		return at
	}
	if shared {
		if d.shared = skip(); d.shared == nil {
			return nil
		}
	}
	if d.lengths = skip(); d.lengths == nil {
		return nil
	}
	d.b = b
	return d
}

func (d *deltaTexts) next() ([]byte, int64, bool) {
	_, n, ok := d.lengths.next()
	if !ok || n < 0 || n > int64(len(d.b)) {
		return nil, 0, false
	}
	text := d.b[:n]
	d.b = d.b[n:]
	if d.shared != nil {
		_, n, ok := d.shared.next()
		if !ok || n < 0 || n > int64(len(d.last)) {
			return nil, 0, false
		}
		text = append(d.last[:n:n], text...)
		d.last = text
	}
	return text, 0, true
}

// split are values of which first all first bytes stand, then all second ones.
type split struct {
	leaf  *leaf
	b     []byte
	at, n int
}

func (s *split) next() ([]byte, int64, bool) {
	if s.at == s.n {
		return nil, 0, false
	}
	b := make([]byte, s.leaf.width)
	for i := range b {
		b[i] = s.b[i*s.n+s.at]
	}
	s.at++
	return b, s.leaf.number(b), true
}
