package job

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/site"
)

// amounts are the parameters that are money. Where one of them stands without a currency it is in that of the
// language, which the form shows beside it.
var amounts = []string{"budget", "tariff", "buy_price", "rent_price"}

// UsualCurrency is the currency of an answer that nobody chose one for: of the place where cards are to be had, as
// long as no amount was given; otherwise of the language.
func UsualCurrency(l *locale.Locale, values url.Values) string {
	if !slices.ContainsFunc(amounts, func(name string) bool { return strings.TrimSpace(values.Get(name)) != "" }) {
		if region, err := language.ParseRegion(strings.TrimSpace(values.Get("destination"))); err == nil {
			if unit, ok := currency.FromRegion(region); ok && slices.Contains(catalog.Currencies, unit.String()) {
				return unit.String()
			}
		}
	}
	return display.UsualCurrency(l)
}

// Read reads parameters, in the usual currency where they name none, neither as a parameter nor by a sign. The API
// has a usual currency of its own: [catalog.DefaultCurrency].
func Read(
	r *site.Request,
	values url.Values,
	parse func(url.Values) (sizing.Request, []catalog.ParamError),
) (sizing.Request, []catalog.ParamError) {
	asked, errs := parse(values)
	usual := UsualCurrency(r.Loc, values)
	if strings.HasPrefix(r.URL.Path, "/api/") || usual == catalog.DefaultCurrency ||
		slices.Contains(asked.Given, "currency") || strings.TrimSpace(values.Get("currency")) != "" {
		return asked, errs
	}
	named := maps.Clone(values)
	named.Set("currency", usual)
	return parse(named)
}

// nameCurrency leaves a currency out of parameters that mean it anyway, and names any other.
func nameCurrency(l *locale.Locale, v url.Values, currency string) {
	if v.Del("currency"); currency != UsualCurrency(l, v) {
		v.Set("currency", currency)
	}
}

// Elsewhere are the parameters v, of an answer in a currency, for readers of the other language: amounts stay what they
// are, and so does a currency that was chosen; an answer in the usual one is in theirs.
func Elsewhere(l *locale.Locale, v url.Values, currency string) url.Values {
	out := maps.Clone(v)
	out.Del("currency")
	chosen := currency != UsualCurrency(l, out) ||
		slices.ContainsFunc(amounts, func(name string) bool { return out.Get(name) != "" })
	if chosen && currency != UsualCurrency(l.Other(), out) {
		out.Set("currency", currency)
	}
	return out
}
