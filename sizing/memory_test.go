package sizing

import (
	"math"
	"testing"
)

// jobOn prepares a workload of a model that is known by name.
func jobOn(t testing.TB, a *Estimator, model string, w Workload) *Workload {
	t.Helper()
	if w.Model == nil {
		m, like := a.Models.FindModel(model)
		if m == nil {
			t.Fatalf("no model %q; like it: %v", model, like)
		}
		w.Model = m
	}
	if w.Cards == 0 {
		w.Cards = 1
	}
	if w.Sharding == (Sharding{}) {
		w.Sharding = Sharding{Data: w.Cards, Tensor: 1, Pipeline: 1}
	}
	w.Prepare(a.Profiles, a.Formats)
	if w.profile == nil || w.format == nil {
		t.Fatalf("framework %q or format %q is not known", w.Framework, w.Weights)
	}
	return &w
}

func mustCard(t testing.TB, a *Estimator, name string) *Card {
	t.Helper()
	cards := a.FindCards(name)
	if len(cards) != 1 {
		t.Fatalf("%q means %d cards", name, len(cards))
	}
	return cards[0]
}

// parts are the lines of a job's formula by their part.
func parts(t testing.TB, a *Estimator, w *Workload) map[string]float64 {
	t.Helper()
	q := memoryQuantity(w)
	v, lines := gauges[q].formula(a.fields[q].Constants, w, nil, true)
	out, sum := map[string]float64{}, 0.0
	for _, l := range lines {
		if l.Formula == "" || l.Source == "" || len(l.Inputs) == 0 {
			t.Errorf("%s: line without formula, source or inputs: %+v", l.Part, l)
		}
		out[l.Part] += l.Value
		sum += l.Value
	}
	if math.Abs(sum/v-1) > 1e-9 {
		t.Errorf("lines sum to %g, want %g", sum, v)
	}
	return out
}

func near(got, want, tolerance float64) bool { return math.Abs(got/want-1) <= tolerance }

func TestSevenBillionParametersInFP32Take26GiB(t *testing.T) {
	a := everything(t)
	w := jobOn(t, a, "7B", Workload{Model: &Model{ID: "7b", Parameters: 7e9, Active: 7e9, Layers: 32, Hidden: 4096,
		Heads: 32, KVHeads: 32, HeadDim: 128, Intermediate: 11008, Vocabulary: 32000},
		Task: Inference, Framework: "transformers", Weights: "fp32", Context: 1, Batch: 1})
	if got := parts(t, a, w)["weights"] / gib; !near(got, 26.08, 0.001) {
		t.Errorf("weights take %.2f GiB, want 26.08", got)
	}
}

func TestStatesFollowZeRO(t *testing.T) {
	a := everything(t)
	for _, x := range []struct {
		stage, cards int
		want         float64 // bytes a parameter on each card
	}{
		{0, 1, 16}, {0, 8, 16}, {1, 8, 4 + 12.0/8}, {2, 8, 2 + 14.0/8}, {3, 8, 16.0 / 8}, {3, 64, 16.0 / 64},
	} {
		w := jobOn(t, a, "Llama-2-7B", Workload{Task: Full, Framework: "deepspeed", Weights: "bf16", Compute: "bf16",
			Optimizer: "adamw", Checkpointing: "full", Batch: 1, Context: 512,
			Cards: x.cards, Sharding: Sharding{Data: x.cards, Tensor: 1, Pipeline: 1, Stage: x.stage}})
		p := parts(t, a, w)
		got := (p["weights"] + p["gradients"] + p["master"] + p["optimizer"]) / w.Model.Parameters
		if !near(got, x.want, 1e-9) {
			t.Errorf("ZeRO-%d on %d cards: %.3f bytes a parameter, want %.3f", x.stage, x.cards, got, x.want)
		}
		if gathered := p["gathered"] > 0; gathered != (x.stage == 3) {
			t.Errorf("ZeRO-%d: gathered layers %v", x.stage, p["gathered"])
		}
	}
}

func TestParallelismDividesWhatItShares(t *testing.T) {
	a := everything(t)
	job := func(s Sharding) map[string]float64 {
		return parts(t, a, jobOn(t, a, "Llama-3.1-70B",
			Workload{Task: Full, Framework: "megatron", Weights: "bf16", Compute: "bf16", Optimizer: "adamw",
				Checkpointing: "none", Batch: 1, Context: 4096,
				Accumulation: 16, Cards: max(1, s.Data) * s.Tensor * s.Pipeline, Sharding: s}))
	}
	one, tensor, pipeline := job(Sharding{Data: 1, Tensor: 1, Pipeline: 1}), job(Sharding{Data: 1, Tensor: 8,
		Pipeline: 1}), job(Sharding{Data: 1, Tensor: 1, Pipeline: 8})
	for _, part := range []string{"weights", "gradients", "optimizer"} {
		if !near(tensor[part], one[part]/8, 1e-9) || !near(pipeline[part], one[part]/8, 1e-9) {
			t.Errorf("%s: %g alone, %g on 8 tensor-parallel cards, %g on 8 pipeline stages; want an eighth", part,
				one[part], tensor[part], pipeline[part])
		}
	}
	if !near(tensor["activations"], one["activations"]/8, 1e-9) {
		t.Errorf("activations: %g alone, %g on 8 tensor-parallel cards", one["activations"], tensor["activations"])
	}
	if !near(pipeline["activations"], one["activations"], 1e-9) {
		t.Errorf("activations: %g alone, %g on the first of 8 stages with 8 micro-batches in flight; want the same",
			one["activations"], pipeline["activations"])
	}
}

func TestMoreNeedsMore(t *testing.T) {
	a := everything(t)
	base := Workload{Task: LoRA, Framework: "transformers", Weights: "bf16", Compute: "bf16", Optimizer: "adamw",
		Checkpointing: "full", Batch: 2, Context: 2048, Rank: 16, Targets: "all"}
	need := func(change func(*Workload)) float64 {
		w := base
		change(&w)
		sum := 0.0
		for _, v := range parts(t, a, jobOn(t, a, "Llama-3.1-8B", w)) {
			sum += v
		}
		return sum
	}
	is := need(func(*Workload) {})
	for name, change := range map[string]func(*Workload){
		"batch":            func(w *Workload) { w.Batch = 4 },
		"context":          func(w *Workload) { w.Context = 4096 },
		"rank":             func(w *Workload) { w.Rank = 64 },
		"no checkpointing": func(w *Workload) { w.Checkpointing = "none" },
		"all parameters":   func(w *Workload) { w.Task = Full },
		"embeddings":       func(w *Workload) { w.TrainEmbeddings = true },
	} {
		if got := need(change); got <= is {
			t.Errorf("%s: %.2f GB, not more than %.2f", name, got/1e9, is/1e9)
		}
	}
	for name, change := range map[string]func(*Workload){
		"quantised base": func(w *Workload) { w.Task, w.Weights = QLoRA, "nf4" },
		"fused loss":     func(w *Workload) { w.FusedLoss = true },
		"8-bit states":   func(w *Workload) { w.Optimizer = "adamw-8bit" },
		"paged states":   func(w *Workload) { w.Optimizer = "paged-adamw-8bit" },
		"fewer targets":  func(w *Workload) { w.Targets = "q,v" },
	} {
		if got := need(change); got >= is {
			t.Errorf("%s: %.2f GB, not less than %.2f", name, got/1e9, is/1e9)
		}
	}
}

func TestASevenBModelIsFineTunedOnA24GBCardOnlyWithAdapters(t *testing.T) {
	a := everything(t)
	card := mustCard(t, a, "RTX 4090")
	base := Workload{Framework: "transformers", Weights: "bf16", Compute: "bf16", Optimizer: "adamw",
		Checkpointing: "full", Batch: 1, Context: 1024, Rank: 16, Targets: "all"}
	full, qlora := base, base
	full.Task, qlora.Task, qlora.Weights = Full, QLoRA, "nf4"
	m, ok := a.Memory(jobOn(t, a, "Llama-2-7B", full), card)
	if !ok || m.Verdict != TooBig || m.Missing <= 0 {
		t.Errorf("full fine-tuning: %v, %.1f GB missing, need %.1f", m.Verdict, m.Missing/1e9, m.PerCard.Expected/1e9)
	}
	m, ok = a.Memory(jobOn(t, a, "Llama-2-7B", qlora), card)
	if !ok || m.Verdict != Fits || m.Missing != 0 {
		t.Errorf("QLoRA: %v, need %.1f … %.1f GB of %.1f", m.Verdict, m.PerCard.Low/1e9, m.PerCard.High/1e9,
			m.Usable/1e9)
	}
	sum := 0.0
	for _, l := range m.Lines {
		sum += l.Value
	}
	if !near(sum, m.PerCard.Expected, 1e-9) {
		t.Errorf("lines with the correction sum to %g, want %g", sum, m.PerCard.Expected)
	}
}

func TestOffloadMovesStatesToTheHost(t *testing.T) {
	a := everything(t)
	card := mustCard(t, a, "RTX 4090")
	w := Workload{Task: Full, Framework: "transformers-deepspeed", Weights: "bf16", Compute: "bf16", Optimizer: "adamw",
		Checkpointing: "full", Batch: 1, Context: 1024, Sharding: Sharding{Data: 1, Tensor: 1, Pipeline: 1}}
	alone, _ := a.Memory(jobOn(t, a, "Llama-2-7B", w), card)
	w.Sharding.Offload = "optimizer"
	offloaded, _ := a.Memory(jobOn(t, a, "Llama-2-7B", w), card)
	if alone.Host != 0 || !near(offloaded.Host, 12*6.738e9, 0.01) {
		t.Errorf("host memory: %g alone, %g offloaded; want 0 and 12 bytes a parameter", alone.Host, offloaded.Host)
	}
	if moved := alone.Evidence.Formula - offloaded.Evidence.Formula; moved < 0.9*offloaded.Host {
		t.Errorf("%g bytes came to the host, but only %g left the card", offloaded.Host, moved)
	}
}

func TestReadingsCountMore(t *testing.T) {
	a := everything(t)
	was := 0.0
	for _, reading := range []string{readAllocated, readReserved, readDriver} {
		w := jobOn(t, a, "Llama-2-7B", Workload{Task: LoRA, Framework: "litgpt", Weights: "bf16", Compute: "bf16",
			Checkpointing: "none", Batch: 1, Context: 1024, Reading: reading})
		v, _ := gauges[MemoryTraining].formula(a.fields[MemoryTraining].Constants, w, nil, false)
		if v <= was {
			t.Errorf("%s: %g, not more than what counts less (%g)", reading, v, was)
		}
		was = v
	}
}

func TestMixturesKeepAllExperts(t *testing.T) {
	a := everything(t)
	w := jobOn(t, a, "Qwen3-30B-A3B", Workload{Task: Inference, Framework: "transformers", Weights: "bf16", Batch: 1,
		Context: 4096, Prompt: 2048})
	if p := parts(t, a, w); !near(p["weights"], 2*30.5e9, 0.01) {
		t.Errorf("weights of a mixture of 30.5 billion take %.1f GB", p["weights"]/1e9)
	}
	latent := jobOn(t, a, "DeepSeek-V3", Workload{Task: Inference, Framework: "vllm", Weights: "fp8", Batch: 1,
		Context: 1 << 17, Prompt: 2048, Cards: 8, Sharding: Sharding{Data: 1, Tensor: 8, Pipeline: 1}})
	if got := parts(t, a, latent)["kv_cache"] / (1 << 17); !near(got, 70272, 0.001) {
		t.Errorf(
			"latent keys and values take %.0f bytes a token on each card, want 70272: tensor parallelism does not "+
				"divide them",
			got,
		)
	}
}

func TestCardsRefuseWhatTheyLack(t *testing.T) {
	a := everything(t)
	lora := Workload{Task: LoRA, Framework: "transformers", Weights: "bf16", Compute: "bf16", Attention: "flash"}
	fp8 := Workload{Task: Pretrain, Framework: "torchtitan", Weights: "fp32", Compute: "fp8"}
	served := Workload{Task: Inference, Framework: "vllm", Weights: "bf16"}
	for _, x := range []struct {
		card string
		w    Workload
		want []string
	}{
		{"T4", lora, []string{"no_bf16", "no_flash2"}},
		{"Tesla V100 SXM2 32GB", lora, []string{"no_bf16", "no_flash2"}},
		{"RTX 2080 Ti", lora, []string{"no_bf16", "no_flash2"}},
		{"RTX 3090", lora, nil},
		{"RTX 3090", fp8, []string{"no_fp8"}},
		{"A100 80GB", fp8, []string{"no_fp8"}},
		{"RTX 4090", fp8, nil},
		{"H100 80GB", fp8, nil},
		{"MI300X", fp8, nil},
		{"MI300X", served, nil},
	} {
		w := jobOn(t, a, "Llama-2-7B", x.w)
		got := map[string]bool{}
		for _, r := range Refusals(w, mustCard(t, a, x.card)) {
			got[r.Reason] = true
		}
		for _, reason := range x.want {
			if !got[reason] {
				t.Errorf("%s, %s in %s: not refused for %s", x.card, w.Task, w.Compute, reason)
			}
			delete(got, reason)
		}
		if len(got) > 0 {
			t.Errorf("%s, %s in %s: also refused for %v", x.card, w.Task, w.Compute, got)
		}
	}
	if r := Refusals(jobOn(t, a, "Llama-2-7B", served), &Card{Name: "a card without a figure"}); len(r) != 1 ||
		r[0].Reason != "no_memory_figure" {
		t.Errorf("a card without memory figure: %v", r)
	}
}

func TestRunsThatFitAreSaidToFit(t *testing.T) {
	a := all(t)
	runs, wrong, open, out, falseFits := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, q := range []Quantity{MemoryInference, MemoryTraining} {
		f := a.fields[q]
		for _, c := range a.CasesOf(q) {
			if !c.Trusted || c.Card == nil || c.Card.Usable == 0 {
				continue
			}
			w := c.Workload
			w.Reading = ""
			r, _, _, ok := f.estimate(&w, c.Card, false, f.copies(c))
			if !ok {
				continue
			}
			v := f.fits(&w, c.Card, r)
			runs++
			if v == Borderline {
				open++
			}
			if !c.Ran {
				out++
			}
			if v == Fits && !c.Ran {
				falseFits++
			}
			if v == Fits && !c.Ran || v == TooBig && c.Ran {
				wrong++
				t.Logf("%s: %s of %s with %s on %d × %s: %s, but ran is %v: %.1f … %.1f GB of %.1f", c.ID, w.Task,
					w.Model.ID, w.Framework, w.Cards, c.Card.Name, v, c.Ran, r.Low/1e9, r.High/1e9, c.Card.Usable/1e9)
			}
		}
	}
	t.Logf("%.0f runs: %.1f %% right, %.1f %% left open; of %.0f that ran out of memory %.1f %% are called fits", runs,
		100*(1-wrong/runs), 100*open/runs, out, 100*falseFits/out)
	if wrong > 0.03*runs || falseFits > 0.05*out {
		t.Errorf("%.0f of %.0f verdicts are wrong; %.0f of %.0f runs that ran out of memory are called fits", wrong,
			runs, falseFits, out)
	}
}

func BenchmarkMemoryFormula(b *testing.B) {
	a := everything(b)
	w := jobOn(b, a, "Llama-3.1-8B", Workload{Task: LoRA, Framework: "transformers", Weights: "bf16", Compute: "bf16",
		Optimizer: "adamw", Checkpointing: "full", Batch: 1, Context: 4096, Rank: 16, Targets: "all"})
	g, k := gauges[MemoryTraining], a.fields[MemoryTraining].Constants
	b.ReportAllocs()
	for b.Loop() {
		g.formula(k, w, nil, false)
	}
}
