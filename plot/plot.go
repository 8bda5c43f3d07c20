package plot

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tianti/catalog"
	"tianti/sorting"
)

// MaxPoints is how many cards a plot holds.
const MaxPoints = 2000

// A Direction says which values of a quantity are better.
type Direction int8

// Directions.
const (
	Neither Direction = 0
	Higher  Direction = 1
	Lower   Direction = -1
)

// Usual is the direction that a buyer prefers.
func Usual(q *catalog.Quantity) Direction {
	switch q.Better {
	case "higher":
		return Higher
	case "lower":
		return Lower
	}
	return Neither
}

// compare is 1 where a is better than b, -1 where it is worse, 0 where they are equal.
func (d Direction) compare(a, b float64) int {
	if d == Lower {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// A Scale is the scale of an axis.
type Scale uint8

// Scales. Auto is logarithmic where all values are positive and far apart.
const (
	Auto Scale = iota
	Linear
	Log
)

// farApart is the ratio of the largest to the smallest value from which on an automatic
// scale is logarithmic.
const farApart = 20

// An Axis is a quantity with its direction and scale. A date is laid out as a year
// with its fraction; what is known to the month or year stands at its start.
type Axis struct {
	Quantity *catalog.Quantity
	Better   Direction
	Scale    Scale   // Auto until the plot is made
	Lo, Hi   float64 // of the points
}

// Plottable reports whether a quantity can be laid out along an axis.
func Plottable(q *catalog.Quantity) bool { return q.Numeric() }

// A Point is a card of which both values are known.
type Point struct {
	Row    int
	X, Y   float64
	Kin    string // what it is grouped by: its vendor, its series; may be empty
	Group  int    // of Plot.Groups
	Stale  bool   // a value follows from a price that is too old: neither better than others nor on the front
	Front  bool   // no other is better; false where there is no front
	Beaten int    // how many others dominate it: at least as good in both and better in one
	By     []int  // the nearest of those, by distance, at most mostBy
}

// mostBy is how many better cards are named for a point.
const mostBy = 5

// A Reason is why a card is not in the plot.
type Reason string

// Reasons.
const (
	NoX         Reason = "no_x"
	NoY         Reason = "no_y"
	NoXY        Reason = "no_x_y"
	NotPositive Reason = "not_positive" // and an axis is logarithmic
)

// Reasons are all of them.
var Reasons = []Reason{NoX, NoY, NoXY, NotPositive}

// An Absent is a card that is not in the plot.
type Absent struct {
	Row    int
	Reason Reason
}

// A Plot is cards as points.
type Plot struct {
	X, Y    Axis
	Points  []Point // by X, then Y
	Groups  []Group
	Front   []int // of Points, by X; nil where a direction is missing
	Absents []Absent
}

// HasFront reports whether both axes have a direction.
func (p *Plot) HasFront() bool { return p.X.Better != Neither && p.Y.Better != Neither }

// New plots the cards in rows.
func New(s *catalog.Snapshot, rows []int, x, y Axis, by Grouping) *Plot {
	p := &Plot{X: x, Y: y}
	for _, row := range rows {
		vx, okX := value(s, x.Quantity, row)
		vy, okY := value(s, y.Quantity, row)
		if okX && okY {
			p.Points = append(p.Points, Point{Row: row, X: vx, Y: vy, Stale: stale(s, x.Quantity, row) ||
				stale(s, y.Quantity, row)})
			continue
		}
		reason := NoXY
		if okX {
			reason = NoY
		} else if okY {
			reason = NoX
		}
		p.Absents = append(p.Absents, Absent{row, reason})
	}
	p.X.resolveScale(p.Points, func(pt *Point) float64 { return pt.X })
	p.Y.resolveScale(p.Points, func(pt *Point) float64 { return pt.Y })
	p.dropNotPositive()
	sorting.Func(p.Points, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), a.Row-b.Row)
	})
	p.X.extend(p.Points, func(pt *Point) float64 { return pt.X })
	p.Y.extend(p.Points, func(pt *Point) float64 { return pt.Y })
	p.group(s, by)
	if p.HasFront() {
		p.compare()
	}
	return p
}

func stale(s *catalog.Snapshot, q *catalog.Quantity, row int) bool {
	quote, ok := s.QuoteBehind(q, row)
	return ok && !quote.Freshness.Current()
}

// value is a number, or a date as a year with its fraction.
func value(s *catalog.Snapshot, q *catalog.Quantity, row int) (float64, bool) {
	v, ok := s.Number(q, row)
	if ok && q.Kind == catalog.Day {
		v = Year(int(v))
	}
	return v, ok
}

// resolveScale replaces Auto by the scale that suits the values.
func (a *Axis) resolveScale(points []Point, of func(*Point) float64) {
	if a.Scale != Auto {
		return
	}
	a.Scale = Linear
	lo, hi := extent(points, of)
	if a.Quantity.Kind != catalog.Day && lo > 0 && hi/lo >= farApart {
		a.Scale = Log
	}
}

func (a *Axis) extend(points []Point, of func(*Point) float64) { a.Lo, a.Hi = extent(points, of) }

func extent(points []Point, of func(*Point) float64) (lo, hi float64) {
	for i := range points {
		v := of(&points[i])
		if i == 0 {
			lo, hi = v, v
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// dropNotPositive removes the points that a logarithmic axis cannot show.
func (p *Plot) dropNotPositive() {
	p.Points = slices.DeleteFunc(p.Points, func(pt Point) bool {
		bad := p.X.Scale == Log && pt.X <= 0 || p.Y.Scale == Log && pt.Y <= 0
		if bad {
			p.Absents = append(p.Absents, Absent{pt.Row, NotPositive})
		}
		return bad
	})
}

// Year is a date of the form YYYYMMDD as a year with its fraction.
func Year(ordinal int) float64 {
	y, m, d := ordinal/10000, ordinal/100%100, ordinal%100
	day := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).YearDay()
	days := time.Date(y, time.December, 31, 0, 0, 0, 0, time.UTC).YearDay()
	return float64(y) + float64(day-1)/float64(days)
}

// compare finds the front, and for each other point the ones that are better.
func (p *Plot) compare() {
	places := make([][2]float64, len(p.Points)) // on a square canvas
	for i := range p.Points {
		places[i] = [2]float64{p.X.share(p.Points[i].X), p.Y.share(p.Points[i].Y)}
	}
	for i := range p.Points {
		p.beaten(i, places)
		if p.Points[i].Beaten == 0 && !p.Points[i].Stale {
			p.Points[i].Front = true
			p.Front = append(p.Front, i)
		}
	}
}

// beaten compares a point with all others. The distance of two points is that in the
// picture.
func (p *Plot) beaten(i int, places [][2]float64) {
	pt := &p.Points[i]
	var far [mostBy]float64
	for j := range p.Points {
		if !p.beats(&p.Points[j], pt) {
			continue
		}
		pt.Beaten++
		dx, dy := places[i][0]-places[j][0], places[i][1]-places[j][1]
		d := dx*dx + dy*dy
		at := len(pt.By)
		for at > 0 && far[at-1] > d {
			at--
		}
		if at == mostBy {
			continue
		}
		if len(pt.By) == mostBy {
			pt.By = pt.By[:mostBy-1]
		}
		pt.By = slices.Insert(pt.By, at, j)
		copy(far[at+1:], far[at:mostBy-1])
		far[at] = d
	}
}

// beats reports whether a is at least as good as b in both quantities and better
// in one. What follows from an old price beats no other.
func (p *Plot) beats(a, b *Point) bool {
	if a.Stale {
		return false
	}
	x, y := p.X.Better.compare(a.X, b.X), p.Y.Better.compare(a.Y, b.Y)
	return x >= 0 && y >= 0 && x+y > 0
}

// share is where on the axis a value lies, 0 to 1.
func (a *Axis) share(v float64) float64 {
	lo, hi := a.Lo, a.Hi
	if a.Scale == Log {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	if hi == lo {
		return 0
	}
	return (v - lo) / (hi - lo)
}
