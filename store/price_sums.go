package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"

	"github.com/klauspost/compress/zstd"

	"tianti/catalog"
)

// What is summed up of the prices of a dataset as one of its revisions has them is kept (price_sums), so that a start
// need not read all of them. Applied revisions never change, so it is never wrong: it is used for whatever goes on from
// that revision, and what came since is read. It may be deleted at any time.

// sumsFormat is the first byte of what is kept.
const sumsFormat = 2

// notWorth is kept where sums were hardly smaller than what they are made of, as most prices are of offers of their own:
// a start reads all prices there, and nobody sums them up in vain again.
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

// KeepSums keeps what is summed up of the prices of datasets that have many new ones, so that the next start is quick.
// Who does not call it starts more slowly, and no less rightly.
func (s *Store) KeepSums(ctx context.Context) error {
	if s.writer == nil {
		return nil
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	due, err := s.sumsDue(ctx)
	for i := range due {
		if err == nil {
			err = s.keepSums(ctx, &due[i])
		}
	}
	return explain(ctx, s.path, "keep sums of prices", err)
}

// dueSums are to be kept.
type dueSums struct {
	dataset, revision int64
	prices            int
	data              []byte
}

// sumsDue lists what is to be kept, as of one moment.
func (s *Store) sumsDue(ctx context.Context) (due []dueSums, err error) {
	tx, _, err := s.beginRead(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	heads, err := readHeads(ctx, tx)
	if err != nil {
		return nil, err
	}
	lines, err := linesOfHeads(ctx, tx, heads)
	if err != nil {
		return nil, err
	}
	kept := map[int64]int{} // how many prices are summed up, by dataset
	var dataset, revision int64
	var prices int
	// Of an older format they cannot be used.
	err = eachAmong(ctx, tx, "SELECT dataset, revision, prices FROM price_sums WHERE dataset IN () AND "+
		"substr(data, 1, 1) = ?", slices.Sorted(maps.Keys(lines)), []any{[]byte{sumsFormat}},
		[]any{&dataset, &revision, &prices}, func() error {
			if inLine(lines[dataset], revision) {
				kept[dataset] = prices
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	for i := range heads {
		h := &heads[i]
		if h.prices-kept[h.key] < sumsEvery {
			continue
		}
		var size int
		err = tx.QueryRowContext(ctx, "SELECT coalesce(sum(length(data)), 0) FROM price_parts WHERE dataset = ?", h.key).
			Scan(&size)
		if err != nil {
			return nil, err
		}
		data, err := s.sumsOf(ctx, tx, h.key, lines[h.key], max(smallSums, size/2))
		if err != nil {
			return nil, err
		}
		due = append(due, dueSums{h.key, h.Revision, h.prices, data})
	}
	return due, nil
}

// sumsOf sums a line up, going on from what was loaded or kept; where there is neither, a card at a time, so that a
// process that serves nothing needs no memory for all of them.
// What takes more than most bytes, or is too large to be read again, is [notWorth].
func (s *Store) sumsOf(
	ctx context.Context, tx *sql.Tx, dataset int64, line []int64, most int,
) (_ []byte, err error) {
	var k *knownPrices
	if s.loaded != nil {
		k = s.loaded.known[dataset]
	}
	if k == nil {
		kept, err := keptSums(ctx, tx, map[int64][]int64{dataset: line})
		if err != nil {
			return nil, err
		}
		k = kept[dataset]
	}
	if k != nil && len(commonLine(k.line, line)) > 0 {
		if k, err = k.follow(ctx, tx, dataset, line); err != nil {
			return nil, err
		}
		return encodeSums(k.list, most), nil
	}
	w, err := weigh(ctx, tx, dataset, line)
	if err != nil {
		return nil, err
	}
	e := newSumsEncoder(len(w.cards), most)
	for _, card := range slices.Sorted(maps.Keys(w.cards)) {
		if e.inVain() {
			break
		}
		err := e.read(ctx, tx, dataset, card, line, 1)
		if errors.Is(err, errManyOffers) {
			var offers int
			if offers, err = offersOf(ctx, tx, dataset, card, line); err == nil && w.inVain(offers, most) {
				return notWorth, nil
			} else if err == nil {
				err = e.read(ctx, tx, dataset, card, line, sharesOf(offers))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return e.bytes(), nil
}

// weight is what the parts of a line take.
type weight struct {
	cards         map[string]bool
	prices, bytes int
	offers        int // that were counted so far
}

func weigh(ctx context.Context, tx *sql.Tx, dataset int64, line []int64) (*weight, error) {
	w := &weight{cards: map[string]bool{}}
	var card string
	var revision int64
	var prices, bytes int
	rows, err := tx.QueryContext(ctx, "SELECT card, revision, prices, length(data) FROM price_parts WHERE dataset = ?",
		dataset)
	err = each(rows, err, []any{&card, &revision, &prices, &bytes}, func() error {
		if inLine(line, revision) {
			w.cards[card], w.prices, w.bytes = true, w.prices+prices, w.bytes+bytes
		}
		return nil
	})
	return w, err
}

// inVain reports, once there are so many more offers, whether sums take more than so many bytes for sure: an offer says
// all that a price says, and more. What is published is not to depend on it.
func (w *weight) inVain(offers, most int) bool {
	w.offers += offers
	return most < maxPart && float64(w.offers)*float64(w.bytes) > float64(most)*float64(w.prices)
}

// errManyOffers: a card has so many offers that they are summed up in shares.
var errManyOffers = errors.New("a card has many offers")

// offersOf counts the offers that a line has of a card.
func offersOf(ctx context.Context, tx *sql.Tx, dataset int64, card string, line []int64) (int, error) {
	s, seen := newSumming(), map[offerKey]bool{}
	var revision int64
	var data sql.RawBytes
	rows, err := tx.QueryContext(ctx, "SELECT revision, data FROM price_parts WHERE dataset = ? AND card = ?", dataset,
		card)
	err = each(rows, err, []any{&revision, &data}, func() error {
		if !inLine(line, revision) {
			return nil
		}
		runtime.Gosched() // who waits for a processor need not wait for all parts
		if err := s.part.decode(data, s.held); err != nil {
			return err
		}
		s.number()
		for i := range s.part.offers {
			seen[s.keyOf(&s.part.offers[i])] = true
		}
		return nil
	})
	return len(seen), err
}

// read writes what a line has of a card, in shares. Offers are large while they are summed up: where there are too many
// for one share, nothing is written, and the error is errManyOffers.
func (e *sumsEncoder) read(
	ctx context.Context, tx *sql.Tx, dataset int64, card string, line []int64, shares int,
) error {
	s := newSumming()
	if s.shares = shares; shares == 1 {
		s.most = shareOfOffers
	}
	var list []*catalog.Offer
	for s.share = range s.shares {
		if err := s.ofCards(ctx, tx, dataset, []string{card}, line); err != nil {
			return err
		}
		c := s.byCard[card]
		if s.share == 0 {
			e.begin(c)
		}
		list = list[:0]
		for i := range c.Offers {
			list = append(list, &c.Offers[i])
		}
		e.offers(list)
		s.forget(c)
		if e.inVain() {
			return nil
		}
	}
	e.end()
	return nil
}

func (s *Store) keepSums(ctx context.Context, d *dueSums) error {
	return s.write(ctx, "keep sums of prices", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO price_sums (dataset, revision, prices, data) VALUES (?, ?, ?, ?)
			ON CONFLICT (dataset) DO UPDATE SET revision = excluded.revision, prices = excluded.prices,
			data = excluded.data`, d.dataset, d.revision, d.prices, d.data)
		return err
	})
}
