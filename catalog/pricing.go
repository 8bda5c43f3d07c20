package catalog

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
)

// A Pricing says how a snapshot computes prices: in which currency, and by which kind
// to buy and to rent. Kinds are chosen and never mixed.
type Pricing struct {
	Currency string    // one of [Currencies]
	Buy      PriceKind // one of [BuyKinds]
	Rent     PriceKind // one of [RentKinds]
	Today    Date      // the day to which prices are current or too old
}

// Or fills in what is not chosen.
func (p Pricing) Or(q Pricing) Pricing {
	return Pricing{cmp.Or(p.Currency, q.Currency), cmp.Or(p.Buy, q.Buy), cmp.Or(p.Rent, q.Rent),
		cmp.Or(p.Today, q.Today)}
}

// Set chooses one of [PricingParams]; the error names what is allowed.
func (p *Pricing) Set(param, value string) *ParamError {
	choose := func(field *string, allowed []string) *ParamError {
		if !slices.Contains(allowed, value) {
			return &ParamError{Param: param, Value: Clip(value), Code: UnknownValue,
				Allowed: strings.Join(allowed, ", ")}
		}
		*field = value
		return nil
	}
	switch param {
	case "currency":
		return choose(&p.Currency, Currencies)
	case "buy":
		return choose((*string)(&p.Buy), textsOf(BuyKinds))
	}
	return choose((*string)(&p.Rent), textsOf(RentKinds))
}

func (p Pricing) get(param string) string {
	return map[string]string{"currency": p.Currency, "buy": string(p.Buy), "rent": string(p.Rent)}[param]
}

// DefaultPricing is the usual choice.
var DefaultPricing = Pricing{Currency: DefaultCurrency, Buy: LaunchPrice, Rent: OnDemand}

// Freshness is how current a price is.
type Freshness uint8

// What prices may be. A launch price is of its day and does not age.
const (
	Fresh Freshness = iota
	Ageing
	Stale // too old to be called a price of today, never the best
	Historic
	Unsold // of a card that is announced and not sold: nobody can have it for that
)

func (f Freshness) String() string {
	return [...]string{"fresh", "ageing", "stale", "historic", "unsold"}[f]
}

// Current reports whether the price may be compared with others of its kind as one
// that can be had.
func (f Freshness) Current() bool { return f != Stale && f != Unsold }

// freshDays are up to how many days a price is fresh, and current at all.
func (k PriceKind) freshDays() (fresh, current int) {
	if k == Spot {
		return 7, 30
	}
	return 30, 90
}

// aged says how current a price is after some days, if they are known.
func (k PriceKind) aged(days int, ok bool) Freshness {
	fresh, current := k.freshDays()
	switch {
	case k == LaunchPrice:
		return Historic
	case !ok || days > current:
		return Stale
	case days > fresh:
		return Ageing
	}
	return Fresh
}

// PriceInfo is a price of a snapshot.
type PriceInfo struct {
	*Price
	Row     int
	Source  *SourceRef
	Dataset *DatasetInfo
	day     int32 // of Date; see [Date.DayNumber]
	kind    uint8 // place of Kind in [PriceKinds]
	dated   bool  // day is known
	latest  bool  // its offer has no later price
	figure  bool  // it is a launch price that is among the figures of the card
}

// A Quote is a price in the currency of a [Pricing].
type Quote struct {
	PriceInfo
	Each      Money       // of one card, for an hour where it is rented, in its own currency
	How       Share       // how Each follows from the amount
	In        Money       // Each in the currency of the pricing; zero when no rate is known
	By        *Conversion // nil when nothing was converted
	Freshness Freshness
}

// span is a range of a slice.
type span struct{ from, to int }

// addPrices takes the prices of all datasets that are of cards here, and the launch
// prices that are figures of cards.
func (s *Snapshot) addPrices(byDataset [][]Price) {
	for _, d := range s.byRank() {
		for i := range byDataset[d] {
			p := &byDataset[d][i]
			row, ok := s.rowOf[p.Card]
			src := s.SourceOf(In{d}, p.Source)
			if ok && src != nil {
				s.prices = append(s.prices, PriceInfo{Price: p, Row: int(row), Source: src, Dataset: &s.datasets[d]})
			}
		}
	}
	for _, l := range launchPrices {
		s.addLaunchPrices(registryByID[l.quantity], l.currency, l.tax)
	}
	s.arrangePrices()
}

// arrangePrices orders the prices by card, kind and day, the latest first, and finds
// the latest of each offer. There may be millions.
func (s *Snapshot) arrangePrices() {
	kinds := PriceKinds()
	type place struct {
		row, kind, day int32
		at             int32 // where the price is; what is equal stays as it is
	}
	places := make([]place, len(s.prices))
	for i := range s.prices {
		p := &s.prices[i]
		day, ok := p.Date.DayNumber()
		p.kind, p.day, p.dated = uint8(slices.Index(kinds, p.Kind)), int32(day), ok
		places[i] = place{int32(p.Row), int32(p.kind), p.day, int32(i)}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.kind, b.kind), cmp.Compare(b.day, a.day),
			cmp.Compare(s.prices[b.at].Date, s.prices[a.at].Date), cmp.Compare(a.at, b.at))
	})
	ordered := make([]PriceInfo, len(places))
	for i, p := range places {
		ordered[i] = s.prices[p.at]
	}
	s.prices, s.pricesOf = ordered, map[int]span{}
	offers := map[offer]bool{}
	for i := range s.prices {
		p := &s.prices[i]
		at, known := s.pricesOf[p.Row]
		if !known {
			at.from = i
		}
		at.to = i + 1
		s.pricesOf[p.Row] = at
		if !known || s.prices[i-1].kind != p.kind {
			clear(offers)
		}
		if o := offerOf(p.Price); !offers[o] {
			offers[o], p.latest = true, true
		}
	}
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

// ofKind are the prices of a kind of card i, the latest first.
func (s *Snapshot) ofKind(i int, kind PriceKind) []PriceInfo {
	all, k := s.PricesOf(i), slices.Index(PriceKinds(), kind)
	from := sort.Search(len(all), func(n int) bool { return int(all[n].kind) >= k })
	to := sort.Search(len(all), func(n int) bool { return int(all[n].kind) > k })
	return all[from:to]
}

// launchPrices are the quantities that are prices.
var launchPrices = []struct {
	quantity, currency string
	tax                Tax
}{{"launch_price_usd", "USD", TaxExcluded}, {"launch_price_cny", "CNY", TaxIncluded}}

// addLaunchPrices makes prices of a figure, of the day on which the card was
// launched. A figure that is no amount of money makes none.
func (s *Snapshot) addLaunchPrices(q *Quantity, currency string, tax Tax) {
	launched := registryByID["launched"]
	for row := range s.cards {
		v, ok := s.Shown(q, row)
		if !ok || v.Number < 1.0/micro || v.Number > maxMicros/micro {
			continue
		}
		p := &Price{Card: s.cards[row].ID, Kind: LaunchPrice, Amount: MoneyOf(v.Number, currency),
			Unit: PerCard, Cards: 1,
			Seller: s.cards[row].Vendor, Tax: tax, Source: v.Source.ID, Note: v.Note}
		if text, ok := s.Text(launched, row); ok {
			p.Date = Date(text)
		}
		s.prices = append(s.prices, PriceInfo{Price: p, Row: row, Source: v.Source, Dataset: v.Dataset, figure: true})
	}
}

// Prices returns all prices: by card, then kind, the latest first.
func (s *Snapshot) Prices() []PriceInfo { return s.prices }

// PricedCards is how many cards have a price.
func (s *Snapshot) PricedCards() int { return len(s.pricesOf) }

// PricesOf returns the prices of card i: by kind, the latest first.
func (s *Snapshot) PricesOf(i int) []PriceInfo {
	at := s.pricesOf[i]
	return s.prices[at.from:at.to]
}

// ComputeQuote converts a price to the currency of a pricing, with its freshness on that day.
func (s *Snapshot) ComputeQuote(info PriceInfo, p Pricing) Quote {
	today, ok := p.Today.DayNumber()
	return s.quoteOn(info, p, today, ok)
}

// quoteOn is [Snapshot.ComputeQuote] with the number of the day; ok is false without a day.
func (s *Snapshot) quoteOn(info PriceInfo, p Pricing, today int, ok bool) Quote {
	q := Quote{PriceInfo: info, Freshness: info.Kind.aged(today-int(info.day), ok && info.dated)}
	if !s.OnSale(info.Row) {
		q.Freshness = Unsold
	}
	q.Each, q.How = info.Each()
	if in, by, ok := s.Exchange(q.Each, p.Currency, info.Date); ok {
		q.In, q.By = in, by
	}
	return q
}

// Offers returns what a kind of price of card i stands at: of each offer the
// latest price, those that are current first, the cheapest of them first, and
// those that no rate is known for last.
func (s *Snapshot) Offers(i int, kind PriceKind, p Pricing) []Quote {
	out := slices.Collect(s.offers(i, kind, p))
	slices.SortStableFunc(out, func(a, b Quote) int { return compareQuotes(&a, &b) })
	return out
}

// offers yields the latest price of each offer, the latest first.
func (s *Snapshot) offers(i int, kind PriceKind, p Pricing) iter.Seq[Quote] {
	return func(yield func(Quote) bool) {
		today, ok := p.Today.DayNumber()
		for _, info := range s.ofKind(i, kind) {
			if info.latest && !yield(s.quoteOn(info, p, today, ok)) {
				return
			}
		}
	}
}

// compareQuotes orders quotes of one kind as [Snapshot.Offers] says.
func compareQuotes(a, b *Quote) int {
	if c := cmp.Or(cmp.Compare(btoi(a.In.IsZero()), btoi(b.In.IsZero())),
		cmp.Compare(btoi(!a.Freshness.Current()), btoi(!b.Freshness.Current()))); c != 0 {
		return c
	}
	if !a.Freshness.Current() {
		return cmp.Or(compareQuoteDates(b, a), cmp.Compare(a.In.Micros, b.In.Micros))
	}
	// What the vendor announced in the currency itself is exact.
	own := func(q *Quote) int { return btoi(q.Kind == LaunchPrice && q.By != nil) }
	return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.In.Micros, b.In.Micros))
}

// compareQuoteDates orders dates of different precision: a month lies in its middle.
func compareQuoteDates(a, b *Quote) int {
	return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.Date, b.Date))
}

// Quote is the first of [Snapshot.Offers] that has an amount in the currency.
func (s *Snapshot) Quote(i int, kind PriceKind, p Pricing) (Quote, bool) {
	var first Quote
	for q := range s.offers(i, kind, p) {
		if first.Price == nil || compareQuotes(&q, &first) < 0 {
			first = q
		}
	}
	return first, !first.In.IsZero()
}

// views caches the snapshots of a catalogue by pricing.
type views struct {
	mu   sync.Mutex
	made map[Pricing]*Snapshot
}

// maxViews is more than there are choices of currency and kinds on one day.
const maxViews = 128

// Pricing is the pricing of the snapshot; zero when it has none.
func (s *Snapshot) Pricing() Pricing { return s.pricing }

// Priced returns the same catalogue with the quantities that follow from prices, in
// the money of a pricing. What the pricing leaves open is as in [DefaultPricing].
func (s *Snapshot) Priced(p Pricing) *Snapshot {
	p = p.Or(DefaultPricing)
	v := &s.views
	v.mu.Lock()
	defer v.mu.Unlock()
	if made := v.made[p]; made != nil {
		return made
	}
	if v.made == nil || len(v.made) >= maxViews {
		v.made = map[Pricing]*Snapshot{}
	}
	made := s.withPricing(p)
	v.made[p] = made
	return made
}

// withPricing computes the quantities that follow from prices.
func (s *Snapshot) withPricing(p Pricing) *Snapshot {
	out := &Snapshot{base: s.base, numbers: slices.Clone(s.numbers), orders: slices.Clone(s.orders), pricing: p}
	for _, q := range priced {
		out.numbers[q.index], out.orders[q.index] = nil, new(lazyOrder)
	}
	buy, rent := registryByID["buy_price"], registryByID["rent_price"]
	for row := range s.pricesOf {
		if !s.OnSale(row) {
			continue
		}
		if q, ok := s.Quote(row, p.Buy, p); ok {
			out.setNumber(buy.index, row, q.In.Amount())
		}
		if q, ok := s.Quote(row, p.Rent, p); ok {
			out.setNumber(rent.index, row, q.In.Amount())
		}
	}
	for _, q := range priced {
		if q != buy && q != rent {
			out.deriveRows(q)
		}
	}
	out.extents = newExtents(out)
	return out
}

// deriveRows fills a column for the cards that have prices.
func (s *Snapshot) deriveRows(q *Quantity) {
	for row := range s.pricesOf {
		if v := q.derive(s.Figures(row)); !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.setNumber(q.index, row, round6(v))
		}
	}
}

func newOrders() []*lazyOrder {
	out := make([]*lazyOrder, len(registry))
	for i := range out {
		out[i] = new(lazyOrder)
	}
	return out
}
