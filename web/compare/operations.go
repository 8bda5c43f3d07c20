package compare

import (
	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/site"
)

func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: compareCardsOp, Handle: h.apiCompare}}
}

func (h *Handler) apiCompare(st *site.State, r *site.Request) (site.Plan, error) {
	c, err := h.comparison(st, r)
	switch {
	case err != nil:
		return site.Plan{}, err
	case r.Values.Has("precision"): // of drawings
		return site.Plan{}, r.WithoutParam("card").
			Only(append([]string{"card", "baseline", "rows", "destination"}, catalog.PricingParams...)...)
	case len(c.Unknown) > 0:
		return site.Plan{}, api.UnknownCard(st.Snap, c.Unknown[0])
	case len(c.Rows) < 2:
		return site.Plan{}, tooFewCards()
	}
	pl, err := site.Body(r.URL.Path+"?"+c.encode(), func() any { return c.contract(h.factsOf(st, &c)) })
	pl.Dated = true // the freshness of prices
	return pl, err
}

var compareCardsOp = api.Operation{
	ID: "compare-cards", Path: "/api/v1/compare", Answer: api.Comparison{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "Compare cards", Zh: "对比多张卡"},
	Description: catalog.Text{
		En: "Findings first: sentences compare the card that leads with the baseline (or the baseline with the best " +
			"of the others), each with its numbers, interval and source. “more” and “less” are said only where the " +
			"90 % interval of the ratio does not hold 1, and of prices only within a month. Then what fits on one " +
			"card, prices of today, export, and rows by metric; ratios are to the baseline. A row never mixes " +
			"compute bases; where cards state a rate on different bases only, other_bases says so and nothing is " +
			"best. A price that is too old is never the best.",
		Zh: "先给结论：每句把领先的卡与基准卡（或基准卡与其余最佳者）相比，附数值、区间与来源。只有比值的 90 % 区间不含 1 时才说 more 或 " +
			"less，价格只在同一个月内比较。然后是单卡装得下什么、当前价格、出口许可，以及按指标逐行的数值；比值以基准卡为准。同一行不会混用不同算力口径；若各卡只给出不同口径，other_bases " +
			"会注明，且不评最佳。过期价格不会成为最佳。",
	},
	Params: append([]api.Param{
		{
			Name:        "card",
			Type:        "string",
			Required:    true,
			Many:        true,
			Description: catalog.Text{En: "2 to 8 card ids, one parameter each", Zh: "2 至 8 个卡 id，每个一个参数"},
			Example:     "nvidia-h20-sxm5-96gb",
		},
		{
			Name:        "baseline",
			Type:        "string",
			Default:     "the first card",
			Description: catalog.Text{En: "id of the card that ratios are to", Zh: "比值所依据的卡的 id，须为其中一张"},
			Example:     "nvidia-h20-sxm5-96gb",
		},
		{
			Name:        "rows",
			Type:        "string",
			Default:     "all",
			Enum:        []string{"all", "differences"},
			Description: catalog.Text{En: "every metric, or those that differ", Zh: "全部指标，或仅有差异的指标"},
		},
		{
			Name:    "destination",
			Type:    "string",
			Default: usualDestination,
			Description: catalog.Text{
				En: "country of the question of export, ISO 3166-1 code",
				Zh: "出口管制所问的国家或地区，ISO 3166-1 代码",
			},
			Example: "CN",
		},
	}, api.PricingParams...),
	Examples: []string{"/api/v1/compare?card=nvidia-h20-sxm5-96gb&card=nvidia-h100-sxm5-80gb"},
}
