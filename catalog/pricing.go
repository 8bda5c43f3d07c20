package catalog

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"tianti/sorting"
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
	rank    int32 // place of the dataset by rank
	place   int   // in the dataset
	offer   *Offer
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

// A span is a range of the prices of a snapshot, and how many prices their offers have.
type span struct{ from, to, count, sellers int }

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
		s.prices = append(s.prices, PriceInfo{Price: p, Row: row, Source: v.Source, Dataset: v.Dataset, figure: true,
			rank: math.MaxInt32, place: len(s.prices)})
	}
}

// ComputeQuote converts a price to the currency of a pricing, with its freshness on that day.
func (s *Snapshot) ComputeQuote(info PriceInfo, p Pricing) Quote {
	today, ok := p.Today.DayNumber()
	q := Quote{PriceInfo: info}
	s.quoteOn(&q, p, today, ok, s.OnSale(info.Row))
	return q
}

// quoteOn completes a quote that has its price, as [Snapshot.ComputeQuote]; ok is false without a day, sold is
// whether the card can be had.
func (s *Snapshot) quoteOn(q *Quote, p Pricing, today int, ok, sold bool) {
	q.Freshness = Unsold
	if sold {
		q.Freshness = q.Kind.aged(today-int(q.day), ok && q.dated)
	}
	q.Each, q.How = q.Price.Each()
	if q.Each.Currency == p.Currency {
		q.In = q.Each
	} else if q.dated {
		q.In, q.By, _ = s.exchangeOn(q.Each, p.Currency, int(q.day))
	}
}

// Offers returns what a kind of price of card i stands at: of each offer the
// latest price, those that are current first, the cheapest of them first, and
// those that no rate is known for last.
func (s *Snapshot) Offers(i int, kind PriceKind, p Pricing) []Quote {
	out := slices.AppendSeq(make([]Quote, 0, s.OfferCount(i, kind)), s.EachOffer(i, kind, p))
	sorting.Func(out, func(a, b Quote) int { return CompareQuotes(&a, &b) })
	return out
}

// OfferCount is at most how many offers of a kind card i has.
func (s *Snapshot) OfferCount(i int, kind PriceKind) int { return len(s.ofKind(i, kind)) }

// EachOffer yields what [Snapshot.Offers] returns in another order, the latest first.
func (s *Snapshot) EachOffer(i int, kind PriceKind, p Pricing) iter.Seq[Quote] {
	return func(yield func(Quote) bool) {
		today, ok := p.Today.DayNumber()
		all, sold := s.ofKind(i, kind), s.OnSale(i)
		for n := range all {
			if !all[n].latest {
				continue
			}
			q := Quote{PriceInfo: all[n]}
			if s.quoteOn(&q, p, today, ok, sold); !yield(q) {
				return
			}
		}
	}
}

// CompareQuotes orders quotes of one kind as [Snapshot.Offers] says.
func CompareQuotes(a, b *Quote) int {
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
	for q := range s.EachOffer(i, kind, p) {
		if first.Price == nil || CompareQuotes(&q, &first) < 0 {
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
