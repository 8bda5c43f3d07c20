package home

import (
	"tianti/web/bulk"
	"tianti/web/ladders"
	webplot "tianti/web/plot"
	"tianti/web/site"
)

// A Handler answers the start page, the API for people and programs, and what search engines ask.
type Handler struct {
	site *site.Site
	Features
	version  string
	examples kept
}

// Features are what the start page shows parts of.
type Features struct {
	Plot    *webplot.Handler
	Ladders *ladders.Handler
	Bulk    *bulk.Handler
}

// New returns a handler of a site; version is the program's.
func New(s *site.Site, parts Features, version string) *Handler {
	return &Handler{site: s, Features: parts, version: version}
}

// Operations are those of the API: the feature has none.
func (h *Handler) Operations() []site.Operation { return nil }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return []site.Route{
		{Pattern: "/", Page: h.overview},
		{Pattern: "/api", Page: h.apiPage},
		{Pattern: "/api/openapi.json", Page: h.openAPI, Plain: true},
		{Pattern: "/robots.txt", Page: h.robots, Plain: true},
		{Pattern: "/sitemap.xml", Page: h.sitemap, Plain: true},
	}
}
