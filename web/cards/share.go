package cards

import (
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/display"
	"tianti/web/site"
)

// cardShare answers /og/cards/{id}.png.
func (h *Handler) cardShare(st *site.State, r *site.Request) (site.Plan, error) {
	id, ok := strings.CutPrefix(r.Path, "/og/cards/")
	if !ok || r.Format != site.AsPNG {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	row, ok := st.Snap.Find(id)
	if !ok {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	return site.Plan{Key: r.Address(r.Loc, site.AsPNG, ""), Render: func() (site.Answer, error) {
		return h.site.PNGAnswer(cardPicture(st.Snap, h.site.PaintedIn(r.Loc), row), id+"-share", 1)
	}}, nil
}

// A shareTile is a figure in large letters.
type shareTile struct{ label, value, unit string }

// cardPicture is a card with four of its figures.
func cardPicture(s *catalog.Snapshot, l *locale.Locale, row int) *chart.Drawing {
	c := s.Card(row)
	p := site.NewSharePicture(l, c.Vendor+" "+c.Name, "")
	p.Text(chart.Muted, site.ShareMargin, 100, 30, site.ShareWidth-2*site.ShareMargin, c.Vendor)
	p.Text(chart.Name, site.ShareMargin, 172, 62, site.ShareWidth-2*site.ShareMargin, c.Name)
	b := &cardBuilder{s: s, loc: l, row: row, card: c, facts: s.Facts(row)}
	var sub []string
	for _, id := range []string{"kind", "architecture", "form_factor", "launched"} {
		if text, ok := b.text(id); ok {
			sub = append(sub, text)
		}
	}
	p.Text(chart.Muted, site.ShareMargin, 226, 28, site.ShareWidth-2*site.ShareMargin, strings.Join(sub, " · "))
	const between = 24.0
	const width = (site.ShareWidth - 2*site.ShareMargin - between) / 2
	for i, t := range b.shareTiles() {
		x, y := site.ShareMargin+float64(i%2)*(width+between), 268+float64(i/2)*144
		p.Add(chart.Stripe, chart.Mark{Form: chart.Rect, X: x, Y: y, W: width, H: 124})
		p.Text(chart.Muted, x+24, y+40, 24, width-48, t.label)
		p.Text(chart.Name, x+24, y+98, 48, width-48, t.value)
		p.Text(chart.Muted, x+36+chart.TextWidth(t.value, 48)*1.06, y+98, 28, 0, t.unit)
	}
	p.Foot(s)
	return p.Drawing
}

// shareTiles are memory, bandwidth, the headline rate, and the launch price or, where
// none is known, the power.
func (b *cardBuilder) shareTiles() []shareTile {
	rate := display.HeadlineRate(b.facts)
	if rate == nil {
		rate = display.MustQuantity(catalog.DefaultBasis)
	}
	var out []shareTile
	for _, q := range []*catalog.Quantity{display.MustQuantity("memory_gb"),
		display.MustQuantity("memory_bandwidth_gb_s"), rate} {
		out = append(out, b.shareTile(q))
	}
	p := catalog.Pricing{Currency: display.UsualCurrency(b.loc), Today: b.s.Newest()}
	if quote, ok := b.s.Quote(b.row, catalog.LaunchPrice, p); ok {
		return append(out, shareTile{b.loc.T("prices.kinds.launch"), display.QuoteMoney(b.loc, quote),
			string(quote.Date)})
	}
	return append(out, b.shareTile(display.MustQuantity("tdp_w")))
}

func (b *cardBuilder) shareTile(q *catalog.Quantity) shareTile {
	t := shareTile{display.Pick(b.loc, q.Label), "—", ""}
	if text, ok := b.text(q.ID); ok {
		t.value, t.unit = text, display.Unit(b.loc, q)
	}
	return t
}
