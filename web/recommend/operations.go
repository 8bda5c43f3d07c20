package recommend

import "tianti/web/site"

func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: getRecommendationOp, Handle: h.apiRecommend, Cost: site.Dear}, {Operation: getEstimateOp, Handle: h.apiEstimate},
		{Operation: listModelsOp, Handle: h.apiModels}, {Operation: readConfigOp, Handle: h.apiConfig, Cost: site.Dear}}
}
