package web

import (
	"cmp"
	"slices"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/view"
)

// facets are the choices of cards, then those of prices with how many cards have one.
func (b *pricesBuilder) facets() []view.Facet {
	var out []view.Facet
	for _, id := range priceFacets {
		q := mustQuantity(id)
		f := view.Facet{Param: id, Label: pick(b.loc, q.Label)}
		for _, c := range b.snap.Facet(b.res, q) {
			if c.Cards > 0 || c.Selected {
				f.Options = append(f.Options, view.Option{Value: c.Value, Label: valueText(b.loc, q, c.Value), Count: c.Cards, Counted: true, Selected: c.Selected})
			}
		}
		out = append(out, f)
	}
	tallies := b.snap.PriceTallies()
	out = append(out, b.priceFacet("kind", everyKind(tallies.Kinds), namesOf(b.filter.kinds), func(v string) string { return b.loc.T("prices.kinds." + v) }))
	out = append(out, b.priceFacet("seller", tallies.Sellers, b.filter.sellers, nil), b.priceFacet("region", tallies.Regions, b.filter.regions, nil))
	return slices.DeleteFunc(out, func(f view.Facet) bool { return len(f.Options) == 0 })
}

// everyKind tallies all kinds, those without a price too.
func everyKind(tallies []catalog.PriceTally) []catalog.PriceTally {
	var out []catalog.PriceTally
	for _, kind := range catalog.PriceKinds() {
		t := catalog.PriceTally{Name: string(kind)}
		if i := slices.IndexFunc(tallies, func(t catalog.PriceTally) bool { return t.Name == string(kind) }); i >= 0 {
			t = tallies[i]
		}
		out = append(out, t)
	}
	return out
}

// priceFacet offers what prices are told apart by, with how many cards have some.
func (b *pricesBuilder) priceFacet(param string, values []catalog.PriceTally, chosen []string, label func(string) string) view.Facet {
	f := view.Facet{Param: param, Label: b.loc.T("prices." + param)}
	for _, v := range values {
		o := view.Option{Value: v.Name, Label: v.Name, Count: v.Cards, Counted: true, Selected: slices.Contains(chosen, v.Name)}
		if label != nil {
			o.Label = label(v.Name)
		}
		f.Options = append(f.Options, o)
	}
	slices.SortStableFunc(f.Options, func(x, y view.Option) int {
		return cmp.Or(boolRank(y.Selected)-boolRank(x.Selected), cmp.Compare(y.Count, x.Count))
	})
	return f
}

// chips are the active filters of cards, then those of prices.
func (b *pricesBuilder) chips() (chips []view.Chip, clear string) {
	chips, clear = b.cardsBuilder.chips()
	for _, kind := range b.filter.kinds {
		chips = append(chips, view.Chip{Label: b.loc.T("prices.kind"), Value: b.loc.T("prices.kinds." + string(kind)),
			RemoveURL: b.with(func(q *priceQuestion) {
				q.filter.kinds = slices.DeleteFunc(slices.Clone(q.filter.kinds), func(k catalog.PriceKind) bool { return k == kind })
			})})
	}
	for _, part := range []struct {
		name  string
		field func(*priceFilter) *[]string
	}{{"seller", func(f *priceFilter) *[]string { return &f.sellers }}, {"region", func(f *priceFilter) *[]string { return &f.regions }}} {
		for _, v := range *part.field(&b.filter) {
			chips = append(chips, view.Chip{Label: b.loc.T("prices." + part.name), Value: v,
				RemoveURL: b.with(func(q *priceQuestion) {
					list := part.field(&q.filter)
					*list = slices.DeleteFunc(slices.Clone(*list), func(x string) bool { return x == v })
				})})
		}
	}
	if len(chips) > 0 {
		clear = b.with(func(q *priceQuestion) { q.query.Text, q.query.Filters, q.filter = "", nil, priceFilter{} })
	}
	return chips, clear
}

// formKeep is what the form carries on: the order, and the filters that it has no
// control for.
func (b *pricesBuilder) formKeep() []view.Param {
	q := *b.priceQuestion
	q.filter = priceFilter{}
	q.query.Text, q.query.Page, q.query.Pricing.Currency = "", 0, ""
	q.query.Filters = slices.DeleteFunc(slices.Clone(q.query.Filters), func(f catalog.Filter) bool {
		return slices.Contains(priceFacets, f.Quantity.ID) && b.onlyPositive(f)
	})
	q.keep()
	return paramsOf(q.query.Encode())
}

// priceTallies say what prices there are: by kind, and by seller, who has the most first.
func priceTallies(l *locale.Locale, s *catalog.Snapshot) (kinds []view.PriceTally, sellers []view.PriceTally) {
	tallies := s.PriceTallies()
	for _, t := range tallies.Kinds {
		row := tallyRow(l, t, l.T("prices.kinds."+t.Name))
		row.Note, row.Sellers = l.T("prices.kindtext."+t.Name), l.Count(t.Sellers)
		kinds = append(kinds, row)
	}
	traders := slices.Clone(tallies.Traders)
	slices.SortStableFunc(traders, func(a, b catalog.PriceTally) int { return cmp.Compare(b.Observations, a.Observations) })
	for _, t := range traders {
		sellers = append(sellers, tallyRow(l, t, cmp.Or(t.Name, l.T("prices.nobody"))))
	}
	return kinds, sellers
}

func tallyRow(l *locale.Locale, t catalog.PriceTally, label string) view.PriceTally {
	return view.PriceTally{Label: label, Observations: l.Count(t.Observations), Cards: l.Count(t.Cards), Oldest: string(t.Oldest), Newest: string(t.Newest)}
}
