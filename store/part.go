package store

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tianti/catalog"
)

// A part of a history is some prices of one card, in the order in which they came, as a few bytes each: the words that
// they are made of, the terms and offers made of the words, and then column by column what differs from row to row, as
// differences where rows follow each other. Its first byte is partRaw or partZstd. It stands by itself: to read it
// takes nothing else.
const (
	partRaw  = 1
	partZstd = 2
)

// compressFrom is from how many bytes on a part is compressed.
const compressFrom = 160

// maxPart bounds what a damaged part can make its reader allocate, in bytes and in prices.
const maxPart = 64 << 20

// maxPartPrices is the most prices of a part.
const maxPartPrices = 1 << 20

// terms are what a price is for.
type terms struct {
	kind        catalog.PriceKind
	currency    string
	unit        catalog.PriceUnit
	cards, term int
	tax         catalog.Tax
}

func termsOf(p *catalog.Price) terms {
	return terms{p.Kind, p.Amount.Currency, p.Unit, p.Cards, p.Term, p.Tax}
}

// offerKey is an offer by the numbers of what it is made of.
type offerKey struct{ terms, seller, instance, region int }

// numbered gives different things numbers, in the order in which they come.
type numbered[T comparable] struct {
	of   map[T]int
	list []T
}

func (n *numbered[T]) number(thing T) int {
	if n.of == nil {
		n.of = map[T]int{}
	}
	if i, known := n.of[thing]; known {
		return i
	}
	i := len(n.list)
	n.of[thing] = i
	n.list = append(n.list, thing)
	return i
}

func (n *numbered[T]) reset() {
	clear(n.of)
	clear(n.list) // texts may be parts of longer ones
	n.list = n.list[:0]
}

// partEncoder makes parts; it is reused for what it has allocated.
type partEncoder struct {
	words  numbered[string]
	terms  numbered[terms]
	offers numbered[offerKey]
	head   []byte
	rows   []byte
	column []int
	out    []byte
}

var zstdEncoder = sync.OnceValue(func() *zstd.Encoder { return newZstdEncoder(nil) })

// newZstdEncoder is an encoder to a writer, which needs none to encode at once.
func newZstdEncoder(to io.Writer) *zstd.Encoder {
	e, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(true), zstd.WithSingleSegment(true), zstd.WithWindowSize(128<<10),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPart))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

// encode makes a part of the prices of list at some indexes, the first of which has a place; the others' places differ
// as their indexes do. What it returns is good until the next call.
func (e *partEncoder) encode(list []catalog.Price, at []int32, first int) []byte {
	defer e.words.reset()
	defer e.terms.reset()
	defer e.offers.reset()
	e.words.reset()
	e.words.number("")
	e.rows = e.rows[:0]
	e.columns(list, at, first)
	e.head = binary.AppendUvarint(e.head[:0], uint64(len(at)))
	for _, t := range e.terms.list {
		e.words.number(string(t.kind))
		e.words.number(t.currency)
		e.words.number(string(t.unit))
		e.words.number(string(t.tax))
	}
	e.head = binary.AppendUvarint(e.head, uint64(len(e.words.list)-1))
	for _, w := range e.words.list[1:] {
		e.head = binary.AppendUvarint(e.head, uint64(len(w)))
		e.head = append(e.head, w...)
	}
	put := func(n int) { e.head = binary.AppendUvarint(e.head, uint64(n)) }
	put(len(e.terms.list))
	for _, t := range e.terms.list {
		put(e.words.of[string(t.kind)])
		put(e.words.of[t.currency])
		put(e.words.of[string(t.unit)])
		put(t.cards)
		put(t.term)
		put(e.words.of[string(t.tax)])
	}
	put(len(e.offers.list))
	for _, o := range e.offers.list {
		put(o.terms)
		put(o.seller)
		put(o.instance)
		put(o.region)
	}
	return e.pack()
}

// pack compresses what was encoded, unless that makes it longer.
func (e *partEncoder) pack() []byte {
	e.head = append(e.head, e.rows...)
	if len(e.head) >= compressFrom {
		e.out = zstdEncoder().EncodeAll(e.head, append(e.out[:0], partZstd))
		if len(e.out) <= len(e.head) {
			return e.out
		}
	}
	e.out = append(append(e.out[:0], partRaw), e.head...)
	return e.out
}

// columns writes what differs from row to row.
func (e *partEncoder) columns(list []catalog.Price, at []int32, first int) {
	before := at[0]
	e.rows = binary.AppendUvarint(e.rows, uint64(first))
	for _, i := range at[1:] {
		e.rows = binary.AppendUvarint(e.rows, uint64(i-before))
		before = i
	}
	e.put(at, func(i int32) int {
		p := &list[i]
		return e.offers.number(offerKey{e.terms.number(termsOf(p)), e.words.number(p.Seller),
			e.words.number(p.Instance), e.words.number(p.Region)})
	})
	e.put(at, func(i int32) int { return dateCode(list[i].Date) })
	e.put(at, func(i int32) int { return int(list[i].Amount.Micros) })
	e.put(at, func(i int32) int { return e.words.number(list[i].Source) })
	e.put(at, func(i int32) int { return e.words.number(list[i].Note.En) })
	e.put(at, func(i int32) int { return e.words.number(list[i].Note.Zh) })
}

// put writes a column: 0 and the value that all rows have, or 1 and how each differs from the one before.
func (e *partEncoder) put(at []int32, value func(i int32) int) {
	e.column = e.column[:0]
	same := true
	for _, i := range at {
		e.column = append(e.column, value(i))
		same = same && e.column[len(e.column)-1] == e.column[0]
	}
	if same {
		e.rows = binary.AppendVarint(append(e.rows, 0), int64(e.column[0]))
		return
	}
	e.rows = append(e.rows, 1)
	before := 0
	for _, v := range e.column {
		e.rows = binary.AppendVarint(e.rows, int64(v-before))
		before = v
	}
}

// dateCode is a date as the number YYYYMMDD; the day, or month and day, that are not known are 0.
func dateCode(d catalog.Date) int {
	n := d.Ordinal()
	switch len(d) {
	case len("2006"):
		return n / 10000 * 10000
	case len("2006-01"):
		return n / 100 * 100
	}
	return n
}

// dateOf is the date of a code.
func dateOf(code int) (catalog.Date, error) {
	text := []byte("0000-00-00")
	for at, n := range [...]int{code / 10_000_000, code / 1_000_000, code / 100_000, code / 10_000, -1, code / 1000,
		code / 100, -1, code / 10, code} {
		if n >= 0 {
			text[at] = byte('0' + n%10)
		}
	}
	switch {
	case code%10000 == 0:
		text = text[:len("2006")]
	case code%100 == 0:
		text = text[:len("2006-01")]
	}
	return catalog.ParseDate(string(text))
}

// decodedPart is a part as numbers.
type decodedPart struct {
	n       int
	words   []string
	terms   []terms
	offers  []offerKey
	places  []int
	columns [6][]int // offer, date, micros, source, notes
	dates   map[int]catalog.Date
	plain   []byte
	rest    []byte
	failed  bool
}

// decode reads a part; equal words are held once. It is reused for what it has allocated.
func (d *decodedPart) decode(data []byte, held *interner) error {
	d.failed = false
	if len(data) == 0 {
		return fmt.Errorf("a part of the prices is empty: %w", ErrCorrupt)
	}
	switch data[0] {
	case partRaw:
		d.rest = data[1:]
	case partZstd:
		var err error
		if d.plain, err = zstdDecoder().DecodeAll(data[1:], d.plain[:0]); err != nil {
			return fmt.Errorf("a part of the prices: %w: %w", err, ErrCorrupt)
		}
		d.rest = d.plain
	default:
		return fmt.Errorf("a part of the prices is of kind %d: %w", data[0], ErrCorrupt)
	}
	d.read(held)
	if d.failed || len(d.rest) > 0 {
		return fmt.Errorf("a part of the prices cannot be read: %w", ErrCorrupt)
	}
	return nil
}

// uint reads a number that is at most so large.
func (d *decodedPart) uint(most int) int {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > uint64(most) {
		d.failed, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return int(v)
}

func (d *decodedPart) word() string { return d.words[d.uint(len(d.words)-1)] }

func (d *decodedPart) read(held *interner) {
	if d.n = d.uint(maxPartPrices); d.n == 0 {
		d.failed = true
		return
	}
	if d.readWords(held); d.failed {
		return
	}
	d.terms = d.terms[:0]
	for n := d.uint(len(d.rest)); n > 0 && !d.failed; n-- {
		d.terms = append(d.terms, terms{catalog.PriceKind(d.word()), d.word(), catalog.PriceUnit(d.word()),
			d.uint(math.MaxInt32), d.uint(math.MaxInt32), catalog.Tax(d.word())})
	}
	d.offers = d.offers[:0]
	for n := d.uint(len(d.rest)); n > 0 && !d.failed; n-- {
		d.offers = append(d.offers, offerKey{d.uint(max(0, len(d.terms)-1)), d.uint(len(d.words) - 1),
			d.uint(len(d.words) - 1), d.uint(len(d.words) - 1)})
	}
	if d.failed || len(d.terms) == 0 || len(d.offers) == 0 {
		d.failed = true
		return
	}
	d.readColumns()
}

func (d *decodedPart) readWords(held *interner) {
	d.words = append(d.words[:0], "")
	for range d.uint(len(d.rest)) {
		n := d.uint(len(d.rest))
		if n > len(d.rest) {
			d.failed = true
			return
		}
		d.words = append(d.words, held.bytes(d.rest[:n]))
		d.rest = d.rest[n:]
	}
}

func (d *decodedPart) readColumns() {
	d.places = d.places[:0]
	place := 0
	for range d.n {
		if place += d.uint(math.MaxInt - place); d.failed {
			return
		}
		d.places = append(d.places, place)
	}
	bounds := [len(d.columns)][2]int{{0, len(d.offers) - 1}, {0, 99991231}, {1, math.MaxInt}, {0, len(d.words) - 1},
		{0, len(d.words) - 1}, {0, len(d.words) - 1}}
	for c := range d.columns {
		d.readColumn(c, bounds[c][0], bounds[c][1])
	}
	d.readDates()
}

func (d *decodedPart) readColumn(c, least, most int) {
	col := d.columns[c][:0]
	each := d.uint(1) == 1
	v := int64(0)
	for i := range d.n {
		if i == 0 || each {
			diff, n := binary.Varint(d.rest)
			v += diff // wraps in a damaged part: the bounds tell
			if n <= 0 || v < int64(least) || v > int64(most) {
				d.failed, d.rest = true, nil
				return
			}
			d.rest = d.rest[n:]
		}
		col = append(col, int(v))
	}
	d.columns[c] = col
}

// readDates makes dates of their codes, each once while the decoder is used.
func (d *decodedPart) readDates() {
	if d.failed {
		return
	}
	if d.dates == nil {
		d.dates = map[int]catalog.Date{}
	}
	last := -1
	for _, code := range d.columns[1] {
		if code == last || d.dates[code] != "" {
			last = code
			continue
		}
		date, err := dateOf(code)
		if err != nil {
			d.failed = true
			return
		}
		d.dates[code], last = date, code
	}
}

// later compares dates by their codes: days as numbers, and where one is a month or a year, as than does.
func (d *decodedPart) later(a, b int, than func(a, b catalog.Date) bool) bool {
	if a == b || a%100 != 0 && b%100 != 0 {
		return a > b
	}
	return than(d.dates[a], d.dates[b])
}

// price sets p to the i-th price.
func (d *decodedPart) price(p *catalog.PlacedPrice, card string, i int) {
	o := &d.offers[d.columns[0][i]]
	t := &d.terms[o.terms]
	p.Place = d.places[i]
	p.Price = catalog.Price{Card: card, Kind: t.kind,
		Amount: catalog.Money{Micros: int64(d.columns[2][i]), Currency: t.currency}, Unit: t.unit, Cards: t.cards,
		Term: t.term, Seller: d.words[o.seller], Instance: d.words[o.instance], Region: d.words[o.region], Tax: t.tax,
		Date: d.dates[d.columns[1][i]], Source: d.words[d.columns[3][i]],
		Note: catalog.Text{En: d.words[d.columns[4][i]], Zh: d.words[d.columns[5][i]]}}
}

// cardPart is the prices of a card in a list.
type cardPart struct {
	card        string
	at          []int32
	first, last int // days that they may be of
}

// byCard splits a list by card, in the order of the cards' ids.
func byCard(list []catalog.Price) []*cardPart {
	parts := map[string]*cardPart{}
	var out []*cardPart
	var last *cardPart
	for i := range list {
		p := &list[i]
		if last == nil || last.card != p.Card {
			if last = parts[p.Card]; last == nil {
				last = &cardPart{card: strings.Clone(p.Card), first: math.MaxInt32}
				parts[last.card] = last
				out = append(out, last)
			}
		}
		last.at = append(last.at, int32(i))
		last.first, last.last = min(last.first, p.Date.Ordinal()), max(last.last, p.Date.LastOrdinal())
	}
	slices.SortFunc(out, func(a, b *cardPart) int { return strings.Compare(a.card, b.card) })
	return out
}
