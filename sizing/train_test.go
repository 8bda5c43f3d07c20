package sizing

import (
	"math"
	"strings"
	"testing"
)

// trainingConstants are the starts of all constants.
func trainingConstants() Constants {
	k := Constants{}
	for _, b := range (training{}).bounds() {
		k[Constant{"", b.Name}] = b.Start
	}
	return k
}

func llama8B() *Model {
	return &Model{ID: "llama-3.1-8b", Parameters: 8.03e9, Active: 8.03e9, Layers: 32, Hidden: 4096, Heads: 32,
		KVHeads: 8, HeadDim: 128, Intermediate: 14336, Vocabulary: 128256}
}

func h100() *Card {
	return &Card{ID: "h100", Bandwidth: 3.35e12, Link: 450e9, PCIe: 63e9, FP32: 67e12, BF16: 989e12, FP16: 989e12,
		FP8: 1979e12}
}

func TestTrainingLinesSumToTheStep(t *testing.T) {
	k := trainingConstants()
	for _, w := range []Workload{
		{Model: llama8B(), Task: Full, Compute: "bf16", Batch: 1, Context: 4096, Cards: 1},
		{Model: llama8B(), Task: Full, Compute: "fp8", Batch: 2, Context: 8192, Cards: 64, Checkpointing: "selective",
			Accumulation: 8, Sharding: Sharding{Data: 8, Tensor: 4, Pipeline: 2, Stage: 1}},
		{Model: llama8B(), Task: QLoRA, Compute: "bf16", Batch: 1, Context: 2048, Cards: 2, Checkpointing: "full",
			Accumulation: 4, Sharding: Sharding{Data: 2, Stage: 3, Offload: "parameters"}},
	} {
		value, lines := training{}.formula(k, &w, h100(), true)
		quick, none := training{}.formula(k, &w, h100(), false)
		if quick != value || none != nil {
			t.Errorf("%s: %g tokens/s and %d lines without explanation, %g with", w.Task, quick, len(none), value)
		}
		sum := 0.0
		for _, l := range lines {
			if l.Value < 0 || l.Formula == "" || l.Source == "" || len(l.Inputs) == 0 {
				t.Errorf("%s: line %+v is not complete", w.Task, l)
			}
			sum += l.Value
		}
		tokens := float64(w.Batch*w.Context*max(1, w.Accumulation)) * float64(max(1, w.Sharding.Data))
		if math.Abs(tokens/sum/value-1) > 1e-9 {
			t.Errorf("%s: %g tokens in lines of %g s is not %g tokens/s", w.Task, tokens, sum, value)
		}
	}
}

// The time of matrices, worked out by hand: 6 · 6.979e9 · 4096 ÷ (989e12 · 0.7).
func TestTrainingMatricesByHand(t *testing.T) {
	w := Workload{Model: llama8B(), Task: Full, Compute: "bf16", Batch: 1, Context: 4096, Cards: 1}
	_, lines := training{}.formula(trainingConstants(), &w, h100(), true)
	linear := 8.03e9 - 2*128256*4096
	want := 6 * linear * 4096 / (989e12 * 0.7)
	if lines[0].Part != "matrices" || math.Abs(lines[0].Value/want-1) > 1e-12 {
		t.Errorf("%s %g s, want matrices %g s", lines[0].Part, lines[0].Value, want)
	}
}

func TestTrainingFollowsPhysics(t *testing.T) {
	k := trainingConstants()
	base := Workload{Model: llama8B(), Task: Full, Compute: "bf16", Batch: 4, Context: 4096, Cards: 1}
	rate := func(change func(*Workload, *Card)) float64 {
		w, c := base, h100()
		change(&w, c)
		v, _ := training{}.formula(k, &w, c, false)
		return v
	}
	plain := rate(func(*Workload, *Card) {})
	for _, test := range []struct {
		name   string
		change func(*Workload, *Card)
		low    float64 // of the ratio to plain
		high   float64
	}{
		{"adapters skip gradients of weights", func(w *Workload, _ *Card) { w.Task = LoRA }, 1.2, 1.5},
		{"quantised weights have to be unpacked", func(w *Workload, _ *Card) { w.Task = QLoRA }, 1.1, 1.45},
		{"checkpointing repeats the forward pass", func(w *Workload, _ *Card) { w.Checkpointing = "full" }, 0.72, 0.8},
		{"FP8 is faster, not twice", func(w *Workload, _ *Card) { w.Compute = "fp8" }, 1.05, 1.9},
		{"long sequences attend to more", func(w *Workload, _ *Card) { w.Batch, w.Context = 1, 65536 }, 0.2, 0.7},
		{"eight cards are nearly eight times as fast",
			func(w *Workload, _ *Card) { w.Cards, w.Sharding = 8, Sharding{Data: 8, Stage: 3} }, 7.1, 8.3},
		{"PCIe is slower than links", func(w *Workload, c *Card) {
			w.Cards, w.Sharding, c.Link = 8,
				Sharding{Data: 8, Stage: 3}, 0
		}, 0.5, 7},
		{"no rate, no estimate", func(_ *Workload, c *Card) { c.BF16, c.FP16, c.FP32 = 0, 0, 0 }, 0, 0},
		{"no bandwidth, no estimate", func(_ *Workload, c *Card) { c.Bandwidth = 0 }, 0, 0},
		{"links unknown, one card", func(_ *Workload, c *Card) { c.Link, c.PCIe = 0, 0 }, 1, 1},
		{"links unknown, two cards", func(w *Workload, c *Card) { w.Cards, c.Link, c.PCIe = 2, 0, 0 }, 0, 0},
	} {
		if r := rate(test.change) / plain; !(r >= test.low && r <= test.high) {
			t.Errorf("%s: %.3g times as fast, want %g to %g", test.name, r, test.low, test.high)
		}
	}
}

func TestBenchmarkMinutesBecomeSpeeds(t *testing.T) {
	cases := all(t).CasesOf(TrainingSpeed)
	n := 0
	for _, c := range cases {
		if c.Unit != "minutes" || !c.Trusted {
			continue
		}
		n++
		if c.Tokens <= 0 || math.Abs(c.InUnit(c.Measured)/c.Minutes-1) > 1e-9 {
			t.Errorf("%s: %g tokens at %g tokens/s are %g minutes, want %g", c.ID, c.Tokens, c.Measured,
				c.InUnit(c.Measured), c.Minutes)
		}
		if s := c.Workload.Sharding; s.Data*max(1, s.Tensor)*max(1, s.Pipeline) > c.Workload.Cards {
			t.Errorf("%s: %+v is more than %d cards", c.ID, s, c.Workload.Cards)
		}
	}
	if n < 200 {
		t.Errorf("%d trusted cases are in minutes, want 200", n)
	}
}

func TestTokensOfATarget(t *testing.T) {
	lora := targetOf("mlcommons/training_results_v5.0 Dell/x llama2_70b_lora")
	if lora == nil || targetOf("somebody/else llama2_70b_lora") != nil {
		t.Fatal("a target is known by its source")
	}
	for _, test := range []struct{ batch, samples float64 }{{8, 3187}, {128, 11290},
		{4, 3187 * math.Pow(0.5, math.Log2(4051.0/3187))}} {
		if got := lora.tokens(test.batch) / 8192; math.Abs(got/test.samples-1) > 1e-9 {
			t.Errorf("batch %g: %g samples, want %g", test.batch, got, test.samples)
		}
	}
	if a, b, c := lora.tokens(32), lora.tokens(64), lora.tokens(128); !(a < b && b < c) {
		t.Errorf("%g, %g, %g tokens do not grow with the batch", a, b, c)
	}
	for i := range convergences {
		x := &convergences[i]
		if !strings.HasPrefix(x.Source, "mlcommons/logging ") || len(x.Samples) < 2 {
			t.Errorf("%s: source %q, %d batches", x.Name, x.Source, len(x.Samples))
		}
	}
}

func TestTrainingFormulaDoesNotAllocate(t *testing.T) {
	k := trainingConstants()
	w := Workload{Model: llama8B(), Task: QLoRA, Compute: "bf16", Batch: 1, Context: 2048, Cards: 8,
		Checkpointing: "full", Sharding: Sharding{Data: 4, Tensor: 2, Stage: 3}}
	c := h100()
	if n := testing.AllocsPerRun(100, func() { training{}.formula(k, &w, c, false) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkTrainingFormula(b *testing.B) {
	k := trainingConstants()
	w := Workload{Model: llama8B(), Task: QLoRA, Framework: "peft", Compute: "bf16", Batch: 1, Context: 2048, Cards: 8,
		Checkpointing: "full", Sharding: Sharding{Data: 8, Stage: 3}}
	c := h100()
	for b.Loop() {
		training{}.formula(k, &w, c, false)
	}
}

func BenchmarkTrainingPoint(b *testing.B) {
	w := Workload{Model: llama8B(), Task: QLoRA, Framework: "peft", Compute: "bf16", Batch: 1, Context: 2048, Cards: 8}
	c := h100()
	for b.Loop() {
		training{}.point(&w, c)
	}
}

// Kernels of Ampere reach less of what a chip can do that has newer instructions, on which more tokens cost more.
func TestAttentionIsOfTheGenerationOfItsKernels(t *testing.T) {
	k := trainingConstants()
	hopper, ampere := h100(), h100()
	hopper.Architecture, hopper.MemoryType = "Hopper", "HBM3"
	ampere.Architecture, ampere.MemoryType = "Ampere", "HBM2e"
	rate := func(c *Card, context int, attention string, p Profile) float64 {
		v, _ := training{}.formula(k, &Workload{Model: llama8B(), Task: Full, Compute: "bf16", Batch: 1,
			Context: context, Cards: 1, Attention: attention, profile: &p}, c, false)
		return v
	}
	for _, test := range []struct {
		name      string
		c         *Card
		context   int
		attention string
		p         Profile
		low, high float64 // ÷ FlashAttention 2 on the card
	}{
		{"FlashAttention 3", hopper, 65536, flash3, Profile{}, 1.3, 2.1},
		{"where there are few tokens", hopper, 1024, flash3, Profile{}, 1, 1.03},
		{"cuDNN", hopper, 65536, "flash", Profile{NewAttention: true}, 1.3, 2.1},
		{"a card of which nothing is newer", ampere, 65536, "flash", Profile{NewAttention: true}, 1, 1},
	} {
		got := rate(test.c, test.context, test.attention, test.p) / rate(test.c, test.context, "flash", Profile{})
		if got < test.low || got > test.high {
			t.Errorf("%s: %.3g times as fast, want %g to %g", test.name, got, test.low, test.high)
		}
	}
	w := Workload{Attention: flash3}
	if (&Workload{Attention: "flash"}).attentionKept() != w.attentionKept() {
		t.Error("FlashAttention 3 keeps something else in memory")
	}
}

// Of a pipeline of eight and 8 micro-batches whose schedule is plain 7 of 15 are idle.
func TestAPlainPipelineIdlesForItsWholeBubble(t *testing.T) {
	k := trainingConstants()
	w := Workload{Model: llama8B(), Task: Full, Compute: "bf16", Batch: 1, Context: 8192, Cards: 8, Accumulation: 8,
		Sharding: Sharding{Data: 1, Tensor: 1, Pipeline: 8}, plain: true}
	bubble, all := 0.0, 0.0
	_, lines := training{}.formula(k, &w, h100(), true)
	for _, l := range lines {
		switch l.Part {
		case "bubble":
			bubble = l.Value
			all += l.Value
		case "optimizer", "overhead":
		default:
			all += l.Value
		}
	}
	if math.Abs(bubble/all-7.0/15) > 1e-9 {
		t.Errorf("%.3f of a step is idle, want 7 ÷ 15", bubble/all)
	}
}
