package chart

import (
	"math"
	"unicode"
)

// TextWidth estimates how wide a text is set in a font of a size: fonts differ, so
// it is rather too much than too little.
func TextWidth(text string, size float64) float64 {
	w := 0.0
	for _, r := range text {
		w += runeWidth(r)
	}
	return w * size
}

func runeWidth(r rune) float64 {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r <= 0x303f ||
		r >= 0xff00 && r <= 0xffef:
		return 1
	case r == '\u202f':
		return 0.2
	case r == ' ' || r == '\u00a0' || r == '.' || r == ',' || r == ':' || r == '|' || r == '\'' || r == '(' ||
		r == ')' || r == 'i' || r == 'l' || r == 'j' || r == 't' || r == 'f' || r == 'I' || r == '-' || r == '/':
		return 0.36
	case r == 'm' || r == 'w' || r == 'M' || r == 'W' || r == '@' || r == '%' || r == '×' || r == '≈' || r == '→':
		return 0.9
	case unicode.IsUpper(r):
		return 0.68
	}
	return 0.57
}

// fit shortens a text to a width, with an ellipsis.
func fit(text string, size, width float64) string {
	if width <= 0 || TextWidth(text, size) <= width {
		return text
	}
	runes := []rune(text)
	for n := len(runes) - 1; n > 0; n-- {
		if short := string(runes[:n]) + "…"; TextWidth(short, size) <= width {
			return short
		}
	}
	return "…"
}

// Spread moves places on an axis apart, so that those that follow each other are at
// least gap from one another and all lie between lo and hi, with the least sum of
// squared moves. want ascends, and so do the places returned. Where there is not
// room for all, the gap shrinks.
func Spread(want []float64, gap, lo, hi float64) []float64 {
	n := len(want)
	if n == 0 {
		return nil
	}
	if room := hi - lo; gap*float64(n-1) > room {
		gap = room / float64(max(n-1, 1))
	}
	// With the gaps taken out, the nearest ascending places are means of blocks
	// (pool adjacent violators).
	type block struct {
		sum  float64
		size int
	}
	mean := func(b block) float64 { return b.sum / float64(b.size) }
	var blocks []block
	for i, w := range want {
		blocks = append(blocks, block{w - gap*float64(i), 1})
		for len(blocks) > 1 && mean(blocks[len(blocks)-2]) >= mean(blocks[len(blocks)-1]) {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			blocks[len(blocks)-1].sum += last.sum
			blocks[len(blocks)-1].size += last.size
		}
	}
	out := make([]float64, 0, n)
	top := hi - gap*float64(n-1)
	for _, b := range blocks {
		at := math.Min(math.Max(mean(b), lo), math.Max(top, lo))
		for range b.size {
			out = append(out, at+gap*float64(len(out)))
		}
	}
	return out
}

// A Box is an upright rectangle.
type Box struct{ X, Y, W, H float64 }

func (b Box) overlaps(c Box) bool {
	return b.X < c.X+c.W && c.X < b.X+b.W && b.Y < c.Y+c.H && c.Y < b.Y+b.H
}

func (b Box) within(c Box) bool {
	return b.X >= c.X && b.Y >= c.Y && b.X+b.W <= c.X+c.W && b.Y+b.H <= c.Y+c.H
}

// A Placed label has an anchor and the place of its text; without OK it has found
// no place.
type Placed struct {
	OK     bool
	X, Y   float64 // of the text's anchor, on its baseline
	Anchor Anchor
}

// PlaceLabels finds a place beside each point for its label, so that labels hide
// neither each other nor the symbols of any point nor leave the frame. The first
// labels are placed first; those that find no place are left out. An empty text is
// not placed. radius is half the size of symbols.
func PlaceLabels(points []Point, texts []string, size, radius float64, frame Box) []Placed {
	grid := newGrid(4 * size)
	for _, p := range points {
		if symbol := (Box{p.X - radius, p.Y - radius, 2 * radius, 2 * radius}); symbol.overlaps(frame) {
			grid.add(symbol)
		}
	}
	out := make([]Placed, len(points))
	for i, p := range points {
		if i >= len(texts) || texts[i] == "" {
			continue
		}
		for _, c := range candidates(p, TextWidth(texts[i], size), size, radius) {
			if c.box.within(frame) && grid.free(c.box) {
				grid.add(c.box)
				out[i] = c.Placed
				break
			}
		}
	}
	return out
}

type candidate struct {
	Placed
	box Box
}

// candidates are the places for a label around a point, the better first.
func candidates(p Point, w, size, radius float64) []candidate {
	gap := radius + 3
	high, low := 0.8*size, 0.25*size // above and below the baseline
	at := func(x, y float64, a Anchor) candidate {
		left := x
		switch a {
		case Middle:
			left -= w / 2
		case End:
			left -= w
		}
		return candidate{Placed{true, x, y, a}, Box{left, y - high, w, high + low}}
	}
	middle := p.Y + 0.3*size
	return []candidate{
		at(p.X+gap, middle, Start), at(p.X-gap, middle, End),
		at(p.X, p.Y-gap, Middle), at(p.X, p.Y+gap+high, Middle),
		at(p.X+radius, p.Y-gap+2, Start), at(p.X+radius, p.Y+gap+high-2, Start),
		at(p.X-radius, p.Y-gap+2, End), at(p.X-radius, p.Y+gap+high-2, End),
	}
}

// grid finds boxes that overlap without looking at all of them.
type grid struct {
	cell  float64
	boxes map[[2]int][]Box
}

func newGrid(cell float64) grid { return grid{cell, map[[2]int][]Box{}} }

func (g grid) each(b Box, f func(at [2]int) bool) bool {
	for x := int(math.Floor(b.X / g.cell)); x <= int(math.Floor((b.X+b.W)/g.cell)); x++ {
		for y := int(math.Floor(b.Y / g.cell)); y <= int(math.Floor((b.Y+b.H)/g.cell)); y++ {
			if !f([2]int{x, y}) {
				return false
			}
		}
	}
	return true
}

func (g grid) add(b Box) {
	g.each(b, func(at [2]int) bool {
		g.boxes[at] = append(g.boxes[at], b)
		return true
	})
}

func (g grid) free(b Box) bool {
	return g.each(b, func(at [2]int) bool {
		for _, o := range g.boxes[at] {
			if b.overlaps(o) {
				return false
			}
		}
		return true
	})
}
