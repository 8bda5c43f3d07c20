package prices

import "tianti/web/site"

// A Handler answers prices of cards.
type Handler struct {
	site    *site.Site
	streams streams
}

// New returns a handler of a site.
func New(s *site.Site) *Handler {
	return &Handler{site: s, streams: streams{clients: map[string]int{}}}
}

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return append(site.Pages(h.prices, "/prices", "/prices.{format}"),
		site.Route{Pattern: "/prices/{id}", Page: h.pricesOfCard},
		site.Route{Pattern: "/embed/prices/{id}", Page: h.embed})
}
