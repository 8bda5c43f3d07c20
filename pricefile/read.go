package pricefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"tianti/catalog"
)

// A File is a file that [Writer] wrote, open to read. It is safe for concurrent use.
type File struct{ file *parquet.File }

// columns of a file, by number.
const (
	ofCard = iota
	ofKind
	ofDate
	ofAmount
	ofCurrency
	ofUnit
	ofCards
	ofTerm
	ofSeller
	ofInstance
	ofRegion
	ofTax
	ofSource
	ofNoteEn
	ofNoteZh
	ofPlace
	columnCount
)

var schema = parquet.SchemaOf(row{})

// Open opens a file that lies in memory.
func Open(data []byte) (f *File, err error) {
	defer broken(&err)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("a file of prices cannot be read: %w", err)
	}
	want, got := schema.Columns(), file.Schema().Columns()
	if !slices.EqualFunc(want, got, slices.Equal) {
		return nil, fmt.Errorf("a file of prices has the columns %v, want %v", got, want)
	}
	for _, path := range want {
		a, _ := schema.Lookup(path...)
		if b, ok := file.Schema().Lookup(path...); !ok || a.Node.Type().Kind() != b.Node.Type().Kind() ||
			!b.Node.Required() {
			return nil, fmt.Errorf("column %s of a file of prices is of another type", path)
		}
	}
	return &File{file}, nil
}

// broken makes an error of what the reader of the format could not cope with.
func broken(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("a file of prices cannot be read: %v", v)
	}
}

// Prices is how many prices the file has.
func (f *File) Prices() int { return int(f.file.NumRows()) }

// A brief price names its words by number.
type brief struct {
	place, micros                                                                     int64
	kind, date, currency, unit, seller, instance, region, tax, source, noteEn, noteZh int32
	cards, term                                                                       int32
}

// Words are the words of some prices.
type words struct {
	of   map[string]int32
	list []string
}

func (w *words) number(text []byte) int32 {
	n, known := w.of[string(text)]
	if !known {
		if w.of == nil {
			w.of = map[string]int32{}
		}
		n = int32(len(w.list))
		w.list = append(w.list, string(text))
		w.of[w.list[n]] = n
	}
	return n
}

// fill writes a price out.
func (w *words) fill(p *catalog.PlacedPrice, b *brief) {
	p.Kind, p.Date = catalog.PriceKind(w.list[b.kind]), catalog.Date(w.list[b.date])
	p.Amount = catalog.Money{Micros: b.micros, Currency: w.list[b.currency]}
	p.Unit, p.Tax = catalog.PriceUnit(w.list[b.unit]), catalog.Tax(w.list[b.tax])
	p.Cards, p.Term, p.Place = int(b.cards), int(b.term), int(b.place)
	p.Seller, p.Instance, p.Region, p.Source = w.list[b.seller], w.list[b.instance], w.list[b.region], w.list[b.source]
	p.Note = catalog.Text{En: w.list[b.noteEn], Zh: w.list[b.noteZh]}
}

// read appends the prices of a card that may be of some days, and some more of it.
func (f *File) read(card string, days catalog.Days, w *words, list []brief) (_ []brief, err error) {
	defer broken(&err)
	for _, group := range f.file.RowGroups() {
		chunks := group.ColumnChunks()
		from, to, err := rowsOf(chunks[ofCard], group.NumRows(), card)
		if err == nil {
			from, to, err = narrow(chunks[ofDate], from, to, days)
		}
		if err == nil && from < to {
			list, err = appendRows(list, chunks, from, to, w)
		}
		if err != nil {
			return list, fmt.Errorf("a file of prices cannot be read: %w", err)
		}
	}
	return list, nil
}

// rowsOf is where the rows of a card lie, which follow each other.
func rowsOf(chunk parquet.ColumnChunk, rows int64, card string) (from, to int64, err error) {
	first, last, err := pagesOf(chunk, rows, card)
	if err != nil || first == last {
		return 0, 0, err
	}
	from, to = last, first
	wanted := []byte(card)
	err = eachValue(chunk, first, last, func(i int64, v *parquet.Value) {
		if bytes.Equal(v.ByteArray(), wanted) {
			from, to = min(from, i), max(to, i+1)
		}
	})
	return from, max(from, to), err
}

// pagesOf bounds the rows of the pages that may have a card.
func pagesOf(chunk parquet.ColumnChunk, rows int64, card string) (first, last int64, err error) {
	pages, err := chunk.ColumnIndex()
	if errors.Is(err, parquet.ErrMissingColumnIndex) {
		return 0, rows, nil
	}
	if err != nil {
		return 0, 0, err
	}
	starts, err := chunk.OffsetIndex()
	if err != nil {
		return 0, 0, err
	}
	first = rows
	for i := range pages.NumPages() {
		// Bounds may be cut short: the least is never above, and the greatest never below what it stands for.
		if string(pages.MinValue(i).ByteArray()) > card || string(pages.MaxValue(i).ByteArray()) < card {
			continue
		}
		end := rows
		if i+1 < starts.NumPages() {
			end = starts.FirstRowIndex(i + 1)
		}
		first, last = min(first, starts.FirstRowIndex(i)), end
	}
	return first, max(first, last), nil
}

// narrow leaves out rows before and behind those that may be of some days.
func narrow(chunk parquet.ColumnChunk, from, to int64, days catalog.Days) (int64, int64, error) {
	if from == to || days == (catalog.Days{}) {
		return from, to, nil
	}
	first, last := to, from
	var text []byte
	may := false
	err := eachValue(chunk, from, to, func(i int64, v *parquet.Value) {
		if b := v.ByteArray(); text == nil || !bytes.Equal(b, text) {
			text = append(text[:0], b...)
			may = days.May(catalog.Date(text))
		}
		if may {
			first, last = min(first, i), i+1
		}
	})
	return first, max(first, last), err
}

// appendRows appends some rows.
func appendRows(list []brief, chunks []parquet.ColumnChunk, from, to int64, w *words) ([]brief, error) {
	n := len(list)
	list = slices.Grow(list, int(to-from))[:n+int(to-from)]
	rows := list[n:]
	clear(rows)
	for column, chunk := range chunks {
		var err error
		if at := wordAt(column); at != nil {
			var last []byte
			var number int32
			err = eachValue(chunk, from, to, func(i int64, v *parquet.Value) {
				if b := v.ByteArray(); last == nil || !bytes.Equal(b, last) {
					number = w.number(b)
					last = append(last[:0], b...)
				}
				*at(&rows[i-from]) = number
			})
		} else if at := numberAt(column); at != nil {
			err = eachValue(chunk, from, to, func(i int64, v *parquet.Value) { at(&rows[i-from], v) })
		}
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// wordAt is where a column of words goes; nil for another.
func wordAt(column int) func(*brief) *int32 {
	switch column {
	case ofKind:
		return func(b *brief) *int32 { return &b.kind }
	case ofDate:
		return func(b *brief) *int32 { return &b.date }
	case ofCurrency:
		return func(b *brief) *int32 { return &b.currency }
	case ofUnit:
		return func(b *brief) *int32 { return &b.unit }
	case ofSeller:
		return func(b *brief) *int32 { return &b.seller }
	case ofInstance:
		return func(b *brief) *int32 { return &b.instance }
	case ofRegion:
		return func(b *brief) *int32 { return &b.region }
	case ofTax:
		return func(b *brief) *int32 { return &b.tax }
	case ofSource:
		return func(b *brief) *int32 { return &b.source }
	case ofNoteEn:
		return func(b *brief) *int32 { return &b.noteEn }
	case ofNoteZh:
		return func(b *brief) *int32 { return &b.noteZh }
	}
	return nil
}

// numberAt is where a column of numbers goes; nil for another.
func numberAt(column int) func(*brief, *parquet.Value) {
	switch column {
	case ofAmount:
		return func(b *brief, v *parquet.Value) { b.micros = v.Int64() }
	case ofCards:
		return func(b *brief, v *parquet.Value) { b.cards = v.Int32() }
	case ofTerm:
		return func(b *brief, v *parquet.Value) { b.term = v.Int32() }
	case ofPlace:
		return func(b *brief, v *parquet.Value) { b.place = v.Int64() }
	}
	return nil
}

// eachValue passes the values of some rows of a column. fn may not keep what it gets.
func eachValue(chunk parquet.ColumnChunk, from, to int64, fn func(i int64, v *parquet.Value)) (err error) {
	if from >= to {
		return nil
	}
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	if err := pages.SeekToRow(from); err != nil {
		return err
	}
	var values [256]parquet.Value
	for from < to {
		page, err := pages.ReadPage()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if page.NumValues() != page.NumRows() {
			return errors.New("a value is missing")
		}
		in := page.Values()
		for from < to {
			n, err := in.ReadValues(values[:min(int64(len(values)), to-from)])
			for i := range n {
				fn(from, &values[i])
				from++
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			if n == 0 {
				return io.ErrNoProgress
			}
		}
		parquet.Release(page)
	}
	return nil
}

// days of a part, as numbers; 0 and the greatest bound nothing.
func (p *Part) days() (first, last int) {
	if first, last = p.From.Ordinal(), p.To.LastOrdinal(); last == 0 {
		last = math.MaxInt
	}
	return first, last
}

// may reports whether a part may have prices of a card of some days.
func (p *Part) may(card string, days catalog.Days) bool {
	first, last := p.days()
	return p.FirstCard <= card && card <= p.LastCard && days.Overlap(first, last)
}
