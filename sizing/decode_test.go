package sizing

import (
	"math"
	"testing"
)

// startOf are the constants of a gauge before any fit.
func startOf(g gauge) Constants {
	k := Constants{}
	for _, b := range g.bounds() {
		k[Constant{"", b.Name}] = b.Start
	}
	return k
}

// speedJob is a job of inference on cards of one kind, ready for a formula.
func speedJob(t testing.TB, model, card string, w Workload) (*Workload, *Card) {
	t.Helper()
	a := everything(t)
	if w.Model, _ = a.Models.FindModel(model); w.Model == nil {
		t.Fatalf("no model %q", model)
	}
	cards := a.FindCards(card)
	if len(cards) != 1 {
		t.Fatalf("card %q means %d cards", card, len(cards))
	}
	w.Task = Inference
	w.Batch, w.Cards = max(1, w.Batch), max(1, w.Cards)
	w.Prepare(a.Profiles, a.Formats)
	return &w, cards[0]
}

func formulaRate(t testing.TB, g gauge, w *Workload, c *Card) float64 {
	t.Helper()
	v, _ := g.formula(startOf(g), w, c, false)
	return v
}

// Llama-3-8B in Q4_K_M on an RTX 3090, by hand: 8.03e9 − 0.525e9 parameters at
// 4.8944 bits are 4.59 GB, at 85 % of 936 GB/s 5.77 ms, and by 82 units of 1.695 GHz that read 9 B a cycle
// 3.67 ms, which together are 6.24 ms; unpacking at 0.5 B per
// operation of 35.6 TFLOP/s 0.26 ms; keys and values of 576 tokens (512 to 640) at
// 131,072 B each over 70 % of the bandwidth 0.12 ms; 32 layers of 100 µs, and of 10 more for weights
// of fewer bits, 3.5 ms; the host 0.5 ms.
func TestDecodeFormulaByHand(t *testing.T) {
	w, c := speedJob(t, "llama-3-8b", "RTX 3090", Workload{Framework: "llama.cpp", Weights: "q4_k_m", Context: 640,
		Prompt: 512})
	weights := (8.030e9 - 128256*4096) * 4.8944 / 8
	read := math.Cbrt(math.Pow(weights/(0.85*936e9), 3) + math.Pow(weights/(82*1.695e9*9), 3))
	want := 1 / (read + weights/(0.5*35.6e12) + 576*131072/(0.7*936e9) + 32*110e-6 + 0.5e-3)
	if got := formulaRate(t, decodeGauge{}, w, c); math.Abs(got/want-1) > 0.01 {
		t.Errorf("formula %.1f tokens/s, by hand %.1f", got, want)
	}
}

func TestLinesOfSpeedsAddUp(t *testing.T) {
	for _, g := range []gauge{decodeGauge{}, prefillGauge{}} {
		for _, w := range []Workload{
			{Framework: "llama.cpp", Weights: "q4_k_m", Context: 2048, Prompt: 1024},
			{Framework: "llama.cpp", Weights: "f16", Context: 8192, Prompt: 8000, Attention: "eager", Cards: 4,
				Sharding: Sharding{Data: 1, Tensor: 1, Pipeline: 4, Layers: true}},
			{Framework: "vllm", Weights: "bf16", Context: 8192, Prompt: 6144, Cards: 4, Batch: 256,
				Sharding: Sharding{Data: 1, Tensor: 4, Pipeline: 1}},
			{Framework: "vllm", Weights: "gptq-int4", Context: 8192, Prompt: 6144, Reading: "request"},
		} {
			job, c := speedJob(t, "qwen2.5-7b", "A100 SXM 80GB", w)
			v, lines := g.formula(startOf(g), job, c, true)
			sum := 0.0
			for _, l := range lines {
				sum += l.Value
				if l.Value < 0 || l.Formula == "" || l.Source == "" || len(l.Inputs) == 0 || limitOf[l.Part] == "" {
					t.Errorf("%T: line %+v lacks something", g, l)
				}
			}
			requests := 1.0
			if _, ok := g.(decodeGauge); ok {
				requests = float64(job.Batch)
			}
			if math.Abs(sum*v/requests-1) > 1e-9 {
				t.Errorf("%T %+v: lines sum to %g s, the rate is %g tokens/s", g, w, sum, v)
			}
		}
	}
}

func TestWhatMakesDecodeFaster(t *testing.T) {
	rate := func(w Workload, model string) float64 {
		if w.Framework == "" {
			w.Framework, w.Weights = "vllm", "bf16"
		}
		job, c := speedJob(t, model, "A100 SXM 80GB", w)
		return formulaRate(t, decodeGauge{}, job, c)
	}
	one := rate(Workload{Context: 2048}, "llama-3-70b")
	tensor := rate(Workload{Context: 2048, Cards: 4, Sharding: Sharding{Data: 1, Tensor: 4, Pipeline: 1}},
		"llama-3-70b")
	layers := rate(Workload{Context: 2048, Cards: 4, Sharding: Sharding{Data: 1, Tensor: 1, Pipeline: 4, Layers: true}},
		"llama-3-70b")
	if tensor < 2.5*one || tensor > 4*one {
		t.Errorf("four cards that share layers give %.1f tokens/s, one %.1f", tensor, one)
	}
	if layers > one {
		t.Errorf("four cards one after another give %.1f tokens/s, one %.1f", layers, one)
	}
	b1, b8 := rate(Workload{Context: 2048}, "llama-3-8b"), rate(Workload{Context: 2048, Batch: 8}, "llama-3-8b")
	b1024, b4096 := rate(Workload{Context: 2, Batch: 4096}, "llama-3-8b"), rate(Workload{Context: 2, Batch: 16384},
		"llama-3-8b")
	if b8 < 6*b1 || b8 > 8*b1 {
		t.Errorf("eight requests get %.0f tokens/s, one %.0f", b8, b1)
	}
	if b4096 > 1.1*b1024 {
		t.Errorf("16384 requests get %.0f tokens/s, 4096 %.0f: arithmetic must limit", b4096, b1024)
	}
	if short, long := rate(Workload{Context: 1000}, "llama-3-8b"), rate(Workload{Context: 100000},
		"llama-3-8b"); long >= short {
		t.Errorf("a long context is not slower: %.1f, %.1f", long, short)
	}
	// Three of thirty billion parameters are read for a token of Qwen3-30B-A3B.
	if experts, dense := rate(Workload{Context: 1000}, "qwen3-30b-a3b"), rate(Workload{Context: 1000},
		"qwen3-32b"); experts < 2*dense {
		t.Errorf("a mixture of experts gets %.1f tokens/s, a dense model of its size %.1f", experts, dense)
	}
}

func TestNoSpeedWithoutFigures(t *testing.T) {
	w, c := speedJob(t, "llama-3-8b", "RTX 3090", Workload{Framework: "llama.cpp", Weights: "q4_k_m", Context: 640})
	noBandwidth, noRate, noFormat := *c, *c, *w
	noBandwidth.Bandwidth = 0
	noRate.FP32, noRate.FP16, noRate.BF16, noRate.INT8 = 0, 0, 0, 0
	noFormat.format = nil
	for _, g := range []gauge{decodeGauge{}, prefillGauge{}} {
		for name, v := range map[string]float64{"bandwidth": formulaRate(t, g, w, &noBandwidth),
			"rate": formulaRate(t, g, w, &noRate), "format": formulaRate(t, g, &noFormat, c), "card": formulaRate(t, g,
				w, nil)} {
			if v != 0 {
				t.Errorf("%T without %s: %g tokens/s, want none", g, name, v)
			}
		}
	}
}

func TestFormulasOfSpeedsDoNotAllocate(t *testing.T) {
	w, c := speedJob(t, "llama-3-8b", "RTX 3090", Workload{Framework: "llama.cpp", Weights: "q4_k_m", Context: 640})
	for _, g := range []gauge{decodeGauge{}, prefillGauge{}} {
		k := startOf(g)
		if n := testing.AllocsPerRun(100, func() { g.formula(k, w, c, false) }); n > 0 {
			t.Errorf("%T allocates %g times", g, n)
		}
	}
}

func TestSeriesIsTheNameBeforeTheSize(t *testing.T) {
	for id, want := range map[string]string{
		"llama-3-8b": "llama-3", "llama-3.1-70b": "llama-3.1", "qwen2.5-0.5b": "qwen2.5",
		"qwen3-30b-a3b": "qwen3", "gpt-oss-20b": "gpt-oss",
		"phi-3-mini": "phi-3-mini", "smollm2-135m": "smollm2", "": "",
	} {
		if got := series(id); got != want {
			t.Errorf("series of %q is %q, want %q", id, got, want)
		}
	}
}
