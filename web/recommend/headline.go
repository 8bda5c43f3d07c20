package recommend

import (
	"math"
	"strings"

	"tianti/sizing"
)

// headline is the answer in one line: what to do, for how much, and how fast it is.
func (b *SizingBuilder) headline(p *pickData, way string) string {
	name := strings.TrimSpace(p.Cards + " " + p.Name.Label)
	if p.NoPrice {
		return b.L.T("sizing.pick.headnone", name, p.Speed)
	}
	if b.q.Tokens > 0 && p.Time != "" && p.Cost != "" {
		return b.L.T("sizing.pick.headjob."+way, name, p.Time, p.Cost, p.Price)
	}
	return b.L.T("sizing.pick.head."+way, name, p.Price, p.Speed)
}

// Electricity says whose price of electricity the cost of bought cards has where nobody gave one; empty where somebody
// did, and where none is known.
func (b *SizingBuilder) Electricity(r *sizing.Request) string {
	perKWh, of := b.A.Tariff(r)
	if of == nil {
		return ""
	}
	return b.L.T("sizing.electricity", b.Money(perKWh, r.Costs.Currency), b.L.T("sizing.customers."+of.Customers),
		b.L.Region(r.PowerPlace()), of.Period, of.Title)
}

// cheaper says what costs less than the first option, which leads for its fewer cards; empty where nothing does.
func (b *SizingBuilder) cheaper(found *sizing.Answer) string {
	less := found.Less()
	if less <= 0 {
		return ""
	}
	first, other := &found.Options[0], &found.Options[1]
	key := "sizing.pick.cheaper"
	if b.q.Goal == sizing.BestValue || b.q.Tokens > 0 {
		key = "sizing.pick.cheaperwork"
	}
	name := b.L.T("sizing.times", b.L.Count(other.Workload.Cards), CardName(other.Card))
	return b.L.T(key, name, b.L.Number(math.Round(less*100)), other.Workload.Cards, first.Workload.Cards)
}

func (b *SizingBuilder) speedOf(e *sizing.Estimate) string {
	if s := e.Rate(); s != nil && s.Rate.Expected > 0 {
		return b.rate(s)
	}
	return b.L.T("sizing.nospeed")
}

// inShort is what stands beside the verdict of an estimate: price, speed and the way.
func (b *SizingBuilder) inShort(e *sizing.Estimate) string {
	if e.Pool != nil {
		return strings.Join([]string{b.speedOf(e), b.way(e)}, b.L.Pick("; ", "；"))
	}
	price, note, _ := b.priced(e)
	if note != "" {
		price += bracketed(b.L, note)
	}
	return strings.Join([]string{price, b.speedOf(e), b.way(e)}, b.L.Pick("; ", "；"))
}
