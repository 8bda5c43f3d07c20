package catalog_test

import (
	"slices"
	"testing"

	"tianti/catalog"
)

// lineOf is the line of a quantity.
func lineOf(t *testing.T, s *catalog.Snapshot, id string) catalog.CompareLine {
	t.Helper()
	rows := make([]int, s.Len())
	for i := range rows {
		rows[i] = i
	}
	lines := s.Compare(rows, 0)
	i := slices.IndexFunc(lines, func(l catalog.CompareLine) bool { return l.Quantity.ID == id })
	if i < 0 {
		t.Fatalf("no line %s", id)
	}
	return lines[i]
}

func hasBest(l catalog.CompareLine) bool {
	return slices.ContainsFunc(l.Cells, func(c catalog.CompareCell) bool { return c.Best })
}

func TestALineHasNoBestWhereACardStatesTheRateOnOtherBasesOnly(t *testing.T) {
	a, b := card("a", num("bf16_matrix_dense_tflops", 1000), num("fp8_matrix_dense_tflops", 2000)),
		card("b", num("bf16_matrix_dense_tflops", 300))
	for name, c := range map[string]struct {
		third catalog.Card
		apart []int
		best  bool
	}{
		"states nothing": {card("c", num("memory_gb", 1)), nil, true},
		"the same basis": {card("c", num("bf16_matrix_dense_tflops", 1), num("fp16_vector_tflops", 5)), nil,
			true},
		"vector only":             {card("c", num("bf16_vector_tflops", 100)), []int{2}, false},
		"FP16 accumulate only":    {card("c", num("fp16_acc16_matrix_dense_tflops", 100)), []int{2}, false},
		"sparse only":             {card("c", num("bf16_matrix_sparse_tflops", 100)), []int{2}, false},
		"a rate of another class": {card("c", num("int8_matrix_dense_tops", 100)), nil, true},
	} {
		l := lineOf(t, shelf([]catalog.Card{a, b, c.third}), "bf16_matrix_dense_tflops")
		if !slices.Equal(l.Apart, c.apart) || hasBest(l) != c.best {
			t.Errorf("%s: got apart %v, best %v; want %v, %v", name, l.Apart, hasBest(l), c.apart, c.best)
		}
	}
	if l := lineOf(t, shelf([]catalog.Card{a, b}), "fp8_matrix_dense_tflops"); l.Apart != nil {
		t.Errorf("a rate that one card alone states: got apart %v, want none", l.Apart)
	}
}

func TestAPriceThatIsTooOldIsNeverTheBest(t *testing.T) {
	cards := []catalog.Card{card("a", num("memory_gb", 80)), card("b", num("memory_gb", 80)),
		card("c", num("memory_gb", 80))}
	s := shelf(cards, forCard("a", price(catalog.StreetPrice, 10, "USD", "2025-01-01")),
		forCard("b", price(catalog.StreetPrice, 30, "USD", "2026-06-01")),
		forCard("c", price(catalog.StreetPrice, 20, "USD", "2026-06-01")))
	p := inJune
	p.Buy = catalog.StreetPrice
	for _, id := range []string{"buy_price", "price_per_gb"} {
		l := lineOf(t, s.Priced(p), id)
		var best, stale []bool
		for _, c := range l.Cells {
			best, stale = append(best, c.Best), append(stale, c.Stale)
		}
		if !slices.Equal(best, []bool{false, false, true}) || !slices.Equal(stale, []bool{true, false, false}) {
			t.Errorf("%s: best %v, stale %v", id, best, stale)
		}
	}
	p.Today = "2027-01-01"
	if l := lineOf(t, s.Priced(p), "buy_price"); hasBest(l) {
		t.Error("a line of old prices has a best")
	}
}
