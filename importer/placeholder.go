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

// A bulkCount is which number of cards a bulkPrice stands for: the first that the file says, or several.
type bulkCount struct {
	cards   int
	several bool
	stood   map[uint64]bool // hashes of prices of it that stood before
}

// placeholder reports whether the same amount stands for another number of the same cards, of the same seller, region
// and kind: a price that does not rise with the number is none. Those before it are taken back if they have not been
// written yet.
func (d *drafting) placeholder(p *catalog.Price) bool {
	const most = 100_000
	if !p.Kind.Rents() || p.Unit != catalog.PerHour || p.Amount.Micros < leastBulk || d.own {
		return false
	}
	key := bulkOf(p)
	count := d.bulk[key]
	if count == nil {
		if len(d.bulk) >= most {
			return false
		}
		if d.bulk == nil {
			d.bulk = map[bulkPrice]*bulkCount{}
		}
		count = &bulkCount{cards: p.Cards}
		d.bulk[key] = count
	}
	if !count.several && count.cards != p.Cards {
		count.several = true
		d.takeBack(key, count)
	}
	if hash := hashOfPrice(p); !count.several && d.base.stood(hash) {
		if count.stood == nil {
			count.stood = map[uint64]bool{}
		}
		count.stood[hash] = true
	}
	return count.several
}

func bulkOf(p *catalog.Price) bulkPrice {
	return bulkPrice{p.Card, p.Seller, p.Region, p.Amount.Currency, p.Kind, p.Term, p.Amount.Micros}
}

// takeBack leaves out prices that were taken and are not written yet.
func (d *drafting) takeBack(key bulkPrice, count *bulkCount) {
	d.pending = slices.DeleteFunc(d.pending, func(p catalog.Price) bool {
		if bulkOf(&p) != key {
			return false
		}
		delta := Delta{Added: -1}
		if count.stood[hashOfPrice(&p)] {
			delta = Delta{Same: -1}
		}
		d.countPrice(p.Kind, delta)
		if d.base.number != 0 {
			d.sum -= fullHash(&p)
		}
		d.summary.Taken--
		d.summary.Skipped[format.Placeholder]++
		d.skipped = append(d.skipped, format.Skipped{Line: p.Pos.Line, Name: p.Card, Field: string(p.Kind),
			Reason: format.Placeholder, Message: p.Amount.String() +
				" an hour, whatever the number of cards: that stands for no price"})
		return true
	})
}
