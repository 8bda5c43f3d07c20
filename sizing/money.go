package sizing

import (
	"slices"

	"tianti/catalog"
)

// currencies are those that costs may be asked for in, after the usual ones.
var currencies = []string{
	"AED", "AUD", "BRL", "CAD", "CHF", "CZK", "DKK", "HKD", "IDR", "ILS", "INR", "KRW", "MXN", "MYR", "NOK",
	"NZD", "PHP", "PLN",
	"RUB", "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "VND", "ZAR",
}

func currencyNames() []string { return slices.Concat(catalog.Currencies, currencies) }
