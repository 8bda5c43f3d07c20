// Package accuracy shows estimates beside what was measured.
package accuracy

import "tianti/web/site"

// A Handler answers how accurate estimates are.
type Handler struct{ site *site.Site }

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{site: s} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route { return site.Pages(h.page, "/accuracy", "/accuracy.{format}") }

// Operations of the API there are none.
func (h *Handler) Operations() []site.Operation { return nil }
