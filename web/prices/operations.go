package prices

import "tianti/web/site"

func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: listPricesOp, Handle: h.apiPrices}, {Operation: listOffersOp, Handle: h.apiOffers}}
}
