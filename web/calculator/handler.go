// Package calculator counts parameters, operations and bytes of models: known ones, and those that a config.json
// describes.
package calculator

import (
	"net/http"

	"tianti/web/site"
)

// A Handler answers what models are made of.
type Handler struct{ site *site.Site }

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{site: s} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return append(site.Pages(h.page, "/calculator"),
		site.Route{Method: http.MethodPost, Pattern: "/calculator", Page: h.configuration, Cost: site.Dear})
}

// Operations are those of the API.
func (h *Handler) Operations() []site.Operation {
	return []site.Operation{{Operation: listModelsOp, Handle: h.apiModels},
		{Operation: readConfigOp, Handle: h.apiConfig, Cost: site.Dear}}
}
