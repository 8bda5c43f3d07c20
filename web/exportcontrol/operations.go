package exportcontrol

import (
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/site"
)

func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: getExportControlOp, Handle: h.apiExport}}
}

func (h *Handler) apiExport(st *site.State, r *site.Request) (site.Plan, error) {
	q, errs := h.Question(r.Values)
	id := strings.TrimSpace(r.Values.Get("card"))
	if id == "" {
		errs = append(errs, catalog.ParamError{Param: "card", Code: catalog.Missing})
	}
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	row, ok := st.Snap.Find(id)
	if !ok {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	pl, err := site.Body(r.URL.Path+"?card="+id+"&"+QuestionQuery(q), func() any { return api.Export(st.Snap, row, q) })
	pl.Dated = OfToday(r.Values)
	return pl, err
}

var getExportControlOp = api.Operation{
	ID: "get-export-control", Path: "/api/v1/export-control", Answer: api.ExportControl{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "Export control of a card", Zh: "一张卡的出口管制状态"},
	Description: catalog.Text{En: "What each rule in force says of a card for a destination on a day, with every " +
		"comparison, its inputs and their sources, and how the verdict changed over time. An engineer’s reading, not " +
		"legal advice. The matrix of all cards is /export-control.json.",
		Zh: "指定目的地与日期，各条有效规则对一张卡的判断，附每一步比较、所用数值与来源，以及结论的变化过程。仅为工程师的解读，并非法律意见。全部卡的矩阵见 /export-control.json。"},
	Params: []api.Param{
		{Name: "card", Type: "string", Required: true, Description: catalog.Text{En: "card id", Zh: "卡的 id"},
			Example: "nvidia-h100-sxm5-80gb"},
		{Name: "as_of", Type: "string", Default: "today", Description: catalog.Text{
			En: "rules, cards and figures of that day, YYYY-MM-DD; from tomorrow on it is the day of the rules alone",
			Zh: "该日的规则、卡与数值，YYYY-MM-DD；今天之后的日期仅指规则"}, Example: "2026-01-15"},
		{Name: "destination", Type: "string", Default: "CN", Description: catalog.Text{En: "country, ISO 3166-1 code",
			Zh: "国家或地区，ISO 3166-1 代码"}, Example: "CN"},
		{Name: "headquarters", Type: "string", Description: catalog.Text{En: "where the end user or its ultimate " +
			"parent has its headquarters, ISO 3166-1 code", Zh: "最终用户或其最终母公司总部所在地，ISO 3166-1 代码"}, Example: "CN"},
	},
	Examples: []string{"/api/v1/export-control?card=nvidia-h100-sxm5-80gb&as_of=2026-01-15&destination=CN"},
}
