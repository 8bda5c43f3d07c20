package sizing

import (
	"math"
	"testing"
)

func TestPartsSumToTheModel(t *testing.T) {
	models := everything(t).Models
	for i := range models.All {
		m := &models.All[i]
		sum, active := 0.0, 0.0
		for _, p := range m.Parts() {
			if p.Value < 0 || p.Active < 0 || p.Active > p.Value*(1+1e-9) {
				t.Errorf("%s: %+v", m.ID, p)
			}
			sum, active = sum+p.Value, active+p.Active
		}
		if m.Layers > 0 && math.Abs(sum/m.Parameters-1) > 0.12 {
			t.Errorf("%s: parts sum to %g, want %g", m.ID, sum, m.Parameters)
		}
	}
}

// Llama-3.1-8B: 8,030,261,248 parameters in Meta's checkpoint, 525,336,576 of them
// in each of embeddings and head; 128 KiB of keys and values a token.
func TestCountsOfLlama8B(t *testing.T) {
	m := everything(t).Models.Find("llama-3.1-8b")
	if m == nil {
		t.Fatal("not among the models")
	}
	parts := map[string]float64{}
	for _, p := range m.Parts() {
		parts[p.Part] = p.Value
	}
	for part, want := range map[string]float64{"embeddings": 525336576, "head": 525336576, "attention": 32 * 41943040,
		"mlp": 32 * 3 * 4096 * 14336} {
		if parts[part] != want {
			t.Errorf("%s: got %g, want %g", part, parts[part], want)
		}
	}
	if rest := parts["rest"] / m.Parameters; rest > 0.001 {
		t.Errorf("%.2f %% of the parameters are unexplained", 100*rest)
	}
	if got := m.KVBytes(1, 2); got != 131072 {
		t.Errorf("%g bytes of keys and values, want 131072", got)
	}
	// 2·(8.03e9 − 0.525e9) + 2·32·32·128·4096
	if got, want := m.ForwardFLOPs(4096).Value,
		2*(m.Parameters-525336576)+2*32*32*128*4096; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("forward: got %g, want %g", got, want)
	}
	if f, tr := m.ForwardFLOPs(4096).Value, m.TrainingFLOPs(4096, true).Value; tr != 4*f {
		t.Errorf("training with recomputation: got %g, want %g", tr, 4*f)
	}
}

// ZeRO, figure 1: 7.5 billion parameters on 64 cards take 120, 31.4, 16.6 and 1.9 GB.
func TestStatesAreThoseOfThePaper(t *testing.T) {
	for stage, want := range []float64{120, 31.4, 16.6, 1.9} {
		if got := TrainingStates(7.5e9, stage, 64).Value / 1e9; math.Abs(got-want) > 0.05 {
			t.Errorf("stage %d: got %.2f GB, want %.1f", stage, got, want)
		}
	}
}

// The first convolution of ResNet-50: 7·7·3·64 weights, 118 million
// multiply-accumulates on 112 × 112 outputs; its last layer is 2048 × 1000.
func TestLayers(t *testing.T) {
	p, f := Layer{Kind: "convolution", Inputs: 3, Outputs: 64, KernelHeight: 7, KernelWidth: 7, Height: 112,
		Width: 112}.Count()
	if p.Value != 9408 || f.Value != 2*118013952 {
		t.Errorf("convolution: got %g parameters, %g operations", p.Value, f.Value)
	}
	p, f = Layer{Kind: "dense", Inputs: 2048, Outputs: 1000}.Count()
	if p.Value != 2048000 || f.Value != 4096000 {
		t.Errorf("dense: got %g parameters, %g operations", p.Value, f.Value)
	}
}

func TestWeightsLeaveEmbeddingsIn16Bits(t *testing.T) {
	a := everything(t)
	m, f := a.Models.Find("llama-3.1-8b"), a.Formats.Find("nf4")
	if m == nil || f == nil || !f.Linear {
		t.Fatal("no such model or format")
	}
	want := (m.Parameters-2*525336576)*f.Bytes() + 2*525336576*2
	if got := m.WeightBytes(f); math.Abs(got-want) > 1 {
		t.Errorf("got %g, want %g", got, want)
	}
}
