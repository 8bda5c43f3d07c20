package store

import (
	"context"
	"fmt"

	"tianti/catalog"
)

// prices writes the prices of a revision; each must be valid, and name a source of
// the dataset.
func (in *importer) prices(list []catalog.Price) error {
	known := in.known()
	insert, err := in.tx.PrepareContext(in.ctx, `INSERT INTO prices
		(revision, ordinal, card, kind, micros, currency, unit, cards, term, seller, instance, region, tax, date, source, note_en, note_zh)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for i := range list {
		p := &list[i]
		if err := p.Validate(known); err != nil {
			return catalog.Problem{Pos: p.Pos, Card: p.Card, Field: "price", Rule: "price", Msg: err.Error()}
		}
		if _, err := insert.ExecContext(in.ctx, in.revision, i, p.Card, string(p.Kind), p.Amount.Micros, p.Amount.Currency, string(p.Unit), p.Cards, p.Term,
			p.Seller, p.Instance, p.Region, string(p.Tax), string(p.Date), in.sourceAt[p.Source], p.Note.En, p.Note.Zh); err != nil {
			return fmt.Errorf("price of %q on %s: %w", p.Card, p.Date, err)
		}
	}
	return nil
}

// known are the sources of the dataset, for what validates against them.
func (in *importer) known() map[string]*catalog.Source {
	out := make(map[string]*catalog.Source, len(in.sourceAt))
	for id := range in.sourceAt {
		out[id] = &catalog.Source{ID: id}
	}
	return out
}

func (in *importer) rates(list []catalog.ExchangeRate) error {
	known := in.known()
	insert, err := in.tx.PrepareContext(in.ctx, "INSERT INTO rates (revision, ordinal, date, base, quote, rate, source) VALUES (?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for i := range list {
		x := &list[i]
		if err := x.Validate(known); err != nil {
			return catalog.Problem{Pos: x.Pos, Field: "rate", Rule: "price", Msg: err.Error()}
		}
		if _, err := insert.ExecContext(in.ctx, in.revision, i, string(x.Date), x.Base, x.Quote, x.Rate, in.sourceAt[x.Source]); err != nil {
			return fmt.Errorf("rate of %s: %w", x.Date, err)
		}
	}
	return nil
}

// readMoney reads the prices and rates of a revision, whose sources are given in
// the order of their numbers.
func readMoney(ctx context.Context, q queryer, revision int64, sources []catalog.Source) (prices []catalog.Price, rates []catalog.ExchangeRate, err error) {
	var p catalog.Price
	var source int
	rows, err := q.QueryContext(ctx, `SELECT card, kind, micros, currency, unit, cards, term, seller, instance, region, tax, date, source, note_en, note_zh
		FROM prices WHERE revision = ? ORDER BY ordinal`, revision)
	err = each(rows, err, []any{&p.Card, &p.Kind, &p.Amount.Micros, &p.Amount.Currency, &p.Unit, &p.Cards, &p.Term,
		&p.Seller, &p.Instance, &p.Region, &p.Tax, &p.Date, &source, &p.Note.En, &p.Note.Zh}, func() error {
		if source >= len(sources) {
			return fmt.Errorf("price of %q names source %d of %d: %w", p.Card, source, len(sources), ErrCorrupt)
		}
		p.Source = sources[source].ID
		prices = append(prices, p)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	var x catalog.ExchangeRate
	rows, err = q.QueryContext(ctx, "SELECT date, base, quote, rate, source FROM rates WHERE revision = ? ORDER BY ordinal", revision)
	err = each(rows, err, []any{&x.Date, &x.Base, &x.Quote, &x.Rate, &source}, func() error {
		if source >= len(sources) {
			return fmt.Errorf("rate of %s names source %d of %d: %w", x.Date, source, len(sources), ErrCorrupt)
		}
		x.Source = sources[source].ID
		rates = append(rates, x)
		return nil
	})
	return prices, rates, err
}
