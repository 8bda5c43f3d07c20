package seed

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
)

var (
	drawCount = flag.Int("draw", 0, "print so many figures drawn at random, for docs/audit.md")
	drawSeed  = flag.Uint64("draw-seed", 1, "seed of the drawing")
	drawFrom  = flag.String("draw-from", "", "file of card ids, one a line, from which a part is drawn first")
	drawPart  = flag.Int("draw-part", 0, "how many of them are of those cards")
)

// TestDrawAudit prints a sample of the built-in figures as tab-separated lines: card,
// quantity, value, standing, source. Superseded values and what is no number are left out.
//
//	go test ./seed -run DrawAudit -draw 300 -draw-seed 20261124 -draw-from ids.txt -draw-part 120 -v
func TestDrawAudit(t *testing.T) {
	if *drawCount == 0 {
		t.Skip("nothing is to be drawn")
	}
	d, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	if *drawFrom != "" {
		list, err := os.ReadFile(*drawFrom)
		if err != nil {
			t.Fatal(err)
		}
		first = strings.Fields(string(list))
	}
	for _, line := range draw(d, *drawCount, *drawPart, *drawSeed, first) {
		fmt.Println(line)
	}
}

// draw takes n figures, part of them from the cards of first, each at most once.
func draw(d catalog.Dataset, n, part int, seed uint64, first []string) []string {
	sources := map[string]*catalog.Source{}
	for i := range d.Sources {
		sources[d.Sources[i].ID] = &d.Sources[i]
	}
	var of, rest []string
	for _, c := range d.Cards {
		for _, f := range c.Facts {
			if q, _ := catalog.LookupQuantity(f.Quantity); q.Kind != catalog.Number || !f.Superseded.IsZero() {
				continue
			}
			line := fmt.Sprintf("%s\t%s\t%v\t%s\t%s", c.ID, f.Quantity, f.Number,
				catalog.StandingOf(&f, sources[f.Source]), f.Source)
			if slices.Contains(first, c.ID) {
				of = append(of, line)
			} else {
				rest = append(rest, line)
			}
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for _, lines := range [][]string{of, rest} {
		slices.Sort(lines)
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	part = min(part, len(of), n)
	return append(of[:part:part], rest[:min(n-part, len(rest))]...)
}

func TestADrawingIsTheSameForASeed(t *testing.T) {
	d, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	a, b := draw(d, 50, 20, 7, []string{"nvidia-t4"}), draw(d, 50, 20, 7, []string{"nvidia-t4"})
	if !slices.Equal(a, b) || len(a) != 50 {
		t.Errorf("%d and %d figures, which differ", len(a), len(b))
	}
	if slices.Equal(a, draw(d, 50, 20, 8, []string{"nvidia-t4"})) {
		t.Error("another seed draws the same")
	}
}
