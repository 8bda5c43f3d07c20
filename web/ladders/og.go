package ladders

import (
	"slices"
	"strings"

	"tianti/ladder"
	"tianti/web/chart"
	"tianti/web/display"
	"tianti/web/site"
)

// shareMost is how many cards a picture for sharing holds.
const shareMost = 10

// ladderShare answers /og/ladders/{basis}.png: the picture that stands for a ladder
// where its address is shared.
func (h *Handler) ladderShare(st *site.State, r *site.Request) (site.Plan, error) {
	id, ok := strings.CutPrefix(r.Path, "/og/ladders/")
	if !ok || r.Format != site.AsPNG || strings.Contains(strings.TrimPrefix(id, ladder.MeasuredPrefix), "/") {
		return h.site.NotFound(st, r)
	}
	q, errs := h.readParams(st, r, id)
	if len(errs) > 0 {
		return site.Plan{}, ladderProblem(errs)
	}
	picture := func(b *ladderBuilder) (site.Answer, error) {
		if err := b.drawable(); err != nil {
			return site.Answer{}, err
		}
		return h.site.PNGAnswer(b.drawn().share(), b.fileName()+"-share", 1)
	}
	return site.Plan{
		Key:    r.Address(r.Loc, site.AsPNG, q.encode()),
		Render: h.ladderAnswer(st, r, q, picture),
		Dated:  q.priced,
	}, nil
}

// share draws the ten best cards with bars from the tenth's band upwards.
func (b *ladderBuilder) share() *chart.Drawing {
	t := b.t
	d := &chart.Drawing{
		ID:     "share",
		Lang:   b.l.Tag(),
		Width:  site.ShareWidth,
		Height: site.ShareHeight,
		Title:  b.heading(),
		Desc:   b.describe(),
	}
	groups := map[chart.Ink][]chart.Mark{}
	text := func(ink chart.Ink, x, y float64, anchor chart.Anchor, size float64, s string) {
		groups[ink] = append(
			groups[ink],
			chart.Mark{Form: chart.Text, X: x, Y: y, W: widthOf(ink, x), Anchor: anchor, Size: size, Text: s},
		)
	}
	top := t.Places[:min(shareMost, len(t.Places))]
	text(chart.Name, 60, 78, chart.Start, 42, b.finding())
	about := []string{b.l.T("ladders.best", len(top), len(t.Places)), b.unit(), b.chosen()}
	text(
		chart.Muted,
		60,
		116,
		chart.Start,
		22,
		strings.Join(slices.DeleteFunc(about, func(s string) bool { return s == "" }), " · "),
	)
	best := top[0].Ratio
	pitch := 43.0
	for i := range top {
		p := &top[i]
		y := 172 + float64(i)*pitch
		text(chart.Muted, 104, y, chart.End, 22, rank(p))
		text(chart.Label, 122, y, chart.Start, 24, b.name(p.Row))
		text(chart.Name, site.ShareWidth-60, y, chart.End, 24, b.number(p.Value))
		ink := chart.GenerationInk(b.generation(p.Row))
		groups[ink] = append(
			groups[ink],
			chart.Mark{Form: chart.Rect, X: 620, Y: y - 16, W: max(3, p.Ratio/best*380), H: 16},
		)
	}
	text(chart.Muted, 60, site.ShareHeight-28, chart.Start, 20, b.footerOfShare())
	inks := []chart.Ink{chart.Muted, chart.Name, chart.Label}
	for i := range chart.Generations {
		inks = append(inks, chart.GenerationInk(i))
	}
	for _, ink := range inks {
		if len(groups[ink]) > 0 {
			d.Groups = append(d.Groups, chart.Group{Ink: ink, Marks: groups[ink]})
		}
	}
	return d
}

// widthOf is what a text of a picture for sharing must fit into.
func widthOf(ink chart.Ink, x float64) float64 {
	if ink == chart.Label {
		return 500 // up to the bars
	}
	return site.ShareWidth - 60 - min(x, 60)
}

func (b *ladderBuilder) footerOfShare() string {
	parts := []string{b.l.T("site.name")}
	if day := display.DataDay(b.l, b.st.Snap); day != "" {
		parts = append(parts, b.l.T("foot.asof", day))
	}
	return strings.Join(parts, " · ")
}
