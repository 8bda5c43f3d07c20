package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens anew")

// sampler has every form, sign and ink.
func sampler() *Drawing {
	d := &Drawing{ID: "s", Lang: "en", Width: 420, Height: 300, Title: "Forms & inks", Desc: "Every <form> once."}
	d.Groups = []Group{
		{Stripe, []Mark{{Form: Rect, X: 10, Y: 10, W: 400, H: 40}}},
		{Region, []Mark{{Form: Area, Points: []Point{{20, 60}, {120, 60}, {70, 120}}}}},
		{Grid, []Mark{{Form: Line, Points: []Point{{10, 60}, {410, 60}}}}},
		{Axis, []Mark{{Form: Line, Points: []Point{{10, 250}, {410, 250}}}}},
		{Ref, []Mark{{Form: Line, Points: []Point{{10, 200}, {410, 200}}}}},
		{Front, []Mark{{Form: Line, Points: []Point{{200, 240}, {260, 180}, {340, 160}}}}},
		{Tick, []Mark{{Form: Text, X: 10, Y: 265, Text: "1 000"}, {Form: Text, X: 410, Y: 265, Text: "2 000", Anchor: End}}},
		{Name, []Mark{{Form: Text, X: 210, Y: 290, Text: "Memory bandwidth 显存带宽", Anchor: Middle}, {Form: FreeText, X: 14, Y: 230, Text: "upwards"}}},
		{Label, []Mark{{Form: Text, X: 30, Y: 30, Text: "a name that is too long for its place", W: 90}}},
	}
	for i := range MaxSeries {
		x := 30 + 45*float64(i)
		d.Groups = append(d.Groups, Group{SeriesInk(i), []Mark{
			{Form: Symbol, X: x, Y: 90, Size: 12, Sign: SeriesSign(i), Href: "/cards/a?b=1&c=2", Title: `"a" & <b>`},
			{Form: Symbol, X: x, Y: 130, Size: 12, Sign: SeriesSign(i), Hollow: true},
		}})
	}
	return d
}

func TestDrawingsLookAsKept(t *testing.T) {
	for name, got := range map[string][]byte{"page.svg": sampler().SVG(InPage), "file.svg": sampler().SVG(Standalone)} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s changed (run go test ./web/chart -update if that is meant)", name)
		}
	}
}

// painted is the PNG of a drawing in the fonts that the program carries: what the
// system has differs.
func painted(t testing.TB, d *Drawing, scale float64) []byte {
	t.Helper()
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	p.fonts.chinese = nil
	var b bytes.Buffer
	if err := p.PNG(&b, d, scale); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

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
	if d := difference(t, decoded(t, got), decoded(t, file)); d > 0.001 {
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
func difference(t *testing.T, a, b image.Image) float64 {
	t.Helper()
	if a.Bounds() != b.Bounds() {
		t.Fatalf("got %v, want %v", a.Bounds(), b.Bounds())
	}
	other, all := 0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			all++
			for _, d := range []int{int(r) - int(r2), int(g) - int(g2), int(bl) - int(bl2)} {
				if d > 0x800 || d < -0x800 {
					other++
					break
				}
			}
		}
	}
	return float64(other) / float64(all)
}

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

func FuzzSVG(f *testing.F) {
	f.Add("a", "/b", 1.0)
	f.Add("<&\"'>\x00\xff\ufffe", `" onload="x`, math.Inf(1))
	f.Fuzz(func(t *testing.T, text, href string, v float64) {
		d := &Drawing{ID: "d", Class: text, Title: text, Desc: text, Width: v, Height: 1, Groups: []Group{
			{Label, []Mark{{Form: Text, X: v, Text: text, Href: href, Title: text, W: v}, {Form: FreeText, Text: text}}},
			{Ink(text), []Mark{{Form: Symbol, X: v, Y: v, Size: v, Sign: Diamond}, {Form: Line, Points: []Point{{v, v}}}}},
		}}
		for _, how := range []How{InPage, Standalone} {
			in := xml.NewDecoder(bytes.NewReader(d.SVG(how)))
			for {
				token, err := in.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("not well-formed: %v", err)
				}
				if e, ok := token.(xml.StartElement); ok && !slices.Contains([]string{"svg", "title", "desc", "g", "a", "text", "path", "circle", "rect"}, e.Name.Local) {
					t.Fatalf("element %s", e.Name.Local)
				}
			}
		}
	})
}

func TestTicksAreRoundFewAndInside(t *testing.T) {
	for _, tt := range []struct {
		kind   Kind
		lo, hi float64
		most   int
		want   string
	}{
		{LogScale, 1, 1000, 10, "[1 2 5 10 20 50 100 200 500 1000]"},
		{LogScale, 1, 1000, 6, "[1 10 100 1000]"},
		{LogScale, 50, 300, 6, "[50 100 200]"},
		{LogScale, 2, 3, 6, "[2 2.2 2.4 2.6 2.8 3]"},
		{LogScale, 1e-6, 1e9, 6, "[0.0001 1 10000 1e+08]"},
		{LinearScale, 2006.3, 2026.9, 8, "[2010 2015 2020 2025]"},
		{LinearScale, 0.13, 7.7, 8, "[1 2 3 4 5 6 7]"},
		{LinearScale, 0, 0.07, 4, "[0 0.02 0.04 0.06]"},
	} {
		s, err := NewAxis(tt.kind, tt.lo, tt.hi, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(s.Ticks(tt.most)); got != tt.want {
			t.Errorf("%v from %g to %g: got %s, want %s", tt.kind, tt.lo, tt.hi, got, tt.want)
		}
	}
	for range 2000 {
		lo := math.Exp(rand.Float64()*30 - 15)
		hi := lo * (1 + rand.ExpFloat64()*rand.ExpFloat64()*10)
		for _, kind := range []Kind{LinearScale, LogScale} {
			s, err := NewAxis(kind, lo, hi, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			ticks := s.Ticks(7)
			if len(ticks) > 7 || !slices.IsSorted(ticks) || slices.ContainsFunc(ticks, func(v float64) bool { return v < lo*(1-1e-9) || v > hi*(1+1e-9) }) {
				t.Fatalf("%v from %g to %g: %v", kind, lo, hi, ticks)
			}
		}
	}
}

func TestALogarithmicAxisKeepsRatios(t *testing.T) {
	s, err := NewAxis(LogScale, 1, 16, 100, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{1, 2, 4, 8} {
		if got := s.At(v) - s.At(2*v); math.Abs(got-25) > 1e-9 {
			t.Errorf("from %g to %g: %g, want 25", v, 2*v, got)
		}
	}
}

func TestAnAxisNeedsValuesItCanShow(t *testing.T) {
	for _, tt := range []struct {
		kind   Kind
		lo, hi float64
		want   error
	}{
		{LogScale, 0, 5, ErrNotPositive}, {LogScale, -1, 5, ErrNotPositive}, {LinearScale, math.NaN(), 5, ErrNoValues},
		{LinearScale, math.Inf(1), math.Inf(-1), ErrNoValues}, {LinearScale, -5, 0, nil}, {LinearScale, 0, 0, nil}, {LogScale, 3, 3, nil},
	} {
		if _, err := NewAxis(tt.kind, tt.lo, tt.hi, 0, 1); !errors.Is(err, tt.want) {
			t.Errorf("%v from %g to %g: got %v, want %v", tt.kind, tt.lo, tt.hi, err, tt.want)
		}
	}
}

func TestSpreadKeepsPlacesApartInOrderAndInside(t *testing.T) {
	for range 500 {
		want := make([]float64, 1+rand.IntN(40))
		for i := range want {
			want[i] = rand.Float64() * 500
		}
		slices.Sort(want)
		got := Spread(want, 12, 0, 500)
		for i := range got {
			if got[i] < -1e-6 || got[i] > 500+1e-6 || i > 0 && got[i]-got[i-1] < 12-1e-6 {
				t.Fatalf("%v became %v", want, got)
			}
		}
	}
	if got := fmt.Sprint(Spread([]float64{10, 10, 100}, 20, 0, 200)); got != "[0 20 100]" {
		t.Errorf("got %s, want the two moved alike and the third left", got)
	}
	if got := Spread([]float64{1, 2, 3}, 50, 0, 60); got[0] != 0 || got[2] != 60 {
		t.Errorf("got %v, want the gap to shrink to the room", got)
	}
}

func TestLabelsHideNeitherEachOtherNorSymbols(t *testing.T) {
	frame := Box{0, 0, 600, 400}
	points, texts := make([]Point, 200), make([]string, 200)
	for i := range points {
		points[i], texts[i] = Point{rand.Float64() * 600, rand.Float64() * 400}, strings.Repeat("x", 3+rand.IntN(8))
	}
	placed := PlaceLabels(points, texts, 11, 4, frame)
	var boxes []Box
	for i, p := range placed {
		if !p.OK {
			continue
		}
		w := TextWidth(texts[i], 11)
		left := p.X - w*[...]float64{0, 0.5, 1}[p.Anchor]
		b := Box{left, p.Y - 0.8*11, w, 1.05 * 11}
		if !b.within(frame) {
			t.Errorf("label %d leaves the frame", i)
		}
		for _, q := range points {
			if b.overlaps(Box{q.X - 4, q.Y - 4, 8, 8}) {
				t.Errorf("label %d hides a symbol", i)
			}
		}
		for _, o := range boxes {
			if b.overlaps(o) {
				t.Errorf("label %d hides another", i)
			}
		}
		boxes = append(boxes, b)
	}
	if len(boxes) < 20 {
		t.Errorf("only %d labels found a place", len(boxes))
	}
}

func TestTheStyleSheetHasTheColoursOfInks(t *testing.T) {
	css, err := os.ReadFile("../../static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	root, _, _ := strings.Cut(string(css), "}")
	for i, colour := range series {
		if !strings.Contains(root, fmt.Sprintf("--c%d: %s;", i, colour)) {
			t.Errorf("series %d is %s, the light theme has another", i, colour)
		}
	}
	for name, colour := range map[string]string{"line": line, "edge": edge, "ink": ink, "muted": muted, "sunk": sunk, "accent": mark} {
		if !strings.Contains(root, fmt.Sprintf("--%s: %s;", name, colour)) {
			t.Errorf("%s is %s, the light theme has another", name, colour)
		}
	}
	for i := range inks {
		if !strings.Contains(string(css), ".chart .ink-"+string(i)) {
			t.Errorf("no rule for ink %s", i)
		}
	}
}

// crowd is as many symbols and names as the catalogue has cards.
func crowd(n int, width, height float64) *Drawing {
	d := &Drawing{ID: "c", Width: width, Height: height, Title: "Crowd"}
	for i := range n {
		x, y := float64(i%12)*width/12, float64(i/12+1)*height/float64(n/12+2)
		d.Groups = append(d.Groups, Group{SeriesInk(i), []Mark{{Form: Symbol, X: x + 10, Y: y, Sign: SeriesSign(i), Href: "/cards/x", Title: "x"}}},
			Group{Label, []Mark{{Form: Text, X: x + 18, Y: y + 4, Text: fmt.Sprintf("GeForce RTX %d", i)}}})
	}
	return d
}

func BenchmarkSVG324(b *testing.B) {
	d := crowd(324, 1200, 2400)
	for b.Loop() {
		d.SVG(InPage)
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
