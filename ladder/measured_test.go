package ladder

import (
	"math"
	"testing"

	"tianti/catalog"
)

// measuredCards are four cards of one architecture, of which three are measured, one of
// another, one that is not sold, and a laptop card.
func measuredCards() *catalog.Snapshot {
	d := catalog.Dataset{ID: "builtin", Sources: []catalog.Source{{ID: "s", Publisher: "P", Title: "T",
		Kind: "measured"}}}
	add := func(id, architecture, segment string, fp32 float64, more ...catalog.Fact) {
		d.Cards = append(d.Cards, catalog.Card{ID: id, Name: id, Vendor: "V", Kind: "gpu", Segment: segment,
			Architecture: architecture, Facts: append(more, catalog.Fact{Quantity: "fp32_vector_tflops", Number: fp32,
				Source: "s"})})
	}
	add("a", "X", "desktop", 10)
	add("b", "X", "desktop", 20)
	add("c", "X", "desktop", 40)
	add("d", "X", "desktop", 30)
	add("e", "Y", "desktop", 30)
	add("f", "X", "laptop", 10)
	add("g", "X", "desktop", 90, catalog.Fact{Quantity: "standing", Text: catalog.Announced, Source: "s"})
	d.Benchmarks = []catalog.Benchmark{{ID: "blender-4.5", Label: catalog.Text{En: "Rendering", Zh: "渲染"},
		Unit:    "samples/min",
		Version: "4.5.0", Method: catalog.Text{En: "m", Zh: "m"}, Source: "s", Results: []catalog.BenchmarkResult{
			{Card: "a", Value: 1000, Runs: 3}, {Card: "b", Value: 1800, Runs: 9}, {Card: "c", Value: 4400, Runs: 3},
			{Card: "f", Value: 700, Runs: 3}}}}
	return catalog.NewSnapshot(1, d)
}

func TestWhatNobodyMeasuredIsEstimatedFromItsKin(t *testing.T) {
	s := measuredCards()
	basis, bad := FindIn(s, Desktop)
	if bad != nil {
		t.Fatal(bad)
	}
	values := basis.MeasuredValues(s)
	at := func(id string) (MeasuredValue, bool) {
		row, _ := s.Find(id)
		v, ok := values[row]
		return v, ok
	}
	if v, _ := at("b"); v.Value != 1800 || v.Estimated || v.Result.Runs != 9 {
		t.Errorf("a measured card: %+v", v)
	}
	// The ratios are 100, 90 and 110: their median is 100.
	if v, _ := at("d"); v.Value != 3000 || !v.Estimated || v.Kin != 3 {
		t.Errorf("a card of the same architecture: %+v, want 3000 from 3 cards", v)
	}
	for id, why := range map[string]string{"e": "of another architecture", "f": "not of a desktop", "g": "not sold"} {
		if v, ok := at(id); ok {
			t.Errorf("a card that is %s has %+v", why, v)
		}
	}
	whole, _ := FindIn(s, "measured/blender-4.5")
	if got := whole.MeasuredValues(s); len(got) != 4 {
		t.Errorf("%d cards have a value where only measured ones count, want 4", len(got))
	}
	if n, _ := basis.EstimateError(s); n != 0 {
		t.Errorf("of three cards none has three others, but %d were held back", n)
	}
}

// TestAnEstimateFollowsTheCardWithTheSameChip: not the median of the architecture, and of two such cards the nearer.
func TestAnEstimateFollowsTheCardWithTheSameChip(t *testing.T) {
	d := catalog.Dataset{ID: "builtin", Sources: []catalog.Source{{ID: "s", Publisher: "P", Title: "T",
		Kind: "measured"}}}
	b := catalog.Benchmark{ID: "blender-4.5", Label: catalog.Text{En: "Rendering", Zh: "渲染"}, Unit: "samples/min",
		Version: "4.5.0", Method: catalog.Text{En: "m", Zh: "m"}, Source: "s"}
	add := func(id, architecture, chip string, fp32, value float64) {
		d.Cards = append(d.Cards, catalog.Card{ID: id, Name: id, Vendor: "V", Kind: "gpu", Segment: "desktop",
			Architecture: architecture, Facts: []catalog.Fact{{Quantity: "chip", Text: chip, Source: "s"},
				{Quantity: "fp32_vector_tflops", Number: fp32, Source: "s"}}})
		if value > 0 {
			b.Results = append(b.Results, catalog.BenchmarkResult{Card: id, Value: value, Runs: 3})
		}
	}
	add("near", "X", "C1", 20, 2600)
	add("far", "X", "C1", 40, 4000)
	add("other", "X", "C2", 20, 1000)
	add("wanted", "X", "C1", 22, 0)
	add("alone", "Y", "C1", 22, 0) // its chip is named as one of another architecture
	d.Benchmarks = []catalog.Benchmark{b}
	s := catalog.NewSnapshot(1, d)
	basis, bad := FindIn(s, Desktop)
	if bad != nil {
		t.Fatal(bad)
	}
	values := basis.MeasuredValues(s)
	row, _ := s.Find("wanted")
	near, _ := s.Find("near")
	if v := values[row]; v.Value != 2860 || !v.Estimated || v.Kin != 0 || v.Sibling != near {
		t.Errorf("got %+v, want 22 × 2600 ÷ 20", v)
	}
	if row, _ = s.Find("alone"); values[row].Value != 0 {
		t.Errorf("a card of another architecture has %+v", values[row])
	}
	// Those with the chip are estimated from each other: off by 30 and 23 %; "other" has too few of its architecture.
	if n, off := basis.EstimateError(s); n != 2 || math.Abs(off-(0.3+3.0/13)/2) > 1e-12 {
		t.Errorf("%d cards are off by %v", n, off)
	}
}

func TestEstimatesAreHeldAgainstWhatWasMeasured(t *testing.T) {
	s := measuredCards()
	basis, _ := FindIn(s, "measured/blender-4.5") // with the laptop card, whose ratio is 70
	n, off := basis.EstimateError(s)
	// Ratios 100, 90, 110, 70: medians of the others 90, 100, 90, 100.
	want := median([]float64{0.1, 1.0 / 9, 1 - 90.0/110, 3.0 / 7})
	if n != 4 || math.Abs(off-want) > 1e-12 {
		t.Errorf("got %d cards off by %v, want 4 by %v", n, off, want)
	}
}

func TestAnUnknownMeasuredLadderNamesTheNearest(t *testing.T) {
	_, bad := FindIn(measuredCards(), "measured/blender-4.6")
	if bad == nil || len(bad.Nearest) == 0 || bad.Nearest[0] != "measured/blender-4.5" {
		t.Errorf("got %v", bad)
	}
}
