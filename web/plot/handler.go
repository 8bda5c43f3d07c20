package plot

import (
	webexport "tianti/web/exportcontrol"
	"tianti/web/site"
)

// A Handler answers plots of one quantity against another.
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
	return append(site.Pages(h.plot, "/plot", "/plot.{format}"), site.Route{Pattern: "/embed/plot", Page: h.embed})
}

// Operations are those of the API: the feature has none.
func (h *Handler) Operations() []site.Operation { return nil }
