package compare

import (
	webexport "tianti/web/exportcontrol"
	weblive "tianti/web/live"
	"tianti/web/site"
)

// A Handler sets cards side by side.
type Handler struct {
	site   *site.Site
	export *webexport.Handler
	live   *weblive.Handler
}

// New returns a handler of a site.
func New(s *site.Site, export *webexport.Handler, devices *weblive.Handler) *Handler {
	return &Handler{site: s, export: export, live: devices}
}

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return append(
		site.Pages(h.compare, "/compare", "/compare.{format}"),
		site.Route{
			Pattern: "/og/compare.{format}",
			Page:    h.compareShare,
		},
		site.Route{Pattern: "/embed/compare", Page: h.embed},
	)
}
