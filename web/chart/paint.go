package chart

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
)

// maxPixels bounds the memory of a painting: four bytes for each.
const maxPixels = 40_000_000

// ErrTooLarge is the error for a painting of more than 40 megapixels.
var ErrTooLarge = errors.New("the picture would be too large")

// A Painter paints drawings. It is safe for concurrent use.
type Painter struct {
	fonts *fonts
	done  <-chan struct{} // closed: nobody waits for what is painted; may be nil
}

// ErrStopped is the error for a painting that nobody waits for, context.Canceled.
var ErrStopped = fmt.Errorf("the painting was stopped: %w", context.Canceled)

// Until is the painter, for paintings that end with ErrStopped once done is closed.
func (p *Painter) Until(done <-chan struct{}) *Painter { return &Painter{p.fonts, done} }

// stopped reports whether done is closed.
func (p *Painter) stopped() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stopping is a writer that fails once nobody waits for what is written.
type stopping struct {
	io.Writer
	p *Painter
}

func (w stopping) Write(b []byte) (int, error) {
	if w.p.stopped() {
		return 0, ErrStopped
	}
	return w.Writer.Write(b)
}

// NewPainter returns a painter that writes Chinese with a font file (TrueType or
// OpenType, or a collection of them); without one it looks in the usual places of
// the system, when a character asks for it. A file that is named and cannot be used
// is an error; that none is found is not, see [Painter.Chinese].
func NewPainter(fontFile string) (*Painter, error) {
	f, err := loadFonts(fontFile)
	if err != nil {
		return nil, err
	}
	return &Painter{fonts: f}, nil
}

// Chinese reports whether the painter has a font with Chinese characters.
func (p *Painter) Chinese() bool { return p.fonts.chinese() != nil }

// PNG paints a drawing in the colours of the light theme, scale pixels to a unit.
func (p *Painter) PNG(w io.Writer, d *Drawing, scale float64) error {
	width, height := math.Round(d.Width*scale), math.Round(d.Height*scale)
	if !(width >= 1 && height >= 1) {
		return fmt.Errorf("a picture of %g × %g pixels cannot be painted", width, height)
	}
	if width*height > maxPixels {
		return ErrTooLarge
	}
	im := &image.RGBA{Stride: 4 * int(width), Rect: image.Rect(0, 0, int(width), int(height))}
	im.Pix = full.take(im.Stride * int(height))
	defer full.give(im.Pix)
	c := &canvas{im: im, dc: gg.NewContextForRGBA(im), scale: scale, far: 2 * max(width, height), fonts: p.fonts,
		faces: map[faceKey]*letters{}}
	c.dc.SetHexColor(paper)
	c.dc.Clear()
	for i := range d.Groups {
		g := &d.Groups[i]
		l := lookOf(g.Ink)
		for j := range g.Marks {
			if p.stopped() {
				return ErrStopped
			}
			if err := c.mark(&g.Marks[j], l); err != nil {
				return err
			}
		}
	}
	var painted image.Image = im
	if p := indexed(im); p != nil {
		painted = p
		defer few.give(p.Pix)
	}
	return writePNG(stopping{w, p}, painted)
}

// pixelPool keeps the memory of paintings while others follow: it is megabytes, and taken anew each time it makes the
// whole heap be looked through for garbage. What is in it is of the picture before.
type pixelPool struct{ sync.Pool }

// Those of paintings with all colours, and with a palette.
var full, few pixelPool

func (p *pixelPool) take(bytes int) []uint8 {
	if b, ok := p.Get().(*[]uint8); ok && cap(*b) >= bytes {
		return (*b)[:bytes]
	}
	return make([]uint8, bytes)
}

func (p *pixelPool) give(b []uint8) {
	if cap(b) <= 32<<20 { // larger ones are rare
		p.Put(&b)
	}
}

// canvas is a painting under way. Places are scaled here and not by the context,
// which would blur texts.
type canvas struct {
	im    *image.RGBA
	dc    *gg.Context // draws on im
	scale float64
	ink   color.NRGBA
	far   float64 // what lies further from the corner than this is not seen
	fonts *fonts
	faces map[faceKey]*letters
}

// pixels is a length in pixels. One that makes no sense, or that would keep the
// rasterizer busy outside the picture, becomes one that is out of sight.
func (c *canvas) pixels(v float64) float64 {
	v *= c.scale
	if math.IsNaN(v) {
		return -c.far
	}
	return min(max(v, -c.far), c.far)
}

func (c *canvas) colour(hex string, opacity float64) {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		n = 0
	}
	if opacity == 0 {
		opacity = 1
	}
	c.ink = color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), uint8(math.Round(opacity * 255))}
	c.dc.SetColor(c.ink)
}

func (c *canvas) mark(m *Mark, l look) error {
	switch m.Form {
	case Line:
		if c.straight(m.Points, l) {
			return nil
		}
		c.trace(m.Points, false)
		c.stroke(l)
	case area:
		c.trace(m.Points, true)
		c.fill(l.fill, l.opacity)
	case Rect:
		if l.fill != "" {
			c.colour(l.fill, l.opacity)
			c.rectangle(c.pixels(m.X), c.pixels(m.Y), max(c.pixels(m.W), 0), max(c.pixels(m.H), 0))
		}
	case Symbol:
		c.symbol(m, l)
	case Text, FreeText:
		return c.words(m, l)
	}
	return nil
}

// rectangle fills a rectangle with the ink: the pixels at its edges as far as it covers them. Most of a picture is
// rectangles, and a rasterizer of outlines takes six times as long for them.
func (c *canvas) rectangle(x, y, w, h float64) {
	columns, from := covered(x, w, c.im.Rect.Dx())
	rows, top := covered(y, h, c.im.Rect.Dy())
	ink := [3]uint32{uint32(c.ink.R), uint32(c.ink.G), uint32(c.ink.B)}
	first, whole := inside(columns)
	var painted []uint8 // what is covered wholly, of a row that has been painted
	for j, high := range rows {
		start := c.im.PixOffset(from, top+j)
		middle := c.im.Pix[start+4*first : start+4*(first+whole)]
		opaque := high == 255 && c.ink.A == 255
		skip := opaque && painted != nil
		if skip {
			copy(middle, painted)
		} else if opaque {
			painted = middle
		}
		for i := 0; i < len(columns); i++ {
			if skip && i == first && whole > 0 {
				i += whole - 1
				continue
			}
			alpha := uint32(high) * uint32(columns[i]) * uint32(c.ink.A) // of 255³
			at := start + 4*i
			p := c.im.Pix[at : at+3 : at+3]
			if alpha == 255*255*255 {
				p[0], p[1], p[2] = c.ink.R, c.ink.G, c.ink.B
				continue
			}
			alpha /= 255 * 255
			for k := range p {
				p[k] = uint8((uint32(p[k])*(255-alpha) + ink[k]*alpha + 127) / 255)
			}
		}
	}
}

// straight paints a line that goes across or down as the rectangle that it is; false for all others.
func (c *canvas) straight(points []Point, l look) bool {
	if len(points) != 2 || l.stroke == "" || l.dash != "" {
		return false
	}
	x, y, toX, toY := c.pixels(points[0].X), c.pixels(points[0].Y), c.pixels(points[1].X), c.pixels(points[1].Y)
	width := l.width * c.scale
	c.colour(l.stroke, 1)
	switch {
	case y == toY:
		c.rectangle(min(x, toX), y-width/2, max(x, toX)-min(x, toX), width)
	case x == toX:
		c.rectangle(x-width/2, min(y, toY), width, max(y, toY)-min(y, toY))
	default:
		return false
	}
	return true
}

// inside is where the pixels that are covered wholly begin, and how many they are: all but those at the ends.
func inside(shares []uint8) (first, n int) {
	for first < len(shares) && shares[first] < 255 {
		first++
	}
	for first+n < len(shares) && shares[first+n] == 255 {
		n++
	}
	return first, n
}

// covered is how much of each pixel of a row lies between at and at+length, of 255, from the first that does on.
func covered(at, length float64, pixels int) (shares []uint8, first int) {
	low, high := max(at, 0), min(at+length, float64(pixels))
	if !(low < high) {
		return nil, 0
	}
	first = int(low)
	for p := first; float64(p) < high; p++ {
		share := min(high, float64(p+1)) - max(low, float64(p))
		shares = append(shares, uint8(math.Round(share*255)))
	}
	return shares, first
}

func (c *canvas) trace(points []Point, closed bool) {
	for i, p := range points {
		if i == 0 {
			c.dc.MoveTo(c.pixels(p.X), c.pixels(p.Y))
		} else {
			c.dc.LineTo(c.pixels(p.X), c.pixels(p.Y))
		}
	}
	if closed {
		c.dc.ClosePath()
	}
}

func (c *canvas) fill(colour string, opacity float64) {
	if colour == "" {
		c.dc.ClearPath()
		return
	}
	c.colour(colour, opacity)
	c.dc.Fill()
}

func (c *canvas) stroke(l look) {
	if l.stroke == "" {
		c.dc.ClearPath()
		return
	}
	c.colour(l.stroke, 1)
	c.dc.SetLineWidth(l.width * c.scale)
	c.dc.SetLineCapButt()
	c.dc.SetDash()
	if a, b, ok := strings.Cut(l.dash, " "); ok {
		on, _ := strconv.ParseFloat(a, 64)
		off, _ := strconv.ParseFloat(b, 64)
		c.dc.SetDash(on*c.scale, off*c.scale)
	}
	c.dc.Stroke()
}

func (c *canvas) symbol(m *Mark, l look) {
	size := sizeOf(m, l)
	draw := func() {
		if points := outline(m.Sign, Point{m.X, m.Y}, size); points != nil {
			c.trace(points, true)
		} else {
			c.dc.DrawCircle(c.pixels(m.X), c.pixels(m.Y), c.pixels(size/2))
		}
	}
	inside := l.fill
	if m.Hollow {
		inside = paper
	}
	draw()
	c.fill(inside, l.opacity)
	draw()
	c.stroke(l)
}

// maxFontPixels bounds the memory of a letter.
const maxFontPixels = 1000

// words writes a text run by run, each in the font that has its characters.
func (c *canvas) words(m *Mark, l look) error {
	size := min(sizeOf(m, l)*c.scale, maxFontPixels)
	runs := c.fonts.runs(fit(m.Text, sizeOf(m, l), m.W), l.bold)
	width := 0.0
	for i := range runs {
		if err := c.measure(&runs[i], size); err != nil {
			return err
		}
		width += runs[i].width
	}
	c.colour(orInk(l.fill), 1)
	x, y := c.pixels(m.X), c.pixels(m.Y)
	back := width * [...]float64{Start: 0, Middle: 0.5, End: 1}[m.Anchor]
	if m.Form == FreeText {
		c.upwards(runs, size, width, x, y+back)
		return nil
	}
	c.write(c.im, image.NewUniform(c.ink), runs, size, x-back, y)
	return nil
}

// upwards writes runs from a place up. They are written level, and the letters are
// turned pixel by pixel, so that they are as sharp as others.
func (c *canvas) upwards(runs []run, size, width, x, y float64) {
	high, low := int(2*size)+1, int(size)+1 // above and below the baseline
	level := image.NewAlpha(image.Rect(0, -high, int(min(width, c.far))+high, low))
	column, row := math.Floor(x), math.Ceil(y)
	c.write(level, image.Opaque, runs, size, row-y, x-column)
	turned := image.NewAlpha(image.Rect(-high, 1-level.Rect.Max.X, low, 1))
	for v := level.Rect.Min.Y; v < level.Rect.Max.Y; v++ {
		for u := range level.Rect.Max.X {
			turned.SetAlpha(v, -u, level.AlphaAt(u, v))
		}
	}
	draw.DrawMask(c.im, turned.Rect.Add(image.Pt(int(column), int(row)-1)), image.NewUniform(c.ink), image.Point{},
		turned, turned.Rect.Min, draw.Over)
}

// measure sets how wide a run is.
func (c *canvas) measure(r *run, size float64) error {
	if r.font == nil {
		r.width = TextWidth(r.text, size)
		return nil
	}
	face, err := c.face(faceKey{r.font, size})
	if err != nil {
		return err
	}
	r.width = float64(font.MeasureString(face.face, r.text)) / 64
	return nil
}

// write writes runs from a place on; what should be bold in a font that has no bold
// is written twice.
func (c *canvas) write(on draw.Image, ink image.Image, runs []run, size, x, y float64) {
	for _, r := range runs {
		if r.font != nil {
			letters := c.faces[faceKey{r.font, size}]
			letters.write(on, ink, r.text, x, y)
			if r.strong {
				letters.write(on, ink, r.text, x+size/30, y)
			}
		}
		x += r.width
	}
}

func orInk(colour string) string {
	if colour == "" {
		return ink
	}
	return colour
}
