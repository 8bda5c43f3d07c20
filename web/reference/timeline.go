package reference

import (
	"strconv"
	"unicode"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/display"
	"tianti/web/ui"
)

// The timeline's measures, in units of its view box.
const (
	timelineWidth = 1180
	timelineLeft  = 120 // names of the lines
	timelineRight = 90  // room for the last label
	timelineTop   = 30
	labelRow      = 20
	lanePad       = 10
)

// timelineOf places the generations that have a date of announcement: lanes from
// top to bottom, labels that would overlap in rows of their own.
func timelineOf(l *locale.Locale, list []catalog.GenerationInfo) timelineData {
	first, last := 0, 0
	for _, g := range list {
		if at, ok := yearOf(g); ok {
			if first == 0 || int(at) < first {
				first = int(at)
			}
			last = max(last, int(at)+1)
		}
	}
	t := timelineData{Width: timelineWidth, Height: timelineTop}
	if first == 0 {
		return t
	}
	x := func(year float64) int {
		return timelineLeft + int((year-float64(first))/float64(last-first)*(timelineWidth-timelineLeft-timelineRight))
	}
	step := 1 + (last-first)/14
	for y := first; y <= last; y += step {
		t.Ticks = append(t.Ticks, ui.TimelineTick{X: x(float64(y)), Label: strconv.Itoa(y)})
	}
	var ends []int // of the labels in each row of the lane
	for _, g := range list {
		at, ok := yearOf(g)
		if !ok {
			continue
		}
		if n := len(t.Lanes); n == 0 || t.Lanes[n-1].Label != g.Line {
			t.Lanes = append(t.Lanes, timelineLane{Label: g.Line, Y: t.Height})
			t.Height += 2*lanePad + labelRow
			ends = []int{}
		}
		lane := &t.Lanes[len(t.Lanes)-1]
		row := 0
		for row < len(ends) && ends[row] > x(at)-6 {
			row++
		}
		if row == len(ends) {
			ends = append(ends, 0)
			if row > 0 {
				t.Height += labelRow
			}
		}
		ends[row] = x(at) + 12 + labelWidth(g.Name)
		lane.Height = t.Height - lane.Y
		date := g.Figures["launched"].Shown.Text
		lane.Marks = append(lane.Marks, timelineMark{X: x(at), Y: lane.Y + lanePad + labelRow/2 +
			row*labelRow, Label: g.Name,
			Title: display.Vendor(l, g.Vendor) + " " + g.Name + l.T("comma") + date, Href: architectureHref(l, g.ID)})
	}
	return t
}

// yearOf is the generation's announcement as a year with its fraction.
func yearOf(g catalog.GenerationInfo) (float64, bool) {
	text := g.Figures["launched"].Shown.Text
	if len(text) < 4 {
		return 0, false
	}
	year, _ := strconv.Atoi(text[:4])
	month, day := 7, 1 // a year alone is shown in its middle
	if len(text) >= 7 {
		month, _ = strconv.Atoi(text[5:7])
	}
	if len(text) >= 10 {
		day, _ = strconv.Atoi(text[8:10])
	}
	return float64(year) + float64(month-1)/12 + float64(day-1)/365, true
}

// labelWidth estimates how wide a label is set.
func labelWidth(s string) int {
	w := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			w += 13
		} else {
			w += 7
		}
	}
	return w
}
