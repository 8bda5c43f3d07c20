package ladders

import (
	"math"
	"strconv"

	"tianti/ladder"
	"tianti/web/chart"
	"tianti/web/display"
)

// The measures of a ladder for narrow screens.
const (
	narrowWidth   = 344.0
	narrowAxis    = 84.0
	narrowFrom    = 128.0
	narrowPitch   = 17.0
	narrowShift   = 40.0
	narrowBand    = 340.0
	narrowTallest = 7000.0
)

// narrow is the drawing with one scale and one column of labels.
func (b *ladderBuilder) narrow() *chart.Drawing {
	d := &ladderDrawing{b: b, l: &b.t.Ladder, cols: b.columnsOf(drawnMost, mostVendors), width: narrowWidth, touch: true, groups: map[chart.Ink][]chart.Mark{}}
	var all []int
	of := map[int]*ladderColumn{}
	for i := range d.cols {
		for _, at := range d.cols[i].places {
			of[at] = &d.cols[i]
		}
	}
	for i := range d.l.Places[:min(drawnMost, len(d.l.Places))] {
		all = append(all, i)
	}
	d.y0 = d.legend()
	tallest := min(narrowTallest, 300+narrowPitch*2.2*float64(len(all)))
	d.stretch(func() float64 { return d.shift(all, narrowPitch) }, narrowShift, narrowBand, tallest)
	if need := narrowPitch * float64(len(all)+1); d.height < need { // all labels, however crowded
		d.height = need
		d.perLog = need / float64(len(d.l.Bands)) / math.Log(d.l.Step)
	}
	d.narrowBands()
	d.reference()
	for i, y := range d.labels(all, narrowPitch) {
		d.mark(&d.l.Places[all[i]], of[all[i]], narrowAxis, y, narrowFrom, narrowWidth-8)
	}
	return d.drawing("ladder-narrow", "narrow", d.y0+d.height+6)
}

// legend tells the signs of the columns apart; it returns where the scale may begin.
func (d *ladderDrawing) legend() float64 {
	x, y := 10.0, 16.0
	for i := range d.cols {
		c := &d.cols[i]
		w := 26 + chart.TextWidth(c.name, labelSize)
		if x+w > narrowWidth {
			x, y = 10, y+20
		}
		d.add(chart.SeriesInk(c.series), chart.Mark{Form: chart.Symbol, X: x, Y: y - 4, Size: symbolSize, Sign: chart.SeriesSign(c.series)})
		d.text(chart.Label, x+10, y, chart.Start, labelSize, c.name)
		x += w
	}
	y += 22
	d.text(chart.Muted, narrowAxis-12, y-2, chart.End, 10.5, d.b.unit())
	return y + 4
}

// narrowBands draws the tiers; a limit is written once, as a value.
func (d *ladderDrawing) narrowBands() {
	each := d.height / float64(len(d.l.Bands))
	every := int(math.Ceil(14 / each))
	for i := range d.l.Bands {
		y := d.y0 + float64(i)*each
		d.stripe(i, y, each)
		if each >= 30 {
			d.text(chart.Name, 8, y+each/2+4.5, chart.Start, 13, strconv.Itoa(d.l.Bands[i].Number))
		}
		if i%every == 0 {
			d.narrowLimit(y, &d.l.Bands[i])
		}
	}
	d.line(chart.Grid, chart.Point{X: narrowAxis, Y: d.y0}, chart.Point{X: narrowAxis, Y: d.y0 + d.height})
}

func (d *ladderDrawing) narrowLimit(y float64, band *ladder.Band) {
	d.line(chart.Grid, chart.Point{X: 8, Y: y}, chart.Point{X: d.width, Y: y})
	d.text(chart.Tick, narrowAxis-12, y+12, chart.End, 10.5, d.b.number(display.Significant(d.valueOf(band.High), 3)))
}
