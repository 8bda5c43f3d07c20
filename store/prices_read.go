package store

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/importer"
	"tianti/sorting"
)

// partReading reads parts of the prices of a line, one query after another.
type partReading struct {
	dataset int64
	line    []int64
	held    *interner
	part    decodedPart
}

func newPartReading(ctx context.Context, q queryer, number int64) (*partReading, error) {
	p, err := parentageOf(ctx, q, number)
	if err != nil {
		return nil, err
	}
	line, err := lineOf(ctx, q, number)
	return &partReading{dataset: p.dataset, line: line, held: newInterner()}, err
}

// place is where in a line prices are read from: a revision of the line by its index, and a part of it.
type place struct{ at, part int }

// some passes the prices from a place on, part by part, each in the order in which they came, until there are so many
// of them, and returns where to go on; done when there are no more.
func (r *partReading) some(
	ctx context.Context, q queryer, from place, atLeast int, fn func([]catalog.PlacedPrice) error,
) (next place, done bool, err error) {
	n := 0
	for ; from.at < len(r.line); from = (place{from.at + 1, 0}) {
		next, stop, err := r.ofRevision(ctx, q, from, atLeast-n, func(list []catalog.PlacedPrice) error {
			n += len(list)
			return fn(list)
		})
		if err != nil || stop {
			return next, false, err
		}
	}
	return from, true, nil
}

// ofRevision is some of one revision; stop is true when there were enough.
func (r *partReading) ofRevision(
	ctx context.Context, q queryer, from place, atLeast int, fn func([]catalog.PlacedPrice) error,
) (next place, stop bool, err error) {
	rows, err := q.QueryContext(ctx, "SELECT part, card, data FROM price_parts WHERE revision = ? AND part >= ? ORDER "+
		"BY part", r.line[from.at], from.part)
	if err != nil {
		return from, false, err
	}
	defer rows.Close()
	var list []catalog.PlacedPrice
	n, current := 0, -1
	pass := func() error {
		sorting.Func(list, func(a, b catalog.PlacedPrice) int { return a.Place - b.Place })
		n += len(list)
		err := fn(list)
		list = list[:0]
		return err
	}
	for rows.Next() {
		var part int
		var card string
		var data sql.RawBytes
		if err := rows.Scan(&part, &card, &data); err != nil {
			return from, false, err
		}
		if part != current && len(list) > 0 {
			if err := pass(); err != nil {
				return from, false, err
			}
			if n >= atLeast {
				return place{from.at, part}, true, nil
			}
		}
		current = part
		if list, err = r.appendPart(list, card, data); err != nil {
			return from, false, err
		}
	}
	if err := rows.Err(); err != nil {
		return from, false, err
	}
	if len(list) > 0 {
		if err := pass(); err != nil {
			return from, false, err
		}
	}
	return place{from.at + 1, 0}, n >= atLeast, nil
}

func (r *partReading) appendPart(list []catalog.PlacedPrice, card string, data []byte) ([]catalog.PlacedPrice, error) {
	if err := r.part.decode(data, r.held); err != nil {
		return list, err
	}
	card = r.held.bytes([]byte(card))
	list = slices.Grow(list, r.part.n)
	for i := range r.part.n {
		list = list[:len(list)+1]
		r.part.price(&list[len(list)-1], card, i)
	}
	return list, nil
}

// ofCard lists the prices of a card in the order in which they came.
func (r *partReading) ofCard(ctx context.Context, q queryer, card string) (list []catalog.PlacedPrice, err error) {
	err = r.eachPart(ctx, q, card, 0, 0, func(data []byte) (err error) {
		list, err = r.appendPart(list, card, data)
		return err
	})
	sorting.Func(list, func(a, b catalog.PlacedPrice) int { return a.Place - b.Place })
	return list, err
}

// eachPart passes the parts of a card that reach to a day or beyond it and end before another; 0 bounds nothing.
func (r *partReading) eachPart(
	ctx context.Context, q queryer, card string, from, before int, fn func(data []byte) error,
) error {
	query, args := "SELECT revision, data FROM price_parts WHERE dataset = ? AND card = ? AND last_day >= ?",
		[]any{r.dataset, card, from}
	if before > 0 {
		query += " AND last_day < ?"
		args = append(args, before)
	}
	var revision int64
	var data sql.RawBytes
	rows, err := q.QueryContext(ctx, query, args...)
	return each(rows, err, []any{&revision, &data}, func() error {
		if !inLine(r.line, revision) {
			return nil
		}
		return fn(data)
	})
}

// readPrices reads all prices of a revision.
func readPrices(ctx context.Context, q queryer, revision int64) (out []catalog.Price, err error) {
	r, err := newPartReading(ctx, q, revision)
	if err != nil {
		return nil, err
	}
	from, done := place{}, false
	for !done {
		from, done, err = r.some(ctx, q, from, maxPartPrices, func(list []catalog.PlacedPrice) error {
			for i := range list {
				out = append(out, list[i].Price)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pageOfPrices reads some prices of a revision, of a kind or of all, and counts those of the kind.
func pageOfPrices(
	ctx context.Context, q queryer, revision int64, kind catalog.PriceKind, from, n int,
) (out []catalog.Price, total int, err error) {
	r, err := newPartReading(ctx, q, revision)
	if err != nil {
		return nil, 0, err
	}
	at, done := place{}, false
	for !done && (kind != "" || len(out) < n) {
		at, done, err = r.some(ctx, q, at, 1, func(list []catalog.PlacedPrice) error {
			for i := range list {
				if kind != "" && list[i].Kind != kind {
					continue
				}
				if total >= from && len(out) < n {
					out = append(out, list[i].Price)
				}
				total++
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return out, total, nil
}

// priceHistory reads the prices of a dataset as one of its revisions has them. Applied revisions are never deleted, so
// that it reads the same for as long as the store is open.
type priceHistory struct {
	s       *Store
	dataset int64
	line    []int64
}

// PricesOf implements [catalog.History].
func (h *priceHistory) PricesOf(card string) ([]catalog.PlacedPrice, error) {
	ctx := context.Background()
	r := partReading{dataset: h.dataset, line: h.line, held: newInterner()}
	list, err := r.ofCard(ctx, h.s.reader, card)
	return list, explain(ctx, h.s.path, "read prices", err)
}

// Each implements [catalog.History]. It reads some parts at a time, and holds no connection while fn works: that may
// wait for a client.
func (h *priceHistory) Each(
	ctx context.Context, card string, days catalog.Days, fn func(*catalog.PlacedPrice) error,
) error {
	keys, err := h.partsOf(ctx, card, days)
	r := partReading{dataset: h.dataset, line: h.line}
	var list []catalog.PlacedPrice
	for len(keys) > 0 && err == nil {
		n, prices := 0, 0
		for n < len(keys) && n < partsAtOnce && (n == 0 || prices+keys[n].prices <= mostAtOnce) {
			prices += keys[n].prices
			n++
		}
		r.held = newInterner()
		list = slices.Grow(list[:0], prices) // once, not part by part
		if list, err = r.byKey(ctx, h.s.reader, card, keys[:n], list[:0]); err != nil {
			break
		}
		keys = keys[n:]
		for i := range list {
			if err := fn(&list[i]); err != nil {
				return err
			}
		}
		runtime.Gosched()
	}
	return explain(ctx, h.s.path, "read prices", err)
}

// What Each reads at once: one part, or at most so many with so many prices.
const (
	partsAtOnce = 64
	mostAtOnce  = 4096
)

// partKey is a part that is to be read.
type partKey struct {
	key, revision int64
	prices        int
}

// partsOf lists the parts of a card that may have prices of some days, in the order in which they came.
func (h *priceHistory) partsOf(ctx context.Context, card string, days catalog.Days) ([]partKey, error) {
	query, args := "SELECT key, revision, prices FROM price_parts WHERE dataset = ? AND card = ? AND last_day >= ?",
		[]any{h.dataset, card, days.From}
	if days.To > 0 {
		query += " AND first_day <= ?"
		args = append(args, days.To)
	}
	var k partKey
	rows, err := h.s.reader.QueryContext(ctx, query+" ORDER BY revision, part", args...)
	list, err := collect(rows, err, []any{&k.key, &k.revision, &k.prices}, func() partKey { return k })
	return slices.DeleteFunc(list, func(k partKey) bool { return !inLine(h.line, k.revision) }), err
}

// byKey appends the prices of some parts of a card.
func (r *partReading) byKey(
	ctx context.Context, q queryer, card string, keys []partKey, list []catalog.PlacedPrice,
) ([]catalog.PlacedPrice, error) {
	args := make([]any, len(keys))
	for i, k := range keys {
		args[i] = k.key
	}
	var data sql.RawBytes
	rows, err := q.QueryContext(ctx, "SELECT data FROM price_parts WHERE key IN (?"+strings.Repeat(", ?", len(keys)-1)+
		") ORDER BY revision, part", args...)
	read := 0
	err = each(rows, err, []any{&data}, func() (err error) {
		read++
		list, err = r.appendPart(list, card, data)
		return err
	})
	if err == nil && read != len(keys) {
		err = fmt.Errorf("of %d parts of the prices %d are there: %w", len(keys), read, ErrCorrupt)
	}
	return list, err
}

// standingPrices reads the prices of a revision card by card, as far back as is asked for.
type standingPrices struct {
	s    *Store
	r    *partReading
	read map[string]int // by card: of which day on its prices were passed
}

// StandingPrices prepares to read prices of a revision.
func (s *Store) StandingPrices(ctx context.Context, number int64) (importer.StandingPrices, error) {
	r, err := newPartReading(ctx, s.reader, number)
	if err != nil {
		return nil, explain(ctx, s.path, "read the prices that stand", err)
	}
	return &standingPrices{s, r, map[string]int{}}, nil
}

// Since passes prices of a card that it has not passed before; all of that day or a later one are among them.
func (p *standingPrices) Since(
	ctx context.Context, card string, day catalog.Date, fn func(*catalog.Price),
) error {
	from := day.Ordinal()
	before, known := p.read[card]
	switch {
	case known && from >= before:
		return nil
	case known: // days go back: there may be many more of them
		from = 0
	}
	p.read[card] = from
	n := 0
	var list []catalog.PlacedPrice
	err := p.r.eachPart(ctx, p.s.reader, card, from, before, func(data []byte) (err error) {
		if n%partsAtOnce == 0 {
			p.r.held = newInterner() // nobody keeps the texts
		}
		n++
		list, err = p.r.appendPart(list[:0], card, data)
		for i := range list {
			fn(&list[i].Price)
		}
		return err
	})
	return explain(ctx, p.s.path, "read the prices that stand", err)
}
