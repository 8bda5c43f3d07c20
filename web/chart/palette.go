package chart

import (
	"bytes"
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
	b := blocksOf(im)
	counts := countColours(b)
	if len(counts) > maxColours {
		return nil
	}
	byCount := frequentFirst(counts)
	for _, difference := range []int{0, 4, 8, maxDifference} {
		if difference == 0 && len(byCount) > paletteSize {
			continue
		}
		if chosen, index := covering(byCount, difference); chosen != nil {
			return withPalette(b, chosen, index)
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

// lanes is a pixel whose channels have 16 bits each, so that all are compared at once.
type lanes uint64

func (p pixel) lanes() lanes { return lanes(p&0xff) | lanes(p>>8&0xff)<<16 | lanes(p>>16&0xff)<<32 }

// The lowest and the highest bit of each lane.
const (
	lowest  lanes = 1<<32 | 1<<16 | 1
	highest       = lowest << 15
)

// near reports whether no channel of two pixels differs by more than difference: p-q+difference lies between 0 and
// twice the difference in each lane.
func (p lanes) near(q lanes, difference int) bool {
	d := lowest * lanes(difference)
	above := p + d + highest - q // the highest bit of a lane stays when p+d-q is not negative
	below := q + d + highest - p
	return above&below&highest == highest
}

// blocks are a painting in pieces of rows. Most are as the piece above them, which comparing memory tells in a tenth of
// the time that looking at pixels takes.
type blocks struct {
	im     *image.RGBA
	across int    // pieces of a row
	again  []bool // row by row, whether a piece is as the one above
}

// blockBytes is the length of a piece, 64 pixels.
const blockBytes = 64 * 4

func blocksOf(im *image.RGBA) blocks {
	b := blocks{im: im, across: (im.Stride + blockBytes - 1) / blockBytes}
	b.again = make([]bool, b.across*im.Rect.Dy())
	for i := b.across; i < len(b.again); i++ {
		from, to := b.bytes(i)
		b.again[i] = bytes.Equal(im.Pix[from:to], im.Pix[from-im.Stride:to-im.Stride])
	}
	return b
}

// bytes is where a piece lies in the pixels of the painting.
func (b *blocks) bytes(i int) (from, to int) {
	row := i / b.across * b.im.Stride
	from = row + i%b.across*blockBytes
	return from, min(from+blockBytes, row+b.im.Stride)
}

// eachRun calls f for the runs of one colour in a piece. It looks at two pixels at a time.
func (b *blocks) eachRun(i int, f func(p pixel, at, n int)) {
	from, end := b.bytes(i)
	for piece := b.im.Pix[:end]; from < end; {
		p := pixelAt(piece[from:])
		pair := uint64(p)<<32 | uint64(p)
		to := from + 4
		for to+8 <= end && binary.LittleEndian.Uint64(piece[to:]) == pair {
			to += 8
		}
		for to < end && pixelAt(piece[to:]) == p {
			to += 4
		}
		f(p, from/4, (to-from)/4)
		from = to
	}
}

// countColours counts pixels of each colour; the map is looked at for runs only, and not for those of a colour that
// stands in its slot. A piece counts as often as it follows itself.
func countColours(b blocks) map[pixel]int {
	counts := map[pixel]int{}
	recent := new([slots]struct {
		p pixel
		n int
	})
	for i, again := range b.again {
		if again {
			continue
		}
		times := 1
		for j := i + b.across; j < len(b.again) && b.again[j]; j += b.across {
			times++
		}
		b.eachRun(i, func(p pixel, _, n int) {
			r := &recent[p.slot()]
			if r.p == p {
				r.n += n * times
				return
			}
			if len(counts) <= maxColours {
				counts[r.p] += r.n
			}
			r.p, r.n = p, n*times
		})
	}
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
	wide := make([]lanes, 0, paletteSize) // those chosen
	for i, c := range colours {
		l := c.lanes()
		at := slices.IndexFunc(wide, func(o lanes) bool { return l.near(o, difference) })
		if at < 0 {
			if at = len(chosen); at == paletteSize {
				return nil, nil
			}
			chosen, wide = append(chosen, c), append(wide, l)
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
func withPalette(b blocks, chosen []pixel, index map[pixel]uint8) *image.Paletted {
	palette := make(color.Palette, len(chosen))
	for i, c := range chosen {
		red, green, blue := c.channels()
		palette[i] = color.RGBA{red, green, blue, 255}
	}
	width := b.im.Rect.Dx()
	out := &image.Paletted{Pix: few.take(width * b.im.Rect.Dy()), Stride: width, Rect: b.im.Rect, Palette: palette}
	recent := new([slots]struct {
		p pixel
		i uint8
	})
	for i, again := range b.again {
		if again {
			from, to := b.bytes(i)
			copy(out.Pix[from/4:to/4], out.Pix[from/4-width:])
			continue
		}
		b.eachRun(i, func(p pixel, at, n int) {
			r := &recent[p.slot()]
			if r.p != p {
				r.p, r.i = p, index[p]
			}
			to := out.Pix[at : at+n]
			for k := range to {
				to[k] = r.i
			}
		})
	}
	return out
}
