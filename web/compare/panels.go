package compare

import (
	"math"

	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/display"
)

// panelsView is the section of the page: small multiples of speed, rent and figures.
func (b *compareBuilder) panelsView(f *facts, list []api.ComparedSentence) comparePanelsData {
	panels := b.speedPanels(f, list)
	panels = append(panels, b.rated("memory_gb"), b.rated("memory_bandwidth_gb_s"), b.rateAxis(b.commonRate()),
		b.rated("tdp_w"))
	panels[len(panels)-1].unit = b.L.T("compare.panels.power")
	wide := b.panelsDrawing(panels, AxesCanvas{id: "panelswide", class: "wide", Width: 1180,
		Columns: 4, Name: 118, Value: 52, Size: 12.5})
	out := comparePanelsData{Tips: b.tips(panels)}
	if len(b.Rows) > manyCards {
		if speeds := panels[:len(panels)-4]; len(speeds) > 0 {
			panels = speeds // on a phone the figures stand in the table alone
		}
	}
	narrow := b.panelsDrawing(panels, AxesCanvas{id: "panelsnarrow", class: "narrow", Width: 328,
		Columns: 1, Name: 104, Value: 60, Size: 12})
	out.Chart = string(wide.SVG(chart.InPage)) + string(narrow.SVG(chart.InPage))
	return out
}

// speedPanels are those of estimates, of what was measured and of rent, as far as two cards have them.
func (b CompareWords) speedPanels(f *facts, list []api.ComparedSentence) []comparedAxis {
	var out []comparedAxis
	for _, job := range []struct {
		label, size string
		task        sizing.Task
	}{{b.L.T("compare.panels.decode", f.usual), f.usual, sizing.Inference},
		{b.L.T("compare.panels.training"), "7B", sizing.QLoRA}} {
		a := comparedAxis{label: job.label, unit: b.L.T("compare.panels.unit", display.UnitNamed(b.L, "tokens/s")),
			cells: make([]axisCell, len(b.Rows))}
		most, n := 0.0, 0
		for i := range b.Rows {
			if x := f.fit(i, job.size, job.task); rateOf(x) > 0 {
				most, n = max(most, x.TokensPerS.High, x.TokensPerS.Value), n+1
			}
		}
		for i := range b.Rows {
			a.cells[i].text = "—"
			if x := f.fit(i, job.size, job.task); rateOf(x) > 0 {
				v := x.TokensPerS
				a.cells[i] = axisCell{b.L.Number(v.Value), v.Value / most, v.Low / most, v.High / most,
					b.L.Number(v.Low) + "–" + b.L.Number(v.High)}
			}
		}
		if n > 1 {
			out = append(out, a)
		}
	}
	for i := range list {
		if s := &list[i]; s.Kind == "measured" {
			label := display.Pick(b.L, b.Snap.Benchmark(s.Metric).Label)
			out = append(out, b.valuesPanel(s, label, b.L.T("compare.panels.measured", display.UnitNamed(b.L, s.Unit)),
				b.L.Number))
			break
		}
	}
	for i := range list {
		if s := &list[i]; s.Kind == "rent" && s.Ratio != nil {
			out = append(out, b.valuesPanel(s, b.L.T("compare.panels.rentname"), b.L.T("compare.panels.rent", s.Unit),
				func(v float64) string { return display.RoundedMoney(b.L, v) }))
		}
	}
	return out
}

// valuesPanel is the panel of a finding.
func (b CompareWords) valuesPanel(s *api.ComparedSentence, label, unit string, text func(float64) string) comparedAxis {
	a := comparedAxis{label: label, unit: unit, cells: make([]axisCell, len(b.Rows))}
	most := 0.0
	for _, v := range s.Values {
		most = max(most, v.Value)
	}
	for i := range a.cells {
		a.cells[i].text = "—"
	}
	for n, i := range s.Cards {
		a.cells[i] = axisCell{text: text(s.Values[n].Value), share: s.Values[n].Value / most}
	}
	return a
}

// rated is the panel of a figure of the makers.
func (w CompareWords) rated(id string) comparedAxis {
	a := w.axis(display.MustQuantity(id))
	a.unit = w.L.T("compare.panels.rated", a.unit)
	return a
}

// panelsDrawing sets the panels in columns.
func (w CompareWords) panelsDrawing(panels []comparedAxis, c AxesCanvas) *chart.Drawing {
	rows := (len(panels) + c.Columns - 1) / c.Columns
	d := &chart.Drawing{ID: c.id, Class: c.class, Lang: w.L.Tag(), Width: c.Width,
		Height: math.Ceil(c.panelHeight(len(w.Rows))*float64(rows) - c.Size*(axisGap-0.6)),
		Title:  w.L.T("compare.panelstitle"), Desc: w.L.T("compare.panelsdesc", w.everyName())}
	marks := w.panels(panels, c)
	d.Groups, d.Places = marks.groups(), marks.ends
	return d
}
