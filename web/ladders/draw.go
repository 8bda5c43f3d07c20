package ladders

import (
	"math"
	"strings"

	"tianti/ladder"
	"tianti/web/chart"
	"tianti/web/display"
)

// drawing is the ladder for a page, with the number of its labels.
func (b *ladderBuilder) drawing() (drawing *chart.Drawing, labels int) {
	d := &ladderDrawing{b: b, l: &b.t.Ladder, cols: b.columns(), width: pageWidth, y0: 64, x0: marginLeft,
		pitch: labelPitch, groups: map[chart.Ink][]chart.Mark{}}
	bands := b.bands()
	d.last = bands[len(bands)-1]
	d.lay(bands, 0)
	d.legend(0, 14, d.width)
	d.body()
	return d.drawn("ladder", "wide", d.height+2), d.linked
}

// poster is the ladder as a sheet of A2, portrait.
func (b *ladderBuilder) poster() *chart.Drawing {
	const pad, head, foot = 40.0, 250.0, 142.0
	d := &ladderDrawing{
		b:      b,
		l:      &b.t.Ladder,
		cols:   b.columns(),
		width:  posterWidth - pad,
		y0:     head,
		x0:     marginLeft + pad,
		pad:    pad,
		pitch:  labelPitch,
		groups: map[chart.Ink][]chart.Mark{},
	}
	bands := b.bands()
	d.last = bands[len(bands)-1]
	d.lay(bands, posterHeight-head-foot)
	d.titles()
	d.body()
	d.foot()
	d.width = posterWidth
	return d.drawn("ladder", "", posterHeight)
}

func (d *ladderDrawing) body() {
	d.bands()
	d.ticks()
	x, widths := d.x0, d.widths()
	for i := range d.cols {
		d.column(&d.cols[i], x, widths[i])
		x += widths[i]
	}
	d.reference()
}

func (d *ladderDrawing) add(ink chart.Ink, m ...chart.Mark) {
	d.groups[ink] = append(d.groups[ink], m...)
}

func (d *ladderDrawing) text(ink chart.Ink, x, y float64, anchor chart.Anchor, size float64, text string) {
	d.add(ink, chart.Mark{Form: chart.Text, X: x, Y: y, Anchor: anchor, Size: size, Text: text})
}

func (d *ladderDrawing) rect(ink chart.Ink, x, y, w, h float64) {
	d.add(ink, chart.Mark{Form: chart.Rect, X: x, Y: y, W: w, H: h})
}

func (d *ladderDrawing) line(ink chart.Ink, points ...chart.Point) {
	d.add(ink, chart.Mark{Form: chart.Line, Points: points})
}

// bands draws the grounds with their names and limits.
func (d *ladderDrawing) bands() {
	for i := range d.levels {
		v := &d.levels[i]
		d.rect(chart.BandInk(i), d.pad, v.y, d.width-d.pad, v.height)
		d.bandName(i, d.nameAt(v), d.b.shares(&v.NamedBand))
	}
	if d.last.Count > 0 {
		end := d.levels[len(d.levels)-1]
		y := end.y + end.height
		d.rect(chart.BandInk(chart.Bands-1), d.pad, y, d.width-d.pad, d.height-y)
		d.bandName(chart.Bands-1, y, d.b.shares(&d.last))
	}
}

// nameHeight is what the name of a band takes from where it begins.
const nameHeight = 66

// nameAt is where the name of a band begins: at its top, or below the value of the line of 100 % where that lies there.
func (d *ladderDrawing) nameAt(v *level) float64 {
	line := d.at(1)
	if below := line + 3; line-9 < v.y+nameHeight && line+9 > v.y+6 && below+nameHeight < v.y+v.height {
		return below
	}
	return v.y
}

func (d *ladderDrawing) bandName(i int, y float64, share string) {
	ink, id := chart.BandNameInk(i), d.b.bands()[i].ID
	d.text(ink, d.pad+12, y+30, chart.Start, 28, strings.ToUpper(id))
	d.text(ink, d.pad+12, y+47, chart.Start, 13, d.b.l.T("ladders.bandname."+id))
	d.text(chart.Muted, d.pad+12, y+62, chart.Start, 10.5, share)
}

// roundSteps are the round values of a decade that the scale names.
var roundSteps = []float64{1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8}

// ticks are round values at the left of the scale, and lines at their heights.
func (d *ladderDrawing) ticks() {
	first, end := &d.levels[0], &d.levels[len(d.levels)-1]
	bottom, last := end.y+end.height, math.Inf(-1)
	var values []float64
	low, high := d.valueAt(end.Low), d.valueAt(d.l.Places[0].Ratio)
	for e := math.Floor(math.Log10(min(low, high))); e <= math.Ceil(math.Log10(max(low, high))); e++ {
		for _, s := range roundSteps {
			values = append(values, s*math.Pow(10, e))
		}
	}
	for i := range values {
		v := values[i]
		if !d.l.Lower {
			v = values[len(values)-1-i]
		}
		ratio := d.ratioOf(v)
		y := d.at(ratio)
		if ratio < end.Low || y < first.y+8 || y > bottom-6 || y-last < 34 || math.Abs(y-d.at(1)) < 16 ||
			d.underName(y) {
			continue
		}
		last = y
		d.line(chart.Grid, chart.Point{X: d.x0, Y: y}, chart.Point{X: d.width, Y: y})
		d.text(chart.Tick, d.x0-10, y+4, chart.End, 10.5, d.b.number(display.Significant(v, 3)))
	}
}

// underName reports whether a height is that of the name of a band.
func (d *ladderDrawing) underName(y float64) bool {
	for i := range d.levels {
		if from := d.nameAt(&d.levels[i]); y > from+34 && y < from+nameHeight {
			return true
		}
	}
	return false
}

func (d *ladderDrawing) ratioOf(v float64) float64 {
	if d.l.Lower {
		return d.l.Reference.Value / v
	}
	return v / d.l.Reference.Value
}

func (d *ladderDrawing) valueAt(ratio float64) float64 {
	if d.l.Lower {
		return d.l.Reference.Value / ratio
	}
	return d.l.Reference.Value * ratio
}

// column draws a heading, the marks under it and their labels.
func (d *ladderDrawing) column(c *ladderColumn, x, w float64) {
	d.add(chart.Name, chart.Mark{Form: chart.Text, X: x + 14, Y: d.y0 - 22, W: w - 14, Size: 14, Text: c.name})
	if c.note != "" {
		d.add(chart.Muted, chart.Mark{Form: chart.Text, X: x + 14, Y: d.y0 - 8, W: w - 14, Size: 11, Text: c.note})
	}
	end := &d.levels[len(d.levels)-1]
	d.line(chart.Grid, chart.Point{X: x + 10, Y: d.y0}, chart.Point{X: x + 10, Y: end.y + end.height})
	for i := range d.levels {
		d.labels(c, &d.levels[i], x, w)
	}
	d.folded(c, x, w)
}

// labels draws the cards of a column in a band.
func (d *ladderDrawing) labels(c *ladderColumn, v *level, x, w float64) {
	places := within(c.places, &v.NamedBand)
	chosen, rest := d.chosenLabels(places, v.height)
	top, bottom := v.y+d.pitch/2+1, v.y+v.height-d.pitch/2-1
	if rest > 0 {
		bottom -= d.pitch
	}
	chosen, heights := d.settled(chosen, top, bottom)
	if left := len(places) - len(chosen); left > rest { // there is no room around the reference
		if rest == 0 {
			bottom -= d.pitch
			chosen, heights = d.settled(chosen, top, bottom)
		}
		rest = len(places) - len(chosen)
	}
	if rest > 0 {
		d.add(
			chart.Muted,
			chart.Mark{Form: chart.Text, X: x + labelFrom + 10, Y: bottom + d.pitch + 4, W: w - labelFrom - 16,
				Text: d.b.l.T("ladders.more", rest)},
		)
	}
	for n, i := range chosen {
		d.label(&d.l.Places[i], c, x, w, heights[n])
	}
	for _, i := range places {
		p := &d.l.Places[i]
		d.symbol(p, x+10, d.at(p.Ratio), 8)
		if d.at(p.Ratio) <= d.levels[0].y+6 {
			d.beyond++
		}
	}
}

func (d *ladderDrawing) symbol(p *ladder.Place, x, y, size float64) {
	g := d.b.generation(p.Row)
	d.add(chart.GenerationInk(g), chart.Mark{Form: chart.Symbol, X: x, Y: y, Size: size, Sign: chart.GenerationSign(g),
		Hollow: !p.Confirmed})
}

// label writes name, value and share of a card at a height, and a line from its mark.
func (d *ladderDrawing) label(p *ladder.Place, c *ladderColumn, x, w, y float64) {
	from, to, at := x+aroundName, x+w-marginRight, d.at(p.Ratio)
	ink, quiet := chart.Label, chart.Muted
	switch {
	case p.ID == d.b.t.mine:
		ink, quiet = chart.OnMine, chart.OnMine
		d.rect(chart.Mine, from-5, y-d.pitch/2, to-from+9, d.pitch)
	case p.ID == d.l.Reference.ID:
		ink = chart.Name
		d.rect(chart.Answered, from-5, y-d.pitch/2-.5, to-from+9, d.pitch+1)
		d.rect(chart.Paper, from-4, y-d.pitch/2+.5, to-from+7, d.pitch-1)
	case math.Abs(y-d.at(1)) < d.pitch/2: // the line of 100 % does not strike it out
		d.rect(d.groundAt(p), from-4, y-d.pitch/2+1, to-from+8, d.pitch-2)
	}
	d.line(chart.Leader, chart.Point{X: x + 14, Y: at}, chart.Point{X: from - 3, Y: y})
	value := d.b.number(p.Value)
	room := (to-shareWidth-gapName-from)/setWide - chart.TextWidth(value, labelSize)
	if ink == chart.Name { // bold
		room /= setWide
	}
	d.linked++
	d.add(ink, chart.Mark{Form: chart.Text, X: from, Y: y + 4, W: room, Size: labelSize, Href: d.b.href(p.Row),
		Title: d.b.title(p), Text: d.b.squeezed(p, c, labelSize, room)})
	d.text(ink, to-shareWidth, y+4, chart.End, labelSize-.5, value)
	d.text(quiet, to, y+4, chart.End, 10, d.b.percent(p.Ratio))
}

// groundAt is the ground of the band of a place; a little of the line of 100 % is covered with it.
func (d *ladderDrawing) groundAt(p *ladder.Place) chart.Ink {
	for i := range d.levels {
		if p.Ratio >= d.levels[i].Low {
			return coverInk(i)
		}
	}
	return chart.Paper
}

// coverInk is the ink of a ground that lies over lines.
func coverInk(i int) chart.Ink { return "over-" + chart.BandInk(i) }

// folded lists the first cards of the last band.
func (d *ladderDrawing) folded(c *ladderColumn, x, w float64) {
	places := within(c.places, &d.last)
	if len(places) == 0 {
		return
	}
	end := &d.levels[len(d.levels)-1]
	top := end.y + end.height + 16
	shown := places[:min(foldMost, len(places))]
	d.linked += len(shown)
	for n, i := range shown {
		p := &d.l.Places[i]
		y := top + float64(n)*foldPitch
		d.symbol(p, x+10, y-3.5, 6.5)
		value := d.b.number(p.Value)
		room := (w-aroundName-marginRight-gapName)/setWide - chart.TextWidth(value, 10.5)
		d.add(
			chart.Muted,
			chart.Mark{Form: chart.Text, X: x + aroundName, Y: y, W: room, Href: d.b.href(p.Row),
				Size: 10.5, Title: d.b.title(p), Text: d.b.squeezed(p, c, 10.5, room)},
		)
		d.text(chart.Muted, x+w-marginRight, y, chart.End, 10.5, value)
	}
	if rest := len(places) - len(shown); rest > 0 {
		d.text(
			chart.Muted,
			x+10+labelFrom,
			top+float64(len(shown))*foldPitch,
			chart.Start,
			10.5,
			d.b.l.T("ladders.more", rest),
		)
	}
}

// reference draws the line of 100 % with its value at the left.
func (d *ladderDrawing) reference() {
	end := &d.levels[len(d.levels)-1]
	if 1 < end.Low || d.l.Places[0].Ratio < 1 && d.at(1) <= d.levels[0].y+6 {
		return // it is not among the cards, and beyond them
	}
	y := d.at(1)
	d.line(chart.Answer, chart.Point{X: d.x0 - 6, Y: y}, chart.Point{X: d.width, Y: y})
	text := d.b.l.Percent(1) + " · " + d.b.number(d.l.Reference.Value)
	w := max(d.x0-d.pad-8, chart.TextWidth(text, 11)+8)
	d.rect(chart.Answered, d.pad, y-9, w, 18)
	d.text(chart.OnAnswer, d.pad+w/2, y+4, chart.Middle, 11, text)
}

// legendGap is the mark of a generation with what is around it.
const legendGap = 34.0

// legend tells generations apart, on one line from a place.
func (d *ladderDrawing) legend(x, y, to float64) {
	texts := d.b.legends(func(texts []string) bool {
		w := 0.0
		for _, text := range texts {
			w += setWide*chart.TextWidth(text, 11.5) + legendGap
		}
		return x+w <= to
	})
	for g, text := range texts {
		if text == "" {
			continue
		}
		w := setWide * chart.TextWidth(text, 11.5)
		d.add(
			chart.GenerationInk(g),
			chart.Mark{Form: chart.Symbol, X: x + 6, Y: y - 4, Size: 8, Sign: chart.GenerationSign(g)},
		)
		d.add(chart.Label, chart.Mark{Form: chart.Text, X: x + 16, Y: y, W: to - x - 16, Size: 11.5, Text: text})
		x += w + legendGap
	}
}

// titles are for sheets, which stand alone.
func (d *ladderDrawing) titles() {
	b := d.b
	width := d.width - d.pad
	line := func(ink chart.Ink, y, size float64, text string) {
		d.add(ink, chart.Mark{Form: chart.Text, X: d.pad, Y: y, W: width, Size: size, Text: text})
	}
	line(chart.Name, 82, 34, b.heading())
	if finding := b.finding(); finding != b.t.title(b.l) { // the heading says that
		line(chart.Label, 116, 17, finding)
	}
	line(chart.Muted, 142, 13, b.method())
	if chosen := b.chosen(); chosen != "" {
		line(chart.Muted, 162, 13, chosen)
	}
	d.legend(d.pad, 192, d.width)
	d.line(chart.Axis, chart.Point{X: d.pad, Y: 172}, chart.Point{X: d.width, Y: 172})
}

// foot says on a sheet how the ladder is made.
func (d *ladderDrawing) foot() {
	b, y := d.b, d.height+26
	for _, text := range b.footLines() {
		d.add(chart.Muted, chart.Mark{Form: chart.Text, X: d.pad, Y: y, W: d.width - d.pad, Size: 11.5, Text: text})
		y += 18
	}
	d.text(chart.Name, d.width, posterHeight-20, chart.End, 12, b.l.T("site.name"))
	if mine := b.mineText(); mine != "" {
		d.rect(chart.Mine, d.pad, posterHeight-34, chart.TextWidth(mine, 12)+18, 20)
		d.text(chart.OnMine, d.pad+9, posterHeight-20, chart.Start, 12, mine)
	}
}

// drawn puts the groups together, from the ground upwards.
func (d *ladderDrawing) drawn(id, class string, height float64) *chart.Drawing {
	b := d.b
	out := &chart.Drawing{ID: id, Class: class, Lang: b.l.Tag(), Width: math.Ceil(d.width), Height: math.Ceil(height),
		Title: b.heading(), Desc: b.describe()}
	var inks []chart.Ink
	for i := range chart.Bands {
		inks = append(inks, chart.BandInk(i))
	}
	inks = append(inks, chart.Grid, chart.Axis, chart.Leader, chart.Answer, chart.Answered)
	for i := range chart.Bands {
		inks = append(inks, coverInk(i))
	}
	inks = append(inks, chart.Paper, chart.Mine, chart.Tick, chart.Muted, chart.Name, chart.Label)
	for i := range chart.Bands {
		inks = append(inks, chart.BandNameInk(i))
	}
	for i := range chart.Generations {
		inks = append(inks, chart.GenerationInk(i))
	}
	inks = append(inks, chart.OnAnswer, chart.OnMine)
	for _, ink := range inks {
		if marks := d.groups[ink]; len(marks) > 0 {
			name, _ := strings.CutPrefix(string(ink), "over-")
			out.Groups = append(out.Groups, chart.Group{Ink: chart.Ink(name), Marks: marks})
		}
	}
	return out
}
