package site

import (
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/display"
)

// UsualPricing is how prices are converted where an address does not choose: in the
// language's currency, as of today.
func (s *Site) UsualPricing(l *locale.Locale) catalog.Pricing {
	return catalog.Pricing{
		Currency: display.UsualCurrency(l),
		Today:    catalog.Date(s.Today()),
	}.Or(
		catalog.DefaultPricing,
	)
}

// Pricing reads the parameters of r that choose how prices are converted. chosen is
// what differs from the usual.
func (s *Site) Pricing(r *Request) (all, chosen catalog.Pricing, errs []catalog.ParamError) {
	for _, param := range catalog.PricingParams {
		v := strings.TrimSpace(r.Values.Get(param))
		if v == "" {
			continue
		}
		if err := chosen.Set(param, v); err != nil {
			errs = append(errs, *err)
		}
	}
	all, chosen = s.ResolvePricing(r.Loc, chosen)
	return all, chosen, errs
}

// ResolvePricing completes a choice, and takes out of it what is usual anyway, so that one
// answer has one address.
func (s *Site) ResolvePricing(l *locale.Locale, chosen catalog.Pricing) (all, rest catalog.Pricing) {
	usual := s.UsualPricing(l)
	all = chosen.Or(usual)
	for _, f := range []struct {
		field *string
		usual string
	}{{&chosen.Currency, usual.Currency}, {(*string)(&chosen.Buy), string(usual.Buy)},
		{(*string)(&chosen.Rent), string(usual.Rent)}} {
		if *f.field == f.usual {
			*f.field = ""
		}
	}
	return all, chosen
}

// Elsewhere is a query for readers of a language, whose usual currency may be another
// than that of the answer: numbers of an address keep their meaning.
func Elsewhere(q catalog.Query, currency string, l *locale.Locale) catalog.Query {
	if display.UsesPrices(q) {
		q.Pricing.Currency = currency
		if currency == display.UsualCurrency(l) {
			q.Pricing.Currency = ""
		}
	}
	return q
}

// OtherPath is the address of the same answer in the other language.
func OtherPath(r *Request, q catalog.Query, p catalog.Pricing) string {
	return r.Address(r.Loc.Other(), HTML, Elsewhere(q, p.Currency, r.Loc.Other()).Encode())
}
