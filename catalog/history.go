package catalog

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"

	"tianti/sorting"
)

// mostSellers of a card are told apart: more than any has that people ask for.
const mostSellers = 64

// addPrices takes the offers of all datasets that are of cards here, and the launch prices that are figures of cards.
func (s *Snapshot) addPrices(offers [][]*CardOffers) {
	s.summed, s.cited = offers, make([]int, len(s.sources))
	for rank, d := range s.byRank() {
		for _, c := range offers[d] {
			row, ok := s.rowOf[c.Card]
			if !ok {
				continue
			}
			for i := range c.Offers {
				o := &c.Offers[i]
				if p, ok := s.priceInfo(&o.Latest, int(row), d, rank); ok {
					p.offer = o
					s.prices = append(s.prices, p)
				}
			}
			for id, n := range c.Cited {
				if at, ok := s.sourceAt[d][id]; ok {
					s.cited[at] += n
				}
			}
		}
	}
	for _, l := range launchPrices {
		s.addLaunchPrices(registryByID[l.quantity], l.currency, l.tax)
	}
	arrangePrices(s.prices)
	s.pricesOf = map[int]span{}
	var sellers []string
	for i := range s.prices {
		at, known := s.pricesOf[s.prices[i].Row]
		if !known {
			at.from, sellers = i, sellers[:0]
		}
		seller := s.prices[i].Seller
		if seller != "" && len(sellers) < mostSellers && !slices.Contains(sellers, seller) {
			sellers = append(sellers, seller)
			at.sellers = len(sellers)
		}
		at.to = i + 1
		at.count += s.prices[i].Count()
		s.pricesOf[s.prices[i].Row] = at
		s.observed += s.prices[i].Count()
	}
}

// priceInfo is a price of a dataset; ok is false for one of a source that the dataset does not have.
func (s *Snapshot) priceInfo(p *PlacedPrice, row, dataset, rank int) (PriceInfo, bool) {
	src := s.SourceOf(In{dataset}, p.Source)
	return PriceInfo{Price: &p.Price, Row: row, Source: src, Dataset: &s.datasets[dataset], rank: int32(rank),
		place: p.Place}, src != nil
}

// Count is how many prices an offer has of which this is the latest.
func (p *PriceInfo) Count() int {
	if p.offer == nil {
		return 1
	}
	return p.offer.Count
}

// Range is between which amounts the prices of the offer lie of which this is the latest: of one card, in millionths.
func (p *PriceInfo) Range() (low, high int64) {
	if p.offer == nil {
		each := roughEach(p.Price)
		return each, each
	}
	return p.offer.Low, p.offer.High
}

// arrangePrices orders prices by card, kind and day, the latest first, and finds the latest of each offer.
func arrangePrices(list []PriceInfo) {
	kinds := PriceKinds()
	for i := range list {
		list[i].note(kinds)
	}
	sorting.Func(list, func(a, b PriceInfo) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), a.Placed().Compare(b.Placed()))
	})
	offers := map[offer]bool{}
	for i := range list {
		p := &list[i]
		if i == 0 || list[i-1].Row != p.Row || list[i-1].kind != p.kind {
			clear(offers)
		}
		if o := offerOf(p.Price); !offers[o] {
			offers[o], p.latest = true, true
		}
	}
}

// note computes what a price is ordered by.
func (p *PriceInfo) note(kinds []PriceKind) {
	day, ok := p.Date.DayNumber()
	p.kind, p.day, p.dated = uint8(slices.Index(kinds, p.Kind)), int32(day), ok
}

// An offer is what prices of a card and kind are of, one after the other.
type offer struct {
	seller, instance, region, currency string
	cards, term                        int
	tax                                Tax
}

func offerOf(p *Price) offer {
	return offer{p.Seller, p.Instance, p.Region, p.Amount.Currency, p.Cards, p.Term, p.Tax}
}

// ofKind are the latest prices of a kind of card i, the latest first.
func (s *Snapshot) ofKind(i int, kind PriceKind) []PriceInfo {
	all, k := s.Latest(i), slices.Index(PriceKinds(), kind)
	from := sort.Search(len(all), func(n int) bool { return int(all[n].kind) >= k })
	to := sort.Search(len(all), func(n int) bool { return int(all[n].kind) > k })
	return all[from:to]
}

// LatestPrices are the latest prices of all offers, of each dataset that has some: by card, then kind, the latest
// first. All prices of a card are in its [Snapshot.History].
func (s *Snapshot) LatestPrices() []PriceInfo { return s.prices }

// PriceCount is how many prices there are.
func (s *Snapshot) PriceCount() int { return s.observed }

// PricedCards is how many cards have a price.
func (s *Snapshot) PricedCards() int { return len(s.pricesOf) }

// Latest is [Snapshot.LatestPrices] of card i.
func (s *Snapshot) Latest(i int) []PriceInfo {
	at := s.pricesOf[i]
	return s.prices[at.from:at.to]
}

// PriceCountOf is how many prices card i has.
func (s *Snapshot) PriceCountOf(i int) int { return s.pricesOf[i].count }

// History returns all prices of card i: by kind, the latest first. It reads them where the catalogue came from.
func (s *Snapshot) History(i int) ([]PriceInfo, error) {
	latest := s.Latest(i)
	n := s.PriceCountOf(i)
	if n == len(latest) { // these are all
		return latest, nil
	}
	out := make([]PriceInfo, 0, n)
	for rank, d := range s.byRank() {
		prices, err := s.histories[d].PricesOf(s.cards[i].ID)
		if err != nil {
			return nil, fmt.Errorf("prices of %s: %w", s.cards[i].ID, err)
		}
		for k := range prices {
			if p, ok := s.priceInfo(&prices[k], i, d, rank); ok {
				out = append(out, p)
			}
		}
	}
	for k := range latest {
		if latest[k].figure {
			out = append(out, latest[k])
		}
	}
	arrangePrices(out)
	return out, nil
}

// PricesFrom yields the prices that the i-th of [Snapshot.Sources] states, card by card, without those that are figures
// of cards. An error is the last.
func (s *Snapshot) PricesFrom(i int) iter.Seq2[PriceInfo, error] {
	return func(yield func(PriceInfo, error) bool) {
		src := &s.sources[i]
		for row := range s.cards {
			if !s.cites(row, src) {
				continue
			}
			all, err := s.History(row)
			if err != nil {
				yield(PriceInfo{}, err)
				return
			}
			for _, p := range all {
				if p.Source == src && !p.figure && !yield(p, nil) {
					return
				}
			}
		}
	}
}

// cites reports whether prices of a card name a source.
func (s *Snapshot) cites(row int, src *SourceRef) bool {
	if len(s.Latest(row)) == 0 || s.cited[s.indexOf(src)] == 0 {
		return false
	}
	list := s.summed[src.Dataset]
	at, ok := slices.BinarySearchFunc(list, s.cards[row].ID, func(c *CardOffers, id string) int {
		return cmp.Compare(c.Card, id)
	})
	return ok && list[at].Cited[src.ID] > 0
}

// WithPrices is the catalogue with other prices. The first n datasets are those of the catalogue with all that they say
// of cards, in the same order; their revisions, prices and histories may be others, and there may be more sources
// behind those of each. The datasets behind them have prices and nothing else, here and there, and may be others
// altogether. What does not depend on prices is shared.
func (s *Snapshot) WithPrices(revision int64, datasets []Dataset, n int) *Snapshot {
	b := s.base.withoutPrices()
	b.annotations = append(slices.Clone(b.annotations[:n]), make([]Annotations, len(datasets)-n)...)
	b.rates = append(slices.Clone(b.rates[:n]), make([][]ExchangeRate, len(datasets)-n)...)
	b.Revision, b.datasets = revision, nil
	out := &Snapshot{base: b, numbers: s.numbers, orders: s.orders}
	var offers [][]*CardOffers
	for d := range datasets {
		of := &datasets[d]
		b.datasets = append(b.datasets, DatasetInfo{of.ID, of.Title, of.Rank, of.Revision, of.Imported})
		offers, b.histories = append(offers, of.Offers), append(b.histories, of.History)
	}
	b.moveSources(datasets, n)
	out.extents = newExtents(out)
	out.finish(offers)
	return out
}

// moveSources puts new sources behind those of their datasets, of which the first n are those that were. Facts know
// sources by slots, which stay.
func (b *base) moveSources(datasets []Dataset, n int) {
	var sources []SourceRef
	for d := range datasets {
		for _, src := range datasets[d].Sources {
			sources = append(sources, SourceRef{src, d})
		}
	}
	if len(datasets) == len(b.sourceAt) && slices.Equal(sources, b.sources) {
		return
	}
	at, moved := make([]map[string]uint32, len(datasets)), make([]uint32, len(b.sources))
	for d := range at {
		at[d] = make(map[string]uint32, len(datasets[d].Sources))
	}
	for i, src := range sources {
		at[src.Dataset][src.ID] = uint32(i)
		if src.Dataset < n {
			if was, ok := b.sourceAt[src.Dataset][src.ID]; ok {
				moved[was] = uint32(i)
			}
		}
	}
	slots := slices.Clone(b.slots)
	if slots == nil {
		slots = make([]uint32, len(b.sources))
		for i := range slots {
			slots[i] = uint32(i)
		}
	}
	for i := range slots {
		slots[i] = moved[slots[i]]
	}
	b.sources, b.sourceAt, b.slots = sources, at, slots
}

// sourceOf is the place in [Snapshot.Sources] of the source of a fact.
func (b *base) sourceOf(f *fact) uint32 {
	if b.slots == nil {
		return f.source
	}
	return b.slots[f.source]
}
