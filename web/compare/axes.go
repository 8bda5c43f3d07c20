package compare

import (
	"strings"

	"tianti/catalog"
	"tianti/web/chart"
	"tianti/web/display"
)

// A comparedAxis is one quantity of the bars: what each card has of it as a share of
// the best.
type comparedAxis struct {
	label, unit string
	cells       []axisCell
}

// An axisCell is the bar of one card.
type axisCell struct {
	text      string  // the value, or why there is none
	share     float64 // of the largest of the axis; 0 draws no bar
	low, high float64 // ends of the interval of an estimate, likewise; 0 is none
	between   string  // that interval in figures
}

// axes are the five that stand for a card: memory, its bandwidth, the 16-bit matrix
// rate, the FP32 vector rate, and a rate for each watt. More is better on all.
func (w CompareWords) axes() []comparedAxis {
	rate := w.commonRate()
	efficiency := w.axis(display.MustQuantity("fp32_gflops_per_w"))
	efficiency.label = w.L.T("compare.fp32perwatt")
	if rate != nil && rate.ID == catalog.DefaultBasis {
		efficiency = w.axis(display.MustQuantity("bf16_tflops_per_w"))
		efficiency.label = w.L.T("compare.bf16perwatt")
	}
	return []comparedAxis{
		w.axis(display.MustQuantity("memory_gb")),
		w.axis(display.MustQuantity("memory_bandwidth_gb_s")),
		w.rateAxis(rate),
		w.axis(display.MustQuantity("fp32_vector_tflops")),
		efficiency,
	}
}

// rateAxis is the axis of the common rate; cards that state another basis say so.
func (w CompareWords) rateAxis(rate *catalog.Quantity) comparedAxis {
	a := comparedAxis{
		label: w.L.T("compare.ratesnobasis"),
		unit:  w.L.T("compare.nobasis"),
		cells: make([]axisCell, len(w.Rows)),
	}
	if rate != nil {
		a = w.axis(rate)
	}
	for i := range w.Rows {
		c := &a.cells[i]
		if c.share > 0 {
			continue
		}
		c.text = "—"
		if bases := w.basesOf("16-bit", i); bases != "" {
			c.text = w.L.T("compare.otherbasis", bases)
		}
	}
	return a
}

func (w CompareWords) axis(q *catalog.Quantity) comparedAxis {
	a := comparedAxis{
		label: display.Pick(w.L, q.Label),
		unit:  display.Unit(w.L, q),
		cells: make([]axisCell, len(w.Rows)),
	}
	best := 0.0
	for _, row := range w.Rows {
		if v, ok := w.Snap.Number(q, row); ok {
			best = max(best, v)
		}
	}
	for i, row := range w.Rows {
		v, ok := w.Snap.Number(q, row)
		if !ok || best <= 0 {
			a.cells[i].text = "—"
			continue
		}
		a.cells[i] = axisCell{text: w.L.Number(v), share: v / best}
	}
	return a
}

// An axesCanvas is where the bars of axes are drawn.
type AxesCanvas struct {
	id, class   string
	Left, Top   float64
	Width       float64
	Columns     int
	Name, Value float64 // room for names before the bars and for numbers behind them
	Size        float64 // of texts
	Signs       bool    // the signs of a legend stand for the names
}

// Measures of a panel, in sizes of its texts.
const (
	axisHead  = 1.95
	axisPitch = 1.55
	axisGap   = 1.6
	axisBar   = 0.8

	axisBetween = 28 // panels, in CSS pixels
)

func (c *AxesCanvas) panelHeight(cards int) float64 {
	return c.Size * (axisHead + axisPitch*float64(cards) + axisGap)
}

func (c *AxesCanvas) panelWidth() float64 {
	return (c.Width - axisBetween*float64(c.Columns-1)) / float64(c.Columns)
}

// panels are the marks of all axes.
func (w CompareWords) panels(axes []comparedAxis, c AxesCanvas) *axesMarks {
	m := &axesMarks{AxesCanvas: c, bars: make([][]chart.Mark, len(w.Rows))}
	for n, a := range axes {
		x, y := c.Left+float64(
			n%c.Columns,
		)*(c.panelWidth()+axisBetween), c.Top+float64(
			n/c.Columns,
		)*c.panelHeight(
			len(w.Rows),
		)
		m.panel(w, a, x, y)
	}
	return m
}

// axesMarks collects marks by how they look.
type axesMarks struct {
	AxesCanvas
	bars                [][]chart.Mark // by card
	heads, texts, units []chart.Mark
	intervals           []chart.Mark
	ends                []chart.Point // of the bars, in order
}

// interval is the thin line of an estimate over its bar.
func (m *axesMarks) interval(x, y, width float64, c axisCell) {
	m.intervals = append(m.intervals, chart.Mark{Form: chart.Line,
		Points: []chart.Point{{X: x + c.low*width, Y: y}, {X: x + c.high*width, Y: y}}})
}

func (m *axesMarks) groups() []chart.Group {
	out := make([]chart.Group, 0, len(m.bars)+3)
	for i, bars := range m.bars {
		out = append(out, chart.Group{Ink: chart.SeriesInk(i), Marks: bars})
	}
	if m.intervals != nil {
		out = append(out, chart.Group{Ink: chart.Axis, Marks: m.intervals})
	}
	return append(
		out,
		chart.Group{Ink: chart.Name, Marks: m.heads},
		chart.Group{Ink: chart.Label, Marks: m.texts},
		chart.Group{Ink: chart.Muted, Marks: m.units},
	)
}

// panel is the bars of one axis: whose they are before them, numbers behind them.
func (m *axesMarks) panel(w CompareWords, a comparedAxis, x, y float64) {
	text := func(into *[]chart.Mark, x, y, room float64, s string) {
		*into = append(*into, chart.Mark{Form: chart.Text, X: x, Y: y, W: room, Size: m.Size, Text: s})
	}
	width := m.panelWidth()
	unit := 0.0
	if a.unit != "" {
		unit = chart.TextWidth(a.unit, m.Size*0.9) + 10
		m.units = append(
			m.units,
			chart.Mark{
				Form:   chart.Text,
				X:      x + width,
				Y:      y + m.Size*1.1,
				Anchor: chart.End,
				Size:   m.Size * 0.9,
				Text:   a.unit,
			},
		)
	}
	const bold = 1.1 // of heads, beside what widths of texts are estimated of
	text(&m.heads, x, y+m.Size*1.1, (width-unit)/bold, a.label)
	for i, cell := range a.cells {
		top := y + m.Size*(axisHead+axisPitch*float64(i))
		base := top + m.Size*0.78
		if m.Signs {
			m.bars[i] = append(
				m.bars[i],
				chart.Mark{
					Form: chart.Symbol,
					X:    x + m.Size*0.5,
					Y:    top + m.Size*axisBar/2,
					Size: m.Size * 0.8,
					Sign: chart.SeriesSign(i),
				},
			)
		} else {
			text(&m.texts, x, base, m.Name-8, w.short(i))
		}
		at := x + m.Name
		if cell.share > 0 {
			length := max(1.5, cell.share*(width-m.Name-m.Value))
			m.bars[i] = append(m.bars[i], chart.Mark{Form: chart.Rect, X: at, Y: top, W: length, H: m.Size * axisBar})
			m.ends = append(m.ends, chart.Point{X: at + length, Y: top + m.Size*axisBar/2})
			at += max(length, cell.high*(width-m.Name-m.Value)) + 6
		}
		if cell.high > 0 {
			m.interval(x+m.Name, top+m.Size*axisBar/2, width-m.Name-m.Value, cell)
		}
		text(&m.texts, at, base, x+width-at, cell.text)
	}
}

// tips are what the script of the page says of each bar, a line each: an address, a tab and the words.
func (w CompareWords) tips(axes []comparedAxis) string {
	var out strings.Builder
	for _, a := range axes {
		for i, cell := range a.cells {
			if cell.share <= 0 {
				continue
			}
			if out.Len() > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(w.L.Path("/cards/"+w.Snap.Card(w.Rows[i]).ID) + "\t" + w.name(i) +
				w.L.T("comma") + a.label +
				w.L.T("colon") + cell.text)
			if cell.between != "" {
				out.WriteString(w.L.Pick(" (", "（") + w.L.T("compare.between", cell.between) + w.L.Pick(")", "）"))
			}
			out.WriteString(w.L.T("comma") + a.unit)
		}
	}
	return out.String()
}

func (w CompareWords) everyName() string {
	names := make([]string, len(w.Rows))
	for i := range w.Rows {
		names[i] = w.name(i)
	}
	return strings.Join(names, w.L.T("list.separator"))
}
