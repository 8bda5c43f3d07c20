package compare

import (
	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/site"
)

// compareShare answers /og/png?card=….
func (h *Handler) compareShare(st *site.State, r *site.Request) (site.Plan, error) {
	if r.Path != "/og/compare" || r.Format != site.AsPNG {
		return h.site.NotFound(st, r)
	}
	c := Comparison{Snap: st.Snap}
	c.export, _ = h.export.Question(nil)
	if err := r.WithoutParam("card").Only("card"); err != nil {
		return site.Plan{}, err
	}
	if err := c.findCards(r.Values["card"], false); err != nil {
		return site.Plan{}, err
	}
	switch {
	case len(c.Unknown) > 0:
		return site.Plan{}, api.UnknownCard(st.Snap, c.Unknown[0])
	case len(c.Rows) < 2:
		return site.Plan{}, tooFewCards()
	}
	return site.Plan{Key: r.Address(r.Loc, site.AsPNG, c.encode()), Render: func() (site.Answer, error) {
		f := h.factsOf(st, &c)
		return h.site.PNGAnswer(CompareWords{c, h.site.PaintedIn(r.Loc)}.picture(f), "tianti-compare-share", 1)
	}}, nil
}

// picture is the cards with five panels: speeds as far as they are known, and figures of the makers.
func (w CompareWords) picture(f *facts) *chart.Drawing {
	axes := w.speedPanels(f, w.findings(f))
	estimated := f.fits != nil && len(axes) > 0
	axes = append(axes[:min(len(axes), 3):min(len(axes), 3)], w.axes()...)[:5]
	p := site.NewSharePicture(w.L, w.L.T("title"), w.L.T("axesdesc", w.everyName()))
	top := w.shareLegend(p)
	const bottom = site.ShareHeight - 84
	c := AxesCanvas{
		Left:    site.ShareMargin,
		Top:     top,
		Width:   site.ShareWidth - 2*site.ShareMargin,
		Columns: 3,
		Size:    24,
		Signs:   true,
	}
	if room := (bottom - top) / 2; c.panelHeight(len(w.Rows)) > room {
		c.Size *= room / c.panelHeight(len(w.Rows))
	}
	c.Name, c.Value = c.Size*1.3, c.Size*4.2
	p.Drawing.Groups = append(p.Drawing.Groups, w.panels(axes, c).groups()...)
	if estimated {
		p.Text(
			chart.Muted,
			site.ShareMargin+2*(c.panelWidth()+axisBetween),
			top+c.panelHeight(len(w.Rows))+c.Size*1.1,
			min(c.Size, 18),
			c.panelWidth(),
			w.L.T("share.compare"),
		)
	}
	p.Foot(w.Snap)
	return p.Drawing
}

// shareLegend names the cards with their signs, and returns where the bars may begin.
func (w CompareWords) shareLegend(p *site.SharePicture) float64 {
	size := 34.0
	if len(w.Rows) > 3 {
		size = 26
	}
	x, y := site.ShareMargin, 40+size
	for i, row := range w.Rows {
		name := w.Snap.Card(row).Vendor + " " + w.name(i)
		width := size*1.1 + chart.TextWidth(name, size)*1.04 + size
		if x > site.ShareMargin && x+width > site.ShareWidth-site.ShareMargin+size {
			x, y = site.ShareMargin, y+size*1.45
		}
		p.Add(
			chart.SeriesInk(i),
			chart.Mark{
				Form: chart.Symbol,
				X:    x + size*0.4,
				Y:    y - size*0.34,
				Size: size * 0.75,
				Sign: chart.SeriesSign(i),
			},
		)
		p.Text(chart.Name, x+size*1.1, y, size, site.ShareWidth-site.ShareMargin-x-size*1.1, name)
		x += width
	}
	return y + size*0.9
}
