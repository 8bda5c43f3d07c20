package catalog

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// setOf is a bitset, with its members as a sorted list.
func setOf(r *rand.Rand, n int, density float64) (bitset, []int) {
	b := newBitset(n)
	var members []int
	for i := range n {
		if r.Float64() < density {
			b.set(i)
			members = append(members, i)
		}
	}
	return b, members
}

func membersOf(b bitset) []int {
	var out []int
	b.each(func(i int) { out = append(out, i) })
	return out
}

func TestBitsetsAreSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(what string, n int, got, want any) {
		t.Helper()
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s of %d: -want +got:\n%s", what, n, diff)
		}
	}
	filter := func(n int, keep func(int) bool) []int {
		var out []int
		for i := range n {
			if keep(i) {
				out = append(out, i)
			}
		}
		return out
	}
	for _, n := range []int{0, 1, 63, 64, 65, 128, 200} {
		check("full", n, membersOf(fullBitset(n)), filter(n, func(int) bool { return true }))
		for range 40 {
			a, in := setOf(r, n, r.Float64()*r.Float64())
			b, other := setOf(r, n, r.Float64())
			check("members", n, membersOf(a), in)
			check("count", n, a.count(), len(in))
			check("empty", n, a.empty(), len(in) == 0)
			least := -1
			if len(in) > 0 {
				least = in[0]
			}
			check("least", n, a.member(), least)
			has := func(list []int, i int) bool { return slices.Contains(list, i) }
			check("has", n, filter(n, a.has), in)
			check("countAnd", n, a.countAnd(b), len(filter(n, func(i int) bool { return has(in, i) && has(other, i) })))
			for what, op := range map[string]struct {
				do   func(x bitset)
				keep func(i int) bool
			}{
				"and":    {func(x bitset) { x.and(b) }, func(i int) bool { return has(in, i) && has(other, i) }},
				"or":     {func(x bitset) { x.or(b) }, func(i int) bool { return has(in, i) || has(other, i) }},
				"andNot": {func(x bitset) { x.andNot(b) }, func(i int) bool { return has(in, i) && !has(other, i) }},
				"invert": {func(x bitset) { x.invert(b) }, func(i int) bool { return !has(in, i) && has(other, i) }},
			} {
				x := slices.Clone(a)
				op.do(x)
				check(what, n, membersOf(x), filter(n, op.keep))
			}
			for range 8 {
				from, k := r.IntN(n+1)-1, r.IntN(6)
				after := filter(n, func(i int) bool { return has(in, i) && i > from })
				check(fmt.Sprintf("next %d after %d", k, from), n, a.next(from, k), after[:min(k, len(after))])
				before := filter(n, func(i int) bool { return has(in, i) && (from < 0 || i < from) })
				slices.Reverse(before)
				check(
					fmt.Sprintf("previous %d before %d", k, from),
					n,
					a.previous(from, k),
					before[:min(k, len(before))],
				)
			}
		}
	}
}

// drawColumn draws numbers with ties, negative ones, both zeros and missing ones.
func drawColumn(r *rand.Rand, n, distinct int) []float64 {
	col := make([]float64, n)
	for i := range col {
		switch r.IntN(8) {
		case 0:
			col[i] = missing
		case 1:
			col[i] = []float64{0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64}[r.IntN(4)]
		default:
			col[i] = math.Exp(float64(r.IntN(distinct))/3) * float64(1-2*r.IntN(2))
		}
	}
	return col
}

func TestAnOrderIsTheRowsSortedByValueThenRow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 5, 64, 65, 300, 2047, 2048, 2049, 2400, 5000} {
		for _, distinct := range []int{1, 4, 200} {
			col := drawColumn(r, n, distinct)
			var want []int32
			for i, v := range col {
				if !math.IsNaN(v) {
					want = append(want, int32(i))
				}
			}
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(col[a], col[b]) })
			o := newOrder(col)
			if !slices.Equal(o.rows, want) {
				t.Fatalf("%d numbers, %d of them distinct: not in order", n, distinct)
			}
			for i, row := range o.rows {
				if o.values[i] != col[row] {
					t.Fatalf("place %d has %v, want %v", i, o.values[i], col[row])
				}
			}
		}
	}
}

func TestRangesOfAnOrderAreTheirRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 64, 65, 300, 5000} {
		o := newOrder(drawColumn(r, n, 50))
		places := len(o.rows)
		for _, step := range []int{o.step, 7, 64} { // any distance of marks is right
			o := remarked(o, step, n)
			for range 400 {
				hi := r.IntN(places + 1)
				lo := r.IntN(hi + 1)
				if r.IntN(4) == 0 { // about a mark
					hi = min(places, max(0, (hi/step)*step+r.IntN(3)-1))
					lo = min(lo, hi)
				}
				want := newBitset(n)
				for _, row := range o.rows[lo:hi] {
					want.set(int(row))
				}
				got := fullBitset(n) // what was there before does not matter
				o.slice(lo, hi, got)
				if !slices.Equal(got, want) {
					t.Fatalf(
						"%d rows, marks each %d: places %d to %d: got %v, want %v",
						places,
						step,
						lo,
						hi,
						membersOf(got),
						membersOf(want),
					)
				}
			}
		}
	}
}

// remarked is an order with its marks at another distance.
func remarked(o order, step, n int) *order {
	o.step, o.marks = step, nil
	set := newBitset(n)
	for i, row := range o.rows {
		if i%step == 0 {
			o.marks = append(o.marks, slices.Clone(set))
		}
		set.set(int(row))
	}
	o.marks = append(o.marks, set)
	return &o
}

func TestMarksStandAtEveryStepAndAtTheEnd(t *testing.T) {
	for n, step := range map[int]int{0: 64, 1: 64, 64: 64, 2048: 64, 2049: 65, 6400: 200} {
		o := newOrder(make([]float64, n))
		if want := (n+step-1)/step + 1; o.step != step || len(o.marks) != want {
			t.Errorf("%d rows: %d marks, one each %d rows; want %d, one each %d", n, len(o.marks), o.step, want, step)
		}
		for i, mark := range o.marks {
			if want := min(n, i*step); mark.count() != want {
				t.Errorf("%d rows: mark %d has %d rows before it, want %d", n, i, mark.count(), want)
			}
		}
	}
}

func TestTheNearestMarkIsHalfAStepAwayAtMost(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 70, 100, 2048, 2049, 6399, 6400} {
		o := newOrder(make([]float64, n))
		for place := range n + 1 {
			mark, at := o.nearest(place)
			if away := max(at-place, place-at); away > o.step/2 {
				t.Fatalf("%d rows, marks each %d: the mark for place %d stands at %d", n, o.step, place, at)
			}
			if mark.count() != at {
				t.Fatalf("%d rows: the mark at %d has %d rows before it", n, at, mark.count())
			}
		}
	}
}

func TestTiesAreTheRunsOfEqualValues(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		o := newOrder(drawColumn(r, 1+r.IntN(120), 1+r.IntN(6)))
		var runs [][2]int
		for lo := 0; lo < len(o.values); {
			hi := lo + 1
			for hi < len(o.values) && o.values[hi] == o.values[lo] {
				hi++
			}
			runs = append(runs, [2]int{lo, hi})
			lo = hi
		}
		for _, descending := range []bool{false, true} {
			want := slices.Clone(runs)
			if descending {
				slices.Reverse(want)
			}
			for from := range len(want) + 1 {
				skip := 0
				for _, run := range want[:from] {
					skip += run[1] - run[0]
				}
				var got [][2]int
				for lo, hi := range o.ties(descending, skip) {
					got = append(got, [2]int{lo, hi})
				}
				if diff := gocmp.Diff(want[from:], got, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%v, descending %v, without %d: -want +got:\n%s", o.values, descending, skip, diff)
				}
				if from < len(want) { // all before the first of the rest
					if v := o.values[want[from][0]]; o.before(v, descending) != skip {
						t.Fatalf(
							"%v, descending %v: %d rows before %v, want %d",
							o.values,
							descending,
							o.before(v, descending),
							v,
							skip,
						)
					}
				}
			}
			if got := o.before(missing, descending); got != len(o.rows) {
				t.Fatalf("%d rows before what is missing, want all %d", got, len(o.rows))
			}
		}
	}
}

func TestPickingIsChosenWhereAWalkWouldPassManyRows(t *testing.T) {
	for _, c := range []struct {
		cards, k, count int
		want            bool
	}{{1000, 4, 31, true}, {1000, 4, 32, false}, {1024, 4, 32, true}, {1023, 4, 32, false}, {100, 50, 100, false},
		{100, 1, 100, false}, {100, 10, 1, true}, {3, 1, 1, false}, {4, 1, 1, true}} {
		if got := pickingIsCheaper(c.cards, c.k, c.count); got != c.want {
			t.Errorf("the first %d of %d in %d cards: got %v, want %v", c.k, c.count, c.cards, got, c.want)
		}
	}
}

// tied is a catalogue of cards whose power is one of the given values, so often.
func tied(t *testing.T, counts map[float64]int) *Snapshot {
	t.Helper()
	d := Dataset{ID: "d", Sources: []Source{{ID: "s", Kind: "datasheet"}}}
	for v, n := range counts {
		for range n {
			id := fmt.Sprintf("c%04d", len(d.Cards))
			c := Card{ID: id, Name: id, Vendor: "V", Kind: "gpu", Segment: "desktop"}
			if v > 0 {
				c.Facts = []Fact{{Quantity: "tdp_w", Number: v, Source: "s"}}
			}
			d.Cards = append(d.Cards, c)
		}
	}
	return NewSnapshot(1, d)
}

func TestGroupsAreListsWhileTheyAreFew(t *testing.T) {
	counts := map[float64]int{1: fewRows - 1, 2: fewRows, 3: fewRows + 1, 4: 1, 0: 30} // 0: not known
	s := tied(t, counts)
	tdp := registryByID["tdp_w"]
	for _, descending := range []bool{false, true} {
		var order []float64
		for g := range s.groups(fullBitset(s.Len()), SortKey{tdp, descending}, -1) {
			v, known := s.Number(tdp, g.member)
			order = append(order, v)
			if listed := len(g.rows) > 0; listed != (known && counts[v] <= fewRows) || listed == (g.set != nil) {
				t.Errorf("%d cards of %v are in a list: %v", counts[v], v, listed)
			}
			if n := len(g.rows) + g.set.count(); known && n != counts[v] || !known && n != counts[0] {
				t.Errorf("the group of %v has %d cards", v, n)
			}
		}
		want := []float64{1, 2, 3, 4}
		if descending {
			slices.Reverse(want)
		}
		if len(order) != 5 || !slices.Equal(order[:4], want) {
			t.Errorf("descending %v: got groups of %v", descending, order)
		}
	}
}

func TestTheFirstRowsAreNoMoreThanWereAskedFor(t *testing.T) {
	s := tied(t, map[float64]int{1: 300, 2: 5, 3: 5, 4: 300, 0: 30})
	keys := []SortKey{{registryByID["tdp_w"], false}, {registryByID["name"], true}}
	all := fullBitset(s.Len())
	compare := s.comparer(keys)
	rows := make([]int, s.Len())
	for i := range rows {
		rows[i] = i
	}
	slices.SortFunc(rows, compare)
	for _, set := range []bitset{all, func() bitset {
		b := newBitset(s.Len())
		b.set(3)
		b.set(500)
		b.set(639)
		return b
	}()} {
		var want []int
		for _, row := range rows {
			if set.has(row) {
				want = append(want, row)
			}
		}
		for _, k := range []int{1, 2, 299, 300, 301, 303, 306, 400, 640, 1000} {
			if got := s.first(set, set.count(), keys, -1, k); !slices.Equal(got, want[:min(k, len(want))]) {
				t.Errorf(
					"the first %d of %d: got %d rows, want %d, in the same order",
					k,
					len(want),
					len(got),
					min(k, len(want)),
				)
			}
			if got := s.pick(set, compare, -1, k); !slices.Equal(got, want[:min(k, len(want))]) {
				t.Errorf("the first %d of %d, picked: got %d rows", k, len(want), len(got))
			}
		}
	}
}

// typingErrorsByDefinition is the least number of letters to insert, delete, replace or
// swap, by trying everything.
func typingErrorsByDefinition(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	replaced := typingErrorsByDefinition(a[1:], b[1:])
	if a[0] != b[0] {
		replaced++
	}
	least := min(replaced, 1+typingErrorsByDefinition(a[1:], b), 1+typingErrorsByDefinition(a, b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, 1+typingErrorsByDefinition(a[2:], b[2:]))
	}
	return least
}

func TestTypingErrorsAreTheFewestThatLeadThere(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	word := func() string {
		b := make([]byte, r.IntN(6))
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return string(b)
	}
	for range 3000 {
		a, b, limit := word(), word(), r.IntN(5)
		want := typingErrorsByDefinition(a, b)
		got, ok := typingErrors([]rune(a), []rune(b), limit)
		if ok != (want <= limit) || ok && got != want {
			t.Fatalf("%q to %q, at most %d: got %d, %v, want %d", a, b, limit, got, ok, want)
		}
	}
}

func TestNamesWithEveryWordRankByTheWordsBeyondThem(t *testing.T) {
	among := []string{
		"fp16_tflxxx",
		"fp16_matrix_dense_sparse_tflops",
		"fp16_matrix_dense_tflops",
		"fp16_vector_tflops",
		"bf16_tflops_per_w",
		"tflops_fp16_xxxxxxxxx",
	}
	want := []string{
		"fp16_vector_tflops",
		"tflops_fp16_xxxxxxxxx",
		"fp16_tflxxx",
		"fp16_matrix_dense_tflops",
		"fp16_matrix_dense_sparse_tflops",
	}
	if diff := gocmp.Diff(want, Nearest("fp16_tflops", among, 5)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, n := range []int{longestName, longestName + 1} {
		name := strings.Repeat("x", n)
		if got := Nearest(name, []string{name}, 1); (len(got) > 0) != (n <= longestName) {
			t.Errorf("a name of %d letters: got %v", n, got)
		}
	}
}

func TestTokensAreRunsOfLettersAndOfDigits(t *testing.T) {
	for s, want := range map[string][]string{
		"RTX4090D": {"rtx", "4090", "d"}, " GeForce  RTX-4090 ": {"geforce", "rtx", "4090"},
		"昇腾910b": {"昇腾", "910", "b"}, "": nil, "-_+": nil, "1 2": {"1", "2"}, "a-b": {"a", "b"},
	} {
		if got := tokens(s); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestSimilarityCountsSharedTokensDigitsFourTimes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"rtx 4090", "nvidia geforce rtx 4090", 4 + 16 - 2}, {"rtx 4090", "rtx 4090", 20},
		{"rtx 4090 laptop", "rtx 4090", 20},
		{"rtx", "rtx 4090", 4 - 1}, {"h100", "a b c d e", 0}, {"", "a", 0},
	} {
		if got := similarity(tokens(c.a), tokens(c.b)); got != c.want {
			t.Errorf("%q and %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSharingLooksAtPartsWithDigitsFirst(t *testing.T) {
	d := Dataset{ID: "d", Sources: []Source{{ID: "s", Kind: "datasheet"}}}
	names := []string{"Alpha 10", "Alpha 20", "Beta 10", "Beta 20", "Gamma 30"}
	for _, name := range names {
		id := strings.ToLower(strings.ReplaceAll(name, " ", "-"))
		d.Cards = append(d.Cards, Card{ID: id, Name: name, Vendor: "V", Kind: "gpu", Segment: "desktop"})
	}
	s := NewSnapshot(1, d)
	for _, c := range []struct {
		parts []string
		want  []string
	}{
		{[]string{"alpha", "20"}, []string{"Alpha 20", "Beta 20", "Alpha 10"}},
		{[]string{"beta", "alpha"}, []string{"Beta 10", "Beta 20", "Alpha 10", "Alpha 20"}},
		{[]string{"x", "30", "10", "gamma"}, []string{"Gamma 30", "Alpha 10", "Beta 10"}}, {nil, nil},
		// no more than eight parts
		{[]string{"q1", "q2", "q3", "q4", "q5", "q6", "q7", "gamma", "beta"}, []string{"Gamma 30"}},
	} {
		for most := range 6 {
			var got []string
			for _, row := range s.sharing(c.parts, most) {
				got = append(got, s.Card(row).Name)
			}
			if diff := gocmp.Diff(c.want[:min(most, len(c.want))], got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("at most %d with one of %q: -want +got:\n%s", most, c.parts, diff)
			}
		}
	}
}
