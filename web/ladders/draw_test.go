package ladders

import (
	"fmt"
	"math"
	"testing"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/chart"
	"tianti/web/site"
)

// many are cards of two vendors whose values fall by a few per cent each, over seven factors of two.
func many(n int) *catalog.Snapshot {
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet"}}}
	for i := range n {
		vendor := []string{"Acme", "Bolt"}[i%2]
		d.Cards = append(
			d.Cards,
			catalog.Card{ID: fmt.Sprintf("c-%03d", i), Name: fmt.Sprintf("Card %d", i), Vendor: vendor,
				Kind: "gpu", Segment: "desktop", Architecture: fmt.Sprintf("%s %d", vendor, i%5), Facts: []catalog.Fact{
					{
						Quantity: "fp32_vector_tflops",
						Number:   100 * math.Pow(2, -float64(i)*7/float64(n)),
						Source:   "sheet",
					},
					{Quantity: "launched", Text: fmt.Sprintf("20%02d-05-01", 15+2*(i%5)), Source: "sheet"}}},
		)
	}
	return catalog.NewSnapshot(1, d)
}

func builderOf(t *testing.T, s *catalog.Snapshot, query string) *ladderBuilder {
	t.Helper()
	h := New(&site.Site{})
	st := &site.State{Snap: s}
	r := &site.Request{Loc: locale.Of("en"), Values: site.ParseQuery(query)}
	q, errs := h.readParams(st, r, "fp32_vector_tflops")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	chart, err := h.tierChart(st, q)
	if err != nil {
		t.Fatal(err)
	}
	return &ladderBuilder{s: h, st: st, r: r, l: r.Loc, t: chart}
}

// laid makes the drawing without its legend.
func laid(b *ladderBuilder) *ladderDrawing {
	d := &ladderDrawing{
		b:      b,
		l:      &b.t.Ladder,
		cols:   b.columns(),
		width:  pageWidth,
		y0:     64,
		x0:     marginLeft,
		pitch:  labelPitch,
		groups: map[chart.Ink][]chart.Mark{},
	}
	bands := b.bands()
	d.last = bands[len(bands)-1]
	d.lay(bands, 0)
	return d
}

func TestLabelsStayInsideTheirBandAndApart(t *testing.T) {
	for _, n := range []int{3, 40, 300} {
		d := laid(builderOf(t, many(n), ""))
		for i := range d.levels {
			v := &d.levels[i]
			for c := range d.cols {
				d.groups = map[chart.Ink][]chart.Mark{}
				d.labels(&d.cols[c], v, 200, 180)
				last := math.Inf(-1)
				for _, m := range append(d.groups[chart.Label], d.groups[chart.Name]...) {
					if m.Y-4 < v.y || m.Y-4 > v.y+v.height {
						t.Errorf(
							"%d cards: %q at %v is not in band %s, %v … %v",
							n,
							m.Text,
							m.Y,
							v.ID,
							v.y,
							v.y+v.height,
						)
					}
				}
				for _, m := range d.groups[chart.Label] {
					if m.Href != "" && m.Y-last < labelPitch-0.01 {
						t.Errorf("%d cards: %q lies on the label above", n, m.Text)
					}
					if m.Href != "" {
						last = m.Y
					}
				}
			}
		}
	}
}

func TestMarksStandAtTheirTruePlaces(t *testing.T) {
	d := laid(builderOf(t, many(60), ""))
	first := &d.l.Places[1]
	for i := range d.l.Places {
		p := &d.l.Places[i]
		if p.Ratio < d.levels[len(d.levels)-1].Low || d.at(p.Ratio) <= d.levels[0].y+6 {
			continue
		}
		if want := d.at(first.Ratio) + math.Log2(first.Ratio/p.Ratio)*d.unit; math.Abs(d.at(p.Ratio)-want) > 1e-6 {
			t.Errorf("%s stands at %v, want %v", p.ID, d.at(p.Ratio), want)
		}
	}
}

// A sheet is A2 whatever stands on it, and the old cards do not stretch it.
func TestAPosterIsOneSheet(t *testing.T) {
	for _, n := range []int{2, 300} {
		p := builderOf(t, many(n), "").poster()
		if p.Width != posterWidth || p.Height != posterHeight {
			t.Errorf("%d cards: %v × %v", n, p.Width, p.Height)
		}
		for _, g := range p.Groups {
			for _, m := range g.Marks {
				if m.Y > posterHeight || m.Y < 0 {
					t.Errorf("%d cards: %q lies at %v, beyond the sheet", n, m.Text, m.Y)
				}
			}
		}
	}
}

func TestGenerationsAreCountedFromTheNewest(t *testing.T) {
	b := builderOf(t, many(60), "")
	for i := range b.t.Places {
		row := b.t.Places[i].Row
		var k int
		fmt.Sscanf(b.t.snap.Card(row).Architecture[5:], "%d", &k) // 4 is the newest
		if want := min(4-k, chart.Generations-1); b.generation(row) != want {
			t.Errorf("%s is of generation %d, want %d", b.t.snap.Card(row).Architecture, b.generation(row), want)
		}
	}
}

// A finding names a leader only where it leads by more than a tie.
func TestTheFindingSaysWhoLeads(t *testing.T) {
	for n, want := range map[int]string{
		14: "Rated FP32 vector: the Acme Card 0 leads, ×4 the Acme Card 4. The best of Bolt, the Card 1, reaches " +
			"283\u202f%.",
		160: "Rated FP32 vector: the Acme Card 0 and the Bolt Card 1 lead, level within 5 %.",
		300: "Rated FP32 vector: 4 cards lead, level with the Acme Card 0 within 5 %.",
	} {
		query := ""
		if n == 14 {
			query = "reference=c-004"
		}
		if got := builderOf(t, many(n), query).finding(); got != want {
			t.Errorf("%d cards: %q, want %q", n, got, want)
		}
	}
}
