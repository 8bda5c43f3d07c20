package display

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/ui"
)

// UnitIn is the unit of a quantity as a snapshot gives it: that of a price has the
// currency in which it converts.
func UnitIn(l *locale.Locale, s *catalog.Snapshot, q *catalog.Quantity) string {
	return strings.ReplaceAll(Unit(l, q), "¤", cmp.Or(s.Pricing().Currency, catalog.DefaultCurrency))
}

// signs are how people write currencies; ¥ is the yuan, as where amounts are read.
var signs = map[string]string{"USD": "$", "CNY": "¥", "EUR": "€", "GBP": "£", "JPY": "JP¥"}

// InCurrency puts the sign of a currency, or its code where it has none, before a number: "$3.06", "KRW 2 300 000".
func InCurrency(currency, number string) string {
	if sign, ok := signs[currency]; ok {
		return sign + number
	}
	return currency + "\u00a0" + number
}

// ExactMoney is an amount as it was stated: "$3.06", "¥2 300 000".
func ExactMoney(m catalog.Money) string {
	text := m.Decimal()
	if _, fraction, ok := strings.Cut(text, "."); ok {
		text += strings.Repeat("0", max(0, catalog.MinorDigits(m.Currency)-len(fraction)))
	}
	return InCurrency(m.Currency, locale.GroupDecimal(text))
}

// AboutMoney is an amount that was converted: "≈ ¥11 520".
func AboutMoney(l *locale.Locale, m catalog.Money) string {
	return "≈\u00a0" + InCurrency(m.Currency, RoundedMoney(l, m.Amount()))
}

// RoundedMoney writes a number of money: whole from a hundred on, with hundredths from one on, below with three
// significant digits, as rents and tokens are priced.
func RoundedMoney(l *locale.Locale, v float64) string {
	switch size := math.Abs(v); {
	case size >= 99.995:
		return l.Number(math.Round(v))
	case size >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return l.Number(Significant(v, 3))
}

// QuoteMoney is what a card costs by a quote in the currency of the pricing, with
// the mark of what was converted or shared out.
func QuoteMoney(l *locale.Locale, q catalog.Quote) string {
	switch {
	case q.In.IsZero():
		return ExactMoney(q.Each)
	case q.By == nil && q.How.IsZero():
		return ExactMoney(q.In)
	}
	return AboutMoney(l, q.In)
}

// UsesPrices reports whether an answer holds what follows from prices, which are
// current today and too old tomorrow.
func UsesPrices(q catalog.Query) bool {
	return slices.ContainsFunc(q.Fields, (*catalog.Quantity).Priced) ||
		slices.ContainsFunc(q.Filters, func(f catalog.Filter) bool { return f.Quantity.Priced() }) ||
		slices.ContainsFunc(q.Sort, func(k catalog.SortKey) bool { return k.Quantity.Priced() })
}

func UsualCurrency(l *locale.Locale) string { return l.Pick("USD", "CNY") }

// PriceChoices are the controls that choose how prices are converted. What is usual
// stays out of the address.
func PriceChoices(l *locale.Locale, p catalog.Pricing) ui.PriceChoices {
	option := func(value, label, chosen, usual string) ui.Option {
		o := ui.Option{Value: value, Label: label, Selected: value == chosen}
		if value == usual {
			o.Value = ""
		}
		return o
	}
	var out ui.PriceChoices
	for _, c := range catalog.Currencies {
		out.Currencies = append(out.Currencies, option(c, c, p.Currency, UsualCurrency(l)))
	}
	for _, k := range catalog.BuyKinds {
		out.Buy = append(out.Buy, option(string(k), l.T("pricekind."+string(k)), string(p.Buy),
			string(catalog.DefaultPricing.Buy)))
	}
	for _, k := range catalog.RentKinds {
		out.Rent = append(out.Rent, option(string(k), l.T("pricekind."+string(k)), string(p.Rent),
			string(catalog.DefaultPricing.Rent)))
	}
	return out
}
