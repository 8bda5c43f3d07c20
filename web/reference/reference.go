package reference

import (
	"strconv"

	"tianti/catalog"
	"tianti/sorting"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// sources answers /sources.
func (h *Handler) sources(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/sources" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	q, err := readSourcesQuery(r)
	if err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, q.encode()), Render: func() (site.Answer, error) {
		v := sources{
			Layout: h.site.Layout(r, st, ui.NavSources, q.encode()),
			Total:  st.Snap.FigureCount(),
			Text:   q.text,
		}
		v.Title, v.Description = r.Loc.T("sources.title"), r.Loc.T("sources.description", len(st.Snap.Sources()))
		v.Rows, v.Kinds, v.Datasets = sourceViews(st.Snap, r)
		v.All = len(v.Rows)
		v.Found, v.Rows, v.Pages = q.of(v.Rows, r)
		v.Filter = []ui.Option{{Label: r.Loc.T("sources.anykind")}}
		for _, k := range v.Kinds {
			v.Filter = append(
				v.Filter,
				ui.Option{Value: k.Kind, Label: r.Loc.T("sourcekind." + k.Kind), Selected: k.Kind == q.kind},
			)
		}
		return site.Rendered(v.Page())
	}}, nil
}

func sourceViews(s *catalog.Snapshot, r *site.Request) ([]SourceRow, []kindCount, []datasetRow) {
	uses := s.SourceUses()
	kinds := make([]kindCount, len(catalog.SourceKinds))
	for i, k := range catalog.SourceKinds {
		kinds[i].Kind = string(k)
	}
	datasets := make([]datasetRow, len(s.Datasets()))
	for i, d := range s.Datasets() {
		datasets[i] = datasetRow{ID: d.ID, Title: display.Pick(r.Loc, d.Title), Rank: d.Rank, Date: string(d.Imported)}
		if d.Revision > 0 {
			datasets[i].Revision = strconv.FormatInt(d.Revision, 10)
		}
	}
	var rows []SourceRow
	for i := range s.Sources() {
		ref := &s.Sources()[i]
		if k := ref.Kind.Trust(); k < len(kinds) {
			kinds[k].Sources++
			kinds[k].Figures += uses[i].Figures
		}
		d := &datasets[ref.Dataset]
		d.Figures += uses[i].Figures
		rows = append(rows, sourceRow(s, r.Loc, i, uses[i]))
	}
	sorting.Func(rows, func(a, b SourceRow) int { return b.Figures - a.Figures })
	for i, n := range s.DatasetCards() {
		datasets[i].Cards = n
	}
	sorting.Func(datasets, func(a, b datasetRow) int { return b.Rank - a.Rank })
	return rows, kinds, datasets
}

// methodology answers /methodology.
func (h *Handler) methodology(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/methodology" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
		v := methodologyData{Layout: h.site.Layout(r, st, ui.NavMethodology, "")}
		v.Title, v.Description = r.Loc.T("method.title"), r.Loc.T("method.lede")
		for _, k := range catalog.SourceKinds {
			v.Kinds = append(v.Kinds, string(k))
		}
		for _, rule := range catalog.Rules {
			v.Rules = append(v.Rules, ruleData{ID: rule.Name, Text: display.Pick(r.Loc, rule.Text)})
		}
		v.Groups, v.Derived = metricViews(st.Snap, r)
		return site.Rendered(v.Page())
	}}, nil
}

func metricViews(s *catalog.Snapshot, r *site.Request) (groups []metricGroup, derived []metric) {
	for _, group := range append([]string{"identity"}, display.GroupOrder...) {
		g := metricGroup{ID: group, Label: r.Loc.T("group." + group)}
		for _, q := range catalog.Quantities() {
			if q.Group != group {
				continue
			}
			m := metric{
				ID:         q.ID,
				Label:      display.Pick(r.Loc, q.Label),
				Unit:       display.Unit(r.Loc, q),
				Definition: display.Pick(r.Loc, q.Definition),
				Better:     q.Better,
				Formula:    q.Formula,
				Cards:      s.Coverage(q),
			}
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

// SitemapMost is how many addresses one sitemap may hold.
const SitemapMost = 50_000
