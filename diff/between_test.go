package diff_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/catalog"
	"tianti/diff"
)

func dataset(id string, rank int, cards ...catalog.Card) catalog.Dataset {
	return catalog.Dataset{ID: id, Rank: rank, Cards: cards, Sources: []catalog.Source{
		{
			ID:        "sheet",
			Publisher: "Acme",
			Title:     "Datasheet",
			URL:       "https://example.com/1",
			Kind:      "datasheet",
			Published: "2024",
		},
		{
			ID:        "post",
			Publisher: "Acme",
			Title:     "Post",
			URL:       "https://example.com/2",
			Kind:      "press",
			Published: "2025-03",
		},
		{ID: "wiki", Publisher: "Many", Title: "Wiki", Kind: "community"},
	}}
}

func card(id string, facts ...catalog.Fact) catalog.Card {
	return catalog.Card{ID: id, Name: "Name of " + id, Vendor: "Acme", Kind: "gpu", Segment: "research", Facts: facts}
}

func number(quantity string, v float64, source string) catalog.Fact {
	return catalog.Fact{Quantity: quantity, Number: v, Source: source}
}

func TestReportSaysWhatDiffersAndWhatIsShownInstead(t *testing.T) {
	builtin := dataset("builtin", 100, card("a", number("memory_gb", 80, "sheet"), number("tdp_w", 300, "sheet")))
	before := dataset("mine", 50,
		card("a", number("memory_gb", 80, "wiki"), number("memory_bus_bits", 512, "wiki")),
		card("gone", number("tdp_w", 75, "wiki")), card("same", number("tdp_w", 75, "wiki")))
	after := dataset(
		"mine",
		50,
		card(
			"a",
			number("memory_gb", 96, "wiki"),
			number("memory_bus_bits", 384, "post"),
			number("tdp_w", 301, "wiki"),
		),
		card("new", number("tdp_w", 20, "wiki")),
		card("same", number("tdp_w", 75, "wiki")),
	)
	after.Cards[0].Aliases = []string{"A one", "A1"}
	got := diff.Between(before, after, catalog.NewSnapshot(1, builtin, before))
	want := diff.Report{
		Counts:  map[diff.Kind]int{diff.Added: 1, diff.Changed: 1, diff.Removed: 1, diff.Untouched: 1},
		Figures: map[diff.Kind]int{diff.Added: 2, diff.Changed: 2, diff.Removed: 1, diff.Untouched: 1},
		Sources: map[diff.Kind]int{diff.Untouched: 3},
		Cards: []diff.Card{
			{
				ID:       "a",
				Name:     "Name of a",
				Kind:     diff.Changed,
				Identity: []diff.Field{{Name: "aliases", New: "A one, A1"}},
				Figures: []diff.Figure{
					{
						Quantity: "memory_gb",
						Source:   "Wiki",
						Kind:     diff.Changed,
						Old:      &before.Cards[0].Facts[0],
						New:      &after.Cards[0].Facts[0],
					},
					{
						Quantity: "memory_bus_bits",
						Source:   "Post",
						Before:   "Wiki",
						Kind:     diff.Changed,
						Old:      &before.Cards[0].Facts[1],
						New:      &after.Cards[0].Facts[1],
						Shown:    &diff.Shown{Before: "512", After: "384", BeforeDataset: "mine", AfterDataset: "mine"},
					},
					{Quantity: "tdp_w", Source: "Wiki", Kind: diff.Added, New: &after.Cards[0].Facts[2]},
				},
			},
			{ID: "gone", Name: "Name of gone", Kind: diff.Removed, Figures: []diff.Figure{
				{
					Quantity: "tdp_w",
					Source:   "Wiki",
					Kind:     diff.Removed,
					Old:      &before.Cards[1].Facts[0],
					Shown:    &diff.Shown{Before: "75", BeforeDataset: "mine"},
				},
			}},
			{ID: "new", Name: "Name of new", Kind: diff.Added, New: true, Figures: []diff.Figure{
				{
					Quantity: "tdp_w",
					Source:   "Wiki",
					Kind:     diff.Added,
					New:      &after.Cards[1].Facts[0],
					Shown:    &diff.Shown{After: "20", AfterDataset: "mine"},
				},
			}},
		},
		// 301 W and 300 W differ by rounding alone.
		Conflicts: []diff.Conflict{
			{
				Card:         "a",
				Quantity:     "memory_gb",
				Value:        "96",
				Other:        "80",
				OtherDataset: "builtin",
				OtherSource:  "Datasheet",
			},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAHigherRankShowsFiguresThatDidNotChange(t *testing.T) {
	builtin := dataset("builtin", 100, card("a", number("memory_gb", 80, "sheet")))
	before := dataset("mine", 50, card("a", number("memory_gb", 96, "wiki")))
	after := before
	after.Rank = 200
	got := diff.Between(before, after, catalog.NewSnapshot(1, builtin, before))
	if len(got.Cards) != 1 || len(got.Cards[0].Figures) != 1 || got.Cards[0].Kind != diff.Untouched {
		t.Fatalf("got %+v, want one card with one figure, untouched", got.Cards)
	}
	want := &diff.Shown{Before: "80", After: "96", BeforeDataset: "builtin", AfterDataset: "mine"}
	if diff := cmp.Diff(want, got.Cards[0].Figures[0].Shown); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWhatAnAppliedRevisionChangedIsSaidAfterwards(t *testing.T) {
	after := dataset("mine", 50, card("a", number("memory_gb", 96, "wiki")))
	after.Revision = 7
	got := diff.Between(catalog.Dataset{}, after, catalog.NewSnapshot(1, after))
	if len(got.Cards) != 1 || !got.Cards[0].New || got.Cards[0].Figures[0].Shown == nil ||
		got.Cards[0].Figures[0].Shown.Before != "" {
		t.Errorf("got %+v, want a new card of which nothing was shown before", got.Cards)
	}
}

func TestWithoutACatalogueEverythingIsNew(t *testing.T) {
	got := diff.Between(catalog.Dataset{}, dataset("mine", 50, card("a", number("tdp_w", 9, "wiki"))), nil)
	if got.Counts[diff.Added] != 1 || !got.Cards[0].New || len(got.Conflicts) != 0 {
		t.Errorf("got %+v, want one new card and no conflict", got)
	}
}

// What a report says will be shown is what the catalogue shows with the new revision
// in place of the old one, whatever ranks, sources and superseded values there are.
func TestReportAgreesWithTheCatalogueAfterwards(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		others := []catalog.Dataset{randomDataset(r, "builtin"), randomDataset(r, "local")}
		before, after := randomDataset(r, "mine"), randomDataset(r, "mine")
		now := catalog.NewSnapshot(1, ordered(append(others, before)...)...)
		then := catalog.NewSnapshot(2, ordered(append(others, after)...)...)
		compareShown(t, seed, diff.Between(before, after, now), now, then)
		compareShown(t, seed, diff.Between(before, after, then), now, then)
	}
}

func compareShown(t *testing.T, seed uint64, report diff.Report, now, then *catalog.Snapshot) {
	t.Helper()
	said := map[string]diff.Shown{}
	for _, c := range report.Cards {
		for _, f := range c.Figures {
			if f.Shown != nil {
				said[c.ID+" "+f.Quantity] = *f.Shown
			}
		}
	}
	want := map[string]diff.Shown{}
	for i := range cards {
		id := fmt.Sprintf("card-%d", i)
		for _, quantity := range quantities {
			b, bd := shown(now, id, quantity)
			a, ad := shown(then, id, quantity)
			if a != b || ad != bd {
				want[id+" "+quantity] = diff.Shown{Before: b, After: a, BeforeDataset: bd, AfterDataset: ad}
			}
		}
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Fatalf("seed %d: -shown +said:\n%s", seed, diff)
	}
}

func shown(s *catalog.Snapshot, id, quantity string) (value, dataset string) {
	row, ok := s.Find(id)
	if !ok {
		return "", ""
	}
	f, ok := s.Facts(row)[quantity]
	if !ok || f.Shown.Source == nil {
		return "", ""
	}
	return fmt.Sprint(f.Shown.Number), f.Shown.Dataset.ID
}

var quantities = []string{"memory_gb", "tdp_w", "memory_bus_bits"}

const cards = 3

func randomDataset(r *rand.Rand, id string) catalog.Dataset {
	d := dataset(id, r.IntN(3))
	for i := range cards {
		if r.IntN(4) == 0 {
			continue
		}
		c := card(fmt.Sprintf("card-%d", i))
		for range r.IntN(6) {
			f := number(quantities[r.IntN(len(quantities))], float64(1+r.IntN(4)), d.Sources[r.IntN(3)].ID)
			if r.IntN(5) == 0 {
				f.Superseded = catalog.Text{En: "wrong", Zh: "有误"}
			}
			c.Facts = append(c.Facts, f)
		}
		d.Cards = append(d.Cards, c)
	}
	return d
}

// ordered is the order in which a database loads datasets.
func ordered(list ...catalog.Dataset) []catalog.Dataset {
	for i := range list {
		for j := i; j > 0 && (list[j].Rank > list[j-1].Rank || list[j].Rank == list[j-1].Rank &&
			list[j].ID < list[j-1].ID); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list
}
