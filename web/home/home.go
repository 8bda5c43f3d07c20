package home

import (
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
