package format

import (
	"fmt"
	"strconv"
	"strings"

	"tianti/catalog"
)

// A Field is what a column of a generic table may hold.
type Field struct {
	ID    string // as in Options.Columns
	Label catalog.Text
	About catalog.Text // what is read from the cell
	Unit  string       // of a quantity; a factor after the field turns other units into it
}

func bilingual(en, zh string) catalog.Text { return catalog.Text{En: en, Zh: zh} }

// fieldsOfPrice are the fields beside the quantities of the catalogue.
var fieldsOfPrice = []Field{
	{ID: "card", Label: bilingual("Card", "卡"),
		About: bilingual("name, id or PCI id of the card; every table needs it", "卡的名称、ID 或 PCI ID；每张表都须有此列")},
	{ID: "also", Label: bilingual("Other name", "别名"),
		About: bilingual("another name of the same card", "同一张卡的另一名称")},
	{ID: "vendor", Label: bilingual("Vendor", "厂商"),
		About: bilingual("maker of the card, as the catalogue calls it", "卡的厂商，写法与目录一致")},
	{ID: "card_kind", Label: bilingual("Type of card", "卡的类型"),
		About: bilingual("one of "+strings.Join(catalog.CardKinds, ", "), "取值为 "+strings.Join(catalog.CardKinds,
			"、"))},
	{ID: "segment", Label: bilingual("Market", "市场"),
		About: bilingual("one of "+strings.Join(catalog.Segments, ", "), "取值为 "+
			strings.Join(catalog.Segments, "、"))},
	{ID: "amount", Label: bilingual("Price", "价格"),
		About: bilingual("the amount, with or without the sign of its currency", "金额，可带货币符号")},
	{ID: "currency", Label: bilingual("Currency", "币种"),
		About: bilingual("ISO code of the amount’s currency, such as USD", "金额币种的 ISO 代码，如 USD")},
	{ID: "kind", Label: bilingual("Kind of price", "价格种类"),
		About: bilingual("one of "+priceKindList(", "), "取值为 "+priceKindList("、"))},
	{ID: "unit", Label: bilingual("Price is for", "计价单位"),
		About: bilingual("card, node, hour or month", "card、node、hour 或 month")},
	{ID: "cards", Label: bilingual("Cards in the price", "价格对应卡数"),
		About: bilingual("how many cards the amount is for; 1 without it", "金额对应的卡数；缺省为 1")},
	{ID: "term", Label: bilingual("Term in months", "租期（月）"),
		About: bilingual("months of a reservation", "约定租期的月数")},
	{ID: "seller", Label: bilingual("Seller", "报价方"),
		About: bilingual("shop, marketplace or provider", "商店、交易平台或云服务商")},
	{ID: "region", Label: bilingual("Region", "地域"),
		About: bilingual("the provider’s region, or a country", "云服务商的地域，或国家")},
	{ID: "instance", Label: bilingual("Offer", "报价名称"),
		About: bilingual("the offer’s own name, such as that of an instance or board", "报价本身的名称，如实例名或板卡名")},
	{ID: "date", Label: bilingual("Date", "日期"),
		About: bilingual("the day or month of the price", "价格对应的日期或月份")},
	{ID: "tax", Label: bilingual("Tax", "税"),
		About: bilingual("included or excluded", "included（含税）或 excluded（不含税）")},
}

func priceKindList(between string) string {
	var names []string
	for _, k := range catalog.PriceKinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, between)
}

// Fields are what the columns of a generic table may hold: what makes a price, and every quantity that is stored.
func Fields() []Field {
	out := append([]Field(nil), fieldsOfPrice...)
	for _, q := range catalog.Quantities() {
		if q.Stored() {
			out = append(out, Field{ID: q.ID, Label: q.Label, About: q.Definition, Unit: q.Unit})
		}
	}
	return out
}

// usualNames are other names of columns that mean a field and nothing else.
var usualNames = map[string]string{
	"gpu": "card", "gpu name": "card", "gpu model": "card", "accelerator": "card", "accelerator name": "card",
	"model": "card", "name": "card", "card name": "card", "graphics card": "card", "product": "card",
	"型号": "card", "显卡": "card", "加速卡": "card", "显卡型号": "card", "名称": "card", "manufacturer": "vendor",
	"maker": "vendor", "品牌": "vendor",
	"listed price": "amount", "price": "amount", "unit price": "amount", "单价": "amount", "售价": "amount", "金额": "amount",
	"报价": "amount",
	"币种": "currency", "price kind": "kind", "price type": "kind",
	"gpu count": "cards", "gpus": "cards", "count": "cards", "accelerator count": "cards", "卡数": "cards", "数量": "cards",
	"term months": "term", "months": "term",
	"storefront": "seller", "provider": "seller", "cloud": "seller", "shop": "seller", "store": "seller",
	"marketplace": "seller",
	"商家":          "seller", "店铺": "seller", "商店": "seller", "卖方": "seller", "渠道": "seller", "平台": "seller",
	"云服务商":     "seller",
	"location": "region", "zone": "region", "地区": "region", "instance type": "instance", "instance name": "instance",
	"offer": "instance", "实例": "instance",
	"checked date": "date", "day": "date", "per": "unit", "as of": "date", "observed": "date", "时间": "date",
	"vram": "memory_gb", "vram gb": "memory_gb",
	"memory gb": "memory_gb", "gpu memory": "memory_gb", "显存 GB": "memory_gb", "tdp": "tdp_w",
}

// SuggestColumns says what the columns of a table hold, as far as their names say so exactly: by a field's id, by its
// label in either language, with its unit or not, or by a usual name; that of a price may end with its currency. A
// field is suggested for the first column that bears its name.
func SuggestColumns(columns []string) map[string]string {
	known := map[string]string{}
	for name, id := range usualNames {
		known[columnKey(name)] = id
	}
	for _, f := range Fields() {
		for _, name := range []string{f.ID, f.Label.En, f.Label.Zh} {
			known[columnKey(name)] = f.ID
			if f.Unit != "" {
				known[columnKey(name+" ("+f.Unit+")")] = f.ID
			}
		}
	}
	out, taken := map[string]string{}, map[string]bool{}
	for _, c := range columns {
		if id := known[columnKey(c)]; id != "" && !taken[id] {
			out[c], taken[id] = id, true
		}
	}
	for _, c := range columns {
		if name, currency := cutCurrency(c); currency != "" && !taken["amount"] && known[columnKey(name)] == "amount" {
			out[c], taken["amount"] = "amount", true
		}
	}
	return out
}

// cutCurrency cuts the currency off the name of a column: "Price (USD)", "价格（元）". currency is empty where the name has
// none, or one of several: "¥".
func cutCurrency(column string) (name, currency string) {
	text := strings.TrimRight(column, " )）]")
	at := strings.LastIndexAny(text, " (（[_/")
	if at < 0 {
		return column, ""
	}
	name = strings.TrimRight(text[:at], " (（[_/")
	word := strings.ToUpper(strings.TrimLeft(text[at:], " (（[_/"))
	if isCode(word) && catalog.KnownCurrency(word) {
		return name, word
	}
	for _, s := range signs {
		if s.sign == word && s.may[0] != "" {
			return name, s.may[0]
		}
	}
	return column, ""
}

// A target is the field that a column is mapped to.
type target struct {
	column   int
	field    string
	quantity *catalog.Quantity // of a field that is one
	factor   float64           // what its numbers are multiplied by
}

// parseTarget reads "memory_gb" or, for other units, "memory_gb*0.001".
func parseTarget(text string) (target, error) {
	id, factor, scaled := strings.Cut(strings.ReplaceAll(text, "×", "*"), "*")
	t := target{field: strings.TrimSpace(id), factor: 1}
	for _, f := range fieldsOfPrice {
		if f.ID == t.field {
			if scaled {
				return t, fmt.Errorf("%s is no quantity and takes no factor", t.field)
			}
			return t, nil
		}
	}
	q, ok := catalog.LookupQuantity(t.field)
	if !ok || !q.Stored() {
		return t, fmt.Errorf("%q is no field; want one of those listed, or a quantity of the catalogue", clip(text))
	}
	t.quantity = q
	if !scaled {
		return t, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(factor), 64)
	if err != nil || v <= 0 || v > 1e18 || q.Kind != catalog.Number {
		return t, fmt.Errorf("%q: want a number, greater than 0, to multiply the values of a numeric quantity by",
			clip(text))
	}
	t.factor = v
	return t, nil
}
