package cards

import (
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: listCardsOp, Handle: h.apiCards}, {Operation: getCardOp, Handle: h.apiCard}}
}

func (h *Handler) apiCards(st *site.State, r *site.Request) (site.Plan, error) {
	q, errs := st.Snap.ParseQuery(r.Values)
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	prices, chosen := h.site.ResolvePricing(r.Loc, q.Pricing)
	q.Pricing = chosen
	snap := st.Snap.Priced(prices)
	return site.Plan{Key: r.URL.Path + "?" + q.Encode(), Dated: display.UsesPrices(q),
		Render: func() (site.Answer, error) {
			return cardsJSON(st, snap, q, func(query string) string { return r.URL.Path + "?" + query }), nil
		}}, nil
}

// cardsJSON is a page of the list of cards with all figures but prices, unless the query
// names its fields. The following page is at an address with the query given to it.
func cardsJSON(st *site.State, snap *catalog.Snapshot, q catalog.Query, at func(query string) string) site.Answer {
	res := snap.Select(&q, api.DefaultLimit)
	next := ""
	if res.Next != "" {
		n := q
		n.Cursor, n.Page = res.Next, 0
		next = at(n.Encode())
	}
	a := site.Answer{ContentType: "application/json", Link: site.NextLink(next), Buffer: site.NewBuffer()}
	a.Body, a.Sum = st.Items.List((*a.Buffer)[:0], snap, res, q.Fields, next)
	*a.Buffer = a.Body
	return a
}

func (h *Handler) apiCard(st *site.State, r *site.Request) (site.Plan, error) {
	id := strings.TrimPrefix(r.URL.Path, "/api/v1/cards/")
	row, ok := st.Snap.Find(id)
	if !ok {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	return site.Plan{Key: r.URL.Path, Render: h.detail(st, r, row), Dated: true, // the freshness of prices
		Least: st.Snap.PriceCountOf(row) * leastPrice}, nil
}

// leastPrice is less than a price takes in the JSON of a card, in bytes.
const leastPrice = 120

// detail answers with everything known of a card.
func (h *Handler) detail(st *site.State, r *site.Request, row int) func() (site.Answer, error) {
	return func() (site.Answer, error) {
		d, err := api.Detail(st.Snap, row, h.site.UsualPricing(r.Loc))
		if err != nil {
			return site.Answer{}, err
		}
		return site.JSONAnswer(d)
	}
}

var filterSyntax = catalog.Text{
	En: "Filters: any id of /api/v1/metrics is a parameter. Numbers and dates take 24..80, 24.., ..80, 80, >=300, " +
		"<300, and lists of these; texts take values and lists of them; !x excludes, any and none test whether a " +
		"value is known. Filters on different quantities are combined with and.",
	Zh: "筛选：/api/v1/metrics 中的任意 id 都可作为参数。数值与日期可写 24..80、24..、..80、80、>=300、<300 或用逗号列出多个；文本可写一个或多个取值；!x 表示排除，any 与 " +
		"none 分别表示有值与无值。不同指标的筛选同时生效。",
}

var listCardsOp = api.Operation{
	ID: "list-cards", Path: "/api/v1/cards", Filters: true, Answer: api.CardList{}, Errors: []int{400},
	Summary: catalog.Text{En: "List cards", Zh: "列出加速卡"}, Description: filterSyntax,
	Params: append([]api.Param{
		{Name: "q", Type: "string", Description: catalog.Text{En: "words that must all occur in a card’s names, " +
			"aliases, architecture or chip", Zh: "须全部出现在名称、别名、架构或芯片代号中的词"}, Example: "4090"},
		{Name: "sort", Type: "string", Default: "-bf16_matrix_dense_tflops",
			Description: catalog.Text{En: "up to four ids, comma-separated, - for descending; cards without a value " +
				"come last either way", Zh: "至多四个 id，以逗号分隔，- 表示降序；无值者始终排在最后"}, Example: "-memory_bandwidth_gb_s,name"},
		{Name: "fields", Type: "string", Default: "all but prices",
			Description: catalog.Text{En: "ids of the figures and attributes to return, comma-separated; those of " +
				"the group price only when named", Zh: "要返回的指标与属性 id，以逗号分隔；price 组指标须明确列出"},
			Example: "memory_gb,tdp_w"},
		{Name: "basis", Type: "string", Default: catalog.DefaultBasis,
			Description: catalog.Text{En: "compute rate of the default order", Zh: "默认排序所依据的算力口径"}},
		{Name: "limit", Type: "integer", Default: "100", Description: catalog.Text{En: "1 to 1000 cards",
			Zh: "1 至 1000 张"}, Example: "20"},
		{Name: "cursor", Type: "string", Description: catalog.Text{En: "opaque; taken from next of the page before",
			Zh: "不透明值，取自上一页的 next"}},
		{Name: "page", Type: "integer", Default: "1", Description: catalog.Text{En: "number of the page, as an " +
			"alternative to cursor", Zh: "页码，可代替 cursor"}},
	}, api.PricingParams...),
	Examples: []string{
		"/api/v1/cards?memory_gb=24..80&sort=-memory_bandwidth_gb_s&fields=memory_gb,memory_bandwidth_gb_s&limit=2",
		"/api/v1/cards?vendor=NVIDIA&segment=datacenter&bf16_matrix_dense_tflops=%3E%3D300&limit=1"},
}

var getCardOp = api.Operation{
	ID: "get-card", Path: "/api/v1/cards/{id}", Answer: api.CardDetail{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "Everything known of one card", Zh: "一张卡的全部已知信息"},
	Description: catalog.Text{En: "Each figure with its unit, source, dataset and date, and what other sources say.",
		Zh: "每个数值均附单位、来源、数据集与日期，并列出其他来源的说法。"},
	Params: []api.Param{{Name: "id", In: "path", Type: "string", Required: true,
		Description: catalog.Text{En: "card id", Zh: "卡的 id"}, Example: "nvidia-h100-sxm5-80gb"}},
	Examples: []string{"/api/v1/cards/nvidia-h100-sxm5-80gb"},
}
