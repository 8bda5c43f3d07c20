package reference

import (
	"testing"

	"tianti/catalog"
	"tianti/locale"
)

func TestTimelinePlacesLabelsThatWouldOverlapInRowsOfTheirOwn(t *testing.T) {
	var d catalog.Dataset
	d.Sources = []catalog.Source{{ID: "s"}}
	for _, g := range []struct{ id, name, date string }{{"a", "Alder", "2009-06"}, {"b", "Birch", "2011"},
		{"c", "Cedar", "2011-08"}, {"e", "Elm", ""}} {
		gen := catalog.Generation{ID: g.id, Name: g.name, Line: "Trees"}
		if g.date != "" {
			gen.Facts = []catalog.Fact{{Quantity: "launched", Text: g.date, Source: "s"}}
		}
		d.Generations = append(d.Generations, gen)
	}
	s := catalog.NewSnapshot(1, d)
	tl := timelineOf(locale.Of("en"), s.Generations())
	if len(tl.Lanes) != 1 || len(tl.Lanes[0].Marks) != 3 {
		t.Fatalf("got %+v, want one lane with the three that have a date", tl.Lanes)
	}
	for i, a := range tl.Lanes[0].Marks {
		for _, b := range tl.Lanes[0].Marks[i+1:] {
			if a.Y == b.Y && b.X < a.X+12+labelWidth(a.Label) {
				t.Errorf("%s at %d and %s at %d overlap", a.Label, a.X, b.Label, b.X)
			}
		}
		if a.Y+10 > tl.Height {
			t.Errorf("%s at %d is beneath the drawing, which is %d high", a.Label, a.Y, tl.Height)
		}
	}
}
