package web

import (
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/view"
)

// overview answers /.
func (s *Server) overview(st *state, r *request) (plan, error) {
	if r.path != "/" || r.format != html {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	return plan{key: r.address(r.loc, html, ""), render: func() (answer, error) {
		b := overviewBuilder{s: st.snap, loc: r.loc}
		v := view.Overview{Layout: s.layout(r, st, view.NavOverview, ""), Counts: b.counts(), Strongest: b.strongest(),
			Job: s.firstForm(st, r), Presets: presetLinks(st.snap.Priced(catalog.DefaultPricing), r.loc, ""), Newest: b.newest(), Vendors: b.vendors(), Pairs: pairLinks(st.snap, r.loc)}
		v.Description = r.loc.T("overview.description", st.snap.Len(), st.snap.FigureCount(), len(st.snap.Sources()))
		return rendered(v.Page())
	}}, nil
}

type overviewBuilder struct {
	s   *catalog.Snapshot
	loc *locale.Locale
}

func (b overviewBuilder) counts() []view.Count {
	vendors := b.s.Facet(b.all(""), mustQuantity("vendor"))
	l := b.loc
	return []view.Count{
		{Value: l.Count(b.s.Len()), Label: l.T("overview.count.cards"), Href: l.Path("/cards")},
		{Value: l.Count(len(vendors)), Label: l.T("overview.count.vendors"), Href: "#vendors"},
		{Value: l.Count(b.s.FigureCount()), Label: l.T("overview.count.figures"), Href: l.Path("/methodology")},
		{Value: l.Count(len(b.s.Sources())), Label: l.T("overview.count.sources"), Href: l.Path("/sources")},
	}
}

// all answers a query that the program itself wrote, ten cards of it.
func (b overviewBuilder) all(query string) catalog.Result {
	q, _ := b.s.ParseQuery(parseQuery(query))
	return b.s.Select(&q, 10)
}

func (b overviewBuilder) strongest() view.TopList {
	q := mustQuantity(catalog.DefaultBasis)
	list := view.TopList{Title: b.loc.T("overview.strongest"), Unit: unit(b.loc, q), Basis: pick(b.loc, q.Definition), Href: b.loc.Path("/cards")}
	first := 0.0
	for _, row := range b.all(q.ID + "=any").Rows {
		v, _ := b.s.Number(q, row)
		first = max(first, v)
		c := b.s.Card(row)
		list.Rows = append(list.Rows, view.TopRow{Name: c.Name, Vendor: c.Vendor, Href: b.loc.Path("/cards/" + c.ID),
			Value: b.loc.Number(v), Share: v / first, Detail: b.detail(row, "memory_gb", "memory_bandwidth_gb_s", "tdp_w")})
	}
	return list
}

// detail is some figures of a card with their units: "288 GB · 8 000 GB/s".
func (b overviewBuilder) detail(row int, ids ...string) string {
	var parts []string
	for _, id := range ids {
		q := mustQuantity(id)
		if text, ok := display(b.loc, b.s, q, row); ok {
			parts = append(parts, strings.TrimSpace(text+" "+unit(b.loc, q)))
		}
	}
	return strings.Join(parts, " · ")
}

func (b overviewBuilder) newest() []view.NewCard {
	var out []view.NewCard
	launched := mustQuantity("launched")
	for _, row := range b.all("launched=any&sort=-launched").Rows {
		c := b.s.Card(row)
		date, _ := b.s.Text(launched, row)
		out = append(out, view.NewCard{Name: c.Name, Vendor: c.Vendor, Href: b.loc.Path("/cards/" + c.ID), Date: date,
			Detail: b.detail(row, "memory_gb", "memory_type", "tdp_w")})
	}
	return out
}

func (b overviewBuilder) vendors() []view.Option {
	var out []view.Option
	for _, c := range b.s.Facet(b.all(""), mustQuantity("vendor")) {
		q, _ := b.s.ParseQuery(map[string][]string{"vendor": {c.Value}})
		out = append(out, view.Option{Label: c.Value, Value: b.loc.Path("/cards") + "?" + q.Encode(), Count: c.Cards, Counted: true})
	}
	return slices.Clip(out)
}
