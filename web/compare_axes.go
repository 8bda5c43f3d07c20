package web

import (
	"math"
	"strings"

	"tianti/catalog"
	"tianti/web/chart"
	"tianti/web/view"
)

// A comparedAxis is one quantity of the bars: what each card has of it as a share of
// the best.
type comparedAxis struct {
	label, unit string
	cells       []axisCell
}

// An axisCell is the bar of one card.
type axisCell struct {
	text    string  // the value, or why there is none
	share   float64 // of the best of the axis; 0 draws no bar
	percent string  // the same as text; empty for the best
}

// axes are the five that stand for a card: memory, its bandwidth, the 16-bit matrix
// rate, the FP32 vector rate, and a rate for each watt. More is better on all.
func (w compareWords) axes() []comparedAxis {
	rate := w.commonRate()
	efficiency := w.axis(mustQuantity("fp32_gflops_per_w"))
	efficiency.label = w.l.T("compare.fp32perwatt")
	if rate != nil && rate.ID == catalog.DefaultBasis {
		efficiency = w.axis(mustQuantity("bf16_tflops_per_w"))
		efficiency.label = w.l.T("compare.bf16perwatt")
	}
	return []comparedAxis{w.axis(mustQuantity("memory_gb")), w.axis(mustQuantity("memory_bandwidth_gb_s")), w.rateAxis(rate), w.axis(mustQuantity("fp32_vector_tflops")), efficiency}
}

// commonRate is the basis of dense 16-bit matrix rates that most cards state, at
// least two of them; nil where each stands alone.
func (w compareWords) commonRate() *catalog.Quantity {
	var best *catalog.Quantity
	most := 1
	for _, id := range []string{catalog.DefaultBasis, "fp16_matrix_dense_tflops", "fp16_acc16_matrix_dense_tflops"} {
		n := 0
		for _, row := range w.rows {
			if _, ok := w.snap.Number(mustQuantity(id), row); ok {
				n++
			}
		}
		if n > most {
			best, most = mustQuantity(id), n
		}
	}
	return best
}

// rateAxis is the axis of the common rate; cards that state another basis say so.
func (w compareWords) rateAxis(rate *catalog.Quantity) comparedAxis {
	a := comparedAxis{label: w.l.T("compare.ratesnobasis"), unit: w.l.T("compare.nobasis"), cells: make([]axisCell, len(w.rows))}
	if rate != nil {
		a = w.axis(rate)
	}
	for i := range w.rows {
		c := &a.cells[i]
		if c.share > 0 {
			continue
		}
		c.text = "—"
		if bases := w.basesOf("16-bit", i); bases != "" {
			c.text = w.l.T("compare.otherbasis", bases)
		}
	}
	return a
}

func (w compareWords) axis(q *catalog.Quantity) comparedAxis {
	a := comparedAxis{label: pick(w.l, q.Label), unit: unit(w.l, q), cells: make([]axisCell, len(w.rows))}
	best := 0.0
	for _, row := range w.rows {
		if v, ok := w.snap.Number(q, row); ok {
			best = max(best, v)
		}
	}
	for i, row := range w.rows {
		v, ok := w.snap.Number(q, row)
		if !ok || best <= 0 {
			a.cells[i].text = "—"
			continue
		}
		a.cells[i] = axisCell{text: w.l.Number(v), share: v / best}
		if v < best {
			a.cells[i].percent = " · " + w.l.Percent(significant(v/best, 2))
		}
	}
	return a
}

// axesView is the section of the page.
func (b *compareBuilder) axesView() view.CompareAxes {
	axes := b.axes()
	wide := b.axesDrawing(axes, axesCanvas{id: "axeswide", class: "wide", width: 1180, columns: 3, name: 152, value: 104, size: 12.5})
	narrow := b.axesDrawing(axes, axesCanvas{id: "axesnarrow", class: "narrow", width: 328, columns: 1, name: 130, value: 96, size: 12})
	return view.CompareAxes{Chart: string(wide.SVG(chart.InPage)) + string(narrow.SVG(chart.InPage))}
}

// axesDrawing sets a panel for each axis, in columns.
func (w compareWords) axesDrawing(axes []comparedAxis, c axesCanvas) *chart.Drawing {
	rows := (len(axes) + c.columns - 1) / c.columns
	d := &chart.Drawing{ID: c.id, Class: c.class, Lang: w.l.Tag(), Width: c.width, Height: math.Ceil(c.panelHeight(len(w.rows))*float64(rows) - c.size*(axisGap-0.6)),
		Title: w.l.T("compare.axes"), Desc: w.l.T("compare.axesdesc", w.everyName())}
	d.Groups = w.panels(axes, c)
	return d
}

// An axesCanvas is where the bars of axes are drawn.
type axesCanvas struct {
	id, class   string
	left, top   float64
	width       float64
	columns     int
	name, value float64 // room for names before the bars and for numbers behind them
	size        float64 // of texts
	signs       bool    // the signs of a legend stand for the names
}

// Measures of a panel, in sizes of its texts.
const (
	axisHead  = 1.7
	axisPitch = 1.9
	axisGap   = 1.6
	axisBar   = 1.15

	axisBetween = 28 // panels, in CSS pixels
)

func (c *axesCanvas) panelHeight(cards int) float64 {
	return c.size * (axisHead + axisPitch*float64(cards) + axisGap)
}

func (c *axesCanvas) panelWidth() float64 {
	return (c.width - axisBetween*float64(c.columns-1)) / float64(c.columns)
}

// panels are the marks of all axes.
func (w compareWords) panels(axes []comparedAxis, c axesCanvas) []chart.Group {
	m := &axesMarks{axesCanvas: c, bars: make([][]chart.Mark, len(w.rows))}
	for n, a := range axes {
		x, y := c.left+float64(n%c.columns)*(c.panelWidth()+axisBetween), c.top+float64(n/c.columns)*c.panelHeight(len(w.rows))
		m.panel(w, a, x, y)
	}
	return m.groups()
}

// axesMarks collects marks by how they look.
type axesMarks struct {
	axesCanvas
	bars                [][]chart.Mark // by card
	heads, texts, units []chart.Mark
}

func (m *axesMarks) groups() []chart.Group {
	out := make([]chart.Group, 0, len(m.bars)+3)
	for i, bars := range m.bars {
		out = append(out, chart.Group{Ink: chart.SeriesInk(i), Marks: bars})
	}
	return append(out, chart.Group{Ink: chart.Name, Marks: m.heads}, chart.Group{Ink: chart.Label, Marks: m.texts}, chart.Group{Ink: chart.Muted, Marks: m.units})
}

// panel is the bars of one axis: whose they are before them, numbers behind them.
func (m *axesMarks) panel(w compareWords, a comparedAxis, x, y float64) {
	text := func(into *[]chart.Mark, x, y, room float64, s string) {
		*into = append(*into, chart.Mark{Form: chart.Text, X: x, Y: y, W: room, Size: m.size, Text: s})
	}
	width := m.panelWidth()
	unit := 0.0
	if a.unit != "" {
		unit = chart.TextWidth(a.unit, m.size) + 8
		m.units = append(m.units, chart.Mark{Form: chart.Text, X: x + width, Y: y + m.size*1.1, Anchor: chart.End, Size: m.size, Text: a.unit})
	}
	text(&m.heads, x, y+m.size*1.1, width-unit, a.label)
	for i, cell := range a.cells {
		top := y + m.size*(axisHead+axisPitch*float64(i))
		base := top + m.size*0.95
		if m.signs {
			m.bars[i] = append(m.bars[i], chart.Mark{Form: chart.Symbol, X: x + m.size*0.5, Y: top + m.size*axisBar/2, Size: m.size * 0.8, Sign: chart.SeriesSign(i)})
		} else {
			text(&m.texts, x, base, m.name-8, w.name(i))
		}
		at := x + m.name
		if cell.share > 0 {
			length := max(1.5, cell.share*(width-m.name-m.value))
			m.bars[i] = append(m.bars[i], chart.Mark{Form: chart.Rect, X: at, Y: top, W: length, H: m.size * axisBar})
			at += length + 6
		}
		if !m.signs {
			cell.text += cell.percent
		}
		text(&m.texts, at, base, x+width-at, cell.text)
	}
}

func (w compareWords) everyName() string {
	names := make([]string, len(w.rows))
	for i := range w.rows {
		names[i] = w.name(i)
	}
	return strings.Join(names, w.l.T("list.separator"))
}
