package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
)

var _ importer.Store = (*Store)(nil)

// partRows is how many rows a draft commits at once: others that write wait for one part at most. Tests make it
// smaller.
var partRows = 20_000

// breath is how long a draft leaves the database to others after each part: other processes do not queue for the write
// lock, they look for it now and then (see begin).
const breath = 2 * time.Millisecond

// draftWriter writes a draft. Prices, of which there are many, are written while the caller makes the next ones.
type draftWriter struct {
	s       *Store
	ctx     context.Context // of BeginDraft
	attempt string
	in      *rowWriter
	closed  bool
	reserve reserve

	prices, spare []catalog.Price
	writing       chan error // result of the part that is being written; nil when none is
}

// BeginDraft begins a draft on the active revision of a dataset, which need not exist. In Add mode it copies what that
// revision holds.
func (s *Store) BeginDraft(
	ctx context.Context, f importer.FileInfo, opt importer.Options, by audit.Actor,
) (importer.Writer, error) {
	w := &draftWriter{s: s, ctx: ctx, in: newRowWriter(ctx, s.dialect),
		attempt: fmt.Sprintf("make a draft of dataset %q",
			opt.Dataset)}
	if s.writer != nil {
		if err := s.clean(ctx); err != nil {
			return nil, err
		}
	}
	var base int64
	err := s.write(ctx, w.attempt, func(tx *sql.Tx) error {
		w.in = newRowWriter(ctx, s.dialect)
		key, err := ensureDataset(ctx, tx, opt.Dataset, opt.Title, value(opt.Rank))
		if err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(active_revision, 0) FROM datasets WHERE key = ?", key).
			Scan(&base); err != nil {
			return err
		}
		if w.in.revision, err = s.insertRevision(ctx, tx, key, f, opt, by); err != nil {
			return err
		}
		if err := s.insertDraft(ctx, tx, w.in.revision, base, opt, by); err != nil {
			return err
		}
		w.in.dataset = key
		if opt.Mode == importer.Add && base != 0 {
			return w.in.begin(tx).goOn(base)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

func value(rank *int) int {
	if rank == nil {
		return 0
	}
	return *rank
}

func (s *Store) insertDraft(
	ctx context.Context, tx *sql.Tx, revision, base int64, opt importer.Options, by audit.Actor,
) error {
	options, err := json.Marshal(opt)
	if err != nil {
		return err
	}
	actor, err := json.Marshal(by)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO drafts (revision, state, owner, actor, base, options, summary, touched_at)
		VALUES (?, 'reading', ?, ?, nullif(CAST(? AS BIGINT), 0), ?, '{}', ?)`,
		revision, thisProcess(), string(actor), base, string(options), s.opt.Now().Unix())
	return err
}

// ID is the number of the revision that the draft will be.
func (w *draftWriter) ID() int64 { return w.in.revision }

// part runs fn in a transaction of its own and notes that the draft is alive.
func (w *draftWriter) part(fn func(*rowWriter) error) error {
	defer time.Sleep(breath)
	_, err := w.s.writeOnce(w.ctx, w.attempt, func(tx *sql.Tx) error { // the writer of rows counts on
		res, err := tx.ExecContext(w.ctx, "UPDATE drafts SET touched_at = ? WHERE revision = ? AND state = 'reading'",
			w.s.opt.Now().Unix(), w.in.revision)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return noDraft(w.in.revision)
		}
		return fn(w.in.begin(tx))
	})
	return err
}

// after runs a part once the prices given so far are written.
func (w *draftWriter) after(fn func(*rowWriter) error) error {
	if w.closed {
		return noDraft(w.in.revision)
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.wait(); err != nil {
		return err
	}
	return w.part(fn)
}

// Sources adds sources.
func (w *draftWriter) Sources(list []catalog.Source) error {
	return w.after(func(in *rowWriter) error { return in.sources(list) })
}

// cardsAtOnce is how many cards are committed at once, with some twenty rows each.
const cardsAtOnce = 1000

// Cards adds cards, or what is new of cards of the base.
func (w *draftWriter) Cards(list []catalog.Card) error {
	if err := w.own(len(list)); err != nil {
		return err
	}
	for len(list) > 0 {
		n := min(cardsAtOnce, len(list))
		if err := w.after(func(in *rowWriter) error { return in.cards(w.ctx, list[:n]) }); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// own prepares for n things that are not prices.
func (w *draftWriter) own(n int) error {
	if w.closed || n == 0 || w.in.body == 0 {
		return nil
	}
	if err := w.after(func(*rowWriter) error { return nil }); err != nil {
		return err
	}
	return w.ownBody()
}

// CarryPrices has the draft go on from the prices of a revision of its dataset, whose sources are among its own.
func (w *draftWriter) CarryPrices(of int64) error {
	return w.after(func(in *rowWriter) error {
		p, err := parentageOf(in.ctx, in.tx, of)
		if err != nil {
			return err
		}
		if p.dataset != in.dataset || in.priced > 0 || in.body != 0 {
			return fmt.Errorf("the prices of revision %d cannot be carried on", of)
		}
		in.priced = p.prices
		return share(in.ctx, in.tx, in.revision, 0, of)
	})
}

// Prices adds prices.
func (w *draftWriter) Prices(list []catalog.Price) error {
	if w.closed {
		return noDraft(w.in.revision)
	}
	for len(list) > 0 {
		n := min(partRows-len(w.prices), len(list))
		w.prices = append(w.prices, list[:n]...)
		list = list[n:]
		if len(w.prices) == partRows {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush begins to write the prices that are gathered, once the part before is done.
func (w *draftWriter) flush() error {
	if err := w.wait(); err != nil || len(w.prices) == 0 {
		return err
	}
	if len(w.prices) == partRows && w.s.server == nil { // there may be many
		if err := w.reserve.hold(w.s.path); err != nil {
			return explain(w.ctx, w.s.path, w.attempt, err)
		}
	}
	part, done := w.prices, make(chan error, 1)
	w.prices, w.spare, w.writing = w.spare[:0], part, done
	go func() { done <- w.part(func(in *rowWriter) error { return in.prices(part) }) }()
	if w.s.opt.Gentle {
		return w.wait()
	}
	return nil
}

// wait returns the error of the part that is being written.
func (w *draftWriter) wait() error {
	if w.writing == nil {
		return nil
	}
	err := <-w.writing
	w.writing = nil
	return err
}

// Rates adds exchange rates.
func (w *draftWriter) Rates(list []catalog.ExchangeRate) error {
	if err := w.own(len(list)); err != nil {
		return err
	}
	return inParts(list, func(part []catalog.ExchangeRate) error {
		return w.after(func(in *rowWriter) error { return in.rates(part) })
	})
}

// Annotations adds what the dataset knows beside its cards.
func (w *draftWriter) Annotations(a catalog.Annotations) error {
	if err := w.own(a.Len()); err != nil {
		return err
	}
	return w.after(func(in *rowWriter) error { return in.annotations(&a) })
}

// Skipped adds rows of the file that are not imported.
func (w *draftWriter) Skipped(list []format.Skipped) error {
	return inParts(list, func(part []format.Skipped) error {
		return w.after(func(in *rowWriter) error { return in.skip(part) })
	})
}

func inParts[T any](list []T, fn func([]T) error) error {
	for len(list) > 0 {
		n := min(partRows, len(list))
		if err := fn(list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// Finish makes the draft ready.
func (w *draftWriter) Finish(ctx context.Context, used importer.Options, sum importer.Summary) (importer.Draft, error) {
	options, err := json.Marshal(used)
	if err != nil {
		return importer.Draft{}, err
	}
	summary, err := json.Marshal(sum)
	if err != nil {
		return importer.Draft{}, err
	}
	err = w.after(func(in *rowWriter) error {
		if err := in.finish(); err != nil {
			return err
		}
		if _, err := in.tx.ExecContext(in.ctx, "UPDATE revisions SET format = ? WHERE number = ?", used.Format,
			in.revision); err != nil {
			return err
		}
		_, err := in.tx.ExecContext(in.ctx, "UPDATE drafts SET options = ?, summary = ? WHERE revision = ?",
			string(options), string(summary), in.revision)
		return err
	})
	if err == nil {
		err = w.s.write(ctx, w.attempt, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE drafts SET state = 'ready' WHERE revision = ?", w.in.revision)
			return err
		})
	}
	if err != nil {
		return importer.Draft{}, err
	}
	w.closed = true
	w.reserve.release()
	return w.s.Draft(ctx, w.in.revision)
}

// Abort deletes what was written, also when the context has ended; after Finish it does nothing.
func (w *draftWriter) Abort() error {
	if w.closed || w.in.revision == 0 {
		return nil
	}
	w.closed = true
	_ = w.wait() // told by the method that failed, or of no interest any more
	w.reserve.release()
	ctx := context.WithoutCancel(w.ctx)
	return explain(ctx, w.s.path, "take a draft away", w.s.deleteDraftOrRetry(ctx, w.in.revision))
}
