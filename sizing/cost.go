package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/catalog"
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
	quotes map[string][]catalog.Quote // by card and way
}

func (a *Estimator) market(r *Request) *market { return &market{a, r, map[string][]catalog.Quote{}} }

// kinds are the prices that each way goes by, the better first: what shops ask now,
// or else what the vendor announced, or a share of a whole server; what is rented by
// use, or else by the month or for a term.
var kinds = map[string][]catalog.PriceKind{
	"buy":  {catalog.StreetPrice, catalog.LaunchPrice, catalog.ServerPrice},
	"rent": {catalog.OnDemand, catalog.MonthlyPrice, catalog.Reserved},
}

// of are the prices of a card: what the asker was offered, or else the recorded
// ones of the first kind that has a current one in the currency, or else all others.
func (m *market) of(c *Card, way string) []catalog.Quote {
	key := c.ID + "\x00" + way
	q, ok := m.quotes[key]
	if !ok {
		q = m.find(c, way)
		m.quotes[key] = q
	}
	return q
}

func (m *market) find(c *Card, way string) []catalog.Quote {
	k := &m.r.Costs
	if given := map[string]float64{"buy": k.BuyPrice, "rent": k.RentPrice}[way]; given > 0 {
		unit := map[string]catalog.PriceUnit{"buy": catalog.PerCard, "rent": catalog.PerHour}[way]
		p := &catalog.Price{Card: c.ID, Kind: kinds[way][0], Amount: catalog.MoneyOf(given, k.Currency),
			Unit: unit, Cards: 1}
		return []catalog.Quote{{PriceInfo: catalog.PriceInfo{Price: p}, Each: p.Amount, In: p.Amount}}
	}
	row, ok := m.a.catalogue.Find(c.ID)
	if !ok {
		return nil
	}
	var others []catalog.Quote
	for _, kind := range kinds[way] {
		offers := m.a.catalogue.Offers(row, kind, catalog.Pricing{Currency: k.Currency, Today: m.r.Today})
		n := 0 // how many count: they come first
		for n < len(offers) && offers[n].Freshness.Current() && !offers[n].In.IsZero() {
			n++
		}
		switch {
		case n > 0 && kind == catalog.LaunchPrice:
			return offers[:1] // what was announced in the currency itself, where that was
		case n > 0:
			return offers[:n]
		}
		others = append(others, offers...)
	}
	return others
}

// expenses are what a number of a card costs, each way that a price is known for,
// the cheapest of each; the cheaper way first. None without a price.
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
	slices.SortStableFunc(out, func(x, y Expense) int {
		return cmp.Or(cmp.Compare(worse(&x, m.r), worse(&y, m.r)), cmp.Compare(x.PerHour, y.PerHour))
	})
	return out
}

// worse is 2 for an expense that could not be converted, 1 for one at a price that is too old
// or was announced at launch: they come after others, however cheap.
func worse(e *Expense, r *Request) int {
	switch {
	case e.Currency != r.Costs.Currency:
		return 2
	case !e.current():
		return 1
	}
	return 0
}

// expense is the cheapest price of one way to come by the cards.
func (m *market) expense(way string, c *Card, n int) (Expense, bool) {
	var best Expense
	found := false
	for _, p := range m.of(c, way) {
		e := m.at(p, c, n)
		if !found || cmp.Or(cmp.Compare(worse(&e, m.r), worse(&best, m.r)), cmp.Compare(e.PerHour, best.PerHour)) < 0 {
			best, found = e, true
		}
	}
	return best, found
}

// at is the expense at one price. Whole machines are rented: what is offered
// for eight cards costs as much for five. Bought cards are written off in a straight
// line over the hours in which they work; electricity is the rating of the card, not
// what it was measured to draw, times PUE and tariff. The machine around the cards
// is left out of what is bought.
func (m *market) at(p catalog.Quote, c *Card, n int) Expense {
	k := &m.r.Costs
	way := "buy"
	if p.Kind.Rents() {
		way = "rent"
	}
	e := Expense{Acquire: way, Price: p, Given: p.Source == nil, Currency: p.Amount.Currency}
	amount := p.Amount.Amount()
	if p.Unit == catalog.PerMonth {
		amount /= catalog.HoursPerMonth
	}
	if e.Currency != k.Currency && p.By != nil {
		e.Converted, e.Currency = p.By, k.Currency
		amount *= p.By.Rate
	}
	sets := math.Ceil(float64(n) / float64(p.Cards))
	if way == "rent" {
		e.PerHour = amount * sets
		e.Lines = []Line{{Part: "rent", Value: e.PerHour, Formula: "amount · ⌈n ÷ cards⌉", Source: fromOffer,
			Inputs: []Input{{"amount", amount, e.Currency + "/h"}, {"n", float64(n), "cards"},
				{"cards", float64(p.Cards), "cards"}}}}
		return e
	}
	e.Outlay = amount * sets
	hours := k.Years * hoursPerYear * k.Utilisation
	writeOff := e.Outlay * (1 - k.Residual) / hours
	e.Lines = []Line{{Part: "write_off", Value: writeOff,
		Formula: "outlay · (1 − residual) ÷ (years · 8766 · utilisation)", Source: fromDefinition,
		Inputs: []Input{{"outlay", e.Outlay, e.Currency}, {"residual", k.Residual, ""}, {"years", k.Years, "years"},
			{"utilisation", k.Utilisation, ""}}}}
	if e.Currency == k.Currency && k.Tariff > 0 && c.Power > 0 {
		power := kilowatts(c, n, k)
		e.Lines = append(e.Lines, Line{Part: "electricity", Value: power * k.Tariff,
			Formula: "n · rating ÷ 1000 · PUE · tariff", Source: fromDefinition,
			Inputs: []Input{{"n", float64(n), "cards"}, {"rating", c.Power, "W"}, {"PUE", k.PUE, ""},
				{"tariff", k.Tariff, e.Currency + "/kWh"}}})
	}
	for _, l := range e.Lines {
		e.PerHour += l.Value
	}
	return e
}

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
