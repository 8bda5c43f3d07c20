package store

import (
	"context"
	"fmt"

	"tianti/catalog"
)

// validate checks the prices and rates of a dataset whose sources are known by now.
func (in *rowWriter) validate(ds *catalog.Dataset) error {
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
	return catalog.Problem{Pos: pos, Card: card, Field: field, Rule: "unknown-source",
		Msg: fmt.Sprintf("source %q is not among the sources of the dataset", source)}
}

func (in *rowWriter) rates(list []catalog.ExchangeRate) error {
	insert, err := in.tx.PrepareContext(in.ctx, "INSERT INTO rates (revision, ordinal, date, base, quote, rate, "+
		"source) VALUES (?, ?, ?, ?, ?, ?, ?)")
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
		if _, err := insert.ExecContext(in.ctx, in.revision, in.rated, string(x.Date), x.Base, x.Quote, x.Rate,
			source); err != nil {
			return fmt.Errorf("rate of %s: %w", x.Date, err)
		}
		in.rated++
	}
	return nil
}

// termsOfKind selects prices of a kind (?2) in a revision (?1).
const termsOfKind = "terms IN (SELECT number FROM price_terms WHERE revision = ?1 AND kind = ?2)"

// pageOfPrices reads some prices of a revision, of a kind or of all, each with its words: of many revisions there are
// more words than anybody asks prices for.
func pageOfPrices(
	ctx context.Context, q queryer, revision int64, kind catalog.PriceKind, from, n int,
) (out []catalog.Price, err error) {
	chosen := "?2 = ''"
	if kind != "" {
		chosen = termsOfKind
	}
	var p catalog.Price
	rows, err := q.QueryContext(ctx, `SELECT card, p.kind, micros, currency, unit, cards, term, seller, instance,
		region, tax, date, s.id, note_en, note_zh
		FROM prices p JOIN sources s ON s.revision = p.revision AND s.number = p.source
		WHERE p.revision = ?1 AND ordinal IN (
			SELECT ordinal FROM price_rows WHERE revision = ?1 AND `+chosen+` ORDER BY ordinal LIMIT ?3 OFFSET ?4)
		ORDER BY ordinal`, revision, string(kind), n, from)
	return collect(rows, err, []any{&p.Card, &p.Kind, &p.Amount.Micros, &p.Amount.Currency, &p.Unit, &p.Cards, &p.Term,
		&p.Seller, &p.Instance, &p.Region, &p.Tax, &p.Date, &p.Source, &p.Note.En, &p.Note.Zh},
		func() catalog.Price { return p })
}

// readPrices reads all prices of a revision.
func readPrices(ctx context.Context, q queryer, revision int64) (out []catalog.Price, err error) {
	var n int
	if err := q.QueryRowContext(ctx, "SELECT price_count FROM revisions WHERE number = ?", revision).
		Scan(&n); err != nil || n == 0 {
		return nil, err
	}
	w, err := readDictionary(ctx, q, revision, newInterner())
	if err != nil {
		return nil, err
	}
	out = make([]catalog.Price, 0, n)
	err = w.prices(ctx, q, 0, -1, func(p *catalog.Price) { out = append(out, *p) })
	return out, err
}

func readRates(
	ctx context.Context, q queryer, revision int64, sources []catalog.Source,
) (rates []catalog.ExchangeRate, err error) {
	var x catalog.ExchangeRate
	var source int
	rows, err := q.QueryContext(ctx, "SELECT date, base, quote, rate, source FROM rates WHERE revision = ? ORDER "+
		"BY ordinal", revision)
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
