package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"tianti/catalog"
)

// Read returns an applied revision with all its prices, active or not.
func (s *Store) Read(ctx context.Context, revision int64) (ds catalog.Dataset, err error) {
	err = s.readRevision(ctx, revision, func(tx *sql.Tx, r *storedRevision) error {
		if r.draft {
			return noRevision(revision)
		}
		if ds, err = r.read(ctx, tx); err == nil {
			ds.Prices, err = readPrices(ctx, tx, revision)
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

// Prices returns at most n prices of a revision or draft, of a kind or of all, from the from-th on, and how many there
// are.
func (s *Store) Prices(
	ctx context.Context, number int64, kind catalog.PriceKind, from, n int,
) (out []catalog.Price, total int, err error) {
	err = s.readRevision(ctx, number, func(tx *sql.Tx, r *storedRevision) error {
		total = r.prices
		if kind != "" {
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM price_rows WHERE revision = ?1 AND "+termsOfKind,
				number, string(kind)).Scan(&total); err != nil {
				return err
			}
		}
		out, err = pageOfPrices(ctx, tx, number, kind, max(from, 0), max(n, 0))
		return err
	})
	return out, total, err
}

// pricesAtOnce is how many prices EachPrice reads before it passes them on.
const pricesAtOnce = 5000

// EachPrice passes all prices of a revision or draft to f, in order. The price is f's until it returns. f may be slow:
// the database is not read meanwhile.
func (s *Store) EachPrice(ctx context.Context, number int64, f func(*catalog.Price) error) error {
	var w *storedDictionary
	part := make([]catalog.Price, 0, pricesAtOnce)
	for from := 0; ; from += len(part) {
		part = part[:0]
		err := s.readRevision(ctx, number, func(tx *sql.Tx, _ *storedRevision) (err error) {
			if w == nil { // they do not change
				if w, err = readDictionary(ctx, tx, number, newInterner()); err != nil {
					return err
				}
			}
			return w.prices(ctx, tx, from, pricesAtOnce, func(p *catalog.Price) { part = append(part, *p) })
		})
		if err != nil {
			return err
		}
		for i := range part {
			if err := f(&part[i]); err != nil {
				return err
			}
		}
		if len(part) < pricesAtOnce {
			return nil
		}
	}
}

// storedRevision is a revision that is complete: applied, or a draft that is ready.
type storedRevision struct {
	number        int64
	dataset       catalog.Dataset // id, title, rank
	cards, prices int
	draft         bool
}

// readRevision runs fn in a read transaction that has the revision.
func (s *Store) readRevision(ctx context.Context, number int64, fn func(*sql.Tx, *storedRevision) error) error {
	attempt := fmt.Sprintf("read revision %d", number)
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return explain(ctx, s.path, attempt, err)
	}
	defer tx.Rollback()
	r := storedRevision{number: number}
	err = tx.QueryRowContext(ctx, `SELECT d.id, d.title_en, d.title_zh, d.rank,
		r.card_count, r.price_count, r.state = 'draft'
		FROM revisions r JOIN datasets d ON d.key = r.dataset
		WHERE r.number = ? AND (r.state = 'applied'
			OR EXISTS (SELECT 1 FROM drafts WHERE revision = r.number AND state = 'ready'))`, number).
		Scan(&r.dataset.ID, &r.dataset.Title.En, &r.dataset.Title.Zh, &r.dataset.Rank, &r.cards, &r.prices, &r.draft)
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
	ds = r.dataset
	if ds.Sources, err = readSources(ctx, tx, r.number); err != nil {
		return ds, err
	}
	if ds.Annotations, err = readAnnotations(ctx, tx, r.number); err != nil {
		return ds, err
	}
	if ds.Rates, err = readRates(ctx, tx, r.number, ds.Sources); err != nil {
		return ds, err
	}
	reader, err := newChunkReader(ctx, tx)
	if err != nil {
		return ds, err
	}
	for _, c := range chunksOf(0, r.number, r.cards) {
		cards, err := reader.read(ctx, c, ds.Sources, nil)
		if err != nil {
			return ds, err
		}
		ds.Cards = append(ds.Cards, cards...)
	}
	return ds, nil
}
