package job

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/ui"
)

// Electricity says whose price of electricity the cost of bought cards has where nobody gave one; empty where somebody
// did, and where none is known.
func (b *Builder) Electricity(r *sizing.Request) string {
	perKWh, of := b.A.Tariff(r)
	if of == nil {
		return ""
	}
	return b.L.T("sizing.electricity", b.Money(perKWh, r.Costs.Currency), b.L.T("sizing.customers."+of.Customers),
		b.L.Region(r.PowerPlace()), of.Period, of.Title)
}

// Priced is what has to be paid first, what kind of price of which day it is, and the cost of an
// hour of what is bought. A price that is none of today is told in the note alone.
func (b *Builder) Priced(e *sizing.Estimate) (price, note, hour string) {
	l := b.L
	i := slices.IndexFunc(e.Expenses, func(x sizing.Expense) bool { return x.Current() })
	x := (*sizing.Expense)(nil)
	switch {
	case i >= 0:
		x = &e.Expenses[i]
	case len(e.Expenses) > 0:
		x = &e.Expenses[0]
	default:
		return l.T("sizing.notoday"), "", ""
	}
	pay := b.Money(x.Outlay, x.Currency)
	if x.Acquire == "rent" {
		pay = l.T("sizing.anhour", b.Money(x.PerHour, x.Currency))
	} else {
		hour = l.T("sizing.anhour", b.Money(x.PerHour, x.Currency))
	}
	if !x.Current() {
		return l.T("sizing.notoday"), pay + l.T("comma") + b.Observed(x), ""
	}
	return pay, b.Observed(x), hour
}

// Observed is what kind of price an expense rests on, and when it was seen.
func (b *Builder) Observed(x *sizing.Expense) string {
	if x.Given {
		return b.L.T("sizing.given")
	}
	kind := b.L.T("pricekind." + string(x.Price.Kind))
	if x.Price.Kind == catalog.ComputerPrice && x.Price.Instance != "" { // which of its computers, with how much memory
		kind += Bracketed(b.L, x.Price.Instance)
	}
	text := strings.TrimSpace(kind + " " + string(x.Price.Date))
	if !x.Today && x.Price.Kind != catalog.LaunchPrice {
		text += b.L.T("comma") + b.L.T("prices.freshness.stale")
	}
	if x.Apart {
		text += b.L.T("comma") + b.L.T("sizing.apart")
	}
	return text
}

// PriceOf is the price that an expense rests on, in words, with its source and the
// rate by which it was converted.
func (b *Builder) PriceOf(x *sizing.Expense) (price string, source ui.Link, rate string) {
	l, p := b.L, &x.Price
	amount := l.T("sizing.priceof", display.ExactMoney(p.Amount))
	if p.Cards > 1 {
		amount = l.T("sizing.pricefor", display.ExactMoney(p.Amount), l.Count(p.Cards))
	}
	where := []string{b.Observed(x)}
	if !x.Given {
		for _, s := range []string{p.Seller, p.Instance, l.Region(p.Region)} {
			if s != "" {
				where = append(where, s)
			}
		}
		source = ui.Link{
			Label: p.PriceInfo.Source.Publisher + l.T("comma") + p.PriceInfo.Source.Title,
			Href:  p.PriceInfo.Source.URL,
		}
	}
	price = l.T("sizing.price", amount, strings.Join(where, l.T("list.separator")))
	if note := display.Pick(l, p.Note); note != "" {
		price = strings.TrimRight(price, ".。") + Bracketed(l, strings.TrimRight(note, ".。")) + l.Pick(".", "。")
	}
	if f := x.Converted; f != nil {
		rate = l.T("sizing.exchange", b.Figure(f.Rate), x.Currency, p.Amount.Currency, string(f.Date))
	}
	return price, source, rate
}
