package recommend

import (
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/ui"
)

// Observed is what kind of price an expense rests on, and when it was seen.
func (b *SizingBuilder) Observed(x *sizing.Expense) string {
	if x.Given {
		return b.L.T("sizing.given")
	}
	kind := b.L.T("pricekind." + string(x.Price.Kind))
	if x.Price.Kind == catalog.ComputerPrice && x.Price.Instance != "" { // which of its computers, with how much memory
		kind += bracketed(b.L, x.Price.Instance)
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
func (b *SizingBuilder) PriceOf(x *sizing.Expense) (price string, source ui.Link, rate string) {
	l, p := b.L, &x.Price
	amount := l.T("sizing.priceof", display.ExactMoney(p.Amount))
	if p.Cards > 1 {
		amount = l.T("sizing.pricefor", display.ExactMoney(p.Amount), l.Count(p.Cards))
	}
	where := []string{b.Observed(x)}
	if !x.Given {
		for _, s := range []string{p.Seller, p.Instance, p.Region} {
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
		price += " " + note
	}
	if f := x.Converted; f != nil {
		rate = l.T("sizing.exchange", b.Figure(f.Rate), x.Currency, p.Amount.Currency, string(f.Date))
	}
	return price, source, rate
}
