package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"tianti/catalog"
)

// What is summed up of the prices of a dataset as one of its revisions has them is kept (price_sums), so that a start
// need not read all of them. Applied revisions never change, so it is never wrong: it is used for whatever goes on from
// that revision, and what came since is read. It may be deleted at any time.

// sumsFormat is the first byte of what is kept.
const sumsFormat = 1

// sumsEvery is how many prices may have come since before what is summed up is kept anew; tests make it smaller.
var sumsEvery = 50_000

// A sumsEncoder writes what is summed up, a card at a time.
type sumsEncoder struct {
	words numbered[string]
	rows  []byte
}

func newSumsEncoder(cards int) *sumsEncoder {
	e := &sumsEncoder{}
	e.words.number("")
	e.put(cards)
	return e
}

func (e *sumsEncoder) put(n int) { e.rows = binary.AppendUvarint(e.rows, uint64(n)) }

func (e *sumsEncoder) word(text string) { e.put(e.words.number(text)) }

func (e *sumsEncoder) card(c *catalog.CardOffers) {
	e.word(c.Card)
	e.put(len(c.Cited))
	for _, source := range slices.Sorted(maps.Keys(c.Cited)) {
		e.word(source)
		e.put(c.Cited[source])
	}
	e.put(len(c.Offers))
	// No two have one place: in this order equal offers are written alike, whoever summed them up when.
	for _, i := range byPlace(c.Offers) {
		o := &c.Offers[i]
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

func byPlace(offers []catalog.Offer) []int {
	order := make([]int, len(offers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return offers[a].Latest.Place - offers[b].Latest.Place })
	return order
}

// bytes are what was written; nil when it is too large to be read again.
func (e *sumsEncoder) bytes() []byte {
	head := binary.AppendUvarint(nil, uint64(len(e.words.list)-1))
	for _, w := range e.words.list[1:] {
		head = binary.AppendUvarint(head, uint64(len(w)))
		head = append(head, w...)
	}
	if len(head)+len(e.rows) > maxPart {
		return nil
	}
	return zstdEncoder().EncodeAll(append(head, e.rows...), []byte{sumsFormat})
}

// encodeSums writes all of a dataset.
func encodeSums(list []*catalog.CardOffers) []byte {
	e := newSumsEncoder(len(list))
	for _, c := range list {
		e.card(c)
	}
	return e.bytes()
}

// decodeSums reads what [encodeSums] wrote.
func decodeSums(data []byte) ([]*catalog.CardOffers, error) {
	if len(data) == 0 || data[0] != sumsFormat {
		return nil, errors.New("sums of prices in a format that is not known")
	}
	plain, err := zstdDecoder().DecodeAll(data[1:], nil)
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

// sumsReader reads numbers and words as of a part.
type sumsReader struct{ decodedPart }

func (d *sumsReader) cards() (out []*catalog.CardOffers) {
	d.readWords(newInterner())
	for n := d.uint(len(d.rest)); n > 0 && !d.failed; n-- {
		c := &catalog.CardOffers{Card: d.word()}
		for n := d.uint(len(d.rest)); n > 0 && !d.failed; n-- {
			c.Cite(d.word(), d.uint(math.MaxInt))
		}
		offers := d.uint(len(d.rest))
		c.Offers = make([]catalog.Offer, 0, offers)
		for ; offers > 0 && !d.failed; offers-- {
			c.Offers = append(c.Offers, d.offer(c.Card))
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

// keptSums is what is kept of a revision that a line goes on from; nil when there is none that can be used.
func keptSums(ctx context.Context, tx *sql.Tx, dataset int64, line []int64) (*knownPrices, error) {
	var revision int64
	var data []byte
	err := tx.QueryRowContext(ctx, "SELECT revision, data FROM price_sums WHERE dataset = ?", dataset).
		Scan(&revision, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	at, ok := slices.BinarySearch(line, revision)
	if err != nil || !ok {
		return nil, err
	}
	list, err := decodeSums(data)
	if err != nil {
		return nil, nil // all prices are read instead
	}
	k := &knownPrices{line: line[:at+1], byCard: make(map[string]*catalog.CardOffers, len(list)), list: list}
	for _, c := range list {
		k.byCard[c.Card] = c
	}
	return k, nil
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
	for i := range heads {
		h := &heads[i]
		var kept int64
		prices := 0
		err := tx.QueryRowContext(ctx, "SELECT revision, prices FROM price_sums WHERE dataset = ?", h.key).
			Scan(&kept, &prices)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		line, err := lineOf(ctx, tx, h.Revision)
		if err != nil {
			return nil, err
		}
		if !inLine(line, kept) {
			prices = 0
		}
		if h.prices-prices < sumsEvery {
			continue
		}
		data, err := s.sumsOf(ctx, tx, h.key, line)
		if err != nil {
			return nil, err
		}
		due = append(due, dueSums{h.key, h.Revision, h.prices, data})
	}
	return due, nil
}

// sumsOf sums a line up, going on from what was loaded or kept; where there is neither, a card at a time, so that a
// process that serves nothing needs no memory for all of them.
func (s *Store) sumsOf(ctx context.Context, tx *sql.Tx, dataset int64, line []int64) (_ []byte, err error) {
	var k *knownPrices
	if s.loaded != nil {
		k = s.loaded.known[dataset]
	}
	if k == nil {
		if k, err = keptSums(ctx, tx, dataset, line); err != nil {
			return nil, err
		}
	}
	if k != nil && len(commonLine(k.line, line)) > 0 {
		if k, err = k.follow(ctx, tx, dataset, line); err != nil {
			return nil, err
		}
		return encodeSums(k.list), nil
	}
	cards, err := cardsOf(ctx, tx, line)
	if err != nil {
		return nil, err
	}
	e := newSumsEncoder(len(cards))
	for _, card := range slices.Sorted(maps.Keys(cards)) {
		of := newSumming()
		if err := of.ofCard(ctx, tx, dataset, card, line, false); err != nil {
			return nil, err
		}
		c := of.byCard[card]
		c.Done()
		e.card(c)
	}
	return e.bytes(), nil
}

func (s *Store) keepSums(ctx context.Context, d *dueSums) error {
	if d.data == nil {
		return nil
	}
	return s.write(ctx, "keep sums of prices", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO price_sums (dataset, revision, prices, data) VALUES (?, ?, ?, ?)
			ON CONFLICT (dataset) DO UPDATE SET revision = excluded.revision, prices = excluded.prices,
			data = excluded.data`, d.dataset, d.revision, d.prices, d.data)
		return err
	})
}
