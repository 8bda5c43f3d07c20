package sizing

import (
	"math"
	"testing"
)

// The lines of caches, states and towers are what their formulas give, for every preset
// that is sized: alone, on cards that share each layer, and with layers one after another.
func TestLinesOfPresetsAreWhatTheirFormulasGive(t *testing.T) {
	a := tables(t)
	seen := map[string]int{}
	for i := range a.Models.All {
		m := &a.Models.All[i]
		if !m.WritesText() || m.Layers == 0 || m.Heads%2 != 0 {
			continue
		}
		for _, framework := range []string{"vllm", "llama.cpp"} {
			w := Workload{Model: m, Task: Inference, Framework: framework, Cards: 2, Batch: 3, Context: 5000,
				Prompt: 1000}
			a.Complete(&w, nil)
			k := startOf(memory{})
			_, lines := memory{}.formula(k, &w, nil, true)
			for _, l := range lines {
				if l.Part != "kv_cache" && l.Part != "state" && l.Part != "vision" && l.Part != "weights" {
					continue
				}
				seen[l.Part+" "+l.Formula]++
				if got, err := evaluate(l); err != nil || math.Abs(got/l.Value-1) > 1e-9 || l.Source == "" {
					t.Errorf("%s, %s: %s = %s with %v: got %v (%v), want %v", m.ID, framework, l.Part, l.Formula,
						l.Inputs, got,
						err, l.Value)
				}
				if l.Part == "vision" && framework == "llama.cpp" {
					t.Errorf("%s: files of llama.cpp have no tower", m.ID)
				}
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("got %d kinds of lines, want 8: %v", len(seen), seen)
	}
}

// Of 16 sequences, Qwen3.5-27B keeps a state of 48 layers · 48 · 128 · 128 in 32 bits each,
// which two cards share, beside 16 layers of keys and values.
func TestAStateIsOfEachSequence(t *testing.T) {
	a := tables(t)
	w := Workload{Model: a.Models.Find("qwen3.5-27b"), Task: Inference, Cards: 2, Batch: 16, Context: 4096}
	a.Complete(&w, nil)
	_, lines := memory{}.formula(startOf(memory{}), &w, nil, true)
	got := map[string]float64{}
	for _, l := range lines {
		got[l.Part] = l.Value
	}
	if want := 16.0 * 48 * 48 * 128 * 128 * 4 / 2; got["state"] != want {
		t.Errorf("states: got %v, want %v", got["state"], want)
	}
	if want := 16.0 * 16 * 2 * 4 * 256 * 2 * 4096 / 2; got["kv_cache"] != want {
		t.Errorf("keys and values: got %v, want %v", got["kv_cache"], want)
	}
	if want := 0.46e9 * 2 / 2; got["vision"] != want {
		t.Errorf("tower: got %v, want %v", got["vision"], want)
	}
}

func TestKindsOfModelsAreRefusedByTasksThatTheyDoNotHave(t *testing.T) {
	a := tables(t)
	for i := range a.Models.All {
		m := &a.Models.All[i]
		e := wrongKind(&Workload{Model: m, Task: Inference})
		if (e != nil) != (m.Kind == "vision") {
			t.Errorf("%s (%s): inference: %v", m.ID, m.Kind, e)
		}
		if e := wrongKind(&Workload{Model: m, Task: LoRA}); (e != nil) != (m.Kind == "speech") {
			t.Errorf("%s (%s): LoRA: %v", m.ID, m.Kind, e)
		}
	}
}
