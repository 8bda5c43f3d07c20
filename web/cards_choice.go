package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/view"
)

// ranges are the fields for numbers: the usual ones and those that the address
// filters by.
func (b *cardsBuilder) ranges(errs []catalog.ParamError) []view.Range {
	ids := slices.Clone(rangeFields)
	wrong := map[string]catalog.ParamError{}
	for _, e := range errs {
		if q, ok := catalog.LookupQuantity(e.Param); ok && q.Numeric() {
			wrong[e.Param] = e
			ids = append(ids, e.Param)
		}
	}
	set := map[string]string{}
	for _, f := range b.q.Filters {
		if f.Quantity.Numeric() {
			set[f.Quantity.ID] = f.Expression()
			ids = append(ids, f.Quantity.ID)
		}
	}
	var out []view.Range
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		q := mustQuantity(id)
		rg := view.Range{Param: id, Label: pick(b.loc, q.Label), Unit: unitIn(b.loc, b.s, q), Value: set[id], Hint: b.extent(q)}
		if e, bad := wrong[id]; bad {
			rg.Value, rg.Error = b.r.values.Get(id), paramText(b.loc, e)
		}
		out = append(out, rg)
	}
	return out
}

// extent says between which values the catalogue lies, in the syntax of filters.
func (b *cardsBuilder) extent(q *catalog.Quantity) string {
	lo, hi, ok := b.s.Extent(q)
	switch {
	case !ok:
		return ""
	case q.Kind == catalog.Day:
		return fmt.Sprintf("%d..%d", int(lo)/10000, int(hi)/10000)
	}
	plain := func(v float64) string { return strings.ReplaceAll(b.loc.Number(v), "\u202f", "") }
	return plain(lo) + ".." + plain(hi)
}

// problems are the errors that no field of the page shows.
func (b *cardsBuilder) problems(errs []catalog.ParamError, ranges []view.Range) []string {
	var out []string
	for _, e := range errs {
		if !slices.ContainsFunc(ranges, func(r view.Range) bool { return r.Param == e.Param && r.Error != "" }) {
			out = append(out, paramText(b.loc, e))
		}
	}
	return out
}

func (b *cardsBuilder) bases() []view.Option {
	var out []view.Option
	for _, q := range catalog.Bases() {
		if q == b.q.Basis || b.s.Coverage(q) > 0 {
			value := q.ID
			if q.ID == catalog.DefaultBasis {
				value = "" // the default stays out of the address
			}
			out = append(out, view.Option{Value: value, Label: pick(b.loc, q.Label), Selected: q == b.q.Basis})
		}
	}
	return out
}

// chips are the active filters, each with the address that drops it.
func (b *cardsBuilder) chips() (chips []view.Chip, clear string) {
	if b.q.Text != "" {
		chips = append(chips, view.Chip{Label: b.loc.T("overview.search"), Value: b.q.Text, RemoveURL: b.url(func(q *catalog.Query) { q.Text = "" })})
	}
	for i, f := range b.q.Filters {
		chips = append(chips, view.Chip{Label: pick(b.loc, f.Quantity.Label), Value: filterWithUnit(b.loc, b.s, &f),
			RemoveURL: b.url(func(q *catalog.Query) { q.Filters = slices.Delete(q.Filters, i, i+1) })})
	}
	if b.export != nil {
		chips = append(chips, view.Chip{Label: b.export.heading(b.loc), Value: b.export.chosen(b.loc), RemoveURL: b.url(func(q *catalog.Query) { q.Keep = nil })})
	}
	if b.onlyHere {
		chips = append(chips, view.Chip{Label: b.loc.T("livepage.title"), Value: b.loc.T("livepage.filter"), RemoveURL: b.url(func(q *catalog.Query) { q.Keep = nil })})
	}
	if len(chips) > 0 {
		clear = b.url(func(q *catalog.Query) { q.Text, q.Filters, q.Keep = "", nil, nil })
	}
	return chips, clear
}

// choiceText says by what a query chooses cards; nothing where it takes all.
func choiceText(l *locale.Locale, s *catalog.Snapshot, q *catalog.Query) string {
	var parts []string
	if q.Text != "" {
		parts = append(parts, l.T("overview.search")+l.T("colon")+q.Text)
	}
	for i := range q.Filters {
		f := &q.Filters[i]
		parts = append(parts, pick(l, f.Quantity.Label)+l.T("colon")+filterWithUnit(l, s, f))
	}
	return strings.Join(parts, l.T("list.clauses"))
}

// filterWithUnit is what a filter asks for, with the unit of its numbers.
func filterWithUnit(l *locale.Locale, s *catalog.Snapshot, f *catalog.Filter) string {
	return strings.TrimSpace(filterText(l, f) + " " + unitIn(l, s, f.Quantity))
}

// filterText is what a filter asks for, in the reader's words where its values have some.
func filterText(l *locale.Locale, f *catalog.Filter) string {
	terms := make([]string, len(f.Terms))
	for i, t := range f.Terms {
		terms[i] = valueText(l, f.Quantity, t.Text)
		if f.Quantity.Kind == catalog.Flag {
			terms[i] = cmp.Or(flagText(l, t.Text), t.Text)
		}
		if t.Not {
			terms[i] = "!" + terms[i]
		}
	}
	return strings.Join(terms, l.T("list.separator"))
}

// suggestions are the filters that, dropped, give cards again.
func (b *cardsBuilder) suggestions() []view.Link {
	var out []view.Link
	try := func(label string, change func(*catalog.Query)) {
		q := b.q
		q.Filters = slices.Clone(q.Filters)
		q.Page, q.Cursor = 0, ""
		change(&q)
		if n := b.s.Select(&q, 1).Total; n > 0 {
			out = append(out, view.Link{Label: b.loc.T("empty.without", label), Href: b.at(q), Note: b.loc.T("count.cards", n)})
		}
	}
	if b.q.Text != "" {
		try(b.q.Text, func(q *catalog.Query) { q.Text = "" })
	}
	if b.export != nil {
		try(b.export.heading(b.loc), func(q *catalog.Query) { q.Keep = nil })
	}
	for i, f := range b.q.Filters {
		try(pick(b.loc, f.Quantity.Label)+" "+filterText(b.loc, &f), func(q *catalog.Query) { q.Filters = slices.Delete(q.Filters, i, i+1) })
	}
	return out
}

func (b *cardsBuilder) columnGroups() []view.ColumnGroup {
	var groups []view.ColumnGroup
	for _, q := range catalog.Quantities() {
		if q.Kind == catalog.Name || b.s.Coverage(q) == 0 {
			continue
		}
		label := b.loc.T("group." + q.Group)
		if len(groups) == 0 || groups[len(groups)-1].Label != label {
			if i := slices.IndexFunc(groups, func(g view.ColumnGroup) bool { return g.Label == label }); i < 0 {
				groups = append(groups, view.ColumnGroup{Label: label})
			}
		}
		i := slices.IndexFunc(groups, func(g view.ColumnGroup) bool { return g.Label == label })
		groups[i].Options = append(groups[i].Options, view.Option{Value: q.ID, Label: pick(b.loc, q.Label), Selected: slices.Contains(b.columns, q)})
	}
	return groups
}

// filterKeep is what the filter form carries on: order and columns, and the
// filters that it has no control for.
func (b *cardsBuilder) filterKeep() []view.Param {
	keep := b.params(func(q *catalog.Query) {
		q.Text, q.Basis, q.Page, q.Cursor, q.Keep, q.Pricing = "", nil, 0, "", nil, catalog.Pricing{}
		q.Filters = slices.DeleteFunc(q.Filters, func(f catalog.Filter) bool {
			return f.Quantity.Numeric() || slices.Contains(facets, f.Quantity.ID) && b.onlyPositive(f)
		})
	})
	return keep
}

// onlyPositive reports whether checkboxes can express the filter.
func (b *cardsBuilder) onlyPositive(f catalog.Filter) bool {
	return !slices.ContainsFunc(f.Terms, func(t catalog.Term) bool { return t.Not || t.Text == "any" || t.Text == "none" })
}

func (b *cardsBuilder) columnKeep() []view.Param {
	return b.params(func(q *catalog.Query) { q.Fields, q.Page, q.Cursor = nil, 0, "" })
}

// params are the parameters of the query after a change.
func (b *cardsBuilder) params(change func(*catalog.Query)) []view.Param {
	q := b.q
	q.Filters = slices.Clone(q.Filters)
	change(&q)
	return paramsOf(q.Encode())
}
