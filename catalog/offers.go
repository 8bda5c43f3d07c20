package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// A History reads the prices of a dataset that are not held in memory. What it reads is always the same.
type History interface {
	// PricesOf are the prices of a card, with their places, in the order in which they came.
	PricesOf(card string) ([]PlacedPrice, error)
	// Each passes the prices of a card in the order in which they came, a few thousand in memory at a time, but for
	// those that cannot be of a day between two; it may pass some of them, too. fn may not keep what it gets.
	Each(ctx context.Context, card string, days Days, fn func(*PlacedPrice) error) error
}

// Days are the days from one to another, as YYYYMMDD; 0 is no bound.
type Days struct{ From, To int }

// Overlap reports whether a span of days has some of these.
func (d Days) Overlap(first, last int) bool { return last >= d.From && (d.To == 0 || first <= d.To) }

// May reports whether a date may mean one of the days.
func (d Days) May(date Date) bool { return d.Overlap(date.Ordinal(), date.LastOrdinal()) }

// A PlacedPrice is a price with its place among those of its dataset: earlier ones came before.
type PlacedPrice struct {
	Price
	Place int
}

// An Offer sums up the prices that a dataset has of one offer: of a card, a kind, a seller and what is sold.
type Offer struct {
	Latest    PlacedPrice // of equal days the first
	Count     int
	Oldest    Date // these two by the last day that they may mean
	Newest    Date
	Low, High int64 // of one card, for an hour where it is rented: in millionths, rounded
}

// CardOffers are the offers of a card in a dataset, and which sources their prices name. The zero value has none.
type CardOffers struct {
	Card   string
	Offers []Offer
	Cited  map[string]int // source → prices
	at     map[offerOfKind]int
}

// offerOfKind tells the offers of a card apart.
type offerOfKind struct {
	kind PriceKind
	offer
}

// OfferOf is an offer of a single price.
func OfferOf(p *PlacedPrice) Offer {
	each := roughEach(&p.Price)
	return Offer{*p, 1, p.Date, p.Date, each, each}
}

// OfferOver is an offer of several prices: the latest of them, how many there are, between which days, and the lowest
// and highest amount in millionths.
func OfferOver(latest PlacedPrice, count int, oldest, newest Date, low, high int64) Offer {
	o := Offer{Latest: latest, Count: count, Oldest: oldest, Newest: newest}
	p := latest.Price
	p.Amount.Micros = low
	o.Low = roughEach(&p)
	p.Amount.Micros = high
	o.High = roughEach(&p)
	return o
}

// Add adds other prices, summed up; they are not of sources yet, see Cite.
func (c *CardOffers) Add(o *Offer) {
	if c.at == nil {
		c.at = make(map[offerOfKind]int, len(c.Offers)+1)
		for i := range c.Offers {
			c.at[offerOfKind{c.Offers[i].Latest.Kind, offerOf(&c.Offers[i].Latest.Price)}] = i
		}
	}
	key := offerOfKind{o.Latest.Kind, offerOf(&o.Latest.Price)}
	if i, known := c.at[key]; known {
		c.Offers[i].Add(o)
		return
	}
	c.at[key] = len(c.Offers)
	c.Offers = append(c.Offers, *o)
}

// Add adds other prices of the same offer. In which order they are added makes no difference.
func (o *Offer) Add(more *Offer) {
	o.Count += more.Count
	o.Low, o.High = min(o.Low, more.Low), max(o.High, more.High)
	if EndsLater(o.Oldest, more.Oldest) {
		o.Oldest = more.Oldest
	}
	if EndsLater(more.Newest, o.Newest) {
		o.Newest = more.Newest
	}
	if a, b := &more.Latest, &o.Latest; LaterDate(a.Date, b.Date) || a.Date == b.Date && a.Place < b.Place {
		o.Latest = more.Latest
	}
}

// EndsLater reports whether the last day that a may mean is later than that of b; of equal ones, whether the text is.
func EndsLater(a, b Date) bool {
	if len(a) == len(b) {
		return a > b
	}
	x, y := a.LastOrdinal(), b.LastOrdinal()
	return x > y || x == y && a > b
}

// LaterDate reports whether a is later than b; a month lies in its middle.
func LaterDate(a, b Date) bool {
	if len(a) == len(b) {
		return a > b
	}
	x, _ := a.DayNumber()
	y, _ := b.DayNumber()
	return x > y || x == y && a > b
}

// Cite notes that n prices name a source.
func (c *CardOffers) Cite(source string, n int) {
	if c.Cited == nil {
		c.Cited = map[string]int{}
	}
	c.Cited[source] += n
}

// Done lets go of what only adding needs.
func (c *CardOffers) Done() {
	c.at = nil
	c.Offers = slices.Clip(c.Offers)
}

// Clone is a copy that more can be added to.
func (c *CardOffers) Clone() *CardOffers {
	return &CardOffers{Card: c.Card, Offers: slices.Clone(c.Offers), Cited: maps.Clone(c.Cited)}
}

// SumUpPrices sums up the prices of a dataset, by card.
func SumUpPrices(list []Price) []*CardOffers {
	byCard := map[string]*CardOffers{}
	for i := range list {
		p := &PlacedPrice{list[i], i}
		c := byCard[p.Card]
		if c == nil {
			c = &CardOffers{Card: p.Card}
			byCard[p.Card] = c
		}
		o := OfferOf(p)
		c.Add(&o)
		c.Cite(p.Source, 1)
	}
	return sortedOffers(byCard)
}

func sortedOffers(byCard map[string]*CardOffers) []*CardOffers {
	out := make([]*CardOffers, 0, len(byCard))
	for _, c := range byCard {
		c.Done()
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *CardOffers) int { return strings.Compare(a.Card, b.Card) })
	return out
}

// heldHistory is the history of a dataset whose prices are in memory.
type heldHistory struct {
	prices []Price
	of     map[string][]int32
}

func newHeldHistory(prices []Price) *heldHistory {
	h := &heldHistory{prices, map[string][]int32{}}
	for i := range prices {
		h.of[prices[i].Card] = append(h.of[prices[i].Card], int32(i))
	}
	return h
}

// PricesOf implements [History].
func (h *heldHistory) PricesOf(card string) ([]PlacedPrice, error) {
	out := make([]PlacedPrice, len(h.of[card]))
	for n, i := range h.of[card] {
		out[n] = PlacedPrice{h.prices[i], int(i)}
	}
	return out, nil
}

// Each implements [History].
func (h *heldHistory) Each(_ context.Context, card string, _ Days, fn func(*PlacedPrice) error) error {
	for _, i := range h.of[card] {
		if err := fn(&PlacedPrice{h.prices[i], int(i)}); err != nil {
			return err
		}
	}
	return nil
}
