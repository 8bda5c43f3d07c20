package catalog_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

// figures are those of a card that exists only here: numbers and texts by quantity.
type figures map[string]any

func (f figures) Number(id string) (float64, bool) {
	v, ok := f[id].(float64)
	return v, ok
}

func (f figures) Text(id string) string {
	v, _ := f[id].(string)
	return v
}

// with is the same with other figures; nil takes one away.
func (f figures) with(other figures) figures {
	out := maps.Clone(f)
	for id, v := range other {
		out[id] = v
		if v == nil {
			delete(out, id)
		}
	}
	return out
}

func TestPerformanceIsTheLargestOfTheDenseRates(t *testing.T) {
	a100 := figures{"vendor": "NVIDIA", "architecture": "Ampere", "fp16": "true", "bf16": "true", "int8": "true",
		"fp64_vector_tflops": 9.7,
		"fp32_vector_tflops": 19.5, "tf32_matrix_dense_tflops": 156.0, "fp16_matrix_dense_tflops": 312.0,
		"int8_matrix_dense_tops": 624.0}
	rtx4090 := figures{"vendor": "NVIDIA", "architecture": "Ada Lovelace", "fp16": "true",
		"int8": "true", "fp8": "true",
		"fp16_matrix_dense_tflops": 165.2, "fp16_acc16_matrix_dense_tflops": 330.3,
		"fp8_matrix_dense_tflops": 330.3, "fp8_acc16_matrix_dense_tflops": 660.6, "int8_matrix_dense_tops": 660.6}
	pascal := figures{"architecture": "Pascal", "fp32_vector_tflops": 10.6, "fp16": "true", "int8": "true"}
	for _, test := range []struct {
		name     string
		f        figures
		tpp      float64
		complete bool
		lacks    []string
	}{
		{"A100, FP16 and INT8 alike", a100, 4992, true, nil},
		{"A100, FP16 alone", a100.with(figures{"int8_matrix_dense_tops": nil, "int8": "false"}), 4992, true, nil},
		{"A100, INT8 alone", a100.with(figures{"fp16_matrix_dense_tflops": nil}), 4992, true, nil},
		{"A100, sparse rates do not count", a100.with(figures{"fp16_matrix_sparse_tflops": 624.0,
			"int8_matrix_sparse_tops": 1248.0}), 4992, true, nil},
		{"RTX 4090, FP16 accumulate", rtx4090, 5284.8, true, nil},
		{"RTX 4090, FP8 with FP16 accumulate alone", rtx4090.with(figures{"int8_matrix_dense_tops": nil}),
			5284.8, true, nil},
		{"300 TFLOPS of FP16 meet 4,800", figures{"fp16_matrix_dense_tflops": 300.0}, 4800, true, nil},
		{"TF32 counts 19 bits", figures{"tf32_matrix_dense_tflops": 100.0, "fp16_matrix_dense_tflops": 100.0},
			1900, true, nil},
		{"TF32 alone leaves faster formats open", figures{"tf32_matrix_dense_tflops": 100.0}, 1900, false, nil},
		{"FP64 counts 64 bits", figures{"fp64_matrix_dense_tflops": 67.0, "fp16_matrix_dense_tflops": 100.0},
			4288, true, nil},
		{"FP32 counts 32 bits", figures{"fp32_vector_tflops": 100.0, "fp16_matrix_dense_tflops": 100.0},
			3200, true, nil},
		{"FP4 counts 4 bits", figures{"fp4_matrix_dense_tflops": 9000.0}, 36000, true, nil},
		{"FP6 counts 6 bits", figures{"fp6_matrix_dense_tflops": 9000.0}, 54000, true, nil},
		{"FP8 counts 8 bits", figures{"fp8_matrix_dense_tflops": 1979.0}, 15832, true, nil},
		{"INT4 counts 4 bits", figures{"int4_matrix_dense_tops": 1248.0}, 4992, true, nil},
		{"BF16 counts 16 bits", figures{"bf16_matrix_dense_tflops": 100.0}, 1600, true, nil},

		{"a larger published value wins", a100.with(figures{"published_tpp": 5000.0}), 5000, true, nil},
		{"a smaller published value does not lower", a100.with(figures{"published_tpp": 3822.0}), 4992, true, nil},
		{"a published value alone", figures{"published_tpp": 2368.0, "fp8": "true"}, 2368, true, nil},

		{"INT8 without a rate", a100.with(figures{"int8_matrix_dense_tops": nil}), 4992, false,
			[]string{"int8_matrix_dense_tops"}},
		{"FP8 without a rate", a100.with(figures{"int8_matrix_dense_tops": nil, "int8": nil, "fp8": "true"}), 4992,
			false, []string{"fp8_matrix_dense_tflops"}},
		{"FP8 at the INT8 rate", a100.with(figures{"fp8": "true"}), 4992, true, nil},
		{"FP4 without a rate", a100.with(figures{"fp4": "true"}), 4992, false, []string{"fp4_matrix_dense_tflops"}},
		{"FP4 settles FP8 and INT8", figures{"fp4_matrix_dense_tflops": 9000.0, "fp4": "true", "fp8": "true",
			"int8": "true"}, 36000, true, nil},
		{"FP6 without a rate", a100.with(figures{"fp6": "true", "vendor": "AMD"}), 4992, false,
			[]string{"fp6_matrix_dense_tflops"}},
		{"FP6 on NVIDIA's units is FP8", a100.with(figures{"fp6": "true"}), 4992, true, nil},
		{"INT8 on Volta is not on matrix units", figures{"architecture": "Volta", "fp16": "true", "int8": "true",
			"fp16_matrix_dense_tflops": 125.0}, 2000, true, nil},
		{"a flag that says no", a100.with(figures{"fp8": "false", "fp4": "false"}), 4992, true, nil},

		{"Pascal has vector units only", pascal, 339.2, true, nil},
		{"Pascal without its FP32 rate", pascal.with(figures{"fp32_vector_tflops": nil}), 0, false,
			[]string{"fp16_matrix_dense_tflops", "int8_matrix_dense_tops"}},
		{"the same rates on Turing", pascal.with(figures{"architecture": "Turing"}), 339.2, false,
			[]string{"fp16_matrix_dense_tflops", "int8_matrix_dense_tops"}},
		{"vector rates alone", figures{"fp32_vector_tflops": 100.0, "fp16_vector_tflops": 200.0}, 3200, false, nil},
		{"nothing", figures{}, 0, false, nil},
	} {
		p := catalog.PerformanceOf(test.f)
		var lacks []string
		for _, q := range p.Lacks {
			lacks = append(lacks, q.ID)
		}
		if p.TPP != test.tpp || p.Complete != test.complete {
			t.Errorf("%s: TPP %v, complete %v; want %v, %v", test.name, p.TPP, p.Complete, test.tpp, test.complete)
		}
		if diff := cmp.Diff(test.lacks, lacks); diff != "" {
			t.Errorf("%s: lacks %s", test.name, diff)
		}
	}
}

func TestRatesComeTheLargestFirst(t *testing.T) {
	p := catalog.PerformanceOf(figures{"fp32_vector_tflops": 19.5, "fp16_matrix_dense_tflops": 312.0,
		"tf32_matrix_dense_tflops": 156.0, "published_tpp": 4989.0})
	var got []string
	for _, r := range p.Rates {
		got = append(got, r.Quantity.ID)
	}
	if diff := cmp.Diff([]string{"fp16_matrix_dense_tflops", "tf32_matrix_dense_tflops", "fp32_vector_tflops"},
		got); diff != "" {
		t.Error(diff)
	}
	if p.Published != 4989 || p.Rates[0].TPP() != 4992 || p.Rates[1].TPP() != 2964 {
		t.Errorf("published %v, computed %v and %v", p.Published, p.Rates[0].TPP(), p.Rates[1].TPP())
	}
}

func TestTPPHasNoBinaryNoise(t *testing.T) {
	if got := (catalog.DenseRate{Value: 1.1, Bits: 19}).TPP(); got != 20.9 {
		t.Errorf("1.1 × 19 = %v", got)
	}
}

func TestOnlyNonPlanarDiesCount(t *testing.T) {
	for _, test := range []struct {
		name        string
		f           figures
		area        float64
		applies, ok bool
	}{
		{"28 nm is planar", figures{"process_nm": 28.0, "die_mm2": 600.0}, 0, false, true},
		{"20 nm is planar", figures{"process_nm": 20.0, "die_mm2": 600.0}, 0, false, true},
		{"28 nm without an area", figures{"process_nm": 28.0}, 0, false, true},
		{"16 nm is not", figures{"process_nm": 16.0, "die_mm2": 610.0}, 610, true, true},
		{"just above 16 nm", figures{"process_nm": 16.001, "die_mm2": 610.0}, 0, false, true},
		{"4 nm", figures{"process_nm": 4.0, "die_mm2": 814.0}, 814, true, true},
		{"7 nm without an area", figures{"process_nm": 7.0}, 0, true, false},
		{"process not known", figures{"die_mm2": 814.0}, 0, false, false},
		{"nothing known", figures{}, 0, false, false},
		{"an area of the non-planar dies comes first", figures{"process_nm": 7.0, "die_mm2": 826.0,
			"nonplanar_die_mm2": 800.0}, 800, true, true},
		{"it needs no process", figures{"nonplanar_die_mm2": 800.0}, 800, true, true},
	} {
		area, applies, ok := catalog.NonPlanarDie(test.f)
		if area != test.area || applies != test.applies || ok != test.ok {
			t.Errorf("%s: %v %v %v, want %v %v %v", test.name, area, applies, ok, test.area, test.applies, test.ok)
		}
	}
}

func TestLinksAreBetweenCardsAndPCIe(t *testing.T) {
	for _, test := range []struct {
		name                         string
		f                            figures
		sum                          float64
		lacksInterconnect, lacksPCIe bool
	}{
		{"A100", figures{"interconnect_gb_s": 600.0, "pcie_generation": 4.0, "pcie_lanes": 16.0}, 664, false, false},
		{"H100", figures{"interconnect_gb_s": 900.0, "pcie_generation": 5.0, "pcie_lanes": 16.0}, 1028, false, false},
		{"A800", figures{"interconnect_gb_s": 400.0, "pcie_generation": 4.0, "pcie_lanes": 16.0}, 464, false, false},
		{"no link, generation 4", figures{"interconnect_type": "none", "pcie_generation": 4.0, "pcie_lanes": 16.0},
			64, false, false},
		{"generation 4, eight lanes", figures{"interconnect_type": "none", "pcie_generation": 4.0, "pcie_lanes": 8.0},
			32, false, false},
		{"generation 1", figures{"interconnect_type": "none", "pcie_generation": 1.0, "pcie_lanes": 16.0},
			8, false, false},
		{"generation 2", figures{"interconnect_type": "none", "pcie_generation": 2.0, "pcie_lanes": 16.0},
			16, false, false},
		{"generation 3", figures{"interconnect_type": "none", "pcie_generation": 3.0, "pcie_lanes": 16.0},
			32, false, false},
		{"generation 6", figures{"interconnect_type": "none", "pcie_generation": 6.0, "pcie_lanes": 16.0},
			256, false, false},
		{"generation 7", figures{"interconnect_type": "none", "pcie_generation": 7.0, "pcie_lanes": 16.0},
			512, false, false},
		{"generation 8 has no rate yet", figures{"interconnect_type": "none", "pcie_generation": 8.0,
			"pcie_lanes": 16.0}, 0, false, true},
		{"generation 0", figures{"interconnect_type": "none", "pcie_generation": 0.0, "pcie_lanes": 16.0},
			0, false, true},
		{"lanes not known", figures{"interconnect_gb_s": 600.0, "pcie_generation": 4.0}, 600, false, true},
		{"generation not known", figures{"interconnect_gb_s": 600.0, "pcie_lanes": 16.0}, 600, false, true},
		{"link not known", figures{"pcie_generation": 4.0, "pcie_lanes": 16.0}, 64, true, false},
		{"rate of a named link not known", figures{"interconnect_type": "NVLink", "pcie_generation": 4.0,
			"pcie_lanes": 16.0}, 64, true, false},
		{"nothing known", figures{}, 0, true, true},
	} {
		l := catalog.LinkBandwidthOf(test.f)
		if l.Sum() != test.sum || l.LacksInterconnect != test.lacksInterconnect || l.LacksPCIe != test.lacksPCIe {
			t.Errorf("%s: %+v", test.name, l)
		}
	}
}
