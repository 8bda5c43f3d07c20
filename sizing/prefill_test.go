package sizing

import (
	"math"
	"testing"
)

// Llama-3-8B in F16 on an A100 PCIe, 512 tokens with FlashAttention, by hand:
// 2 · 6.98e9 operations in the layers at 60 % of 312 TFLOP/s; attention to 256 tokens on
// average; 15 GB of weights read once. In Q4_0 one in 6 of 19.5 TFLOP/s unpacks them.
func TestPrefillFormulaByHand(t *testing.T) {
	w, c := speedJob(t, "llama-3-8b", "A100 PCIe 80GB",
		Workload{Framework: "llama.cpp", Weights: "f16", Context: 512, Attention: "flash"})
	layers := 8.030e9 - 2*128256*4096
	want := 1 / (2*layers/(0.6*312e12) + 4*32*4096*256/(0.6*312e12) + 2*(layers+128256*4096)/1935e9/512 + 32*50e-6/512)
	if got := formulaRate(t, prefillGauge{}, w, c); math.Abs(got/want-1) > 0.01 {
		t.Errorf("formula %.0f tokens/s, by hand %.0f", got, want)
	}
	w.Weights = "q4_0"
	w.Prepare(everything(t).Profiles, everything(t).Formats)
	p := prefillParts(startOf(prefillGauge{}), w, c)
	if unpack := 2 * layers / (6 * 19.5e12); math.Abs(p.unpack/unpack-1) > 0.01 {
		t.Errorf("unpacking takes %g s a token, by hand %g", p.unpack, unpack)
	}
}

func TestWhatMakesPrefillFaster(t *testing.T) {
	rate := func(w Workload) float64 {
		w.Framework, w.Weights = "llama.cpp", "q4_k_m"
		job, c := speedJob(t, "llama-3-8b", "RTX 3090", w)
		return formulaRate(t, prefillGauge{}, job, c)
	}
	layers := Sharding{Data: 1, Tensor: 1, Pipeline: 4, Layers: true}
	if one, four := rate(Workload{Context: 512}), rate(Workload{Context: 512, Cards: 4, Sharding: layers}); four > one {
		t.Errorf("one piece of prompt goes through four cards one after another at %.0f tokens/s, through one at %.0f",
			four, one)
	}
	if one, four := rate(Workload{Context: 8192}), rate(Workload{Context: 8192, Cards: 4,
		Sharding: layers}); four < 2*one || four > 4*one {
		t.Errorf("sixteen pieces keep four cards busy: %.0f tokens/s, one card %.0f", four, one)
	}
	if kept, flash := rate(Workload{Context: 8192, Attention: "eager"}), rate(Workload{Context: 8192,
		Attention: "flash"}); kept > 0.8*flash {
		t.Errorf("scores kept in memory cost nothing: %.0f tokens/s, without %.0f", kept, flash)
	}
}
