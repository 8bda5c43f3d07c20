package chart

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zlib"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// pointsPerMillimetre is the unit of PDF: 72 points to the inch.
const pointsPerMillimetre = 72 / 25.4

// unitsPerEm is at which size outlines of letters are read; they are scaled from there.
const unitsPerEm = 1000

// PDF writes a drawing as a page of one sheet that is width millimetres wide, in the colours of the light
// theme. Texts are outlines, so that the sheet prints the same everywhere without fonts. The same drawing
// gives the same bytes. Format: ISO 32000-1, 8.5.2 (paths), 8.4.3 (line styles), 7.5 (file structure).
func (p *Painter) PDF(w io.Writer, d *Drawing, width float64) error {
	if !(d.Width > 0 && d.Height > 0 && width > 0) {
		return fmt.Errorf("a sheet of %g × %g cannot be written", d.Width, d.Height)
	}
	scale := width * pointsPerMillimetre / d.Width
	s := &sheet{fonts: p.fonts, glyphs: map[glyphKey]string{}}
	fmt.Fprintf(&s.page, "%s 0 0 -%s 0 %s cm\n", pdfNumber(scale), pdfNumber(scale), pdfNumber(d.Height*scale))
	s.colour(paper, true)
	fmt.Fprintf(&s.page, "0 0 %s %s re f\n", pdfNumber(d.Width), pdfNumber(d.Height))
	for i := range d.Groups {
		l := lookOf(d.Groups[i].Ink)
		for j := range d.Groups[i].Marks {
			if p.stopped() {
				return ErrStopped
			}
			if err := s.mark(&d.Groups[i].Marks[j], l); err != nil {
				return err
			}
		}
	}
	return s.write(w, d, scale)
}

// A sheet is a page under way: the content of its one stream.
type sheet struct {
	page   bytes.Buffer
	fonts  *fonts
	buffer sfnt.Buffer
	glyphs map[glyphKey]string // outlines that were read
}

type glyphKey struct {
	font  *sfnt.Font
	index sfnt.GlyphIndex
}

// pdfNumber writes a number as PDF reads it: without an exponent, and finite.
func pdfNumber(v float64) string {
	if math.IsNaN(v) {
		v = -outOfSight
	}
	return strconv.FormatFloat(math.Round(min(max(v, -outOfSight), outOfSight)*1e4)/1e4, 'f', -1, 64)
}

func (s *sheet) numbers(operator string, values ...float64) {
	for _, v := range values {
		s.page.WriteString(pdfNumber(v))
		s.page.WriteByte(' ')
	}
	s.page.WriteString(operator)
	s.page.WriteByte('\n')
}

// colour sets the colour of areas, or of lines.
func (s *sheet) colour(hex string, fill bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		n = 0
	}
	operator := "RG"
	if fill {
		operator = "rg"
	}
	s.numbers(operator, float64(n>>16&255)/255, float64(n>>8&255)/255, float64(n&255)/255)
}

func (s *sheet) mark(m *Mark, l look) error {
	switch m.Form {
	case Line:
		s.trace(m.Points)
		s.stroke(l)
	case area:
		s.trace(m.Points)
		s.fill(l.fill)
	case Rect:
		s.numbers("re", m.X, m.Y, max(m.W, 0), max(m.H, 0))
		s.fill(l.fill)
	case Symbol:
		s.symbol(m, l)
	case Text, FreeText:
		return s.words(m, l)
	}
	return nil
}

func (s *sheet) trace(points []Point) {
	for i, p := range points {
		operator := "l"
		if i == 0 {
			operator = "m"
		}
		s.numbers(operator, p.X, p.Y)
	}
}

// fill ends a path.
func (s *sheet) fill(colour string) {
	if colour == "" {
		s.page.WriteString("n\n")
		return
	}
	s.colour(colour, true)
	s.page.WriteString("f\n")
}

func (s *sheet) stroke(l look) {
	if l.stroke == "" {
		s.page.WriteString("n\n")
		return
	}
	s.colour(l.stroke, false)
	s.numbers("w", l.width)
	fmt.Fprintf(&s.page, "[%s] 0 d S\n", l.dash)
}

// circle is how far the handles of a quarter are from its ends, in radii: 4/3·(√2 − 1).
const circle = 0.5522847498

func (s *sheet) symbol(m *Mark, l look) {
	size := sizeOf(m, l)
	if points := outline(m.Sign, Point{m.X, m.Y}, size); points != nil {
		s.trace(points)
	} else {
		x, y, r := m.X, m.Y, size/2
		h := r * circle
		s.numbers("m", x+r, y)
		s.numbers("c", x+r, y+h, x+h, y+r, x, y+r)
		s.numbers("c", x-h, y+r, x-r, y+h, x-r, y)
		s.numbers("c", x-r, y-h, x-h, y-r, x, y-r)
		s.numbers("c", x+h, y-r, x+r, y-h, x+r, y)
	}
	inside := l.fill
	if m.Hollow {
		inside = paper
	}
	s.colour(orInk(inside), true)
	s.colour(orInk(l.stroke), false)
	s.numbers("w", l.width)
	s.page.WriteString("[] 0 d b\n")
}

// words writes a text run by run as outlines.
func (s *sheet) words(m *Mark, l look) error {
	size := sizeOf(m, l)
	runs := s.fonts.runs(fit(m.Text, size, m.W), l.bold)
	width := 0.0
	for i := range runs {
		runs[i].width = s.width(&runs[i], size)
		width += runs[i].width
	}
	back := width * [...]float64{Start: 0, Middle: 0.5, End: 1}[m.Anchor]
	s.colour(orInk(l.fill), true)
	s.colour(orInk(l.fill), false)
	s.page.WriteString("q\n")
	if m.Form == FreeText {
		s.numbers("cm", 0, -1, 1, 0, m.X, m.Y+back)
	} else {
		s.numbers("cm", 1, 0, 0, 1, m.X-back, m.Y)
	}
	x := 0.0
	for _, r := range runs {
		if err := s.run(r, size, x); err != nil {
			return err
		}
		x += r.width
	}
	s.page.WriteString("Q\n")
	return nil
}

func (s *sheet) width(r *run, size float64) float64 {
	if r.font == nil {
		return TextWidth(r.text, size)
	}
	w := 0.0
	for _, c := range r.text {
		w += s.advance(r.font, c)
	}
	return w * size / unitsPerEm
}

// advance is how far a letter moves the next one, at unitsPerEm; 0 where the font does not tell.
func (s *sheet) advance(f *sfnt.Font, c rune) float64 {
	i, err := f.GlyphIndex(&s.buffer, c)
	if err != nil {
		return 0
	}
	a, err := f.GlyphAdvance(&s.buffer, i, fixed.I(unitsPerEm), font.HintingNone)
	if err != nil {
		return 0
	}
	return float64(a) / 64
}

func (s *sheet) run(r run, size, x float64) error {
	if r.font == nil {
		return nil
	}
	for _, c := range r.text {
		path, err := s.outline(r.font, c)
		if err != nil {
			return err
		}
		if path != "" {
			k := size / unitsPerEm
			s.page.WriteString("q\n")
			s.numbers("cm", k, 0, 0, k, x, 0)
			s.page.WriteString(path)
			if r.strong { // the font has no bold: the outline is drawn as well
				s.page.WriteString("20 w [] 0 d B\nQ\n")
			} else {
				s.page.WriteString("f\nQ\n")
			}
		}
		x += s.advance(r.font, c) * size / unitsPerEm
	}
	return nil
}

// outline is the path of a letter at unitsPerEm, y downwards as in drawings.
func (s *sheet) outline(f *sfnt.Font, c rune) (string, error) {
	i, err := f.GlyphIndex(&s.buffer, c)
	if err != nil {
		return "", fmt.Errorf("font: %w", err)
	}
	key := glyphKey{f, i}
	if path, known := s.glyphs[key]; known {
		return path, nil
	}
	segments, err := f.LoadGlyph(&s.buffer, i, fixed.I(unitsPerEm), nil)
	if err != nil {
		return "", fmt.Errorf("font: %w", err)
	}
	path := glyphPath(segments)
	s.glyphs[key] = path
	return path, nil
}

// glyphPath writes segments as operators; a curve of one handle becomes one of two, which is the same curve.
func glyphPath(segments sfnt.Segments) string {
	var b strings.Builder
	var at [2]float64
	point := func(p fixed.Point26_6) [2]float64 { return [2]float64{float64(p.X) / 64, float64(p.Y) / 64} }
	write := func(operator string, points ...[2]float64) {
		for _, p := range points {
			fmt.Fprintf(&b, "%.0f %.0f ", p[0], p[1])
		}
		b.WriteString(operator + "\n")
		at = points[len(points)-1]
	}
	third := func(from, handle [2]float64) [2]float64 {
		return [2]float64{from[0] + 2*(handle[0]-from[0])/3, from[1] + 2*(handle[1]-from[1])/3}
	}
	for _, g := range segments {
		a := point(g.Args[0])
		switch g.Op {
		case sfnt.SegmentOpMoveTo:
			write("m", a)
		case sfnt.SegmentOpLineTo:
			write("l", a)
		case sfnt.SegmentOpQuadTo:
			to := point(g.Args[1])
			write("c", third(at, a), third(to, a), to)
		case sfnt.SegmentOpCubeTo:
			write("c", a, point(g.Args[1]), point(g.Args[2]))
		}
	}
	return b.String()
}

// write writes the file: catalogue, page, content and title, and where each of them lies.
func (s *sheet) write(w io.Writer, d *Drawing, scale float64) error {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(s.page.Bytes()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /Lang (" + strings.Trim(
			d.Lang,
			"()\\",
		) + ") /ViewerPreferences << /DisplayDocTitle true >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Resources << >> /Contents 4 0 R >>",
			pdfNumber(d.Width*scale), pdfNumber(d.Height*scale)),
		fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", packed.Len(), packed.Bytes()),
		"<< /Title " + pdfText(d.Title) + " >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var at []int
	for i, object := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	_, err := w.Write(b.Bytes())
	return err
}

// pdfText is a text in UTF-16, written in hexadecimal digits.
func pdfText(s string) string {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			fmt.Fprintf(&b, "%04X%04X", 0xd800+(r>>10), 0xdc00+(r&0x3ff))
			continue
		}
		fmt.Fprintf(&b, "%04X", r)
	}
	return b.String() + ">"
}
