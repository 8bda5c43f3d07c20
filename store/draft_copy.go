package store

import (
	"fmt"

	"tianti/format"
)

// copied are the tables that an added revision begins with, in an order that keeps references whole, by the column that
// splits them into parts.
var copied = []struct{ table, columns, split string }{
	{"sources", "number, id, publisher, title, url, kind, published, retrieved, standing, origin", "number"},
	{"cards", "number, id, name, vendor, kind, segment, architecture", "number"},
	{"aliases", "card, ordinal, alias", "card"},
	{"pci_ids", "card, ordinal, pci_id", "card"},
	{"facts", "card, ordinal, quantity, source, number, text", "card"},
	{"fact_notes", "card, ordinal, note_en, note_zh, superseded_en, superseded_zh, standing, accept", "card"},
	{"annotations", "kind, ordinal, body", "ordinal"},
	{"price_texts", "number, text", "number"},
	{"price_terms", "number, kind, currency, unit, cards, term, tax", "number"},
	{"price_days", "number, date", "number"},
	{"price_rows", "ordinal, card, terms, micros, seller, instance, region, day, source, note_en, note_zh", "ordinal"},
	{"rates", "ordinal, date, base, quote, rate, source", "ordinal"},
}

// copyBase copies the rows of the base and goes on behind them.
func (w *draftWriter) copyBase(base int64) error {
	for _, c := range copied {
		var last int
		err := w.s.reader.QueryRowContext(w.ctx, fmt.Sprintf("SELECT coalesce(max(%s), -1) FROM %s WHERE revision = ?",
			c.split, c.table), base).Scan(&last)
		if err != nil {
			return err
		}
		step := partRows
		if c.split == "card" {
			step = cardsAtOnce
		}
		query := fmt.Sprintf("INSERT OR FAIL INTO %s (revision, %s) SELECT ?, %s FROM %s WHERE revision = ? AND %s "+
			">= ? AND %s < ?",
			c.table, c.columns, c.columns, c.table, c.split, c.split)
		for from := 0; from <= last; from += step {
			err := w.part(func(in *rowWriter) error {
				_, err := in.tx.ExecContext(w.ctx, query, in.revision, base, from, from+step)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return w.part(func(in *rowWriter) error { return in.resume() })
}

// resume counts the rows that a revision has, so that more can follow.
func (in *rowWriter) resume() error {
	in.baseSources = map[string]bool{}
	var id, kind string
	var n int
	rows, err := in.tx.QueryContext(in.ctx, "SELECT id, number FROM sources WHERE revision = ?", in.revision)
	err = each(rows, err, []any{&id, &n}, func() error {
		in.sourceAt[id], in.baseSources[id] = n, true
		return nil
	})
	if err != nil {
		return err
	}
	var c cardRows
	rows, err = in.tx.QueryContext(in.ctx, `SELECT id, number,
		(SELECT count(*) FROM aliases WHERE revision = c.revision AND card = c.number),
		(SELECT count(*) FROM pci_ids WHERE revision = c.revision AND card = c.number),
		(SELECT count(*) FROM facts WHERE revision = c.revision AND card = c.number)
		FROM cards c WHERE revision = ?`, in.revision)
	err = each(rows, err, []any{&id, &c.number, &c.aliases, &c.pci, &c.facts}, func() error {
		in.cardAt[id] = &cardRows{c.number, c.aliases, c.pci, c.facts, true}
		in.figures += c.facts
		return nil
	})
	if err != nil {
		return err
	}
	rows, err = in.tx.QueryContext(in.ctx, "SELECT kind, count(*) FROM annotations WHERE revision = ? GROUP BY kind",
		in.revision)
	err = each(rows, err, []any{&kind, &n}, func() error {
		in.annotated[kind] = n
		return nil
	})
	if err != nil {
		return err
	}
	if err := in.dictionary.resume(in.ctx, in.tx, in.revision); err != nil {
		return err
	}
	return in.tx.QueryRowContext(in.ctx, `SELECT
		(SELECT coalesce(max(ordinal) + 1, 0) FROM price_rows WHERE revision = ?1),
		(SELECT count(*) FROM rates WHERE revision = ?1)`, in.revision).Scan(&in.priced, &in.rated)
}

// skip writes rows of the file that are not imported.
func (in *rowWriter) skip(list []format.Skipped) error {
	insert, err := in.tx.PrepareContext(in.ctx, "INSERT INTO left_out (revision, ordinal, line, name, field, reason, "+
		"message) VALUES (?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, l := range list {
		if _, err := insert.ExecContext(in.ctx, in.revision, in.skipped, l.Line, l.Name, l.Field, string(l.Reason),
			l.Message); err != nil {
			return fmt.Errorf("line %d: %w", l.Line, err)
		}
		in.skipped++
	}
	return nil
}
