package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/web/view"
)

// sources answers /sources.
func (s *Server) sources(st *state, r *request) (plan, error) {
	if r.path != "/sources" || r.format != html {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	return plan{key: r.address(r.loc, html, ""), render: func() (answer, error) {
		v := view.Sources{Layout: s.layout(r, st, view.NavSources, ""), Total: st.snap.FigureCount()}
		v.Title, v.Description = r.loc.T("sources.title"), r.loc.T("sources.description", len(st.snap.Sources()))
		v.Rows, v.Kinds, v.Datasets = sourceViews(st.snap, r)
		return rendered(v.Page())
	}}, nil
}

func sourceViews(s *catalog.Snapshot, r *request) ([]view.SourceRow, []view.KindCount, []view.DatasetRow) {
	uses := s.SourceUses()
	kinds := make([]view.KindCount, len(catalog.SourceKinds))
	for i, k := range catalog.SourceKinds {
		kinds[i].Kind = string(k)
	}
	datasets := make([]view.DatasetRow, len(s.Datasets()))
	for i, d := range s.Datasets() {
		datasets[i] = view.DatasetRow{ID: d.ID, Title: pick(r.loc, d.Title), Rank: d.Rank, Date: string(d.Imported)}
		if d.Revision > 0 {
			datasets[i].Revision = strconv.FormatInt(d.Revision, 10)
		}
	}
	var rows []view.SourceRow
	for i := range s.Sources() {
		ref := &s.Sources()[i]
		if k := ref.Kind.Trust(); k < len(kinds) {
			kinds[k].Sources++
			kinds[k].Figures += uses[i].Figures
		}
		d := &datasets[ref.Dataset]
		d.Figures += uses[i].Figures
		rows = append(rows, sourceRow(s, r.loc, i, uses[i]))
	}
	slices.SortStableFunc(rows, func(a, b view.SourceRow) int { return b.Figures - a.Figures })
	for i, n := range s.DatasetCards() {
		datasets[i].Cards = n
	}
	slices.SortStableFunc(datasets, func(a, b view.DatasetRow) int { return b.Rank - a.Rank })
	return rows, kinds, datasets
}

// methodology answers /methodology.
func (s *Server) methodology(st *state, r *request) (plan, error) {
	if r.path != "/methodology" || r.format != html {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	return plan{key: r.address(r.loc, html, ""), render: func() (answer, error) {
		v := view.Methodology{Layout: s.layout(r, st, view.NavMethodology, "")}
		v.Title, v.Description = r.loc.T("method.title"), r.loc.T("method.lede")
		for _, k := range catalog.SourceKinds {
			v.Kinds = append(v.Kinds, string(k))
		}
		for _, rule := range catalog.Rules {
			v.Rules = append(v.Rules, view.Rule{ID: rule.Name, Text: pick(r.loc, rule.Text)})
		}
		v.Groups, v.Derived = metricViews(st.snap, r)
		return rendered(v.Page())
	}}, nil
}

func metricViews(s *catalog.Snapshot, r *request) (groups []view.MetricGroup, derived []view.Metric) {
	for _, group := range append([]string{"identity"}, groupOrder...) {
		g := view.MetricGroup{ID: group, Label: r.loc.T("group." + group)}
		for _, q := range catalog.Quantities() {
			if q.Group != group {
				continue
			}
			m := view.Metric{ID: q.ID, Label: pick(r.loc, q.Label), Unit: unit(r.loc, q), Definition: pick(r.loc, q.Definition),
				Better: q.Better, Formula: q.Formula, Cards: s.Coverage(q)}
			if q.Derived() {
				derived = append(derived, m)
			} else {
				g.Metrics = append(g.Metrics, m)
			}
		}
		if len(g.Metrics) > 0 {
			groups = append(groups, g)
		}
	}
	return groups, derived
}

// robots answers /robots.txt: everything may be read, filter combinations are
// marked noindex on the page.
func (s *Server) robots(st *state, r *request) (plan, error) {
	return plan{key: "/robots.txt", render: func() (answer, error) {
		body := "User-agent: *\nAllow: /\n"
		if s.cfg.Origin != "" {
			body += "Sitemap: " + s.cfg.Origin + "/sitemap.xml\n"
		}
		return answer{contentType: "text/plain; charset=utf-8", body: []byte(body)}, nil
	}}, nil
}

// sitemapMost is how many addresses one sitemap may hold.
const sitemapMost = 50_000

// pricePaths are the pages of the cards that have prices, at most so many.
func pricePaths(s *catalog.Snapshot, most int) []string {
	var out []string
	for row := range s.Len() {
		if len(out) < most && len(s.PricesOf(row)) > 0 {
			out = append(out, "/prices/"+s.Card(row).ID)
		}
	}
	return out
}

// sitemap answers /sitemap.xml. Addresses in a sitemap are absolute, so there is
// none unless the server knows its own.
func (s *Server) sitemap(st *state, r *request) (plan, error) {
	if s.cfg.Origin == "" {
		return s.notFound(st, r)
	}
	return plan{key: "/sitemap.xml", render: func() (answer, error) {
		body := []byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
		paths := []string{"/", "/cards", "/compare", "/prices", "/architectures", "/export-control", "/export-control/worksheet", "/ecosystem", "/glossary", "/sources", "/data-health", "/methodology", "/api"}
		paths = append(paths, ladderPaths(st.snap)...)
		if s.cfg.Advise != nil {
			paths = append(paths, "/recommend", "/recommend/mine", "/accuracy", "/calculator")
		}
		for row := range min(st.snap.Len(), sitemapMost/2-len(paths)) {
			paths = append(paths, "/cards/"+st.snap.Card(row).ID)
		}
		paths = append(paths, pricePaths(st.snap, sitemapMost/2-len(paths))...)
		for _, l := range append(pairLinks(st.snap, r.loc), s.plotLinks(st, r, "")...) {
			paths = append(paths, strings.ReplaceAll(l.Href, "&", "&amp;"))
		}
		for _, path := range paths {
			zh := "/zh" + path
			body = fmt.Appendf(body, "<url><loc>%s%s</loc></url>\n<url><loc>%s%s</loc></url>\n", s.cfg.Origin, path, s.cfg.Origin, zh)
		}
		return answer{contentType: "application/xml", body: append(body, "</urlset>\n"...)}, nil
	}}, nil
}
