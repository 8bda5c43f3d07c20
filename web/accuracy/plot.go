package accuracy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tianti/sizing"
	"tianti/web/ui"
)

// plotLeast is the least number of cases that are drawn: a plot of fewer says no more than the table.
const plotLeast = 20

// plots draw the scored cases of an aspect; none of few.
func (b builder) plots(aspect sizing.Aspect) []plotData {
	var cases []*sizing.Compared
	for i := range b.a.Cases {
		if c := &b.a.Cases[i]; c.Aspect == aspect && c.Scored {
			cases = append(cases, c)
		}
	}
	if len(cases) < plotLeast {
		return nil
	}
	return []plotData{b.plot(b.l.T("accuracy.aspects."+string(aspect)), cases)}
}

func (b builder) plot(name string, cases []*sizing.Compared) plotData {
	l, u := b.l, unitOf(cases[0].Case)
	low, high := math.Inf(1), 0.0
	for _, c := range cases {
		for _, v := range []float64{u.of(c.Case.Measured), u.of(c.Ranges[0].Expected)} {
			low, high = min(low, v), max(high, v)
		}
	}
	low, high = low/1.15, high*1.15
	x := ui.Axis{Low: low, High: high, From: plotLeft, To: plotRight}
	y := ui.Axis{Low: low, High: high, From: plotBottom, To: plotTop}
	s := plotData{Width: plotWidth, Height: plotHeight, Left: plotLeft, Right: plotRight, Top: plotTop,
		Bottom: plotBottom, Name: l.T("accuracy.plot", name), XLabel: l.T("accuracy.measuredaxis", u.label(l)),
		YLabel: l.T("accuracy.predictedaxis", u.label(l)), BandLabel: l.T("accuracy.band")}
	for _, v := range ui.LogTicks(low, high) {
		s.XTicks = append(s.XTicks, ui.ScatterTick{At: x.At(v), Label: l.Number(v)})
		s.YTicks = append(s.YTicks, ui.ScatterTick{At: y.At(v), Label: l.Number(v)})
		s.Grid += fmt.Sprintf("M%d %dV%dM%d %dH%d", x.At(v), plotTop, plotBottom, plotLeft, y.At(v), plotRight)
	}
	s.Diagonal = fmt.Sprintf("M%d %dL%d %d", plotLeft, plotBottom, plotRight, plotTop)
	s.Band = fmt.Sprintf("M%d %dV%dL%d %dH%dV%dL%d %dZ", plotLeft, plotBottom, y.At(low*1.1), x.At(high/1.1), plotTop,
		plotRight, y.At(high*0.9), x.At(low/0.9), plotBottom)
	s.BandX, s.BandY = x.At(low)+18, y.At(low*1.1)-36
	within := 0
	byFramework := map[string][]*sizing.Compared{}
	var frameworks []string
	for _, c := range cases {
		if math.Abs(c.Ratio()-1) <= 0.1 {
			within++
		}
		f := c.Case.Workload.Framework
		if byFramework[f] == nil {
			frameworks = append(frameworks, f)
		}
		byFramework[f] = append(byFramework[f], c)
	}
	s.Text = l.Sentences(s.Name+l.T("stop"), l.T("accuracy.plottext", l.Count(len(cases)), l.Count(within)))
	slices.SortStableFunc(frameworks, func(p, q string) int {
		return cmp.Or(cmp.Compare(len(byFramework[q]), len(byFramework[p])), cmp.Compare(p, q))
	})
	for i, f := range frameworks {
		at := min(i, plotSeries)
		if at == len(s.Series) {
			s.Series = append(s.Series, plotSeriesData{Name: f, Mark: "m" + strconv.Itoa(at), Sample: mark(at, 8, 8)})
		}
		series := &s.Series[at]
		if i > plotSeries {
			series.Name = l.T("accuracy.others")
		}
		var path strings.Builder
		for _, c := range byFramework[f] {
			path.WriteString(mark(at, x.At(u.of(c.Case.Measured)), y.At(u.of(c.Ranges[0].Expected))))
		}
		series.Path += path.String()
	}
	for i := range s.Series {
		n := 0
		for j, f := range frameworks {
			if min(j, plotSeries) == i {
				n += len(byFramework[f])
			}
		}
		s.Series[i].Title = l.T("accuracy.series", s.Series[i].Name, l.Count(n))
	}
	return s
}

// mark draws a point: a dot, square, plus, cross, triangle or stroke.
func mark(shape, x, y int) string {
	switch shape {
	case 2:
		return fmt.Sprintf("M%d %dh6m-3-3v6", x-3, y)
	case 3:
		return fmt.Sprintf("M%d %dl5 5m0-5l-5 5", x-2, y-2)
	case 4:
		return fmt.Sprintf("M%d %dl4 6h-8z", x, y-3)
	case 5:
		return fmt.Sprintf("M%d %dv6", x, y-3)
	}
	return fmt.Sprintf("M%d %dh0", x, y) // the line's cap is a dot or a square
}
