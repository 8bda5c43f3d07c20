package web

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/view"
)

// usualPricing is how prices are reckoned where an address does not choose: in the
// language's currency, as of today.
func (s *Server) usualPricing(l *locale.Locale) catalog.Pricing {
	return catalog.Pricing{Currency: usualCurrency(l), Today: catalog.Date(s.today())}.Or(catalog.DefaultPricing)
}

// pricing reads the parameters of r that choose how prices are reckoned. chosen is
// what differs from the usual.
func (s *Server) pricing(r *request) (all, chosen catalog.Pricing, errs []catalog.ParamError) {
	for _, param := range catalog.PricingParams {
		v := strings.TrimSpace(r.values.Get(param))
		if v == "" {
			continue
		}
		if err := chosen.Set(param, v); err != nil {
			errs = append(errs, *err)
		}
	}
	all, chosen = s.settle(r.loc, chosen)
	return all, chosen, errs
}

// settle completes a choice, and takes out of it what is usual anyway, so that one
// answer has one address.
func (s *Server) settle(l *locale.Locale, chosen catalog.Pricing) (all, rest catalog.Pricing) {
	usual := s.usualPricing(l)
	all = chosen.Or(usual)
	for _, f := range []struct {
		field *string
		usual string
	}{{&chosen.Currency, usual.Currency}, {(*string)(&chosen.Buy), string(usual.Buy)}, {(*string)(&chosen.Rent), string(usual.Rent)}} {
		if *f.field == f.usual {
			*f.field = ""
		}
	}
	return all, chosen
}

// unitIn is the unit of a quantity as a snapshot gives it: that of a price has the
// currency in which it reckons.
func unitIn(l *locale.Locale, s *catalog.Snapshot, q *catalog.Quantity) string {
	return strings.ReplaceAll(unit(l, q), "¤", cmp.Or(s.Pricing().Currency, catalog.DefaultCurrency))
}

// exactMoney is an amount as it was stated: "USD 3.06", "CNY 2 300 000".
func exactMoney(m catalog.Money) string {
	text := m.Decimal()
	if _, fraction, ok := strings.Cut(text, "."); ok {
		text += strings.Repeat("0", max(0, catalog.MinorDigits(m.Currency)-len(fraction)))
	}
	return m.Currency + "\u00a0" + locale.GroupDecimal(text)
}

// aboutMoney is an amount that was reckoned: "≈ CNY 11 520".
func aboutMoney(l *locale.Locale, m catalog.Money) string {
	return "≈\u00a0" + m.Currency + "\u00a0" + reckoned(l, m.Amount())
}

// reckoned writes a number of money with four significant digits, whole ones exactly.
func reckoned(l *locale.Locale, v float64) string {
	if v >= 1000 {
		v = math.Round(v)
	}
	return l.Number(v)
}

// quoteMoney is what a card costs by a quote in the currency of the pricing, with
// the mark of what was converted or shared out.
func quoteMoney(l *locale.Locale, q catalog.Quote) string {
	switch {
	case q.In.IsZero():
		return exactMoney(q.Each)
	case q.By == nil && q.How.IsZero():
		return exactMoney(q.In)
	}
	return aboutMoney(l, q.In)
}

// usesPrices reports whether an answer holds what follows from prices, which are
// current today and too old tomorrow.
func usesPrices(q catalog.Query) bool {
	return slices.ContainsFunc(q.Fields, (*catalog.Quantity).Priced) ||
		slices.ContainsFunc(q.Filters, func(f catalog.Filter) bool { return f.Quantity.Priced() }) ||
		slices.ContainsFunc(q.Sort, func(k catalog.SortKey) bool { return k.Quantity.Priced() })
}

// elsewhere is a query for readers of a language, whose usual currency may be another
// than that of the answer: numbers of an address keep their meaning.
func elsewhere(q catalog.Query, currency string, l *locale.Locale) catalog.Query {
	if usesPrices(q) {
		q.Pricing.Currency = currency
		if currency == usualCurrency(l) {
			q.Pricing.Currency = ""
		}
	}
	return q
}

// otherPath is the address of the same answer in the other language.
func otherPath(r *request, q catalog.Query, p catalog.Pricing) string {
	return r.address(r.loc.Other(), html, elsewhere(q, p.Currency, r.loc.Other()).Encode())
}

func usualCurrency(l *locale.Locale) string { return l.Pick("USD", "CNY") }

// priceChoices are the controls that choose how prices are reckoned. What is usual
// stays out of the address.
func priceChoices(l *locale.Locale, p catalog.Pricing) view.PriceChoices {
	option := func(value, label, chosen, usual string) view.Option {
		o := view.Option{Value: value, Label: label, Selected: value == chosen}
		if value == usual {
			o.Value = ""
		}
		return o
	}
	var out view.PriceChoices
	for _, c := range catalog.Currencies {
		out.Currencies = append(out.Currencies, option(c, c, p.Currency, usualCurrency(l)))
	}
	for _, k := range catalog.BuyKinds {
		out.Buy = append(out.Buy, option(string(k), l.T("pricekind."+string(k)), string(p.Buy), string(catalog.DefaultPricing.Buy)))
	}
	for _, k := range catalog.RentKinds {
		out.Rent = append(out.Rent, option(string(k), l.T("pricekind."+string(k)), string(p.Rent), string(catalog.DefaultPricing.Rent)))
	}
	return out
}
