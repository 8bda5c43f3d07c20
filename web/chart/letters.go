package chart

import (
	"fmt"
	"image"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// faceKey is a font at a size in pixels.
type faceKey struct {
	font *sfnt.Font
	size float64
}

func (c *canvas) face(k faceKey) (*letters, error) {
	if f := c.faces[k]; f != nil {
		return f, nil
	}
	f, err := opentype.NewFace(k.font, &opentype.FaceOptions{Size: k.size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("font: %w", err)
	}
	l := &letters{face: f, few: k.size > maxKeptPixels}
	c.faces[k] = l
	return l, nil
}

// letters are those of a font at a size. A letter is rasterized once for each place between pixels where it stands,
// which are as many as browsers know: quarters.
type letters struct {
	face font.Face
	few  bool // too large to be kept
	kept map[letterKey]letter
}

// maxKeptPixels bounds the memory of letters that are kept: larger ones are few.
const maxKeptPixels = 64

// quarter is a quarter of a pixel.
const quarter fixed.Int26_6 = 16

// A letterKey is a letter and where in a pixel it stands.
type letterKey struct {
	r    rune
	x, y uint8 // quarters
}

// A letter is what of the pixels around its place it covers.
type letter struct {
	at      image.Rectangle // from the corner of the pixel that it stands in
	mask    *image.Alpha
	advance fixed.Int26_6
}

// write writes a text from a place on.
func (l *letters) write(on draw.Image, ink image.Image, text string, x, y float64) {
	dot := fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}
	before := rune(-1)
	for _, r := range text {
		if before >= 0 {
			dot.X += l.face.Kern(before, r)
		}
		near := fixed.Point26_6{X: (dot.X + quarter/2) &^ (quarter - 1), Y: (dot.Y + quarter/2) &^ (quarter - 1)}
		g := l.letter(r, near.X&63, near.Y&63)
		if at := g.at.Add(image.Pt(near.X.Floor(), near.Y.Floor())); !at.Empty() {
			draw.DrawMask(on, at, ink, image.Point{}, g.mask, image.Point{}, draw.Over)
		}
		dot.X += g.advance
		before = r
	}
}

// letter is a letter that stands at x and y in a pixel.
func (l *letters) letter(r rune, x, y fixed.Int26_6) letter {
	key := letterKey{r, uint8(x / quarter), uint8(y / quarter)}
	g, ok := l.kept[key]
	if ok {
		return g
	}
	var mask image.Image
	g.at, mask, _, g.advance, _ = l.face.Glyph(fixed.Point26_6{X: x, Y: y}, r)
	if of, ok := mask.(*image.Alpha); ok {
		if g.mask = of; !l.few { // the face paints the next one into the same memory
			same := *of
			same.Pix = append([]uint8(nil), of.Pix...)
			g.mask = &same
		}
	}
	if !l.few {
		if l.kept == nil {
			l.kept = map[letterKey]letter{}
		}
		l.kept[key] = g
	}
	return g
}
