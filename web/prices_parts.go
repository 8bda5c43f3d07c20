package web

import (
	"cmp"
	"slices"
	"strings"

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
	sellers, regions := priceNames(b.snap)
	counts := b.cardsBy()
	out = append(out, b.priceFacet("kind", namesOf(catalog.PriceKinds()), namesOf(b.filter.kinds), counts, func(v string) string { return b.loc.T("prices.kinds." + v) }))
	out = append(out, b.priceFacet("seller", sellers, b.filter.sellers, counts, nil), b.priceFacet("region", regions, b.filter.regions, counts, nil))
	return slices.DeleteFunc(out, func(f view.Facet) bool { return len(f.Options) == 0 })
}

func (b *pricesBuilder) priceFacet(param string, values, chosen []string, counts map[string]int, label func(string) string) view.Facet {
	f := view.Facet{Param: param, Label: b.loc.T("prices." + param)}
	for _, v := range values {
		o := view.Option{Value: v, Label: v, Count: counts[param+"="+v], Counted: true, Selected: slices.Contains(chosen, v)}
		if label != nil {
			o.Label = label(v)
		}
		f.Options = append(f.Options, o)
	}
	slices.SortStableFunc(f.Options, func(x, y view.Option) int {
		return cmp.Or(boolRank(y.Selected)-boolRank(x.Selected), cmp.Compare(y.Count, x.Count))
	})
	return f
}

// cardsBy counts the cards of the catalogue that have a price, by "kind=spot",
// "seller=AWS" and "region=CN".
func (b *pricesBuilder) cardsBy() map[string]int {
	counts, last := map[string]int{}, map[string]int{}
	for _, p := range b.snap.Prices() {
		for _, key := range []string{"kind=" + string(p.Kind), "seller=" + p.Seller, "region=" + p.Region} {
			if last[key] != p.Row+1 {
				last[key] = p.Row + 1
				counts[key]++
			}
		}
	}
	return counts
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

// priceTallies count what prices there are.
func priceTallies(l *locale.Locale, s *catalog.Snapshot) (kinds []view.PriceTally, sellers []view.PriceTally) {
	byKind, bySeller := map[string]*tally{}, map[string]*tally{}
	for _, p := range s.Prices() {
		countIn(byKind, string(p.Kind), p)
		if p.Kind != catalog.LaunchPrice {
			countIn(bySeller, p.Seller, p)
		}
	}
	for _, kind := range catalog.PriceKinds() {
		if t := byKind[string(kind)]; t != nil {
			row := t.row(l, l.T("prices.kinds."+string(kind)))
			row.Note, row.Sellers = l.T("prices.kindtext."+string(kind)), l.Count(len(t.sellers))
			kinds = append(kinds, row)
		}
	}
	var names []string
	for name := range bySeller {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(bySeller[b].observations, bySeller[a].observations), strings.Compare(a, b))
	})
	for _, name := range names {
		sellers = append(sellers, bySeller[name].row(l, cmp.Or(name, l.T("prices.nobody"))))
	}
	return kinds, sellers
}

// A tally counts some of the prices.
type tally struct {
	observations   int
	cards          map[int]bool
	sellers        map[string]bool
	oldest, newest catalog.Date
}

func countIn(tallies map[string]*tally, key string, p catalog.PriceInfo) {
	t := tallies[key]
	if t == nil {
		t = &tally{cards: map[int]bool{}, sellers: map[string]bool{}, oldest: p.Date}
		tallies[key] = t
	}
	t.observations++
	t.cards[p.Row] = true
	t.sellers[p.Seller] = true
	if p.Date != "" {
		t.newest = max(t.newest, p.Date)
		if t.oldest == "" || p.Date < t.oldest {
			t.oldest = p.Date
		}
	}
}

func (t *tally) row(l *locale.Locale, label string) view.PriceTally {
	return view.PriceTally{Label: label, Observations: l.Count(t.observations), Cards: l.Count(len(t.cards)), Oldest: string(t.oldest), Newest: string(t.newest)}
}
