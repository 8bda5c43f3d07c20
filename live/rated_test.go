package live_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/live"
	"tianti/live/sample"
)

// rate is what the device of the sample is held against, by key and metric.
func rate(t *testing.T, d live.Device) map[string]live.Rated {
	t.Helper()
	s := cards(t)
	out := map[string]live.Rated{}
	for _, r := range live.Rate(s, live.Match(s, &d), &d) {
		key := r.Key + " " + string(r.Metric)
		if _, twice := out[key]; twice {
			t.Errorf("%s twice", key)
		}
		out[key] = r
	}
	return out
}

func line(r live.Rated) string {
	return fmt.Sprintf("%s %.4g of %.4g %s, %.3f, %s", r.Against, r.Value, r.Of, r.Unit, r.Share, r.Quantity)
}

func TestBusyCardIsHeldAgainstItsRatings(t *testing.T) {
	rated := rate(t, sample.Device(sample.H100))
	got := map[string]string{}
	for key, r := range rated {
		got[key] = line(r)
	}
	want := map[string]string{
		"memory-used memory_used_bytes":  "device 68.47 of 79.65 GiB, 0.860, ",
		"memory-sold memory_total_bytes": "rated 79.65 of 80 GiB, 0.996, memory_gb",
		"power-limit power_w":            "device 688 of 700 W, 0.983, ",
		"power-rated power_w":            "rated 688 of 700 W, 0.983, tdp_w",
		"limit-rated power_limit_w":      "rated 700 of 700 W, 1.000, tdp_w",
		"clock-rated sm_clock_mhz":       "rated 1755 of 1980 MHz, 0.886, boost_clock_mhz",
		"clock-max sm_clock_mhz":         "device 1755 of 1980 MHz, 0.886, ",
		"clock-max memory_clock_mhz":     "device 2619 of 2619 MHz, 1.000, ",
		// 0.43 × 989.5 × 1755 ÷ 1830: 132 units × 4096 operations × 1830 MHz are 989.5
		"tensor tensor_active":                  "rated 408 of 989.5 TFLOPS, 0.430, bf16_matrix_dense_tflops",
		"pipe fp16_active":                      "rated 2.372 of 133.8 TFLOPS, 0.020, fp16_vector_tflops",
		"pipe fp32_active":                      "rated 3.563 of 67 TFLOPS, 0.060, fp32_vector_tflops",
		"pipe fp64_active":                      "rated 0 of 34 TFLOPS, 0.000, fp64_vector_tflops",
		"dram dram_active":                      "rated 1742 of 3350 GB/s, 0.520, memory_bandwidth_gb_s",
		"nvlink nvlink_tx_bytes_s":              "rated 121 of 450 GB/s, 0.269, interconnect_one_way_gb_s",
		"nvlink nvlink_rx_bytes_s":              "rated 118 of 450 GB/s, 0.262, interconnect_one_way_gb_s",
		"nvlinks nvlinks_up":                    "device 18 of 18 , 1.000, ",
		"pcie pcie_tx_bytes_s":                  "device 1.1 of 63.01 GB/s, 0.017, ",
		"pcie pcie_rx_bytes_s":                  "device 3.4 of 63.01 GB/s, 0.054, ",
		"pcie-generation-max pcie_generation":   "device 5 of 5 , 1.000, ",
		"pcie-generation-rated pcie_generation": "rated 5 of 5 , 1.000, pcie_generation",
		"pcie-width-max pcie_width":             "device 16 of 16 , 1.000, ",
		"pcie-width-rated pcie_width":           "rated 16 of 16 , 1.000, pcie_lanes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for key, r := range rated {
		if bound := r.Metric == live.TensorActive || r.Key == "pipe" || r.Key == "dram"; r.Ceiling != bound {
			t.Errorf("%s: a ceiling is %v, want %v", key, r.Ceiling, bound)
		}
	}
}

func TestCeilingIsTheRatingAtMost(t *testing.T) {
	d := sample.Device(sample.RTX6000Ada) // runs above its rated clock
	d.Readings[live.TensorActive] = live.Reading{Value: 1}
	got := rate(t, d)["tensor tensor_active"]
	if got.Value != got.Of {
		t.Errorf("got %s, want the rating and no more", line(got))
	}
}

// TestRatesHaveTheirOwnClock has cards whose data sheets use another clock than the highest, and some whose clock is
// not known.
func TestRatesHaveTheirOwnClock(t *testing.T) {
	for _, tt := range []struct {
		name, pci string
		mib, mhz  float64
		tensor    string // at 43 %
	}{
		{"NVIDIA H100 80GB HBM3", "10de:2330", 81559, 1980,
			"rated 425.5 of 989.5 TFLOPS, 0.430, bf16_matrix_dense_tflops"},
		{"NVIDIA H100 80GB HBM3", "10de:2330", 81559, 1830,
			"rated 425.5 of 989.5 TFLOPS, 0.430, bf16_matrix_dense_tflops"},
		{"NVIDIA H100 80GB HBM3", "10de:2330", 81559, 915,
			"rated 212.7 of 989.5 TFLOPS, 0.430, bf16_matrix_dense_tflops"},
		{"NVIDIA H100 PCIe", "10de:2331", 81559, 1620, "rated 325.3 of 756.5 TFLOPS, 0.430, bf16_matrix_dense_tflops"},
		{"NVIDIA A100-SXM4-80GB", "10de:20b2", 81920, 705,
			"rated 67.08 of 312 TFLOPS, 0.430, bf16_matrix_dense_tflops"},
		{"NVIDIA L4", "10de:27b8", 23034, 300, "rated 52.03 of 121 TFLOPS, 0.430, bf16_matrix_dense_tflops"},
	} {
		d := described(tt.name, tt.pci, "", tt.mib)
		d.Readings[live.SMClock], d.Readings[live.TensorActive] = live.Reading{Value: tt.mhz}, live.Reading{Value: 0.43}
		if got := line(rate(t, d)["tensor tensor_active"]); got != tt.tensor {
			t.Errorf("%s at %v MHz: got %s, want %s", tt.name, tt.mhz, got, tt.tensor)
		}
	}
	h200 := described("NVIDIA H200", "10de:2335", "", 143771)
	h200.Readings[live.DRAMActive], h200.Readings[live.SMClock] = live.Reading{Value: 0.5}, live.Reading{Value: 345}
	if got := line(rate(t, h200)["dram dram_active"]); got != "rated 2400 of 4800 GB/s, 0.500, memory_bandwidth_gb_s" {
		t.Errorf("got %s, want it whatever the clock of the units", got)
	}
}

func TestMatrixPipeTakesTheFirstRateThatTheCardHas(t *testing.T) {
	d := sample.Device(sample.V100) // has no BF16
	d.Readings[live.TensorActive] = live.Reading{Value: 0.5}
	want := "rated 62.5 of 125 TFLOPS, 0.500, fp16_matrix_dense_tflops"
	if got := line(rate(t, d)["tensor tensor_active"]); got != want {
		t.Errorf("got %s", got)
	}
}

func TestLaptopsAndSharedChipsHaveNoRatedPower(t *testing.T) {
	laptop := described("NVIDIA GeForce RTX 4090 Laptop GPU", "10de:2717", "", 16376)
	laptop.Readings[live.Power], laptop.Readings[live.PowerLimit] = live.Reading{Value: 80}, live.Reading{Value: 100}
	for _, d := range []live.Device{laptop, sample.Device(sample.GB10)} {
		for key, r := range rate(t, d) {
			if r.Quantity == "tdp_w" {
				t.Errorf("%s: %s: %s", d.Name, key, line(r))
			}
		}
	}
}

func TestOneOfSeveralDevicesOnACardHasItsShare(t *testing.T) {
	d := described("NVIDIA A16", "10de:25b6", "10de:14a9", 15356)
	d.Readings[live.DRAMActive] = live.Reading{Value: 0.5}
	d.Readings[live.PowerLimit] = live.Reading{Value: 62.5}
	got := rate(t, d)
	for key, want := range map[string]string{
		"memory-sold memory_total_bytes": "rated 15 of 16 GiB, 0.937, memory_gb",
		"dram dram_active":               "rated 100 of 200 GB/s, 0.500, memory_bandwidth_gb_s",
		"limit-rated power_limit_w":      "rated 62.5 of 62.5 W, 1.000, tdp_w",
	} {
		if line(got[key]) != want {
			t.Errorf("%s: got %s, want %s", key, line(got[key]), want)
		}
	}
}

func TestPartsOfCardsAreHeldAgainstThemselvesAlone(t *testing.T) {
	for key, r := range rate(t, sample.Device(sample.Slice)) {
		if r.Against != live.AgainstDevice {
			t.Errorf("%s: got %s", key, line(r))
		}
	}
}

func TestAmbiguousDeviceIsHeldAgainstWhatItsCandidatesAgreeIn(t *testing.T) {
	d := described("A100", "", "", 81920) // PCIe or SXM: alike but for power and bandwidth
	d.Readings[live.TensorActive] = live.Reading{Value: 0.5}
	d.Readings[live.DRAMActive] = live.Reading{Value: 0.5}
	d.Readings[live.Power] = live.Reading{Value: 200}
	got := rate(t, d)
	if _, ok := got["dram dram_active"]; ok {
		t.Error("the bandwidth is rated, in which the candidates differ")
	}
	if _, ok := got["power-rated power_w"]; ok {
		t.Error("the power is rated, in which the candidates differ")
	}
	if r := got["tensor tensor_active"]; line(r) != "rated 156 of 312 TFLOPS, 0.500, bf16_matrix_dense_tflops" {
		t.Errorf("got %s, want what both can", line(r))
	}
}

func TestUnknownCardsGetPeaksOfTheirOwn(t *testing.T) {
	d := live.Device{
		Name: "NVIDIA GeForce RTX 4099", PCI: "10de:fffe", ComputeCapability: "8.9", Cores: 16384, MemoryBusBits: 384,
		MaxSMClock: 3105, MaxMemoryClock: 10501,
		Readings: map[live.Metric]live.Reading{live.FP32Active: {Value: 0.5}, live.DRAMActive: {Value: 0.5},
			live.SMClock: {Value: 1552.5}, live.TensorActive: {Value: 0.1}},
	}
	got := rate(t, d)
	fp32, dram := got["pipe fp32_active"], got["dram dram_active"]
	if fp32.Against != live.AgainstDerived || !fp32.High || math.Abs(fp32.Of-101.7) > 0.1 ||
		math.Abs(fp32.Value-fp32.Of/4) > 0.01 {
		t.Errorf("FP32: got %s, high %v; want half of the time at half of the clock", line(fp32), fp32.High)
	}
	if dram.Against != live.AgainstDerived || dram.High || math.Abs(dram.Of-1008.1) > 0.1 {
		t.Errorf("bandwidth: got %s, high %v; want the data sheet's 1008 GB/s", line(dram), dram.High)
	}
}

// TestDerivedPeaksAreNearDataSheets has what drivers tell of cards and what their
// data sheets say; 1.06 is how far the rates of datacentre cards may be off.
func TestDerivedPeaksAreNearDataSheets(t *testing.T) {
	for _, tt := range []struct {
		name, cc             string
		cores, bits          int
		sm, memory           float64
		bandwidth, fp32, f16 float64
		high                 bool
	}{
		{"NVIDIA A100-SXM4-40GB", "8.0", 6912, 5120, 1410, 1215, 1555, 19.5, 312, false},
		{"NVIDIA A100-SXM4-80GB", "8.0", 6912, 5120, 1410, 1593, 2039, 19.5, 312, false},
		{"NVIDIA H100 80GB HBM3", "9.0", 16896, 5120, 1980, 2619, 3350, 67, 1070, false},
		{"NVIDIA H200", "9.0", 16896, 6144, 1980, 3201, 4917, 67, 1070, false},
		{"NVIDIA L40S", "8.9", 18176, 384, 2520, 9001, 864, 91.6, 366, false},
		{"NVIDIA L4", "8.9", 7424, 192, 2040, 6251, 300, 30.3, 121, false},
		{"Tesla T4", "7.5", 2560, 256, 1590, 5001, 320, 8.1, 65, false},
		{"Tesla V100-SXM2-16GB", "7.0", 5120, 4096, 1530, 877, 898, 15.7, 125, false},
		{"NVIDIA GeForce RTX 4080 SUPER", "8.9", 10240, 256, 3165, 11501, 736, 64.8, 129.6, true}, // rated 52.2 and 104
	} {
		p := live.DerivePeaks(&live.Device{Name: tt.name, ComputeCapability: tt.cc, Cores: tt.cores,
			MemoryBusBits: tt.bits, MaxSMClock: tt.sm, MaxMemoryClock: tt.memory})
		for what, ratio := range map[string]float64{"bandwidth": p.Bandwidth / tt.bandwidth, "FP32": p.FP32 / tt.fp32,
			"FP16": p.FP16 / tt.f16} {
			if math.Abs(ratio-1) > 0.01 {
				t.Errorf("%s: %s is %.3f of what it should be", tt.name, what, ratio)
			}
		}
		if p.High != tt.high {
			t.Errorf("%s: high is %v", tt.name, p.High)
		}
	}
}

func TestNothingIsDerivedFromNothing(t *testing.T) {
	if got := live.DerivePeaks(&live.Device{Name: "AMD Instinct MI999"}); got != (live.Peaks{}) {
		t.Errorf("got %+v", got)
	}
}

func TestSharesAreNumbers(t *testing.T) {
	s := cards(t)
	d := sample.Device(sample.H100)
	for m := range d.Readings {
		for _, v := range []float64{0, -1, math.NaN(), math.Inf(1), 1e300} {
			d := sample.Device(sample.H100)
			d.Readings[m] = live.Reading{Value: v}
			for _, r := range live.Rate(s, live.Match(s, &d), &d) {
				if math.IsNaN(r.Share) || math.IsInf(r.Share, 0) || r.Share < 0 || !(r.Of > 0) {
					t.Errorf("%s = %v: got %s", m, v, line(r))
				}
			}
		}
	}
}

func TestLostDevicesAreHeldAgainstNothing(t *testing.T) {
	if got := rate(t, sample.Device(sample.Lost)); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}
