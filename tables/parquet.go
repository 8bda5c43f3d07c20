package tables

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// openParquet opens the one table of a Parquet file. Structures of columns have names with dots, lists in a cell are
// its values with commas.
func openParquet(r io.ReaderAt, size int64, lim Limits) (*File, error) {
	if err := checkParquet(r, size, lim); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
		parquet.ReadBufferSize(32<<10))
	if err != nil {
		return nil, fail("", 0, "", "the Parquet file is damaged: %s", clip(err.Error()))
	}
	t := &Table{}
	var cells []func(parquet.Value) string
	var names []string
	for _, path := range f.Schema().Columns() {
		leaf, ok := f.Schema().Lookup(path...)
		if !ok {
			return nil, fail("", 0, clip(strings.Join(path, ".")), "the column is named and not described; want it whole")
		}
		names = append(names, strings.Join(path, "."))
		cells = append(cells, parquetCell(leaf.Node.Type()))
	}
	t.Columns = named(names)
	t.open = func(context.Context) (source, error) {
		return &parquetRows{groups: f.RowGroups(), cells: cells, buffer: make([]parquet.Row, 64), lim: lim}, nil
	}
	if f.NumRows() == 0 {
		return nil, fail("", 0, "", "the Parquet file holds no rows; want some")
	}
	return &File{Tables: []*Table{t}}, nil
}

// parquetRows are the rows of a file, group by group.
type parquetRows struct {
	groups []parquet.RowGroup
	cells  []func(parquet.Value) string
	rows   parquet.Rows
	buffer []parquet.Row
	have   int
	at     int
	n      int
	lim    Limits
}

func (s *parquetRows) next() (cells []string, line int, err error) {
	for s.at == s.have {
		if err := s.fill(); err != nil {
			return nil, 0, err
		}
	}
	s.n++
	row := make([]string, len(s.cells))
	for _, v := range s.buffer[s.at] {
		i := v.Column()
		if v.IsNull() || i < 0 || i >= len(row) {
			continue
		}
		text := strings.TrimSpace(s.cells[i](v))
		if row[i] != "" {
			text = row[i] + ", " + text
		}
		if row[i] = text; len(text) > s.lim.Cell {
			return nil, 0, fail("", s.n, "", "a cell is longer than %d bytes; want shorter ones", s.lim.Cell)
		}
	}
	s.at++
	return row, s.n, nil
}

// fill reads more rows; io.EOF after the last.
func (s *parquetRows) fill() error {
	s.at, s.have = 0, 0
	if s.rows == nil {
		if len(s.groups) == 0 {
			return io.EOF
		}
		s.rows, s.groups = s.groups[0].Rows(), s.groups[1:]
	}
	n, err := s.rows.ReadRows(s.buffer)
	s.have = n
	if errors.Is(err, io.EOF) {
		err = s.rows.Close()
		s.rows = nil
	}
	if err != nil {
		return fail("", s.n+n+1, "", "the Parquet file is damaged here: %s", clip(err.Error()))
	}
	return nil
}

func (s *parquetRows) close() error {
	if s.rows == nil {
		return nil
	}
	return s.rows.Close()
}

// parquetCell is how values of a column are written as text.
func parquetCell(t parquet.Type) func(parquet.Value) string {
	if l := t.LogicalType(); l != nil {
		switch l := l.Value.(type) {
		case *format.DateType:
			return func(v parquet.Value) string { return dayOf(int64(v.Int32())) }
		case *format.TimestampType:
			unit := int64(time.Nanosecond)
			switch l.Unit.Value.(type) {
			case *format.MilliSeconds:
				unit = int64(time.Millisecond)
			case *format.MicroSeconds:
				unit = int64(time.Microsecond)
			}
			return func(v parquet.Value) string { return instantOf(v.Int64(), unit) }
		case *format.DecimalType:
			return decimalCell(l.Scale)
		case *format.UUIDType:
			return func(v parquet.Value) string { return hex.EncodeToString(v.ByteArray()) }
		}
	}
	switch t.Kind() {
	case parquet.Float:
		return func(v parquet.Value) string {
			return strconv.FormatFloat(float64(v.Float()), 'g', -1, 32)
		}
	case parquet.Double:
		return func(v parquet.Value) string { return decimal(v.Double()) }
	case parquet.Int96:
		return func(v parquet.Value) string { return instantOf96(v.Int96()) }
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return func(v parquet.Value) string { return string(v.ByteArray()) }
	}
	return parquet.Value.String
}

func dayOf(days int64) string {
	const most = 2_932_896 // 9999-12-31
	if days < -719_162 || days > most {
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

// instantOf96 is the old form of Spark and Impala: nanoseconds of a Julian day.
func instantOf96(v deprecated.Int96) string {
	days := int64(v[2]) - 2_440_588
	return instantOf(days*86400+int64(uint64(v[1])<<32|uint64(v[0]))/int64(time.Second), int64(time.Second))
}

// decimalCell writes whole numbers with so many of their digits behind the point.
func decimalCell(scale int32) func(parquet.Value) string {
	return func(v parquet.Value) string {
		n := new(big.Int)
		switch v.Kind() {
		case parquet.Int32:
			n.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			n.SetInt64(v.Int64())
		default:
			b := v.ByteArray()
			if n.SetBytes(b); len(b) > 0 && b[0]&0x80 != 0 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		if scale <= 0 || scale > 100 {
			return n.String()
		}
		digits, sign := n.String(), ""
		if digits[0] == '-' {
			digits, sign = digits[1:], "-"
		}
		for len(digits) <= int(scale) {
			digits = "0" + digits
		}
		at := len(digits) - int(scale)
		return strings.TrimSuffix(sign+digits[:at]+"."+strings.TrimRight(digits[at:], "0"), ".")
	}
}
