package chart

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"testing"
)

// speckled is a picture of so many colours, with rows that repeat and rows that do not.
func speckled(colours, width, height int) *image.Paletted {
	im := image.NewPaletted(image.Rect(0, 0, width, height), nil)
	for i := range colours {
		im.Palette = append(im.Palette, color.RGBA{uint8(i), uint8(255 - i), uint8(i * 7), 255})
	}
	r := rand.New(rand.NewPCG(1, uint64(colours)))
	for y := range height {
		for x := range width {
			if at := im.PixOffset(x, y); y%3 > 0 && x%5 > 0 {
				im.Pix[at] = im.Pix[at-im.Stride]
			} else {
				im.Pix[at] = uint8(r.IntN(colours))
			}
		}
	}
	return im
}

func TestPNGsHaveThePixelsOfThePainting(t *testing.T) {
	for _, colours := range []int{1, 2, 16, 17, 100, 256} {
		for _, size := range []image.Point{{1, 1}, {67, 5}, {700, 300}} {
			im := speckled(colours, size.X, size.Y)
			for range 2 { // what compresses is used again
				var b bytes.Buffer
				if err := writePNG(&b, im); err != nil {
					t.Fatal(err)
				}
				got := decoded(t, b.Bytes()).(*image.Paletted)
				if got.Rect != im.Rect || !bytes.Equal(got.Pix, im.Pix) {
					t.Errorf("%d colours, %v: other pixels", colours, size)
				}
				for i, c := range im.Palette {
					if got.Palette[i] != c {
						t.Fatalf("colour %d of %d: got %v, want %v", i, colours, got.Palette[i], c)
					}
				}
			}
		}
	}
}

func TestPNGsAreAboutAsSmallAsThoseOfTheStandardLibrary(t *testing.T) {
	got := painted(t, crowd(324, 1200, 2400), 1)
	plain := png.Encoder{CompressionLevel: png.BestSpeed}
	var b bytes.Buffer
	if err := plain.Encode(&b, decoded(t, got)); err != nil {
		t.Fatal(err)
	}
	if len(got) > b.Len()*6/5 {
		t.Errorf("got %d bytes, %d by the standard library", len(got), b.Len())
	}
}

func TestPNGsWithoutAPaletteHaveThePixelsOfThePainting(t *testing.T) {
	im := image.NewRGBA(image.Rect(0, 0, 200, 100))
	r := rand.New(rand.NewPCG(7, 8))
	for i := range im.Pix {
		if im.Pix[i] = uint8(r.Uint32()); i%4 == 3 {
			im.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	if err := writePNG(&b, im); err != nil {
		t.Fatal(err)
	}
	if got := decoded(t, b.Bytes()); !bytes.Equal(got.(*image.RGBA).Pix, im.Pix) {
		t.Error("other pixels")
	}
	if err := writePNG(io.Discard, image.NewGray(im.Rect)); err == nil {
		t.Error("a picture of another kind is written")
	}
}

// fullAfter is a writer that fails after so many bytes.
type fullAfter int

var errFull = errors.New("full")

func (f *fullAfter) Write(b []byte) (int, error) {
	if *f -= fullAfter(len(b)); *f < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestPNGsThatCannotBeWrittenSaySo(t *testing.T) {
	im := speckled(200, 700, 300)
	var all bytes.Buffer
	if err := writePNG(&all, im); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 8, 30, 700, all.Len() / 2, all.Len() - 1} {
		w := fullAfter(room)
		if err := writePNG(&w, im); !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: got %v", room, all.Len(), err)
		}
	}
	if err := writePNG(io.Discard, im); err != nil {
		t.Errorf("after one that failed: %v", err)
	}
}

func TestPiecesThatRepeatCountAsOftenAsTheyAreThere(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{1, 63, 64, 65, 200} {
		im := image.NewRGBA(image.Rect(0, 0, width, 40))
		want := map[pixel]int{}
		for y := range 40 {
			for x := range width {
				at := im.PixOffset(x, y)
				if copy(im.Pix[at:], []uint8{uint8(r.IntN(3)), 1, 2, 255}); y > 0 && (y+x/50)%4 > 0 {
					copy(im.Pix[at:at+4], im.Pix[at-im.Stride:])
				}
				want[pixelAt(im.Pix[at:])]++
			}
		}
		got := countColours(blocksOf(im))
		if len(got) != len(want) {
			t.Errorf("width %d: got %v, want %v", width, got, want)
		}
		for p, n := range want {
			if got[p] != n {
				t.Errorf("width %d: colour %x %d times, want %d", width, p, got[p], n)
			}
		}
		few := indexed(im)
		for i := range few.Pix {
			if red, green, blue := pixelAt(im.Pix[4*i:]).channels(); few.Palette[few.Pix[i]] !=
				(color.RGBA{red, green, blue, 255}) {
				t.Fatalf("width %d: pixel %d has another colour", width, i)
			}
		}
	}
}

func TestNearIsByTheGreatestDifferenceOfAChannel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	apart := func(p, q pixel) int {
		most := 0
		for shift := 0; shift < 24; shift += 8 {
			d := int(p>>shift&0xff) - int(q>>shift&0xff)
			most = max(most, d, -d)
		}
		return most
	}
	for range 100_000 {
		p, q := pixel(r.Uint32()), pixel(r.Uint32())
		if r.IntN(2) == 0 {
			q = p ^ pixel(r.Uint32()&0x1f1f1f)
		}
		for _, difference := range []int{0, 4, 8, maxDifference} {
			if got, want := p.lanes().near(q.lanes(), difference), apart(p, q) <= difference; got != want {
				t.Fatalf("%x and %x, %d: got %v, want %v", p, q, difference, got, want)
			}
		}
	}
}

func TestRectanglesCoverPixelsByTheirShare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		c := &canvas{im: image.NewRGBA(image.Rect(0, 0, 30, 20)), ink: color.NRGBA{200, 100, 0, 255}}
		if r.IntN(3) == 0 {
			c.ink.A = 90
		}
		for i := range c.im.Pix {
			c.im.Pix[i] = 255
		}
		x, y, w, h := r.Float64()*30-5, r.Float64()*20-5, r.Float64()*30, r.Float64()*20
		if r.IntN(4) == 0 {
			x, y, w, h = float64(int(x)), float64(int(y)), float64(int(w)), float64(int(h))
		}
		c.rectangle(x, y, w, h)
		share := func(at, low, length float64) float64 {
			return max(0, min(at+1, low+length)-max(at, low))
		}
		for v := range 20 {
			for u := range 30 {
				covers := share(float64(u), x, w) * share(float64(v), y, h) * float64(c.ink.A) / 255
				got := c.im.RGBAAt(u, v)
				for _, channel := range [][2]uint8{{got.R, 200}, {got.G, 100}, {got.B, 0}} {
					want := 255 + covers*(float64(channel[1])-255)
					if diff := float64(channel[0]) - want; diff > 3 || diff < -3 {
						t.Fatalf("%v, %v, %v × %v at %d, %d: got %v, want about %.0f", x, y, w, h, u, v, got, want)
					}
				}
			}
		}
	}
}

func TestLettersStandWithinAnEighthOfAPixel(t *testing.T) {
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	c := &canvas{fonts: p.fonts, faces: map[faceKey]*letters{}}
	for size, text := range map[float64]string{14: "Memory bandwidth, GB/s", 200: "l"} { // kept, and too large
		l, err := c.face(faceKey{p.fonts.regular, size})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{20, 20.24, 20.26, 20.49, 20.6, 20.99} {
			at := func(x float64) []uint8 {
				im := image.NewAlpha(image.Rect(0, 0, 300, 300))
				l.write(im, image.Opaque, text, x, 250)
				return im.Pix
			}
			centre := func(pix []uint8) float64 {
				sum, weight := 0.0, 0.0
				for i, a := range pix {
					sum, weight = sum+float64(a)*float64(i%300), weight+float64(a)
				}
				return sum / weight
			}
			if moved := centre(at(x)) - centre(at(20)); moved-(x-20) > 0.14 || x-20-moved > 0.14 {
				t.Errorf("size %g: moved by %.3f, asked %.3f", size, moved, x-20)
			}
		}
		if got := len(l.kept); (got > 0) != (size < maxKeptPixels) {
			t.Errorf("size %g: %d letters are kept", size, got)
		}
	}
}

func TestLinesAcrossAndDownLookAsAllOthers(t *testing.T) {
	for _, ink := range []Ink{Grid, Axis, Leader} {
		for _, line := range [][2]Point{{{3.3, 9.2}, {31, 9.2}}, {{31, 20}, {3, 20}}, {{12.75, 2}, {12.75, 27.4}},
			{{-5, 4}, {80, 4}}} {
			picture := func(points ...Point) image.Image {
				return decoded(t, painted(t, &Drawing{Width: 40, Height: 30, Groups: []Group{
					{ink, []Mark{{Form: Line, Points: points}}}}}, 2))
			}
			middle := Point{(line[0].X + line[1].X) / 2, (line[0].Y + line[1].Y) / 2}
			got, want := picture(line[0], line[1]), picture(line[0], middle, line[1])
			if d := difference(t, got, want, got.Bounds()); d > 0 {
				t.Errorf("%s from %v to %v: %.2f %% of the picture differ", ink, line[0], line[1], 100*d)
			}
		}
	}
}
