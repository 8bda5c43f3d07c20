package sizing

import (
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
)

func TestSoftwareDecidesWhichCardsAreOffered(t *testing.T) {
	a := everything(t)
	for _, test := range []struct {
		job, card string
		want      Level // Supported: nothing is said against it
		says      string
	}{
		{"model=llama-3.1-8b&framework=vllm&weights=awq-int4", "nvidia-tesla-v100-pcie-32gb", Unsupported, "AWQ"},
		{"model=llama-3.1-8b&framework=vllm&weights=awq-int4", "nvidia-t4", Supported, ""},
		{"model=llama-3.1-8b&framework=vllm&weights=fp8", "nvidia-tesla-v100-pcie-32gb", Unsupported, "FP8"},
		{"model=llama-3.1-8b&framework=vllm&weights=fp8", "nvidia-a100-sxm4-80gb", Partial, "16 bits"},
		{"model=llama-3.1-8b&framework=vllm&weights=fp8", "nvidia-l40s", Supported, ""},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "nvidia-quadro-rtx-8000", Partial, "BF16"},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "nvidia-tesla-p40", Unsupported, "capability"},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "nvidia-geforce-rtx-5090", Supported, ""},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "amd-radeon-pro-w6800", Unsupported, "built for"},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "amd-radeon-rx-7600-xt", Unsupported, "built for"},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "amd-radeon-rx-7900-xtx", Supported, ""},
		{"model=llama-3.1-8b&framework=llama.cpp&weights=q4_k_m", "amd-radeon-pro-w6800", Supported, ""},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "google-tpu-v2", Unsupported, "generations"},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "google-tpu-v4", Partial, "Experimental"},
		{"model=llama-3.1-8b&framework=vllm&weights=bf16", "google-tpu-v6e", Supported, ""},
		{"model=llama-3.1-8b&task=qlora", "amd-radeon-pro-w6800", Partial, "ROCm"},
		{"model=llama-3.1-8b&task=qlora", "amd-instinct-mi50-16gb", Unsupported, "built for"},
		{"model=llama-3.1-8b&task=lora", "amd-instinct-mi50-16gb", Partial, "tested"},
		{"model=llama-3.1-8b&task=qlora", "nvidia-tesla-m40-24gb", Unsupported, "Maxwell"},
		{"model=llama-3.1-8b&task=lora", "nvidia-tesla-k80", Unsupported, "Kepler"},
		{"model=llama-3.1-8b&task=lora", "nvidia-tesla-p100-pcie-16gb", Unsupported, "Pascal"},
		{"model=llama-3.1-8b&task=qlora", "nvidia-t4", Partial, "BF16"},
		{"model=llama-3.1-8b&task=lora", "nvidia-tesla-v100-pcie-32gb", Partial, "CUDA 12.6"},
		{"model=llama-3.1-8b&task=qlora", "nvidia-geforce-rtx-4090", Supported, ""},
	} {
		r := ask(t, a, test.job)
		c := a.Card(test.card)
		if c == nil {
			t.Errorf("no card %s", test.card)
			continue
		}
		w := r.Workload
		a.Complete(&w, c)
		got := Supported
		var says []string
		for _, f := range Software(&w, c) {
			says = append(says, f.Note.En)
			if got == Supported || f.Level == Unsupported {
				got = f.Level
			}
		}
		if got != test.want || !strings.Contains(strings.Join(says, " "), test.says) {
			t.Errorf("%s on %s: %s (%v), want %s (%s)", test.job, test.card, got, says, test.want, test.says)
		}
		refused := slices.ContainsFunc(Refusals(&w, c), func(x Refusal) bool { return x.Reason == "not_supported" })
		if refused != (test.want == Unsupported) {
			t.Errorf("%s on %s: refused %v", test.job, test.card, refused)
		}
	}
}

func TestCardsThatSoftwareSupportsInPartComeLast(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=llama-3.1-8b&task=qlora")
	before, seen := 0, 0
	for _, o := range a.Recommend(r, a.Cards).Options {
		if o.Memory.Verdict != Fits {
			break
		}
		now := doubts(&o)
		if now < before {
			t.Fatalf("%s is supported better than one before it", o.Card.ID)
		}
		if now > 0 {
			seen |= 1 << now
			if !slices.ContainsFunc(o.Assumptions, func(x Assumption) bool { return x.Why == doubtful[now] }) {
				t.Errorf("%s: nothing says that its support is %s", o.Card.ID, doubtful[now])
			}
		}
		before = now
	}
	if seen&(1<<disputed) == 0 || seen&(1<<inPart) == 0 {
		t.Error("no card is supported in part, or none whose support is disputed")
	}
}

// TestALeanerFrameworkIsTakenWhereTheUsualOneDoesNotFit: the estimate of the job and the
// recommendation say the same.
func TestALeanerFrameworkIsTakenWhereTheUsualOneDoesNotFit(t *testing.T) {
	a := everything(t)
	const job = "model=qwen2.5-7b&task=qlora&context=32768"
	asks := func(more string) Request { return ask(t, a, job+more) }
	r := asks("")
	c := a.Card("nvidia-geforce-rtx-4090")
	e := a.Estimate(r.Workload, c, r)
	why := func(e *Estimate) string {
		for _, x := range e.Assumptions {
			if x.Field == "framework" {
				return x.Why
			}
		}
		return ""
	}
	if e.Workload.Framework != leanFramework || e.Memory.Verdict == TooBig || why(&e) != "where_usual_does_not_fit" {
		t.Errorf("estimate: %s, %s, %q", e.Workload.Framework, e.Memory.Verdict, why(&e))
	}
	found := false
	for _, o := range a.Recommend(r, []*Card{c}).Options {
		if o.Workload.Cards != 1 {
			continue
		}
		found = true
		if o.Workload.Framework != e.Workload.Framework || o.Memory.PerCard.Expected != e.Memory.PerCard.Expected ||
			why(&o) != why(&e) {
			t.Errorf(
				"option: %s with %g B, %q; estimate: %s with %g B",
				o.Workload.Framework,
				o.Memory.PerCard.Expected,
				why(&o),
				e.Workload.Framework,
				e.Memory.PerCard.Expected,
			)
		}
	}
	if !found {
		t.Error("the recommendation has no single 4090")
	}
	asked := asks("&framework=transformers")
	if e := a.Estimate(asked.Workload, c, asked); e.Workload.Framework != "transformers" {
		t.Errorf("asked for transformers, got %s", e.Workload.Framework)
	}
	roomy := a.Card("nvidia-h100-sxm5-80gb")
	if e := a.Estimate(r.Workload, roomy, r); e.Workload.Framework != "trl-liger" || why(&e) != "usual_training" {
		t.Errorf("with room: %s, %q", e.Workload.Framework, why(&e))
	}
}

func TestManyCardsShareATrainingJobAsTheRecommendationDoes(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=llama-3.1-8b&task=full&framework=ms-swift&cards=8")
	c := a.Card("nvidia-a100-sxm4-80gb")
	r.Workload.Cards = 8
	e := a.Estimate(r.Workload, c, r)
	if e.Workload.Sharding.Stage == 0 || e.Memory.Verdict == TooBig {
		t.Errorf("got %s, %s; want the optimizer's states shared", e.Workload.Sharding, e.Memory.Verdict)
	}
	given := ask(t, a, "model=llama-3.1-8b&task=full&framework=ms-swift&cards=8&stage=3")
	if e := a.Estimate(given.Workload, c, given); e.Workload.Sharding.Stage != 3 {
		t.Errorf("asked for ZeRO-3, got %s", e.Workload.Sharding)
	}
}

func TestALaunchPriceIsNoPriceOfToday(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=llama-3.1-8b&task=lora&acquire=buy&budget=3000&currency=USD")
	r.Today = "2026-11-01"
	options := a.Recommend(r, a.Cards).Options
	if len(options) == 0 {
		t.Fatal("no options")
	}
	for i := range options {
		x := r.expense(&options[i])
		if x != nil && x.Price.Kind == catalog.LaunchPrice && !r.dated(&options[i]) {
			t.Errorf("%s: the launch price counts as one of today", options[i].Card.ID)
		}
		if i > 0 && r.dated(&options[i-1]) && r.dated(&options[i]) &&
			r.place(0, &options[i-1]).class(r.place(0, &options[i])) == 0 && options[i-1].Rate() != nil &&
			options[i].Rate() != nil && options[i-1].Rate().Rate.Low > 0 &&
			options[i].Rate().Rate.Low > 0 &&
			rateOf(&options[i-1]) < rateOf(&options[i])*(1-1e-9) {
			t.Errorf(
				"%s before the faster %s, though no price of today tells them apart",
				options[i-1].Card.ID,
				options[i].Card.ID,
			)
		}
	}
}

func TestAJobRunsOnOneOfTheICsOfACard(t *testing.T) {
	a := everything(t)
	r := ask(t, a, "model=qwen2.5-32b&weights=q4_k_m&framework=llama.cpp")
	for id, gb := range map[string]float64{"nvidia-a16": 16, "nvidia-tesla-k80": 12, "nvidia-tesla-m60": 8} {
		c := a.Card(id)
		if c.Memory != gb*gib || c.Usable > c.Memory {
			t.Errorf("%s: %g GiB of memory, want %g", id, c.Memory/gib, gb)
		}
		e := a.Estimate(r.Workload, c, r)
		if e.Memory.Verdict != TooBig ||
			!slices.ContainsFunc(e.Assumptions, func(x Assumption) bool { return x.Why == "one_ic" }) {
			t.Errorf("%s: 32B in 4 bits: %s, assumed %v", id, e.Memory.Verdict, e.Assumptions)
		}
	}
}

func TestMalformedSoftwareFactsAreRefused(t *testing.T) {
	const head = "stack,task,weights,hardware,support,note_en,note_zh,title,address,disputed\n"
	if _,
		err := ReadSoftware(strings.NewReader(head + "vllm,,,cc<7.0,no,Old.,旧。,A " +
		"page,https://example.com/a,\n")); err != nil {
		t.Error(err)
	}
	for row, want := range map[string]string{
		"vllm,,,cc<x,no,n,n,t,a,":          "row 2: hardware: \"cc<x\": \"x\" is no compute capability",
		"vllm,,,hopper,no,n,n,t,a,":        "row 2: hardware: \"hopper\" is none of",
		"vllm,,,vendor:,no,n,n,t,a,":       "row 2: hardware: \"vendor:\" is none of",
		"vllm,,,,no,n,n,t,a,":              "row 2: stack, hardware, title and address are needed",
		"vllm,sell,,cc<7.0,no,n,n,t,a,":    "row 2: task: \"sell\" is none of",
		"vllm,,,cc<7.0,maybe,n,n,t,a,":     "row 2: support: \"maybe\" is none of",
		"vllm,,,cc<7.0,partial,,,t,a,":     "row 2: what is not supported needs notes",
		"vllm,,,cc<7.0,partial,a,b,c":      "wrong number of fields",
		"vllm,,,cc<7.0,yes,,,t,a,perhaps":  "row 2: \"perhaps\" is not disputes",
		"vllm,,,cc<7.0,yes,,,t,a,disputes": "row 2: disputes no row",
		"vllm,,,gfx900 cc~7,no,n,n,t,a,":   "row 2: hardware: \"cc~7\" is none of",
	} {
		if _, err := ReadSoftware(strings.NewReader(head + row + "\n")); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", row, err, want)
		}
	}
}

func FuzzReadSoftware(f *testing.F) {
	f.Add(
		"stack,task,weights,hardware,support,note_en,note_zh,title,address,disputed\n" +
			"vllm,,fp8,cc>=8.9 gfx942,yes,,,t,a,\n",
	)
	f.Fuzz(func(t *testing.T, text string) {
		facts, err := ReadSoftware(strings.NewReader(text))
		for _, x := range facts {
			if err != nil || x.Stack == "" || len(x.hardware) == 0 {
				t.Errorf("%q: %+v, %v", text, x, err)
			}
		}
	})
}

func TestAnotherFrameworkIsTakenWhereTheUsualDoesNotRun(t *testing.T) {
	a := everything(t)
	for _, test := range []struct{ job, card, want string }{
		{"model=qwen2.5-7b", "huawei-ascend-910b2", "vllm-ascend"},
		{"model=qwen2.5-7b&task=lora", "huawei-ascend-910b2", "llama-factory"},
		{"model=qwen2.5-7b&task=full", "google-tpu-v5p", "maxtext"},
		{"model=qwen2.5-7b", "google-tpu-v6e", "vllm"},
		{"model=qwen2.5-7b&task=qlora", "apple-m3-ultra", "mlx"},
		{"model=qwen2.5-7b", "moore-threads-mtt-s5000", "vllm-maker"},
		{"model=qwen2.5-7b", "aws-trainium2", "vllm-neuron"},
		{"model=qwen2.5-7b&weights=awq-int4", "amd-instinct-mi300x", "sglang"},
		{"model=qwen2.5-7b", "nvidia-l40s", "vllm"},
	} {
		c, w := a.Card(test.card), ask(t, a, test.job).Workload
		if c == nil {
			t.Fatalf("no card %s", test.card)
		}
		a.Complete(&w, c)
		if w.Framework != test.want || len(Refusals(&w, c)) > 0 {
			t.Errorf("%s on %s: %s, %v; want %s", test.job, test.card, w.Framework, Refusals(&w, c), test.want)
		}
	}
	// Nobody says that anything serves FP8 on Volta, and a framework that was asked for stays.
	for job, card := range map[string]string{"model=qwen2.5-7b&weights=fp8": "nvidia-tesla-v100-pcie-32gb",
		"model=qwen2.5-7b&framework=vllm": "huawei-ascend-910b2"} {
		w := ask(t, a, job).Workload
		a.Complete(&w, a.Card(card))
		if len(Refusals(&w, a.Card(card))) == 0 {
			t.Errorf("%s on %s is offered with %s", job, card, w.Framework)
		}
	}
}

func TestDisputedSupportIsSaidAndStandsAfterUndisputed(t *testing.T) {
	a := everything(t)
	w := ask(t, a, "model=qwen2.5-7b&task=qlora").Workload
	c := a.Card("amd-radeon-rx-7900-xtx")
	a.Complete(&w, c)
	facts := Software(&w, c)
	if len(facts) != 1 || facts[0].Level != Supported || len(facts[0].Against) == 0 {
		t.Fatalf("got %v, want support that a document disputes", facts)
	}
	e := Estimate{Card: c, Workload: w}
	if doubts(&e) != disputed {
		t.Errorf("doubts %d, want %d", doubts(&e), disputed)
	}
}

// Who leaves the framework open is not sent to hardware that few of them run on.
func TestHardwareOfFewTrainersStandsAfterTheRest(t *testing.T) {
	a := everything(t)
	why := func(e *Estimate) bool {
		return slices.ContainsFunc(e.Assumptions, func(x Assumption) bool { return x.Why == fewFrameworks })
	}
	first := a.Recommend(ask(t, a, "model=7B&task=qlora"), a.Cards).Options[0]
	if why(&first) || first.Card.Vendor == "Intel" {
		t.Errorf("first: %s", first.Card.ID)
	}
	named := map[bool]int{}
	for _, job := range []string{"model=7B&task=qlora", "model=7B&task=qlora&framework=transformers"} {
		for _, o := range a.Recommend(ask(t, a, job), []*Card{a.Card("intel-arc-b580")}).Options {
			named[why(&o)]++
		}
	}
	if named[true] != 1 || named[false] != 1 {
		t.Errorf(
			"said of a card of few trainers %d times, left out %d times: want once where the framework was left open",
			named[true],
			named[false],
		)
	}
}
