package advisor

import (
	"cmp"
	"math"
	"slices"
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
	a      *Advisor
	r      *Request
	prices map[string][]Price // by card and kind
}

// market arranges the prices: of each seller and number of cards the latest.
func (a *Advisor) market(r *Request) *market {
	m := &market{a, r, map[string][]Price{}}
	for _, p := range a.Prices {
		key := p.Card + "\x00" + p.Kind
		had := m.prices[key]
		at := slices.IndexFunc(had, func(q Price) bool {
			return q.Provider == p.Provider && q.Cards == p.Cards && q.Amount.Currency == p.Amount.Currency
		})
		switch {
		case at < 0:
			m.prices[key] = append(had, p)
		case had[at].Date < p.Date:
			had[at] = p
		}
	}
	return m
}

// of are the prices of a card: what the asker was offered, or else what was
// recorded, or else, to buy, what the vendor announced at the launch.
func (m *market) of(c *Card, way string) []Price {
	k := &m.r.Costs
	given := map[string]float64{"buy": k.BuyPrice, "rent": k.RentPrice}[way]
	if given > 0 {
		return []Price{{Card: c.ID, Kind: way, Amount: MoneyOf(given, k.Currency), Value: given, Cards: 1, Note: "given"}}
	}
	key := c.ID + "\x00" + way
	p, ok := m.prices[key]
	if !ok && way == "buy" {
		p = launchPrices(c)
	}
	if !ok {
		m.prices[key] = p
	}
	return p
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
		if d := cmp.Compare(foreign(&x, m.r), foreign(&y, m.r)); d != 0 {
			return d
		}
		return cmp.Compare(x.PerHour, y.PerHour)
	})
	return out
}

// foreign is 1 for an expense that could not be converted.
func foreign(e *Expense, r *Request) int {
	if e.Currency != r.Costs.Currency {
		return 1
	}
	return 0
}

// expense is the cheapest price of one way to come by the cards. What cannot be
// converted into the request's currency comes after what can.
func (m *market) expense(way string, c *Card, n int) (Expense, bool) {
	var best Expense
	found := false
	for _, p := range m.of(c, way) {
		e := m.at(p, c, n)
		if better := foreign(&e, m.r) - foreign(&best, m.r); !found || better < 0 || better == 0 && e.PerHour < best.PerHour {
			best, found = e, true
		}
	}
	return best, found
}

// launchPrices are what the vendor announced, on the day of the launch.
func launchPrices(c *Card) []Price {
	if c.figures == nil {
		return nil
	}
	var out []Price
	for _, x := range []struct{ quantity, currency string }{{"launch_price_usd", "USD"}, {"launch_price_cny", "CNY"}} {
		if v, ok := c.figures.Number(x.quantity); ok && v > 0 {
			out = append(out, Price{Card: c.ID, Kind: "buy", Amount: MoneyOf(v, x.currency), Value: v, Cards: 1, Provider: c.Vendor, Date: c.figures.Text("launched"), Note: "launch"})
		}
	}
	return out
}

// at is the expense at one price. Whole machines are rented: what is offered
// for eight cards costs as much for five. Bought cards are written off in a straight
// line over the hours in which they work; electricity is the rating of the card, not
// what it was measured to draw, times PUE and tariff. The machine around the cards
// is left out of what is bought.
func (m *market) at(p Price, c *Card, n int) Expense {
	k := &m.r.Costs
	e := Expense{Acquire: p.Kind, Price: p, Currency: p.Amount.Currency}
	amount := p.Value
	if e.Currency != k.Currency {
		if x := m.a.exchange(e.Currency, k.Currency, p.Date); x != nil {
			e.Converted, e.Currency = x, k.Currency
			amount *= x.Rate
		}
	}
	sets := math.Ceil(float64(n) / float64(p.Cards))
	if p.Kind == "rent" {
		e.PerHour = amount * sets
		e.Lines = []Line{{Part: "rent", Value: e.PerHour, Formula: "amount · ⌈n ÷ cards⌉", Source: fromOffer,
			Inputs: []Input{{"amount", amount, e.Currency + "/h"}, {"n", float64(n), "cards"}, {"cards", float64(p.Cards), "cards"}}}}
		return e
	}
	e.Outlay = amount * sets
	hours := k.Years * hoursPerYear * k.Utilisation
	writeOff := e.Outlay * (1 - k.Residual) / hours
	e.Lines = []Line{{Part: "write_off", Value: writeOff, Formula: "outlay · (1 − residual) ÷ (years · 8766 · utilisation)", Source: fromDefinition,
		Inputs: []Input{{"outlay", e.Outlay, e.Currency}, {"residual", k.Residual, ""}, {"years", k.Years, "years"}, {"utilisation", k.Utilisation, ""}}}}
	if e.Currency == k.Currency && k.Tariff > 0 && c.Power > 0 {
		power := kilowatts(c, n, k)
		e.Lines = append(e.Lines, Line{Part: "electricity", Value: power * k.Tariff, Formula: "n · rating ÷ 1000 · PUE · tariff", Source: fromDefinition,
			Inputs: []Input{{"n", float64(n), "cards"}, {"rating", c.Power, "W"}, {"PUE", k.PUE, ""}, {"tariff", k.Tariff, e.Currency + "/kWh"}}})
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
