package ladders

import (
	"math"
	"strconv"

	"tianti/catalog"
	"tianti/ladder"
	"tianti/web/chart"
	"tianti/web/display"
)

// The measures of a ladder, in CSS pixels.
const (
	ladderLeft    = 104  // tiers and limits
	ladderRight   = 64   // limits as shares of the reference
	ladderHead    = 34   // headings of columns
	ladderTitle   = 66   // title, in files
	ladderLine    = 18   // what the cards are chosen by, in files
	ladderFoot    = 30   // what the picture does not say itself, in files
	ladderWide    = 1356 // what columns may take together before they stop getting lanes
	ladderWider   = 1900 // the same for many cards
	ladderMany    = 150
	labelSize     = 12.0
	labelPitch    = 15.5 // between labels
	labelFrom     = 17.0 // from the mark to its label
	laneGap       = 18.0
	symbolSize    = 8.0
	bandLeast     = 15.0 // height of a band
	bandMost      = 170.0
	shiftMost     = 26.0 // how far labels may be from their marks before the scale grows
	ladderLeast   = 540.0
	ladderTallest = 2600.0
)

// A ladderDrawing draws a ladder: bands across, columns of marks at their true places
// on the scale, labels beside them as near as there is room.
type ladderDrawing struct {
	b       *ladderBuilder
	l       *ladder.Ladder
	cols    []ladderColumn
	lanes   []lane
	file    bool    // has a title of its own
	touch   bool    // for narrow screens
	top, y0 float64 // of the canvas, of the scale
	height  float64 // of the scale
	perLog  float64 // pixels for a ratio of e
	width   float64
	groups  map[chart.Ink][]chart.Mark
}

// A lane is a line of marks with a column of labels to its right.
type lane struct {
	col    int
	places []int
	x      float64
	width  float64
	first  bool // of its column
}

// wide is the drawing with columns.
func (b *ladderBuilder) wide(file bool) *chart.Drawing {
	d := &ladderDrawing{b: b, l: &b.t.Ladder, file: file, groups: map[chart.Ink][]chart.Mark{}}
	if file {
		d.top = ladderTitle
		if b.chosen() != "" {
			d.top += ladderLine
		}
	}
	d.y0 = d.top + ladderHead
	d.choose()
	d.stretch(func() float64 {
		worst := 0.0
		for i := range d.lanes {
			worst = max(worst, d.shift(d.lanes[i].places, labelPitch))
		}
		return worst
	}, shiftMost, bandMost, ladderTallest)
	d.bands()
	d.heads()
	for i := range d.lanes {
		d.lane(&d.lanes[i])
	}
	d.reference()
	if file {
		d.titles()
	}
	class := "wide"
	if d.width > ladderWide+20 {
		class += " many" // too wide for a window: it scrolls
	}
	return d.drawing("ladder", class, d.y0+d.height+d.foot())
}

// choose parts the cards into columns: into as many as there may be, unless the
// fullest lane has markedly fewer cards when small columns share one.
func (d *ladderDrawing) choose() {
	least := math.Inf(1)
	var best ladderDrawing
	for most := d.b.columnsMost(); most >= 3; most-- {
		try := *d
		try.cols = d.b.columnsOf(drawnMost, most)
		if len(try.cols) < most && !math.IsInf(least, 1) {
			continue // the same as with more
		}
		try.deal()
		if cost := try.fullest() + 1.5*float64(d.b.columnsMost()-most); cost < least {
			least, best = cost, try
		}
		if d.b.t.columns != byVendor {
			break
		}
	}
	*d = best
}

// fullest is the number of cards in the lane that has most.
func (d *ladderDrawing) fullest() float64 {
	most := 0
	for i := range d.lanes {
		most = max(most, len(d.lanes[i].places))
	}
	return float64(most)
}

func (d *ladderDrawing) foot() float64 {
	if d.file {
		return ladderFoot
	}
	return 6
}

// deal gives every column a lane, and as long as there is room another one to the
// column that is the fullest.
func (d *ladderDrawing) deal() {
	lanes := make([]int, len(d.cols))
	widths := make([]float64, len(d.cols))
	total, limit := float64(ladderLeft+ladderRight), float64(ladderWide)
	if len(d.l.Places) > ladderMany {
		limit = ladderWider
	}
	for i := range d.cols {
		lanes[i], widths[i] = 1, d.laneWidth(&d.cols[i])
		total += widths[i]
	}
	for {
		fullest, load := -1, 9.0 // cards in a lane that it can hold anyway
		for i := range d.cols {
			if n := float64(len(d.cols[i].places)) / float64(lanes[i]); n > load && total+widths[i] <= limit {
				fullest, load = i, n
			}
		}
		if fullest < 0 {
			break
		}
		lanes[fullest]++
		total += widths[fullest]
	}
	x := float64(ladderLeft)
	spare := max(0, 900-total) / float64(max(1, len(d.cols))) // a ladder of few columns is not a strip
	for i := range d.cols {
		for n := range lanes[i] {
			ln := lane{col: i, x: x + laneGap/2 + symbolSize/2, width: widths[i], first: n == 0}
			for at := n; at < len(d.cols[i].places); at += lanes[i] {
				ln.places = append(ln.places, d.cols[i].places[at])
			}
			d.lanes = append(d.lanes, ln)
			x += widths[i]
		}
		x += spare
	}
	d.width = x + ladderRight
}

// laneWidth is what a lane of a column needs.
func (d *ladderDrawing) laneWidth(c *ladderColumn) float64 {
	name, value := 0.0, 0.0
	for _, i := range c.places {
		p := &d.l.Places[i]
		name = max(name, chart.TextWidth(d.b.shortName(d.card(p), c.mixed), labelSize))
		value = max(value, chart.TextWidth(d.b.number(p.Value), labelSize))
	}
	return max(math.Ceil(symbolSize/2+labelFrom+name+8+value+laneGap), math.Ceil(chart.TextWidth(c.name, 13)+laneGap*2))
}

func (d *ladderDrawing) card(p *ladder.Place) *catalog.Card { return d.b.t.snap.Card(p.Row) }

// stretch makes the scale as tall as its labels need: until none is further from its
// mark than most, or the scale is as tall as it may be.
func (d *ladderDrawing) stretch(worst func() float64, most, highest, tallest float64) {
	n := float64(len(d.l.Bands))
	band := min(max(bandLeast, ladderLeast/n), highest)
	for {
		d.height = band * n
		d.perLog = band / math.Log(d.l.Step)
		if band*1.12*n > tallest || band*1.12 > highest || worst() <= most {
			return
		}
		band *= 1.12
	}
}

// at is the height of a ratio on the canvas.
func (d *ladderDrawing) at(ratio float64) float64 {
	return d.y0 + (math.Log(d.l.Bands[0].High)-math.Log(ratio))*d.perLog
}

// labels are the heights of the labels of places.
func (d *ladderDrawing) labels(places []int, pitch float64) []float64 {
	want := make([]float64, len(places))
	for i, at := range places {
		want[i] = d.at(d.l.Places[at].Ratio)
	}
	return chart.Spread(want, pitch, d.y0+pitch/2-2, d.y0+d.height-pitch/2+2)
}

// shift is how far the label that is furthest from its mark is.
func (d *ladderDrawing) shift(places []int, pitch float64) float64 {
	worst := 0.0
	for i, y := range d.labels(places, pitch) {
		worst = max(worst, math.Abs(y-d.at(d.l.Places[places[i]].Ratio)))
	}
	return worst
}

func (d *ladderDrawing) add(ink chart.Ink, m ...chart.Mark) {
	d.groups[ink] = append(d.groups[ink], m...)
}

func (d *ladderDrawing) text(ink chart.Ink, x, y float64, anchor chart.Anchor, size float64, text string) {
	d.add(ink, chart.Mark{Form: chart.Text, X: x, Y: y, Anchor: anchor, Size: size, Text: text})
}

func (d *ladderDrawing) line(ink chart.Ink, points ...chart.Point) {
	d.add(ink, chart.Mark{Form: chart.Line, Points: points})
}

// bands draws the tiers with their numbers and limits.
func (d *ladderDrawing) bands() {
	each := d.height / float64(len(d.l.Bands))
	every := int(math.Ceil(14 / each)) // limits that there is room for
	for i := range d.l.Bands {
		band := &d.l.Bands[i]
		y := d.y0 + float64(i)*each
		d.stripe(i, y, each)
		if each >= 13 {
			d.text(chart.Name, 12, y+each/2+4.5, chart.Start, 13, strconv.Itoa(band.Number))
		}
		if i%every == 0 {
			d.limit(y, band.High, band)
		}
	}
	last := &d.l.Bands[len(d.l.Bands)-1]
	d.limit(d.y0+d.height, last.Low, nil)
}

// stripe shades every other tier, but not that of the reference.
func (d *ladderDrawing) stripe(i int, y, height float64) {
	steps := math.Round(math.Log(d.l.Bands[i].High)/math.Log(d.l.Step) - 0.5)
	if math.Mod(steps, 2) != 0 {
		d.add(chart.Stripe, chart.Mark{Form: chart.Rect, X: 0, Y: y, W: d.width, H: height})
	}
}

// limit draws the line between two tiers; band is that beneath it, nil for the last line.
func (d *ladderDrawing) limit(y, ratio float64, band *ladder.Band) {
	d.line(chart.Grid, chart.Point{X: 34, Y: y}, chart.Point{X: d.width, Y: y})
	if band == nil {
		y -= 8 // within the canvas
	}
	d.text(chart.Tick, ladderLeft-14, y+4, chart.End, 11, d.b.number(display.Significant(d.valueOf(ratio), 3)))
	d.text(chart.Tick, d.width-8, y+4, chart.End, 11, d.b.l.Percent(ratio))
}

func (d *ladderDrawing) valueOf(ratio float64) float64 {
	if d.l.Lower {
		return d.l.Reference.Value / ratio
	}
	return d.l.Reference.Value * ratio
}

// heads are the names over the columns and over the limits.
func (d *ladderDrawing) heads() {
	y := d.top + 21
	tier := d.b.l.T("ladders.tier1")
	if 12+chart.TextWidth(tier, 11)+6+chart.TextWidth(d.b.unit(), 11) < ladderLeft-14 {
		d.text(chart.Muted, 12, y, chart.Start, 11, tier)
	}
	d.text(chart.Muted, ladderLeft-14, y, chart.End, 11, d.b.unit())
	d.text(chart.Muted, d.width-8, y, chart.End, 11, d.b.l.T("ladders.share"))
	for i := range d.lanes {
		ln := &d.lanes[i]
		d.line(chart.Grid, chart.Point{X: ln.x, Y: d.y0}, chart.Point{X: ln.x, Y: d.y0 + d.height})
		if !ln.first {
			continue
		}
		c := &d.cols[ln.col]
		d.add(chart.SeriesInk(c.series), chart.Mark{Form: chart.Symbol, X: ln.x, Y: y - 4.5, Size: symbolSize + 1, Sign: chart.SeriesSign(c.series)})
		d.text(chart.Name, ln.x+12, y, chart.Start, 13, c.name)
	}
}

// lane draws the marks of a lane, and beside each its label.
func (d *ladderDrawing) lane(ln *lane) {
	c := &d.cols[ln.col]
	for i, y := range d.labels(ln.places, labelPitch) {
		p := &d.l.Places[ln.places[i]]
		d.mark(p, c, ln.x, y, ln.x+labelFrom, ln.x+ln.width-laneGap-symbolSize/2)
	}
}

// mark draws a card: its sign on the scale, its name and its value at the height of
// the label, and a thin line between them.
func (d *ladderDrawing) mark(p *ladder.Place, c *ladderColumn, x, y, from, to float64) {
	card, at := d.card(p), d.at(p.Ratio)
	href, title := d.b.href(p.Row), d.b.title(p)
	d.line(chart.Leader, chart.Point{X: x + symbolSize/2, Y: at}, chart.Point{X: from - 3, Y: y})
	size := symbolSize
	if p.ID == d.l.Reference.ID {
		size += 4
	}
	sign := chart.Mark{Form: chart.Symbol, X: x, Y: at, Size: size, Sign: chart.SeriesSign(c.series), Hollow: !p.Confirmed}
	label := chart.Mark{Form: chart.Text, X: from, Y: y + 4, Text: d.b.shortName(card, c.mixed), Href: href}
	if d.touch { // one link is enough for a finger
		label.Title = title
	} else {
		sign.Href, sign.Title, label.Again = href, title, true
	}
	d.add(chart.SeriesInk(c.series), sign)
	d.add(chart.Label, label)
	if one := d.at(1); math.Abs(y-one) < labelSize*0.8 { // the line of the reference does not strike it out
		d.add(chart.Paper, chart.Mark{Form: chart.Rect, X: from - 2, Y: y - labelSize/2 - 1, W: to - from + 4, H: labelSize + 3})
	}
	d.text(chart.Muted, to, y+4, chart.End, 0, d.b.number(p.Value))
}

// reference draws the line of 100 %.
func (d *ladderDrawing) reference() {
	if d.l.Bands[0].High < 1 || d.l.Bands[len(d.l.Bands)-1].Low > 1 {
		return // it is not among the cards, and beyond them
	}
	y := d.at(1)
	d.line(chart.Ref, chart.Point{X: 34, Y: y}, chart.Point{X: d.width, Y: y})
	x := d.width - 8
	if d.touch {
		x = narrowAxis - 12 // to the right are values
	}
	d.text(chart.Name, x, y-4, chart.End, 11, d.b.l.Percent(1))
}

// titles are for pictures that stand alone.
func (d *ladderDrawing) titles() {
	l := d.b.l
	d.text(chart.Name, 12, 28, chart.Start, 20, d.b.heading())
	d.text(chart.Muted, 12, 50, chart.Start, 12.5, d.b.method())
	if chosen := d.b.chosen(); chosen != "" {
		d.add(chart.Muted, chart.Mark{Form: chart.Text, X: 12, Y: 50 + ladderLine, W: d.width - 20, Size: 12.5, Text: chosen})
	}
	y := d.y0 + d.height + 20
	d.text(chart.Muted, 12, y, chart.Start, 11, d.b.footer())
	d.text(chart.Muted, d.width-8, y, chart.End, 11, l.T("site.name"))
}

// order is that of the inks from the ground upwards.
var order = []chart.Ink{chart.Stripe, chart.Grid, chart.Axis, chart.Ref, chart.Paper, chart.Leader, chart.Tick, chart.Muted, chart.Name, chart.Label}

// drawing puts the groups together.
func (d *ladderDrawing) drawing(id, class string, height float64) *chart.Drawing {
	out := &chart.Drawing{ID: id, Class: class, Lang: d.b.l.Tag(), Width: math.Ceil(d.width), Height: math.Ceil(height), Title: d.b.heading(), Desc: d.b.describe()}
	inks := order
	for i := range chart.MaxSeries {
		inks = append(inks, chart.SeriesInk(i))
	}
	for _, ink := range inks {
		if marks := d.groups[ink]; len(marks) > 0 {
			out.Groups = append(out.Groups, chart.Group{Ink: ink, Marks: marks})
		}
	}
	return out
}
