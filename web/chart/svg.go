package chart

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// how says where an SVG will be.
type how bool

// Ways to write an SVG.
const (
	InPage     how = false // inside a page of HTML, whose style sheet may change colours
	Standalone how = true  // a file of its own
)

// family is the fonts of texts in files.
const family = `system-ui, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif`

// SVG writes the drawing. Colours are attributes, which a page's style sheet
// overrides by the classes of the groups; there are neither styles nor scripts.
func (d *Drawing) SVG(how how) []byte {
	w := &svgWriter{b: make([]byte, 0, 64<<10)}
	w.open(d, how)
	if how == Standalone {
		w.text(`<rect width="100%" height="100%" fill="` + paper + `"/>`)
	}
	for i := range d.Groups {
		w.group(&d.Groups[i])
	}
	w.text("</svg>\n")
	return w.b
}

type svgWriter struct{ b []byte }

// outOfSight is further away than any drawing is wide.
const outOfSight = 1e6

func (w *svgWriter) text(s string) { w.b = append(w.b, s...) }

// number writes a length with one decimal; what is no place at all is out of sight.
func (w *svgWriter) number(v float64) {
	if math.IsNaN(v) {
		v = -outOfSight
	}
	v = math.Round(min(max(v, -outOfSight), outOfSight)*10) / 10
	if v == 0 {
		v = 0 // not -0
	}
	w.b = strconv.AppendFloat(w.b, v, 'f', -1, 64)
}

// about writes a length beyond a hundred as a whole number: half a pixel does not
// matter to texts and to lines between things.
func (w *svgWriter) about(v float64) {
	if math.Abs(v) >= 100 {
		v = math.Round(v)
	}
	w.number(v)
}

func (w *svgWriter) attribute(name string, v float64) {
	w.text(" " + name + `="`)
	w.number(v)
	w.text(`"`)
}

func (w *svgWriter) named(name, value string) {
	if value != "" {
		w.text(" " + name + `="`)
		w.escaped(value)
		w.text(`"`)
	}
}

// escaped writes a text without what XML does not allow; a line break is a space.
func (w *svgWriter) escaped(s string) {
	for _, r := range s {
		switch {
		case r == '&':
			w.text("&amp;")
		case r == '<':
			w.text("&lt;")
		case r == '>':
			w.text("&gt;")
		case r == '"':
			w.text("&#34;")
		case r == '\n' || r == '\t' || r == '\r':
			w.text(" ")
		case r == 0xfffe || r == 0xffff || unicode.IsControl(r):
			w.b = utf8.AppendRune(w.b, utf8.RuneError)
		default:
			w.b = utf8.AppendRune(w.b, r)
		}
	}
}

func (w *svgWriter) open(d *Drawing, how how) {
	w.text("<svg")
	if how == Standalone {
		w.text(` xmlns="http://www.w3.org/2000/svg"`)
		w.named("font-family", family)
		w.named("color", ink)
	} else {
		w.named("class", strings.TrimSpace("chart "+d.Class))
	}
	w.text(` viewBox="0 0 `)
	w.number(d.Width)
	w.text(" ")
	w.number(d.Height)
	w.text(`"`)
	w.attribute("width", d.Width)
	w.attribute("height", d.Height)
	w.named("lang", d.Lang)
	if how == InPage && len(d.Places) > 0 {
		w.text(` data-at="`)
		for _, p := range d.Places {
			w.about(p.X)
			w.text(" ")
			w.about(p.Y)
			w.text(" ")
		}
		w.text(`"`)
	}
	role := "img"
	if d.linked() {
		role = "group"
	}
	w.named("role", role)
	w.named("aria-labelledby", d.ID+"-title")
	if d.Desc != "" {
		w.named("aria-describedby", d.ID+"-desc")
	}
	w.text("><title")
	w.named("id", d.ID+"-title")
	w.text(">")
	w.escaped(d.Title)
	w.text("</title>")
	if d.Desc != "" {
		w.text("<desc")
		w.named("id", d.ID+"-desc")
		w.text(">")
		w.escaped(d.Desc)
		w.text("</desc>")
	}
}

func (d *Drawing) linked() bool {
	for i := range d.Groups {
		for j := range d.Groups[i].Marks {
			if d.Groups[i].Marks[j].Href != "" {
				return true
			}
		}
	}
	return false
}

func (w *svgWriter) group(g *Group) {
	if len(g.Marks) == 0 {
		return
	}
	l := lookOf(g.Ink)
	w.text("<g")
	w.named("class", "ink-"+string(g.Ink))
	w.named("fill", orNone(l.fill))
	w.named("stroke", l.stroke)
	if l.stroke != "" {
		w.attribute("stroke-width", l.width)
	}
	w.named("stroke-dasharray", l.dash)
	if l.size > 0 {
		w.attribute("font-size", l.size)
	}
	if l.bold {
		w.named("font-weight", "600")
	}
	if l.opacity > 0 {
		w.text(` fill-opacity="` + strconv.FormatFloat(l.opacity, 'f', -1, 64) + `"`)
	}
	w.text(">")
	for i := 0; i < len(g.Marks); {
		if n := plainLines(g.Marks[i:]); n > 1 {
			w.lines(g.Marks[i:i+n], l)
			i += n
			continue
		}
		if n := plainSymbols(g.Marks[i:]); n > 1 {
			w.symbols(g.Marks[i:i+n], l)
			i += n
			continue
		}
		w.mark(&g.Marks[i], l)
		i++
	}
	w.text("</g>")
}

// plainSymbols is how many of the first marks are symbols that one path can hold: all filled, or all hollow.
func plainSymbols(marks []Mark) int {
	for i := range marks {
		if m := &marks[i]; m.Form != Symbol || m.Hollow != marks[0].Hollow || m.Href != "" || m.Title != "" {
			return i
		}
	}
	return len(marks)
}

// symbols writes symbols as one path.
func (w *svgWriter) symbols(marks []Mark, l look) {
	w.text(`<path d="`)
	for i := range marks {
		m := &marks[i]
		if m.Sign == Circle {
			w.circle(m.X, m.Y, sizeOf(m, l)/2)
			continue
		}
		w.points(outline(m.Sign, Point{m.X, m.Y}, sizeOf(m, l)), true, w.number)
	}
	w.text(`"`)
	w.hollow(&marks[0])
	w.text("/>")
}

// circle writes a circle of a path as two arcs.
func (w *svgWriter) circle(x, y, r float64) {
	w.text("M")
	w.number(x - r)
	w.text(" ")
	w.number(y)
	for _, across := range []float64{2 * r, -2 * r} {
		w.text("a")
		w.number(r)
		w.text(" ")
		w.number(r)
		w.text(" 0 1 1 ")
		w.number(across)
		w.text(" 0")
	}
	w.text("Z")
}

func (w *svgWriter) hollow(m *Mark) {
	if m.Hollow {
		w.named("class", "hollow")
		w.named("fill", paper)
	}
}

// plainLines is how many of the first marks are lines that one path can hold.
func plainLines(marks []Mark) int {
	for i := range marks {
		if m := &marks[i]; m.Form != Line || m.Href != "" || m.Title != "" {
			return i
		}
	}
	return len(marks)
}

// lines writes lines as one path, which is shorter than one for each.
func (w *svgWriter) lines(marks []Mark, l look) {
	var points [][]Point
	for i := range marks {
		points = append(points, marks[i].Points)
	}
	w.text("<path")
	w.path(false, points...)
	if l.fill != "" {
		w.named("fill", "none")
	}
	w.text("/>")
}

func orNone(colour string) string {
	if colour == "" {
		return "none"
	}
	return colour
}

// mark writes a mark; with an address it is a link whose name is its title.
func (w *svgWriter) mark(m *Mark, l look) {
	switch {
	case m.Href != "":
		w.text("<a")
		w.named("href", m.Href)
		if m.Again {
			w.text(` tabindex="-1" aria-hidden="true"`)
		}
		w.text(">")
		w.title(m)
		w.shape(m, l)
		w.text("</a>")
	case m.Title != "":
		w.text("<g>")
		w.title(m)
		w.shape(m, l)
		w.text("</g>")
	default:
		w.shape(m, l)
	}
}

func (w *svgWriter) title(m *Mark) {
	if m.Title != "" {
		w.text("<title>")
		w.escaped(m.Title)
		w.text("</title>")
	}
}

func (w *svgWriter) shape(m *Mark, l look) {
	switch m.Form {
	case Line:
		w.text("<path")
		w.path(false, m.Points)
		if l.fill != "" {
			w.named("fill", "none")
		}
		w.text("/>")
	case area:
		w.text("<path")
		w.path(true, m.Points)
		w.text("/>")
	case Rect:
		w.text("<rect")
		w.attribute("x", m.X)
		w.attribute("y", m.Y)
		w.attribute("width", max(m.W, 0))
		w.attribute("height", max(m.H, 0))
		w.text("/>")
	case Text, FreeText:
		w.words(m, l)
	case Symbol:
		w.symbol(m, l)
	}
}

func (w *svgWriter) path(closed bool, lines ...[]Point) {
	write := w.number
	if len(lines) > 1 {
		write = w.about
	}
	w.text(` d="`)
	for _, points := range lines {
		w.points(points, closed, write)
	}
	w.text(`"`)
}

// points writes the places of one line of a path.
func (w *svgWriter) points(points []Point, closed bool, write func(float64)) {
	for i, p := range points {
		if i == 0 {
			w.text("M")
		} else {
			w.text("L")
		}
		write(p.X)
		w.text(" ")
		write(p.Y)
	}
	if closed && len(points) > 0 {
		w.text("Z")
	}
}

func (w *svgWriter) words(m *Mark, l look) {
	size := sizeOf(m, l)
	w.text("<text")
	if m.Form == FreeText {
		w.text(` transform="translate(`)
		w.about(m.X)
		w.text(" ")
		w.about(m.Y)
		w.text(`) rotate(-90)"`)
	} else {
		w.text(` x="`)
		w.about(m.X)
		w.text(`"`)
		w.text(` y="`)
		w.about(m.Y)
		w.text(`"`)
	}
	if m.Size > 0 && m.Size != l.size {
		w.attribute("font-size", m.Size)
	}
	w.named("text-anchor", [...]string{"", "middle", "end"}[m.Anchor])
	if l.fill == "" {
		w.named("fill", "currentColor") // the ink of lines: its texts are as those around the drawing
	}
	if l.stroke != "" {
		w.named("stroke", "none")
	}
	w.text(">")
	w.escaped(fit(m.Text, size, m.W))
	w.text("</text>")
}

func (w *svgWriter) symbol(m *Mark, l look) {
	size := sizeOf(m, l)
	if points := outline(m.Sign, Point{m.X, m.Y}, size); points != nil {
		w.text("<path")
		w.path(true, points)
	} else {
		w.text("<circle")
		w.attribute("cx", m.X)
		w.attribute("cy", m.Y)
		w.attribute("r", size/2)
	}
	w.hollow(m)
	w.text("/>")
}
