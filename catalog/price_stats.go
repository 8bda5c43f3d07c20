package catalog

import (
	"maps"
	"slices"

	"tianti/sorting"
)

// A PriceStat counts some of the prices of a catalogue.
type PriceStat struct {
	Name           string
	Observations   int
	Cards, Sellers int  // how many different ones
	Oldest, Newest Date // empty when none has a date
}

// PriceStats count the prices of a catalogue. Kinds stand in the order of
// [PriceKinds], the others in that of their names.
type PriceStats struct {
	Kinds   []PriceStat
	Sellers []PriceStat // of whatever kind, without those that are not known
	Regions []PriceStat // the same
	Traders []PriceStat // sellers without launch prices; the one that is not known has no name
}

// PriceStats counts the prices, once for a catalogue.
func (s *Snapshot) PriceStats() *PriceStats { return s.priceStats() }

// priceCounter counts some of the prices, which come card by card.
type priceCounter struct {
	PriceStat
	row     int // of the last price
	sellers map[string]bool
}

type priceCounters map[string]*priceCounter

func (c priceCounters) add(name string, p *PriceInfo) {
	x := c[name]
	if x == nil {
		x = &priceCounter{PriceStat: PriceStat{Name: name, Oldest: p.Date}, row: -1, sellers: map[string]bool{}}
		c[name] = x
	}
	x.Observations += p.Count()
	if x.row != p.Row {
		x.row = p.Row
		x.Cards++
	}
	x.sellers[p.Seller] = true
	if p.Date == "" {
		return
	}
	oldest, newest := p.Date, p.Date
	if p.offer != nil {
		oldest, newest = p.offer.Oldest, p.offer.Newest
	}
	x.Newest = max(x.Newest, newest)
	if x.Oldest == "" || oldest < x.Oldest {
		x.Oldest = oldest
	}
}

func (c priceCounters) list() []PriceStat {
	out := make([]PriceStat, 0, len(c))
	for _, name := range slices.Sorted(maps.Keys(c)) {
		x := c[name]
		x.Sellers = len(x.sellers)
		out = append(out, x.PriceStat)
	}
	return out
}

func (s *Snapshot) countPrices() *PriceStats {
	kinds, sellers, regions, traders := priceCounters{}, priceCounters{}, priceCounters{}, priceCounters{}
	for i := range s.prices {
		p := &s.prices[i]
		kinds.add(string(p.Kind), p)
		if p.Seller != "" {
			sellers.add(p.Seller, p)
		}
		if p.Region != "" {
			regions.add(p.Region, p)
		}
		if p.Kind != LaunchPrice {
			traders.add(p.Seller, p)
		}
	}
	out := &PriceStats{kinds.list(), sellers.list(), regions.list(), traders.list()}
	order := textsOf(PriceKinds())
	sorting.Func(out.Kinds, func(a, b PriceStat) int {
		return slices.Index(order, a.Name) - slices.Index(order, b.Name)
	})
	return out
}

// SellerNames lists the sellers of all prices, sorted.
func (t *PriceStats) SellerNames() []string { return statNames(t.Sellers) }

// RegionNames lists the regions of all prices, sorted.
func (t *PriceStats) RegionNames() []string { return statNames(t.Regions) }

func statNames(list []PriceStat) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = t.Name
	}
	return out
}
