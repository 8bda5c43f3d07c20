package ladders

import (
	"fmt"
	"math"
	"testing"

	"tianti/catalog"
	"tianti/web/chart"
)

// family are cards of one vendor whose names begin alike, of four segments, with values near each other.
func family() *catalog.Snapshot {
	d := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet"}}}
	for i, name := range []string{"Accelerator 3 HL-325L", "Accelerator 3 HL-338", "RTX 4000 Ada",
		"RTX 4000 Ada Laptop GPU",
		"RTX PRO 4000 Blackwell", "RTX PRO 4000 Blackwell Laptop GPU"} {
		d.Cards = append(d.Cards, catalog.Card{ID: fmt.Sprintf("c-%d", i), Name: name, Vendor: "Acme", Kind: "gpu",
			Segment: "workstation", Architecture: "A", Facts: []catalog.Fact{
				{Quantity: "fp32_vector_tflops", Number: 1000 + float64(i), Source: "sheet"},
				{Quantity: "launched", Text: "2025-05-01", Source: "sheet"}}})
	}
	return catalog.NewSnapshot(1, d)
}

func TestTwoCardsOfAColumnHaveTwoNames(t *testing.T) {
	b := builderOf(t, family(), "")
	cols := b.columns()
	if len(cols) != 1 {
		t.Fatalf("got %d columns", len(cols))
	}
	for _, room := range []float64{200, 90, 75} {
		names := map[string]bool{}
		for _, i := range cols[0].places {
			names[b.squeezed(&b.t.Places[i], &cols[0], labelSize, room)] = true
		}
		if len(names) != len(cols[0].places) {
			t.Errorf("%d cards have the names %v in %v px", len(cols[0].places), names, room)
		}
	}
}

func TestANameEndsBeforeItsValue(t *testing.T) {
	for _, s := range []*catalog.Snapshot{family(), many(60)} {
		d := laid(builderOf(t, s, ""))
		for i := range d.cols {
			for k := range d.levels {
				d.groups = map[chart.Ink][]chart.Mark{}
				d.labels(&d.cols[i], &d.levels[k], 200, 150)
				ends, values := map[float64]float64{}, map[float64]float64{}
				for _, marks := range d.groups {
					for _, m := range marks {
						switch {
						case m.Form == chart.Text && m.Href != "":
							ends[m.Y] = m.X + min(chart.TextWidth(m.Text, labelSize), m.W)
						case m.Form == chart.Text && m.Anchor == chart.End && m.Size > 10:
							values[m.Y] = m.X - chart.TextWidth(m.Text, labelSize)
						}
					}
				}
				for y, end := range ends {
					if value, known := values[y]; !known || end > value-gapName/2 {
						t.Errorf("a name ends at %v, its value begins at %v", end, value)
					}
				}
			}
		}
	}
}

func TestTheReferenceIsNamedBesideItsMark(t *testing.T) {
	s := catalog.Dataset{ID: "builtin", Rank: 100, Sources: []catalog.Source{
		{ID: "sheet", Publisher: "Acme", Title: "Datasheet", URL: "https://example.com/a", Kind: "datasheet"}}}
	for i := range 60 { // so near each other that their labels fill the band
		s.Cards = append(s.Cards, catalog.Card{ID: fmt.Sprintf("c-%03d", i), Name: fmt.Sprintf("Card %d", i),
			Vendor: "Acme", Kind: "gpu", Segment: "desktop", Architecture: "A", Facts: []catalog.Fact{
				{Quantity: "fp32_vector_tflops", Number: 100 - float64(i)/10, Source: "sheet"}}})
	}
	d := laid(builderOf(t, catalog.NewSnapshot(1, s), "reference=c-040"))
	found := false
	for i := range d.levels {
		for c := range d.cols {
			d.groups = map[chart.Ink][]chart.Mark{}
			d.labels(&d.cols[c], &d.levels[i], 200, 180)
			for _, m := range d.groups[chart.Name] {
				if m.Href == "" {
					continue
				}
				found = true
				if off := m.Y - 4 - d.at(1); math.Abs(off) > awayMost*labelPitch {
					t.Errorf("%s is named %v px from its mark", m.Text, off)
				}
			}
		}
	}
	if !found {
		t.Error("the reference has no name")
	}
}
