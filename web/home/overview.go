package home

import (
	"slices"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/compare"
	"tianti/web/display"
	"tianti/web/filterform"
	"tianti/web/site"
	"tianti/web/ui"
)

// overview answers /.
func (h *Handler) overview(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/" || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.Address(r.Loc, site.HTML, ""), Render: func() (site.Answer, error) {
		b := overviewBuilder{s: st.Snap, loc: r.Loc}
		v := overview{Layout: h.site.Layout(r, st, ui.NavOverview, ""), Counts: b.counts(), Strongest: b.strongest(),
			Job: h.Recommend.FirstForm(st, r), Presets: filterform.PresetLinks(st.Snap.Priced(catalog.DefaultPricing), r.Loc, ""), Newest: b.newest(), Vendors: b.vendors(), Pairs: compare.PairLinks(st.Snap, r.Loc)}
		v.Description = r.Loc.T("overview.description", st.Snap.Len(), st.Snap.FigureCount(), len(st.Snap.Sources()))
		return site.Rendered(v.Page())
	}}, nil
}

type overviewBuilder struct {
	s   *catalog.Snapshot
	loc *locale.Locale
}

func (b overviewBuilder) counts() []count {
	vendors := b.s.Facet(b.all(""), display.MustQuantity("vendor"))
	l := b.loc
	return []count{
		{Value: l.Count(b.s.Len()), Label: l.T("overview.count.cards"), Href: l.Path("/cards")},
		{Value: l.Count(len(vendors)), Label: l.T("overview.count.vendors"), Href: "#vendors"},
		{Value: l.Count(b.s.FigureCount()), Label: l.T("overview.count.figures"), Href: l.Path("/methodology")},
		{Value: l.Count(len(b.s.Sources())), Label: l.T("overview.count.sources"), Href: l.Path("/sources")},
	}
}

// all answers a query that the program itself wrote, ten cards of it.
func (b overviewBuilder) all(query string) catalog.Result {
	q, _ := b.s.ParseQuery(site.ParseQuery(query))
	return b.s.Select(&q, 10)
}

func (b overviewBuilder) strongest() topListData {
	q := display.MustQuantity(catalog.DefaultBasis)
	list := topListData{Title: b.loc.T("overview.strongest"), Unit: display.Unit(b.loc, q), Basis: display.Pick(b.loc, q.Definition), Href: b.loc.Path("/cards")}
	first := 0.0
	for _, row := range b.all(q.ID + "=any").Rows {
		v, _ := b.s.Number(q, row)
		first = max(first, v)
		c := b.s.Card(row)
		list.Rows = append(list.Rows, ui.TopRow{Name: c.Name, Vendor: c.Vendor, Href: b.loc.Path("/cards/" + c.ID),
			Value: b.loc.Number(v), Share: v / first, Detail: display.Facts(b.loc, b.s, row, "memory_gb", "memory_bandwidth_gb_s", "tdp_w")})
	}
	return list
}

func (b overviewBuilder) newest() []newCard {
	var out []newCard
	launched := display.MustQuantity("launched")
	for _, row := range b.all("launched=any&sort=-launched").Rows {
		c := b.s.Card(row)
		date, _ := b.s.Text(launched, row)
		out = append(out, newCard{Name: c.Name, Vendor: c.Vendor, Href: b.loc.Path("/cards/" + c.ID), Date: date,
			Detail: display.Facts(b.loc, b.s, row, "memory_gb", "memory_type", "tdp_w")})
	}
	return out
}

func (b overviewBuilder) vendors() []ui.Option {
	var out []ui.Option
	for _, c := range b.s.Facet(b.all(""), display.MustQuantity("vendor")) {
		q, _ := b.s.ParseQuery(map[string][]string{"vendor": {c.Value}})
		out = append(out, ui.Option{Label: c.Value, Value: b.loc.Path("/cards") + "?" + q.Encode(), Count: c.Cards, Counted: true})
	}
	return slices.Clip(out)
}
