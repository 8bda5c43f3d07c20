package cards

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/web/api"
	"tianti/web/display"
	webexport "tianti/web/exportcontrol"
	"tianti/web/filterform"
	"tianti/web/ladders"
	weblive "tianti/web/live"
	webplot "tianti/web/plot"
	"tianti/web/site"
	"tianti/web/ui"
)

// cards answers /cards in all formats.
func (h *Handler) cards(st *site.State, r *site.Request) (site.Plan, error) {
	if !slices.Contains([]site.Format{site.HTML, site.AsJSON, site.AsCSV, site.Markdown}, r.Format) ||
		r.Path != "/cards" {
		return h.site.NotFound(st, r)
	}
	values, onlyHere, hereErrs := weblive.HereFilter(r.Values)
	values, export, exportErrs := h.Export.ExportFilter(st.Snap, values)
	q, errs := st.Snap.ParseQuery(values)
	errs = slices.Concat(exportErrs, hereErrs, errs)
	if export != nil {
		q.Keep = &export.Keep
	}
	var present *weblive.Here
	switch {
	case onlyHere:
		present = h.Live.Here(r.Context(), st.Snap, weblive.FilterPatience)
	case r.Format == site.HTML:
		present = h.Live.Here(r.Context(), st.Snap, 0)
	}
	if onlyHere {
		q.Keep = present.Keep(st.Snap.Len(), q.Keep)
	}
	prices, chosen := h.site.ResolvePricing(r.Loc, q.Pricing)
	q.Pricing = chosen
	snap := st.Snap.Priced(prices)
	if len(errs) > 0 {
		p := api.BadParams(errs)
		if r.Format != site.HTML {
			return site.Plan{}, p
		}
		// The page shows what it understood and says what it did not.
		return site.Plan{Key: "", Render: func() (site.Answer, error) {
			a, err := h.cardsPage(st, snap, r, q, choices{export, present, onlyHere}, errs)
			a.Status, a.Uncached = http.StatusBadRequest, true
			return a, err
		}}, nil
	}
	render := map[site.Format]func() (site.Answer, error){
		site.HTML: func() (site.Answer, error) {
			return h.cardsPage(st, snap, r, q, choices{export, present, onlyHere}, nil)
		},
		site.AsJSON: func() (site.Answer, error) {
			return cardsJSON(st, snap, q, func(query string) string { return r.Address(r.Loc, site.AsJSON, query) }),
				nil
		},
		site.AsCSV:    func() (site.Answer, error) { t := newTable(snap, r, q, export); return t.csv(), nil },
		site.Markdown: func() (site.Answer, error) { t := newTable(snap, r, q, export); return t.markdown(), nil },
	}[r.Format]
	if onlyHere {
		render = weblive.OfMoment(render)
	}
	return site.Plan{Key: r.Address(r.Loc, r.Format, q.Encode()), Render: render, Dated: export != nil &&
		webexport.OfToday(r.Values) || display.UsesPrices(q)}, nil
}

// cardsPage is the catalogue as HTML; errs are the parts of the address that
// could not be read, which q lacks.
func (h *Handler) cardsPage(st *site.State, snap *catalog.Snapshot, r *site.Request, q catalog.Query, choice choices,
	errs []catalog.ParamError) (site.Answer, error) {
	export := choice.export
	b := newTable(snap, r, q, export)
	res := b.Result
	if choice.onlyHere {
		b.Keeps = append(b.Keeps, filterform.KeptBy{Label: r.Loc.T("livepage.title"),
			Value: r.Loc.T("livepage.filter")})
	}
	v := cards{Layout: site.WithAlternates(h.site.Layout(r, st, ui.NavCards, q.Encode()), r, q.Encode())}
	whole := q
	whole.Limit = cmp.Or(q.Limit, site.PageLimit) // as many cards as the page shows
	v.Alternates.JSON = r.Address(r.Loc, site.AsJSON, whole.Encode())
	if res.Total > len(res.Rows) { // a file has no pages
		whole.Limit, whole.Page, whole.Cursor = catalog.MaxLimit, 0, ""
		v.Alternates.CSV = r.Address(r.Loc, site.AsCSV, whole.Encode())
	}
	v.OtherPath = site.OtherPath(r, q, snap.Pricing())
	v.Title, v.Description = r.Loc.T("cards.title"), r.Loc.T("cards.description", st.Snap.Len())
	v.Query, v.Total, v.Matched = q.Text, st.Snap.Len(), res.Total
	if len(res.Rows) > 0 {
		v.From, v.To = res.Before+1, res.Before+len(res.Rows)
	}
	v.Presets, v.Facets, v.Ranges, v.Bases = filterform.PresetLinks(snap, r.Loc, q.Encode()), b.Facets(),
		b.Ranges(errs), b.bases()
	v.Chips, v.ClearURL = b.Chips()
	v.Problems = b.Problems(errs, v.Ranges)
	v.Name = b.head(display.MustQuantity("name"))
	columns := b.columns()
	for _, c := range columns {
		v.Columns = append(v.Columns, c.head)
	}
	v.Rows = b.rows(columns)
	for i, row := range res.Rows {
		v.Rows[i].Here = choice.here.Badge(r.Loc, row)
	}
	v.Here = choice.here != nil || choice.onlyHere
	v.OnlyHere = choice.onlyHere
	v.Shippable, v.Prices = shippable(r.Loc, export), display.PriceChoices(r.Loc, snap.Pricing())
	v.ColumnGroups, v.ColumnsCustom, v.ResetColumnsURL = b.columnGroups(), q.Fields != nil,
		b.URL(func(q *catalog.Query) { q.Fields = nil })
	v.FilterKeep, v.ColumnKeep = b.FilterKeep(), b.ColumnKeep()
	v.Export = ui.Export{Plot: webplot.PlotOfCards(r, q), Ladder: ladders.LadderOfCards(r.Loc, q),
		CSV: v.Alternates.CSV, JSON: v.Alternates.JSON, Markdown: v.Alternates.Markdown}
	v.Pages = b.Pager()
	if res.Total == 0 {
		v.Suggestions = b.Suggestions()
	}
	a, err := site.Rendered(v.Page())
	return h.Live.OfHere(a, choice.here), err
}

// choices is what is chosen by more than quantities, and what is known beside them.
type choices struct {
	export   *webexport.ExportFilter // nil when nobody asks
	here     *weblive.Here           // nil when no device is here
	onlyHere bool
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
