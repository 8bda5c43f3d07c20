// Package estimate tells what one job needs on a number of one card, or on a machine with several kinds, in full.
package estimate

import (
	"tianti/web/job"
	"tianti/web/jobform"
	"tianti/web/site"
)

// A Handler answers what a job needs on a card.
type Handler struct{ site *site.Site }

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{site: s} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return job.ServedElsewhere(h.site, site.Pages(h.page, "/recommend/{card}"))
}

// Operations are those of the API.
func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: estimateOp, Handle: h.apiEstimate}}
}

// A builder puts an estimate into words.
type builder struct {
	*jobform.Builder
	h  *Handler
	st *site.State
	r  *site.Request
}
