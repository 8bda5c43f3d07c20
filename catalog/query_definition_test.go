package catalog_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/catalog"
)

// drawCards is a catalogue whose figures take few values, with ties, negative numbers,
// dates of every precision, and much that is not known.
func drawCards(r *rand.Rand, n int) *catalog.Snapshot {
	d := catalog.Dataset{ID: "d", Sources: []catalog.Source{{ID: "s", Kind: "datasheet"}}}
	for i := range n {
		id := fmt.Sprintf("card-%03d", r.IntN(1000)*1000+i)
		c := catalog.Card{
			ID:           id,
			Name:         fmt.Sprintf("%s %d", pickOf(r, "Alpha", "Beta", "Gamma"), r.IntN(max(1, n))),
			Vendor:       pickOf(r, "Acme", "Bolt", "Crane"),
			Kind:         "gpu",
			Segment:      pickOf(r, "desktop", "laptop"),
			Architecture: pickOf(r, "", "First", "Second"),
		}
		if r.IntN(5) == 0 {
			c.Aliases = []string{"Alias-" + strconv.Itoa(r.IntN(20))}
		}
		for q, values := range numbersDrawn {
			if r.IntN(5) > 0 {
				c.Facts = append(c.Facts, num(q, pickOf(r, values...)))
			}
		}
		if r.IntN(4) > 0 {
			c.Facts = append(c.Facts, txt("memory_type", pickOf(r, "GDDR6", "HBM3", "LPDDR5")))
		}
		if r.IntN(4) > 0 {
			c.Facts = append(c.Facts, txt("launched", pickOf(r, datesDrawn...)))
		}
		if r.IntN(3) > 0 {
			c.Facts = append(c.Facts, txt("bf16", pickOf(r, "true", "false")))
		}
		d.Cards = append(d.Cards, c)
	}
	return catalog.NewSnapshot(1, d)
}

func pickOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

var numbersDrawn = map[string][]float64{
	"memory_gb": {
		8,
		16,
		24,
		80,
	}, "tdp_w": {-5, 0, 75, 300.5}, "bf16_matrix_dense_tflops": {10, 20, 30, 1e-3}, "die_mm2": {100},
}

var datesDrawn = []string{"2020", "2020-05", "2020-05-17", "2021-12-31", "2022", "2022-01-01", "2022-06"}

// A drawnTerm is a part of a filter, as it is written and as what it says of a value.
type drawnTerm struct {
	text  string
	not   bool
	holds func(number float64, text string, known bool) bool
}

func drawTerm(r *rand.Rand, q *catalog.Quantity) drawnTerm {
	t := drawnTerm{not: r.IntN(4) == 0}
	switch r.IntN(8) {
	case 0:
		t.text, t.holds = "any", func(_ float64, _ string, known bool) bool { return known }
		return t
	case 1:
		t.text, t.holds = "none", func(_ float64, _ string, known bool) bool { return !known }
		return t
	}
	if !q.Numeric() {
		want := map[string][]string{"vendor": {"Acme", "Bolt", "Crane"}, "memory_type": {"GDDR6", "HBM3", "LPDDR5"},
			"segment": {"desktop", "laptop"}, "bf16": {"true", "false"}}[q.ID]
		v := pickOf(r, want...)
		t.text = pickOf(r, v, strings.ToLower(v), strings.ToUpper(v))
		t.holds = func(_ float64, text string, known bool) bool { return known && text == v }
		return t
	}
	bound := func() (text string, first, last float64) {
		if q.Kind == catalog.Day {
			return dayBounds(pickOf(r, datesDrawn...))
		}
		v := pickOf(r, numbersDrawn[q.ID]...) + pickOf(r, 0.0, 0, 0.25)
		return strconv.FormatFloat(v, 'f', -1, 64), v, v
	}
	text, first, last := bound()
	least, most := math.Inf(-1), math.Inf(1)
	except := math.NaN() // an end that is left out
	switch r.IntN(8) {
	case 0:
		t.text, least, most = text, first, last
	case 1:
		t.text, least = ">="+text, first
	case 2:
		t.text, least, except = "> "+text, last, last
	case 3:
		t.text, most = "<="+text, last
	case 4:
		t.text, most, except = "<"+text, first, first
	case 5:
		t.text, least = text+"..", first
	case 6:
		t.text, most = ".. "+text, last
	default:
		text2, first2, last2 := bound()
		if first2 < first {
			text, text2, first, last2 = text2, text, first2, last
		}
		t.text, least, most = text+" .. "+text2, first, last2
	}
	t.holds = func(number float64, _ string, known bool) bool {
		return known && number >= least && number <= most && number != except
	}
	return t
}

// dayBounds are the first and the last day of a date, as numbers YYYYMMDD.
func dayBounds(date string) (text string, first, last float64) {
	day := func(end string) float64 {
		v, _ := strconv.ParseFloat(strings.ReplaceAll(date+end, "-", ""), 64)
		return v
	}
	switch len(date) {
	case 4:
		return date, day("-01-01"), day("-12-31")
	case 7:
		return date, day("-01"), day("-31")
	}
	return date, day(""), day("")
}

// A drawnQuery is a question as an address and as what it means.
type drawnQuery struct {
	params  []string
	filters map[string][]drawnTerm
	words   []string
	keep    *catalog.Keep
	keys    []catalog.SortKey
	limit   int
}

func drawQuery(t *testing.T, r *rand.Rand, s *catalog.Snapshot) drawnQuery {
	q := drawnQuery{filters: map[string][]drawnTerm{}, limit: 1 + r.IntN(12)}
	for _, id := range []string{"memory_gb", "tdp_w", "launched", "vendor", "memory_type", "bf16",
		"segment", "die_mm2"} {
		if r.IntN(4) > 0 {
			continue
		}
		valid := s.Values(quantity(t, id))
		var texts []string
		for range 1 + r.IntN(3) {
			term := drawTerm(r, quantity(t, id))
			known := term.text == "any" || term.text == "none" || quantity(t, id).Numeric() ||
				slices.ContainsFunc(valid, func(v string) bool { return strings.EqualFold(v, term.text) })
			if !known {
				continue // no card has the value, so it is refused
			}
			repeated := slices.ContainsFunc(
				q.filters[id],
				func(o drawnTerm) bool { return strings.EqualFold(o.text, term.text) && o.not == term.not },
			)
			if !repeated {
				q.filters[id] = append(q.filters[id], term)
			}
			if term.not {
				term.text = "!" + term.text
			}
			texts = append(texts, term.text)
		}
		if len(texts) > 0 {
			q.params = append(q.params, id+"="+url.QueryEscape(strings.Join(texts, ",")))
		}
	}
	if r.IntN(4) == 0 {
		q.words = [][]string{{"alpha"}, {"acme", "1"}, {"alias1"}, {"ALIAS-1"}, {"second", "beta"}, {"nothing"},
			{"card"}, {"a", "2"}}[r.IntN(8)]
		q.params = append(q.params, "q="+url.QueryEscape(strings.Join(q.words, "  ")))
	}
	if r.IntN(5) == 0 {
		q.keep = &catalog.Keep{Rows: make([]bool, s.Len())}
		for i := range q.keep.Rows {
			q.keep.Rows[i] = r.IntN(2) == 0
		}
	}
	all := []string{
		"name",
		"memory_gb",
		"tdp_w",
		"launched",
		"memory_type",
		"vendor",
		"bf16_matrix_dense_tflops",
		"fp64_vector_tflops",
		"die_mm2",
		"bf16",
		"form_factor",
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var keys []string
	for _, id := range all[:r.IntN(4)] {
		if quantity(t, id).Group == "compute" &&
			slices.ContainsFunc(q.keys, func(k catalog.SortKey) bool { return k.Quantity.Group == "compute" }) {
			continue // rates of two bases are refused
		}
		k := catalog.SortKey{Quantity: quantity(t, id), Descending: r.IntN(2) == 0}
		q.keys, keys = append(q.keys, k), append(keys, k.String())
	}
	if len(keys) > 0 {
		q.params = append(q.params, "sort="+strings.Join(keys, ","))
	} else if len(q.words) > 0 { // the order of a search has its own tests
		q.params = append(q.params, "sort=name")
		q.keys = []catalog.SortKey{{Quantity: quantity(t, "name")}}
	} else {
		q.keys = []catalog.SortKey{{Quantity: quantity(t, catalog.DefaultBasis), Descending: true}}
	}
	return q
}

func (q drawnQuery) matches(t *testing.T, s *catalog.Snapshot, row int, except string) bool {
	if q.keep != nil && !q.keep.Rows[row] {
		return false
	}
	// What a search finds has its own tests.
	if len(q.words) > 0 && !s.Search(strings.Join(q.words, " "))(row) {
		return false
	}
	for id, terms := range q.filters {
		if id == except {
			continue
		}
		number, known := s.Number(quantity(t, id), row)
		text := ""
		if !quantity(t, id).Numeric() {
			text, known = s.Text(quantity(t, id), row)
		}
		positive, passes := false, false
		for _, term := range terms {
			holds := term.holds(number, text, known)
			if term.not && holds {
				return false
			}
			if !term.not {
				positive, passes = true, passes || holds
			}
		}
		if positive && !passes || !positive && !known {
			return false
		}
	}
	return true
}

// order compares two cards: by the keys, those without a value last, then by name and id.
// A key of the name is by name and id already, so that no key after it counts.
func (q drawnQuery) order(s *catalog.Snapshot, a, b int) int {
	x, y := s.Card(a), s.Card(b)
	byName := cmp.Or(strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)), strings.Compare(x.ID, y.ID))
	for _, k := range q.keys {
		var r int
		known := [2]bool{true, true}
		switch numberA, okA := s.Number(k.Quantity, a); {
		case k.Quantity.Kind == catalog.Name:
			r = byName
		case k.Quantity.Numeric():
			numberB, okB := s.Number(k.Quantity, b)
			r, known = cmp.Compare(numberA, numberB), [2]bool{okA, okB}
		default:
			textA, okA := s.Text(k.Quantity, a)
			textB, okB := s.Text(k.Quantity, b)
			r, known = strings.Compare(strings.ToLower(textA), strings.ToLower(textB)), [2]bool{okA, okB}
		}
		if k.Descending {
			r = -r
		}
		if r = absentLast(known[0], known[1], r); r != 0 {
			return r
		}
	}
	return byName
}

func TestAnswersAreTheMatchingCardsInOrderPageByPage(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var s *catalog.Snapshot
	for round := range 1200 {
		if round%8 == 0 {
			s = drawCards(r, pickOf(r, 0, 1, 2, 5, 63, 64, 65, 130, 300))
		}
		q := drawQuery(t, r, s)
		parsed := mustParse(t, s, strings.Join(q.params, "&"))
		parsed.Keep = q.keep
		var want []int
		for row := range s.Len() {
			if q.matches(t, s, row, "") {
				want = append(want, row)
			}
		}
		compare := func(a, b int) int { return q.order(s, a, b) }
		slices.SortFunc(want, compare)
		if s.Len() > 0 && r.IntN(2) == 0 {
			cursor := r.IntN(s.Len())
			if r.IntN(4) == 0 {
				cursor = 0
			}
			parsed.Cursor = s.Card(cursor).ID
			total := len(want)
			after := slices.DeleteFunc(slices.Clone(want), func(row int) bool { return compare(row, cursor) <= 0 })
			checkPage(
				t,
				s,
				s.Select(&parsed, q.limit),
				catalog.Result{Total: total, Rows: after[:min(q.limit, len(after))]},
				len(after) > q.limit,
			)
		} else {
			page := r.IntN(5) // 0 is the first
			parsed.Page = page
			before := min(max(0, page-1)*q.limit, len(want))
			rest := want[before:]
			if r.IntN(2) == 0 {
				parsed.Limit = q.limit
			}
			checkPage(t, s, s.Select(&parsed, q.limit), catalog.Result{Total: len(want), Before: before,
				Rows: rest[:min(q.limit, len(rest))]}, len(rest) > q.limit)
		}
		checkFacets(t, s, q, &parsed)
		again := mustParse(t, s, parsed.Encode())
		if again.Encode() != parsed.Encode() {
			t.Errorf("%q reads as %q", parsed.Encode(), again.Encode())
		}
		if t.Failed() {
			t.Fatalf(
				"round %d: %d cards, %q, %q, cursor %q, page %d, limit %d",
				round,
				s.Len(),
				q.params,
				parsed.Encode(),
				parsed.Cursor,
				parsed.Page,
				q.limit,
			)
		}
	}
}

func checkPage(t *testing.T, s *catalog.Snapshot, got, want catalog.Result, more bool) {
	t.Helper()
	if more {
		want.Next = s.Card(want.Rows[len(want.Rows)-1]).ID
	}
	if diff := gocmp.Diff(want, got, cmpopts.IgnoreUnexported(catalog.Result{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// checkFacets counts the values of categories among the cards that pass all else.
func checkFacets(t *testing.T, s *catalog.Snapshot, q drawnQuery, parsed *catalog.Query) {
	t.Helper()
	result := s.Select(parsed, 1)
	for _, id := range []string{"vendor", "memory_type", "bf16", "form_factor"} {
		var want []catalog.Count
		for _, value := range s.Values(quantity(t, id)) {
			c := catalog.Count{Value: value}
			for row := range s.Len() {
				if text, _ := s.Text(quantity(t, id), row); text == value && q.matches(t, s, row, id) {
					c.Cards++
				}
			}
			for _, term := range q.filters[id] {
				if strings.EqualFold(term.text, value) {
					c.Selected = !term.not
				}
			}
			want = append(want, c)
		}
		slices.SortStableFunc(want, func(a, b catalog.Count) int { return cmp.Compare(b.Cards, a.Cards) })
		if diff := gocmp.Diff(want, s.Facet(result, quantity(t, id)), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("facet %s: -want +got:\n%s", id, diff)
		}
	}
}

func TestExtentsAndCoverageAreThoseOfAllCards(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, n := range []int{0, 1, 3, 65, 300} {
		s := drawCards(r, n)
		for _, q := range catalog.Quantities() {
			lo, hi, known := math.Inf(1), math.Inf(-1), 0
			for row := range s.Len() {
				v, ok := s.Number(q, row)
				if !q.Numeric() {
					_, ok = s.Text(q, row)
				}
				if ok {
					lo, hi, known = min(lo, v), max(hi, v), known+1
				}
			}
			if got := s.Coverage(q); got != known {
				t.Errorf("%s of %d cards: coverage %d, want %d", q.ID, n, got, known)
			}
			gotLo, gotHi, ok := s.Extent(q)
			if want := q.Numeric() && known > 0; ok != want || want && (gotLo != lo || gotHi != hi) {
				t.Errorf(
					"%s of %d cards: from %v to %v, %v; want %v to %v, %v",
					q.ID,
					n,
					gotLo,
					gotHi,
					ok,
					lo,
					hi,
					want,
				)
			}
		}
	}
}
