package store

import (
	"testing"

	"tianti/catalog"
)

// onlyPrices is a dataset that has prices and nothing else.
func onlyPrices(id string, rank, from, n int) catalog.Dataset {
	ds := catalog.Dataset{ID: id, Rank: rank, Sources: []catalog.Source{{ID: "s", Publisher: id}},
		Prices: observations(from, n)}
	for i := range ds.Prices {
		ds.Prices[i].Seller = id
	}
	return ds
}

// TestDatasetsOfPricesComeAndGoBesideTheSameCards: who takes in prices of others has nothing made anew of cards,
// however high the dataset ranks.
func TestDatasetsOfPricesComeAndGoBesideTheSameCards(t *testing.T) {
	parallel(t)
	s := newStore(t)
	ctx := t.Context()
	importTest(t, s, sample())
	importTest(t, s, history(30))
	last := load(t, s)
	claims := len(last.Claims())
	if claims == 0 {
		t.Fatal("there is nothing that tells of a source beside the cards")
	}
	steps := []struct {
		what   string
		do     func() error
		shared bool
	}{
		{"a dataset above all others", func() error { importTest(t, s, onlyPrices("above", 999, 0, 40)); return nil },
			true},
		{"a dataset below all others", func() error { importTest(t, s, onlyPrices("below", -5, 7, 40)); return nil },
			true},
		{"prices of one with cards", func() error { added(t, s, observations(30, 5)); return nil }, true},
		{"other prices of one", func() error { importTest(t, s, onlyPrices("below", -5, 90, 3)); return nil }, true},
		{"another rank of one", func() error { return s.SetRank(ctx, "above", -9, ann) }, true},
		{"none of one", func() error { return s.Activate(ctx, "below", 0, ann) }, true},
		{"another rank of one with cards", func() error { return s.SetRank(ctx, "history", 95, ann) }, false},
		{"none of one with cards", func() error { return s.Activate(ctx, "history", 0, ann) }, false},
		{"none of the last", func() error { return s.Activate(ctx, "above", 0, ann) }, true},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(step.what, err)
		}
		now := load(t, s)
		sameCatalogue(t, step.what, now, fresh(t, s))
		if now.SharesCards(last) != step.shared {
			t.Errorf("%s: cards are shared: %v, want %v", step.what, !step.shared, step.shared)
		}
		for _, c := range now.Bare().Claims() { // what is derived of cards names sources by these
			if src := now.SourceOf(c.In, c.Source); src == nil || now.Datasets()[src.Dataset].ID != "builtin" {
				t.Errorf("%s: the source of claim %s is %v", step.what, c.ID, src)
			}
		}
		if len(now.Claims()) != claims {
			t.Errorf("%s: %d claims, want %d", step.what, len(now.Claims()), claims)
		}
		last = now
	}
}
