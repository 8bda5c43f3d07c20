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

// A host launches kernels ahead: what is quicker than the card is not seen, what is slower sets the pace.
func TestLaunchesHideBehindWork(t *testing.T) {
	for _, x := range []struct{ launch, busy, low, high float64 }{
		{0, 1, 0, 0}, {0.3, 1, 0, 0.01}, {1, 1, 0.15, 0.25}, {4, 1, 2.99, 3.01}, {2, 0, 2, 2},
	} {
		if got := exposed(x.launch, x.busy); got < x.low-1e-12 || got > x.high+1e-12 {
			t.Errorf("of %g s of launches beside %g s of work %g s are seen, want %g to %g", x.launch, x.busy, got,
				x.low, x.high)
		}
	}
	before := 0.0
	for busy := 0.1; busy < 10; busy *= 1.1 {
		if total := busy + exposed(1, busy); total <= before {
			t.Fatalf("with %g s of work a step takes %g s, with less %g", busy, total, before)
		} else {
			before = total
		}
	}
}

// Until June 2024 llama.cpp made weights 16 bits for each piece of a prompt where a card has matrix units, on Volta it
// does so still: 6.98e9 weights are read at 0.5625 and written at 2 bytes, for 512 tokens.
func TestWeightsAreWidenedWhereNoProductTakesThem(t *testing.T) {
	for _, x := range []struct {
		gpu, version, framework, weights string
		widened                          bool
	}{
		{"A100 PCIe 80GB", "2024-05", "llama.cpp", "q4_0", true},
		{"A100 PCIe 80GB", "", "llama.cpp", "q4_0", false},
		{"A100 PCIe 80GB", "2025-08", "llama.cpp", "q4_0", false},
		{"A100 PCIe 80GB", "2024-05", "llama.cpp", "f16", false},
		{"Tesla V100-PCIE-32GB", "", "llama.cpp", "q4_0", true},
		{"GTX 1080 Ti", "2024-05", "llama.cpp", "q4_0", false},
	} {
		w, c := speedJob(t, "llama-3-8b", x.gpu, Workload{Framework: x.framework, Weights: x.weights, Context: 512,
			Attention: "flash", Version: x.version})
		p := prefillParts(startOf(prefillGauge{}), w, c)
		if p.widened > 0 != x.widened {
			t.Errorf("%s of %q, %s: %g bytes are widened", x.gpu, x.version, x.weights, p.widened)
		}
		if want := 6.98e9 * (2 + w.bits.layers/8); x.widened && math.Abs(p.widened/want-1) > 0.01 {
			t.Errorf("%s: %g bytes, by hand %g", x.gpu, p.widened, want)
		}
	}
}
