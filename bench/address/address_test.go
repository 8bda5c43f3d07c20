package address

import (
	"math/rand/v2"
	"net/url"
	"testing"

	"tianti/catalog"
	"tianti/catalog/sample"
)

func TestFiltersAreUnderstoodFindCardsAndDiffer(t *testing.T) {
	cards := catalog.NewSnapshot(1, sample.Dataset("synthetic", 500))
	r := rand.New(rand.NewPCG(1, 2))
	seen, full := map[string]bool{}, 0
	const asked = 2000
	for range asked {
		q := Filter(r, 50)
		values, err := url.ParseQuery(q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		query, wrong := cards.ParseQuery(values)
		if len(wrong) > 0 {
			t.Errorf("%s: got refused with %v, want it understood", q, wrong)
		} else if cards.Select(&query, 50).Total >= 50 {
			full++
		}
		if seen[q] {
			t.Errorf("%s: came twice", q)
		}
		seen[q] = true
	}
	if full < asked*98/100 {
		t.Errorf("got a full page of 50 cards for %d of %d addresses, want nearly all", full, asked)
	}
}
