package sizing

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestFrameworksAreFoundByTheNamesThatPeopleUse(t *testing.T) {
	a := everything(t)
	for name, want := range map[string]string{
		"HF": "transformers", "transformers+DeepSpeed": "transformers-deepspeed", "HF+FA2": "trl",
		"TRL + Liger": "trl-liger", "LLaMA Factory": "llama-factory", "prime-rl": "prime-rl",
		"llama.cpp": "llama.cpp", "LlamaCpp": "llama.cpp",
		"Unsloth Open": "unsloth", "fsdp_qlora": "fsdp-qlora", "vLLM": "vllm", "mlx-lm": "mlx",
		"h2o-llmstudio": "h2o-llmstudio", "MosaicML llm-foundry": "llm-foundry",
	} {
		if p := a.Profiles.Find(name); p == nil || p.ID != want {
			t.Errorf("%q is %v, want %s", name, p, want)
		}
	}
	if p := a.Profiles.Find("a framework of tomorrow"); p != nil {
		t.Errorf("an unknown framework is %s", p.ID)
	}
}

func TestFrameworksSayWhatTheFormulasNeed(t *testing.T) {
	a := everything(t)
	for i := range a.Profiles.All {
		p := &a.Profiles.All[i]
		for _, task := range p.Tasks {
			if !slices.Contains(Tasks, task) {
				t.Errorf("%s: no task %q", p.ID, task)
			}
		}
		if p.Trains() && !slices.Contains([]Loss{LossWhole, LossInPlace, LossChunked, LossFused}, p.Loss) {
			t.Errorf("%s trains, but its loss is %q", p.ID, p.Loss)
		}
		for task := range p.Verify {
			if !p.Does(task) {
				t.Errorf("%s: a command for %s, which it does not do", p.ID, task)
			}
		}
		if !slices.Contains([]string{"eager", "sdpa", "flash"}, p.Attention) {
			t.Errorf("%s: attention %q", p.ID, p.Attention)
		}
		if !slices.Contains([]string{readAllocated, readReserved, readDriver}, p.Reading) {
			t.Errorf("%s: reading %q", p.ID, p.Reading)
		}
		for _, f := range p.Formats {
			if f != "gguf" && a.Formats.Find(f) == nil {
				t.Errorf("%s: no format %q", p.ID, f)
			}
		}
	}
}

func TestFrameworksWithFaultsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown field":     `{"frameworks": [{"id": "a", "name": "A", "tasks": ["full"], "sources": ["s"], "colour": "red"}]}`,
		"no source":            `{"frameworks": [{"id": "a", "name": "A", "tasks": ["full"]}]}`,
		"one name for two":     `{"frameworks": [{"id": "a", "name": "A", "tasks": ["full"], "sources": ["s"]}, {"id": "b", "name": "B", "aliases": ["a"], "tasks": ["full"], "sources": ["s"]}]}`,
		"a document of none":   `{"frameworks": [], "documents": [{"source": "x", "profile": "nobody", "why": "?"}]}`,
		"text that is no JSON": `frameworks:`,
	} {
		if _, err := ReadProfiles(strings.NewReader(text)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestDocumentsFillInWhatRowsLeaveOut(t *testing.T) {
	a := everything(t)
	var old, held int
	for _, c := range a.CasesOf(MemoryInference) {
		switch {
		case strings.HasPrefix(c.Source, "QwenLM/Qwen3@5c4e69c") && c.Workload.Framework == "transformers-4.44":
			old++
		case c.Workload.Reading == readHeld:
			held++
		}
		if strings.HasPrefix(c.Source, "h2oai/h2ogpt") && c.Workload.Context == 0 {
			t.Errorf("%s has no context", c.ID)
		}
	}
	if old == 0 || held == 0 {
		t.Errorf("%d cases of the older release, %d of what is held after the run", old, held)
	}
}

// What is allocated after a run of fms-acceleration is, by its table, weights, adapters with their states and tables of
// rotary positions: 4,843 MB of Mistral 7B in NF4 with double quantisation.
func TestOldReleasesKeepTablesOfRotaryPositions(t *testing.T) {
	a := everything(t)
	f := a.fields[MemoryTraining]
	for _, x := range []struct {
		id        string
		allocated float64
	}{{"M1613", 4.843e9}, {"M1621", 25.201e9}, {"M1629", 37.347e9}, {"M1643", 36.290e9}} {
		var sum float64
		for _, c := range f.cases {
			if c.ID != x.id {
				continue
			}
			_, lines := f.formula(f.Constants, &c.Workload, c.Card, true)
			for _, l := range lines {
				if slices.Contains([]string{"weights", "adapters", "optimizer", "rotary"}, l.Part) {
					sum += l.Value
				}
			}
		}
		if math.Abs(sum/x.allocated-1) > 0.01 {
			t.Errorf("%s: got %.4g bytes, want %.4g", x.id, sum, x.allocated)
		}
	}
}

func TestMemoryOfAllCardsTogetherIsTheirMean(t *testing.T) {
	a := everything(t)
	means := 0
	for _, c := range a.CasesOf(MemoryInference) {
		if got, want := c.Workload.mean, strings.HasPrefix(c.Source, "QwenLM/Qwen") &&
			strings.Contains(c.Note, "total"); got != want {
			t.Errorf("%s (%s): got mean %v", c.ID, c.Note, got)
		}
		if c.Workload.mean {
			means++
			w := c.Workload
			w.mean = false
			f := a.fields[MemoryInference]
			fullest, _ := f.formula(f.Constants, &w, c.Card, false)
			if mean, _ := f.formula(f.Constants, &c.Workload, c.Card, false); mean >= fullest {
				t.Errorf("%s: the mean is %.4g bytes, the fullest card has %.4g", c.ID, mean, fullest)
			}
		}
	}
	if means == 0 {
		t.Error("no case is a mean of cards")
	}
}
