// Package chart draws pictures of data: marks on a canvas, written as SVG for
// pages and files, and painted as PNG.
//
// A [Drawing] is groups of marks. Each group has an [Ink], a name for how its marks
// look: pages style the name by class, so that it follows the theme, and files and
// PNG take the colours of the light theme. The same drawing gives the same bytes.
//
// Lengths are in CSS pixels; y grows downwards.
package chart

import "strconv"

// A Drawing is a picture. Marks of later groups lie over those of earlier ones.
type Drawing struct {
	ID            string // unique within its page: prefix of the ids inside
	Class         string // further classes of the svg element in a page: "wide", "narrow"
	Lang          string // of its texts: "en", "zh-Hans"
	Width, Height float64
	Title         string // what the picture shows, in a few words
	Desc          string // what there is to see, in a sentence or two
	Groups        []Group
	Places        []Point // in a page: where its script finds the marks that it says something of
}

// A Group is marks of one look.
type Group struct {
	Ink   Ink
	Marks []Mark
}

// An Ink is a name for how marks look; see inks for all of them. Series are
// made with [SeriesInk].
type Ink string

// Inks that are not of a series.
const (
	Grid   Ink = "grid"   // fine lines behind everything
	Axis   Ink = "axis"   // lines of axes
	Tick   Ink = "tick"   // texts at axes
	Name   Ink = "name"   // names of axes, headings
	Label  Ink = "label"  // names of marks
	Muted  Ink = "muted"  // texts that matter less
	Stripe Ink = "stripe" // every other band behind the marks
	Leader Ink = "leader" // thin lines from marks to their labels
	Front  Ink = "front"  // the line of what nothing else is better than
	Ref    Ink = "ref"    // the line of the reference
	Paper  Ink = "paper"  // the ground
	region Ink = "region" // areas with a meaning, see-through

	Answer   Ink = "answer"   // the line of 100 %
	Answered Ink = "answered" // boxes that belong to it
	OnAnswer Ink = "onanswer" // texts on it
	Mine     Ink = "mine"     // the ground of the reader's card
	OnMine   Ink = "onmine"   // texts on it
)

// Bands is how many bands and generations have a look of their own.
const (
	Bands       = 5
	Generations = 4
)

// BandInk is the ground of the i-th named band, the best first.
func BandInk(i int) Ink { return Ink("b" + strconv.Itoa(i%Bands)) }

// BandNameInk is for the name of the i-th band.
func BandNameInk(i int) Ink { return Ink("n" + strconv.Itoa(i%Bands)) }

// GenerationInk is for marks of the i-th generation, the newest first; the last is of all older ones.
func GenerationInk(i int) Ink { return Ink("g" + strconv.Itoa(min(i, Generations-1))) }

// GenerationSign is the shape that repeats the colour of a generation.
func GenerationSign(i int) sign {
	return [Generations]sign{square, diamond, triangle, Circle}[min(i, Generations-1)]
}

// MaxSeries is how many series have a look of their own; more repeat them.
const MaxSeries = 8

// A Form is the shape of a mark that stands for one thing.
type form uint8

// Forms of marks. Symbols differ in shape as well as in ink, so that colour is
// never alone.
const (
	Line     form = iota // through Points
	area                 // Points as a closed shape
	Rect                 // X, Y is its upper left corner, W and H its size
	Text                 // X, Y is on its baseline; W is 0 or what it must fit into
	Symbol               // at X, Y; Sign says which
	FreeText             // as Text, turned by a quarter to read upwards
)

// A Sign is the shape of a Symbol.
type sign uint8

// Signs, in the order in which series take them.
const (
	Circle sign = iota
	square
	triangle
	diamond
	triangleDown
	pentagon
	cross
	plus
)

// An Anchor is which part of a text lies at its X.
type Anchor uint8

// Anchors.
const (
	Start Anchor = iota
	Middle
	End
)

// A Point is a place on the canvas.
type Point struct{ X, Y float64 }

// A Mark is one thing drawn. Size is the font size of a text and the diameter of a
// symbol; 0 is that of the ink.
type Mark struct {
	Form   form
	X, Y   float64
	W, H   float64
	Size   float64
	Points []Point
	Text   string
	Anchor Anchor
	Sign   sign
	Hollow bool   // a symbol of which only the outline is drawn: a value that is not confirmed
	Href   string // makes the mark a link
	Again  bool   // the link is of a mark beside it too: pointers may use it, keyboards and readers need not
	Title  string // what a pointer over the mark, or a reader of a link, is told
}
