package sizing

import (
	"strconv"
	"strings"
	"testing"
)

func tuned(t testing.TB, a *Estimator, w Workload) map[string]float64 {
	t.Helper()
	w.Compute, w.Batch, w.Context = "bf16", 1, 2048
	return parts(t, a, jobOn(t, a, "llama-3.1-8b", w))
}

func TestFusedStepsCopyNothing(t *testing.T) {
	a := everything(t)
	w := Workload{Task: Full, Framework: "transformers", Weights: "bf16", Checkpointing: "full"}
	for optimizer, copies := range map[string]bool{"adamw": true, "adamw-fused": false, "adamw-8bit": false} {
		w.Optimizer = optimizer
		if got := tuned(t, a, w)["temporaries"]; got > 0 != copies {
			t.Errorf("%s: temporaries of %.1f GB", optimizer, got/1e9)
		}
	}
	w.Optimizer = "adafactor" // of the embeddings alone, as far as the backward pass is less
	if got := tuned(t, a, w)["temporaries"]; got <= 0 || got > 12*128256*4096 {
		t.Errorf("adafactor: temporaries of %.1f GB", got/1e9)
	}
}

func TestWeightsIn32BitsHaveCopiesToComputeWith(t *testing.T) {
	a := everything(t)
	w := Workload{Task: Full, Framework: "transformers", Weights: "fp32", Checkpointing: "full",
		Optimizer: "adamw-fused"}
	if got := tuned(t, a, w)["casts"]; !near(got, 2*8.03e9, 0.01) {
		t.Errorf("%.2f GB", got/1e9)
	}
	for name, change := range map[string]func(*Workload){
		"16-bit weights": func(w *Workload) { w.Weights = "bf16" },
		"no autocast":    func(w *Workload) { w.Framework = "transformers-deepspeed" },
		"adapters":       func(w *Workload) { w.Task, w.Weights = LoRA, "bf16" },
		"sharded": func(w *Workload) {
			w.Cards, w.Sharding = 8, Sharding{Data: 8, Tensor: 1, Pipeline: 1, Stage: 3}
		},
	} {
		x := w
		change(&x)
		if got := tuned(t, a, x)["casts"]; got != 0 {
			t.Errorf("%s: %.2f GB", name, got/1e9)
		}
	}
}

// A run that names no release of PEFT, or an early one, keeps inputs of adapters in 32 bits; questions do not.
func TestAdaptersOfEarlierReleasesKeepTheirInputs(t *testing.T) {
	a := everything(t)
	w := Workload{Task: LoRA, Framework: "transformers", Weights: "bf16", Checkpointing: "none", Rank: 16,
		Targets: allLinear}
	asked := tuned(t, a, w)["activations"]
	w.casts = true
	inputs := 4.0 * 32 * 2048 * (6*4096 + 14336) // bytes, layers, tokens, widths
	if kept := tuned(t, a, w)["activations"] - asked; !near(kept, inputs, 1e-9) {
		t.Errorf("%.2f GB, want %.2f", kept/1e9, inputs/1e9)
	}
	for notes, old := range map[string]bool{
		"": true, "peft 0.19.1": true, "PEFT=0.20": true, "PEFT 0.21.0, driver 580": false, "peft v1.0": false,
	} {
		if newAdapters(notes) == old {
			t.Errorf("%q", notes)
		}
	}
}

func TestDefaultsAreThoseOfTheFramework(t *testing.T) {
	a := everything(t)
	card := mustCard(t, a, "H200 SXM")
	for _, x := range []struct{ model, framework, task, optimizer string }{
		{"llama-3.1-8b", "trl", "full", "adamw-fused"}, {"llama-3.1-8b", "axolotl", "qlora", "adamw-fused"},
		{"llama-3.1-8b", "unsloth", "qlora", "adamw-8bit"}, {"llama-3.1-8b", "torchtune", "full", "adamw"},
	} {
		w := ask(t, a, "model="+x.model+"&task="+x.task+"&framework="+x.framework+"&card=H200 SXM").Workload
		a.Complete(&w, card)
		if w.Optimizer != x.optimizer {
			t.Errorf("%s of %s: %s, want %s", x.task, x.framework, w.Optimizer, x.optimizer)
		}
	}
}

// One sequence of GPT-2 does not keep a card busy; one of an 8B model does.
func TestSmallModelsLearnFromSeveralSequencesAtOnce(t *testing.T) {
	a := everything(t)
	card := mustCard(t, a, "A100 SXM 80GB")
	for job, batch := range map[string]int{
		"model=gpt-2&task=full": 8, "model=gpt-2&task=full&context=256": 32, "model=gpt-2&task=full&batch=3": 3,
		"model=llama-3.1-8b&task=full": 1, "model=gpt-2&task=inference": 1,
	} {
		w := ask(t, a, job+"&card=A100 SXM 80GB").Workload
		a.Complete(&w, card)
		if w.Batch != batch {
			t.Errorf("%s: %d sequences, want %d", job, w.Batch, batch)
		}
	}
}

// The host starts seven adapters and their layer in more time than the layer.
func TestAdaptersTakeTheHostTime(t *testing.T) {
	k := trainingConstants()
	rate := func(targets string, batch int) float64 {
		w := Workload{Model: llama8B(), Task: LoRA, Compute: "bf16", Batch: batch, Context: 512, Cards: 1,
			Targets: targets}
		v, _ := training{}.formula(k, &w, h100(), false)
		return v
	}
	few, all := rate("q,v", 1), rate(allLinear, 1)
	if many := rate(allLinear, 64); few <= all || all >= many {
		t.Errorf("two adapters %.0f, seven %.0f, seven with 64 sequences %.0f tokens/s", few, all, many)
	}
	w := Workload{Model: llama8B(), Task: Full, Compute: "bf16", Batch: 1, Context: 512, Cards: 1}
	var step trainingStep
	if got, want := step.starting(k, &w), k.Of("", "launch"); got != want {
		t.Errorf("without adapters %v s a layer, want %v", got, want)
	}
}

func TestOptimizersAreReadAsTheirOwnersNameThem(t *testing.T) {
	for name, want := range map[string]string{
		"adamw_torch_fused": "adamw-fused", "adamw_torch": "adamw", "AdamW": "adamw", "fused adam": "adamw-fused",
		"adamw_apex_fused": "adamw-fused", "adamw_bnb_8bit": "adamw-8bit", "paged_adamw_32bit": "paged-adamw",
	} {
		if got, ok := optimizerOf(name); !ok || got != want {
			t.Errorf("%s: %s, %s, want %s", name, got, strconv.FormatBool(ok), want)
		}
	}
	if got := strings.Join(optimizers, " "); !strings.Contains(got, "adamw-fused") {
		t.Error(got)
	}
}
