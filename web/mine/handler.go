// Package mine tells what somebody's cards can do.
package mine

import (
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
)

// A Handler answers what cards can do.
type Handler struct{ site *site.Site }

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{site: s} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return job.ServedElsewhere(h.site, site.DearPages(h.page, "/recommend/mine", "/recommend/mine.{format}"))
}

// Operations of the API there are none.
func (h *Handler) Operations() []site.Operation { return nil }

// A builder puts what cards can do into words.
type builder struct {
	*jobform.Builder
	h  *Handler
	st *site.State
	r  *site.Request
}
