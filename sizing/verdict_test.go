package sizing

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAVerdictComparesTheIntervalWithTheMemory(t *testing.T) {
	for _, c := range []struct {
		need    Range
		want    Verdict
		missing float64
	}{
		{Range{80, 90, 100}, Fits, 0}, {Range{80, 90, 100.5}, Borderline, 0}, {Range{80, 105, 120}, Borderline, 5},
		{Range{100, 110, 120}, Borderline, 10}, {Range{100.5, 110, 120}, TooBig, 10},
	} {
		if got, missing := verdict(c.need, 100); got != c.want || missing != c.missing {
			t.Errorf("%v of 100: got %s with %v missing, want %s with %v", c.need, got, missing, c.want, c.missing)
		}
	}
}

// TestGapsComeOffAndActivationsCountTwice has needs just inside and outside of what a card
// has, once the low end goes without the allocator's gaps and, in training on cards before
// Ampere, the high end counts what comes and goes twice.
func TestGapsComeOffAndActivationsCountTwice(t *testing.T) {
	a := everything(t)
	for _, task := range []Task{Full, Inference} {
		w := jobOn(
			t,
			a,
			"Llama-2-7B",
			Workload{
				Task:          task,
				Framework:     "transformers",
				Weights:       "fp16",
				Compute:       "fp16",
				Optimizer:     "adamw",
				Checkpointing: "none",
				Batch:         1,
				Context:       4096,
				Prompt:        2048,
			},
		)
		q := a.fields[memoryQuantity(w)]
		sum, lines := q.formula(q.Constants, w, nil, true)
		gaps, passing := 0.0, 0.0
		for _, l := range lines {
			switch l.Part {
			case "reserve":
				gaps += l.Value
			case "activations", "layer", "logits", "temporaries", "buckets", "prompt", "attention", "dequantisation":
				passing += l.Value
			}
		}
		if gaps == 0 || passing == 0 {
			t.Fatalf("%s: gaps %v and passing %v of %v", task, gaps, passing, sum)
		}
		unknown := *w
		unknown.Model = nil
		if got := q.fits(&unknown, &Card{Usable: 1e9}, Range{1.001e9, 2e9, 3e9}); got != TooBig {
			t.Errorf("%s of an unknown model: got %s, want %s", task, got, TooBig)
		}
		for _, architecture := range []string{"Turing", "Ampere"} {
			c := &Card{Vendor: "NVIDIA", Architecture: architecture, Usable: 1e9}
			least, most := 1-gaps/sum, 1.0
			if task == Full && architecture == "Turing" {
				most += passing / sum
			}
			for need, want := range map[Range]Verdict{
				{1.001e9 / least, 2e9, 3e9}: TooBig, {0.999e9 / least, 2e9, 3e9}: Borderline,
				{1, 2, 1.001e9 / most}: Borderline, {1, 2, 0.999e9 / most}: Fits,
			} {
				if got := q.fits(w, c, need); got != want {
					t.Errorf("%s on %s: %v: got %s, want %s", task, architecture, need, got, want)
				}
			}
		}
	}
}

func TestWhatRunsOnlyInAnotherFormatIsBorderline(t *testing.T) {
	a := everything(t)
	need := Range{1, 2, 3}
	for _, c := range []struct {
		compute, attention, card string
		want                     Verdict
	}{
		{"bf16", "sdpa", "T4", Borderline}, {"fp16", "flash", "T4", Borderline}, {"fp16", "sdpa", "T4", Fits}, {"bf16",
			"flash", "RTX 3090", Fits},
	} {
		w := jobOn(
			t,
			a,
			"Llama-2-7B",
			Workload{
				Task:      LoRA,
				Framework: "transformers",
				Weights:   "fp16",
				Compute:   c.compute,
				Attention: c.attention,
			},
		)
		if got := VerdictOf(w, mustCard(t, a, c.card), need); got != c.want {
			t.Errorf("%s, %s on %s: got %s, want %s", c.compute, c.attention, c.card, got, c.want)
		}
	}
}

func TestTheLinesOfMemoryEndWithTheCorrectionByCases(t *testing.T) {
	a := all(t)
	card := mustCard(t, a, "RTX 4090")
	w := jobOn(
		t,
		a,
		"Llama-2-7B",
		Workload{
			Task:          QLoRA,
			Framework:     "litgpt",
			Weights:       "nf4",
			Compute:       "bf16",
			Optimizer:     "adamw",
			Checkpointing: "full",
			Batch:         1,
			Context:       1024,
			Rank:          16,
			Targets:       "all",
		},
	)
	m, ok := a.Memory(w, card)
	if !ok {
		t.Fatal("no estimate")
	}
	if m.PerCard.Expected == m.Evidence.Formula {
		t.Fatal("no case corrects a job that many have run")
	}
	if want := max(0, m.PerCard.Expected-card.Usable); m.Missing != want || m.Usable != card.Usable {
		t.Errorf("%v of %v missing, want %v of %v", m.Missing, m.Usable, want, card.Usable)
	}
	last := m.Lines[len(m.Lines)-1]
	if last.Part != "correction" || !near(last.Value, m.PerCard.Expected-m.Evidence.Formula, 1e-9) {
		t.Errorf(
			"the last line is %s of %v, want the correction of %v",
			last.Part,
			last.Value,
			m.PerCard.Expected-m.Evidence.Formula,
		)
	}
	inputs := map[string]float64{}
	for _, in := range last.Inputs {
		inputs[in.Symbol] = in.Value
	}
	if got := inputs["formula"] * (math.Exp(inputs["g"]) - 1); !near(got, last.Value, 1e-9) { // formula · (e^g − 1)
		t.Errorf("%s gives %v, want %v", last.Formula, got, last.Value)
	}
	unknown := *w
	unknown.profile = nil
	if _, ok := a.Memory(&unknown, card); ok {
		t.Error("there is an estimate for an unknown framework")
	}
	without := &Estimator{fields: map[Quantity]*field{}}
	if _, ok := without.Memory(w, card); ok {
		t.Error("there is an estimate without a calibration")
	}
}

func TestJobsAreTheSameWhereNothingThatCountsDiffers(t *testing.T) {
	half, four := &Format{ID: "half"}, &Format{ID: "four"}
	base := Workload{
		Model:         &Model{ID: "m"},
		Task:          LoRA,
		Framework:     "f",
		format:        half,
		Batch:         1,
		Context:       2,
		Checkpointing: "full",
		Optimizer:     "adamw",
		Attention:     "sdpa",
		Rank:          3,
		Targets:       "all",
		Cards:         4,
		Sharding:      Sharding{Data: 4},
		Reading:       readReserved,
	}
	same := base
	same.Version, same.Accumulation, same.Model = "another", 9, &Model{ID: "m", Name: "the same id"}
	if !(memory{}).same(&base, nil, &same, nil) {
		t.Error("a job is not the same as one in another version")
	}
	for what, change := range map[string]func(*Workload){
		"model":     func(w *Workload) { w.Model = &Model{ID: "n"} },
		"task":      func(w *Workload) { w.Task = QLoRA },
		"framework": func(w *Workload) { w.Framework = "g" },
		"format":    func(w *Workload) { w.format = four }, "batch": func(w *Workload) { w.Batch = 2 },
		"context":       func(w *Workload) { w.Context = 4 },
		"checkpointing": func(w *Workload) { w.Checkpointing = "none" },
		"optimizer":     func(w *Workload) { w.Optimizer = "sgd" },
		"attention":     func(w *Workload) { w.Attention = "eager" },
		"rank":          func(w *Workload) { w.Rank = 4 }, "targets": func(w *Workload) { w.Targets = "q,v" },
		"embeddings": func(w *Workload) { w.TrainEmbeddings = true },
		"loss":       func(w *Workload) { w.FusedLoss = true }, "cards": func(w *Workload) { w.Cards = 8 },
		"sharding": func(w *Workload) { w.Sharding.Stage = 1 },
		"reading":  func(w *Workload) { w.Reading = "" },
	} {
		other := base
		change(&other)
		if (memory{}).same(&base, nil, &other, nil) {
			t.Errorf("jobs that differ in %s are the same", what)
		}
	}
}

func TestPointsLieByTheLogarithmsOfTheirSizes(t *testing.T) {
	w := Workload{
		Model:         &Model{ID: "m", Family: "family", Parameters: 8e9},
		Task:          LoRA,
		Framework:     "f",
		Checkpointing: "full",
		Attention:     "sdpa",
		Context:       2048,
		Batch:         4,
		Cards:         8,
		Sharding:      Sharding{Data: 8},
		Version:       "1",
		format:        &Format{ID: "four", Bits: 4.5},
		profile:       &Profile{Family: "hf"},
	}
	p := (memory{}).point(&w, nil)
	want := make([]string, mKeys)
	want[mFramework], want[mModel], want[mFormat] = "f adapters", "f adapters m", "f adapters four"
	want[mFormatOfModel], want[mFamily], want[mSetting], want[mVersion] = "f adapters m q", "hf adapters",
		"f adapters full sdpa data", "f adapters 1"
	want[mReading] = "f adapters driver data"
	if diff := cmp.Diff(want, p.Keys); diff != "" {
		t.Errorf("keys: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]float64{math.Log(8e9), math.Log(4 * 2048), math.Log(8)}, p.Coordinates); diff != "" {
		t.Errorf("coordinates: -want +got:\n%s", diff)
	}

	w = Workload{Model: &Model{ID: "m"}, Task: Inference, Framework: "f", Cards: 1}
	p = (memory{}).point(&w, nil)
	if p.Keys[mFormat] != "f inference " || p.Keys[mFormatOfModel] != "f inference m 16" || p.Keys[mVersion] != "" ||
		p.Keys[mSetting] != "f inference  " {
		t.Errorf("without a format, a version and other cards the keys are %q", p.Keys)
	}
	if diff := cmp.Diff([]float64{0, math.Log(64), 0}, p.Coordinates); diff != "" {
		t.Errorf("coordinates where nothing is known: -want +got:\n%s", diff)
	}
	w.format = &Format{ID: "half", Bits: 16}
	if p = (memory{}).point(&w, nil); p.Keys[mFormatOfModel] != "f inference m 16" {
		t.Errorf("the base of 16 bits is %q", p.Keys[mFormatOfModel])
	}
	for want, s := range map[string]Sharding{
		"layers": {Layers: true, Offload: "optimizer"}, "offload": {Offload: "optimizer",
			Tensor: 2}, "model": {Tensor: 2, Stage: 3}, "3": {Tensor: 1, Pipeline: 1, Stage: 3},
		"data": {Tensor: 1, Pipeline: 1, Stage: 2},
	} {
		if got := shardingKey(s); got != want {
			t.Errorf("%+v: got %q, want %q", s, got, want)
		}
	}
	if got := shardingKey(Sharding{Pipeline: 2}); got != "model" {
		t.Errorf("two stages: got %q, want model", got)
	}
}

func TestFittedConstantsLieWithinTheirBounds(t *testing.T) {
	a := everything(t)
	bytes := []string{"overhead", "context", "communication"}
	for _, q := range []Quantity{MemoryInference, MemoryTraining} {
		for _, b := range gauges[q].bounds() {
			if b.Low > b.Start || b.Start > b.High || b.Low == b.High {
				t.Errorf("%s, %s: begins at %v, between %v and %v", q, b.Name, b.Start, b.Low, b.High)
			}
			if unit := 1 << 20; slices.Contains(bytes, b.Name) &&
				(b.Start < float64(unit) || b.Low > 0 && b.Low < float64(unit) || b.High > 4*gib) {
				t.Errorf("%s, %s: %v … %v bytes, from %v", q, b.Name, b.Low, b.High, b.Start)
			}
			for c, v := range a.fields[q].Constants {
				if c.Name == b.Name && (v < b.Low*(1-1e-9) || v > b.High*(1+1e-9)) {
					t.Errorf("%s, %s of %q: %v is not between %v and %v", q, c.Name, c.Framework, v, b.Low, b.High)
				}
			}
		}
	}
}

func TestRoundedCasesHaveMoreNoise(t *testing.T) {
	if got := (memory{}).noise(&Case{Note: "rounded to whole GB"}); got != 3 {
		t.Errorf("a rounded case: got %v, want 3", got)
	}
	if got := (memory{}).noise(&Case{}); got != 1 {
		t.Errorf("another case: got %v, want 1", got)
	}
}

func TestActiveParametersAreThoseOfTheExpertsThatTokensChoose(t *testing.T) {
	const experts, chosen, ofExpert, shared = 8, 2, 1000.0, 500.0
	m := &Model{
		Parameters:      experts*ofExpert + shared,
		Active:          chosen*ofExpert + shared,
		Experts:         experts,
		ExpertsPerToken: chosen,
	}
	for tokens := 1; tokens <= 64; tokens *= 2 {
		spared := 1.0 // the probability that no token chooses an expert
		for range tokens {
			spared *= 1 - float64(chosen)/experts
		}
		want := shared + experts*ofExpert*(1-spared)
		if got := m.ActiveAt(float64(tokens)); !near(got, want, 1e-12) {
			t.Errorf("%d tokens: got %v, want %v", tokens, got, want)
		}
	}
	if got := (&Model{Parameters: 7, Active: 7}).ActiveAt(9); got != 7 {
		t.Errorf("without experts: got %v, want all 7", got)
	}
	if got := m.ActiveAt(0.5); got != m.Active {
		t.Errorf("less than a token: got %v, want %v", got, m.Active)
	}
}

// What the weights alone do not leave room for does not fit, however wide the interval.
func TestNoNeedFallsBelowTheWeights(t *testing.T) {
	a := everything(t)
	q := a.fields[MemoryInference]
	w := jobOn(t, a, "Llama-2-70B", Workload{Task: Inference, Framework: "vllm", Weights: "bf16", Compute: "bf16",
		Batch: 1, Context: 4096, Prompt: 2048, Cards: 1})
	weights := 2 * w.Model.Parameters
	for _, unknown := range []float64{0, 1, 5} {
		r := q.interval(w, nil, Evidence{Tier: Formula, corrected: 1.1 * weights, unknown: unknown}, q.scale(w, nil))
		if r.Low < ofWeights*weights*(1-1e-9) || r.Low > r.Expected || r.High <= r.Expected {
			t.Errorf("with %v unknown: %+v of weights %v", unknown, r, weights)
		}
	}
	if r := q.interval(w, nil, Evidence{Tier: Formula, corrected: 0.5 * weights, unknown: 1},
		q.scale(w, nil)); r.Low > r.Expected {
		t.Errorf("a low end above what is expected: %+v", r)
	}
}
