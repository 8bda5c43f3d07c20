package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/view"
)

// pageLimit is how many cards a page of the catalogue holds when it names no limit.
const pageLimit = 500

// facets are the categories that the catalogue counts.
var facets = []string{"vendor", "kind", "segment", "architecture", "form_factor", "memory_type"}

// rangeFields are the numbers that the catalogue has a field for; every other can
// be filtered in the address, and gets a field as soon as it is.
var rangeFields = []string{"memory_gb", "memory_bandwidth_gb_s", "bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops",
	"fp8_matrix_dense_tflops", "fp32_vector_tflops", "interconnect_gb_s", "tdp_w", "launched", "bf16_tflops_per_w", "buy_price", "price_per_bf16_tflops", "price_per_gb", "rent_price"}

// defaultFields are the columns of the catalogue, with one compute basis.
func defaultFields(basis *catalog.Quantity) []*catalog.Quantity {
	fields := []*catalog.Quantity{basis}
	for _, id := range []string{"fp32_vector_tflops", "memory_gb", "memory_type", "memory_bandwidth_gb_s", "interconnect_gb_s", "tdp_w", "architecture", "launched"} {
		if q := mustQuantity(id); q != basis {
			fields = append(fields, q)
		}
	}
	return fields
}

// columnsOf are the columns that a query shows.
func columnsOf(q catalog.Query) []*catalog.Quantity {
	if q.Fields != nil {
		return q.Fields
	}
	return defaultFields(q.Basis)
}

// cards answers /cards in all formats.
func (s *Server) cards(st *state, r *request) (plan, error) {
	if !slices.Contains([]format{html, asJSON, asCSV, markdown}, r.format) || r.path != "/cards" {
		return s.notFound(st, r)
	}
	values, onlyHere, hereErrs := hereFilter(r.values)
	values, export, exportErrs := s.exportFilter(st.snap, values)
	q, errs := st.snap.ParseQuery(values)
	errs = slices.Concat(exportErrs, hereErrs, errs)
	if export != nil {
		q.Keep = &export.keep
	}
	var present *here
	if r.format == html || onlyHere {
		present = s.here(r.Context(), st.snap)
	}
	if onlyHere {
		q.Keep = present.keep(st.snap.Len(), q.Keep)
	}
	prices, chosen := s.settle(r.loc, q.Pricing)
	q.Pricing = chosen
	snap := st.snap.Priced(prices)
	if len(errs) > 0 {
		p := api.BadParams(errs)
		if r.format != html {
			return plan{}, p
		}
		// The page shows what it understood and says what it did not.
		return plan{key: "", render: func() (answer, error) {
			a, err := s.cardsPage(st, snap, r, q, cardsChoice{export, present, onlyHere}, errs)
			a.status, a.uncached = http.StatusBadRequest, true
			return a, err
		}}, nil
	}
	render := map[format]func() (answer, error){
		html: func() (answer, error) {
			return s.cardsPage(st, snap, r, q, cardsChoice{export, present, onlyHere}, nil)
		},
		asJSON:   func() (answer, error) { return cardsJSON(st, snap, r, q), nil },
		asCSV:    func() (answer, error) { return cardsCSV(snap, r, q, export), nil },
		markdown: func() (answer, error) { return cardsMarkdown(snap, r, q, export), nil },
	}[r.format]
	if onlyHere {
		render = ofMoment(render)
	}
	return plan{key: r.address(r.loc, r.format, q.Encode()), render: render, dated: export != nil && ofToday(r.values) || usesPrices(q)}, nil
}

func cardsJSON(st *state, snap *catalog.Snapshot, r *request, q catalog.Query) answer {
	res := snap.Select(&q, pageLimit)
	next := nextPage(r, asJSON, q, res)
	body, _ := st.items.List(make([]byte, 0, 64<<10), snap, res, columnsOf(q), next)
	return answer{contentType: "application/json", body: body, link: nextLink(next)}
}

// nextPage is the address of the following page, or "".
func nextPage(r *request, f format, q catalog.Query, res catalog.Result) string {
	if res.Next == "" {
		return ""
	}
	if q.Cursor != "" {
		q.Cursor = res.Next
	} else {
		q.Page = max(1, q.Page) + 1
	}
	return r.address(r.loc, f, q.Encode())
}

func nextLink(next string) string {
	if next == "" {
		return ""
	}
	return "<" + next + `>; rel="next"`
}

// cardsPage is the catalogue as HTML; errs are the parts of the address that
// could not be read, which q lacks.
func (s *Server) cardsPage(st *state, snap *catalog.Snapshot, r *request, q catalog.Query, choice cardsChoice, errs []catalog.ParamError) (answer, error) {
	export := choice.export
	res := snap.Select(&q, pageLimit)
	b := cardsBuilder{s: snap, r: r, loc: r.loc, q: q, res: res, columns: columnsOf(q), export: export, onlyHere: choice.onlyHere,
		at: func(q catalog.Query) string { return r.address(r.loc, html, q.Encode()) }}
	v := view.Cards{Layout: withAlternates(s.layout(r, st, view.NavCards, q.Encode()), r, q.Encode())}
	v.OtherPath = otherPath(r, q, snap.Pricing())
	v.Title, v.Description = r.loc.T("cards.title"), r.loc.T("cards.description", st.snap.Len())
	v.Query, v.Total, v.Matched = q.Text, st.snap.Len(), res.Total
	if len(res.Rows) > 0 {
		v.From, v.To = res.Before+1, res.Before+len(res.Rows)
	}
	v.Presets, v.Facets, v.Ranges, v.Bases = b.presets(), b.facets(), b.ranges(errs), b.bases()
	v.Chips, v.ClearURL = b.chips()
	v.Problems = b.problems(errs, v.Ranges)
	v.Name = b.column(mustQuantity("name"))
	for _, c := range b.columns {
		v.Columns = append(v.Columns, b.column(c))
	}
	v.Rows = b.rows()
	for i, row := range res.Rows {
		v.Rows[i].Here = choice.here.badge(r.loc, row)
	}
	v.Here = choice.here != nil || choice.onlyHere
	v.OnlyHere = choice.onlyHere
	v.Shippable, v.Prices = s.shippable(b), priceChoices(r.loc, snap.Pricing())
	if export != nil {
		v.Columns = append(v.Columns, view.Column{ID: "export", Label: r.loc.T("export.title"), Title: export.heading(r.loc), Text: true})
		for i, row := range res.Rows {
			v.Rows[i].Cells = append(v.Rows[i].Cells, view.Cell{Text: wordText(export.word(r.loc, row))})
		}
	}
	v.ColumnGroups, v.ColumnsCustom, v.ResetColumnsURL = b.columnGroups(), q.Fields != nil, b.url(func(q *catalog.Query) { q.Fields = nil })
	v.FilterKeep, v.ColumnKeep = b.filterKeep(), b.columnKeep()
	v.Export = view.Export{Plot: plotOfCards(r, q), Ladder: ladderOfCards(r.loc, q), CSV: v.Alternates.CSV, JSON: v.Alternates.JSON, Markdown: v.Alternates.Markdown}
	v.Pages = b.pager()
	if res.Total == 0 {
		v.Suggestions = b.suggestions()
	}
	a, err := rendered(v.Page())
	return s.ofHere(a, choice.here), err
}

// cardsChoice is what is chosen by more than quantities, and what is known beside them.
type cardsChoice struct {
	export   *exportFilter // nil when nobody asks
	here     *here         // nil when no device is here
	onlyHere bool
}

// cardsBuilder makes the parts of the catalogue page.
type cardsBuilder struct {
	s        *catalog.Snapshot
	r        *request
	loc      *locale.Locale
	q        catalog.Query
	res      catalog.Result
	columns  []*catalog.Quantity
	export   *exportFilter // nil when nobody asks
	onlyHere bool
	at       func(catalog.Query) string // the address of the page with another query
}

// url is the address of the catalogue after a change to the query. Every change
// but one of columns leads back to the first page.
func (b *cardsBuilder) url(change func(*catalog.Query)) string {
	q := b.q
	q.Filters = slices.Clone(q.Filters)
	q.Page, q.Cursor = 0, ""
	change(&q)
	return b.at(q)
}

func (b *cardsBuilder) rows() []view.Row {
	formFactor := mustQuantity("form_factor")
	rows := make([]view.Row, len(b.res.Rows))
	cells := make([]view.Cell, len(b.res.Rows)*len(b.columns))
	notStated := b.loc.T("missing.notstated")
	for i, row := range b.res.Rows {
		c := b.s.Card(row)
		sub := c.Vendor
		if form, ok := b.s.Text(formFactor, row); ok {
			sub += " · " + form
		}
		own := cells[i*len(b.columns) : (i+1)*len(b.columns) : (i+1)*len(b.columns)]
		for j, q := range b.columns {
			if text, ok := display(b.loc, b.s, q, row); ok {
				own[j].Text = text
				if tooOld(b.s, q, row) {
					own[j].Note = b.loc.T("prices.freshness.stale")
				}
			} else {
				own[j].Missing = notStated
			}
		}
		rows[i] = view.Row{ID: c.ID, Name: c.Name, Sub: sub, Cells: own}
	}
	return rows
}

// tooOld reports whether a value of a card rests on a price that is too old to count.
func tooOld(s *catalog.Snapshot, q *catalog.Quantity, row int) bool {
	if !q.Priced() {
		return false
	}
	kind := s.Pricing().Buy
	if strings.HasPrefix(q.ID, "rent_") {
		kind = s.Pricing().Rent
	}
	quote, ok := s.Quote(row, kind, s.Pricing())
	return ok && !quote.Freshness.Current()
}

// column is the head of a column with the link to its next order: best first,
// then the other way round, then the default.
func (b *cardsBuilder) column(q *catalog.Quantity) view.Column {
	c := view.Column{ID: q.ID, Label: pick(b.loc, q.Label), Unit: unitIn(b.loc, b.s, q), Title: pick(b.loc, q.Definition), Text: q.Kind != catalog.Number}
	firstDown := q.Better == "higher" || q.Kind == catalog.Day || q.Kind == catalog.Number && q.Better == "none"
	order := b.q.Order()
	current := order[0].Quantity == q
	if current {
		c.Sort = view.Ascending
		if order[0].Descending {
			c.Sort = view.Descending
		}
	}
	c.SortURL = b.url(func(n *catalog.Query) {
		switch {
		case !current:
			n.Sort = []catalog.SortKey{{Quantity: q, Descending: firstDown}}
		case order[0].Descending == firstDown:
			n.Sort = []catalog.SortKey{{Quantity: q, Descending: !firstDown}}
		default:
			n.Sort = nil
		}
		if q == n.Basis && len(n.Sort) > 0 && n.Sort[0].Descending {
			n.Sort = nil // it is the default
		}
	})
	return c
}

func (b *cardsBuilder) facets() []view.Facet {
	var out []view.Facet
	for _, id := range facets {
		q := mustQuantity(id)
		f := view.Facet{Param: id, Label: pick(b.loc, q.Label)}
		for _, c := range b.s.Facet(b.res, q) {
			f.Options = append(f.Options, view.Option{Value: c.Value, Label: valueText(b.loc, q, c.Value), Count: c.Cards, Counted: true, Selected: c.Selected})
		}
		slices.SortStableFunc(f.Options, func(a, b view.Option) int { return boolRank(b.Selected) - boolRank(a.Selected) })
		if len(f.Options) > 0 {
			out = append(out, f)
		}
	}
	return out
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

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

// pager leads to the other pages by number.
func (b *cardsBuilder) pager() view.Pager {
	limit := pageLimit
	if b.q.Limit > 0 {
		limit = b.q.Limit
	}
	pages, current := (b.res.Total+limit-1)/limit, max(1, b.q.Page)
	if pages < 2 || b.q.Cursor != "" {
		return view.Pager{}
	}
	at := func(n int) string { return b.url(func(q *catalog.Query) { q.Page = n }) }
	var p view.Pager
	if current > 1 {
		p.Previous = at(current - 1)
	}
	if current < pages {
		p.Next = at(current + 1)
	}
	last := 0
	for n := 1; n <= pages; n++ {
		if n != 1 && n != pages && (n < current-2 || n > current+2) {
			continue
		}
		if n > last+1 {
			p.Pages = append(p.Pages, view.Link{Label: "…"})
		}
		p.Pages = append(p.Pages, view.Link{Label: b.loc.Count(n), Href: at(n), Active: n == current})
		last = n
	}
	return p
}

// preset is a question that many ask.
type preset struct{ key, query string }

var presets = []preset{
	{"preset.training", "segment=datacenter&memory_gb=%3E%3D80&interconnect_gb_s=%3E%3D600"},
	{"preset.onecard7b", "memory_gb=%3E%3D24&bf16=true&segment=desktop,workstation"},
	{"preset.inference", "tdp_w=..150&segment=datacenter"},
	{"preset.lowpower", "tdp_w=..75"},
	{"preset.china", "vendor=Huawei,Cambricon,Hygon,Moore%20Threads,Kunlunxin,Biren,MetaX,Enflame,Iluvatar"},
	{"preset.value", "segment=desktop&sort=price_per_gb&price_per_gb=any&fields=memory_gb,memory_bandwidth_gb_s,fp16_matrix_dense_tflops,fp32_vector_tflops,tdp_w,launched,buy_price,price_per_gb,price_per_gb_s,price_per_fp32_tflops"},
	{"preset.rent", "sort=rent_per_bf16_tflops_hour&rent_per_bf16_tflops_hour=any&fields=bf16_matrix_dense_tflops,memory_gb,memory_bandwidth_gb_s,interconnect_gb_s,rent_price,rent_per_bf16_tflops_hour"},
	{"preset.efficient", "sort=-bf16_tflops_per_w&bf16_tflops_per_w=any"},
}

// presets are links to common questions; one that the catalogue cannot read
// (no card of that vendor, say) is left out.
func (b *cardsBuilder) presets() []view.Link { return presetLinks(b.s, b.loc, b.q.Encode()) }

func presetLinks(s *catalog.Snapshot, l *locale.Locale, current string) []view.Link {
	var out []view.Link
	for _, p := range presets {
		q, errs := s.ParseQuery(parseQuery(p.query))
		if len(errs) > 0 || s.Select(&q, 1).Total == 0 {
			continue
		}
		out = append(out, view.Link{Label: l.T(p.key), Href: l.Path("/cards") + "?" + q.Encode(), Active: q.Encode() == current})
	}
	return out
}
