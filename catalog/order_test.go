package catalog_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/catalog/sample"
)

// inOrder compares two cards by the keys as their documentation says it, without
// any index.
func inOrder(s *catalog.Snapshot, keys []catalog.SortKey, a, b int) int {
	for _, k := range keys {
		sign := 1
		if k.Descending {
			sign = -1
		}
		var r int
		if k.Quantity.Numeric() {
			x, okX := s.Number(k.Quantity, a)
			y, okY := s.Number(k.Quantity, b)
			r = absentLast(okX, okY, sign*cmp.Compare(x, y))
		} else {
			x, okX := s.Text(k.Quantity, a)
			y, okY := s.Text(k.Quantity, b)
			r = absentLast(okX, okY, sign*strings.Compare(strings.ToLower(x), strings.ToLower(y)))
		}
		if r != 0 {
			return r
		}
	}
	return a - b
}

func absentLast(okA, okB bool, both int) int {
	switch {
	case okA && okB:
		return both
	case okA:
		return -1
	case okB:
		return 1
	}
	return 0
}

// The catalogue is large enough for every way in which Select finds a first page.
func TestFirstPagesAreTheBeginningOfTheWholeInOrder(t *testing.T) {
	d := sample.Dataset("synthetic", 6000)
	for i := range 3000 { // values below zero and nothing at all
		d.Cards[2*i].Facts[13].Number -= 400
		if i%5 == 0 {
			d.Cards[2*i].Facts = nil
		}
	}
	s := catalog.NewSnapshot(1, d)
	r := rand.New(rand.NewPCG(4, 2))
	sorts := []string{
		"name",
		"-name",
		"memory_gb,-tdp_w",
		"-memory_gb,name",
		"architecture,-vendor,tdp_w",
		"-form_factor,-name",
		"-interconnect_gb_s,memory_type",
		"die_mm2",
		"-die_mm2",
		"-die_mm2,name",
		"launched,-memory_gb",
		"l2_cache_mb,-die_mm2",
	}
	for _, filter := range []string{"", "&tdp_w=200..800", "&tdp_w=500..503", "&vendor=Contoso&bf16=true"} {
		for _, sort := range sorts {
			q := mustParse(t, s, "sort="+sort+filter)
			all := s.Select(&q, 10_000).Rows
			want := slices.SortedFunc(slices.Values(all), func(a, b int) int { return inOrder(s, q.Sort, a, b) })
			from := r.IntN(len(want))
			for _, limit := range []int{1, 7, 50} {
				if got := s.Select(&q, limit).Rows; !slices.Equal(got, want[:min(limit, len(want))]) {
					t.Errorf("%s, first %d: %s", q.Encode(), limit, gocmp.Diff(want[:min(limit, len(want))], got))
				}
				next := q
				next.Cursor = s.Card(want[from]).ID
				rest := want[from+1:]
				if got := s.Select(&next, limit).Rows; !slices.Equal(got, rest[:min(limit, len(rest))]) {
					t.Errorf("%s, %d: %s", next.Encode(), limit, gocmp.Diff(rest[:min(limit, len(rest))], got))
				}
			}
		}
	}
}
