// Package serving answers how many of which cards serve a language model to so many users.
package serving

import (
	"slices"

	webexport "tianti/web/exportcontrol"
	"tianti/web/site"
)

// A Handler answers questions of serving.
type Handler struct {
	site          *site.Site
	exportcontrol *webexport.Handler
}

// New returns a handler of a site.
func New(s *site.Site, export *webexport.Handler) *Handler {
	return &Handler{site: s, exportcontrol: export}
}

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return slices.Concat(site.DearPages(h.ranking, "/serve", "/serve.{format}"), site.Pages(h.plan, "/serve/{card}"))
}

// Operations are those of the API.
func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: serveOp, Handle: h.apiServe, Cost: site.Dear},
		{Operation: servePlanOp, Handle: h.apiPlan}}
}
