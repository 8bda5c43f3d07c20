package estimate

import (
	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/job"
	"tianti/web/site"
)

var estimateOp = api.Operation{
	ID: "estimate", Path: "/api/v1/estimate", Answer: api.Estimation{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "One job on given cards", Zh: "估算一个任务在指定卡上的情况"},
	Description: catalog.Text{
		En: "The ledger of memory with verdict, the speed and the cost of one job on a number of one card, each with " +
			"its 90 % interval, formula and evidence.",
		Zh: "一个任务在若干张指定卡上的显存明细与结论、速度和成本，均附 90% 区间、公式与依据。",
	},
	Params: job.Params(sizing.ForEstimate),
	Examples: []string{
		"/api/v1/estimate?model=llama-3.1-8b&task=inference&card=nvidia-h100-sxm5-80gb&batch=8&context=4096",
	},
}

func (h *Handler) apiEstimate(st *site.State, r *site.Request) (site.Plan, error) {
	if err := job.NotServed(r.Values, "/api/v1/serve/plan"); err != nil {
		return site.Plan{}, err
	}
	adv, err := h.site.Sizing(st)
	if err != nil {
		return site.Plan{}, err
	}
	asked, errs := adv.ParseEstimate(r.Values)
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	asked.Today = catalog.Date(h.site.Today())
	card := adv.Card(asked.Cards[0])
	pl, err := site.Body(r.URL.Path+"?"+adv.Values(sizing.ForEstimate, asked).Encode(), func() any {
		e := adv.Estimate(asked.Workload, card, asked)
		return api.Estimate(st.Snap, &e)
	})
	pl.Dated = true // prices age
	return pl, err
}
