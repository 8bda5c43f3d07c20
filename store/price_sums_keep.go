package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"runtime"
	"slices"

	"tianti/catalog"
)

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
		err = tx.QueryRowContext(ctx, "SELECT coalesce(sum(length(data)), 0) FROM price_parts "+
			"WHERE dataset = ?", h.key).
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
