package web

import (
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
	switch {
	case onlyHere:
		present = s.here(r.Context(), st.snap, filterPatience)
	case r.format == html:
		present = s.here(r.Context(), st.snap, 0)
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
