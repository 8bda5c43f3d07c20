package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"tianti/catalog"
)

// validate checks the prices and rates of a dataset whose sources are known by now.
func (in *importer) validate(ds *catalog.Dataset) error {
	known := make(map[string]*catalog.Source, len(in.sourceAt))
	for id := range in.sourceAt {
		known[id] = &catalog.Source{ID: id}
	}
	for i := range ds.Prices {
		p := &ds.Prices[i]
		if err := p.Validate(known); err != nil {
			return catalog.Problem{Pos: p.Pos, Card: p.Card, Field: "price", Rule: "price", Msg: err.Error()}
		}
	}
	for i := range ds.Rates {
		x := &ds.Rates[i]
		if err := x.Validate(known); err != nil {
			return catalog.Problem{Pos: x.Pos, Field: "rate", Rule: "price", Msg: err.Error()}
		}
	}
	return nil
}

// rowsAtOnce is how many prices one statement inserts: most of what a row costs is
// the call.
const rowsAtOnce = 100

// insertPrices is a statement for n prices of the revision ?1 from ordinal ?2 on. OR
// FAIL needs no journal of its own; the transaction is rolled back anyway.
func insertPrices(n int) string {
	var b strings.Builder
	b.WriteString(`INSERT OR FAIL INTO prices
		(revision, ordinal, card, kind, micros, currency, unit, cards, term, seller, instance, region, tax, date, source, note_en, note_zh) VALUES `)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(?1, ?2 + %d, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", i)
	}
	return b.String()
}

// prices writes prices, which are valid.
func (in *importer) prices(list []catalog.Price) error {
	args := make([]any, 0, 2+rowsAtOnce*15)
	for len(list) > 0 {
		n := min(rowsAtOnce, len(list))
		insert, err := in.tx.PrepareContext(in.ctx, insertPrices(n))
		if err != nil {
			return err
		}
		for ; len(list) >= n && err == nil; list = list[n:] {
			args, err = in.insertRows(insert, list[:n], args[:0])
		}
		if err := errors.Join(err, insert.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (in *importer) insertRows(insert *sql.Stmt, list []catalog.Price, args []any) ([]any, error) {
	args = append(args, in.revision, in.priced)
	for i := range list {
		p := &list[i]
		source, ok := in.sourceAt[p.Source]
		if !ok {
			return args, noSource(p.Pos, p.Card, "price", p.Source)
		}
		args = append(args, p.Card, string(p.Kind), p.Amount.Micros, p.Amount.Currency, string(p.Unit), p.Cards, p.Term,
			p.Seller, p.Instance, p.Region, string(p.Tax), string(p.Date), source, p.Note.En, p.Note.Zh)
	}
	if _, err := insert.ExecContext(in.ctx, args...); err != nil {
		return args, fmt.Errorf("prices of %q on %s to %q on %s: %w", list[0].Card, list[0].Date, list[len(list)-1].Card, list[len(list)-1].Date, err)
	}
	in.priced += len(list)
	return args, nil
}

func noSource(pos catalog.Pos, card, field, source string) error {
	return catalog.Problem{Pos: pos, Card: card, Field: field, Rule: "unknown-source", Msg: fmt.Sprintf("source %q is not among the sources of the dataset", source)}
}

func (in *importer) rates(list []catalog.ExchangeRate) error {
	insert, err := in.tx.PrepareContext(in.ctx, "INSERT INTO rates (revision, ordinal, date, base, quote, rate, source) VALUES (?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for i := range list {
		x := &list[i]
		source, ok := in.sourceAt[x.Source]
		if !ok {
			return noSource(x.Pos, "", "rate", x.Source)
		}
		if _, err := insert.ExecContext(in.ctx, in.revision, in.rated, string(x.Date), x.Base, x.Quote, x.Rate, source); err != nil {
			return fmt.Errorf("rate of %s: %w", x.Date, err)
		}
		in.rated++
	}
	return nil
}

// priceQuery selects prices of a revision.
type priceQuery struct {
	kind    catalog.PriceKind // empty: all
	from, n int               // by ordinal of those that are left; n < 0: all
}

// eachPrice passes the prices of a revision, whose sources are given in the order of
// their numbers, to fn in order; the price is fn's until it returns. Texts that repeat
// are held once.
func eachPrice(ctx context.Context, q queryer, revision int64, sources []catalog.Source, pq priceQuery, texts *interner, fn func(*catalog.Price) error) error {
	where, args := "revision = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?", []any{revision, pq.from, pq.n}
	if pq.kind != "" {
		where, args = "revision = ? AND kind = ? ORDER BY ordinal LIMIT ? OFFSET ?", []any{revision, string(pq.kind), pq.n, pq.from}
	}
	var p catalog.Price
	var source int
	rows, err := q.QueryContext(ctx, `SELECT card, kind, micros, currency, unit, cards, term, seller, instance, region, tax, date, source, note_en, note_zh
		FROM prices WHERE `+where, args...)
	text := func(at *string) sql.Scanner { return &internedText{at, texts} }
	return each(rows, err, []any{text(&p.Card), text((*string)(&p.Kind)), &p.Amount.Micros, text(&p.Amount.Currency), text((*string)(&p.Unit)), &p.Cards, &p.Term,
		text(&p.Seller), text(&p.Instance), text(&p.Region), text((*string)(&p.Tax)), text((*string)(&p.Date)), &source, text(&p.Note.En), text(&p.Note.Zh)}, func() error {
		if source >= len(sources) {
			return fmt.Errorf("price of %q names source %d of %d: %w", p.Card, source, len(sources), ErrCorrupt)
		}
		p.Source = sources[source].ID
		return fn(&p)
	})
}

// readPrices reads all prices of a revision.
func readPrices(ctx context.Context, q queryer, revision int64, sources []catalog.Source) (out []catalog.Price, err error) {
	var n int
	if err := q.QueryRowContext(ctx, "SELECT price_count FROM revisions WHERE number = ?", revision).Scan(&n); err != nil || n == 0 {
		return nil, err
	}
	out = make([]catalog.Price, 0, n)
	err = eachPrice(ctx, q, revision, sources, priceQuery{n: -1}, newInterner(), func(p *catalog.Price) error {
		out = append(out, *p)
		return nil
	})
	return out, err
}

func readRates(ctx context.Context, q queryer, revision int64, sources []catalog.Source) (rates []catalog.ExchangeRate, err error) {
	var x catalog.ExchangeRate
	var source int
	rows, err := q.QueryContext(ctx, "SELECT date, base, quote, rate, source FROM rates WHERE revision = ? ORDER BY ordinal", revision)
	err = each(rows, err, []any{&x.Date, &x.Base, &x.Quote, &x.Rate, &source}, func() error {
		if source >= len(sources) {
			return fmt.Errorf("rate of %s names source %d of %d: %w", x.Date, source, len(sources), ErrCorrupt)
		}
		x.Source = sources[source].ID
		rates = append(rates, x)
		return nil
	})
	return rates, err
}
