package reference

import (
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/site"
)

func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: listMetricsOp, Handle: h.apiMetrics},
		{Operation: listSourcesOp, Handle: apiSources},
		{Operation: listArchitecturesOp, Handle: apiArchitectures}, {Operation: getPeakOp, Handle: apiPeak}}
}

func apiArchitectures(st *site.State, r *site.Request) (site.Plan, error) {
	chosen, query, err := chooseGenerations(st.Snap, r.Values)
	if err != nil {
		return site.Plan{}, err
	}
	return site.Body(r.URL.Path+"?"+query, func() any { return api.Architectures(st.Snap, chosen) })
}

// apiMetrics counts the cards with a price by the usual pricing.
func (h *Handler) apiMetrics(st *site.State, r *site.Request) (site.Plan, error) {
	return site.Body(r.URL.Path, func() any { return api.Metrics(st.Snap.Priced(h.site.UsualPricing(r.Loc))) })
}

func apiSources(st *site.State, r *site.Request) (site.Plan, error) {
	return site.Body(r.URL.Path, func() any { return api.Sources(st.Snap) })
}

func apiPeak(st *site.State, r *site.Request) (site.Plan, error) {
	device, precision := strings.TrimSpace(r.Values.Get("device")), r.Values.Get("precision")
	if device == "" {
		return site.Plan{}, api.BadParams([]catalog.ParamError{{Param: "device", Code: catalog.Missing}})
	}
	if precision == "" {
		precision = "bf16"
	}
	peak, problem := api.FindPeak(st.Snap, device, precision)
	if problem != nil {
		return site.Plan{}, problem
	}
	return site.Body(r.URL.Path+"?"+r.Values.Encode(), func() any { return peak })
}

var listMetricsOp = api.Operation{
	ID: "list-metrics", Path: "/api/v1/metrics", Answer: api.MetricList{}, Errors: []int{400},
	Summary: catalog.Text{En: "The registry of quantities", Zh: "指标登记表"},
	Description: catalog.Text{En: "Every metric, attribute and derived value with unit, definition and formula.",
		Zh: "全部指标、属性与派生值，附单位、定义与公式。"},
	Examples: []string{"/api/v1/metrics"}, Long: true,
}

var listSourcesOp = api.Operation{
	ID: "list-sources", Path: "/api/v1/sources", Answer: api.SourceList{}, Errors: []int{400},
	Summary: catalog.Text{En: "Where figures come from", Zh: "数据来源"},
	Description: catalog.Text{En: "Every document and dataset, and how many figures and cards name it.",
		Zh: "全部文档与数据集，以及引用它的数值数与卡数。"},
	Examples: []string{"/api/v1/sources"}, Long: true,
}

var listArchitecturesOp = api.Operation{
	ID: "list-architectures", Path: "/api/v1/architectures", Answer: api.ArchitectureList{}, Errors: []int{400},
	Summary: catalog.Text{En: "Generations of architectures", Zh: "各代架构"},
	Description: catalog.Text{En: "Date, largest chip, make-up of a compute unit and what each generation brought, " +
		"with sources, and the ids of its cards.", Zh: "每一代的发布日期、最大芯片、计算单元构成与新特性，附来源与所属各卡的 id。"},
	Params: []api.Param{{Name: "id", Type: "string", Many: true, Default: "all",
		Description: catalog.Text{En: "up to 6 ids of generations, one parameter each", Zh: "至多 6 个架构 id，每个一个参数"},
		Example:     "nvidia-hopper"}},
	Examples: []string{"/api/v1/architectures?id=nvidia-hopper"}, Long: true,
}

var getPeakOp = api.Operation{
	ID: "get-peak", Path: "/api/v1/peak", Answer: api.Peak{}, Errors: []int{400, 404, 409},
	Summary: catalog.Text{En: "Peak rate of a device, for MFU", Zh: "设备峰值算力（用于 MFU）"},
	Description: catalog.Text{En: "The dense matrix rate to divide by for model FLOPS utilisation. The device is " +
		"what a driver prints, a PCI id or a card id. Unknown is 404 and ambiguous is 409, both with candidates; a " +
		"rate that no source states is 404 with the rates that are stated. Nothing is guessed.",
		Zh: "计算模型算力利用率（MFU）时的分母：稠密矩阵算力。device 可为驱动显示的名称、PCI id 或卡 id。未知返回 404，有歧义返回 409，均附候选；没有来源给出该算力时返回 " +
			"404，并附已有来源的各项算力。绝不猜测。"},
	Params: []api.Param{
		{Name: "device", Type: "string", Required: true, Description: catalog.Text{En: "driver name, PCI id " +
			"(10de:2330) or card id", Zh: "驱动名称、PCI id（10de:2330）或卡 id"}, Example: "NVIDIA H100 80GB HBM3"},
		{Name: "precision", Type: "string", Default: "bf16", Enum: api.Precisions(),
			Description: catalog.Text{En: "precision of the operands", Zh: "操作数精度"}, Example: "bf16"},
	},
	Examples: []string{"/api/v1/peak?device=NVIDIA%20H100%2080GB%20HBM3&precision=bf16",
		"/api/v1/peak?device=10de:2330"},
}
