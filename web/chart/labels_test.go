package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestWidthsAreNotEstimatedTooNarrow(t *testing.T) {
	f, err := loadFonts("")
	if err != nil {
		t.Fatal(err)
	}
	f.chinese = noFont
	for _, text := range []string{"GeForce RTX 4090 D", "NVIDIA H100 SXM5 80 GB", "Instinct MI300X", "MTT S4000",
		"Ascend 910B", "WWWMMM", "mmmwww",
		"0123456789", "Memory bandwidth, GB/s", "\u00a5 12\u202f345.67", "≈ 5 × 10 → €", "fill it, Jill"} {
		for _, bold := range []bool{false, true} {
			c := &canvas{fonts: f, faces: map[faceKey]*letters{}}
			real := 0.0
			for _, r := range f.runs(text, bold) {
				if err := c.measure(&r, 100); err != nil {
					t.Fatal(err)
				}
				real += r.width
			}
			if got := TextWidth(text, 100); got < 0.98*real || got > 1.3*real+20 {
				t.Errorf("%q, bold %v: estimated %.0f, is %.0f", text, bold, got, real)
			}
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

func TestPointsOutsideTheFrameGetNoLabels(t *testing.T) {
	points := []Point{{math.NaN(), 1}, {math.Inf(1), 1}, {1, math.Inf(-1)}, {1e300, 1e300}, {50, 50}}
	placed := PlaceLabels(points, []string{"a", "b", "c", "d", "e"}, 11, 4, Box{0, 0, 100, 100})
	for i, p := range placed {
		if want := i == 4; p.OK != want {
			t.Errorf("%v: placed is %v, want %v", points[i], p.OK, want)
		}
	}
}
