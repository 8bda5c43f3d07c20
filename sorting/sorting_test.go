package sorting_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tianti/sorting"
)

// row is as large as the structs of lists here are.
type row struct {
	name  string
	value float64
	_     [13]int64 // as much as other fields take
	place int
}

func byName(a, b row) int { return cmp.Compare(a.name, b.name) }

func byValue(a, b row) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.name, b.name)) }

// rows are n of them, of which many are equal.
func rows(n int, r *rand.Rand) []row {
	out := make([]row, n)
	for i := range out {
		out[i] = row{name: fmt.Sprintf("card %d", r.IntN(n/2+1)), value: float64(r.IntN(n/3 + 1)), place: i}
	}
	return out
}

func TestTheOrderIsThatOfAStableSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		for what, s := range map[string][]row{
			"in any order": rows(n, r),
			"sorted":       slices.SortedStableFunc(slices.Values(rows(n, r)), byName),
			"the other way round": slices.SortedStableFunc(slices.Values(rows(n, r)),
				func(a, b row) int { return byName(b, a) }),
			"all equal": make([]row, n),
		} {
			want := slices.Clone(s)
			slices.SortStableFunc(want, byName)
			sorting.Func(s, byName)
			if !slices.Equal(s, want) {
				t.Fatalf("%d rows, %s: got %v, want %v", n, what, s, want)
			}
		}
	}
}

func TestFewComparisons(t *testing.T) {
	const n = 10_000
	s := rows(n, rand.New(rand.NewPCG(1, 2)))
	calls := 0
	counted := func(a, b row) int { calls++; return byName(a, b) }
	sorting.Func(s, counted)
	if calls > 14*n { // the binary logarithm of 10,000 is 13.3
		t.Errorf("%d comparisons of %d rows, want 14 of each at most", calls, n)
	}
	calls = 0
	sorting.Func(s, counted)
	if calls > n {
		t.Errorf("%d comparisons of %d sorted rows, want one of each at most", calls, n)
	}
}

func TestFewRowsTakeNoMemory(t *testing.T) {
	s := rows(32, rand.New(rand.NewPCG(1, 2)))
	if n := testing.AllocsPerRun(10, func() { slices.Reverse(s); sorting.Func(s, byName) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// BenchmarkFunc measures the sorts of slices beside ours, each of the same rows in the same orders.
func BenchmarkFunc(b *testing.B) {
	sorts := []struct {
		name string
		sort func([]row, func(a, b row) int)
	}{{"slices.SortFunc", slices.SortFunc[[]row]}, {"slices.SortStableFunc", slices.SortStableFunc[[]row]},
		{"sorting.Func", sorting.Func[row]}}
	for _, n := range []int{12, 400, 10_000} {
		for _, by := range []struct {
			name    string
			compare func(a, b row) int
		}{{"name", byName}, {"value", byValue}} {
			in := rows(n, rand.New(rand.NewPCG(1, 2)))
			s := make([]row, n)
			for _, x := range sorts {
				b.Run(fmt.Sprintf("%d/%s/%s", n, by.name, x.name), func(b *testing.B) {
					for b.Loop() {
						copy(s, in)
						x.sort(s, by.compare)
					}
				})
			}
		}
	}
}
