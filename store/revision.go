package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"tianti/catalog"
	"tianti/changes"
)

// Read returns an applied revision with all its prices, active or not.
func (s *Store) Read(ctx context.Context, revision int64) (ds catalog.Dataset, err error) {
	err = s.readRevision(ctx, revision, func(tx *sql.Tx, r *storedRevision) error {
		if r.draft {
			return noRevision(revision)
		}
		if ds, err = r.read(ctx, tx); err == nil {
			if s.apart != nil {
				ds.Prices, err = s.readPricesApart(ctx, revision)
			} else {
				ds.Prices, err = readPrices(ctx, tx, revision)
			}
		}
		return err
	})
	return ds, err
}

// Revision returns a revision or draft as a whole, but for its prices.
func (s *Store) Revision(ctx context.Context, number int64) (ds catalog.Dataset, err error) {
	err = s.readRevision(ctx, number, func(tx *sql.Tx, r *storedRevision) error {
		ds, err = r.read(ctx, tx)
		return err
	})
	return ds, err
}

// Figures returns what a revision says of cards: its sources and its cards.
func (s *Store) Figures(ctx context.Context, number int64) (ds catalog.Dataset, err error) {
	err = s.readRevision(ctx, number, func(tx *sql.Tx, r *storedRevision) error {
		ds, err = r.readCards(ctx, tx)
		return err
	})
	return ds, err
}

// Body names what a revision has but for prices, which several may share.
func (s *Store) Body(ctx context.Context, number int64) (b changes.Body, err error) {
	err = s.readRevision(ctx, number, func(_ *sql.Tx, r *storedRevision) error {
		b = changes.Body{Number: r.body, Dataset: r.dataset.ID, Cards: r.cards}
		return nil
	})
	return b, err
}

// Prices returns at most n prices of a revision or draft, of a kind or of all, from the from-th on, and how many there
// are.
func (s *Store) Prices(
	ctx context.Context, number int64, kind catalog.PriceKind, from, n int,
) (out []catalog.Price, total int, err error) {
	err = s.readRevision(ctx, number, func(tx *sql.Tx, r *storedRevision) error {
		out, total, err = pageOfPrices(ctx, tx, number, kind, max(from, 0), max(n, 0))
		if kind == "" {
			total = r.prices
		}
		return err
	})
	return out, total, err
}

// pricesAtOnce is how many prices EachPrice reads before it passes them on.
const pricesAtOnce = 5000

// EachPrice passes all prices of a revision or draft to f, in order. The price is f's until it returns. f may be slow:
// the database is not read meanwhile.
func (s *Store) EachPrice(ctx context.Context, number int64, f func(*catalog.Price) error) error {
	return s.eachPrice(ctx, number, true, f)
}

// EachNewPrice is EachPrice without those of the revision that it goes on from.
func (s *Store) EachNewPrice(ctx context.Context, number int64, f func(*catalog.Price) error) error {
	return s.eachPrice(ctx, number, false, f)
}

func (s *Store) eachPrice(ctx context.Context, number int64, all bool, f func(*catalog.Price) error) error {
	var r *partReading
	part := make([]catalog.PlacedPrice, 0, pricesAtOnce)
	for from, done := (place{}), false; !done; {
		part = part[:0]
		err := s.readRevision(ctx, number, func(tx *sql.Tx, _ *storedRevision) (err error) {
			if r == nil { // the line does not change
				if r, err = newPartReading(ctx, tx, number); err != nil {
					return err
				}
				if !all {
					r.line = r.line[len(r.line)-1:]
				}
			}
			from, done, err = r.some(ctx, tx, from, pricesAtOnce, func(list []catalog.PlacedPrice) error {
				part = append(part, list...)
				return nil
			})
			return err
		})
		if err != nil {
			return err
		}
		for i := range part {
			if err := f(&part[i].Price); err != nil {
				return err
			}
		}
	}
	return nil
}

// storedRevision is a revision that is complete: applied, or a draft that is ready.
type storedRevision struct {
	number, body  int64
	dataset       catalog.Dataset // id, title, rank
	cards, prices int
	draft         bool
	dialect       *dialect
}

// readRevision runs fn in a read transaction that has the revision.
func (s *Store) readRevision(ctx context.Context, number int64, fn func(*sql.Tx, *storedRevision) error) error {
	attempt := fmt.Sprintf("read revision %d", number)
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return explain(ctx, s.path, attempt, err)
	}
	defer tx.Rollback()
	r := storedRevision{number: number, dialect: s.dialect}
	err = tx.QueryRowContext(ctx, `SELECT d.id, d.title_en, d.title_zh, d.rank,
		r.card_count, r.price_count, r.state = 'draft', coalesce(r.body, r.number)
		FROM revisions r JOIN datasets d ON d.key = r.dataset
		WHERE r.number = ? AND (r.state = 'applied'
			OR EXISTS (SELECT 1 FROM drafts WHERE revision = r.number AND state = 'ready'))`, number).
		Scan(&r.dataset.ID, &r.dataset.Title.En, &r.dataset.Title.Zh, &r.dataset.Rank, &r.cards, &r.prices, &r.draft,
			&r.body)
	if errors.Is(err, sql.ErrNoRows) {
		err = noRevision(number)
	}
	if err == nil {
		err = fn(tx, &r)
	}
	return explain(ctx, s.path, attempt, err)
}

// read reads all but the prices.
func (r *storedRevision) read(ctx context.Context, tx *sql.Tx) (ds catalog.Dataset, err error) {
	if ds, err = r.readCards(ctx, tx); err != nil {
		return ds, err
	}
	annotations, err := annotationsOf(ctx, tx, []int64{r.body})
	if err != nil {
		return ds, err
	}
	rates, err := ratesOf(ctx, tx, []int64{r.body}, map[int64][]catalog.Source{r.body: ds.Sources})
	ds.Annotations, ds.Rates = *annotations[r.body], rates[r.body]
	return ds, err
}

// readCards reads sources and cards.
func (r *storedRevision) readCards(ctx context.Context, tx *sql.Tx) (ds catalog.Dataset, err error) {
	ds = r.dataset
	sources, err := sourcesOf(ctx, tx, []int64{r.number})
	if err != nil {
		return ds, err
	}
	ds.Sources = sources[r.number]
	reader, err := newChunkReader(ctx, tx, r.dialect)
	if err != nil {
		return ds, err
	}
	for _, c := range chunksOf(0, r.body, r.cards) {
		cards, err := reader.read(ctx, c, ds.Sources, nil)
		if err != nil {
			return ds, err
		}
		ds.Cards = append(ds.Cards, cards...)
	}
	return ds, nil
}
