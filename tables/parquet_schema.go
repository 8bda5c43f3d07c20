package tables

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Types of values, as files number them.
const (
	parquetBool   = 0
	parquetInt32  = 1
	parquetInt64  = 2
	parquetInt96  = 3
	parquetFloat  = 4
	parquetDouble = 5
	parquetBytes  = 6
	parquetFixed  = 7
)

// A leaf is a column that has values.
type leaf struct {
	name           string // with dots
	kind           int64
	width          int // bytes of a value; 0 of texts and truth values
	maxDef, maxRep int
	text           func(b []byte, n int64) string
}

// number is a value of a fixed width as a number, or its bits.
func (l *leaf) number(b []byte) int64 {
	switch l.kind {
	case parquetInt32:
		return int64(int32(little(b)))
	case parquetInt64, parquetFloat, parquetDouble:
		return int64(little(b))
	}
	return 0
}

// leavesOf reads the tree of columns, whose elements stand parents first.
func leavesOf(elements []thrift, lim Limits) ([]*leaf, error) {
	w := &schemaTree{elements: elements, lim: lim}
	if len(elements) == 0 {
		return nil, fail("", 0, "footer", "the file says of no column what it is; want it whole")
	}
	w.at = 1
	for range elements[0].at(5).number {
		if err := w.element("", 0, 0, 0); err != nil {
			return nil, err
		}
	}
	if w.at != len(elements) || len(w.leaves) == 0 {
		return nil, fail("", 0, "footer", "the tree of columns is damaged; want it whole")
	}
	return w.leaves, nil
}

type schemaTree struct {
	elements []thrift
	at       int
	leaves   []*leaf
	lim      Limits
}

func (w *schemaTree) element(path string, def, rep, depth int) error {
	if w.at >= len(w.elements) || depth > thriftDepth {
		return fail("", 0, "footer", "the tree of columns is damaged; want it whole")
	}
	e := w.elements[w.at]
	w.at++
	name := path + e.at(4).text
	switch e.at(3).number {
	case 1:
		def++
	case 2:
		def, rep = def+1, rep+1
	}
	if n := e.at(5).number; n > 0 {
		for range n {
			if err := w.element(name+".", def, rep, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if len(w.leaves) == w.lim.Columns {
		return fail("", 0, "footer", "the table has more than %d columns; want fewer", w.lim.Columns)
	}
	l := &leaf{name: name, kind: e.at(1).number, maxDef: def, maxRep: rep}
	switch l.kind {
	case parquetInt32, parquetFloat:
		l.width = 4
	case parquetInt64, parquetDouble:
		l.width = 8
	case parquetInt96:
		l.width = 12
	case parquetFixed:
		n := e.at(2).number
		if n < 1 || n > int64(w.lim.Cell) {
			return fail("", 0, clip(name), "values of the column have %d bytes; want 1 to %d", n, w.lim.Cell)
		}
		l.width = int(n)
	case parquetBool, parquetBytes:
	default:
		return fail("", 0, clip(name), "the column has values of the type %d; want one that there is", l.kind)
	}
	l.text = textOf(l, e)
	w.leaves = append(w.leaves, l)
	return nil
}

// textOf is how values of a column are written: by what it says that they mean, in new and old files.
func textOf(l *leaf, e thrift) func(b []byte, n int64) string {
	logical, old, hasOld := e.at(10), e.at(6).number, e.has(6)
	said := func(id int16, converted int64) bool { return logical.has(id) || hasOld && old == converted }
	switch {
	case said(5, 5):
		scale := e.at(7).number
		if logical.has(5) {
			scale = logical.at(5, 1).number
		}
		return func(b []byte, n int64) string { return fixedPoint(l, b, n, scale) }
	case said(6, 6):
		return func(_ []byte, n int64) string { return dayOf(n) }
	case logical.at(8, 2).has(3):
		return func(_ []byte, n int64) string { return instantOf(n, int64(time.Nanosecond)) }
	case logical.at(8, 2).has(2) || hasOld && old == 10:
		return func(_ []byte, n int64) string { return instantOf(n, int64(time.Microsecond)) }
	case logical.at(8, 2).has(1) || hasOld && old == 9:
		return func(_ []byte, n int64) string { return instantOf(n, int64(time.Millisecond)) }
	case hasOld && old >= 11 && old <= 14: // without a sign
		return func(_ []byte, n int64) string {
			if l.kind == parquetInt32 {
				return strconv.FormatUint(uint64(uint32(n)), 10)
			}
			return strconv.FormatUint(uint64(n), 10)
		}
	case logical.has(14):
		return func(b []byte, _ int64) string { return hex.EncodeToString(b) }
	}
	switch l.kind {
	case parquetBool:
		return func(_ []byte, n int64) string { return strconv.FormatBool(n == 1) }
	case parquetInt32, parquetInt64:
		return func(_ []byte, n int64) string { return strconv.FormatInt(n, 10) }
	case parquetFloat:
		return func(_ []byte, n int64) string {
			text := strconv.FormatFloat(float64(math.Float32frombits(uint32(n))), 'g', -1, 32)
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				return decimal(v)
			}
			return text
		}
	case parquetDouble:
		return func(_ []byte, n int64) string { return decimal(math.Float64frombits(uint64(n))) }
	case parquetInt96: // nanoseconds of a Julian day
		return func(b []byte, _ int64) string {
			day, within := int64(little(b[8:]))-2_440_588, int64(little(b[:8]))/int64(time.Second)
			return instantOf(day*86400+within, int64(time.Second))
		}
	}
	return func(b []byte, _ int64) string { return string(b) }
}

func dayOf(days int64) string {
	if days < -719_162 || days > 2_932_896 { // the years 1 to 9999
		return strconv.FormatInt(days, 10)
	}
	return time.Unix(days*86400, 0).UTC().Format(time.DateOnly)
}

func instantOf(v, unit int64) string {
	per := int64(time.Second) / unit
	t := time.Unix(v/per, v%per*unit).UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return strconv.FormatInt(v, 10)
	}
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

// fixedPoint writes a whole number with so many of its digits behind the point.
func fixedPoint(l *leaf, b []byte, n, scale int64) string {
	v := big.NewInt(n)
	if l.kind == parquetFixed || l.kind == parquetBytes {
		if len(b) > 64 {
			return ""
		}
		if v.SetBytes(b); len(b) > 0 && b[0]&0x80 != 0 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	if scale <= 0 || scale > 100 {
		return v.String()
	}
	digits, sign := v.String(), ""
	if digits[0] == '-' {
		digits, sign = digits[1:], "-"
	}
	if short := int(scale) + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	at := len(digits) - int(scale)
	return strings.TrimSuffix(sign+digits[:at]+"."+strings.TrimRight(digits[at:], "0"), ".")
}
