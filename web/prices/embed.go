package prices

import (
	"strings"

	"tianti/web/api"
	"tianti/web/site"
	"tianti/web/ui"
)

// embed answers /embed/prices/{id}: the price line of a card, for a frame in a page of another site.
func (h *Handler) embed(st *site.State, r *site.Request) (site.Plan, error) {
	id, ok := strings.CutPrefix(r.Path, "/embed/prices/")
	if !ok || r.Format != site.HTML {
		return h.site.NotFound(st, r)
	}
	if err := r.Only("currency"); err != nil {
		return site.Plan{}, err
	}
	row, ok := st.Snap.Find(id)
	if !ok {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	q := cardParams{row: row}
	pricing, chosen, errs := h.currency(r)
	if len(errs) > 0 {
		return site.Plan{}, api.BadParams(errs)
	}
	q.pricing, q.chosen = pricing, chosen.Currency
	q.standings = StandingsOf(st.Snap, row, q.pricing)
	q.tenure, _ = parseTenure(nil, st.Snap.Card(row), q.standings)
	q.tenure.fill(st.Snap, row)
	b := &cardPricesBuilder{s: h, st: st, r: r, l: r.Loc, q: &q}
	render := b.reading(func() (site.Answer, error) {
		v := b.view()
		v.Canonical = r.Loc.Path("/prices/" + id)
		if q.chosen != "" {
			v.Canonical += "?currency=" + q.chosen
		}
		return site.Rendered(ui.EmbeddedDrawing(v.Layout, v.Title, v.Chart, v.Finding))
	})
	return site.Plan{Key: r.Address(r.Loc, site.HTML, q.encode()), Dated: true, Render: render}, nil
}
