package store

import (
	"context"
	"database/sql"
	"fmt"

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
