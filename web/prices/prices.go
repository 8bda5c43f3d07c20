package prices

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/filterform"
	"tianti/web/site"
	"tianti/web/ui"
)

// priceFacets are the categories that the page of prices counts.
var priceFacets = []string{"vendor", "segment", "architecture"}

// params is what the address of /prices asks for: cards by the query, whose
// Keep holds the parameters of the rest, and of their prices those that a filter
// keeps.
type params struct {
	query   catalog.Query
	filter  priceFilter
	sort    catalog.PriceKind // a kind, [byRent] or [byBuy]; "": by the query
	down    bool
	pricing catalog.Pricing
	snap    *catalog.Snapshot // as the pricing converts
}

// parsePrices reads the parameters of /prices. What the usual address would say
// anyway is left out of the query.
func (h *Handler) parsePrices(st *site.State, r *site.Request) (params, []catalog.ParamError) {
	var q params
	rest, errs := q.own(st.Snap, r.Values)
	query, more := st.Snap.ParseQuery(rest)
	q.query = query
	q.pricing, q.query.Pricing = h.site.ResolvePricing(r.Loc, query.Pricing)
	q.snap = st.Snap.Priced(q.pricing)
	q.keep()
	return q, append(errs, more...)
}

// own takes the parameters of prices out of an address and returns the others.
func (q *params) own(s *catalog.Snapshot, values url.Values) (rest url.Values, errs []catalog.ParamError) {
	rest = url.Values{}
	for name, given := range values {
		switch name {
		case "kind", "seller", "region":
		case "cursor", "fields", "basis":
			errs = append(errs, catalog.ParamError{Param: name, Code: catalog.UnknownParam})
		default:
			rest[name] = given
		}
	}
	filter, more := parsePriceFilter(s, values, catalog.PriceKinds())
	q.filter, errs = filter, append(errs, more...)
	name, down := strings.CutPrefix(strings.TrimSpace(values.Get("sort")), "-")
	if kind := catalog.PriceKind(name); slices.Contains(append(catalog.PriceKinds(), byRent, byBuy), kind) &&
		len(values["sort"]) == 1 {
		q.sort, q.down = kind, down
		rest.Del("sort")
	}
	return rest, errs
}

// keep chooses the cards that have a price that the filter keeps.
func (q *params) keep() {
	k := &catalog.Keep{Rows: make([]bool, q.snap.Len())}
	for row := range k.Rows {
		k.Rows[row] = slices.ContainsFunc(
			q.snap.Latest(row),
			func(p catalog.PriceInfo) bool { return q.filter.keeps(p.Price) },
		)
	}
	parts := q.filter.encode()
	if q.sort != "" {
		parts = append(parts, "sort="+map[bool]string{true: "-"}[q.down]+string(q.sort))
	}
	k.Params = strings.Join(parts, "&")
	q.query.Keep = k
}

// kinds are the kinds of prices that the page shows.
func (q *params) kinds() []catalog.PriceKind {
	if len(q.filter.kinds) > 0 {
		return q.filter.kinds
	}
	return catalog.PriceKinds()
}

// standing is what a kind of price of a card comes to, of the offers that the filter
// keeps.
func (q *params) standing(row int, kind catalog.PriceKind) catalog.Standing {
	return q.snap.Stand(row, kind, q.pricing, q.filter.keepsOffer)
}

func (q *params) standings(row int) map[catalog.PriceKind]catalog.Standing {
	out := map[catalog.PriceKind]catalog.Standing{}
	for _, kind := range q.kinds() {
		out[kind] = q.standing(row, kind)
	}
	return out
}

// find selects the cards of the page.
func (q *params) find() catalog.Result {
	if q.sort == "" && (len(q.query.Sort) > 0 || q.query.Text != "" || len(q.filter.kinds) > 0) {
		return q.snap.Select(&q.query, site.PageLimit)
	}
	every := q.query
	every.Limit, every.Page = 0, 0
	res := q.snap.Select(&every, q.snap.Len()+1)
	q.order(res.Rows)
	limit := cmp.Or(q.query.Limit, site.PageLimit)
	res.Before = min(max(0, q.query.Page-1)*limit, res.Total)
	res.Rows = res.Rows[res.Before:]
	if len(res.Rows) > limit {
		res.Rows = res.Rows[:limit]
		res.Next = q.snap.Card(res.Rows[limit-1]).ID
	}
	return res
}

// place is where a card stands in the order of the table: by class, then by amount.
type place struct {
	class  int
	amount float64
}

// order sorts cards by the chosen kind: those with a current offer, then those whose
// last price is too old, then those without; either way round. Without a choice those
// with a current price come first, otherwise as they were.
func (q *params) order(rows []int) {
	at := map[int]place{}
	for _, row := range rows {
		at[row] = q.place(row)
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		byAmount := cmp.Compare(at[a].amount, at[b].amount)
		if q.down {
			byAmount = -byAmount
		}
		return cmp.Or(cmp.Compare(at[a].class, at[b].class), byAmount)
	})
}

func (q *params) place(row int) place {
	switch q.sort {
	case byRent, byBuy:
		return q.placeNow(row, nowKinds[q.sort])
	case "":
		return place{
			class: min(q.placeNow(row, nowKinds[byRent]).class, q.placeNow(row, nowKinds[byBuy]).class) / noneNow,
		}
	}
	if in, ok := q.snap.Cheapest(row, q.sort, q.pricing, q.filter.keepsOffer); ok {
		return place{0, in.Amount()}
	}
	if st := q.standing(row, q.sort); st.Priced {
		return place{1, st.Last.In.Amount()}
	}
	return place{2, math.Inf(1)}
}

// placeNow orders by the kind that stands for a way to come by a card, then by its
// amount: prices of different kinds are not compared.
func (q *params) placeNow(row int, kinds []catalog.PriceKind) place {
	for class, kind := range kinds {
		if in, ok := q.snap.Cheapest(row, kind, q.pricing, q.filter.keepsOffer); ok {
			return place{class, in.Amount()}
		}
	}
	return place{noneNow, 0}
}

// prices answers /prices in all formats.
func (h *Handler) prices(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/prices" {
		return h.site.NotFound(st, r)
	}
	q, errs := h.parsePrices(st, r)
	if len(errs) > 0 {
		p := api.BadParams(errs)
		if r.Format != site.HTML {
			return site.Plan{}, p
		}
		return site.Plan{Key: "", Render: func() (site.Answer, error) {
			a, err := h.pricesPage(st, r, q, errs)
			a.Status, a.Uncached = http.StatusBadRequest, true
			return a, err
		}}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML:     func() (site.Answer, error) { return h.pricesPage(st, r, q, nil) },
		site.AsJSON:   func() (site.Answer, error) { return pricesJSON(r, &q) },
		site.AsCSV:    func() (site.Answer, error) { return pricesCSV(r, &q), nil },
		site.Markdown: func() (site.Answer, error) { return pricesMarkdown(r, &q), nil },
	}[r.Format]
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.query.Encode()), Render: render, Dated: true}, nil
}

// pricesPage is the table of cards that have prices; errs are the parts of the
// address that could not be read.
func (h *Handler) pricesPage(
	st *site.State,
	r *site.Request,
	q params,
	errs []catalog.ParamError,
) (site.Answer, error) {
	files := q.query // hold every row
	files.Page = 0
	q.query.Limit = cmp.Or(q.query.Limit, mostRows)
	res := q.find()
	if q.query.Limit == mostRows {
		q.query.Limit = 0
	}
	at := func(q catalog.Query) string { return r.Address(r.Loc, site.HTML, q.Encode()) }
	b := pricesBuilder{
		filterform.Form{Snap: q.snap, Request: r, Query: q.query, Result: res, At: at, Limit: mostRows},
		&q,
	}
	v := prices{Layout: site.WithAlternates(h.site.Layout(r, st, ui.NavPrices, q.query.Encode()), r, files.Encode()),
		Query: q.query.Text, Matched: res.Total, Total: st.Snap.PricedCards(), AsOf: string(q.pricing.Today)}
	v.OtherPath = site.OtherPath(r, q.query, q.pricing)
	v.Title, v.Description = r.Loc.T("prices.title"), r.Loc.T("prices.description", st.Snap.PriceCount(), v.Total)
	if len(res.Rows) > 0 {
		v.From, v.To = res.Before+1, res.Before+len(res.Rows)
	}
	v.Facets, v.Currencies, v.Keep = b.facets(), currencyOptions(r.Loc, q.pricing.Currency), b.formKeep()
	v.Chips, v.ClearURL = b.chips()
	v.Problems = b.Problems(errs, nil)
	v.Name = b.column(display.MustQuantity("name"))
	v.Selects = b.selects()
	v.Finding = b.finding()
	for _, kind := range b.columns() {
		v.Columns = append(v.Columns, b.kindColumn(kind))
	}
	for _, row := range res.Rows {
		v.Rows = append(v.Rows, b.row(row))
	}
	v.Export = ui.Export{CSV: v.Alternates.CSV, JSON: v.Alternates.JSON, Markdown: v.Alternates.Markdown}
	v.Pages = b.Pager()
	if res.Total == 0 {
		v.Suggestions = b.Suggestions()
	}
	v.Kinds, v.Sellers = priceCounts(r.Loc, st.Snap)
	v.Traders = len(v.Sellers)
	v.Sellers = v.Sellers[:min(mostSellers, len(v.Sellers))]
	return site.Rendered(v.Page())
}

// pricesBuilder makes the parts of the page. Chips and pages are those of the
// catalogue: the parameters of prices are in the query's Keep.
type pricesBuilder struct {
	filterform.Form
	*params
}

// with is the address after a change to the question.
func (b *pricesBuilder) with(change func(*params)) string {
	q := *b.params
	q.query.Filters = slices.Clone(q.query.Filters)
	q.query.Page = 0
	change(&q)
	q.keep()
	return b.Request.Address(b.Request.Loc, site.HTML, q.query.Encode())
}

// column is the head of the names.
func (b *pricesBuilder) column(name *catalog.Quantity) ui.Column {
	c := ui.Column{ID: name.ID, Label: display.Pick(b.Request.Loc, name.Label), Text: true}
	sorted := b.sort == "" && len(b.query.Sort) == 1 && b.query.Sort[0].Quantity == name
	if sorted {
		c.Sort = ui.Ascending
		if b.query.Sort[0].Descending {
			c.Sort = ui.Descending
		}
	}
	c.SortURL = b.with(func(q *params) {
		q.sort, q.query.Sort = "", []catalog.SortKey{{Quantity: name, Descending: sorted && c.Sort == ui.Ascending}}
		if c.Sort == ui.Descending {
			q.query.Sort = nil
		}
	})
	return c
}

// kindColumn is the head of a kind with the link to its next order: cheapest first,
// dearest first, then the usual.
func (b *pricesBuilder) kindColumn(kind catalog.PriceKind) ui.Column {
	l := b.Request.Loc
	label, title := l.T("prices.kinds."+string(kind)), l.T("prices.kindtext."+string(kind))
	if nowKinds[kind] != nil {
		label, title = l.T("prices.ways."+string(kind)), ""
	}
	c := ui.Column{ID: string(kind), Label: label, Unit: priceUnit(b.pricing.Currency, kind), Title: title}
	if b.sort == kind {
		c.Sort = ui.Ascending
		if b.down {
			c.Sort = ui.Descending
		}
	}
	c.SortURL = b.with(func(q *params) {
		q.query.Sort = nil
		switch c.Sort {
		case ui.Unsorted:
			q.sort, q.down = kind, false
		case ui.Ascending:
			q.down = true
		default:
			q.sort, q.down = "", false
		}
	})
	return c
}

// priceUnit is what one card costs a kind's price in: "USD", "USD/h".
func priceUnit(currency string, kind catalog.PriceKind) string {
	if kind.Rents() || kind == byRent {
		return currency + "/h"
	}
	return currency
}

func (b *pricesBuilder) row(row int) priceRow {
	c := b.snap.Card(row)
	href := b.Request.Loc.Path("/prices/" + c.ID)
	if b.query.Pricing.Currency != "" {
		href += "?currency=" + b.query.Pricing.Currency
	}
	out := priceRow{
		Card:   ui.Link{Label: c.Name, Href: href},
		Sub:    display.Vendor(b.Request.Loc, c.Vendor),
		Unsold: display.Standing(b.Request.Loc, b.snap, row),
	}
	for _, kind := range b.columns() {
		if kinds := nowKinds[kind]; kinds != nil {
			out.Cells = append(out.Cells, b.nowCell(row, kind))
		} else {
			out.Cells = append(out.Cells, standingCell(b.Request.Loc, b.standing(row, kind)))
		}
	}
	return out
}

// standingCell is the price that stands for a kind.
func standingCell(l *locale.Locale, st catalog.Standing) priceCellData {
	if st.Offers == 0 {
		return priceCellData{Missing: l.T("prices.none")}
	}
	q := st.Shown()
	cell := priceCellData{Text: display.BareMoney(l, q), Date: string(q.Date), Title: offerName(l, &q)}
	if st.Current > 1 {
		cell.Offers = l.T("prices.offers", st.Current)
	}
	switch q.Freshness {
	case catalog.Stale:
		cell.Stale = l.T("prices.freshness.stale")
	case catalog.Ageing:
		cell.Ageing = l.T("prices.freshness.ageing")
	}
	return cell
}

// condition is what the note on the price of a computer begins with, " (used, asked)": it may be used, or lack its
// memory. Kinds of prices of cards say as much themselves.
func condition(l *locale.Locale, q *catalog.Quote) string {
	note := display.Pick(l, q.Note)
	if q.Kind != catalog.ComputerPrice || note == "" {
		return ""
	}
	note, _, _ = strings.Cut(strings.ReplaceAll(note, "；", "; "), "; ")
	return l.Pick(" (", "（") + note + l.Pick(")", "）")
}

// offerName says whose offer a price is: "AWS · p5.48xlarge · us-east-1 · 8 cards".
func offerName(l *locale.Locale, q *catalog.Quote) string {
	parts := []string{q.Seller, q.Instance + condition(l, q), q.Region}
	if q.Cards > 1 {
		parts = append(parts, l.T("count.cards", q.Cards))
	}
	if q.Term > 0 {
		parts = append(parts, l.T("prices.term", q.Term))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

func currencyOptions(l *locale.Locale, chosen string) []ui.Option {
	var out []ui.Option
	for _, c := range catalog.Currencies {
		out = append(out, ui.Option{Value: c, Label: c + " " + l.T("prices.currencies."+c), Selected: c == chosen})
	}
	return out
}
