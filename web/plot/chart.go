package plot

import (
	"fmt"
	"math"
	"strings"

	"tianti/catalog"
	"tianti/plot"
	"tianti/sorting"
	"tianti/web/api"
	"tianti/web/chart"
	"tianti/web/display"
	"tianti/web/filterform"
	"tianti/web/site"
)

// A canvas is the size of a drawing and what it has room for, in CSS pixels.
type canvas struct {
	id, class      string
	width, height  float64
	file           bool // it stands alone and says itself what it shows
	ticksX, ticksY int  // at most
	symbol         float64
	named          int // labels at most
}

var (
	wideCanvas = canvas{id: "plotwide", class: "wide", width: 1180, height: 640, ticksX: 12, ticksY: 10,
		symbol: 9, named: 80}
	narrowCanvas = canvas{id: "plotnarrow", class: "narrow", width: 328, height: 440, ticksX: 5, ticksY: 8,
		symbol: 8, named: 16}
	fileCanvas = canvas{id: "plot", width: 1200, height: 630, file: true, ticksX: 12, ticksY: 9, symbol: 9, named: 60}
)

// Sizes of texts.
const (
	tickSize   = 11.5
	nameSize   = 12.5
	keySize    = 12.5
	pointSize  = 11.5
	roomySize  = 12.5 // for which labels get room: fonts differ
	legendRow  = 20
	pictureTop = 62
)

// A frame is the axes of a drawing with the area between them.
type frame struct {
	canvas
	left, right, top, bottom float64
	x, y                     chart.Scale
	groups                   []chart.Group
}

func (f *frame) add(ink chart.Ink, marks ...chart.Mark) {
	if len(marks) > 0 {
		f.groups = append(f.groups, chart.Group{Ink: ink, Marks: marks})
	}
}

// A key is one entry of a legend.
type key struct {
	text, href string
	series     int // its look; -1 is a line of the front
}

// legend lays entries out in rows from the left, and takes their height from the top.
func (f *frame) legend(keys []key) {
	var texts []chart.Mark
	x, y := 10.0, f.top+13
	for _, k := range keys {
		w := 18 + chart.TextWidth(k.text, keySize) + 16
		if x > 10 && x+w > f.width {
			x, y = 10, y+legendRow
		}
		texts = append(texts, chart.Mark{Form: chart.Text, X: x + 18, Y: y, Size: keySize, Text: k.text, Href: k.href})
		if k.series < 0 {
			f.add(chart.Front, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: x - 4, Y: y - 4},
				{X: x + 12, Y: y - 4}}})
		} else {
			f.add(chart.SeriesInk(k.series), chart.Mark{Form: chart.Symbol, X: x + 5, Y: y - 4, Size: f.symbol + 1,
				Sign: chart.SeriesSign(k.series)})
		}
		x += w
	}
	f.add(chart.Label, texts...)
	f.top = y + 16
}

// An extent is what an axis shows, and how its numbers are written.
type axisExtent struct {
	kind   chart.Kind
	lo, hi float64
	years  bool
	write  func(float64) string
	name   string
}

// ticks are the values that are written at the axis.
func (e *axisExtent) ticks(s chart.Scale, most int) []float64 {
	if e.years {
		return s.Years(most)
	}
	return s.Ticks(most)
}

// axes lays out both axes with ticks, grid and names.
func (f *frame) axes(x, y axisExtent) (err error) {
	f.bottom = f.height - 44
	if f.file {
		f.bottom -= 22
	}
	if f.y, err = chart.NewAxis(y.kind, y.lo, y.hi, f.bottom-f.symbol, f.top+f.symbol); err != nil {
		return err
	}
	room := 0.0
	ticks := y.ticks(f.y, f.ticksY)
	for _, v := range ticks {
		room = max(room, chart.TextWidth(y.write(v), tickSize))
	}
	f.left, f.right = math.Ceil(26+room+8), f.width-12
	if f.x, err = chart.NewAxis(x.kind, x.lo, x.hi, f.left+f.symbol, f.right-f.symbol); err != nil {
		return err
	}
	var grid, labels []chart.Mark
	for _, v := range ticks {
		at := f.y.At(v)
		grid = append(grid, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: f.left, Y: at},
			{X: f.right, Y: at}}})
		labels = append(labels, chart.Mark{Form: chart.Text, X: f.left - 6, Y: at + 4, Size: tickSize,
			Anchor: chart.End, Text: y.write(v)})
	}
	for _, v := range x.ticks(f.x, f.ticksX) {
		at := f.x.At(v)
		grid = append(grid, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: at, Y: f.top},
			{X: at, Y: f.bottom}}})
		labels = append(labels, chart.Mark{Form: chart.Text, X: at, Y: f.bottom + 16, Size: tickSize,
			Anchor: chart.Middle, Text: x.write(v)})
	}
	f.add(chart.Grid, grid...)
	f.add(chart.Axis, chart.Mark{Form: chart.Line, Points: []chart.Point{{X: f.left, Y: f.top},
		{X: f.left, Y: f.bottom}, {X: f.right, Y: f.bottom}}})
	f.add(chart.Tick, labels...)
	f.add(chart.Name,
		chart.Mark{Form: chart.Text, X: (f.left + f.right) / 2, Y: f.bottom + 36, Size: nameSize, Anchor: chart.Middle,
			Text: x.name, W: f.width - 20},
		chart.Mark{Form: chart.FreeText, X: 14, Y: (f.top + f.bottom) / 2, Size: nameSize,
			Anchor: chart.Middle, Text: y.name})
	return nil
}

// titles are what a picture that stands alone says of itself.
func (f *frame) titles(title, note, footer string) {
	f.add(chart.Name, chart.Mark{Form: chart.Text, X: 14, Y: 30, Size: 20, Text: title, W: f.width - 28})
	f.add(chart.Muted, chart.Mark{Form: chart.Text, X: 14, Y: 51, Size: 12.5, Text: note, W: f.width - 28},
		chart.Mark{Form: chart.Text, X: f.width - 12, Y: f.height - 8, Size: 11, Anchor: chart.End, Text: footer})
}

// drawing draws the plot; without points it is an error.
func (b *plotBuilder) drawing(c canvas) (*chart.Drawing, error) {
	f := &frame{canvas: c, top: 4}
	if c.file {
		f.top = pictureTop
		said := append([]string{b.l.T("plot.drawn", len(b.p.Points))}, b.best()...)
		if chosen := filterform.ChoiceText(b.l, b.snap, &b.q.Query); chosen != "" {
			said = append(said, chosen+b.l.T("stop"))
		}
		f.titles(b.heading(), sentences(b.l, said...), b.l.T("plot.footer", api.Snapshot(b.snap),
			display.DataDay(b.l, b.snap)))
	}
	f.legend(b.keys())
	if err := f.axes(b.extent(&b.p.X), b.extent(&b.p.Y)); err != nil {
		return nil, err
	}
	b.drawFront(f)
	b.drawPoints(f)
	return &chart.Drawing{ID: c.id, Class: c.class, Lang: b.l.Tag(), Width: c.width, Height: c.height,
		Title: b.heading(), Desc: b.describe(), Groups: f.groups,
		Places: b.places(f)}, nil
}

// describe is the picture in a sentence.
func (b *plotBuilder) describe() string {
	if b.p.HasFront() {
		return b.l.T("plot.picturefront", len(b.p.Points), b.spans(), len(b.p.Front))
	}
	return b.l.T("plot.picture", len(b.p.Points), b.spans())
}

// spans says from where to where the axes go.
func (b *plotBuilder) spans() string {
	span := func(a *plot.Axis) string {
		return b.axisName(a) + " " + b.tick(a)(a.Lo) + " – " + b.tick(a)(a.Hi)
	}
	return span(&b.p.Y) + b.l.T("comma") + span(&b.p.X)
}

// keys are the entries of the legend; a group that a filter can name leads to it.
func (b *plotBuilder) keys() []key {
	var out []key
	for i := range b.p.Groups {
		g := &b.p.Groups[i]
		k := key{text: b.groupName(g.Name), series: i}
		if g.Name == "" {
			k.text = b.l.T("plot.others")
		} else if href := b.filterBy(g.Name); href != "" && len(b.p.Groups) > 1 {
			k.href = href
		}
		out = append(out, k)
	}
	if len(b.p.Front) > 1 {
		out = append(out, key{text: b.l.T("plot.front_key"), series: -1})
	}
	return out
}

// filterBy is the address of the plot of one group alone; empty where no filter
// names it.
func (b *plotBuilder) filterBy(name string) string {
	switch b.q.by {
	case plot.ByVendor, plot.BySegment, plot.ByArchitecture:
	default:
		return ""
	}
	q := b.q
	cards := q.Query
	cards.Keep = nil // no quantity
	values := site.ParseQuery(cards.Encode())
	values.Set(string(b.q.by), name)
	chosen, errs := b.snap.ParseQuery(values)
	if len(errs) > 0 {
		return ""
	}
	chosen.Keep, q.Query = q.Keep, chosen
	return b.l.Path("/plot") + "?" + q.encode()
}

// extent is an axis as it is drawn.
func (b *plotBuilder) extent(a *plot.Axis) axisExtent {
	e := axisExtent{kind: chart.LinearScale, lo: a.Lo, hi: a.Hi, years: a.Quantity.Kind == catalog.Day,
		name: b.axisName(a), write: b.tick(a)}
	if a.Scale == plot.Log {
		e.kind = chart.LogScale
	}
	return e
}

// tick writes a value of an axis.
func (b *plotBuilder) tick(a *plot.Axis) func(float64) string {
	if a.Quantity.Kind == catalog.Day {
		return yearText
	}
	return func(v float64) string { return b.l.Number(display.Significant(v, 4)) }
}

func (b *plotBuilder) drawFront(f *frame) {
	if len(b.p.Front) < 2 {
		return
	}
	var points []chart.Point
	for _, i := range b.p.Front {
		points = append(points, f.place(&b.p.Points[i]))
	}
	f.add(chart.Front, chart.Mark{Form: chart.Line, Points: points})
}

func (f *frame) place(pt *plot.Point) chart.Point {
	return chart.Point{X: f.x.At(pt.X), Y: f.y.At(pt.Y)}
}

// drawPoints draws every point, group by group, and the names that there is room for.
func (b *plotBuilder) drawPoints(f *frame) {
	marks := make([][]chart.Mark, len(b.p.Groups))
	for i := range b.p.Points {
		pt := &b.p.Points[i]
		at := f.place(pt)
		m := chart.Mark{Form: chart.Symbol, X: at.X, Y: at.Y, Size: f.symbol, Sign: chart.SeriesSign(pt.Group),
			Hollow: !b.confirmed(pt.Row)}
		if f.file {
			m.Href, m.Title = b.cardPath(pt.Row), b.titleOf(pt)
		}
		marks[pt.Group] = append(marks[pt.Group], m)
	}
	for g := range marks { // all hollow ones are one element of a page, and all others
		sorting.Func(marks[g], func(x, y chart.Mark) int {
			return display.BoolRank(y.Hollow) - display.BoolRank(x.Hollow)
		})
		f.add(chart.SeriesInk(g), marks[g]...)
	}
	b.drawNames(f)
}

func (b *plotBuilder) cardPath(row int) string { return b.l.Path("/cards/" + b.snap.Card(row).ID) }

// places are the points of a drawing in the order of tips.
func (b *plotBuilder) places(f *frame) []chart.Point {
	out := make([]chart.Point, len(b.p.Points))
	for i := range b.p.Points {
		out[i] = f.place(&b.p.Points[i])
	}
	return out
}

// tips are the points in words, a line each: what a page says of the one that is pointed at.
func (b *plotBuilder) tips() string {
	var out strings.Builder
	for i := range b.p.Points {
		pt := &b.p.Points[i]
		out.WriteString(b.cardPath(pt.Row) + "\t" + b.titleOf(pt) + "\n")
	}
	return out.String()
}

// titleOf is what a point says when it is pointed at.
func (b *plotBuilder) titleOf(pt *plot.Point) string {
	c := b.snap.Card(pt.Row)
	text := b.l.T("plot.title", display.CardName(b.l, c), b.withUnitOf(&b.p.Y, pt.Row), b.withUnitOf(&b.p.X, pt.Row))
	if unsold := display.Standing(b.l, b.snap, pt.Row); unsold != "" {
		text += b.l.T("comma") + unsold
	}
	switch {
	case pt.Front:
		return text + b.l.T("comma") + b.l.T("plot.onfront")
	case pt.Beaten > 0:
		return text + b.l.T("comma") + b.l.T("plot.beaten", b.beatenText(pt))
	}
	return text
}

func (b *plotBuilder) withUnitOf(a *plot.Axis, row int) string {
	return strings.TrimSpace(b.text(a.Quantity, row) + " " + display.UnitIn(b.l, b.snap, a.Quantity))
}

// drawNames puts names beside points: first those on the front, then those that
// fewest are better than, as far as there is room.
func (b *plotBuilder) drawNames(f *frame) {
	if b.q.labels == "none" {
		return
	}
	order := b.byRank()
	points, texts := make([]chart.Point, len(order)), make([]string, len(order))
	for n, i := range order {
		pt := &b.p.Points[i]
		points[n] = f.place(pt)
		if n < f.named && (pt.Front || b.q.labels != "front") {
			texts[n] = b.label(pt.Row)
		}
	}
	area := chart.Box{X: f.left + 2, Y: f.top - 8, W: f.width - f.left - 4, H: f.bottom - f.top + 6}
	var names []chart.Mark
	for n, at := range chart.PlaceLabels(points, texts, roomySize, f.symbol/2, area) {
		if at.OK {
			names = append(names, chart.Mark{Form: chart.Text, X: at.X, Y: at.Y, Anchor: at.Anchor, Size: pointSize,
				Text: texts[n],
				Href: b.cardPath(b.p.Points[order[n]].Row)})
		}
	}
	f.add(chart.Label, names...)
}

// label is what stands beside the point of a card.
func (b *plotBuilder) label(row int) string {
	name := shortName(b.snap.Card(row).Name)
	if word := display.UnsoldWord(b.l, b.snap, row); word != "" {
		name += " · " + word
	}
	return name
}

// shortName leaves out the brand where the rest of the name has letters of its own:
// "RTX 4090", "RX 7900 XTX".
func shortName(name string) string {
	for _, brand := range []string{"GeForce ", "Radeon "} {
		if rest, ok := strings.CutPrefix(name, brand); ok &&
			(strings.HasPrefix(rest, "GT") || strings.HasPrefix(rest, "R")) {
			return rest
		}
	}
	return name
}

// yearText writes a year with its fraction as a year, or as a month of it.
func yearText(v float64) string {
	year := math.Floor(v + 1e-6)
	if month := int((v-year)*12 + 1e-6); month > 0 {
		return fmt.Sprintf("%.0f-%02d", year, month+1)
	}
	return fmt.Sprintf("%.0f", year)
}
