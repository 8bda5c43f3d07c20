package ladders

import (
	"math"
	"slices"

	"tianti/ladder"
	"tianti/web/chart"
)

// The measures of a ladder, in CSS pixels.
const (
	pageWidth    = 1232.0
	posterWidth  = 1240.0 // of a sheet of A2, portrait: 420 × 594 mm
	posterHeight = 1754.0
	posterMM     = 420.0
	marginLeft   = 124.0 // names of bands and values
	labelSize    = 11.5
	labelPitch   = 14.5
	labelFrom    = 15.0 // from the mark to its label
	bandLeast    = 150.0
	bandMost     = 460.0
	openMost     = 2.2 // factors that the open band shows; what is beyond stands at its end
	labelsMost   = 180 // of a page; the list has more
	foldMost     = 5   // cards of the last band in a column
	foldPitch    = 13.0
)

// A level is a named band on the drawing.
type level struct {
	ladder.NamedBand
	y, height float64
}

// A ladderDrawing draws a ladder: bands across, columns of marks at their true places on the scale, and
// labels beside them that stay inside their band.
type ladderDrawing struct {
	b      *ladderBuilder
	l      *ladder.Ladder
	cols   []ladderColumn
	levels []level // without the last band, which is folded
	last   ladder.NamedBand
	width  float64
	height float64
	y0, x0 float64
	unit   float64 // height of a factor of one band
	pitch  float64
	pad    float64 // margin around, of sheets
	beyond int     // cards that are further up than the open band shows
	groups map[chart.Ink][]chart.Mark
	linked int // labels that are links
}

// lay divides the height: each band is as tall as its fullest column needs, all by one scale. free is what
// there is for the scale and the folded band; 0 is as much as is needed.
func (d *ladderDrawing) lay(bands []ladder.NamedBand, free float64) {
	d.last = bands[len(bands)-1]
	lowest := 0
	for i := range bands[:len(bands)-1] {
		if bands[i].Count > 0 {
			lowest = i
		}
	}
	step := d.b.t.namedStep()
	open := 0.3
	if bands[0].Count > 0 {
		open = min(math.Log(d.l.Places[0].Ratio/bands[0].Low)/math.Log(step)+0.12, openMost)
	}
	spans := float64(lowest) + open
	fold := d.foldHeight()
	if free > 0 {
		d.unit = (free - fold) / spans
	} else {
		need := bandLeast
		for i := range bands[:lowest+1] {
			span := 1.0
			if i == 0 {
				span = open
			}
			need = max(need, (float64(d.fullest(&bands[i]))*d.pitch+10)/span)
		}
		d.unit = min(need, bandMost)
		for d.unit > bandLeast && d.labelCount(bands[:lowest+1], open) > labelsMost {
			d.unit = max(bandLeast, d.unit*0.9)
		}
	}
	y := d.y0
	for i := range bands[:lowest+1] {
		h := d.unit
		if i == 0 {
			h *= open
		}
		d.levels = append(d.levels, level{NamedBand: bands[i], y: y, height: h})
		y += h
	}
	d.height = y + fold
}

// labelCount is how many labels there is room for.
func (d *ladderDrawing) labelCount(bands []ladder.NamedBand, open float64) int {
	n := 0
	for i := range bands {
		h := d.unit
		if i == 0 {
			h *= open
		}
		for c := range d.cols {
			n += min(len(within(d.cols[c].places, &bands[i])), max(1, int((h-6)/d.pitch)))
		}
	}
	return n
}

// fullest is the number of cards of a band in the column that has most.
func (d *ladderDrawing) fullest(band *ladder.NamedBand) int {
	most := 0
	for i := range d.cols {
		most = max(most, len(within(d.cols[i].places, band)))
	}
	return most
}

// within are those of ascending places that are of a band.
func within(places []int, band *ladder.NamedBand) []int {
	from, _ := slices.BinarySearch(places, band.First)
	to, _ := slices.BinarySearch(places, band.First+band.Count)
	return places[from:to]
}

// foldHeight is what the folded band takes.
func (d *ladderDrawing) foldHeight() float64 {
	if d.last.Count == 0 {
		return 0
	}
	return math.Max(74, 22+float64(min(d.fullest(&d.last), foldMost+1))*foldPitch)
}

// at is the height of a ratio on the scale; what is above the open band stands at its end.
func (d *ladderDrawing) at(ratio float64) float64 {
	first := &d.levels[0]
	y := first.y + first.height - math.Log(ratio/first.Low)/math.Log(d.b.t.namedStep())*d.unit
	return max(y, first.y+6)
}

// A pinned place has its label near its own height: that of the reference, and of the reader's card.
func (d *ladderDrawing) pinned(place int) bool {
	id := d.l.Places[place].ID
	return id == d.l.Reference.ID || id == d.b.t.mine
}

// chosenLabels are which places of a column get a label in a band: all, or as many of the best as there is
// room for, with the reference and the reader's card among them. rest is how many do not.
func (d *ladderDrawing) chosenLabels(places []int, height float64) (chosen []int, rest int) {
	room := max(1, int((height-6)/d.pitch))
	if len(places) <= room {
		return places, 0
	}
	room = max(1, room-1) // a line says how many more there are
	keep := slices.Clone(places[:room])
	for _, i := range places[room:] {
		if d.pinned(i) {
			keep[len(keep)-1] = i
			slices.Sort(keep)
		}
	}
	return keep, len(places) - len(keep)
}

// awayMost is how many labels away from its mark that of a pinned place may stand, where all others fit for that.
const awayMost = 3

// settled are the heights of labels, and which of them have one: those of pinned places stand beside their marks, and
// what there is no room for above or below them goes, the lowest first.
func (d *ladderDrawing) settled(chosen []int, lo, hi float64) (kept []int, heights []float64) {
	at := func(list []int) (want []float64) {
		for _, i := range list {
			want = append(want, d.at(d.l.Places[i].Ratio))
		}
		return want
	}
	n, all := slices.IndexFunc(chosen, d.pinned), chart.Spread(at(chosen), d.pitch, lo, hi)
	if n < 0 || math.Abs(all[n]-d.at(d.l.Places[chosen[n]].Ratio)) <= awayMost*d.pitch {
		return chosen, all
	}
	pin := max(lo, min(hi, d.at(d.l.Places[chosen[n]].Ratio)))
	above, below := chosen[:n], chosen[n+1:]
	above = above[:min(len(above), max(0, int((pin-lo)/d.pitch+1e-6)))]
	fits := max(0, int((hi-pin)/d.pitch+1e-6))
	if fits < len(below) {
		cut := slices.Clone(below[:fits])
		for _, i := range below[fits:] {
			if fits > 0 && d.pinned(i) { // a second one
				cut[len(cut)-1] = i
			}
		}
		below = cut
	}
	kept = append(append(slices.Clone(above), chosen[n]), below...)
	heights = append(chart.Spread(at(above), d.pitch, lo, pin-d.pitch), pin)
	return kept, append(heights, chart.Spread(at(below), d.pitch, pin+d.pitch, hi)...)
}

// Around a name: from the mark to it, from it to the value, and the share with its margin.
const aroundName, gapName, shareWidth, marginRight = 10 + labelFrom, 8.0, 36.0, 8.0

// setWide is how much wider than it is estimated a text may be set: fonts of readers differ.
const setWide = 1.1

// needs is the width that a column needs for its longest name.
func (d *ladderDrawing) needs(c *ladderColumn) float64 {
	most := 150.0
	for _, at := range c.places {
		p := &d.l.Places[at]
		if p.Ratio < d.last.High {
			continue
		}
		name := chart.TextWidth(d.b.labelOf(p, c), labelSize) + chart.TextWidth(d.b.number(p.Value), labelSize)
		most = max(most, setWide*name+aroundName+gapName+shareWidth+marginRight)
	}
	return most
}

// widths part the width among columns by what they need: where that is too much the widest give way, and what is left
// over goes to all.
func (d *ladderDrawing) widths() []float64 {
	free, out := d.width-d.x0, make([]float64, len(d.cols))
	for i := range d.cols {
		out[i] = d.needs(&d.cols[i])
	}
	ascending := slices.Sorted(slices.Values(out))
	most, left := 0.0, free
	for i, w := range ascending {
		if n := float64(len(ascending) - i); w*n >= left { // the rest share what is left
			most = left / n
			break
		}
		left -= w
	}
	total := 0.0
	for i := range out {
		if most > 0 {
			out[i] = min(out[i], most)
		}
		total += out[i]
	}
	for i := range out {
		out[i] += (free - total) / float64(len(out))
	}
	return out
}
