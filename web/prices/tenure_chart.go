package prices

import (
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/chart"
	"tianti/web/display"
)

// A tenureSize is what a drawing of both costs has room for.
type tenureSize struct {
	id, class     string
	width, height float64
	xTicks        int
}

var (
	wideTenure   = tenureSize{"tenure-wide", "wide", 860, 340, 8}
	narrowTenure = tenureSize{"tenure-narrow", "narrow", 340, 300, 4}
)

const (
	tenureLeft   = 74
	tenureBottom = 44
)

// tenureDrawing draws what owning and renting cost over the hours of use, to a
// quarter beyond the first service life, with the crossing marked.
func tenureDrawing(l *locale.Locale, currency string, t sizing.Tenure, verdict string, size tenureSize) *chart.Drawing {
	last := t.Life() * 5 / 4
	most := max(t.Own(last), t.Rented(last))
	x := axisOf(chart.LinearScale, 0, last, tenureLeft, size.width-14)
	y := axisOf(chart.LinearScale, 0, most*1.06, size.height-tenureBottom, 34)
	d := &chart.Drawing{ID: size.id, Class: size.class, Lang: l.Tag(), Width: size.width, Height: size.height,
		Title: l.T("tenure.chart.title", currency), Desc: l.T("tenure.chart.desc", verdict)}
	add := func(ink chart.Ink, marks ...chart.Mark) {
		d.Groups = append(d.Groups, chart.Group{Ink: ink, Marks: marks})
	}
	var grid, texts []chart.Mark
	for _, v := range y.Ticks(6) {
		grid = append(grid, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: tenureLeft, Y: y.At(v)},
			{X: size.width - 14, Y: y.At(v)}}})
		texts = append(texts, chart.Mark{Form: chart.Text, X: tenureLeft - 6, Y: y.At(v) + 4, Anchor: chart.End,
			Text: l.Number(v)})
	}
	for _, v := range x.Ticks(size.xTicks) {
		texts = append(texts, chart.Mark{Form: chart.Text, X: x.At(v), Y: size.height - tenureBottom + 16,
			Anchor: chart.Middle, Text: l.Number(v)})
	}
	add(chart.Grid, grid...)
	add(chart.Axis, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: tenureLeft, Y: size.height - tenureBottom},
		{X: size.width - 14, Y: size.height - tenureBottom}}})
	add(chart.Tick, texts...)
	add(chart.Name, chart.Mark{Form: chart.Text, X: 4, Y: 12, Text: currency, Size: 12},
		chart.Mark{Form: chart.Text, X: (tenureLeft + size.width) / 2, Y: size.height - 8, Anchor: chart.Middle,
			Text: l.T("tenure.chart.hours"), Size: 12})
	if h, ok := t.BreakEven(); ok {
		add(chart.Ref, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: x.At(h), Y: y.At(t.Rented(h))},
			{X: x.At(h), Y: size.height - tenureBottom}}})
	}
	add(chart.SeriesInk(0), ownLine(t, last, x, y))
	add(chart.SeriesInk(1), chart.Mark{Form: chart.Line, Points: []chart.Point{{X: x.At(0), Y: y.At(0)},
		{X: x.At(last), Y: y.At(t.Rented(last))}}})
	at := tenureLeft + 0.0
	for i, name := range []string{l.T("tenure.chart.own"), l.T("tenure.chart.rent")} {
		add(chart.SeriesInk(i), chart.Mark{Form: chart.Line, Points: []chart.Point{{X: at, Y: 9}, {X: at + 18, Y: 9}}})
		add(chart.Label, chart.Mark{Form: chart.Text, X: at + 24, Y: 13, Text: name})
		at += 24 + chart.TextWidth(name, 12) + 20
	}
	if h, ok := t.BreakEven(); ok {
		add(chart.SeriesInk(1), chart.Mark{Form: chart.Symbol, X: x.At(h), Y: y.At(t.Rented(h)), Size: 9,
			Sign: chart.Circle, Title: verdict})
		anchor, dx := chart.Start, 8.0
		if x.At(h) > size.width*0.85 {
			anchor, dx = chart.End, -8
		}
		add(chart.Label, chart.Mark{Form: chart.Text, X: x.At(h) + dx, Y: y.At(t.Rented(h)) + 18, Anchor: anchor,
			Text: l.Number(display.Significant(h, 4)) + " h"})
	}
	return d
}

// ownLine is the cost of owning: straight within a service life, with a step up at each
// purchase.
func ownLine(t sizing.Tenure, last float64, x, y chart.Scale) chart.Mark {
	line := chart.Mark{Form: chart.Line, Points: []chart.Point{{X: x.At(0), Y: y.At(0)}}}
	add := func(h, cost float64) { line.Points = append(line.Points, chart.Point{X: x.At(h), Y: y.At(cost)}) }
	for n := 0.0; n*t.Life() < last; n++ {
		from, to := n*t.Life(), min((n+1)*t.Life(), last)
		add(from, t.WriteOff()*(n+1)+t.Electricity()*from)
		add(to, t.WriteOff()*(n+1)+t.Electricity()*to)
	}
	return line
}

// tenureChart is the drawing for wide and narrow windows.
func (b *cardPricesBuilder) tenureChart(t sizing.Tenure, verdict string) string {
	out := ""
	for _, size := range []tenureSize{wideTenure, narrowTenure} {
		out += string(tenureDrawing(b.l, b.q.pricing.Currency, t, verdict, size).SVG(chart.InPage))
	}
	return out
}
