package web

import (
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/api"
	"tianti/web/chart"
)

// shareMargin is the space around what a picture for sharing shows.
const shareMargin = 60.0

// sharePicture is a picture that stands for a page where its address is shared.
type sharePicture struct {
	d *chart.Drawing
	l *locale.Locale
}

func newSharePicture(l *locale.Locale, title, desc string) *sharePicture {
	p := &sharePicture{l: l, d: &chart.Drawing{ID: "share", Lang: l.Tag(), Width: shareWidth, Height: shareHeight, Title: title, Desc: desc}}
	p.add(chart.SeriesInk(1), chart.Mark{Form: chart.Rect, W: shareWidth, H: 10})
	return p
}

func (p *sharePicture) add(ink chart.Ink, marks ...chart.Mark) {
	p.d.Groups = append(p.d.Groups, chart.Group{Ink: ink, Marks: marks})
}

// text writes from the left, in no more than a width.
func (p *sharePicture) text(ink chart.Ink, x, y, size, width float64, text string) {
	p.add(ink, chart.Mark{Form: chart.Text, X: x, Y: y, Size: size, W: width, Text: text})
}

// foot says whose picture it is, and of which day its figures are.
func (p *sharePicture) foot(s *catalog.Snapshot) {
	const y = shareHeight - 36
	p.text(chart.Name, shareMargin, y, 24, 300, p.l.T("site.name"))
	if day := s.Newest(); day != "" {
		p.add(chart.Muted, chart.Mark{Form: chart.Text, X: shareWidth - shareMargin, Y: y, Anchor: chart.End, Size: 22, Text: p.l.T("share.basis", string(day))})
	}
}

// cardShare answers /og/cards/{id}.png.
func (s *Server) cardShare(st *state, r *request) (plan, error) {
	id, ok := strings.CutPrefix(r.path, "/og/cards/")
	if !ok || r.format != asPNG {
		return s.notFound(st, r)
	}
	if err := r.only(); err != nil {
		return plan{}, err
	}
	row, ok := st.snap.Find(id)
	if !ok {
		return plan{}, api.UnknownCard(st.snap, id)
	}
	return plan{key: r.address(r.loc, asPNG, ""), render: func() (answer, error) {
		return s.pngAnswer(cardPicture(st.snap, s.paintedIn(r.loc), row), id+"-share", 1)
	}}, nil
}

// A shareTile is a figure in large letters.
type shareTile struct{ label, value, unit string }

// cardPicture is a card with four of its figures.
func cardPicture(s *catalog.Snapshot, l *locale.Locale, row int) *chart.Drawing {
	c := s.Card(row)
	p := newSharePicture(l, c.Vendor+" "+c.Name, "")
	p.text(chart.Muted, shareMargin, 100, 30, shareWidth-2*shareMargin, c.Vendor)
	p.text(chart.Name, shareMargin, 172, 62, shareWidth-2*shareMargin, c.Name)
	b := &cardBuilder{s: s, loc: l, row: row, card: c, facts: s.Facts(row)}
	var sub []string
	for _, id := range []string{"kind", "architecture", "form_factor", "launched"} {
		if text, ok := b.text(id); ok {
			sub = append(sub, text)
		}
	}
	p.text(chart.Muted, shareMargin, 226, 28, shareWidth-2*shareMargin, strings.Join(sub, " · "))
	const between = 24.0
	const width = (shareWidth - 2*shareMargin - between) / 2
	for i, t := range b.shareTiles() {
		x, y := shareMargin+float64(i%2)*(width+between), 268+float64(i/2)*144
		p.add(chart.Stripe, chart.Mark{Form: chart.Rect, X: x, Y: y, W: width, H: 124})
		p.text(chart.Muted, x+24, y+40, 24, width-48, t.label)
		p.text(chart.Name, x+24, y+98, 48, width-48, t.value)
		p.text(chart.Muted, x+36+chart.TextWidth(t.value, 48)*1.06, y+98, 28, 0, t.unit)
	}
	p.foot(s)
	return p.d
}

// shareTiles are memory, bandwidth, the headline rate, and the launch price or, where
// none is known, the power.
func (b *cardBuilder) shareTiles() []shareTile {
	rate := b.headlineRate()
	if rate == nil {
		rate = mustQuantity(catalog.DefaultBasis)
	}
	var out []shareTile
	for _, q := range []*catalog.Quantity{mustQuantity("memory_gb"), mustQuantity("memory_bandwidth_gb_s"), rate} {
		out = append(out, b.shareTile(q))
	}
	p := catalog.Pricing{Currency: usualCurrency(b.loc), Today: b.s.Newest()}
	if quote, ok := b.s.Quote(b.row, catalog.LaunchPrice, p); ok {
		return append(out, shareTile{b.loc.T("prices.kinds.launch"), quoteMoney(b.loc, quote), string(quote.Date)})
	}
	return append(out, b.shareTile(mustQuantity("tdp_w")))
}

func (b *cardBuilder) shareTile(q *catalog.Quantity) shareTile {
	t := shareTile{pick(b.loc, q.Label), "—", ""}
	if text, ok := b.text(q.ID); ok {
		t.value, t.unit = text, unit(b.loc, q)
	}
	return t
}

// compareShare answers /og/compare.png?card=….
func (s *Server) compareShare(st *state, r *request) (plan, error) {
	if r.path != "/og/compare" || r.format != asPNG {
		return s.notFound(st, r)
	}
	c := comparison{snap: st.snap}
	if err := r.besides("card").only("card"); err != nil {
		return plan{}, err
	}
	if err := c.findCards(r.values["card"]); err != nil {
		return plan{}, err
	}
	switch {
	case len(c.unknown) > 0:
		return plan{}, api.UnknownCard(st.snap, c.unknown[0])
	case len(c.rows) < 2:
		return plan{}, tooFewCards()
	}
	return plan{key: r.address(r.loc, asPNG, c.encode()), render: func() (answer, error) {
		return s.pngAnswer(compareWords{c, s.paintedIn(r.loc)}.picture(), "tianti-compare-share", 1)
	}}, nil
}

// picture is the cards with bars on five axes.
func (w compareWords) picture() *chart.Drawing {
	p := newSharePicture(w.l, w.l.T("compare.title"), w.l.T("compare.axesdesc", w.everyName()))
	top := w.shareLegend(p)
	const bottom = shareHeight - 84
	c := axesCanvas{left: shareMargin, top: top, width: shareWidth - 2*shareMargin, columns: 3, size: 24, signs: true}
	if room := (bottom - top) / 2; c.panelHeight(len(w.rows)) > room {
		c.size *= room / c.panelHeight(len(w.rows))
	}
	c.name, c.value = c.size*1.3, c.size*4.2
	p.d.Groups = append(p.d.Groups, w.panels(w.axes(), c)...)
	p.text(chart.Muted, shareMargin+2*(c.panelWidth()+axisBetween), top+c.panelHeight(len(w.rows))+c.size*1.1, min(c.size, 18), c.panelWidth(), w.l.T("share.compare"))
	p.foot(w.snap)
	return p.d
}

// shareLegend names the cards with their signs, and returns where the bars may begin.
func (w compareWords) shareLegend(p *sharePicture) float64 {
	size := 34.0
	if len(w.rows) > 3 {
		size = 26
	}
	x, y := shareMargin, 40+size
	for i, row := range w.rows {
		name := w.snap.Card(row).Vendor + " " + w.name(i)
		width := size*1.1 + chart.TextWidth(name, size)*1.04 + size
		if x > shareMargin && x+width > shareWidth-shareMargin+size {
			x, y = shareMargin, y+size*1.45
		}
		p.add(chart.SeriesInk(i), chart.Mark{Form: chart.Symbol, X: x + size*0.4, Y: y - size*0.34, Size: size * 0.75, Sign: chart.SeriesSign(i)})
		p.text(chart.Name, x+size*1.1, y, size, shareWidth-shareMargin-x-size*1.1, name)
		x += width
	}
	return y + size*0.9
}
