package reference

import (
	"slices"

	"tianti/web/site"
)

// A Handler answers the pages that explain the catalogue: architectures, sources, data health, methodology.
type Handler struct {
	site *site.Site
}

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{site: s} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return slices.Concat(site.Pages(h.architectures, "/architectures", "/architectures.{format}"),
		site.Pages(h.ecosystem, "/ecosystem"),
		site.Pages(h.glossary, "/glossary"), site.Pages(h.sources, "/sources"), site.Pages(h.source, "/sources/{id}",
			"/sources/{dataset}/{id}"),
		site.Pages(h.dataHealth, "/data-health"), site.Pages(h.methodology, "/methodology"))
}
