package chart

import "strconv"

// A look is how an ink is drawn in the light theme.
type look struct {
	fill, stroke string // colours; empty is none
	width        float64
	size         float64 // of texts
	bold         bool
	dash         string
	opacity      float64 // of the fill; 0 is opaque
}

// Colours of the light theme, the same as in the style sheet.
const (
	paper = "#fffefb"
	line  = "#e0dcd2"
	edge  = "#8b8578"
	ink   = "#1d1b18"
	muted = "#605b51"
	sunk  = "#f1ede3"
	mark  = "#a9331b"
)

// series are told apart by most people with a colour vision deficiency, and have
// signs besides.
var series = [MaxSeries]string{"#1f6fb2", "#c8501b", "#1b8a5a", "#9a4f96", "#a87900", "#2b8fa8", "#c2477f", "#6d6a63"}

var inks = map[Ink]look{
	Grid:   {stroke: line, width: 1},
	Axis:   {stroke: edge, width: 1},
	Tick:   {fill: muted, size: 11},
	Name:   {fill: ink, size: 12, bold: true},
	Label:  {fill: ink, size: 12},
	Muted:  {fill: muted, size: 11},
	Stripe: {fill: sunk},
	Leader: {stroke: edge, width: 0.75},
	Front:  {stroke: mark, width: 2},
	Ref:    {stroke: ink, width: 1.25, dash: "5 4"},
	Paper:  {fill: paper},
	region: {fill: mark, opacity: 0.12},

	Answer:   {fill: mark, stroke: mark, width: 1.5, dash: "5 4"},
	Answered: {fill: mark, stroke: mark, width: 1.5},
	OnAnswer: {fill: "#ffffff", size: 11, bold: true},
	Mine:     {fill: ink},
	OnMine:   {fill: "#ffffff", size: 12, bold: true},
}

// bandColours are the grounds and the names of bands, generationColours the marks of generations.
var (
	bandColours = [Bands][2]string{{"#f9e4dc", "#93290f"}, {"#faeed3", "#744800"}, {"#e8efdc", "#3f5c1a"},
		{"#e1ecec", "#255a6b"}, {"#eeebe4", "#5d574c"}}
	generationColours = [Generations]string{"#b1371d", "#b07a12", "#3f7d6e", "#8a8375"}
)

// SeriesInk is the ink of the i-th series; they repeat after MaxSeries.
func SeriesInk(i int) Ink { return Ink("s" + strconv.Itoa(i%MaxSeries)) }

// SeriesSign is the sign of the i-th series.
func SeriesSign(i int) sign { return sign(i % MaxSeries) }

func init() {
	for i, c := range bandColours {
		inks[BandInk(i)] = look{fill: c[0]}
		inks[BandNameInk(i)] = look{fill: c[1], size: 13, bold: true}
	}
	for i, c := range generationColours {
		inks[GenerationInk(i)] = look{fill: c, stroke: c, width: 1.25}
	}
	for i, colour := range series {
		inks[SeriesInk(i)] = look{fill: colour, stroke: colour, width: 1.5, size: 12}
	}
}

// lookOf is the look of an ink; an unknown one is drawn like a label, so that it is
// seen and fixed.
func lookOf(i Ink) look {
	if l, ok := inks[i]; ok {
		return l
	}
	return inks[Label]
}

// sizeOf is the size of a mark: its own, or that of the ink, or 9 for symbols.
func sizeOf(m *Mark, l look) float64 {
	switch {
	case m.Size > 0:
		return m.Size
	case m.Form == Symbol || l.size == 0:
		return 9
	}
	return l.size
}

// outline is the shape of a sign of a diameter around a point; nil for a circle. The
// strokes of a cross are polygons too, so that every sign can be hollow.
func outline(s sign, at Point, size float64) []Point {
	r := size / 2
	shape := func(scale float64, xy ...float64) []Point {
		out := make([]Point, len(xy)/2)
		for i := range out {
			out[i] = Point{at.X + xy[2*i]*r*scale, at.Y + xy[2*i+1]*r*scale}
		}
		return out
	}
	switch s {
	case square:
		return shape(0.9, -1, -1, 1, -1, 1, 1, -1, 1)
	case triangle:
		return shape(1.15, 0, -1, 0.92, 0.72, -0.92, 0.72)
	case diamond:
		return shape(1.2, 0, -1, 1, 0, 0, 1, -1, 0)
	case triangleDown:
		return shape(1.15, 0, 1, 0.92, -0.72, -0.92, -0.72)
	case pentagon:
		return shape(1.1, 0, -1, 0.951, -0.309, 0.588, 0.809, -0.588, 0.809, -0.951, -0.309)
	case cross:
		return shape(1, -1, -0.55, -0.55, -1, 0, -0.45, 0.55, -1, 1, -0.55, 0.45, 0, 1, 0.55, 0.55, 1, 0, 0.45, -0.55,
			1, -1, 0.55, -0.45, 0)
	case plus:
		return shape(1.1, -0.32, -1, 0.32, -1, 0.32, -0.32, 1, -0.32, 1, 0.32, 0.32, 0.32, 0.32, 1, -0.32, 1, -0.32,
			0.32, -1, 0.32, -1, -0.32, -0.32, -0.32)
	}
	return nil
}
