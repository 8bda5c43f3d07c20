package serving

import (
	"tianti/sizing"
	"tianti/sizing/serving"
	"tianti/web/api"
	"tianti/web/chart"
)

// A size is what a drawing of the load has room for.
type size struct {
	id, class     string
	width, height float64
	ticks         int
}

var (
	wide   = size{"load-wide", "wide", 860, 220, 8}
	narrow = size{"load-narrow", "narrow", 340, 190, 4}
)

const (
	chartLeft   = 66
	chartBottom = 40
	panelGap    = 30
)

// chart draws TTFT and TPOT against the load of one replica, below each other; empty where nothing is known.
func (b *builder) chart(p *serving.Plan, curve []api.ServeLoad) string {
	if len(curve) < 2 {
		return ""
	}
	out := ""
	for _, s := range []size{wide, narrow} {
		out += string(b.drawing(p, curve, s).SVG(chart.InPage))
	}
	return out
}

func (b *builder) drawing(p *serving.Plan, curve []api.ServeLoad, s size) *chart.Drawing {
	d := &chart.Drawing{ID: s.id, Class: s.class, Lang: b.L.Tag(), Width: s.width, Height: 2*s.height + panelGap,
		Title: b.t("chart.title"), Desc: b.t("chart.desc", b.Figure(curve[0].RateRPS),
			b.Figure(curve[len(curve)-1].RateRPS))}
	target := &p.Request.Target
	token := 0.0
	if v := speedOf(target); v > 0 {
		token = 1 / v
	}
	b.panel(d, p, curve, s, 0, b.t("chart.ttft"), target.TTFT, 0, func(x *api.ServeLoad) sizing.Range { return x.TTFT })
	b.panel(d, p, curve, s, s.height+panelGap, b.t("chart.tpot"), token, 1,
		func(x *api.ServeLoad) sizing.Range { return x.TPOT })
	return d
}

// panel draws one time in milliseconds over the requests per second: the interval as two fine lines, the target and
// the capacity as lines of reference.
func (b *builder) panel(d *chart.Drawing, p *serving.Plan, curve []api.ServeLoad, s size, top float64, name string,
	target float64, ink int, of func(*api.ServeLoad) sizing.Range) {
	most := target
	for i := range curve {
		most = max(most, of(&curve[i]).High)
	}
	right, bottom := s.width-14, top+s.height-chartBottom
	x, err := chart.NewAxis(chart.LinearScale, 0, curve[len(curve)-1].RateRPS*1.05, chartLeft, right)
	y, bad := chart.NewAxis(chart.LinearScale, 0, most*1000*1.06, bottom, top+24)
	if err != nil || bad != nil {
		return
	}
	add := func(ink chart.Ink, marks ...chart.Mark) {
		d.Groups = append(d.Groups, chart.Group{Ink: ink, Marks: marks})
	}
	line := func(points ...chart.Point) chart.Mark { return chart.Mark{Form: chart.Line, Points: points} }
	for _, v := range y.Ticks(5) {
		add(chart.Grid, line(chart.Point{X: chartLeft, Y: y.At(v)}, chart.Point{X: right, Y: y.At(v)}))
		add(chart.Tick, chart.Mark{Form: chart.Text, X: chartLeft - 6, Y: y.At(v) + 4, Anchor: chart.End,
			Text: b.L.Number(v)})
	}
	for _, v := range x.Ticks(s.ticks) {
		add(chart.Tick, chart.Mark{Form: chart.Text, X: x.At(v), Y: bottom + 16, Anchor: chart.Middle,
			Text: b.L.Number(v)})
	}
	add(chart.Axis, line(chart.Point{X: chartLeft, Y: bottom}, chart.Point{X: right, Y: bottom}))
	add(chart.Name, chart.Mark{Form: chart.Text, X: 4, Y: top + 14, Text: name, Size: 12},
		chart.Mark{Form: chart.Text, X: (chartLeft + s.width) / 2, Y: bottom + 34, Anchor: chart.Middle,
			Text: b.t("chart.rate"), Size: 12})
	expected, low, high := line(), line(), line()
	for i := range curve {
		at, r := x.At(curve[i].RateRPS), of(&curve[i])
		expected.Points = append(expected.Points, chart.Point{X: at, Y: y.At(r.Expected * 1000)})
		low.Points = append(low.Points, chart.Point{X: at, Y: y.At(r.Low * 1000)})
		high.Points = append(high.Points, chart.Point{X: at, Y: y.At(r.High * 1000)})
	}
	add(chart.Leader, low, high)
	if target > 0 {
		add(chart.Ref, line(chart.Point{X: chartLeft, Y: y.At(target * 1000)}, chart.Point{X: right,
			Y: y.At(target * 1000)}))
		add(chart.Label, chart.Mark{Form: chart.Text, X: chartLeft + 4, Y: y.At(target*1000) - 5,
			Text: b.t("chart.target", b.ms(target))})
	}
	if c := p.Capacity.RateRPS; c > 0 {
		add(chart.Leader, line(chart.Point{X: x.At(c), Y: top + 24}, chart.Point{X: x.At(c), Y: bottom}))
		add(chart.Muted, chart.Mark{Form: chart.Text, X: x.At(c) - 4, Y: top + 34, Anchor: chart.End,
			Text: b.t("chart.capacity", b.Figure(c))})
	}
	add(chart.SeriesInk(ink), expected)
}
