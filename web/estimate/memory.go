package estimate

import (
	"math"

	"tianti/sizing"
	"tianti/web/display"
	"tianti/web/job"
	"tianti/web/ui"
)

// The measures of the waterfall, in units of its view box.
const (
	waterWidth = 1000
	waterLeft  = 330
	waterRight = waterWidth - 60
	waterRow   = 22
	waterTop   = 26
)

// waterfall draws the parts one after another, and the sum with its interval.
func (b *builder) waterfall(m *sizing.Memory) *waterfallData {
	l := b.L
	most, sum := max(m.PerCard.High, m.PerCard.Expected, m.Usable), 0.0
	for _, x := range m.Lines {
		sum += x.Value
		most = max(most, sum)
	}
	most *= 1.04
	at := func(v float64) int { return waterLeft + int(max(0, v)/most*(waterRight-waterLeft)) }
	w := &waterfallData{Width: waterWidth, Top: waterTop, Usable: at(m.Usable), Low: at(m.PerCard.Low),
		High:        at(m.PerCard.High),
		Text:        l.T("sizing.waterfalltext", b.GB(m.PerCard.Expected), b.Between(m.PerCard, b.GB), b.GB(m.Usable)),
		UsableLabel: l.T("sizing.usablelabel", b.GB(m.Usable))}
	w.UsableBefore = w.Usable > (waterLeft+waterRight)/2
	y, from := waterTop, 0.0
	for _, x := range m.Lines {
		row := waterRowData{Label: b.PartName(x.Part), Value: b.Signed(x.Value / 1e9), Y: y,
			X: at(min(from, from+x.Value)), Class: "more"}
		row.Width = at(max(from, from+x.Value)) - row.X
		if x.Value < 0 {
			row.Class = "less"
		}
		from += x.Value
		w.Rows = append(w.Rows, row)
		y += waterRow
	}
	w.Total = waterRowData{Label: l.T("sizing.sum"), Value: b.GB(m.PerCard.Expected), Y: y, X: waterLeft,
		Width: at(m.PerCard.Expected) - waterLeft, Class: "sum"}
	w.Mid = y + 10
	w.Bottom = y + waterRow + 2
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
