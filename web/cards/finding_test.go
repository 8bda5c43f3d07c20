package cards

import (
	"testing"

	"tianti/catalog"
	"tianti/locale"
	"tianti/web/ladders"
	"tianti/web/ui"
)

// finding is that of a card without figures, with what else its page holds.
func findingOf(t *testing.T, v cardData) string {
	t.Helper()
	s := catalog.NewSnapshot(
		1,
		catalog.Dataset{
			ID:    "builtin",
			Rank:  100,
			Cards: []catalog.Card{{ID: "x", Name: "X", Vendor: "Acme", Kind: "gpu", Segment: "desktop"}},
		},
	)
	b := &cardBuilder{s: s, loc: locale.Of("en"), card: s.Card(0), facts: s.Facts(0), numbers: map[string]int{}}
	v.Summary = "A card."
	return b.finding(&v)
}

func TestTheFindingSaysOnlyWhatIsKnown(t *testing.T) {
	ladder := ui.Link{Label: "Rendering"}
	for name, c := range map[string]struct {
		v    cardData
		want string
	}{
		"nothing":   {cardData{}, "A card."},
		"estimated": {cardData{Places: []ladders.MeasuredPlace{{Ladder: ladder}}}, "A card."},
		"first":     {cardData{Places: []ladders.MeasuredPlace{{Ladder: ladder, First: true}}}, "leads “Rendering”."},
		"measured": {cardData{Fits: &fitGridData{Best: "QLoRA of 7B fits"}, Places: []ladders.MeasuredPlace{
			{Ladder: ui.Link{Label: "Other"}}, {Ladder: ladder, Best: &ladders.Best{Name: "Y", Percent: "62 %"}}}},
			"QLoRA of 7B fits; 62 % of the Y, which leads “Rendering”."},
	} {
		if got := findingOf(t, c.v); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestMarksSayWhatAFigureRestsOn(t *testing.T) {
	source := func(id, publisher, kind string) catalog.Source {
		return catalog.Source{
			ID:        id,
			Publisher: publisher,
			Title:     id,
			Kind:      catalog.SourceKind(kind),
			Published: "2024",
		}
	}
	mark := func(facts ...catalog.Fact) mark {
		s := catalog.NewSnapshot(1, catalog.Dataset{ID: "builtin", Rank: 100,
			Sources: []catalog.Source{source("sheet", "Acme", "datasheet"), source("paper", "Daily", "press")},
			Cards: []catalog.Card{
				{ID: "x", Name: "X", Vendor: "Acme", Kind: "gpu", Segment: "desktop", Facts: facts},
			}})
		q, _ := catalog.LookupQuantity("memory_gb")
		b := &cardBuilder{s: s, loc: locale.Of("en")}
		return b.mark(q, s.Facts(0)["memory_gb"])
	}
	fact := func(gb float64, source string) catalog.Fact {
		return catalog.Fact{Quantity: "memory_gb", Number: gb, Source: source}
	}
	if got := mark(); got != "" {
		t.Errorf("missing: got %q", got)
	}
	if got := mark(fact(24, "sheet")); got != single {
		t.Errorf("one source: got %q", got)
	}
	if got := mark(fact(24, "paper")); got != single {
		t.Errorf("the press alone: got %q", got)
	}
	if got := mark(fact(24, "sheet"), fact(24, "paper")); got != confirmed {
		t.Errorf("maker and press: got %q", got)
	}
	if got := mark(fact(24, "sheet"), fact(48, "paper")); got != differing {
		t.Errorf("sources that differ: got %q", got)
	}
}
