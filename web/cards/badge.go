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

// badge answers /badge/{id}.svg: a card with its memory and bandwidth in one line, for pages of other people.
func (h *Handler) badge(st *site.State, r *site.Request) (site.Plan, error) {
	id, ok := strings.CutPrefix(r.Path, "/badge/")
	if !ok || r.Format != site.AsSVG {
		return h.site.NotFound(st, r)
	}
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	row, ok := st.Snap.Find(id)
	if !ok {
		return site.Plan{}, api.UnknownCard(st.Snap, id)
	}
	return site.Plan{Key: r.Address(r.Loc, site.AsSVG, ""), Render: func() (site.Answer, error) {
		return site.SVGAnswer(badgePicture(st.Snap, r.Loc, row), id+"-badge"), nil
	}}, nil
}

// Lengths of a badge, in CSS pixels.
const (
	badgeHeight = 24.0
	badgeSize   = 12.5
	badgeMargin = 9.0
)

// badgePicture is the name on the left, and what is known of memory and bandwidth on the right.
func badgePicture(s *catalog.Snapshot, l *locale.Locale, row int) *chart.Drawing {
	c := s.Card(row)
	b := &cardBuilder{s: s, loc: l, row: row, card: c, facts: s.Facts(row)}
	var figures []string
	for _, id := range []string{"memory_gb", "memory_bandwidth_gb_s"} {
		if text, ok := b.withUnit(id); ok {
			figures = append(figures, text)
		}
	}
	said := strings.Join(figures, " · ")
	switch {
	case said == "":
		said = l.T("site.name")
	case !s.OnSale(row):
		said += " · " + display.UnsoldWord(l, s, row)
	}
	// Fonts differ: a tenth more room than the measured width.
	left := chart.TextWidth(c.Name, badgeSize)*1.1 + 2*badgeMargin
	right := chart.TextWidth(said, badgeSize)*1.1 + 2*badgeMargin
	const base = badgeHeight/2 + badgeSize*0.36
	return &chart.Drawing{ID: "badge", Lang: l.Tag(), Width: left + right, Height: badgeHeight,
		Title: c.Vendor + " " + c.Name + l.T("colon") + said,
		Groups: []chart.Group{
			{Ink: chart.Mine, Marks: []chart.Mark{{Form: chart.Rect, W: left, H: badgeHeight}}},
			{Ink: chart.Stripe, Marks: []chart.Mark{{Form: chart.Rect, X: left, W: right, H: badgeHeight}}},
			{Ink: chart.OnMine, Marks: []chart.Mark{{Form: chart.Text, X: badgeMargin, Y: base, Size: badgeSize,
				Text: c.Name}}},
			{Ink: chart.Name, Marks: []chart.Mark{{Form: chart.Text, X: left + badgeMargin, Y: base,
				Size: badgeSize, Text: said}}},
		}}
}
