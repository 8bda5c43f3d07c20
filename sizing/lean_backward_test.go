package sizing

import (
	"slices"
	"strings"
	"testing"

	"tianti/catalog"
)

// Where the usual optimiser does not fit, a framework that can steps within the backward pass, and says so; who asked
// for an optimiser gets that one.
func TestGradientsAreUsedAsTheyAreMade(t *testing.T) {
	a := all(t)
	for _, c := range []struct{ query, optimizer string }{
		{"model=llama-3.1-8b&task=full&framework=torchtune", "paged-adamw-8bit-in-backward"},
		{"model=llama-3.1-8b&task=full&framework=torchtune&optimizer=adamw", "adamw"},
		{"model=llama-3.2-1b&task=full&framework=torchtune", "adamw"},
		{"model=llama-2-7b&task=galore", "galore-8bit-layerwise"},
		{"model=llama-2-7b&task=galore&optimizer=galore-8bit", "galore-8bit"},
		{"model=llama-3.1-8b&task=full&framework=trl", "adamw-fused"},
	} {
		r := ask(t, a, c.query+"&card=nvidia-geforce-rtx-4090")
		e := a.Estimate(r.Workload, mustCard(t, a, "nvidia-geforce-rtx-4090"), r)
		if e.Workload.Optimizer != c.optimizer {
			t.Errorf("%s: %s, not %s", c.query, e.Workload.Optimizer, c.optimizer)
		}
		said := slices.ContainsFunc(e.Assumptions, func(s Assumption) bool { return s.Why == "usual_does_not_fit" })
		if said != (r.Workload.Optimizer == "" && (c.optimizer == galoreLayerwise ||
			c.optimizer == "paged-adamw-8bit-in-backward")) {
			t.Errorf("%s: assumptions are %v", c.query, e.Assumptions)
		}
	}
}

// A card that shares the host's memory has nowhere to page to.
func TestNothingIsPagedToTheMemoryOfTheCard(t *testing.T) {
	a := all(t)
	r := ask(t, a, "model=llama-3.1-8b&task=full&framework=torchtune&card=nvidia-jetson-agx-orin-32gb")
	e := a.Estimate(r.Workload, mustCard(t, a, "nvidia-jetson-agx-orin-32gb"), r)
	if strings.HasPrefix(e.Workload.Optimizer, "paged-") {
		t.Errorf("%s", e.Workload.Optimizer)
	}
}

// Runs that documents report of steps within the backward pass lie in the intervals.
func TestPublishedRunsOfStepsInTheBackwardPass(t *testing.T) {
	a := all(t)
	for _, c := range []struct {
		query string
		bytes float64
	}{
		// meta-pytorch/torchtune README.md: 18.9 GiB with batches of 2
		{"model=llama-3.1-8b&task=full&framework=torchtune&batch=2&context=2048&optimizer=paged-adamw-8bit-in-backward",
			18.9 * gib},
		// jiaweizzhao/GaLore README.md
		{"model=llama-2-7b&task=galore&batch=16&context=256&rank=1024&optimizer=galore-8bit-layerwise", 22.8e9},
	} {
		r := ask(t, a, c.query+"&card=nvidia-geforce-rtx-4090")
		e := a.Estimate(r.Workload, mustCard(t, a, "nvidia-geforce-rtx-4090"), r)
		if need := e.Memory.PerCard; need.Low > c.bytes || c.bytes > need.High {
			t.Errorf("%s: %.3g bytes are not in %v", c.query, c.bytes, need)
		}
	}
}

func TestWhatDoesNotGoWithStepsInTheBackwardPass(t *testing.T) {
	a := all(t)
	for job, param := range map[string]string{
		"model=llama-3.1-8b&task=full&framework=torchtune&optimizer=adamw-in-backward&accumulation=4": "accumulation",
		"model=llama-2-7b&task=galore&optimizer=galore-8bit-layerwise&cards=2":                        "optimizer",
	} {
		_, errs := a.ParseRequest(query(t, job))
		if !slices.ContainsFunc(errs, func(e catalog.ParamError) bool {
			return e.Param == param && e.Code == catalog.Contradicts
		}) {
			t.Errorf("%s: %v", job, errs)
		}
	}
}

// Adapters of gpt-oss are those of attention, whose number the log of Unsloth's notebook says; experts have them where
// they are named.
func TestAdaptersOfExpertTensors(t *testing.T) {
	a := all(t)
	trained := func(query string) float64 {
		w := ask(t, a, query).Workload
		a.Complete(&w, nil)
		j := jobOf(&w)
		return j.adapters()
	}
	const job = "model=gpt-oss-20b&task=qlora&framework=unsloth&rank=8"
	if got := trained(job); got != 3981312 {
		t.Errorf("%v parameters are trained, not 3 981 312", got)
	}
	if got := trained(job + "&targets=all"); got < 20*3981312 {
		t.Errorf("%v parameters are trained with all experts", got)
	}
	if got, want := trained("model=qwen3-30b-a3b&task=qlora&rank=8"), trained("model=qwen3-30b-a3b&task=qlora&rank=8"+
		"&targets=all"); got != want {
		t.Errorf("%v parameters of experts that are modules are trained, not %v", got, want)
	}
}

// Unsloth's engine writes answers with the weights that are trained.
func TestAnEngineThatSharesWeights(t *testing.T) {
	a := all(t)
	engine := func(query string) float64 {
		r := ask(t, a, query+"&task=grpo&card=nvidia-geforce-rtx-4090")
		sum := 0.0
		for _, l := range a.Estimate(r.Workload, mustCard(t, a, "nvidia-geforce-rtx-4090"), r).Memory.Lines {
			if l.Part == "engine" || l.Part == "engine_weights" {
				sum += l.Value
			}
		}
		return sum
	}
	const model = "model=llama-3.1-8b&framework="
	shared, own := engine(model+"unsloth"), engine(model+"trl&tuning=lora")
	if weights := 2 * a.Models.Find("llama-3.1-8b").Parameters; shared <= 0 || shared > weights/4 || own < weights {
		t.Errorf("engines take %.3g and %.3g bytes, weights have %.3g", shared, own, weights)
	}
	if w := ask(t, a, "model=llama-3.1-8b&framework=unsloth&task=grpo").Workload; true {
		a.Complete(&w, nil)
		if w.Preference.Tuning != QLoRA || w.Preference.Prompts != 1 {
			t.Errorf("the policy is tuned by %s with %d prompts", w.Preference.Tuning, w.Preference.Prompts)
		}
	}
}

// What CUDA reports of memory that a processor shares is less than is sold.
func TestMemoryOfUnifiedCardsIsWhatDriversReport(t *testing.T) {
	a := all(t)
	for id, mebibytes := range map[string]float64{"nvidia-gb10": 124610, "nvidia-jetson-agx-orin-64gb": 62841} {
		if c := mustCard(t, a, id); c.Usable != mebibytes*mib {
			t.Errorf("%s: %.1f GiB", id, c.Usable/gib)
		}
	}
}
