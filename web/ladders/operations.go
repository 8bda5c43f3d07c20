package ladders

import (
	"strings"

	"tianti/web/api"
	"tianti/web/site"
)

func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: api.GetLadder, Handle: h.apiLadder},
		{Operation: api.GetMeasuredLadder, Handle: h.apiLadder}}
}

// apiLadder answers the operation of the API.
func (h *Handler) apiLadder(st *site.State, r *site.Request) (site.Plan, error) {
	q, errs := h.readParams(st, r, strings.TrimPrefix(r.URL.Path, "/api/v1/ladders/"))
	if len(errs) > 0 {
		return site.Plan{}, ladderProblem(errs)
	}
	return site.Plan{Key: r.URL.Path + "?" + q.encode(), Render: h.ladderAnswer(st, r, q, (*ladderBuilder).json),
		Dated: q.priced}, nil
}
