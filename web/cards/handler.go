package cards

import (
	webexport "tianti/web/exportcontrol"
	weblive "tianti/web/live"
	webplot "tianti/web/plot"
	"tianti/web/site"
)

// A Handler answers the catalogue and the page of each card.
type Handler struct {
	site *site.Site
	Features
}

// Features are what the pages of cards show parts of.
type Features struct {
	Export  *webexport.Handler
	Live    *weblive.Handler
	Plot    *webplot.Handler
	Correct bool // figures can be corrected: there are imports
}

// New returns a handler of a site.
func New(s *site.Site, parts Features) *Handler { return &Handler{site: s, Features: parts} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return append(site.Pages(h.cards, "/cards", "/cards.{format}"), site.Route{Pattern: "/cards/{id}", Page: h.card},
		site.Route{Pattern: "/og/cards/{id}", Page: h.cardShare}, site.Route{Pattern: "/badge/{id}", Page: h.badge})
}
