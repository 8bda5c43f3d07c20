package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// EachPrice passes the prices of card i that may be of some days, as they came: dataset by dataset, the highest rank
// first, then launch prices that are figures of the card. It holds a few thousand at a time. fn may not keep what it
// gets: [PriceInfo.Kept] is a copy to keep.
func (s *Snapshot) EachPrice(ctx context.Context, i int, days Days, fn func(*PriceInfo) error) error {
	id, kinds := s.cards[i].ID, PriceKinds()
	if s.priced(i, days) {
		for rank, d := range s.byRank() {
			err := s.histories[d].Each(ctx, id, days, func(placed *PlacedPrice) error {
				p, ok := s.priceInfo(placed, i, d, rank)
				if !ok || !days.May(p.Date) {
					return nil
				}
				p.note(kinds)
				return fn(&p)
			})
			if err != nil {
				return fmt.Errorf("prices of %s: %w", id, err)
			}
		}
	}
	latest := s.Latest(i)
	for k := range latest {
		if p := latest[k]; p.figure && days.May(p.Date) {
			if err := fn(&p); err != nil {
				return err
			}
		}
	}
	return nil
}

// priced reports whether card i may have prices of some days that are none of its figures.
func (s *Snapshot) priced(i int, days Days) bool {
	return slices.ContainsFunc(s.Latest(i), func(p PriceInfo) bool {
		return p.offer != nil && days.Overlap(p.offer.first(), p.offer.last())
	})
}

// first and last bound the days that prices of the offer may mean: a month may begin before a day that ends earlier.
func (o *Offer) first() int { return o.Oldest.Ordinal() / 10000 * 10000 }

func (o *Offer) last() int { return o.Newest.LastOrdinal() }

// Kept is a copy that may be kept.
func (p *PriceInfo) Kept() PriceInfo {
	price := *p.Price
	out := *p
	out.Price = &price
	return out
}

// A PricePlace tells where a price stands among those of its card: by kind, the latest first.
type PricePlace struct {
	Kind  uint8
	Day   int32
	Date  Date
	Rank  int32
	Place int
}

// Placed is where the price stands.
func (p *PriceInfo) Placed() PricePlace { return PricePlace{p.kind, p.day, p.Date, p.rank, p.place} }

// Compare orders prices of a card as [Snapshot.History] does.
func (a PricePlace) Compare(b PricePlace) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Day, a.Day), cmp.Compare(b.Date, a.Date),
		cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Place, b.Place))
}
