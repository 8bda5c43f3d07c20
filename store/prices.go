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

// ratesOf reads the rates of some bodies; sources are by body, too.
func ratesOf(
	ctx context.Context, q queryer, bodies []int64, sources map[int64][]catalog.Source,
) (map[int64][]catalog.ExchangeRate, error) {
	out := map[int64][]catalog.ExchangeRate{}
	var x catalog.ExchangeRate
	var revision int64
	var source int
	dest := []any{&revision, &x.Date, &x.Base, &x.Quote, &x.Rate, &source}
	err := eachAmong(ctx, q, "SELECT revision, date, base, quote, rate, source FROM rates WHERE revision IN () "+
		"ORDER BY revision, ordinal", bodies, nil, dest, func() error {
		known := sources[revision]
		if source >= len(known) {
			return fmt.Errorf("rate of %s names source %d of %d: %w", x.Date, source, len(known), ErrCorrupt)
		}
		x.Source = known[source].ID
		out[revision] = append(out[revision], x)
		return nil
	})
	return out, err
}
