package prices

import (
	"slices"

	"tianti/catalog"
	"tianti/web/api"
)

var freshnessNote = catalog.Text{
	En: " A price is fresh for 30 days and current for 90, a spot price for 7 and 30; after that it is stale and " +
		"never the best. A launch price does not age. Conversion is at the rate of the price’s own date.",
	Zh: "价格 30 天内为新，90 天内有效，竞价为 7 天与 30 天；此后视为过期，不计入最优。首发价不过期。换算采用价格当日的汇率。",
}

func priceParams(kinds []catalog.PriceKind) []api.Param {
	return []api.Param{
		{Name: "card", Type: "string", Description: catalog.Text{En: "card id; all cards when not given",
			Zh: "卡的 id；不给则为全部"}, Example: "nvidia-h100-sxm5-80gb"},
		{Name: "kind", Type: "string", Default: "all", Enum: api.KindNames(kinds),
			Description: catalog.Text{En: "kind of price, or several, comma-separated", Zh: "价格种类，多个以逗号分隔"},
			Example:     string(kinds[0])},
		{Name: "seller", Type: "string", Description: catalog.Text{En: "who asks the price, or several, " +
			"comma-separated", Zh: "报价方，多个以逗号分隔"}, Example: "AWS"},
		{Name: "region", Type: "string", Description: catalog.Text{En: "region as the provider names it, or a " +
			"country’s ISO 3166-1 code, or several", Zh: "服务商的地域名或 ISO 3166-1 国家代码，可多个"}, Example: "us-east-1"},
		{Name: "from", Type: "string", Description: catalog.Text{En: "day from which on", Zh: "起始日期"},
			Example: "2026-01-01"},
		{Name: "to", Type: "string", Description: catalog.Text{En: "day up to which", Zh: "截止日期"},
			Example: "2026-06-30"},
		{Name: "currency", Type: "string", Default: catalog.DefaultCurrency, Enum: catalog.Currencies,
			Description: catalog.Text{En: "of converted", Zh: "converted 所用的币种"}, Example: "CNY"},
		{Name: "limit", Type: "integer", Default: "100", Description: catalog.Text{En: "1 to 1000 observations",
			Zh: "1 至 1000 条"}, Example: "20"},
		{Name: "cursor", Type: "string", Description: catalog.Text{En: "opaque; taken from next of the page before",
			Zh: "不透明值，取自上一页的 next"}},
	}
}

var listPricesOp = api.Operation{
	ID: "list-prices", Path: "/api/v1/prices", Answer: api.PriceList{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "Dated prices", Zh: "带日期的价格"},
	Description: catalog.Text{En: "Every observation of a price, to buy and to rent: the exact amount in its own " +
		"currency, what it is for, the share of one card and how it was derived, seller, region, date and source." +
		freshnessNote.En,
		Zh: "全部购买与租用价格：原币种的精确金额、计价单位、单卡折算及其算法、报价方、地域、日期与来源。" + freshnessNote.Zh},
	Params:   priceParams(catalog.PriceKinds()),
	Examples: []string{"/api/v1/prices?card=nvidia-h100-sxm5-80gb&currency=CNY&limit=2"},
}

var listOffersOp = api.Operation{
	ID: "list-offers", Path: "/api/v1/offers", Answer: api.PriceList{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "Dated offers to rent", Zh: "带日期的租用报价"},
	Description: catalog.Text{En: "The prices for which cards can be rented: on demand, spot, reserved, whole " +
		"servers by the month." + freshnessNote.En, Zh: "租用价格：按需、竞价、包年包月、整机月租。" + freshnessNote.Zh},
	Params: append(priceParams(catalog.ByHour()), api.Param{Name: oldSeller, Type: "string", Deprecated: true,
		Description: catalog.Text{En: "what seller was called before", Zh: "seller 的旧名"}}),
	Examples: []string{"/api/v1/offers?card=nvidia-h100-sxm5-80gb&kind=on_demand&limit=2"},
}

// streamedParams are those of answers without pages.
func streamedParams() []api.Param {
	return slices.DeleteFunc(priceParams(catalog.PriceKinds()), func(p api.Param) bool {
		return p.Name == "limit" || p.Name == "cursor"
	})
}

var streamedNote = catalog.Text{
	En: " By card, each in the order in which its prices came; written as it is read, so that a history of any " +
		"length can be fetched. An answer that breaks off ends without its last chunk.",
	Zh: "按卡排列，卡内按录入顺序；边读边写，历史再长也可取回。中断的回答缺少末尾分块。",
}

var pricesLinesOp = api.Operation{
	ID: "stream-prices", Path: "/api/v1/prices.jsonl", Media: "application/x-ndjson", Errors: []int{400, 404, 503},
	Summary: catalog.Text{En: "All dated prices, a line each", Zh: "全部价格，每行一条"},
	Description: catalog.Text{En: "Every observation that matches, without pages: a JSON object a line, as in items " +
		"of /api/v1/prices with the sources that it names." + streamedNote.En,
		Zh: "不分页，给出全部符合的价格：每行一个 JSON 对象，同 /api/v1/prices 的 items，并附其来源。" + streamedNote.Zh},
	Params:   streamedParams(),
	Examples: []string{"/api/v1/prices.jsonl?kind=on_demand&from=2026-01-01&to=2026-06-30"},
}

var pricesCSVOp = api.Operation{
	ID: "download-prices", Path: "/api/v1/prices.csv", Media: "text/csv", Errors: []int{400, 404, 503},
	Summary: catalog.Text{En: "All dated prices as CSV", Zh: "全部价格，CSV"},
	Description: catalog.Text{En: "The same as a table, in the columns of /prices/{id}.csv." + streamedNote.En,
		Zh: "同上，为表格，列同 /prices/{id}.csv。" + streamedNote.Zh},
	Params:   streamedParams(),
	Examples: []string{"/api/v1/prices.csv?card=nvidia-h100-sxm5-80gb&from=2025-01-01"},
}
