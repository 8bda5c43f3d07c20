// Package licenses shows what the program is linked from, with the licences and notices of its parts.
package licenses

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/licenses"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// A Handler answers /licenses: the list of modules, or the texts of one.
type Handler struct {
	site    *site.Site
	version string // of the program
}

// New returns a handler of a site.
func New(s *site.Site, version string) *Handler { return &Handler{s, version} }

// Routes are the addresses of the feature.
func (h *Handler) Routes() []site.Route {
	return site.Pages(h.licenses, "/licenses", "/licenses.{format}")
}

// Operations are those of the API: the feature has none.
func (h *Handler) Operations() []site.Operation { return nil }

func (h *Handler) licenses(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/licenses" || r.Format == site.AsJSON {
		return h.site.NotFound(st, r)
	}
	if err := r.Only("module"); err != nil {
		return site.Plan{}, err
	}
	list := table(r, h.version)
	render := map[site.Format]func() (site.Answer, error){
		site.AsCSV: func() (site.Answer, error) { return list.CSV("tianti-licenses"), nil },
		site.Markdown: func() (site.Answer, error) {
			var b strings.Builder
			list.Markdown(&b)
			return site.MarkdownAnswer(b.String()), nil
		},
	}[r.Format]
	query, chosen := "", r.Values.Get("module")
	at := slices.IndexFunc(list.Rows, func(m module) bool { return m.Path == chosen })
	switch {
	case at >= 0:
		query = site.ParamsEncoded("module", chosen)
	case chosen != "":
		var known []string
		for _, m := range list.Rows {
			known = append(known, m.Path)
		}
		return site.Plan{}, api.BadParams([]catalog.ParamError{display.UnknownValue("module", chosen, known)})
	}
	if r.Format == site.HTML {
		render = func() (site.Answer, error) {
			p := page{Layout: h.site.Layout(r, st, ui.NavSources, query), Modules: list.Rows,
				Lede: r.Loc.T("licenses.lede", len(list.Rows)-2)}
			p.Title, p.Description = r.Loc.T("licenses.title"), p.Lede
			p.Alternates = ui.Alternates{CSV: r.Address(r.Loc, site.AsCSV, ""),
				Markdown: r.Address(r.Loc, site.Markdown, "")}
			if at >= 0 {
				p.Shown = &list.Rows[at]
				p.Title = p.Shown.Path + " · " + p.Title
			}
			return site.Rendered(p.Page())
		}
	}
	return site.Plan{Key: r.Address(r.Loc, r.Format, query), Render: render}, nil
}

// A module is a part of the program, as the page shows it.
type module struct {
	Path, Version string
	Licenses      string // SPDX identifiers
	Href          string // of the page with the texts
	Texts         []text
}

// A text is a licence or a notice, word by word.
type text struct{ Name, Licenses, Body string }

// table is the list of modules. The version of the program itself, which is not in the archive, is version.
func table(r *site.Request, version string) site.Table[module] {
	var rows []module
	for _, m := range licenses.Modules() {
		row := module{Path: m.Path, Version: m.Version, Licenses: strings.Join(m.Licenses, ", "),
			Href: r.Loc.Path("/licenses") + "?" + site.ParamsEncoded("module", m.Path)}
		if m.Path == licenses.Own {
			row.Version = version
		}
		for _, t := range m.Texts {
			row.Texts = append(row.Texts, text{t.Name, strings.Join(t.Licenses, ", "), t.Body})
		}
		rows = append(rows, row)
	}
	column := func(key string, of func(m module) string) site.Column[module] {
		return site.Column[module]{Key: key, Value: of, Label: r.Loc.T("licenses." + key), Text: of}
	}
	return site.Table[module]{Rows: rows, Columns: []site.Column[module]{
		column("module", func(m module) string { return m.Path }),
		column("version", func(m module) string { return m.Version }),
		column("licence", func(m module) string { return m.Licenses }),
	}}
}
