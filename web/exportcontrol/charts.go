package exportcontrol

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tianti/exportcontrol"
	"tianti/sorting"
	"tianti/web/display"
	"tianti/web/ui"
)

// The measures of the timeline of rules, in units of its view box.
const (
	ruleTimeWidth = 1180
	ruleTimeLeft  = 400 // for the names of rules that are older than the chart
	ruleTimeRight = 20
	ruleTimeRow   = 24
)

// timeline has a bar for each rule, its name before it; what was in force before the chart begins with it, and what
// still is ends with it.
func (b ExportBuilder) timeline() ruleTimelineData {
	rules := exportcontrol.Rules()
	first := fraction("2022-07-01")
	last := fraction(max(b.Q.AsOf, "2026-12-31")) + 0.1
	x := func(year float64) int {
		return ruleTimeLeft + int((year-first)/(last-first)*(ruleTimeWidth-ruleTimeLeft-ruleTimeRight))
	}
	t := ruleTimelineData{
		Width:  ruleTimeWidth,
		Height: 30 + len(rules)*ruleTimeRow,
		Today:  min(max(x(fraction(b.Q.AsOf)), ruleTimeLeft), ruleTimeWidth),
	}
	for y := 2023; float64(y) < last; y++ {
		t.Ticks = append(t.Ticks, ui.TimelineTick{X: x(float64(y)), Label: strconv.Itoa(y)})
	}
	for i, rule := range rules {
		from := cmp.Or(rule.Effective, rule.Announced)
		bar := ui.RuleBar{
			X:     max(ruleTimeLeft, x(fraction(from))),
			Y:     32 + i*ruleTimeRow,
			Kind:  string(rule.Kind),
			Label: display.Pick(b.L, rule.Title),
			Href:  b.ruleHref(rule),
			Title: display.Pick(b.L, rule.Title) + b.L.T("comma") + rule.ID + b.L.T("comma") + from,
		}
		if rule.Kind != exportcontrol.Proposed {
			end := last
			if rule.End != "" {
				end = fraction(rule.End)
			}
			bar.Width = max(4, x(end)-bar.X)
		}
		t.Bars = append(t.Bars, bar)
	}
	return t
}

// fraction is a day as a year with its fraction.
func fraction(day string) float64 {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0
	}
	return float64(t.Year()) + float64(t.YearDay()-1)/366
}

// The measures of a scatter.
const (
	scatterWidth, scatterHeight = 1180, 560
	scatterLeft, scatterRight   = 60, 30
	scatterTop, scatterBottom   = 10, 44
)

func ticks(a ui.Axis, b ExportBuilder, bounds ...float64) []ui.ScatterTick {
	var out []ui.ScatterTick
	for _, v := range bounds {
		out = append(out, ui.ScatterTick{At: a.At(v), Label: b.L.Number(v)})
	}
	return out
}

func newScatter() scatterData {
	return scatterData{Width: scatterWidth, Height: scatterHeight}
}

func xAxis(low, high float64) ui.Axis {
	return ui.Axis{Low: low, High: high, From: scatterLeft, To: scatterWidth - scatterRight}
}

func yAxis(low, high float64) ui.Axis {
	return ui.Axis{Low: low, High: high, From: scatterHeight - scatterBottom, To: scatterTop}
}

// box is a rectangle between amounts.
func box(x, y ui.Axis, x0, x1, y0, y1 float64) string {
	return fmt.Sprintf("M%d %dH%dV%dH%dZ", x.At(x0), y.At(y0), x.At(x1), y.At(y1), x.At(x0))
}

// density draws TPP against performance density with the regions of 3A090.
func (b ExportBuilder) density(all []charted) scatterData {
	x, y := xAxis(100, 100_000), yAxis(0.2, 100)
	s := newScatter()
	s.XLabel, s.YLabel = b.L.T("export.tpp"), b.L.T("export.performance_density")
	s.XTicks, s.YTicks = ticks(
		x,
		b,
		100,
		400,
		1600,
		2400,
		4800,
		10_000,
		21_000,
		100_000,
	), ticks(
		y,
		b,
		0.2,
		0.5,
		1.6,
		3.2,
		5.92,
		10,
		30,
		100,
	)
	s.Regions = []scatterRegion{
		{
			Path:  box(x, y, 4800, 1e5, 0.2, 100) + box(x, y, 1600, 4800, 5.92, 100),
			Label: "3A090.a",
			X:     x.At(5200),
			Y:     y.At(70),
			Class: "region-a",
		},
		{
			Path:  box(x, y, 2400, 4800, 1.6, 5.92) + box(x, y, 1600, 2400, 3.2, 5.92),
			Label: "3A090.b",
			X:     x.At(2500),
			Y:     y.At(1.75),
			Class: "region-b",
		},
	}
	s.Points = b.points(all, x, y, exportcontrol.TPP, exportcontrol.PerformanceDensity)
	s.Count = len(s.Points)
	return s
}

// links draws memory bandwidth against links with the region of the letters.
func (b ExportBuilder) links(all []charted) scatterData {
	x, y := xAxis(50, 30_000), yAxis(10, 5000)
	s := newScatter()
	s.XLabel, s.YLabel = b.L.T("export.memory_bandwidth_gb_s"), b.L.T("export.interconnect_gb_s")
	s.XTicks, s.YTicks = ticks(
		x,
		b,
		50,
		100,
		300,
		600,
		1400,
		3000,
		6500,
		30_000,
	), ticks(
		y,
		b,
		10,
		30,
		64,
		128,
		300,
		600,
		1100,
		5000,
	)
	// All of it but the corner where memory < 1,400, links < 1,100 and their sum < 1,700.
	var edge strings.Builder
	fmt.Fprintf(&edge, "M%d %dV%d", x.At(1400), y.At(10), y.At(300))
	for m := 1380.0; m >= 600; m -= 20 {
		fmt.Fprintf(&edge, "L%d %d", x.At(m), y.At(1700-m))
	}
	fmt.Fprintf(&edge, "H%dV%dH%dV%dZ", x.At(50), y.At(5000), x.At(30_000), y.At(10))
	s.Regions = []scatterRegion{
		{Path: edge.String(), Label: b.L.T("export.letters"), X: x.At(55), Y: y.At(4200), Class: "region-a"},
	}
	s.Points = b.points(all, x, y, exportcontrol.Memory, exportcontrol.IO)
	s.Count = len(s.Points)
	return s
}

// points are the cards of which both amounts are known exactly. The largest get a label.
func (b ExportBuilder) points(all []charted, x, y ui.Axis, qx, qy exportcontrol.Quantity) []scatterPoint {
	var out []scatterPoint
	for _, p := range all {
		ax, ay := p.amounts.Amount(qx), p.amounts.Amount(qy)
		if ax.Known != exportcontrol.Exact || ay.Known != exportcontrol.Exact || ax.Value <= 0 || ay.Value <= 0 {
			continue
		}
		class := "other"
		if p.amounts.Datacenter == (exportcontrol.Amount{Value: 1, Known: exportcontrol.Exact}) {
			class = "dc"
		}
		out = append(out, scatterPoint{X: x.At(ax.Value), Y: y.At(ay.Value), Class: class, Href: b.cardHref(p.card.ID),
			Title: p.card.Vendor + " " + p.card.Name + b.L.T("colon") + b.L.Number(ax.Value) + ", " +
				b.L.Number(ay.Value) +
				b.L.T("comma") + b.L.T("export.verdicts."+string(p.verdict))})
	}
	sorting.Func(out, func(a, b scatterPoint) int { return cmp.Compare(a.X, b.X) })
	return out
}
