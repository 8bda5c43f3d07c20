package filterform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/site"
	"tianti/web/ui"
)

// Ranges are the fields for numbers: the usual ones and those that the address
// filters by.
func (b *Form) Ranges(errs []catalog.ParamError) []ui.Range {
	ids := slices.Clone(rangeFields)
	wrong := map[string]catalog.ParamError{}
	for _, e := range errs {
		if q, ok := catalog.LookupQuantity(e.Param); ok && q.Numeric() {
			wrong[e.Param] = e
			ids = append(ids, e.Param)
		}
	}
	set := map[string]string{}
	for _, f := range b.Query.Filters {
		if f.Quantity.Numeric() {
			set[f.Quantity.ID] = f.Expression()
			ids = append(ids, f.Quantity.ID)
		}
	}
	var out []ui.Range
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		q := display.MustQuantity(id)
		rg := ui.Range{Param: id, Label: display.Pick(b.Request.Loc, q.Label),
			Unit: display.UnitIn(b.Request.Loc, b.Snap, q), Value: set[id], Hint: b.extent(q)}
		if e, bad := wrong[id]; bad {
			rg.Value, rg.Error = b.Request.Values.Get(id), display.ParamText(b.Request.Loc, e)
		}
		out = append(out, rg)
	}
	return out
}

// extent says between which values the catalogue lies, in the syntax of filters.
func (b *Form) extent(q *catalog.Quantity) string {
	lo, hi, ok := b.Snap.Extent(q)
	switch {
	case !ok:
		return ""
	case q.Kind == catalog.Day:
		return fmt.Sprintf("%d..%d", int(lo)/10000, int(hi)/10000)
	}
	plain := func(v float64) string { return strings.ReplaceAll(b.Request.Loc.Number(v), "\u202f", "") }
	return plain(lo) + ".." + plain(hi)
}

// Problems are the errors that no field of the page shows.
func (b *Form) Problems(errs []catalog.ParamError, ranges []ui.Range) []string {
	var out []string
	for _, e := range errs {
		if !slices.ContainsFunc(ranges, func(r ui.Range) bool { return r.Param == e.Param && r.Error != "" }) {
			out = append(out, display.ParamText(b.Request.Loc, e))
		}
	}
	return out
}

// Chips are the active filters, each with the address that drops it.
func (b *Form) Chips() (chips []ui.Chip, clear string) {
	if b.Query.Text != "" {
		chips = append(chips, ui.Chip{Label: b.Request.Loc.T("overview.search"), Value: b.Query.Text,
			RemoveURL: b.URL(func(q *catalog.Query) { q.Text = "" })})
	}
	for i, f := range b.Query.Filters {
		chips = append(chips, ui.Chip{Label: display.Pick(b.Request.Loc, f.Quantity.Label),
			Value:     filterWithUnit(b.Request.Loc, b.Snap, &f),
			RemoveURL: b.URL(func(q *catalog.Query) { q.Filters = slices.Delete(q.Filters, i, i+1) })})
	}
	for _, k := range b.Keeps {
		chips = append(chips, ui.Chip{Label: k.Label, Value: k.Value,
			RemoveURL: b.URL(func(q *catalog.Query) { q.Keep = nil })})
	}
	if len(chips) > 0 {
		clear = b.URL(func(q *catalog.Query) { q.Text, q.Filters, q.Keep = "", nil, nil })
	}
	return chips, clear
}

// ChoiceText says by what a query chooses cards; nothing where it takes all.
func ChoiceText(l *locale.Locale, s *catalog.Snapshot, q *catalog.Query) string {
	var parts []string
	if q.Text != "" {
		parts = append(parts, l.T("overview.search")+l.T("colon")+q.Text)
	}
	for i := range q.Filters {
		f := &q.Filters[i]
		parts = append(parts, display.Pick(l, f.Quantity.Label)+l.T("colon")+filterWithUnit(l, s, f))
	}
	return strings.Join(parts, l.T("list.clauses"))
}

// filterWithUnit is what a filter asks for, with the unit of its numbers.
func filterWithUnit(l *locale.Locale, s *catalog.Snapshot, f *catalog.Filter) string {
	return strings.TrimSpace(filterText(l, f) + " " + display.UnitIn(l, s, f.Quantity))
}

// filterText is what a filter asks for, in the reader's words where its values have some.
func filterText(l *locale.Locale, f *catalog.Filter) string {
	terms := make([]string, len(f.Terms))
	for i, t := range f.Terms {
		terms[i] = display.ValueText(l, f.Quantity, t.Text)
		if f.Quantity.Kind == catalog.Flag {
			terms[i] = cmp.Or(display.FlagText(l, t.Text), t.Text)
		}
		if t.Not {
			terms[i] = "!" + terms[i]
		}
	}
	return strings.Join(terms, l.T("list.separator"))
}

// Suggestions are the filters that, dropped, give cards again.
func (b *Form) Suggestions() []ui.Link {
	var out []ui.Link
	try := func(label string, change func(*catalog.Query)) {
		q := b.Query
		q.Filters = slices.Clone(q.Filters)
		q.Page, q.Cursor = 0, ""
		change(&q)
		if n := b.Snap.Select(&q, 1).Total; n > 0 {
			out = append(out, ui.Link{Label: b.Request.Loc.T("empty.without", label), Href: b.At(q),
				Note: b.Request.Loc.T("count.cards", n)})
		}
	}
	if b.Query.Text != "" {
		try(b.Query.Text, func(q *catalog.Query) { q.Text = "" })
	}
	for _, k := range b.Keeps {
		if k.Suggest {
			try(k.Label, func(q *catalog.Query) { q.Keep = nil })
		}
	}
	for i, f := range b.Query.Filters {
		try(display.Pick(b.Request.Loc, f.Quantity.Label)+" "+filterText(b.Request.Loc, &f), func(q *catalog.Query) {
			q.Filters = slices.Delete(q.Filters, i, i+1)
		})
	}
	return out
}

// FilterKeep is what the filter form carries on: order and columns, and the
// filters that it has no control for.
func (b *Form) FilterKeep() []ui.Param {
	keep := b.params(func(q *catalog.Query) {
		q.Text, q.Basis, q.Page, q.Cursor, q.Keep, q.Pricing = "", nil, 0, "", nil, catalog.Pricing{}
		q.Filters = slices.DeleteFunc(q.Filters, func(f catalog.Filter) bool {
			return f.Quantity.Numeric() || slices.Contains(Facets, f.Quantity.ID) && b.OnlyPositive(f)
		})
	})
	return keep
}

// OnlyPositive reports whether checkboxes can express the filter.
func (b *Form) OnlyPositive(f catalog.Filter) bool {
	return !slices.ContainsFunc(f.Terms, func(t catalog.Term) bool {
		return t.Not || t.Text == "any" ||
			t.Text == "none"
	})
}

func (b *Form) ColumnKeep() []ui.Param {
	return b.params(func(q *catalog.Query) { q.Fields, q.Page, q.Cursor = nil, 0, "" })
}

// params are the parameters of the query after a change.
func (b *Form) params(change func(*catalog.Query)) []ui.Param {
	q := b.Query
	q.Filters = slices.Clone(q.Filters)
	change(&q)
	return site.ParamsOf(q.Encode())
}
