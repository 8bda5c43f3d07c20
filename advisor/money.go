package advisor

import (
	"math"
	"slices"
)

// decimals are the digits of the minor unit of currencies (ISO 4217).
var decimals = map[string]int{
	"USD": 2, "CNY": 2, "EUR": 2, "GBP": 2, "JPY": 0, "KRW": 0, "TWD": 2, "HKD": 2, "INR": 2, "SGD": 2, "AUD": 2, "CAD": 2, "CHF": 2,
	"SEK": 2, "NOK": 2, "DKK": 2, "PLN": 2, "CZK": 2, "BRL": 2, "MXN": 2, "RUB": 2, "TRY": 2, "ILS": 2, "AED": 2, "SAR": 2, "THB": 2,
	"VND": 0, "MYR": 2, "IDR": 2, "PHP": 2, "NZD": 2, "ZAR": 2,
}

// firstCurrencies come first in menus.
var firstCurrencies = []string{"USD", "CNY", "EUR", "GBP", "JPY"}

func currencyNames() []string {
	rest := make([]string, 0, len(decimals))
	for c := range decimals {
		if !slices.Contains(firstCurrencies, c) {
			rest = append(rest, c)
		}
	}
	slices.Sort(rest)
	return append(slices.Clone(firstCurrencies), rest...)
}

// MoneyOf is an amount in the major unit, rounded to the minor.
func MoneyOf(amount float64, currency string) Money {
	return Money{int64(math.Round(amount * math.Pow10(decimals[currency]))), currency}
}

// Amount is the amount in the major unit.
func (m Money) Amount() float64 { return float64(m.Minor) / math.Pow10(decimals[m.Currency]) }
