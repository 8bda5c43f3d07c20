package prices

import (
	"cmp"
	"slices"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// facets are the choices of cards, then those of prices with how many cards have one.
func (b *pricesBuilder) facets() []ui.Facet {
	var out []ui.Facet
	for _, id := range priceFacets {
		q := display.MustQuantity(id)
		f := ui.Facet{Param: id, Label: display.Pick(b.Request.Loc, q.Label)}
		for _, c := range b.snap.Facet(b.Result, q) {
			if c.Cards > 0 || c.Selected {
				f.Options = append(
					f.Options,
					ui.Option{
						Value:    c.Value,
						Label:    display.ValueText(b.Request.Loc, q, c.Value),
						Count:    c.Cards,
						Counted:  true,
						Selected: c.Selected,
					},
				)
			}
		}
		out = append(out, f)
	}
	counts := b.snap.PriceStats()
	out = append(
		out,
		b.priceFacet(
			"kind",
			everyKind(counts.Kinds),
			namesOf(b.filter.kinds),
			func(v string) string { return b.Request.Loc.T("prices.kinds." + v) },
		),
	)
	return slices.DeleteFunc(out, func(f ui.Facet) bool { return len(f.Options) == 0 })
}

// everyKind counts all kinds, those without a price too.
func everyKind(counts []catalog.PriceStat) []catalog.PriceStat {
	var out []catalog.PriceStat
	for _, kind := range catalog.PriceKinds() {
		t := catalog.PriceStat{Name: string(kind)}
		if i := slices.IndexFunc(counts, func(t catalog.PriceStat) bool { return t.Name == string(kind) }); i >= 0 {
			t = counts[i]
		}
		out = append(out, t)
	}
	return out
}

// priceFacet offers what prices are told apart by, with how many cards have some.
func (b *pricesBuilder) priceFacet(
	param string,
	values []catalog.PriceStat,
	chosen []string,
	label func(string) string,
) ui.Facet {
	f := ui.Facet{Param: param, Label: b.Request.Loc.T("prices." + param)}
	for _, v := range values {
		o := ui.Option{
			Value:    v.Name,
			Label:    v.Name,
			Count:    v.Cards,
			Counted:  true,
			Selected: slices.Contains(chosen, v.Name),
		}
		if label != nil {
			o.Label = label(v.Name)
		}
		f.Options = append(f.Options, o)
	}
	sorting.Func(f.Options, func(x, y ui.Option) int {
		return cmp.Or(display.BoolRank(y.Selected)-display.BoolRank(x.Selected), cmp.Compare(y.Count, x.Count))
	})
	return f
}

// chips are the active filters of cards, then those of prices.
func (b *pricesBuilder) chips() (chips []ui.Chip, clear string) {
	chips, clear = b.Form.Chips()
	for _, kind := range b.filter.kinds {
		chips = append(
			chips,
			ui.Chip{Label: b.Request.Loc.T("prices.kind"), Value: b.Request.Loc.T("prices.kinds." + string(kind)),
				RemoveURL: b.with(func(q *params) {
					q.filter.kinds = slices.DeleteFunc(
						slices.Clone(q.filter.kinds),
						func(k catalog.PriceKind) bool { return k == kind },
					)
				})},
		)
	}
	for _, part := range []struct {
		name  string
		field func(*priceFilter) *[]string
	}{{"seller", func(f *priceFilter) *[]string { return &f.sellers }},
		{"region", func(f *priceFilter) *[]string { return &f.regions }}} {
		for _, v := range *part.field(&b.filter) {
			chips = append(chips, ui.Chip{Label: b.Request.Loc.T("prices." + part.name), Value: v,
				RemoveURL: b.with(func(q *params) {
					list := part.field(&q.filter)
					*list = slices.DeleteFunc(slices.Clone(*list), func(x string) bool { return x == v })
				})})
		}
	}
	if len(chips) > 0 {
		clear = b.with(func(q *params) { q.query.Text, q.query.Filters, q.filter = "", nil, priceFilter{} })
	}
	return chips, clear
}

// formKeep is what the form carries on: the order, and the filters that it has no
// control for.
func (b *pricesBuilder) formKeep() []ui.Param {
	q := *b.params
	q.filter = priceFilter{}
	q.query.Text, q.query.Page, q.query.Pricing.Currency = "", 0, ""
	q.query.Filters = slices.DeleteFunc(slices.Clone(q.query.Filters), func(f catalog.Filter) bool {
		return slices.Contains(priceFacets, f.Quantity.ID) && b.OnlyPositive(f)
	})
	q.keep()
	return site.ParamsOf(q.query.Encode())
}

// priceCounts say what prices there are: by kind, and by seller, who has the most first.
func priceCounts(l *locale.Locale, s *catalog.Snapshot) (kinds []priceCount, sellers []priceCount) {
	counts := s.PriceStats()
	for _, t := range counts.Kinds {
		row := countRow(l, t, l.T("prices.kinds."+t.Name))
		row.Note, row.Sellers = l.T("prices.kindtext."+t.Name), l.Count(t.Sellers)
		kinds = append(kinds, row)
	}
	traders := slices.Clone(counts.Traders)
	sorting.Func(
		traders,
		func(a, b catalog.PriceStat) int { return cmp.Compare(b.Observations, a.Observations) },
	)
	for _, t := range traders {
		sellers = append(sellers, countRow(l, t, cmp.Or(t.Name, l.T("prices.nobody"))))
	}
	return kinds, sellers
}

func countRow(l *locale.Locale, t catalog.PriceStat, label string) priceCount {
	return priceCount{
		Label:        label,
		Observations: l.Count(t.Observations),
		Cards:        l.Count(t.Cards),
		Oldest:       string(t.Oldest),
		Newest:       string(t.Newest),
	}
}
