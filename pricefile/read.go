package pricefile

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"tianti/catalog"
	"tianti/tablefile"
	"tianti/tables"
)

// A File is a file that [Writer] wrote, open to read. It is safe for concurrent use.
type File struct{ file *tables.Columnar }

// Columns of a file, by number.
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

// limits are those of a file, whose hash is right where its writer is.
var limits = tables.Limits{Bytes: math.MaxInt64, Ratio: 1 << 20, Cell: 1 << 20, Columns: columnCount}

// Open opens a file that lies in memory.
func Open(data []byte) (*File, error) {
	file, err := tables.OpenColumnar(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return nil, fmt.Errorf("a file of prices cannot be read: %w", err)
	}
	var want []string
	for _, c := range columns {
		want = append(want, c.Name)
	}
	got, kinds := file.Columns()
	if !slices.Equal(want, got) {
		return nil, fmt.Errorf("a file of prices has the columns %v, want %v", got, want)
	}
	for i, c := range columns {
		kind := map[tablefile.ColumnKind]int64{tablefile.Texts: tables.Texts, tablefile.Int32s: tables.Int32s,
			tablefile.Int64s: tables.Int64s, tablefile.Steps: tables.Int64s}[c.Kind]
		if kinds[i] != kind {
			return nil, fmt.Errorf("column %s of a file of prices is of another type", c.Name)
		}
	}
	return &File{file}, nil
}

// Prices is how many prices the file has.
func (f *File) Prices() int { return int(f.file.Rows()) }

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
func (f *File) read(card string, days catalog.Days, w *words, list []brief) ([]brief, error) {
	for group, rows := range f.file.Groups() {
		from, to, err := f.rowsOf(group, rows, card)
		if err == nil {
			from, to, err = f.narrow(group, from, to, days)
		}
		if err == nil && from < to {
			list, err = f.appendRows(list, group, from, to, w)
		}
		if err != nil {
			return list, fmt.Errorf("a file of prices cannot be read: %w", err)
		}
	}
	return list, nil
}

// rowsOf is where the rows of a card lie, which follow each other.
func (f *File) rowsOf(group int, rows int64, card string) (from, to int64, err error) {
	wanted := []byte(card)
	err = f.file.Each(group, ofCard, 0, rows, func(first, end int64, text []byte, _ int64) bool {
		c := bytes.Compare(text, wanted)
		if c == 0 {
			if from == to {
				from = first
			}
			to = end
		}
		return c <= 0
	})
	return from, to, err
}

// narrow leaves out rows before and behind those that may be of some days.
func (f *File) narrow(group int, from, to int64, days catalog.Days) (int64, int64, error) {
	if from == to || days == (catalog.Days{}) {
		return from, to, nil
	}
	first, last := to, from
	err := f.file.Each(group, ofDate, from, to, func(i, end int64, text []byte, _ int64) bool {
		if days.May(catalog.Date(text)) {
			first, last = min(first, i), end
		}
		return true
	})
	return first, max(first, last), err
}

// appendRows appends some rows.
func (f *File) appendRows(list []brief, group int, from, to int64, w *words) ([]brief, error) {
	n := len(list)
	list = slices.Grow(list, int(to-from))[:n+int(to-from)]
	rows := list[n:]
	clear(rows)
	for column := range columnCount {
		var err error
		if at := wordAt(column); at != nil {
			var last []byte
			var number int32
			err = f.file.Each(group, column, from, to, func(i, end int64, text []byte, _ int64) bool {
				if last == nil || !bytes.Equal(text, last) {
					number = w.number(text)
					last = append(last[:0], text...)
				}
				for ; i < end; i++ {
					*at(&rows[i-from]) = number
				}
				return true
			})
		} else if at := numberAt(column); at != nil {
			err = f.file.Each(group, column, from, to, func(i, end int64, _ []byte, v int64) bool {
				for ; i < end; i++ {
					at(&rows[i-from], v)
				}
				return true
			})
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
func numberAt(column int) func(*brief, int64) {
	switch column {
	case ofAmount:
		return func(b *brief, v int64) { b.micros = v }
	case ofCards:
		return func(b *brief, v int64) { b.cards = int32(v) }
	case ofTerm:
		return func(b *brief, v int64) { b.term = int32(v) }
	case ofPlace:
		return func(b *brief, v int64) { b.place = v }
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
