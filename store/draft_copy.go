package store

import (
	"context"
	"database/sql"
	"fmt"

	"tianti/format"
)

// copied are the tables that a revision of its own body begins with, behind its sources, in an order that keeps
// references whole, by the column that splits them into parts.
var copied = []struct{ table, columns, split string }{
	{"cards", "number, id, name, vendor, kind, segment, architecture", "number"},
	{"aliases", "card, ordinal, alias", "card"},
	{"pci_ids", "card, ordinal, pci_id", "card"},
	{"facts", "card, ordinal, quantity, source, number, text", "card"},
	{"fact_notes", "card, ordinal, note_en, note_zh, superseded_en, superseded_zh, standing, accept", "card"},
	{"annotations", "kind, ordinal, body", "ordinal"},
	{"rates", "ordinal, date, base, quote, rate, source", "ordinal"},
}

// ownBody has the draft hold what it shared, but for prices: more is to follow. Until now it has at most sources of its
// own, which stand behind those that it shared.
func (w *draftWriter) ownBody() error {
	body, after := w.in.body, w.in.pricesAfter
	if body == 0 {
		return nil
	}
	err := w.part(func(in *rowWriter) error { return copySources(w.ctx, in.tx, after, in.revision) })
	for i := 0; i < len(copied) && err == nil; i++ {
		err = w.copyTable(copied[i].table, copied[i].columns, copied[i].split, body)
	}
	if err != nil {
		return err
	}
	return w.part(func(in *rowWriter) error {
		if err := share(w.ctx, in.tx, in.revision, 0, after); err != nil {
			return err
		}
		return in.resume()
	})
}

// copySources copies the sources of a revision, with those that it shares.
func copySources(ctx context.Context, tx *sql.Tx, from, to int64) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO sources (revision, "+sourceColumns+") SELECT CAST(?1 AS BIGINT), "+
		sourceColumns+" FROM sources WHERE revision IN "+bodyLine+" AND number NOT IN (SELECT number FROM sources "+
		"WHERE revision = ?1)", to, from)
	return err
}

// copyTable copies the rows of a revision part by part.
func (w *draftWriter) copyTable(table, columns, split string, from int64) error {
	var last int
	err := w.s.reader.QueryRowContext(w.ctx, fmt.Sprintf("SELECT coalesce(max(%s), -1) FROM %s WHERE revision = ?",
		split, table), from).Scan(&last)
	if err != nil {
		return err
	}
	step := partRows
	if split == "card" {
		step = cardsAtOnce
	}
	query := fmt.Sprintf("INSERT INTO %s (revision, %s) SELECT CAST(? AS BIGINT), %s FROM %s "+
		"WHERE revision = ? AND %s >= ? AND %s < ?",
		table, columns, columns, table, split, split)
	for at := 0; at <= last; at += step {
		err := w.part(func(in *rowWriter) error {
			_, err := in.tx.ExecContext(w.ctx, query, in.revision, from, at, at+step)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// goOn has the draft share all that a revision holds.
func (in *rowWriter) goOn(base int64) error {
	p, err := parentageOf(in.ctx, in.tx, base)
	if err != nil {
		return err
	}
	in.body, in.pricesAfter = p.body, base
	in.shared, in.priced, in.rated = p, p.prices, p.rates
	if err := share(in.ctx, in.tx, in.revision, p.body, base); err != nil {
		return err
	}
	in.baseSources = map[string]bool{}
	var id string
	var n int
	rows, err := in.tx.QueryContext(in.ctx, "SELECT id, number FROM sources WHERE revision IN "+bodyLineOf, base)
	return each(rows, err, []any{&id, &n}, func() error {
		in.sourceAt[id], in.baseSources[id] = n, true
		return nil
	})
}

// resume counts the rows that the draft has now in place of those that it shared.
func (in *rowWriter) resume() error {
	in.body = 0
	var id, kind string
	var n int
	var c cardRows
	rows, err := in.tx.QueryContext(in.ctx, `SELECT id, number,
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
	return nil
}

// skip writes rows of the file that are not imported.
func (in *rowWriter) skip(list []format.Skipped) error {
	insert, err := in.inserter("left_out", "revision bigint, ordinal integer, line integer, name text, field text, "+
		"reason text, message text")
	if err != nil {
		return err
	}
	defer insert.close()
	for _, l := range list {
		if err := insert.add(in.revision, in.skipped, l.Line, l.Name, l.Field, string(l.Reason),
			l.Message); err != nil {
			return fmt.Errorf("line %d: %w", l.Line, err)
		}
		in.skipped++
	}
	return insert.flush()
}
