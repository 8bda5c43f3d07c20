package catalog_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
	"tianti/catalog/sample"
)

// naiveSelect answers a query of ranges, vendors and sort keys by looking at each
// card and sorting all that match.
func naiveSelect(s *catalog.Snapshot, ranges map[*catalog.Quantity][2]float64, vendor string,
	keys []catalog.SortKey) []int {
	var rows []int
	for i := range s.Len() {
		ok := vendor == "" || s.Card(i).Vendor == vendor
		for q, r := range ranges {
			v, known := s.Number(q, i)
			ok = ok && known && v >= r[0] && v <= r[1]
		}
		if ok {
			rows = append(rows, i)
		}
	}
	slices.SortFunc(rows, func(a, b int) int {
		for _, k := range keys {
			if c := naiveCompare(s, k, a, b); c != 0 {
				return c
			}
		}
		return cmp.Compare(a, b)
	})
	return rows
}

func naiveCompare(s *catalog.Snapshot, k catalog.SortKey, a, b int) int {
	var known [2]bool
	var c int
	if k.Quantity.Numeric() {
		x, okA := s.Number(k.Quantity, a)
		y, okB := s.Number(k.Quantity, b)
		known, c = [2]bool{okA, okB}, cmp.Compare(x, y)
	} else {
		x, okA := s.Text(k.Quantity, a)
		y, okB := s.Text(k.Quantity, b)
		known, c = [2]bool{okA, okB}, strings.Compare(x, y)
	}
	switch {
	case !known[0] && !known[1]:
		return 0
	case known[0] != known[1]:
		if known[0] {
			return -1
		}
		return 1
	case k.Descending:
		return -c
	}
	return c
}

func TestSelectAgreesWithSortingEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	numbers := []string{"memory_gb", "tdp_w", "interconnect_gb_s", "memory_bandwidth_gb_s", "launched",
		"fp64_vector_tflops", "bf16_tflops_per_w"}
	others := []string{"name", "vendor", "memory_type", "architecture", "bf16"}
	for _, n := range []int{0, 1, 63, 64, 700, 4000} {
		s := catalog.NewSnapshot(1, sample.Dataset("d", n))
		for range 60 {
			var params, sortKeys []string
			ranges := map[*catalog.Quantity][2]float64{}
			for _, id := range numbers[:r.IntN(3)] {
				lo := float64(r.IntN(500))
				hi := lo + float64(r.IntN(3000))
				ranges[quantity(t, id)] = [2]float64{lo, hi}
				params = append(params, fmt.Sprintf("%s=%v..%v", id, lo, hi))
			}
			vendor := ""
			if n > 60 && r.IntN(3) == 0 {
				vendor = "Contoso"
				params = append(params, "vendor=Contoso")
			}
			var keys []catalog.SortKey
			all := append(slices.Clone(numbers), others...)
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			for _, id := range all[:1+r.IntN(3)] {
				k := catalog.SortKey{Quantity: quantity(t, id), Descending: r.IntN(2) == 0}
				keys, sortKeys = append(keys, k), append(sortKeys, k.String())
			}
			q := mustParse(t, s, strings.Join(append(params, "sort="+strings.Join(sortKeys, ",")), "&"))
			want := naiveSelect(s, ranges, vendor, keys)
			limit := 1 + r.IntN(80)
			got := s.Select(&q, limit)
			if got.Total != len(want) || !slices.Equal(got.Rows, want[:min(limit, len(want))]) {
				t.Fatalf("%d cards, %s, limit %d: got %d of %d, want %d; rows %v, want %v", n, q.Encode(), limit,
					len(got.Rows), got.Total, len(want), got.Rows, want[:min(limit, len(want))])
			}
		}
	}
}
