package chart

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// pdfOf writes a drawing and takes its content apart.
func pdfOf(t *testing.T, d *Drawing) (file []byte, content string) {
	t.Helper()
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.PDF(&b, d, 420); err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(b.Bytes(), []byte("stream\n"))
	if !ok {
		t.Fatal("there is no stream")
	}
	z, err := zlib.NewReader(bytes.NewReader(rest))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), string(body)
}

func TestASheetIsA2AndSaysWhereItsObjectsLie(t *testing.T) {
	d := &Drawing{ID: "x", Lang: "en", Width: 1240, Height: 1754, Title: "天梯 (1)", Groups: []Group{
		{BandInk(0), []Mark{{Form: Rect, X: 1, Y: 2, W: 3, H: 4}}},
		{Label, []Mark{{Form: Text, X: 10, Y: 20, Text: "RTX 4090"}}},
		{Answer, []Mark{{Form: Line, Points: []Point{{0, 1}, {2, 3}}}}},
		{GenerationInk(3), []Mark{{Form: Symbol, X: 5, Y: 5, Sign: GenerationSign(3), Hollow: true}}},
	}}
	file, content := pdfOf(t, d)
	box := regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`).FindSubmatch(file)
	if box == nil {
		t.Fatal("no size")
	}
	for i, want := range []float64{420, 594} {
		if mm, _ := strconv.ParseFloat(string(box[i+1]), 64); mm/pointsPerMillimetre < want-0.5 ||
			mm/pointsPerMillimetre > want+0.5 {
			t.Errorf("side %d is %g mm, want %g", i, mm/pointsPerMillimetre, want)
		}
	}
	for i, m := range regexp.MustCompile(`(\d{10}) 00000 n`).FindAllSubmatch(file, -1) {
		at, _ := strconv.Atoi(string(m[1]))
		if want := strconv.Itoa(i+1) + " 0 obj"; !bytes.HasPrefix(file[at:], []byte(want)) {
			t.Errorf("at %d there is %.20q, want %q", at, file[at:], want)
		}
	}
	for _, want := range []string{"1 2 3 4 re", "[5 4] 0 d S", "0.6627 0.2 0.1059 RG"} {
		if !strings.Contains(content, want) {
			t.Errorf("the content does not have %q", want)
		}
	}
	if n := strings.Count(content, "f\nQ\n"); n != 7 {
		t.Errorf("%d letters are drawn, want 7", n)
	}
	if !bytes.Contains(file, []byte("/Title <FEFF59296")) {
		t.Error("the title is not there")
	}
	if again, _ := pdfOf(t, d); !bytes.Equal(file, again) {
		t.Error("the same drawing gives other bytes")
	}
}

func TestNoSheetWithoutASize(t *testing.T) {
	p, err := NewPainter("")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.PDF(io.Discard, &Drawing{}, 420); err == nil {
		t.Error("a sheet of nothing")
	}
}
