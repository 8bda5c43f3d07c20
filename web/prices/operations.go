package prices

import (
	"net/http"
	"slices"

	"tianti/web/api"
	"tianti/web/site"
)

// Operations are those of the API.
func (h *Handler) Operations() []site.Operation {
	return []site.Operation{
		// examples ask Handle
		{Operation: listPricesOp, Handle: h.apiPrices, Serve: h.weighed(listPricesOp, h.apiPrices)},
		{Operation: listOffersOp, Handle: h.apiOffers, Serve: h.weighed(listOffersOp, h.apiOffers)},
		{Operation: pricesLinesOp, Serve: h.stream(pricesLinesOp, asLines)},
		{Operation: pricesCSVOp, Serve: h.stream(pricesCSVOp, asCSV)},
	}
}

// weighed answers an operation at its cost: between two days the histories of all cards are looked through, unless one
// is named.
func (h *Handler) weighed(op api.Operation, handle site.Handler) http.HandlerFunc {
	light := h.site.Answering(site.Operation{Operation: op, Handle: handle})
	dear := h.site.Answering(site.Operation{Operation: op, Handle: handle, Cost: site.Dear})
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("card") == "" && slices.ContainsFunc([]string{"from", "to"}, q.Has) {
			dear(w, r)
			return
		}
		light(w, r)
	}
}
