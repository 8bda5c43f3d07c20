package importer

import (
	"slices"

	"tianti/catalog"
	"tianti/format"
)

// A bulkPrice is what a price of many cards is of, without their number: what differs by nothing else rises with it.
type bulkPrice struct {
	card, seller, region, currency string
	kind                           catalog.PriceKind
	term                           int
	micros                         int64
}

// leastBulk is the amount, in millionths of a currency, from which on prices are looked at: nobody asks as much for an
// hour of a single card, and few instances cost it, so that those of a large file take little room.
const leastBulk = 100_000_000

// placeholder reports whether the same amount stands for another number of the same cards, of the same seller, region
// and kind: a price that does not rise with the number is none. The first of them is taken back if it has not been
// written yet.
func (d *drafting) placeholder(p *catalog.Price) bool {
	const most = 100_000
	if !p.Kind.Rents() || p.Unit != catalog.PerHour || p.Amount.Micros < leastBulk || d.own {
		return false
	}
	key := bulkPrice{p.Card, p.Seller, p.Region, p.Amount.Currency, p.Kind, p.Term, p.Amount.Micros}
	first, seen := d.bulk[key]
	switch {
	case !seen && len(d.bulk) < most:
		if d.bulk == nil {
			d.bulk = map[bulkPrice]int{}
		}
		d.bulk[key] = p.Cards
		return false
	case !seen || first == p.Cards:
		return false
	}
	d.takeBack(key, first)
	return true
}

// takeBack leaves out a price that was taken and is not written yet.
func (d *drafting) takeBack(key bulkPrice, cards int) {
	at := slices.IndexFunc(d.pending, func(p catalog.Price) bool {
		return p.Cards == cards && key == bulkPrice{p.Card, p.Seller, p.Region, p.Amount.Currency, p.Kind, p.Term, p.Amount.Micros}
	})
	if at < 0 {
		return
	}
	p := d.pending[at]
	d.pending = slices.Delete(d.pending, at, at+1)
	d.countPrice(p.Kind, Delta{Added: -1})
	if d.base.number != 0 {
		d.sum -= fullHash(&p)
	}
	d.summary.Taken--
	d.summary.Skipped[format.Placeholder]++
	d.skipped = append(d.skipped, format.Skipped{Line: p.Pos.Line, Name: p.Card, Field: string(p.Kind),
		Reason: format.Placeholder, Message: p.Amount.String() + " an hour, whatever the number of cards: that stands for no price"})
}
