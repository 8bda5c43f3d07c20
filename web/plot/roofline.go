package plot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/locale"
	"tianti/plot"
	"tianti/web/chart"
	"tianti/web/display"
	"tianti/web/ui"
)

// rooflineBuilder makes the section on rooflines: of one card in all its precisions,
// or of several cards in one.
type rooflineBuilder struct {
	snap  *catalog.Snapshot
	l     *locale.Locale
	roofs []namedRoof
	cards int
}

// A namedRoof is a roof with what tells it from the others.
type namedRoof struct {
	plot.Roof
	row    int
	label  string // "BF16", "H100 SXM5 80GB"
	unit   string
	series int // its look
}

// join gives one line the name of another precision with the same rate.
func (r *namedRoof) join(p plot.Precision) {
	r.label += ", " + p.Name
	if unit := display.MustQuantity(p.Rate).Unit; unit != r.unit {
		r.unit += ", " + unit
	}
}

// CardRoofline is the section of a card's page; nil where no rate or no bandwidth is
// known.
func CardRoofline(l *locale.Locale, snap *catalog.Snapshot, row int) *Roofline {
	b := &rooflineBuilder{snap: snap, l: l, cards: 1}
	for i, p := range plot.Precisions {
		roof, ok := plot.RoofOf(snap, row, p)
		if !ok {
			continue
		}
		same := slices.IndexFunc(
			b.roofs,
			func(r namedRoof) bool { return r.Peak == roof.Peak && r.Bytes == roof.Bytes },
		)
		if same >= 0 { // one line has both names
			b.roofs[same].join(p)
			continue
		}
		b.roofs = append(b.roofs, namedRoof{roof, row, p.Name, display.MustQuantity(p.Rate).Unit, i})
	}
	if len(b.roofs) == 0 {
		return nil
	}
	return b.section(nil)
}

// Rooflines is the section of a comparison: the cards in rows in one precision. href
// is the address of the comparison in another precision. Cards without a rate or
// a bandwidth are named beneath.
func Rooflines(
	l *locale.Locale,
	snap *catalog.Snapshot,
	rows []int,
	p plot.Precision,
	href func(plot.Precision) string,
) *Roofline {
	b := &rooflineBuilder{snap: snap, l: l, cards: len(rows)}
	var left []string
	for i, row := range rows {
		c := snap.Card(row)
		if roof, ok := plot.RoofOf(snap, row, p); ok {
			b.roofs = append(b.roofs, namedRoof{roof, row, c.Name, display.MustQuantity(p.Rate).Unit, i})
		} else {
			left = append(left, l.T("roofline.norate", display.CardName(l, c), p.Name))
		}
	}
	v := b.section(left)
	for _, other := range plot.Precisions {
		known := slices.ContainsFunc(rows, func(row int) bool { _, ok := plot.RoofOf(snap, row, other); return ok })
		if known || other.ID == p.ID {
			v.Choices = append(v.Choices, ui.Link{Label: other.Name, Href: href(other), Active: other.ID == p.ID})
		}
	}
	if len(v.Choices) < 2 && len(b.roofs) == 0 {
		return nil
	}
	return v
}

func (b *rooflineBuilder) section(left []string) *Roofline {
	l := b.l
	v := &Roofline{
		ID:     "roofline",
		Note:   l.T("roofline.note"),
		Left:   left,
		Source: ui.Link{Label: plot.RooflineSource.Title, Href: plot.RooflineSource.URL},
	}
	for _, w := range plot.Works {
		v.Works = append(v.Works, rooflineWork{Name: display.Pick(l, w.Name), Formula: display.Pick(l, w.Formula)})
	}
	if len(b.roofs) == 0 {
		return v
	}
	for i := range b.roofs {
		v.Rows = append(v.Rows, b.row(&b.roofs[i]))
	}
	width := 860.0 // beside the rail of a card's page
	if b.cards > 1 {
		width = 1180
	}
	wide := canvas{id: "roofwide", class: "wide", width: width, height: 460, ticksX: 8, ticksY: 8, symbol: 10}
	narrow := canvas{id: "roofnarrow", class: "narrow", width: 328, height: 360, ticksX: 5, ticksY: 6, symbol: 9}
	v.Chart = b.drawing(wide) + b.drawing(narrow)
	return v
}

// row is a roof in numbers.
func (b *rooflineBuilder) row(r *namedRoof) rooflineRow {
	out := rooflineRow{
		Name:  ui.Link{Label: r.label},
		Basis: b.l.T("card.dense"),
		Peak:  b.number(r.Peak),
		Unit:  r.unit,
		Ridge: b.number(r.Ridge()),
	}
	if strings.Contains(r.Rate, "_vector_") {
		out.Basis = b.l.T("card.vector")
	}
	if b.cards > 1 {
		c := b.snap.Card(r.row)
		out.Name = ui.Link{Label: display.CardName(b.l, c), Href: b.l.Path("/cards/" + c.ID)}
	}
	for _, w := range plot.Works {
		rate := r.At(w.Intensity(r.Precision))
		out.Marks = append(out.Marks, rooflineMark{Rate: b.number(rate), Percent: b.l.Percent(rate / r.Peak)})
	}
	return out
}

// number writes a rate or an intensity, which are no more exact than this.
func (b *rooflineBuilder) number(v float64) string { return b.l.Number(display.Significant(v, 3)) }

// drawing draws the roofs with the marks of the works, as SVG for a page.
func (b *rooflineBuilder) drawing(c canvas) string {
	f := &frame{canvas: c, top: 4}
	var keys []key
	for i := range b.roofs {
		keys = append(keys, key{text: b.roofs[i].label, series: b.roofs[i].series})
	}
	f.legend(keys)
	roofs := make([]plot.Roof, len(b.roofs))
	for i := range b.roofs {
		roofs[i] = b.roofs[i].Roof
	}
	lo, hi := plot.IntensityExtent(roofs)
	least, most := math.Inf(1), 0.0
	for _, r := range roofs {
		least, most = min(least, r.At(lo)), max(most, r.Peak)
	}
	if err := f.axes(axisExtent{chart.LogScale, lo, hi, false, b.number, b.l.T("roofline.x")},
		axisExtent{chart.LogScale, least, most * 1.3, false, b.number, b.l.T("roofline.y")}); err != nil {
		return "" // rates and bandwidths are positive
	}
	b.guides(f)
	b.lines(f, lo, hi)
	b.marks(f)
	d := &chart.Drawing{
		ID:     c.id,
		Class:  c.class,
		Lang:   b.l.Tag(),
		Width:  c.width,
		Height: c.height,
		Title:  b.l.T("roofline.name"),
		Desc:   b.l.T("roofline.desc", b.labels()),
		Groups: f.groups,
	}
	return string(d.SVG(chart.InPage))
}

func (b *rooflineBuilder) labels() string {
	var names []string
	for _, r := range b.roofs {
		names = append(names, r.label)
	}
	return strings.Join(names, b.l.T("list.separator"))
}

// guides are lines at the intensity of each work, where all roofs have the same.
func (b *rooflineBuilder) guides(f *frame) {
	for _, r := range b.roofs {
		if r.Bytes != b.roofs[0].Bytes {
			return
		}
	}
	before := math.Inf(-1)
	for _, w := range plot.Works {
		at := f.x.At(w.Intensity(b.roofs[0].Precision))
		f.add(chart.Ref, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: at, Y: f.top}, {X: at, Y: f.bottom}}})
		name := chart.Mark{
			Form: chart.FreeText,
			X:    at - 4,
			Y:    f.bottom - 6,
			Size: tickSize,
			Text: display.Pick(b.l, w.Name),
		}
		if at < (f.left+f.right)/2 { // the roofs are low here
			name.Y, name.Anchor = f.top+4, chart.End
		}
		if at-before < 2*tickSize { // no room left of the line
			name.X = at + tickSize
		}
		f.add(chart.Muted, name)
		before = at
	}
}

// lines are the roofs, the lowest last so that none hides another.
func (b *rooflineBuilder) lines(f *frame, lo, hi float64) {
	order := make([]int, len(b.roofs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.roofs[j].Peak, b.roofs[i].Peak) })
	for _, i := range order {
		r := &b.roofs[i]
		place := func(x float64) chart.Point { return chart.Point{X: f.x.At(x), Y: f.y.At(r.At(x))} }
		ridge := min(max(r.Ridge(), lo), hi)
		f.add(
			chart.SeriesInk(r.series),
			chart.Mark{Form: chart.Line, Points: []chart.Point{place(lo), place(ridge), place(hi)}},
		)
	}
}

// marks are the works on each roof.
func (b *rooflineBuilder) marks(f *frame) {
	for i := range b.roofs {
		r := &b.roofs[i]
		var marks, numbers []chart.Mark
		for n, w := range plot.Works {
			at := w.Intensity(r.Precision)
			marks = append(
				marks,
				chart.Mark{
					Form: chart.Symbol,
					X:    f.x.At(at),
					Y:    f.y.At(r.At(at)),
					Size: f.symbol,
					Sign: chart.SeriesSign(r.series),
					Title: b.l.T(
						"roofline.mark",
						r.label,
						display.Pick(b.l, w.Name),
						b.number(r.At(at))+" "+r.unit,
						b.number(at),
					),
				},
			)
			numbers = append(
				numbers,
				chart.Mark{
					Form:   chart.Text,
					X:      f.x.At(at),
					Y:      f.y.At(r.At(at)) - 8,
					Size:   10.5,
					Anchor: chart.Middle,
					Text:   b.l.Count(n + 1),
				},
			)
		}
		f.add(chart.SeriesInk(r.series), marks...)
		if b.cards == 1 {
			f.add(chart.Muted, numbers...)
		}
	}
}
