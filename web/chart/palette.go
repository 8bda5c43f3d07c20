package chart

import (
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"maps"
	"slices"
)

// Limits of a palette: PNG indexes 256 colours, and one that stands for another
// differs by no more than an eye sees at the edge of a letter.
const (
	paletteSize   = 256
	maxDifference = 16
	maxColours    = 1 << 14
)

// indexed is a painting with a palette, which is written twice as fast and takes a
// third of the bytes. Inks keep their colours; mixtures at edges become the nearest.
// It is nil when the colours are too many for that.
func indexed(im *image.RGBA) *image.Paletted {
	counts := countColours(im)
	if len(counts) > maxColours {
		return nil
	}
	byCount := slices.SortedFunc(maps.Keys(counts), func(a, b pixel) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, difference := range []int{0, 2, 4, 6, 8, 12, maxDifference} {
		if chosen := covering(byCount, difference); chosen != nil {
			return withPalette(im, byCount, chosen)
		}
	}
	return nil
}

// A pixel is a colour as it lies in an image.
type pixel uint32

func pixelAt(p []uint8) pixel { return pixel(binary.LittleEndian.Uint32(p)) }

func (p pixel) channels() (r, g, b uint8) { return uint8(p), uint8(p >> 8), uint8(p >> 16) }

// apart is the greatest difference of a channel.
func (p pixel) apart(q pixel) int {
	r, g, b := p.channels()
	r2, g2, b2 := q.channels()
	return int(max(max(r, r2)-min(r, r2), max(g, g2)-min(g, g2), max(b, b2)-min(b, b2)))
}

// eachRun calls f for the runs of one colour, row after row.
func eachRun(im *image.RGBA, f func(p pixel, at, n int)) {
	bytes := im.Pix
	for from := 0; from < len(bytes); {
		p := pixelAt(bytes[from:])
		to := from + 4
		for to < len(bytes) && pixelAt(bytes[to:]) == p {
			to += 4
		}
		f(p, from/4, (to-from)/4)
		from = to
	}
}

func countColours(im *image.RGBA) map[pixel]int {
	counts := map[pixel]int{}
	eachRun(im, func(p pixel, _, n int) {
		if len(counts) <= maxColours {
			counts[p] += n
		}
	})
	return counts
}

// covering chooses colours so that each has one that differs by so much at most,
// the frequent ones first; nil when a palette does not hold them.
func covering(colours []pixel, difference int) []pixel {
	var out []pixel
	for _, c := range colours {
		if slices.ContainsFunc(out, func(o pixel) bool { return c.apart(o) <= difference }) {
			continue
		}
		if len(out) == paletteSize {
			return nil
		}
		out = append(out, c)
	}
	return out
}

func withPalette(im *image.RGBA, colours, chosen []pixel) *image.Paletted {
	palette := make(color.Palette, len(chosen))
	for i, c := range chosen {
		r, g, b := c.channels()
		palette[i] = color.RGBA{r, g, b, 255}
	}
	index := make(map[pixel]uint8, len(colours))
	for _, c := range colours {
		index[c] = uint8(nearest(chosen, c))
	}
	out := image.NewPaletted(im.Rect, palette)
	eachRun(im, func(p pixel, at, n int) {
		i := index[p]
		for ; n > 0; n-- {
			out.Pix[at] = i
			at++
		}
	})
	return out
}

func nearest(colours []pixel, c pixel) int {
	best, least := 0, 256
	for i, o := range colours {
		if d := c.apart(o); d < least {
			best, least = i, d
		}
	}
	return best
}
