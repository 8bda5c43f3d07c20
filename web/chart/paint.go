package chart

import (
	"errors"
	"fmt"
	"image/png"
	"io"
	"strconv"
	"strings"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
)

// maxPixels bounds the memory of a painting: four bytes for each.
const maxPixels = 40_000_000

// ErrTooLarge is the error for a painting of more than 40 megapixels.
var ErrTooLarge = errors.New("the picture would be too large")

// A Painter paints drawings. It is safe for concurrent use.
type Painter struct{ fonts *fonts }

// NewPainter returns a painter that writes Chinese with a font file (TrueType or
// OpenType, or a collection of them); without one it looks in the usual places of
// the system. A file that is named and cannot be used is an error; that none is
// found is not, see [Painter.Chinese].
func NewPainter(fontFile string) (*Painter, error) {
	f, err := loadFonts(fontFile)
	if err != nil {
		return nil, err
	}
	return &Painter{f}, nil
}

// Chinese reports whether the painter has a font with Chinese characters.
func (p *Painter) Chinese() bool { return p.fonts.chinese != nil }

// PNG paints a drawing in the colours of the light theme, scale pixels to a unit.
func (p *Painter) PNG(w io.Writer, d *Drawing, scale float64) error {
	width, height := int(d.Width*scale+0.5), int(d.Height*scale+0.5)
	if width < 1 || height < 1 {
		return fmt.Errorf("a picture of %d × %d pixels cannot be painted", width, height)
	}
	if width*height > maxPixels {
		return ErrTooLarge
	}
	c := &canvas{dc: gg.NewContext(width, height), scale: scale, fonts: p.fonts, faces: map[faceKey]font.Face{}}
	c.dc.SetHexColor(paper)
	c.dc.Clear()
	for i := range d.Groups {
		g := &d.Groups[i]
		l := lookOf(g.Ink)
		for j := range g.Marks {
			if err := c.mark(&g.Marks[j], l); err != nil {
				return err
			}
		}
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return encoder.Encode(w, c.dc.Image())
}

// canvas is a painting under way. Places are scaled here and not by the context,
// which would blur texts.
type canvas struct {
	dc    *gg.Context
	scale float64
	fonts *fonts
	faces map[faceKey]font.Face
}

func (c *canvas) colour(hex string, opacity float64) {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		n = 0
	}
	if opacity == 0 {
		opacity = 1
	}
	c.dc.SetRGBA(float64(n>>16)/255, float64(n>>8&255)/255, float64(n&255)/255, opacity)
}

func (c *canvas) mark(m *Mark, l look) error {
	switch m.Form {
	case Line:
		c.trace(m.Points, false)
		c.stroke(l)
	case Area:
		c.trace(m.Points, true)
		c.fill(l.fill, l.opacity)
	case Rect:
		c.dc.DrawRectangle(m.X*c.scale, m.Y*c.scale, max(m.W, 0)*c.scale, max(m.H, 0)*c.scale)
		c.fill(l.fill, l.opacity)
	case Symbol:
		c.symbol(m, l)
	case Text, FreeText:
		return c.words(m, l)
	}
	return nil
}

func (c *canvas) trace(points []Point, closed bool) {
	for i, p := range points {
		if i == 0 {
			c.dc.MoveTo(p.X*c.scale, p.Y*c.scale)
		} else {
			c.dc.LineTo(p.X*c.scale, p.Y*c.scale)
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
			c.dc.DrawCircle(m.X*c.scale, m.Y*c.scale, size/2*c.scale)
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

// words writes a text run by run, each in the font that has its characters.
func (c *canvas) words(m *Mark, l look) error {
	size := sizeOf(m, l)
	c.colour(orInk(l.fill), 1)
	text := fit(m.Text, size, m.W)
	var width float64
	runs := c.fonts.runs(text, l.bold)
	for i := range runs {
		face, err := c.face(faceKey{runs[i].font, size * c.scale})
		if err != nil {
			return err
		}
		c.dc.SetFontFace(face)
		runs[i].width, _ = c.dc.MeasureString(runs[i].text)
		width += runs[i].width
	}
	x, y := m.X*c.scale, m.Y*c.scale
	if m.Form == FreeText {
		c.dc.Push()
		defer c.dc.Pop()
		c.dc.RotateAbout(-gg.Radians(90), x, y)
	}
	x -= width * [...]float64{0, 0.5, 1}[m.Anchor]
	for _, r := range runs {
		c.dc.SetFontFace(c.faces[faceKey{r.font, size * c.scale}])
		c.dc.DrawString(r.text, x, y)
		x += r.width
	}
	return nil
}

func orInk(colour string) string {
	if colour == "" {
		return ink
	}
	return colour
}
