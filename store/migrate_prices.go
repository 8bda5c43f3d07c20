package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"

	"tianti/catalog"
)

// pricesMigration is the version of the schema in which prices are parts of a history. Before, each revision held all
// of its prices, row by row.
const pricesMigration = 11

// goMigrations are the migrations that SQL alone cannot do.
func goMigrations() []*goose.Migration {
	return []*goose.Migration{goose.NewGoMigration(pricesMigration, &goose.GoFunc{RunTx: pricesUp},
		&goose.GoFunc{RunTx: pricesDown})}
}

type progressKey struct{}

// withProgress has migrations tell how far they are, of how much.
func withProgress(ctx context.Context, fn func(done, total int)) context.Context {
	if fn == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, fn)
}

const createParts = `
ALTER TABLE revisions ADD COLUMN body INTEGER REFERENCES revisions (number);
ALTER TABLE revisions ADD COLUMN prices_after INTEGER REFERENCES revisions (number);
CREATE TABLE price_parts (
    key       INTEGER PRIMARY KEY,
    revision  INTEGER NOT NULL REFERENCES revisions (number), -- that brought them
    dataset   INTEGER NOT NULL REFERENCES datasets (key), -- of the revision
    part      INTEGER NOT NULL CHECK (part >= 0), -- of the revision, in order
    card      TEXT NOT NULL CHECK (card <> ''),
    prices    INTEGER NOT NULL CHECK (prices > 0),
    first_day INTEGER NOT NULL, -- YYYYMMDD, that some of them may be of
    last_day  INTEGER NOT NULL,
    data      BLOB NOT NULL CHECK (length(data) > 1),
    UNIQUE (revision, part, card)
) STRICT;
CREATE INDEX price_parts_by_card ON price_parts (dataset, card, last_day, revision);
`

// pricesUp moves prices into parts. What a revision copied from the one that it was added to is not moved again.
func pricesUp(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, createParts); err != nil {
		return err
	}
	m := &priceMove{tx: tx, counts: map[int64]int{}}
	m.progress, _ = ctx.Value(progressKey{}).(func(done, total int))
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM price_rows").Scan(&m.total); err != nil {
		return err
	}
	type revision struct{ number, dataset, base int64 }
	var r revision
	rows, err := tx.QueryContext(ctx, `SELECT r.number, r.dataset, coalesce(t.base, 0)
		FROM revisions r LEFT JOIN drafts t ON t.revision = r.number
		WHERE r.state = 'applied' OR t.state = 'ready' ORDER BY r.number`)
	list, err := collect(rows, err, []any{&r.number, &r.dataset, &r.base}, func() revision { return r })
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := m.move(ctx, r.number, r.dataset, r.base); err != nil {
			return fmt.Errorf("prices of revision %d: %w", r.number, err)
		}
	}
	_, err = tx.ExecContext(ctx, `DROP VIEW prices; DROP TABLE price_rows; DROP TABLE price_texts;
		DROP TABLE price_terms; DROP TABLE price_days`)
	return err
}

// priceMove moves the prices of one revision after the other.
type priceMove struct {
	tx          *sql.Tx
	counts      map[int64]int // of revisions that were moved
	progress    func(done, total int)
	done, total int
}

func (m *priceMove) move(ctx context.Context, number, dataset, base int64) error {
	own, err := readOldPrices(ctx, m.tx, number)
	if err != nil {
		return err
	}
	from := 0
	if n := m.counts[base]; n > 0 {
		same, err := m.beginsWith(ctx, own, base, n)
		if err != nil {
			return err
		}
		if same {
			from = n
			if err := share(ctx, m.tx, number, 0, base); err != nil {
				return err
			}
		}
	}
	in := newRowWriter(ctx, sqliteDialect).begin(m.tx)
	in.revision, in.dataset, in.priced = number, dataset, from
	for _, s := range own.sources {
		in.sourceAt[s] = 0 // only whether there is one counts
	}
	for at := from; ; {
		list, err := own.some(ctx, m.tx, at, 20_000)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		if err := in.prices(list); err != nil {
			return err
		}
		at = in.priced
		m.tell(len(list))
	}
	m.counts[number] = in.priced
	return nil
}

// beginsWith reports whether the prices of a revision begin with the n of another one.
func (m *priceMove) beginsWith(ctx context.Context, own *oldPrices, base int64, n int) (bool, error) {
	other, err := readOldPrices(ctx, m.tx, base)
	if err != nil {
		return false, err
	}
	done := m.done
	for at := 0; at < n; {
		a, err := own.some(ctx, m.tx, at, min(20_000, n-at))
		if err != nil {
			return false, err
		}
		b, err := other.some(ctx, m.tx, at, min(20_000, n-at))
		if err != nil {
			return false, err
		}
		if len(a) == 0 || len(a) != len(b) {
			m.done = done
			return false, nil
		}
		for i := range a {
			if a[i] != b[i] {
				m.done = done
				return false, nil
			}
		}
		at += len(a)
		m.tell(len(a))
	}
	return true, nil
}

func (m *priceMove) tell(n int) {
	m.done += n
	if m.progress != nil {
		m.progress(m.done, m.total)
	}
}

// oldPrices are the prices of a revision as they stood before, with their dictionary.
type oldPrices struct {
	revision int64
	texts    []string
	terms    []terms
	days     []catalog.Date
	sources  []string
}

func readOldPrices(ctx context.Context, q queryer, revision int64) (*oldPrices, error) {
	w := &oldPrices{revision: revision, texts: make([]string, 1), terms: make([]terms, 1),
		days: make([]catalog.Date, 1)}
	var text string
	var t terms
	for _, part := range []struct {
		query string
		dest  []any
		add   func()
	}{
		{"SELECT text FROM price_texts WHERE revision = ? ORDER BY number", []any{&text},
			func() { w.texts = append(w.texts, text) }},
		{"SELECT kind, currency, unit, cards, term, tax FROM price_terms WHERE revision = ? ORDER BY number",
			[]any{&t.kind, &t.currency, &t.unit, &t.cards, &t.term, &t.tax}, func() { w.terms = append(w.terms, t) }},
		{"SELECT date FROM price_days WHERE revision = ? ORDER BY number", []any{&text},
			func() { w.days = append(w.days, catalog.Date(text)) }},
		{"SELECT id FROM sources WHERE revision = ? ORDER BY number", []any{&text},
			func() { w.sources = append(w.sources, text) }},
	} {
		rows, err := q.QueryContext(ctx, part.query, revision)
		if err := each(rows, err, part.dest, func() error { part.add(); return nil }); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// some reads at most n prices from an ordinal on.
func (w *oldPrices) some(ctx context.Context, q queryer, from, n int) (list []catalog.Price, err error) {
	var card, t, seller, instance, region, day, source, en, zh int
	var micros int64
	rows, err := q.QueryContext(ctx, `SELECT card, terms, micros, seller, instance, region, day, source, note_en,
		note_zh FROM price_rows WHERE revision = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?`, w.revision, from, n)
	dest := []any{&card, &t, &micros, &seller, &instance, &region, &day, &source, &en, &zh}
	err = each(rows, err, dest, func() error {
		for _, n := range [...]int{card, seller, instance, region, en, zh} {
			if n < 0 || n >= len(w.texts) {
				return fmt.Errorf("a price has text %d of %d: %w", n, len(w.texts)-1, ErrCorrupt)
			}
		}
		if t < 1 || t >= len(w.terms) || day < 1 || day >= len(w.days) || source < 0 || source >= len(w.sources) {
			return fmt.Errorf("price of %q has terms %d of %d, day %d of %d, source %d of %d: %w", w.texts[card], t,
				len(w.terms)-1, day, len(w.days)-1, source, len(w.sources), ErrCorrupt)
		}
		of := &w.terms[t]
		list = append(list, catalog.Price{Card: w.texts[card], Kind: of.kind,
			Amount: catalog.Money{Micros: micros, Currency: of.currency}, Unit: of.unit, Cards: of.cards, Term: of.term,
			Seller: w.texts[seller], Instance: w.texts[instance], Region: w.texts[region], Tax: of.tax,
			Date: w.days[day], Source: w.sources[source], Note: catalog.Text{En: w.texts[en], Zh: w.texts[zh]}})
		return nil
	})
	return list, err
}

// oldTables are those of before, as [migrations.FS] made them.
const oldTables = `
CREATE TABLE price_texts (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    number   INTEGER NOT NULL CHECK (number > 0),
    text     TEXT NOT NULL CHECK (text <> ''),
    PRIMARY KEY (revision, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE price_terms (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    number   INTEGER NOT NULL CHECK (number > 0),
    kind     TEXT NOT NULL CHECK (kind IN ('launch', 'street', 'used', 'computer', 'server', 'on_demand', 'spot', 'reserved', 'monthly')),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    unit     TEXT NOT NULL CHECK (unit IN ('card', 'node', 'hour', 'month')),
    cards    INTEGER NOT NULL CHECK (cards > 0), -- that the amount is for
    term     INTEGER NOT NULL CHECK (term >= 0), -- months of a reservation, or 0
    tax      TEXT NOT NULL CHECK (tax IN ('', 'included', 'excluded')),
    PRIMARY KEY (revision, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE price_days (
    revision INTEGER NOT NULL REFERENCES revisions (number),
    number   INTEGER NOT NULL CHECK (number > 0),
    date     TEXT NOT NULL CHECK (length(date) IN (4, 7, 10)
        AND date(date || substr('-01-01', length(date) - 3)) IS date || substr('-01-01', length(date) - 3)),
    PRIMARY KEY (revision, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE price_rows (
    revision INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL CHECK (ordinal >= 0),
    card     INTEGER NOT NULL CHECK (card > 0), -- number of a text, as are seller, instance, region and notes
    terms    INTEGER NOT NULL,
    micros   INTEGER NOT NULL CHECK (micros > 0),
    seller   INTEGER NOT NULL,
    instance INTEGER NOT NULL,
    region   INTEGER NOT NULL,
    day      INTEGER NOT NULL,
    source   INTEGER NOT NULL,
    note_en  INTEGER NOT NULL,
    note_zh  INTEGER NOT NULL,
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;
CREATE VIEW prices AS
SELECT p.revision, p.ordinal, c.text AS card, t.kind, p.micros, t.currency, t.unit, t.cards, t.term, coalesce(s.text, '') AS seller,
    coalesce(i.text, '') AS instance, coalesce(r.text, '') AS region, t.tax, d.date, p.source, coalesce(e.text, '') AS note_en, coalesce(z.text, '') AS note_zh
FROM price_rows p
    LEFT JOIN price_texts c ON c.revision = p.revision AND c.number = p.card
    LEFT JOIN price_terms t ON t.revision = p.revision AND t.number = p.terms
    LEFT JOIN price_days d ON d.revision = p.revision AND d.number = p.day
    LEFT JOIN price_texts s ON s.revision = p.revision AND s.number = p.seller
    LEFT JOIN price_texts i ON i.revision = p.revision AND i.number = p.instance
    LEFT JOIN price_texts r ON r.revision = p.revision AND r.number = p.region
    LEFT JOIN price_texts e ON e.revision = p.revision AND e.number = p.note_en
    LEFT JOIN price_texts z ON z.revision = p.revision AND z.number = p.note_zh;
`

// pricesDown gives each revision all of its prices, and what it shared.
func pricesDown(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, oldTables); err != nil {
		return err
	}
	var number int64
	rows, err := tx.QueryContext(ctx, "SELECT number FROM revisions ORDER BY number")
	list, err := collect(rows, err, []any{&number}, func() int64 { return number })
	if err != nil {
		return err
	}
	for _, number := range list {
		if err := copyBody(ctx, tx, number); err != nil {
			return err
		}
	}
	for _, number := range list {
		if err := writeOldPrices(ctx, tx, number); err != nil {
			return fmt.Errorf("prices of revision %d: %w", number, err)
		}
	}
	_, err = tx.ExecContext(ctx, `DROP TABLE price_parts; ALTER TABLE revisions DROP COLUMN body;
		ALTER TABLE revisions DROP COLUMN prices_after`)
	return err
}

// copyBody gives a revision what it shares, but for prices.
func copyBody(ctx context.Context, tx *sql.Tx, number int64) error {
	p, err := parentageOf(ctx, tx, number)
	if err != nil || p.body == number {
		return err
	}
	if err := copySources(ctx, tx, p.pricesAfter, number); err != nil {
		return err
	}
	for _, c := range copied {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("INSERT INTO %s (revision, %s) SELECT ?, %s FROM %s WHERE "+
			"revision = ?", c.table, c.columns, c.columns, c.table), number, p.body); err != nil {
			return err
		}
	}
	return share(ctx, tx, number, 0, p.pricesAfter)
}

func writeOldPrices(ctx context.Context, tx *sql.Tx, number int64) error {
	prices, err := readPrices(ctx, tx, number)
	if err != nil || len(prices) == 0 {
		return err
	}
	sources := map[string]int{}
	var id string
	var n int
	rows, err := tx.QueryContext(ctx, "SELECT id, number FROM sources WHERE revision = ?", number)
	if err = each(rows, err, []any{&id, &n}, func() error { sources[id] = n; return nil }); err != nil {
		return err
	}
	texts, of, days := numbered[string]{}, numbered[terms]{}, numbered[catalog.Date]{}
	texts.reset()
	of.reset()
	days.reset()
	texts.number("")
	insert := func(table string, columns int) (*sql.Stmt, error) {
		return tx.PrepareContext(ctx, "INSERT INTO "+table+" VALUES (?"+strings.Repeat(", ?", columns-1)+")")
	}
	st, err := insert("price_rows", 12)
	if err != nil {
		return err
	}
	for i := range prices {
		p := &prices[i]
		if _, err := st.ExecContext(ctx, number, i, texts.number(p.Card), of.number(termsOf(p))+1, p.Amount.Micros,
			texts.number(p.Seller), texts.number(p.Instance), texts.number(p.Region), days.number(p.Date)+1,
			sources[p.Source], texts.number(p.Note.En), texts.number(p.Note.Zh)); err != nil {
			return err
		}
	}
	if st, err = insert("price_texts", 3); err != nil {
		return err
	}
	for i, text := range texts.list[1:] {
		if _, err := st.ExecContext(ctx, number, i+1, text); err != nil {
			return err
		}
	}
	if st, err = insert("price_terms", 8); err != nil {
		return err
	}
	for i, t := range of.list {
		kind := t.kind
		switch kind { // that the schema before does not know
		case catalog.AloneOnDemand:
			kind = catalog.OnDemand
		case catalog.AloneSpot:
			kind = catalog.Spot
		}
		if _, err := st.ExecContext(ctx, number, i+1, string(kind), t.currency, string(t.unit), t.cards, t.term,
			string(t.tax)); err != nil {
			return err
		}
	}
	if st, err = insert("price_days", 3); err != nil {
		return err
	}
	for i, d := range days.list {
		if _, err := st.ExecContext(ctx, number, i+1, string(d)); err != nil {
			return err
		}
	}
	return nil
}
