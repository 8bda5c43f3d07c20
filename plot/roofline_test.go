package plot_test

import (
	"math"
	"testing"

	"tianti/catalog"
	"tianti/plot"
)

// h100 has the rated figures of a well-known card.
func h100() *catalog.Snapshot {
	fact := func(q string, v float64) catalog.Fact { return catalog.Fact{Quantity: q, Number: v, Source: "sheet"} }
	return catalog.NewSnapshot(
		1,
		catalog.Dataset{
			ID: "test",
			Sources: []catalog.Source{
				{ID: "sheet", Publisher: "Acme", Title: "Sheet", URL: "https://example.com", Kind: "datasheet"},
			},
			Cards: []catalog.Card{{ID: "h100", Name: "H100", Vendor: "NVIDIA", Kind: "gpu", Segment: "datacenter",
				Facts: []catalog.Fact{
					fact("memory_bandwidth_gb_s", 3350),
					fact("bf16_matrix_dense_tflops", 989.4),
					fact("fp8_matrix_dense_tflops", 1978.9),
				}}},
		},
	)
}

func precision(t *testing.T, id string) plot.Precision {
	t.Helper()
	p, ok := plot.LookupPrecision(id)
	if !ok {
		t.Fatalf("no precision %s", id)
	}
	return p
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-3*math.Abs(want) }

func TestRoofIsTheLesserOfRateAndMemory(t *testing.T) {
	r, ok := plot.RoofOf(h100(), 0, precision(t, "bf16"))
	if !ok || !near(r.Ridge(), 295.34) {
		t.Fatalf("ridge %v, want 295.3", r.Ridge())
	}
	for intensity, want := range map[float64]float64{1: 3.35, 100: 335, 295.343: 989.4, 1000: 989.4} {
		if got := r.At(intensity); !near(got, want) {
			t.Errorf("At(%v) = %v, want %v", intensity, got, want)
		}
	}
	if _, ok := plot.RoofOf(h100(), 0, precision(t, "fp4")); ok {
		t.Error("there is a roof without a rate")
	}
}

func TestThereIsARoofWhereRateAndBandwidthAreKnownAndNotZero(t *testing.T) {
	values := []float64{-1, 0, 100} // -1: not known
	for _, rate := range values {
		for _, bandwidth := range values {
			c := catalog.Card{ID: "c", Name: "C", Vendor: "Acme", Kind: "gpu", Segment: "desktop"}
			for q, v := range map[string]float64{"bf16_matrix_dense_tflops": rate, "memory_bandwidth_gb_s": bandwidth} {
				if v >= 0 {
					c.Facts = append(c.Facts, catalog.Fact{Quantity: q, Number: v, Source: "sheet"})
				}
			}
			s := catalog.NewSnapshot(
				1,
				catalog.Dataset{
					ID:      "test",
					Sources: []catalog.Source{{ID: "sheet", Kind: "datasheet"}},
					Cards:   []catalog.Card{c},
				},
			)
			if _, ok := plot.RoofOf(s, 0, precision(t, "bf16")); ok != (rate > 0 && bandwidth > 0) {
				t.Errorf("rate %v, bandwidth %v: a roof: %v", rate, bandwidth, ok)
			}
		}
	}
}

func TestIntensitiesOfWork(t *testing.T) {
	want := map[string][]float64{ // decoding at 1 and 32, prefill, training
		"fp32": {
			0.5,
			16,
			607.4,
			1094,
		}, "bf16": {1, 32, 1214.8, 2188}, "fp8": {2, 64, 2429.6, 4376}, "fp4": {4, 128, 4859, 8752},
	}
	for id, list := range want {
		for i, w := range plot.Works {
			if got := w.Intensity(precision(t, id)); !near(got, list[i]) {
				t.Errorf("%s in %s: intensity %v, want %v", w.ID, id, got, list[i])
			}
		}
	}
}

func TestIntensitiesReachFromTheLeastMarkToTheHighest(t *testing.T) {
	bf16, _ := plot.RoofOf(h100(), 0, precision(t, "bf16"))
	fp8, _ := plot.RoofOf(h100(), 0, precision(t, "fp8"))
	if lo, hi := plot.IntensityExtent([]plot.Roof{bf16, fp8}); lo != 0.5 || !near(hi, 2*4376) {
		t.Errorf("from %v to %v, want 0.5 to 8 752", lo, hi)
	}
}
