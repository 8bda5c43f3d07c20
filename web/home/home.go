package home

import (
	"fmt"
	"strings"

	"tianti/web/compare"
	"tianti/web/ladders"
	"tianti/web/reference"
	"tianti/web/site"
	"tianti/web/ui"
)

// robots answers /robots.txt: everything may be read, filter combinations are
// marked noindex on the page.
func (h *Handler) robots(st *site.State, r *site.Request) (site.Plan, error) {
	return site.Plan{Key: "/robots.txt", Render: func() (site.Answer, error) {
		body := "User-agent: *\nAllow: /\n"
		if h.site.Origin != "" {
			body += "Sitemap: " + h.site.Origin + "/sitemap.xml\n"
		}
		return site.Answer{ContentType: "text/plain; charset=utf-8", Body: []byte(body)}, nil
	}}, nil
}

// sitemap answers /sitemap.xml. Addresses in a sitemap are absolute, so there is
// none unless the server knows its own.
func (h *Handler) sitemap(st *site.State, r *site.Request) (site.Plan, error) {
	if h.site.Origin == "" {
		return h.site.NotFound(st, r)
	}
	return site.Plan{Key: "/sitemap.xml", Render: func() (site.Answer, error) {
		body := []byte(
			`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n",
		)
		paths := []string{
			"/",
			"/cards",
			"/compare",
			"/prices",
			"/architectures",
			"/export-control",
			"/export-control/worksheet",
			"/ecosystem",
			"/glossary",
			"/sources",
			"/data-health",
			"/methodology",
			"/api",
		}
		paths = append(paths, ladders.LadderPaths(st.Snap)...)
		if h.site.NewEstimator != nil {
			paths = append(paths, "/recommend", "/serve", "/recommend/mine", "/accuracy", "/calculator")
		}
		for row := range min(st.Snap.Len(), reference.SitemapMost/2-len(paths)) {
			paths = append(paths, "/cards/"+st.Snap.Card(row).ID)
		}
		paths = append(paths, reference.PricePaths(st.Snap, reference.SitemapMost/2-len(paths))...)
		for _, l := range append(compare.PairLinks(st.Snap, r.Loc), h.Plot.PlotLinks(st, r, "")...) {
			paths = append(paths, strings.ReplaceAll(l.Href, "&", "&amp;"))
		}
		for _, path := range paths {
			zh := "/zh" + path
			body = fmt.Appendf(
				body,
				"<url><loc>%s%s</loc></url>\n<url><loc>%s%s</loc></url>\n",
				h.site.Origin,
				path,
				h.site.Origin,
				zh,
			)
		}
		return site.Answer{ContentType: "application/xml", Body: append(body, "</urlset>\n"...)}, nil
	}}, nil
}

// apiData is the human page of the JSON API.
type apiData struct {
	ui.Layout

	Base       string // "https://tianti.example" or empty
	SpecURL    string // "/api/openapi.json"
	Operations []operationData
}

// operationData is one operation of the API.
type operationData struct {
	ID          string // anchor: "list-cards"
	Method      string // "GET"
	Path        string // "/api/v1/cards"
	Summary     string
	Description string
	Params      []apiParam
	Shared      []apiShared // parameters that another operation describes
	Examples    []apiExampleData
}

// apiShared are parameters that mean the same as in another operation.
type apiShared struct {
	With  ui.Link
	Names string
}

// apiParam is one parameter of an operation.
type apiParam struct {
	Name        string
	In          string // query, path or header
	Type        string // "integer, 1–1000"
	Default     string // may be empty
	Required    bool
	Description string
}

// apiExampleData is a request that can be followed and the answer to it.
type apiExampleData struct {
	Title    string
	Request  string // an address: "/api/v1/peak?device=H100&precision=bf16"
	Response string // JSON, shortened; may be empty
}
