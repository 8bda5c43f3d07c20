package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tianti/exportcontrol"
	"tianti/web/view"
)

// The measures of the timeline of rules, in units of its view box.
const (
	ruleTimeWidth = 1180
	ruleTimeRight = 20
	ruleTimeRow   = 24
)

// timeline has a bar for each rule; what is still in force ends with the chart.
func (b exportBuilder) timeline() view.RuleTimeline {
	rules := exportcontrol.Rules()
	first := fraction("2022-07-01")
	last := fraction(max(b.q.AsOf, "2026-12-31")) + 0.1
	x := func(year float64) int { return int((year - first) / (last - first) * (ruleTimeWidth - ruleTimeRight)) }
	t := view.RuleTimeline{Width: ruleTimeWidth, Height: 30 + len(rules)*ruleTimeRow, Today: min(max(x(fraction(b.q.AsOf)), 0), ruleTimeWidth)}
	for y := 2023; float64(y) < last; y++ {
		t.Ticks = append(t.Ticks, view.TimelineTick{X: x(float64(y)), Label: strconv.Itoa(y)})
	}
	for i, rule := range rules {
		from := cmp.Or(rule.Effective, rule.Announced)
		bar := view.RuleBar{X: x(fraction(from)), Y: 32 + i*ruleTimeRow, Kind: string(rule.Kind), Label: rule.ID, Href: b.ruleHref(rule),
			Title: pick(b.l, rule.Title) + b.l.T("comma") + from}
		if rule.Kind != exportcontrol.Proposed {
			end := last
			if rule.End != "" {
				end = fraction(rule.End)
			}
			bar.Width = max(4, x(end)-bar.X)
		}
		bar.Before = bar.X > ruleTimeWidth/3
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
	scatterLeft, scatterRight   = 60, 10
	scatterTop, scatterBottom   = 10, 44
)

// axis maps amounts to places on a logarithmic scale.
type axis struct {
	low, high float64
	from, to  float64 // places of low and high
}

func (a axis) at(v float64) int {
	share := (math.Log(min(max(v, a.low), a.high)) - math.Log(a.low)) / (math.Log(a.high) - math.Log(a.low))
	return int(a.from + share*(a.to-a.from))
}

func (a axis) ticks(b exportBuilder, bounds ...float64) []view.ScatterTick {
	var out []view.ScatterTick
	for _, v := range bounds {
		out = append(out, view.ScatterTick{At: a.at(v), Label: b.l.Number(v)})
	}
	return out
}

func newScatter() view.Scatter {
	return view.Scatter{Width: scatterWidth, Height: scatterHeight}
}

func xAxis(low, high float64) axis { return axis{low, high, scatterLeft, scatterWidth - scatterRight} }
func yAxis(low, high float64) axis { return axis{low, high, scatterHeight - scatterBottom, scatterTop} }

// box is a rectangle between amounts.
func box(x, y axis, x0, x1, y0, y1 float64) string {
	return fmt.Sprintf("M%d %dH%dV%dH%dZ", x.at(x0), y.at(y0), x.at(x1), y.at(y1), x.at(x0))
}

// density draws TPP against performance density with the regions of 3A090.
func (b exportBuilder) density(all []evaluated) view.Scatter {
	x, y := xAxis(100, 100_000), yAxis(0.2, 100)
	s := newScatter()
	s.XLabel, s.YLabel = b.l.T("export.tpp"), b.l.T("export.performance_density")
	s.XTicks, s.YTicks = x.ticks(b, 100, 400, 1600, 2400, 4800, 10_000, 21_000, 100_000), y.ticks(b, 0.2, 0.5, 1.6, 3.2, 5.92, 10, 30, 100)
	s.Regions = []view.ScatterRegion{
		{Path: box(x, y, 4800, 1e5, 0.2, 100) + box(x, y, 1600, 4800, 5.92, 100), Label: "3A090.a", X: x.at(5200), Y: y.at(70), Class: "region-a"},
		{Path: box(x, y, 2400, 4800, 1.6, 5.92) + box(x, y, 1600, 2400, 3.2, 5.92), Label: "3A090.b", X: x.at(2500), Y: y.at(1.75), Class: "region-b"},
	}
	s.Points = b.points(all, x, y, exportcontrol.TPP, exportcontrol.PerformanceDensity)
	s.Count = len(s.Points)
	return s
}

// links draws memory bandwidth against links with the region of the letters.
func (b exportBuilder) links(all []evaluated) view.Scatter {
	x, y := xAxis(50, 30_000), yAxis(10, 5000)
	s := newScatter()
	s.XLabel, s.YLabel = b.l.T("export.memory_bandwidth_gb_s"), b.l.T("export.interconnect_gb_s")
	s.XTicks, s.YTicks = x.ticks(b, 50, 100, 300, 600, 1400, 3000, 6500, 30_000), y.ticks(b, 10, 30, 64, 128, 300, 600, 1100, 5000)
	// All of it but the corner where memory < 1,400, links < 1,100 and their sum < 1,700.
	var edge strings.Builder
	fmt.Fprintf(&edge, "M%d %dV%d", x.at(1400), y.at(10), y.at(300))
	for m := 1380.0; m >= 600; m -= 20 {
		fmt.Fprintf(&edge, "L%d %d", x.at(m), y.at(1700-m))
	}
	fmt.Fprintf(&edge, "H%dV%dH%dV%dZ", x.at(50), y.at(5000), x.at(30_000), y.at(10))
	s.Regions = []view.ScatterRegion{{Path: edge.String(), Label: "US-LETTER-2025-04", X: x.at(55), Y: y.at(4200), Class: "region-a"}}
	s.Points = b.points(all, x, y, exportcontrol.Memory, exportcontrol.IO)
	s.Count = len(s.Points)
	return s
}

// points are the cards of which both amounts are known exactly. The largest get a label.
func (b exportBuilder) points(all []evaluated, x, y axis, qx, qy exportcontrol.Quantity) []view.ScatterPoint {
	var out []view.ScatterPoint
	for i := range all {
		it, c := all[i].res.Item, all[i].card
		ax, ay := it.Amount(qx), it.Amount(qy)
		if ax.Known != exportcontrol.Exact || ay.Known != exportcontrol.Exact || ax.Value <= 0 || ay.Value <= 0 {
			continue
		}
		class := "other"
		if it.Datacenter == (exportcontrol.Amount{Value: 1, Known: exportcontrol.Exact}) {
			class = "dc"
		}
		out = append(out, view.ScatterPoint{X: x.at(ax.Value), Y: y.at(ay.Value), Class: class,
			Title: c.Vendor + " " + c.Name + b.l.T("colon") + b.l.Number(ax.Value) + ", " + b.l.Number(ay.Value) + b.l.T("comma") + b.l.T("export.verdicts."+string(all[i].res.Verdict))})
	}
	slices.SortStableFunc(out, func(a, b view.ScatterPoint) int { return cmp.Compare(a.X, b.X) })
	return out
}
