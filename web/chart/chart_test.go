package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
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
		{region, []Mark{{Form: area, Points: []Point{{20, 60}, {120, 60}, {70, 120}}}}},
		{Grid, []Mark{{Form: Line, Points: []Point{{10, 60}, {410, 60}}}}},
		{Axis, []Mark{{Form: Line, Points: []Point{{10, 250}, {410, 250}}}}},
		{
			Ref,
			[]Mark{
				{Form: Line, Points: []Point{{10, 200}, {410, 200}}},
				{Form: Text, X: 410, Y: 196, Text: "100 %", Anchor: End, Size: 11},
			},
		},
		{Front, []Mark{{Form: Line, Points: []Point{{200, 240}, {260, 180}, {340, 160}}}}},
		{
			Tick,
			[]Mark{
				{Form: Text, X: 10, Y: 265, Text: "1 000"},
				{Form: Text, X: 410, Y: 265, Text: "2 000", Anchor: End},
			},
		},
		{
			Name,
			[]Mark{
				{Form: Text, X: 210, Y: 290, Text: "Memory bandwidth 显存带宽", Anchor: Middle},
				{Form: FreeText, X: 14, Y: 230, Text: "upwards"},
			},
		},
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

func FuzzSVG(f *testing.F) {
	f.Add("a", "/b", 1.0)
	f.Add("<&\"'>\x00\xff\ufffe", `" onload="x`, math.Inf(1))
	f.Fuzz(func(t *testing.T, text, href string, v float64) {
		d := &Drawing{ID: "d", Class: text, Title: text, Desc: text, Width: v, Height: 1, Groups: []Group{
			{
				Label,
				[]Mark{{Form: Text, X: v, Text: text, Href: href, Title: text, W: v}, {Form: FreeText, Text: text}},
			},
			{
				Ink(text),
				[]Mark{{Form: Symbol, X: v, Y: v, Size: v, Sign: diamond}, {Form: Line, Points: []Point{{v, v}}}},
			},
		}}
		for _, how := range []how{InPage, Standalone} {
			in := xml.NewDecoder(bytes.NewReader(d.SVG(how)))
			for {
				token, err := in.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("not well-formed: %v", err)
				}
				if e, ok := token.(xml.StartElement); ok &&
					!slices.Contains(
						[]string{"svg", "title", "desc", "g", "a", "text", "path", "circle", "rect"},
						e.Name.Local,
					) {
					t.Fatalf("element %s", e.Name.Local)
				}
			}
		}
	})
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
	for i, id := range []string{"s", "a", "b", "c", "d"} {
		if !strings.Contains(root, "--band-"+id+": "+bandColours[i][0]+";") ||
			!strings.Contains(root, "--name-"+id+": "+bandColours[i][1]+";") {
			t.Errorf("band %s is %v, the light theme has others", id, bandColours[i])
		}
	}
	for i, colour := range generationColours {
		if !strings.Contains(root, fmt.Sprintf("--g%d: %s;", i, colour)) {
			t.Errorf("generation %d is %s, the light theme has another", i, colour)
		}
	}
	for name, colour := range map[string]string{"line": line, "edge": edge, "ink": ink, "muted": muted, "sunk": sunk,
		"accent": mark} {
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
		d.Groups = append(
			d.Groups,
			Group{
				SeriesInk(i),
				[]Mark{{Form: Symbol, X: x + 10, Y: y, Sign: SeriesSign(i), Href: "/cards/x", Title: "x"}},
			},
			Group{Label, []Mark{{Form: Text, X: x + 18, Y: y + 4, Text: fmt.Sprintf("GeForce RTX %d", i)}}},
		)
	}
	return d
}

func BenchmarkSVG324(b *testing.B) {
	d := crowd(324, 1200, 2400)
	for b.Loop() {
		d.SVG(InPage)
	}
}
