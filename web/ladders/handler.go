package ladders

import "tianti/web/site"

// A Handler answers ladders of cards.
type Handler struct {
	site *site.Site
}

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{site: s} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return append(append(site.Pages(h.ladderPage, "/ladders/{basis}"),
		site.Pages(h.ladderPage, "/ladders/measured/{id}")...),
		site.Route{Pattern: "/ladders", Serve: chooseLadder(h.site.Page(h.ladders))},
		site.Route{Pattern: "/embed/ladders/{basis}", Page: h.embed},
		site.Route{Pattern: "/embed/ladders/measured/{id}", Page: h.embed},
		site.Route{Pattern: "/og/ladders/{basis}", Page: h.ladderShare},
		site.Route{Pattern: "/og/ladders/measured/{id}", Page: h.ladderShare})
}
