// Package recommend ranks the cards that do a job, and says why not of the others.
package recommend

import (
	"tianti/sizing"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
)

// A Handler answers which cards do a job.
type Handler struct {
	site   *site.Site
	export *webexport.Handler
}

// New returns a handler of a site.
func New(s *site.Site, export *webexport.Handler) *Handler { return &Handler{site: s, export: export} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	pages := job.ServedElsewhere(h.site, site.DearPages(h.page, "/recommend", "/recommend.{format}"))
	return append(pages, site.Route{Pattern: "/og/recommend.{format}", Page: h.share, Cost: site.Dear})
}

// Operations are those of the API.
func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: recommendOp, Handle: h.apiRecommend, Cost: site.Dear}}
}

// A builder puts a question and its answer into words.
type builder struct {
	*jobform.Builder
	h     *Handler
	st    *site.State
	r     *site.Request
	q     *params       // nil while nothing is asked
	cited display.Cited // sources of what the answer puts first
}

func (h *Handler) builder(st *site.State, r *site.Request, a *sizing.Estimator, q *params) *builder {
	b := &builder{Builder: jobform.NewBuilder(r, a), h: h, st: st, r: r, q: q}
	if q != nil {
		b.Currency = q.Costs.Currency
	}
	return b
}
