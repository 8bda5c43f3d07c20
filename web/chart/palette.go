package chart

import (
	"encoding/binary"
	"image"
	"image/color"
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
	byCount := frequentFirst(counts)
	for _, difference := range []int{0, 4, 8, maxDifference} {
		if difference == 0 && len(byCount) > paletteSize {
			continue
		}
		if chosen, index := covering(byCount, difference); chosen != nil {
			return withPalette(im, chosen, index)
		}
	}
	return nil
}

// frequentFirst are the colours, the most frequent first and of equally frequent ones the smallest: sorted as numbers
// whose upper half says how rare a colour is.
func frequentFirst(counts map[pixel]int) []pixel {
	keys := make([]uint64, 0, len(counts))
	for p, n := range counts {
		keys = append(keys, uint64(^uint32(n))<<32|uint64(p))
	}
	slices.Sort(keys)
	out := make([]pixel, len(keys))
	for i, k := range keys {
		out[i] = pixel(k)
	}
	return out
}

// A pixel is a colour as it lies in an image.
type pixel uint32

func pixelAt(p []uint8) pixel { return pixel(binary.LittleEndian.Uint32(p)) }

func (p pixel) channels() (r, g, b uint8) { return uint8(p), uint8(p >> 8), uint8(p >> 16) }

// apart is the greatest difference of a channel.
func (p pixel) apart(q pixel) int {
	most := 0
	for shift := 0; shift < 24; shift += 8 {
		d := int(p>>shift&0xff) - int(q>>shift&0xff)
		most = max(most, d, -d)
	}
	return most
}

// eachRun calls f for the runs of one colour, row after row. It looks at two pixels at a time.
func eachRun(im *image.RGBA, f func(p pixel, at, n int)) {
	bytes := im.Pix
	for from := 0; from < len(bytes); {
		p := pixelAt(bytes[from:])
		pair := uint64(p)<<32 | uint64(p)
		to := from + 4
		for to+8 <= len(bytes) && binary.LittleEndian.Uint64(bytes[to:]) == pair {
			to += 8
		}
		for to < len(bytes) && pixelAt(bytes[to:]) == p {
			to += 4
		}
		f(p, from/4, (to-from)/4)
		from = to
	}
}

// countColours counts pixels of each colour; the map is looked at for runs only, and not for those of a colour that
// stands in its slot.
func countColours(im *image.RGBA) map[pixel]int {
	counts := map[pixel]int{}
	recent := new([slots]struct {
		p pixel
		n int
	})
	eachRun(im, func(p pixel, _, n int) {
		r := &recent[p.slot()]
		if r.p == p {
			r.n += n
			return
		}
		if len(counts) <= maxColours {
			counts[r.p] += r.n
		}
		r.p, r.n = p, n
	})
	for _, r := range recent {
		if r.n > 0 {
			counts[r.p] += r.n
		}
	}
	delete(counts, 0) // what slots held at first; pictures are opaque
	return counts
}

// slots are places for the colours that were met last: more than most pictures have.
const slots = 1 << 12

// slot is the place of a colour.
func (p pixel) slot() int { return int(uint32(p) * 2654435761 >> 20) }

// covering chooses colours so that each has one that differs by so much at most,
// the frequent ones first; nil when a palette does not hold them. The index is which stands for each.
func covering(colours []pixel, difference int) (chosen []pixel, index map[pixel]uint8) {
	by := make([]uint8, len(colours))
	for i, c := range colours {
		at := slices.IndexFunc(chosen, func(o pixel) bool { return c.apart(o) <= difference })
		if at < 0 {
			if at = len(chosen); at == paletteSize {
				return nil, nil
			}
			chosen = append(chosen, c)
		}
		by[i] = uint8(at)
	}
	index = make(map[pixel]uint8, len(colours))
	for i, c := range colours {
		index[c] = by[i]
	}
	return chosen, index
}

// withPalette is a painting with a palette; its pixels are to be given back to few.
func withPalette(im *image.RGBA, chosen []pixel, index map[pixel]uint8) *image.Paletted {
	palette := make(color.Palette, len(chosen))
	for i, c := range chosen {
		r, g, b := c.channels()
		palette[i] = color.RGBA{r, g, b, 255}
	}
	out := &image.Paletted{Pix: few.take(len(im.Pix) / 4), Stride: im.Rect.Dx(), Rect: im.Rect, Palette: palette}
	recent := new([slots]struct {
		p pixel
		i uint8
	})
	eachRun(im, func(p pixel, at, n int) {
		r := &recent[p.slot()]
		if r.p != p {
			r.p, r.i = p, index[p]
		}
		to := out.Pix[at : at+n]
		for k := range to {
			to[k] = r.i
		}
	})
	return out
}
