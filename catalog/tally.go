package catalog

import (
	"maps"
	"slices"
)

// A PriceTally counts some of the prices of a catalogue.
type PriceTally struct {
	Name           string
	Observations   int
	Cards, Sellers int  // how many different ones
	Oldest, Newest Date // empty when none has a date
}

// PriceTallies count the prices of a catalogue. Kinds stand in the order of
// [PriceKinds], the others in that of their names.
type PriceTallies struct {
	Kinds   []PriceTally
	Sellers []PriceTally // of whatever kind, without those that are not known
	Regions []PriceTally // the same
	Traders []PriceTally // sellers without launch prices; the one that is not known has no name
}

// PriceTallies counts the prices, once for a catalogue.
func (s *Snapshot) PriceTallies() *PriceTallies { return s.priceStats() }

// priceCounter counts some of the prices, which come card by card.
type priceCounter struct {
	PriceTally
	row     int // of the last price
	sellers map[string]bool
}

type priceCounters map[string]*priceCounter

func (c priceCounters) add(name string, p *PriceInfo) {
	x := c[name]
	if x == nil {
		x = &priceCounter{PriceTally: PriceTally{Name: name, Oldest: p.Date}, row: -1, sellers: map[string]bool{}}
		c[name] = x
	}
	x.Observations++
	if x.row != p.Row {
		x.row = p.Row
		x.Cards++
	}
	x.sellers[p.Seller] = true
	if p.Date == "" {
		return
	}
	x.Newest = max(x.Newest, p.Date)
	if x.Oldest == "" || p.Date < x.Oldest {
		x.Oldest = p.Date
	}
}

func (c priceCounters) list() []PriceTally {
	out := make([]PriceTally, 0, len(c))
	for _, name := range slices.Sorted(maps.Keys(c)) {
		x := c[name]
		x.Sellers = len(x.sellers)
		out = append(out, x.PriceTally)
	}
	return out
}

func (s *Snapshot) countPrices() *PriceTallies {
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
	out := &PriceTallies{kinds.list(), sellers.list(), regions.list(), traders.list()}
	order := textsOf(PriceKinds())
	slices.SortFunc(out.Kinds, func(a, b PriceTally) int {
		return slices.Index(order, a.Name) - slices.Index(order, b.Name)
	})
	return out
}

// SellerNames lists the sellers of all prices, sorted.
func (t *PriceTallies) SellerNames() []string { return statNames(t.Sellers) }

// RegionNames lists the regions of all prices, sorted.
func (t *PriceTallies) RegionNames() []string { return statNames(t.Regions) }

func statNames(list []PriceTally) []string {
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = t.Name
	}
	return out
}
