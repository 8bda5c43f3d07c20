package estimate

import (
	"math"

	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/job"
	"tianti/web/ui"
)

// waterSize are the measures of a waterfall, in units of its view box: labels and values stand beside their bars, or,
// on a phone, above them.
type waterSize struct {
	width, left, right int
	row                int // height
	label, bar         int // of the base line and of the bar's top, below the top of the row
	value              int // x of the end of values
	class              string
}

var (
	waterWide   = waterSize{1000, 330, 940, 22, 14, 2, 318, "wide"}
	waterNarrow = waterSize{350, 4, 292, 32, 12, 16, 346, "narrow"}
)

// waterTop is the room for the label of what is usable.
const waterTop = 26

// waterfalls are the drawings of a memory, for wide windows and for phones.
func (b *builder) waterfalls(m *sizing.Memory) []waterfallData {
	return []waterfallData{b.waterfall(m, waterWide), b.waterfall(m, waterNarrow)}
}

// waterfall draws the parts one after another, and the sum with its interval.
func (b *builder) waterfall(m *sizing.Memory, size waterSize) waterfallData {
	l := b.L
	most, sum := max(m.PerCard.High, m.PerCard.Expected, m.Usable), 0.0
	for _, x := range m.Lines {
		sum += x.Value
		most = max(most, sum)
	}
	most *= 1.04
	at := func(v float64) int { return size.left + int(max(0, v)/most*float64(size.right-size.left)) }
	w := waterfallData{Class: size.class, Width: size.width, Top: waterTop, Usable: at(m.Usable),
		Low: at(m.PerCard.Low), High: at(m.PerCard.High),
		Text:        l.T("sizing.waterfalltext", b.GB(m.PerCard.Expected), b.Between(m.PerCard, b.GB), b.GB(m.Usable)),
		UsableLabel: l.T("sizing.usablelabel", b.GB(m.Usable))}
	w.UsableBefore = w.Usable > (size.left+size.right)/2
	y, from := waterTop, 0.0
	row := func(label, value, class string, from, to float64) {
		w.Rows = append(w.Rows, waterRowData{Label: label, Value: value, Class: class, End: size.value,
			Y: y + size.label, X: at(from), Width: max(1, at(to)-at(from)), Bar: y + size.bar})
		y += size.row
	}
	for _, x := range m.Lines {
		class := "more"
		if x.Value < 0 {
			class = "less"
		}
		row(b.PartName(x.Part), b.Signed(x.Value/1e9), class, min(from, from+x.Value), max(from, from+x.Value))
		from += x.Value
	}
	w.Mid = y + size.bar + 8
	row(l.T("sizing.sum"), b.GB(m.PerCard.Expected), "sum", 0, m.PerCard.Expected)
	w.Bottom = y + 2
	w.Height = w.Bottom + 24
	for _, v := range linearTicks(most / 1e9) {
		w.Ticks = append(w.Ticks, ui.ScatterTick{At: at(v * 1e9), Label: l.Number(v)})
	}
	return w
}

// linearTicks are round numbers from 0 to most.
func linearTicks(most float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10(most/4)))
	for _, f := range []float64{2, 5, 10} {
		if most/step > 8 {
			step *= f / map[float64]float64{2: 1, 5: 2, 10: 5}[f]
		}
	}
	var out []float64
	for v := 0.0; v <= most; v += step {
		out = append(out, display.Significant(v, 4))
	}
	return out
}

// memoryLedger is the table beneath the chart.
func (b *builder) memoryLedger(m *sizing.Memory) job.LedgerTable {
	const gib = 1 << 30
	out := job.LedgerTable{
		Total: job.LedgerRow{
			Label:   b.L.T("sizing.sum"),
			Value:   b.GB(m.PerCard.Expected),
			Other:   b.Figure(m.PerCard.Expected / gib),
			Formula: b.L.T("sizing.sumnote", b.Between(m.PerCard, b.GB)+" GB"),
		},
	}
	for _, x := range m.Lines {
		row := b.LedgerRow(&x, b.Signed(x.Value/1e9))
		row.Other = b.Signed(x.Value / gib)
		out.Rows = append(out.Rows, row)
	}
	return out
}
