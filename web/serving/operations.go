package serving

import (
	"net/url"
	"strconv"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/site"
)

// serveLimit is how many cards an answer holds when it names no limit.
const serveLimit = 20

// ownParams are the parameters of the API that the recommender does not have.
func ownParams() []api.Param {
	var out []api.Param
	for _, f := range fields {
		p := api.Param{Name: f.name, Type: "number", Default: f.standard,
			Description: catalog.Text{En: f.en + " " + bound(f.low) + " to " + bound(f.high) + ".",
				Zh: f.zh + bound(f.low) + " 至 " + bound(f.high) + "。"}}
		if f.whole {
			p.Type = "integer"
		}
		out = append(out, p)
	}
	return append(out, api.Param{Name: "chunked_prefill", Type: "string", Default: "yes", Enum: []string{"yes", "no"},
		Description: catalog.Text{En: "Prompts are read in chunks among the steps, or whole between them.",
			Zh: "提示分块与生成交错读入，或在两步之间整段读入。"}},
		api.Param{Name: "attention", Type: "string", Enum: attentions, Description: catalog.Text{
			En: "How the cards of a replica share attention: by heads (tensor), or each for requests of its own " +
				"(data), so that only the experts of a model that has some are shared and KV cache is kept once. " +
				"The better one when not given, where tensor would keep copies (MLA, or fewer KV heads than " +
				"cards) or the engine is " +
				"TensorRT-LLM.",
			Zh: "副本内各卡如何分担注意力：按头分担（tensor），或每张卡只处理自己的请求（data，仅分担专家模型的专家，KV 缓存只存一份）。" +
				"未给出时，若按头分担会重复存放 KV 缓存（MLA 或 KV 头少于卡数），或引擎为 TensorRT-LLM，则取较优者。"}},
		api.Param{Name: "interactive", Type: "string", Default: "yes", Enum: []string{"yes", "no"},
			Description: catalog.Text{
				En: "Whether users wait for the answers. Then targets that are not given are those of MLPerf " +
					"Inference for Llama 3.1 8B: ttft_ms=2000 (more for prompts of over 3,142 tokens), tpot_ms=100. " +
					"With no, and for a burst, nothing is promised that is not given, and cards are sorted by the " +
					"cost of a token.",
				Zh: "用户是否在等待回答。是则未给出的目标取 MLPerf Inference 对 Llama 3.1 8B 的要求：ttft_ms=2000（提示超过 3142 个 token 时放宽）、" +
					"tpot_ms=100。取 no 或为突发请求时，不设未给出的目标，并按每 token 费用排序。"}},
		api.Param{Name: "destination", Type: "string", Example: "CN", Description: catalog.Text{
			En: "Where the cards go (ISO 3166): those that need a licence are left out, with the verdict.",
			Zh: "卡的目的地（ISO 3166）：须许可的卡会被排除并给出结论。"}},
		api.Param{Name: "as_of", Type: "string", Description: catalog.Text{
			En: "Cards, prices and rules of that day, YYYY-MM-DD; estimates are by the method of now, with all " +
				"measured runs. With a destination, a day to come is one of the rules.",
			Zh: "该日的卡、价格与规则，YYYY-MM-DD；估算采用今天的方法与全部实测。给出目的地时，今天之后的日期仅指规则。"}})
}

// sharedParams are those of the recommender.
func sharedParams() []api.Param {
	nothing := &sizing.Estimator{Models: &sizing.Models{}, Formats: &sizing.Formats{}, Profiles: &sizing.Profiles{}}
	here := map[string]string{}
	for name, there := range fromSizing {
		here[there] = name
	}
	var out []api.Param
	for _, p := range nothing.Parameters(sizing.ForRecommend) {
		name := here[p.Name]
		if name == "" {
			continue
		}
		q := api.Param{Name: name, Default: p.Default, Many: p.Kind == sizing.List,
			Type:        map[sizing.Kind]string{sizing.Number: "number", sizing.Whole: "integer"}[p.Kind],
			Description: catalog.Text{En: p.Doc, Zh: sharedZh[name]}}
		if q.Type == "" {
			q.Type = "string"
		}
		if name == "segment" {
			q.Description.En = "Segments to consider. Without segment and card: datacenter, cloud and workstation."
		}
		if p.Kind == sizing.Choice {
			q.Enum = p.Allowed
		}
		out = append(out, q)
	}
	return out
}

var sharedZh = map[string]string{
	"model":    "模型：预设的 id 或名称、7B 之类的规模，或 config.json 的内容。必填。",
	"engine":   "推理引擎；未给出时按卡取常用者。",
	"weights":  "权重格式；未给出时为发布格式或 16 位。",
	"kv_cache": "KV 缓存的格式；未给出时为 16 位。",
	"currency": "金额的币种（ISO 4217）。", "acquire": "购买或租用；未给出时取较便宜者。",
	"buy_price": "您得到的单卡报价。", "rent_price": "您得到的单卡每小时租金。", "tariff": "电价；未给出时取购买地（未选则取币种所在地）的平均电价（已收录美国、中国、欧盟），0 " +
		"表示不计电费。",
	"pue": "电能利用效率。", "years": "折旧年限。", "residual": "期满残值比例。", "utilisation": "实际工作时间比例。",
	"vendor": "要考虑的厂商。", "segment": "要考虑的用途；segment 与 card 都未给出时为 datacenter、cloud、workstation。",
	"card": "要考虑的卡的 id 或名称。",
}

var serveOp = api.Operation{
	ID: "serve", Path: "/api/v1/serve", Answer: api.ServeAnswer{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "Cards that serve a model to so many users", Zh: "为推理服务选卡"},
	Description: catalog.Text{
		En: "How many of which cards serve a language model under a load while users get what they were promised " +
			"(TTFT, TPOT), with the cost of an hour and of a million tokens, ranked; and why the other cards cannot. " +
			"Values are expected ones; /api/v1/serve/plan has their intervals. At most 2000 cards are looked at.",
		Zh: "在给定负载下满足 TTFT、TPOT 目标所需的卡与数量，附每小时与每百万 token 费用并排序；其余的卡说明原因。数值为期望值，区间见 /api/v1/serve/plan。至多查看 2000 款卡。",
	},
	Params: append(append(sharedParams(), ownParams()...),
		api.Param{Name: "sort", Type: "string", Enum: sorts, Description: catalog.Text{
			En: "By the cost of an hour, of a million output tokens, the number of cards, or the time for a token. " +
				"When not given: cost, or million where nobody waits for the answers.",
			Zh: "按每小时费用、每百万输出 token 费用、卡数或 TPOT 排序。未给出时为 cost；无人等待回答时为 million。"}},
		api.Param{Name: "page", Type: "integer", Default: "1", Description: catalog.Text{
			En: "Of the page that shows the same; the API answers with limit.", Zh: "对应网页的页码；API 以 limit 为准。"}},
		api.Param{Name: "limit", Type: "integer", Default: "20", Example: "5", Description: catalog.Text{
			En: "1 to 1000 cards that can, and as many that cannot.", Zh: "1 至 1000 款可行的卡，以及同样多不可行的卡。"}}),
	Examples: []string{"/api/v1/serve?model=llama-3.1-8b&rate_rps=10&prompt=1000&output=250&ttft_ms=1000&limit=2"},
}

var servePlanOp = api.Operation{
	ID: "serve-plan", Path: "/api/v1/serve/plan", Answer: api.ServePlan{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "The plan of a service on one card", Zh: "单款卡的推理服务方案"},
	Description: catalog.Text{
		En: "How one card serves a load: the capacity of a replica and what limits it, replicas, memory, TTFT and " +
			"TPOT with their 90 % intervals, costs, options of the engine with what each changes, and the commands " +
			"that start it.",
		Zh: "单款卡如何承载负载：单副本容量与瓶颈、副本数、显存构成、TTFT 与 TPOT 及其 90% 区间、费用、引擎各选项的影响，以及启动命令。",
	},
	Params:   required(append(sharedParams(), ownParams()...)),
	Examples: []string{"/api/v1/serve/plan?card=nvidia-h100-sxm5-80gb&model=llama-3.1-8b&concurrency=64"},
}

// required makes the card needed, and one.
func required(list []api.Param) []api.Param {
	for i := range list {
		if list[i].Name == "card" {
			list[i].Required, list[i].Many = true, false
			list[i].Description = catalog.Text{En: "Id or name of the card. Needed.", Zh: "卡的 id 或名称，必填。"}
		}
	}
	return list
}

// questionOf reads the address of a request, with the permit of its destination.
func (h *Handler) questionOf(st *site.State, r *site.Request, a *sizing.Estimator, usual usualCurrency,
	ranks bool, without ...string) (question, []catalog.ParamError) {
	q, errs := read(a, site.WithoutParams(r.Values, without...), usual, ranks)
	permit, place, bad := h.exportcontrol.Permits(st, q.destination, q.asOf)
	q.permit, q.destination, q.today = permit, place, catalog.Date(h.site.Today())
	return q, append(errs, bad...)
}

// ofPrograms is the usual currency of the API.
func ofPrograms(url.Values) string { return catalog.DefaultCurrency }

func (h *Handler) apiServe(st *site.State, r *site.Request) (site.Plan, error) {
	return h.serveJSON(st, r, ofPrograms)
}

// serveJSON answers with a ranking, for the API and for the page's twin.
func (h *Handler) serveJSON(st *site.State, r *site.Request, usual usualCurrency) (site.Plan, error) {
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	limit, bad := site.LimitOf(r.Values, serveLimit)
	q, errs := h.questionOf(st, r, a, usual, true, "limit")
	if errs = append(errs, bad...); len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	key := r.URL.Path + "?" + q.encode(a, usual).Encode() + "&limit=" + strconv.Itoa(limit)
	return site.Plan{Key: key, Dated: true, Render: func() (site.Answer, error) {
		q.stopped = site.Stopped(r)
		found, errs := rank(a, &q)
		if len(errs) > 0 {
			return site.Answer{}, api.BadParams(errs)
		}
		request := q.completed(a)
		return site.JSONAnswer(found.answer(api.Serve(st.Snap, api.ServeAsked(&request, q.destination)), &q, limit))
	}}, nil
}

func (h *Handler) apiPlan(st *site.State, r *site.Request) (site.Plan, error) {
	a, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	q, errs := h.questionOf(st, r, a, ofPrograms, false)
	switch n := len(q.sizing.Cards); {
	case len(errs) > 0:
	case n == 0:
		errs = append(errs, catalog.ParamError{Param: "card", Code: catalog.Missing})
	case n > 1:
		errs = append(errs, catalog.ParamError{Param: "card", Code: catalog.TooMany, Allowed: "1"})
	}
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	return h.planJSON(st, r.URL.Path, a, &q, a.Card(q.sizing.Cards[0]), ofPrograms)
}
