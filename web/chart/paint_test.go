package chart

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/font/sfnt"
)

// painted is the PNG of a drawing in the fonts that the program carries: what the
// system has differs.
func painted(t testing.TB, d *Drawing, scale float64) []byte {
	t.Helper()
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	p.fonts.chinese = noFont
	var b bytes.Buffer
	if err := p.PNG(&b, d, scale); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noFont is that of a system without one for Chinese.
func noFont() *sfnt.Font { return nil }

func TestPicturesLookAsKept(t *testing.T) {
	got := painted(t, sampler(), 2)
	if again := painted(t, sampler(), 2); !bytes.Equal(got, again) {
		t.Error("the same drawing gave other bytes")
	}
	path := filepath.Join("testdata", "picture.png")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	now, kept := decoded(t, got), decoded(t, file)
	if now.Bounds() != kept.Bounds() {
		t.Fatalf("got %v, want %v", now.Bounds(), kept.Bounds())
	}
	if d := difference(t, now, kept, now.Bounds()); d > 0.001 {
		t.Errorf("%.2f %% of the picture changed (run go test ./web/chart -update if that is meant)", 100*d)
	}
}

func decoded(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// difference is the share of pixels that are not nearly alike: machines round
// differently.
func difference(t *testing.T, a, b image.Image, area image.Rectangle) float64 {
	t.Helper()
	other := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			if apart(r, r2) || apart(g, g2) || apart(bl, bl2) {
				other++
			}
		}
	}
	return float64(other) / float64(area.Dx()*area.Dy())
}

func apart(a, b uint32) bool { return max(a, b)-min(a, b) > 0x800 }

func TestAPictureTooLargeIsRefused(t *testing.T) {
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.PNG(io.Discard, &Drawing{Width: 10_000, Height: 10_000}, 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
	if err := p.PNG(io.Discard, &Drawing{}, 1); err == nil {
		t.Error("a picture without extent was painted")
	}
}

func TestPlacesThatMakeNoSenseArePaintedOutOfSight(t *testing.T) {
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e12, 1e6} {
		d := &Drawing{Width: 100, Height: 100, Groups: []Group{
			{
				SeriesInk(0),
				[]Mark{
					{Form: Line, Points: []Point{{0, 0}, {v, v}, {5, v}}},
					{Form: Symbol, X: v, Y: v, Size: v},
					{Form: Rect, X: v, W: v, H: v},
				},
			},
			{
				Ref,
				[]Mark{
					{Form: Line, Points: []Point{{0, 50}, {v, 50}}},
					{Form: Text, X: v, Y: v, W: v, Text: "x", Size: v},
					{Form: FreeText, X: v, Text: "y"},
				},
			},
		}}
		start := time.Now()
		if err := p.PNG(io.Discard, d, 1); err != nil {
			t.Errorf("at %g: %v", v, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("at %g it took %v", v, took)
		}
		if err := p.PNG(io.Discard, &Drawing{Width: v, Height: 100}, 1); err == nil {
			t.Errorf("a picture %g wide was painted", v)
		}
		if err := p.PNG(io.Discard, &Drawing{Width: 100, Height: 100}, v); err == nil {
			t.Errorf("a picture was painted at scale %g", v)
		}
	}
}

func TestEveryInkShowsTexts(t *testing.T) {
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	for ink, look := range inks {
		if ink == Paper || ink == Stripe || ink == OnMine || ink == OnAnswer {
			continue // grounds, and what is light on dark ones
		}
		d := &Drawing{
			ID:     "d",
			Width:  60,
			Height: 30,
			Groups: []Group{{ink, []Mark{{Form: Text, X: 5, Y: 20, Text: "Hg", Size: 16}}}},
		}
		if svg := string(d.SVG(InPage)); look.fill == "" &&
			!strings.Contains(svg, `<text x="5" y="20" font-size="16" fill="currentColor"`) {
			t.Errorf("%s: texts have no colour: %s", ink, svg)
		}
		var b bytes.Buffer
		if err := p.PNG(&b, d, 1); err != nil {
			t.Fatal(err)
		}
		if img := decoded(t, b.Bytes()); difference(t, img, image.NewUniform(color.White), img.Bounds()) < 0.02 {
			t.Errorf("%s: the text is not painted", ink)
		}
	}
}

func TestPaintersAreSharedByRequests(t *testing.T) {
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	d := sampler()
	pictures := make([]bytes.Buffer, 8)
	var all sync.WaitGroup
	for i := range pictures {
		all.Go(func() {
			if err := p.PNG(&pictures[i], d, 1); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range pictures {
		if !bytes.Equal(pictures[i].Bytes(), pictures[0].Bytes()) {
			t.Errorf("picture %d differs from the first", i)
		}
	}
}

func TestOfACollectionTheSimplifiedFaceIsChosen(t *testing.T) {
	f, err := loadFonts("")
	if err != nil {
		t.Fatal(err)
	}
	chinese := f.chinese()
	if chinese == nil {
		t.Skip("this system has no font with Chinese characters")
	}
	family, err := chinese.Name(nil, sfnt.NameIDFamily)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(family, "Noto") && family != "Noto Sans CJK SC" {
		t.Errorf("got %q", family)
	}
}

func TestPalettesKeepInksAndChangeEdgesUnseen(t *testing.T) {
	im := image.NewRGBA(image.Rect(0, 0, 400, 300))
	for y := range 300 {
		for x := range 400 { // some thousand colours between white and three inks, as at edges
			ends := [][3]int{{29, 27, 24}, {31, 111, 178}, {200, 80, 27}}[y%3]
			mix := (x*7 + y) % 256
			blend := func(end, bias int) uint8 { return uint8(min(max(255+(end-255)*mix/255+bias, 0), 255)) }
			im.Set(x, y, color.RGBA{blend(ends[0], x%5-2), blend(ends[1], y%5-2), blend(ends[2], 0), 255})
		}
	}
	paper, ink := color.RGBA{255, 255, 255, 255}, color.RGBA{169, 51, 27, 255}
	draw.Draw(im, image.Rect(0, 0, 200, 200), image.NewUniform(paper), image.Point{}, draw.Src)
	draw.Draw(im, image.Rect(0, 0, 40, 40), image.NewUniform(ink), image.Point{}, draw.Src)
	few := indexed(im)
	if few == nil {
		t.Fatal("no palette")
	}
	if got := len(few.Palette); got > 256 {
		t.Errorf("%d colours", got)
	}
	if few.At(10, 10) != ink || few.At(100, 100) != paper {
		t.Errorf("got %v and %v, want the inks", few.At(10, 10), few.At(100, 100))
	}
	for y := range 300 {
		for x := range 400 {
			r, g, b, _ := few.At(x, y).RGBA()
			if was := im.RGBAAt(x, y); max(
				int(r>>8)-int(was.R),
				int(was.R)-int(r>>8),
				int(g>>8)-int(was.G),
				int(was.G)-int(g>>8),
				int(b>>8)-int(was.B),
				int(was.B)-int(b>>8),
			) > maxDifference {
				t.Fatalf("at %d, %d: %v became %v", x, y, was, few.At(x, y))
			}
		}
	}
}

func TestAPictureOfTooManyColoursHasNoPalette(t *testing.T) {
	im := image.NewRGBA(image.Rect(0, 0, 200, 200))
	for i := range 200 * 200 {
		im.Set(i%200, i/200, color.RGBA{uint8(i), uint8(i >> 8 * 97), uint8(i * 31), 255})
	}
	if indexed(im) != nil {
		t.Error("a palette was made")
	}
}

func TestAFontThatIsNamedMustBeOne(t *testing.T) {
	notAFont := filepath.Join(t.TempDir(), "x.ttf")
	if err := os.WriteFile(notAFont, []byte("no font"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{notAFont, filepath.Join(t.TempDir(), "absent.ttf")} {
		if _, err := NewPainter(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error that names %s", err, name)
		}
	}
}

func TestChineseIsPaintedWithAFontOfTheSystem(t *testing.T) {
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	if !p.Chinese() {
		t.Skip("this system has no font with Chinese characters")
	}
	draw := func(text string) []byte {
		var b bytes.Buffer
		d := &Drawing{Width: 60, Height: 30, Groups: []Group{{Label, []Mark{{Form: Text, X: 5, Y: 20, Text: text}}}}}
		if err := p.PNG(&b, d, 1); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if bytes.Equal(draw("显存"), draw("带宽")) {
		t.Error("different characters look the same")
	}
}

func BenchmarkPNG324(b *testing.B) {
	d := crowd(324, 1200, 2400)
	p, err := NewPainter("")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := p.PNG(io.Discard, d, 1); err != nil {
			b.Fatal(err)
		}
	}
}
