package sizing

import (
	"math"
	"slices"
	"testing"
)

// The RTX 3060's tensor cores reach 51 TFLOPS with FP16 (NVIDIA, "GA102 GPU
// Architecture", gives 2 × FP32 for the generation's GeForce cards); a GTX 1660 has
// none, and an A100's are not those of its siblings.
func TestMatrixRatesFollowFromSiblings(t *testing.T) {
	a := everything(t)
	for id, want := range map[string]float64{
		"nvidia-geforce-rtx-3060-12gb":    2 * 12.74,
		"nvidia-geforce-rtx-4080-super":   2 * 52.22,
		"nvidia-geforce-rtx-2070-super":   4 * 9.06,
		"nvidia-rtx-pro-4500-blackwell":   1687.0 / 8, // of its AI TOPS
		"nvidia-geforce-rtx-5060-ti-16gb": 2 * 23.7,
		"nvidia-rtx-5880-ada":             4 * 69.3,
	} {
		c := a.Card(id)
		if c == nil {
			t.Errorf("no card %s", id)
			continue
		}
		if got := max(c.FP16, c.BF16) / tera; math.Abs(got/want-1) > 0.02 || len(c.Derived) == 0 {
			t.Errorf("%s: %.1f TFLOPS %v, want %.1f, derived", id, got, c.Derived, want)
		}
	}
	// The RTX 5090 D reaches 2,375 TOPS of sparse FP4, the RTX 5090 3,352.
	if d, whole := a.Card("nvidia-geforce-rtx-5090-d"),
		a.Card("nvidia-geforce-rtx-5090"); math.Abs(d.FP16/whole.FP16-2375.0/3352) > 0.02 {
		t.Errorf("RTX 5090 D: %.1f TFLOPS, RTX 5090 %.1f", d.FP16/tera, whole.FP16/tera)
	}
	for _, id := range []string{"nvidia-geforce-gtx-1660", "nvidia-geforce-gtx-1080-ti", "nvidia-a100-sxm4-80gb",
		"nvidia-geforce-rtx-4090", "nvidia-jetson-agx-orin-64gb"} {
		if c := a.Card(id); c == nil || slices.Contains(c.Derived, "fp16_matrix_dense_tflops") {
			t.Errorf("%s: %+v, want no derived rate", id, c)
		}
	}
}

// An H20 of 141 GB is one of 96 GB with other memory: the one publishes 44 TFLOPS of FP32
// and both 148 of FP16. An RTX 3080 of 12 GB has 70 SMs, one of 10 GB 68.
func TestRatesFollowFromTheSameCardWithAnotherMemory(t *testing.T) {
	a := everything(t)
	h20, twin := a.Card("nvidia-h20-sxm5-141gb"), a.Card("nvidia-h20-sxm5-96gb")
	if h20.FP32 != twin.FP32 || h20.INT8 != twin.INT8 || !slices.Contains(h20.Derived, "fp32_vector_tflops") {
		t.Errorf("H20 141 GB: %+v, want the rates of %+v", h20, twin)
	}
	if large, small := a.Card("nvidia-geforce-rtx-3080-12gb"),
		a.Card("nvidia-geforce-rtx-3080-10gb"); large.FP16 <= small.FP16 {
		t.Errorf("RTX 3080 12 GB has %.1f TFLOPS, the smaller one %.1f", large.FP16/tera, small.FP16/tera)
	}
}
