package exportcontrol_test

import (
	"sync"
	"testing"

	"tianti/catalog"
	"tianti/exportcontrol"
)

var (
	readOnce sync.Once
	read     *catalog.Snapshot
)

// shared is the built-in catalogue, read once.
func shared(tb testing.TB) *catalog.Snapshot {
	tb.Helper()
	readOnce.Do(func() { read = builtin(tb) })
	if read == nil {
		tb.Fatal("the built-in catalogue was not read")
	}
	return read
}

// figures are those of a card that exists only here.
type figures map[string]any

func (f figures) Number(id string) (float64, bool) {
	v, ok := f[id].(float64)
	return v, ok
}

func (f figures) Text(id string) string {
	v, _ := f[id].(string)
	return v
}

func TestAnItemIsReadFromFigures(t *testing.T) {
	type amounts = map[exportcontrol.Quantity]exportcontrol.Amount
	missing, none := exportcontrol.Amount{}, exportcontrol.Amount{Known: exportcontrol.NotApplicable}
	for _, test := range []struct {
		name string
		f    figures
		want amounts
	}{
		{"nothing", figures{}, amounts{exportcontrol.TPP: missing, exportcontrol.PerformanceDensity: missing,
			exportcontrol.IO:     missing,
			exportcontrol.Memory: missing, exportcontrol.MemoryAndIO: missing, exportcontrol.Datacenter: missing}},
		{"all", figures{"published_tpp": 4800.0, "process_nm": 7.0, "die_mm2": 750.0, "interconnect_gb_s": 600.0,
			"pcie_generation": 4.0, "pcie_lanes": 16.0,
			"memory_bandwidth_gb_s": 1555.0, "segment": "datacenter"},
			amounts{exportcontrol.TPP: exact(4800), exportcontrol.PerformanceDensity: exact(6.4),
				exportcontrol.IO:     exact(664),
				exportcontrol.Memory: exact(1555), exportcontrol.MemoryAndIO: exact(2219),
				exportcontrol.Datacenter: exact(1)}},
		{"rates that lack one", figures{"fp16_matrix_dense_tflops": 100.0, "int8": "true", "process_nm": 7.0,
			"die_mm2": 500.0},
			amounts{exportcontrol.TPP: atLeast(1600), exportcontrol.PerformanceDensity: atLeast(3.2)}},
		{"no rate", figures{"process_nm": 7.0, "die_mm2": 500.0},
			amounts{exportcontrol.TPP: missing, exportcontrol.PerformanceDensity: missing}},
		{"planar", figures{"published_tpp": 300.0, "process_nm": 28.0},
			amounts{exportcontrol.PerformanceDensity: none}},
		{"no area", figures{"published_tpp": 300.0, "process_nm": 7.0},
			amounts{exportcontrol.PerformanceDensity: missing}},
		{"no PCIe", figures{"interconnect_gb_s": 400.0, "memory_bandwidth_gb_s": 1300.0},
			amounts{exportcontrol.IO: {Value: 400, Known: exportcontrol.AtLeast, Most: 656},
				exportcontrol.MemoryAndIO: {Value: 1700, Known: exportcontrol.AtLeast, Most: 1956}}},
		{"no memory", figures{"interconnect_type": "none", "pcie_generation": 5.0, "pcie_lanes": 16.0},
			amounts{exportcontrol.IO: exact(128), exportcontrol.Memory: missing,
				exportcontrol.MemoryAndIO: atLeast(128)}},
		{"SRAM is not DRAM", figures{"memory_type": "SRAM", "memory_bandwidth_gb_s": 80000.0},
			amounts{exportcontrol.Memory: missing}},
		{"cloud", figures{"segment": "cloud"}, amounts{exportcontrol.Datacenter: exact(1)}},
		{"research", figures{"segment": "research"}, amounts{exportcontrol.Datacenter: missing}},
		{"gaming", figures{"segment": "gaming"}, amounts{exportcontrol.Datacenter: exact(0)}},
		{"workstation", figures{"segment": "workstation"}, amounts{exportcontrol.Datacenter: exact(0)}},
	} {
		it := exportcontrol.ItemOf(test.f)
		for q, want := range test.want {
			if got := it.Amount(q); got != want {
				t.Errorf("%s: %s is %v, want %v", test.name, q, got, want)
			}
		}
	}
}

func TestACardIsAnItem(t *testing.T) {
	it := itemOf(t, shared(t), "nvidia-a800-sxm4-80gb")
	if it.ID != "nvidia-a800-sxm4-80gb" || it.Vendor != "NVIDIA" || it.Launched != "2022-11-08" ||
		it.ECCN != "4A090.a" ||
		it.TPP != exact(4992) {
		t.Errorf("%s of %s, launched %s, %s, TPP %v", it.ID, it.Vendor, it.Launched, it.ECCN, it.TPP)
	}
}
