package prices

import (
	"cmp"
	"math"
	"slices"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/chart"
	"tianti/web/display"
)

// A glance is the small picture of a card's own page: buying, or renting where too few prices to buy are known. It has
// few marks, as the page of all prices has the rest.
const (
	glanceWidth  = 340
	glanceHeight = 150
	glanceLeft   = 48
	glanceRight  = 12
	mostGlance   = 14  // marks of a picture
	leastGlance  = 3   // observations that are worth one
	glanceGap    = 270 // days without a price after which the ground is shaded and a line ends
	glanceSpan   = 30  // days of which one mark is drawn, where they are not too many
)

// glancePoint is the lowest price of a kind in a span of time.
type glancePoint struct {
	day   int
	value float64
	place int // among all prices
}

// glanceLine is a kind of prices, the earliest first.
type glanceLine struct {
	kind   catalog.PriceKind
	look   int
	points []glancePoint
}

// Glance draws what a card has cost; nil when that is too little. The title says in which currency.
func Glance(l *locale.Locale, name string, all []catalog.PriceInfo, today catalog.Date) *chart.Drawing {
	now, ok := today.DayNumber()
	currency, kinds := glanceOf(all)
	if !ok || currency == "" {
		return nil
	}
	lines := glanceLines(all, currency, kinds)
	title, unit := l.T("prices.chart.title", name), l.T("prices.glance.buy", currency)
	if kinds[0].Rents() {
		unit = l.T("prices.glance.rent", currency)
	}
	n, first, last := 0, math.MaxInt, 0
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range lines {
		n += len(s.points)
		for _, p := range s.points {
			first, last = min(first, p.day), max(last, p.day)
			lo, hi = min(lo, p.value), max(hi, p.value)
		}
	}
	d := &chart.Drawing{
		ID: "glance", Lang: l.Tag(), Width: glanceWidth, Title: title,
		Desc: l.T("prices.glance.desc", n, dayText(first), dayText(last)),
	}
	g := glance{Drawing: d, l: l}
	top := g.legend(lines, unit) + 8
	bottom := top + glanceHeight
	d.Height = math.Ceil(bottom + 22)
	g.x = axisOf(chart.LinearScale, float64(first)-20, float64(max(now, last))+20, glanceLeft, glanceWidth-glanceRight)
	g.y = axisOf(chart.LinearScale, 0, hi*1.1, bottom, top)
	if hi >= 5*lo {
		g.y = axisOf(chart.LogScale, lo/1.3, hi*1.3, bottom, top)
	}
	g.gap(last, now, top, bottom)
	g.axes(first, max(now, last), top, bottom)
	for _, s := range lines {
		g.line(s)
	}
	return d
}

// glanceKinds are the kinds of a picture, the first that has enough prices: of a card by itself, of one in a machine,
// by the hour.
var glanceKinds = [][]catalog.PriceKind{
	{catalog.StreetPrice, catalog.UsedPrice, catalog.LaunchPrice}, {catalog.ServerPrice, catalog.ComputerPrice},
	catalog.ByHour(),
}

// glanceOf chooses what is drawn: the kinds, and the currency of most of their prices. Launch prices alone do not
// count.
func glanceOf(all []catalog.PriceInfo) (currency string, kinds []catalog.PriceKind) {
	type of struct {
		kind     catalog.PriceKind
		currency string
	}
	counts := map[of]int{}
	last, n := of{}, 0 // those of a kind stand together
	for i := range all {
		if len(all[i].Date) < len("2006-01") {
			continue
		}
		if this := (of{all[i].Kind, all[i].Amount.Currency}); this != last {
			counts[last] += n
			last, n = this, 0
		}
		n++
	}
	counts[last] += n
	for _, kinds := range glanceKinds {
		in, most, beside := map[string]int{}, "", false
		for what, n := range counts {
			if n > 0 && slices.Contains(kinds, what.kind) {
				in[what.currency] += n
				beside = beside || what.kind != catalog.LaunchPrice
			}
		}
		for c, n := range in {
			if n > in[most] || n == in[most] && c < most {
				most = c
			}
		}
		if beside && in[most] >= leastGlance {
			return most, kinds
		}
	}
	return "", nil
}

// glanceLines are the lowest prices of each kind: of each month, or of so long a span that few remain.
func glanceLines(all []catalog.PriceInfo, currency string, kinds []catalog.PriceKind) []glanceLine {
	lines := make([]glanceLine, len(kinds))
	at := make([]map[int]int, len(kinds))
	for look, kind := range kinds {
		lines[look], at[look] = glanceLine{kind: kind, look: look}, map[int]int{}
	}
	for i := range all { // once: a card may have many thousands
		p := &all[i]
		look := slices.Index(kinds, p.Kind)
		if look < 0 || p.Amount.Currency != currency {
			continue
		}
		day, ok := p.Date.DayNumber()
		each, _ := p.Each()
		if ok && !each.IsZero() {
			lines[look].lower(at[look], day/glanceSpan, glancePoint{day, each.Amount(), i})
		}
	}
	for span := glanceSpan; ; span *= 2 {
		var out []glanceLine
		n := 0
		for _, s := range lines {
			if s = s.wider(span); len(s.points) > 0 {
				out, n = append(out, s), n+len(s.points)
			}
		}
		if n <= mostGlance || span > 5000 {
			return out
		}
	}
}

// lower takes a point in, unless there is a lower one of its span, or as low a one that stood before it. at says where
// the points of spans are.
func (s *glanceLine) lower(at map[int]int, span int, p glancePoint) {
	k, known := at[span]
	if !known {
		at[span] = len(s.points)
		s.points = append(s.points, p)
		return
	}
	if q := s.points[k]; p.value < q.value || p.value == q.value && p.place < q.place {
		s.points[k] = p
	}
}

// wider has the lowest points of spans of so many days, the earliest first.
func (s *glanceLine) wider(span int) glanceLine {
	out := glanceLine{kind: s.kind, look: s.look}
	at := map[int]int{}
	for _, p := range s.points {
		out.lower(at, p.day/span, p)
	}
	sorting.Func(out.points, func(a, b glancePoint) int { return cmp.Compare(a.day, b.day) })
	return out
}

// glance lays the picture out.
type glance struct {
	*chart.Drawing
	l    *locale.Locale
	x, y chart.Scale
}

func (g *glance) add(ink chart.Ink, marks ...chart.Mark) {
	if len(marks) > 0 {
		g.Groups = append(g.Groups, chart.Group{Ink: ink, Marks: marks})
	}
}

// legend says what is counted and names the kinds in rows; it returns where it ends.
func (g *glance) legend(lines []glanceLine, unit string) float64 {
	g.add(chart.Name, chart.Mark{Form: chart.Text, X: 0, Y: 12, Text: unit, Size: 12})
	x, y := 4.0, 32.0
	var names []chart.Mark
	for _, s := range lines {
		name := g.l.T("prices.kinds." + string(s.kind))
		width := 14 + chart.TextWidth(name, 12) + 12
		if x > 4 && x+width > glanceWidth {
			x, y = 4, y+18
		}
		g.add(chart.SeriesInk(s.look), chart.Mark{
			Form: chart.Symbol, X: x + 4, Y: y - 4, Size: 8, Sign: chart.SeriesSign(s.look),
		})
		names = append(names, chart.Mark{Form: chart.Text, X: x + 13, Y: y, Text: name, Size: 12})
		x += width
	}
	g.add(chart.Muted, names...)
	return y
}

// gap shades the time since the last price, and says how long it is.
func (g *glance) gap(last, now int, top, bottom float64) {
	if now-last < glanceGap {
		return
	}
	from, to := g.x.At(float64(last)+30), float64(glanceWidth-glanceRight)
	g.add(chart.Stripe, chart.Mark{Form: chart.Rect, X: from, Y: top, W: to - from, H: bottom - top})
	g.add(chart.Muted, chart.Mark{
		Form: chart.Text, X: to - 4, Y: top + 14, Anchor: chart.End, Text: g.l.T("prices.glance.gap", (now-last)/30),
	})
}

func (g *glance) axes(first, last int, top, bottom float64) {
	var grid, texts []chart.Mark
	for _, v := range g.y.Ticks(3) {
		at := g.y.At(v)
		grid = append(grid, chart.Mark{
			Form: chart.Line, Points: []chart.Point{{X: glanceLeft, Y: at}, {X: glanceWidth - glanceRight, Y: at}},
		})
		texts = append(texts, chart.Mark{
			Form: chart.Text, X: glanceLeft - 6, Y: at + 4, Anchor: chart.End,
			Text: g.l.Number(display.Significant(v, 4)),
		})
	}
	for _, t := range dateTicks(first-20, last+20, 4) {
		texts = append(texts, chart.Mark{
			Form: chart.Text, X: g.x.At(float64(t.day)), Y: bottom + 16, Anchor: chart.Middle, Text: t.label,
		})
	}
	g.add(chart.Grid, grid...)
	g.add(chart.Tick, texts...)
}

// line draws a kind, and its name with its newest price.
func (g *glance) line(s glanceLine) {
	var marks []chart.Mark
	var run []chart.Point
	flush := func() {
		if len(run) > 1 {
			marks = append(marks, chart.Mark{Form: chart.Line, Points: run})
		}
		run = nil
	}
	for i, p := range s.points {
		if i > 0 && p.day-s.points[i-1].day > glanceGap {
			flush()
		}
		run = append(run, chart.Point{X: g.x.At(float64(p.day)), Y: g.y.At(p.value)})
	}
	flush()
	for _, p := range s.points {
		marks = append(marks, chart.Mark{
			Form: chart.Symbol, X: g.x.At(float64(p.day)), Y: g.y.At(p.value), Size: 8, Sign: chart.SeriesSign(s.look),
		})
	}
	g.add(chart.SeriesInk(s.look), marks...)
}
