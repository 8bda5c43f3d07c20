package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/catalog"
	"tianti/sorting"
)

// hoursPerYear of 365.25 days.
const hoursPerYear = 8766

// Sources of the formulas of cost.
const (
	fromOffer      = "offer"
	fromDefinition = "definition"
)

// A market is what cards can be had for in one request.
type market struct {
	a      *Estimator
	r      *Request
	quotes map[string][]offer // by card and way
	kWh    float64            // price of electricity, 0 leaves it out
	tariff *Tariff            // that it is; nil where the asker gave it
}

func (a *Estimator) market(r *Request) *market {
	m := &market{a: a, r: r, quotes: map[string][]offer{}}
	m.kWh, m.tariff = a.Tariff(r)
	return m
}

// kinds are the prices that each way goes by, the better first: what shops ask now, or else
// what a used card costs, a computer with it, or a share of a whole server, or what the vendor once announced; what
// is rented by use, or else by the month or for a term.
var kinds = map[string][]catalog.PriceKind{
	"buy":  {catalog.StreetPrice, catalog.UsedPrice, catalog.ComputerPrice, catalog.ServerPrice, catalog.LaunchPrice},
	"rent": {catalog.OnDemand, catalog.MonthlyPrice, catalog.Reserved},
}

// priceDays is the age, in days, beyond which a price is none of today.
const priceDays = 180

// of are the prices of a card, of all kinds of a way, the better kind first: what the asker was
// offered, or else the recorded ones. Of a kind that has prices of today, only these.
func (m *market) of(c *Card, way string) []offer {
	key := c.ID + "\x00" + way
	q, ok := m.quotes[key]
	if !ok {
		q = m.find(c, way)
		m.quotes[key] = q
	}
	return q
}

// An offer is a price with what it says of today.
type offer struct {
	catalog.Quote
	kind  int  // place among [kinds]
	today bool // the price is of today
}

func (m *market) find(c *Card, way string) []offer {
	k := &m.r.Costs
	if given := map[string]float64{"buy": k.BuyPrice, "rent": k.RentPrice}[way]; given > 0 {
		unit := map[string]catalog.PriceUnit{"buy": catalog.PerCard, "rent": catalog.PerHour}[way]
		p := &catalog.Price{Card: c.ID, Kind: kinds[way][0], Amount: catalog.MoneyOf(given, k.Currency),
			Unit: unit, Cards: 1}
		return []offer{{catalog.Quote{PriceInfo: catalog.PriceInfo{Price: p}, Each: p.Amount, In: p.Amount}, 0, true}}
	}
	row, ok := m.a.catalogue.Find(c.ID)
	if !ok {
		return nil
	}
	var out []offer
	for place, kind := range kinds[way] {
		if m.a.catalogue.OfferCount(row, kind) > manyOffers && kind != catalog.LaunchPrice &&
			!(kind == catalog.ComputerPrice && c.Unified) {
			out = append(out, m.cheapest(row, kind, place)...)
			continue
		}
		quotes := m.a.catalogue.Offers(row, kind, catalog.Pricing{Currency: k.Currency, Today: m.r.Today})
		if kind == catalog.ComputerPrice && c.Unified {
			quotes = wholeMemory(quotes, c.Memory/gib)
		}
		today := m.ofToday(quotes)
		out = slices.Grow(out, len(quotes))
		for i := range today {
			out = append(out, offer{today[i], place, true})
		}
		if len(today) > 0 {
			continue
		}
		for i := range quotes {
			out = append(out, offer{quotes[i], place, false})
			if kind == catalog.LaunchPrice {
				break // what was announced in the currency itself, where that was
			}
		}
	}
	return out
}

// wholeMemory are the quotes of computers with all the memory that a chip may have, in GB: the memory of a chip is that
// of its computer, and the price of one with less is none for a job that takes the whole. Where some say how much they
// have, the others may be those with the least.
func wholeMemory(quotes []catalog.Quote, gb float64) []catalog.Quote {
	said := slices.ContainsFunc(quotes, func(q catalog.Quote) bool { return q.Memory() > 0 })
	return slices.DeleteFunc(slices.Clone(quotes), func(q catalog.Quote) bool { return said && q.Memory() < gb })
}

// ofToday are the quotes that are no older than [priceDays]: of those, the ones that are current
// by the catalogue's stricter measure where there are any, or else the latest. What is sold in
// shops is sold in their country: a quote in the currency itself counts before converted ones.
func (m *market) ofToday(quotes []catalog.Quote) []catalog.Quote {
	today, known := m.r.Today.DayNumber()
	age := func(q *catalog.Quote) int { return ageOf(q, today, known) }
	out := make([]catalog.Quote, 0, len(quotes))
	least := priceDays
	for i := range quotes {
		if a := age(&quotes[i]); a <= priceDays {
			out, least = append(out, quotes[i]), min(least, a)
		}
	}
	current := func(q *catalog.Quote) bool { return q.Freshness.Current() }
	if slices.ContainsFunc(out, func(q catalog.Quote) bool { return current(&q) }) {
		out = slices.DeleteFunc(out, func(q catalog.Quote) bool { return !current(&q) })
	} else {
		out = slices.DeleteFunc(out, func(q catalog.Quote) bool { return age(&q) > least })
	}
	own := func(q catalog.Quote) bool { return q.By == nil }
	if len(out) > 0 && !out[0].Kind.Rents() && slices.ContainsFunc(out, own) {
		out = slices.DeleteFunc(out, func(q catalog.Quote) bool { return !own(q) })
	}
	return out
}

// ageOf is how many days old a quote is; one that is none of today is older than [priceDays].
func ageOf(q *catalog.Quote, today int, known bool) int {
	day, ok := q.Date.DayNumber()
	if !ok || !known || q.Kind == catalog.LaunchPrice || q.In.IsZero() {
		return priceDays + 1
	}
	return today - day
}

// expenses are what a number of a card costs, each way that a price is known for,
// the cheapest of each; the usual way first, see [market.rents]. None without a price.
func (m *market) expenses(c *Card, n int, rate, hours float64) []Expense {
	var out []Expense
	for _, way := range acquisitions {
		if m.r.Acquire != "" && m.r.Acquire != way {
			continue
		}
		if e, ok := m.expense(way, c, n); ok {
			if hours > 0 {
				e.Total = e.PerHour * hours
			}
			if rate > 0 {
				e.PerMillion = e.PerHour / rate / 3600 * 1e6
			}
			out = append(out, e)
		}
	}
	rents := m.rents(c, n)
	sorting.Func(out, func(x, y Expense) int {
		if by := cmp.Compare(worse(&x, m.r), worse(&y, m.r)); by != 0 || !rents {
			return cmp.Or(by, m.r.CompareExpenses(&x, &y))
		}
		return cmp.Compare(y.Acquire, x.Acquire)
	})
	return out
}

// rents reports whether renting is the usual way to come by cards, also where buying costs less by the hour: they need
// a server, and nobody said that there is money to buy one or that they work around the clock.
func (m *market) rents(c *Card, n int) bool {
	server := n > inPC || c.Segment == "datacenter"
	return server && m.r.Budget.Micros == 0 && m.r.Costs.BuyPrice == 0 && m.r.Costs.Utilisation < 1
}

// Expenses are what a number of a card costs by the hour, each way that a price is known for, the cheaper
// first; of the request count the costs, the way and the day.
func (a *Estimator) Expenses(c *Card, n int, r *Request) []Expense {
	return a.market(r).expenses(c, n, 0, 0)
}

// CompareExpenses orders what cards cost: in the request's currency and at a price of today before all others,
// then the cheaper.
func (r *Request) CompareExpenses(x, y *Expense) int {
	return cmp.Or(cmp.Compare(worse(x, r), worse(y, r)), cmp.Compare(x.PerHour, y.PerHour))
}

// worse is 2 for an expense that could not be converted, 1 for one at a price that is none of
// today, or for cards that are offered one by one: they come after others, however cheap.
func worse(e *Expense, r *Request) int {
	switch {
	case e.Currency != r.Costs.Currency:
		return 2
	case !e.Current():
		return 1
	}
	return 0
}

// expense is the cheapest price of one way to come by the cards, of the better kind of price:
// of a worse one only where there is none of today, or where that is beyond the budget.
func (m *market) expense(way string, c *Card, n int) (Expense, bool) {
	var best Expense
	found, kind := false, 0
	limit := m.r.Budget.Amount()
	beyond := func(e *Expense) int {
		if way == "buy" && limit > 0 && e.Currency == m.r.Budget.Currency && e.Outlay > limit {
			return 1
		}
		return 0
	}
	for _, p := range m.of(c, way) {
		e, ok := m.at(p, c, n)
		if !ok {
			continue
		}
		if !found || cmp.Or(cmp.Compare(worse(&e, m.r), worse(&best, m.r)), cmp.Compare(beyond(&e), beyond(&best)),
			cmp.Compare(p.kind, kind), cmp.Compare(e.PerHour, best.PerHour)) < 0 {
			best, found, kind = e, true, p.kind
		}
	}
	return best, found
}

// at is the expense at one price; false where the offer is of no such number of cards. Whole
// machines are rented: what is offered for eight cards costs as much for five, and more than a
// machine holds only of whole machines. Bought cards are written off in a straight line over the
// hours in which they work, and so is the machine around them; electricity is the rating of the
// card, not what it was measured to draw, times PUE and tariff.
func (m *market) at(o offer, c *Card, n int) (Expense, bool) {
	p, k := o.Quote, &m.r.Costs
	way := "buy"
	if p.Kind.Rents() {
		way = "rent"
	}
	e := Expense{Acquire: way, Price: p, Given: p.Source == nil, Today: o.today, Currency: p.Amount.Currency}
	paid := p.Cards * int(math.Ceil(float64(n)/float64(p.Cards))) // cards, in whole machines
	if way == "rent" && !e.Given && !c.joins() {
		e.Apart = p.Cards < min(n, aServer)
		if node := m.a.nodeOf(p.Price); node != nil && p.Cards == 1 {
			var enough bool
			paid, enough = node.rented(n)
			e.Apart, e.Machines = !enough, node.Source
		}
		if e.Apart && n > aServer {
			return e, false
		}
	}
	amount := p.Amount.Amount()
	if p.Unit == catalog.PerMonth {
		amount /= catalog.HoursPerMonth
	}
	if e.Currency != k.Currency && p.By != nil {
		e.Converted, e.Currency = p.By, k.Currency
		amount *= p.By.Rate
	}
	sets := float64(paid) / float64(p.Cards)
	if way == "rent" {
		e.PerHour = amount * sets
		e.Lines = []Line{{Part: "rent", Value: e.PerHour, Formula: "amount · ⌈n ÷ cards⌉", Source: fromOffer,
			Inputs: []Input{{"amount", amount, e.Currency + "/h"}, {"n", float64(n), "cards"},
				{"cards", float64(p.Cards), "cards"}}}}
		if e.Machines != "" {
			e.Lines[0].Formula, e.Lines[0].Source = "amount · m", e.Machines
			e.Lines[0].Inputs = []Input{{"amount", amount, e.Currency + "/h"}, {"m", float64(paid), "cards"}}
		}
		return e, true
	}
	e.Outlay = amount * sets
	hours := k.Years * hoursPerYear * k.Utilisation
	writeOff := e.Outlay * (1 - k.Residual) / hours
	e.Lines = []Line{{Part: "write_off", Value: writeOff,
		Formula: "outlay · (1 − residual) ÷ (years · 8766 · utilisation)", Source: fromDefinition,
		Inputs: []Input{{"outlay", e.Outlay, e.Currency}, {"residual", k.Residual, ""}, {"years", k.Years, "years"},
			{"utilisation", k.Utilisation, ""}}}}
	if host := k.Host; host > 0 && p.Unit != catalog.PerNode && !c.isAlone() {
		e.Lines = append(e.Lines, Line{Part: "host", Value: writeOff * host, Formula: "write-off · host",
			Source: fromDefinition, Inputs: []Input{{"write-off", writeOff, e.Currency + "/h"}, {"host", host, ""}}})
	}
	if e.Currency == k.Currency && m.kWh > 0 && c.Power > 0 {
		power, source := kilowatts(c, n, k), fromDefinition
		if m.tariff != nil {
			source = m.tariff.Title + ", " + m.tariff.Source
		}
		e.Lines = append(e.Lines, Line{Part: "electricity", Value: power * m.kWh,
			Formula: "n · rating ÷ 1000 · PUE · tariff", Source: source,
			Inputs: []Input{{"n", float64(n), "cards"}, {"rating", c.Power, "W"}, {"PUE", k.PUE, ""},
				{"tariff", m.kWh, e.Currency + "/kWh"}}})
	}
	for _, l := range e.Lines {
		e.PerHour += l.Value
	}
	return e, true
}

// joins reports whether a chip is rented in slices of a pod, of which each is offered by the chip.
func (c *Card) joins() bool { return c.Kind == "tpu" }

// kilowatts that a building draws for a number of a card at its rating.
func kilowatts(c *Card, n int, k *Costs) float64 { return float64(n) * c.Power / 1000 * k.PUE }

// job fills in the time, energy and money of an estimate from its speed.
func (m *market) job(e *Estimate) {
	r := m.r
	rate := Range{}
	if s := e.Rate(); s != nil {
		rate = s.Rate
	}
	e.Hours = Duration(r.Tokens, rate)
	if e.Card.Power > 0 {
		kw := kilowatts(e.Card, e.Workload.Cards, &r.Costs)
		e.KWh = e.Hours.times(kw)
		e.Carbon = e.KWh.times(r.Costs.Carbon)
		if rate.Expected > 0 {
			e.KWhPerMillion = kw / rate.Expected / 3600 * 1e6
		}
	}
	e.Expenses = m.expenses(e.Card, e.Workload.Cards, rate.Expected, e.Hours.Expected)
}

// Duration is the hours that a number of tokens takes at a rate; zero for what is
// not known of the rate.
func Duration(tokens float64, rate Range) (hours Range) {
	at := func(rate float64) float64 {
		if rate <= 0 || tokens <= 0 {
			return 0
		}
		return tokens / rate / 3600
	}
	return Range{at(rate.High), at(rate.Expected), at(rate.Low)}
}

func (r Range) times(x float64) Range { return Range{r.Low * x, r.Expected * x, r.High * x} }
