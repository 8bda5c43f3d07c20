package store

import (
	"fmt"
	"runtime"

	"tianti/catalog"
)

// prices writes prices, which are valid, as the next part of the revision: what they say of each card together.
func (in *rowWriter) prices(list []catalog.Price) error {
	if len(list) == 0 {
		return nil
	}
	if err := in.checkPrices(list); err != nil {
		return err
	}
	insert, err := in.inserter("price_parts", "revision bigint, dataset bigint, part integer, card text, "+
		"prices integer, first_day integer, last_day integer, data bytea")
	if err != nil {
		return err
	}
	defer insert.close()
	for _, c := range byCard(list) {
		data := in.encoder.encode(list, c.at, in.priced+int(c.at[0]))
		if err := insert.add(in.revision, in.dataset, in.parts, c.card, len(c.at), c.first, c.last,
			data); err != nil {
			return fmt.Errorf("prices of %q: %w", c.card, err)
		}
		runtime.Gosched() // who waits for a processor need not wait for 20,000 prices
	}
	in.priced += len(list)
	in.parts++
	return insert.flush()
}

// checkPrices refuses what could not be read again as it was: a source that is not there, a date that is none.
func (in *rowWriter) checkPrices(list []catalog.Price) error {
	var source string
	var date catalog.Date
	for i := range list {
		p := &list[i]
		if i == 0 || p.Source != source {
			if _, known := in.sourceAt[p.Source]; !known {
				return noSource(p.Pos, p.Card, "price", p.Source)
			}
			source = p.Source
		}
		if p.Date != date {
			if again, err := dateOf(dateCode(p.Date)); err != nil || again != p.Date {
				return fmt.Errorf("price of %q: %q is no date", p.Card, catalog.Clip(string(p.Date)))
			}
			date = p.Date
		}
		if p.Card == "" || p.Amount.Micros <= 0 || len(p.Amount.Currency) != 3 || p.Cards <= 0 || p.Term < 0 {
			return fmt.Errorf("price of %q on %s: %s for %d cards and %d months is no price", p.Card, p.Date, p.Amount,
				p.Cards, p.Term)
		}
	}
	return nil
}
