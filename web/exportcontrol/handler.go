package exportcontrol

import (
	"slices"

	"tianti/web/site"
)

// A Handler answers what export control says of cards.
type Handler struct {
	site *site.Site
}

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{site: s} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return slices.Concat(site.Pages(h.exportControl, "/export-control", "/export-control.{format}"),
		site.Pages(h.whatIf, "/export-control/worksheet"),
		site.Pages(h.exportRule, "/export-control/{rule}"))
}
