package prices

import (
	"fmt"
	"math"
	"time"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/chart"
	"tianti/web/display"
)

// A historySize is what a drawing of the history has room for, in CSS pixels.
type historySize struct {
	id, class     string
	width, height float64 // height of the plotting area of a panel
	xTicks        int
	alone         bool // a file, which says itself what it shows
}

var (
	wideHistory   = historySize{"history-wide", "wide", 1100, 170, 12, false}
	narrowHistory = historySize{"history-narrow", "narrow", 340, 150, 4, false}
	fileHistory   = historySize{"history", "", 1100, 170, 12, true}
)

const (
	historyLeft  = 62
	historyRight = 12
)

// A history lays out the panels of a drawing below each other.
type history struct {
	historySize
	l      *locale.Locale
	today  int
	y      float64 // where the next panel begins
	groups []chart.Group
}

func (h *history) add(ink chart.Ink, marks ...chart.Mark) {
	if len(marks) > 0 {
		h.groups = append(h.groups, chart.Group{Ink: ink, Marks: marks})
	}
}

// priceHistory draws the observations of a card; nil when none has a date.
func priceHistory(
	l *locale.Locale,
	name string,
	all []catalog.PriceInfo,
	today catalog.Date,
	size historySize,
) *chart.Drawing {
	panels := pricePanels(l, all, mostDrawn, 1)
	if !size.alone {
		panels = pricePanels(l, all, mostInPage, leastInPage)
	}
	now, ok := today.DayNumber()
	if len(panels) == 0 || !ok {
		return nil
	}
	h := &history{historySize: size, l: l, today: now, y: 4}
	if size.alone {
		h.add(
			chart.Name,
			chart.Mark{
				Form: chart.Text,
				X:    4,
				Y:    26,
				Size: 18,
				Text: l.T("prices.chart.title", name),
				W:    size.width - 220,
			},
		)
		h.add(
			chart.Muted,
			chart.Mark{
				Form:   chart.Text,
				X:      size.width - historyRight,
				Y:      26,
				Size:   12,
				Anchor: chart.End,
				Text:   l.T("prices.asof", string(today)),
			},
		)
		h.y = 44
	}
	spans := map[bool][2]int{}
	for _, p := range panels {
		spans[p.rents] = p.days(spans[p.rents], now)
	}
	for i := range panels {
		h.panel(&panels[i], spans[panels[i].rents])
	}
	n, first, last := dates(panels)
	return &chart.Drawing{
		ID:     size.id,
		Class:  size.class,
		Lang:   l.Tag(),
		Width:  size.width,
		Height: math.Ceil(h.y),
		Groups: h.groups,
		Title:  l.T("prices.chart.title", name),
		Desc:   l.T("prices.chart.desc", n, dayText(first), dayText(last)),
	}
}

// dayText is a day since 1970 as a date.
func dayText(day int) string { return time.Unix(int64(day)*24*60*60, 0).UTC().Format(time.DateOnly) }

// days widens a span by the days of a panel; it is at least half a year and ends today
// or later.
func (p *pricePanel) days(span [2]int, today int) [2]int {
	if span == [2]int{} {
		span = [2]int{today - 182, today}
	}
	for _, s := range p.series {
		for _, o := range s.offers {
			span[0], span[1] = min(span[0], o[0].day), max(span[1], o[len(o)-1].day)
		}
	}
	return span
}

// values are the least and greatest of a panel.
func (p *pricePanel) values() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range p.series {
		for _, o := range s.offers {
			for _, x := range o {
				lo, hi = min(lo, x.value), max(hi, x.value)
			}
		}
	}
	return lo, hi
}

// panel draws one panel: title, legend, axes, lines and marks.
func (h *history) panel(p *pricePanel, days [2]int) {
	h.add(chart.Name, chart.Mark{Form: chart.Text, X: 4, Y: h.y + 14, Text: p.title, Size: 13})
	h.y += 22
	h.legend(p)
	height := h.height
	if n, _, _ := dates([]pricePanel{*p}); n < 4 {
		height *= 0.6
	}
	top, bottom := h.y+4, h.y+4+height
	margin := float64(days[1]-days[0]) * 0.015
	x := axisOf(chart.LinearScale, float64(days[0])-margin, float64(days[1])+margin, historyLeft, h.width-historyRight)
	lo, hi := p.values()
	y := axisOf(chart.LinearScale, 0, hi*1.08, bottom, top)
	if hi >= 5*lo { // what lies so far apart is compared by ratios
		y = axisOf(chart.LogScale, lo/1.15, hi*1.15, bottom, top)
	}
	h.axes(x, y, days, top, bottom)
	for _, s := range p.series {
		h.lines(&s, x, y)
	}
	for _, s := range p.series {
		h.marks(&s, x, y)
	}
	h.y = bottom + 34
}

// legend names the series in rows.
func (h *history) legend(p *pricePanel) {
	at := 6.0
	var names []chart.Mark
	for _, s := range p.series {
		width := 16 + chart.TextWidth(s.name, 12) + 16
		if at > 6 && at+width > h.width {
			at, h.y = 6, h.y+18
		}
		h.add(
			chart.SeriesInk(s.look),
			chart.Mark{Form: chart.Symbol, X: at + 5, Y: h.y + 6, Size: 8, Sign: chart.SeriesSign(s.look)},
		)
		names = append(names, chart.Mark{Form: chart.Text, X: at + 15, Y: h.y + 10, Text: s.name, Size: 12})
		at += width
	}
	h.add(chart.Muted, names...)
	h.y += 16
}

func (h *history) axes(x, y chart.Scale, days [2]int, top, bottom float64) {
	var grid, texts []chart.Mark
	for _, v := range y.Ticks(max(3, int((bottom-top)/28))) {
		at := y.At(v)
		grid = append(
			grid,
			chart.Mark{
				Form:   chart.Line,
				Points: []chart.Point{{X: historyLeft, Y: at}, {X: h.width - historyRight, Y: at}},
			},
		)
		texts = append(
			texts,
			chart.Mark{
				Form:   chart.Text,
				X:      historyLeft - 6,
				Y:      at + 4,
				Anchor: chart.End,
				Text:   h.l.Number(display.Significant(v, 4)),
			},
		)
	}
	for _, t := range dateTicks(days[0], days[1], h.xTicks) {
		at := x.At(float64(t.day))
		grid = append(grid, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: at, Y: top}, {X: at, Y: bottom}}})
		texts = append(texts, chart.Mark{Form: chart.Text, X: at, Y: bottom + 15, Anchor: chart.Middle, Text: t.label})
	}
	h.add(chart.Grid, grid...)
	h.add(
		chart.Axis,
		chart.Mark{
			Form:   chart.Line,
			Points: []chart.Point{{X: historyLeft, Y: bottom}, {X: h.width - historyRight, Y: bottom}},
		},
	)
	h.add(chart.Tick, texts...)
}

// lines are the steps of a series: a price holds until the next observation of the same
// offer, for so many days at most. Then its line ends.
func (h *history) lines(s *priceSeries, x, y chart.Scale) {
	if s.hold == 0 {
		return
	}
	var marks []chart.Mark
	drawn := map[string]bool{}
	for _, o := range s.offers {
		for _, points := range steps(o, s.hold, h.today) {
			line := chart.Mark{Form: chart.Line}
			for _, p := range points {
				line.Points = append(line.Points, chart.Point{X: x.At(float64(p.day)), Y: y.At(p.value)})
			}
			if key := fmt.Sprint(line.Points); !drawn[key] {
				drawn[key] = true
				marks = append(marks, line)
			}
		}
	}
	h.add(chart.SeriesInk(s.look), marks...)
}

// steps are the corners of the lines of an offer. No corner lies between observations
// at a value that nobody stated.
func steps(offer []pricePoint, hold, today int) [][]pricePoint {
	var out [][]pricePoint
	var line []pricePoint
	for i, p := range offer {
		line = append(line, p)
		end := min(p.day+hold, max(today, p.day))
		joined := i+1 < len(offer) && offer[i+1].day <= p.day+hold
		if joined {
			end = offer[i+1].day
		}
		line = append(line, pricePoint{day: end, value: p.value})
		if !joined {
			out, line = append(out, line), nil
		}
	}
	return out
}

// marks are the observations; those that fall onto one place are drawn once.
func (h *history) marks(s *priceSeries, x, y chart.Scale) {
	var marks []chart.Mark
	at := map[[2]int]int{}
	more := map[int]int{}
	for _, o := range s.offers {
		for _, p := range o {
			m := chart.Mark{
				Form:   chart.Symbol,
				X:      x.At(float64(p.day)),
				Y:      y.At(p.value),
				Size:   7,
				Sign:   chart.SeriesSign(s.look),
				Hollow: p.hollow,
				Title:  p.title,
			}
			key := [2]int{int(math.Round(m.X)), int(math.Round(m.Y))}
			if n, known := at[key]; known {
				more[n]++
				marks[n].Hollow = marks[n].Hollow && m.Hollow
				continue
			}
			at[key] = len(marks)
			marks = append(marks, m)
		}
	}
	for n, count := range more {
		marks[n].Title += fmt.Sprintf(" (+%d)", count)
	}
	h.add(chart.SeriesInk(s.look), marks...)
}

// axisOf is an axis over values that are known to be in order.
func axisOf(kind chart.Kind, lo, hi, from, to float64) chart.Scale {
	s, err := chart.NewAxis(kind, lo, hi, from, to)
	if err != nil {
		s, _ = chart.NewAxis(chart.LinearScale, 0, 1, from, to)
	}
	return s
}

// A dateTick is a day of a time axis with its label.
type dateTick struct {
	day   int
	label string
}

// dateTicks are the beginnings of years, or of months, at most so many.
func dateTicks(from, to, most int) []dateTick {
	start := time.Unix(int64(from)*24*60*60, 0).UTC()
	for _, months := range []int{1, 3, 6, 12, 24, 60, 120} {
		var out []dateTick
		month := int(start.Month()) - 1
		for t := time.Date(start.Year(), time.Month(month-month%min(months, 12)+1), 1, 0, 0, 0, 0,
			time.UTC); ; t = t.AddDate(0, months, 0) {
			day := int(t.Unix() / (24 * 60 * 60))
			if day > to {
				break
			}
			if day < from {
				continue
			}
			layout := "2006-01"
			if months >= 12 {
				layout = "2006"
			}
			out = append(out, dateTick{day, t.Format(layout)})
		}
		if len(out) <= most {
			return out
		}
	}
	return nil
}
