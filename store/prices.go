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
	insert, err := in.inserter("rates", "revision bigint, ordinal integer, date text, base text, quote text, "+
		"rate text, source integer")
	if err != nil {
		return err
	}
	defer insert.close()
	for i := range list {
		x := &list[i]
		source, ok := in.sourceAt[x.Source]
		if !ok {
			return noSource(x.Pos, "", "rate", x.Source)
		}
		if err := insert.add(in.revision, in.rated, string(x.Date), x.Base, x.Quote, x.Rate, source); err != nil {
			return fmt.Errorf("rate of %s: %w", x.Date, err)
		}
		in.rated++
	}
	return insert.flush()
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
