package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"

	"tianti/catalog"
)

// What is summed up of the prices of a dataset as one of its revisions has them is kept (price_sums), so that a start
// need not read all of them. Applied revisions never change, so it is never wrong: it is used for whatever goes on from
// that revision, and what came since is read. It may be deleted at any time.

// sumsFormat is the first byte of what is kept.
const sumsFormat = 2

// notWorth is kept where sums were hardly smaller than what they are made of, as most prices are of offers of their
// own: a start reads all prices there, and nobody sums them up in vain again.
var notWorth = []byte{sumsFormat}

// smallSums is a size of sums, in bytes, that is always worth it; tests make it smaller.
var smallSums = 1 << 20

// sumsEvery is how many prices may have come since before what is summed up is kept anew; tests make it smaller.
var sumsEvery = 50_000

// shareOfOffers is how many offers of a card are summed up at once where memory is scarce; tests make it smaller.
var shareOfOffers = 20_000

// sharesOf is in how many shares the offers of a card are summed up.
func sharesOf(offers int) int { return 1 + offers/shareOfOffers }

// shareOf is the share of an offer, by what it is made of: FNV-1a.
func shareOf(shares int, texts ...string) int {
	if shares == 1 {
		return 0
	}
	h := uint32(2166136261)
	for _, text := range texts {
		for i := range len(text) {
			h = (h ^ uint32(text[i])) * 16777619
		}
		h *= 16777619
	}
	return int(h % uint32(shares))
}

// A sumsEncoder writes what is summed up, a card at a time: the words that the rest is made of, compressed, and behind
// them the rest, which is compressed as it comes.
type sumsEncoder struct {
	words numbered[string]
	row   []byte // not compressed yet
	size  int    // of all that was written, plain
	rows  bytes.Buffer
	pack  *zstd.Encoder
	most  int // bytes of rows, packed
}

// packedAtOnce is how much is compressed at once, in bytes.
const packedAtOnce = 64 << 10

func newSumsEncoder(cards, most int) *sumsEncoder {
	e := &sumsEncoder{most: most}
	e.pack = newZstdEncoder(&e.rows)
	e.words.number("")
	e.put(cards)
	return e
}

func (e *sumsEncoder) put(n int) {
	e.row = binary.AppendUvarint(e.row, uint64(n))
	if len(e.row) >= packedAtOnce {
		e.flush()
	}
}

func (e *sumsEncoder) flush() {
	e.size += len(e.row)
	_, _ = e.pack.Write(e.row) // into memory
	e.row = e.row[:0]
}

func (e *sumsEncoder) word(text string) { e.put(e.words.number(text)) }

// card writes what is summed up of a card, in the shares in which others sum it up.
func (e *sumsEncoder) card(c *catalog.CardOffers) {
	e.begin(c)
	shares := make([][]*catalog.Offer, sharesOf(len(c.Offers)))
	for i := range c.Offers {
		o := &c.Offers[i]
		p := &o.Latest
		share := shareOf(len(shares), string(p.Kind), p.Seller, p.Instance, p.Region)
		shares[share] = append(shares[share], o)
	}
	for _, list := range shares {
		e.offers(list)
	}
	e.end()
}

// begin writes all of a card but its offers: they follow, any number of times some, and the end.
func (e *sumsEncoder) begin(c *catalog.CardOffers) {
	e.word(c.Card)
	e.put(len(c.Cited))
	for _, source := range slices.Sorted(maps.Keys(c.Cited)) {
		e.word(source)
		e.put(c.Cited[source])
	}
}

func (e *sumsEncoder) end() { e.put(0) }

// offers writes some offers, in the order of their places. No two have one: equal offers are written alike, whoever
// summed them up when.
func (e *sumsEncoder) offers(list []*catalog.Offer) {
	if len(list) == 0 {
		return
	}
	e.put(len(list))
	slices.SortFunc(list, func(a, b *catalog.Offer) int { return a.Latest.Place - b.Latest.Place })
	for _, o := range list {
		p := &o.Latest
		for _, text := range [...]string{string(p.Kind), p.Amount.Currency, string(p.Unit), string(p.Tax), p.Seller,
			p.Instance, p.Region, p.Source, p.Note.En, p.Note.Zh} {
			e.word(text)
		}
		for _, n := range [...]int{p.Cards, p.Term, dateCode(p.Date), int(p.Amount.Micros), p.Place, o.Count,
			dateCode(o.Oldest), dateCode(o.Newest), int(o.Low), int(o.High)} {
			e.put(n)
		}
	}
}

// inVain reports whether what was written is too large to be worth anything.
func (e *sumsEncoder) inVain() bool { return e.rows.Len() > e.most || e.size > maxPart }

// bytes are what was written; [notWorth] when that is too large.
func (e *sumsEncoder) bytes() []byte {
	e.flush()
	_ = e.pack.Close() // into memory
	if e.inVain() {
		return notWorth
	}
	e.row = binary.AppendUvarint(e.row, uint64(len(e.words.list)-1))
	for _, w := range e.words.list[1:] {
		e.row = binary.AppendUvarint(e.row, uint64(len(w)))
		e.row = append(e.row, w...)
	}
	if len(e.row)+e.size > maxPart {
		return notWorth
	}
	words := zstdEncoder().EncodeAll(e.row, nil)
	out := binary.AppendUvarint([]byte{sumsFormat}, uint64(len(words)))
	return append(append(out, words...), e.rows.Bytes()...)
}

// encodeSums writes all of a dataset.
func encodeSums(list []*catalog.CardOffers, most int) []byte {
	e := newSumsEncoder(len(list), most)
	for _, c := range list {
		if e.inVain() {
			break
		}
		e.card(c)
	}
	return e.bytes()
}

// decodeSums reads what [encodeSums] wrote.
func decodeSums(data []byte) ([]*catalog.CardOffers, error) {
	if len(data) == 0 || data[0] != sumsFormat {
		return nil, errors.New("sums of prices in a format that is not known")
	}
	plain, err := plainSums(data[1:])
	if err != nil {
		return nil, fmt.Errorf("sums of prices: %w", err)
	}
	d := sumsReader{decodedPart{rest: plain, dates: map[int]catalog.Date{}}}
	out := d.cards()
	if d.failed || len(d.rest) > 0 {
		return nil, errors.New("sums of prices cannot be read")
	}
	return out, nil
}

// plainSums are the words and what is made of them.
func plainSums(data []byte) ([]byte, error) {
	words, n := binary.Uvarint(data)
	if n <= 0 || words > uint64(len(data)-n) {
		return nil, io.ErrUnexpectedEOF
	}
	data = data[n:]
	plain, err := zstdDecoder().DecodeAll(data[:words], nil)
	if err != nil {
		return nil, err
	}
	return zstdDecoder().DecodeAll(data[words:], plain)
}

// sumsReader reads numbers and words as of a part.
type sumsReader struct{ decodedPart }

func (d *sumsReader) cards() (out []*catalog.CardOffers) {
	d.readWords(newInterner())
	for n := d.uint(len(d.rest)); n > 0 && !d.failed; n-- {
		c := &catalog.CardOffers{Card: d.word()}
		for n := d.uint(len(d.rest)); n > 0 && !d.failed; n-- {
			c.Cite(d.word(), d.uint(math.MaxInt))
		}
		for n := d.uint(len(d.rest)); n > 0 && !d.failed; n = d.uint(len(d.rest)) {
			c.Offers = slices.Grow(c.Offers, n)
			for ; n > 0 && !d.failed; n-- {
				c.Offers = append(c.Offers, d.offer(c.Card))
			}
		}
		out = append(out, c)
	}
	return out
}

func (d *sumsReader) offer(card string) (o catalog.Offer) {
	p := &o.Latest
	p.Card, p.Kind, p.Amount.Currency = card, catalog.PriceKind(d.word()), d.word()
	p.Unit, p.Tax = catalog.PriceUnit(d.word()), catalog.Tax(d.word())
	p.Seller, p.Instance, p.Region, p.Source = d.word(), d.word(), d.word(), d.word()
	p.Note.En, p.Note.Zh = d.word(), d.word()
	p.Cards, p.Term = d.uint(math.MaxInt32), d.uint(math.MaxInt32)
	p.Date, p.Amount.Micros, p.Place = d.date(), int64(d.uint(math.MaxInt)), d.uint(math.MaxInt)
	o.Count, o.Oldest, o.Newest = d.uint(math.MaxInt), d.date(), d.date()
	o.Low, o.High = int64(d.uint(math.MaxInt)), int64(d.uint(math.MaxInt))
	return o
}

func (d *sumsReader) date() catalog.Date {
	code := d.uint(99991231)
	date, known := d.dates[code]
	if !known && !d.failed {
		var err error
		if date, err = dateOf(code); err != nil {
			d.failed = true
		}
		d.dates[code] = date
	}
	return date
}

// keptSums is what is kept of revisions that the lines of some datasets go on from, where there is something that can
// be used.
func keptSums(ctx context.Context, q queryer, lines map[int64][]int64) (map[int64]*knownPrices, error) {
	out := map[int64]*knownPrices{}
	var dataset, revision int64
	var data []byte
	err := eachAmong(ctx, q, "SELECT dataset, revision, data FROM price_sums WHERE dataset IN ()",
		slices.Sorted(maps.Keys(lines)), nil, []any{&dataset, &revision, &data}, func() error {
			if k := knownOf(lines[dataset], revision, data); k != nil {
				out[dataset] = k
			}
			return nil
		})
	return out, err
}

// knownOf is what is kept of a revision of a line; nil when it is of another line, or cannot be read: all prices are
// read instead.
func knownOf(line []int64, revision int64, data []byte) *knownPrices {
	at, ok := slices.BinarySearch(line, revision)
	if !ok {
		return nil
	}
	list, err := decodeSums(data)
	if err != nil {
		return nil
	}
	k := &knownPrices{line: line[:at+1], byCard: make(map[string]*catalog.CardOffers, len(list)), list: list}
	for _, c := range list {
		k.byCard[c.Card] = c
	}
	return k
}
