package api

import "tianti/catalog"

// PricingParams choose how prices are converted.
var PricingParams = []Param{
	{Name: "currency", Type: "string", Default: catalog.DefaultCurrency, Enum: catalog.Currencies,
		Description: catalog.Text{En: "in which quantities of the group price are reckoned, also in filters; ¤ in " +
			"their units", Zh: "price 组指标所用的币种，也用于筛选；单位中以 ¤ 表示"}, Example: "CNY"},
	{Name: "buy", Type: "string", Default: string(catalog.LaunchPrice), Enum: KindNames(catalog.BuyKinds),
		Description: catalog.Text{En: "kind of price behind buy_price and what follows from it",
			Zh: "buy_price 及其派生指标所依据的价格种类"}},
	{Name: "rent", Type: "string", Default: string(catalog.OnDemand), Enum: KindNames(catalog.RentKinds),
		Description: catalog.Text{En: "kind of price behind rent_price and what follows from it",
			Zh: "rent_price 及其派生指标所依据的价格种类"}},
}

// KindNames lists the kinds of prices as values of a parameter.
func KindNames(kinds []catalog.PriceKind) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = string(k)
	}
	return out
}
