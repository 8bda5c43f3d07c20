package sizing_test

import (
	"testing"

	"tianti/sizing"
)

// Releases with the same layers are told apart by nothing that a run depends on.
func TestModelsWithTheSameLayersAreOfOneBuild(t *testing.T) {
	a := estimatorOfBuiltin(t)
	for _, x := range []struct{ id, twin, kin string }{
		{"llama-3-8b", "llama-3-8b", "llama-3-8b"},
		{"llama-3.1-8b", "llama-3-8b", "llama-3-8b"},
		{"hermes-3-llama-3.1-8b", "llama-3-8b", "llama-3-8b"},
		{"mistral-7b-v0.3", "mistral-7b-v0.1", "mistral-7b-v0.1"}, // 32,768 words for 32,000, another window
		{"llama-3.3-70b", "llama-3-70b", "llama-2-70b"},           // four times as many words, 2 % of the parameters
		{"llama-2-7b", "llama-2-7b", "llama-2-7b"},                // other MLP and heads than Mistral 7B
		{"qwen2.5-7b", "qwen2.5-7b", "qwen2.5-7b"},
	} {
		m := a.Models.Find(x.id)
		if m == nil {
			t.Fatalf("no model %s", x.id)
		}
		if m.Twin() != x.twin || m.Kin() != x.kin {
			t.Errorf("%s: twin %s and kin %s, want %s and %s", x.id, m.Twin(), m.Kin(), x.twin, x.kin)
		}
	}
	for i := range a.Models.All {
		m := &a.Models.All[i]
		first := a.Models.Find(m.Twin())
		if first == nil || first.Twin() != first.ID || a.Models.Find(m.Kin()) == nil {
			t.Errorf("%s: twin %s, kin %s", m.ID, m.Twin(), m.Kin())
		}
	}
}

// A model that was never run is as well known as the one with the same layers that was.
func TestARunOfATwinIsARunOfTheJob(t *testing.T) {
	a := estimatorOfBuiltin(t)
	card := a.Card("nvidia-a100-sxm4-80gb")
	speed := func(model string, batch, context int) sizing.Speed {
		w := sizing.Workload{Model: a.Models.Find(model), Task: sizing.QLoRA, Framework: "trl-liger", Batch: batch,
			Context: context, Targets: "q,k,v,o", Rank: 16, Checkpointing: "full"}
		a.Complete(&w, card)
		s, ok := a.Training(&w, card)
		if !ok {
			t.Fatalf("no estimate of %s", model)
		}
		return s
	}
	ran, twin := speed("llama-3-8b", 8, 4096), speed("llama-3.1-8b", 8, 4096)
	if ran.Evidence.Tier != sizing.Measured || twin.Evidence.Tier != sizing.Measured || ran.Rate != twin.Rate {
		t.Errorf("Llama 3 8B: %v, %s; Llama 3.1 8B: %v, %s", ran.Rate, ran.Evidence.Tier, twin.Rate, twin.Evidence.Tier)
	}
	// A usual question that nobody ran stands on runs of other sizes on its card.
	if usual := speed("llama-3.1-8b", 1, 2048); usual.Evidence.Tier == sizing.Formula ||
		usual.Rate.High/usual.Rate.Expected > 1.2 {
		t.Errorf("one sequence of 2,048 tokens: %v, %s", usual.Rate, usual.Evidence.Tier)
	}
}
