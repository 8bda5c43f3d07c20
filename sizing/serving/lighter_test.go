package serving_test

import (
	"slices"
	"testing"

	"tianti/sizing"
	"tianti/sizing/serving"
)

func TestACardThatIsNamedGetsLighterWeightsWhereThePublishedAreTooHeavy(t *testing.T) {
	for _, x := range []struct {
		model, card string
		cards       int // at most
		weights     string
		lighter     string
	}{
		{"qwen3-32b", "nvidia-geforce-rtx-4090", 2, "", "fp8"},
		{"qwen3-32b", "nvidia-geforce-rtx-4090", 1, "", "awq-int4"},
		{"qwen3-14b", "nvidia-geforce-rtx-3090", 1, "", "int8"},   // which multiplies no FP8
		{"qwen3-32b", "nvidia-a100-sxm4-80gb", 2, "", ""},         // carries it as it is
		{"qwen3-32b", "nvidia-geforce-rtx-4090", 2, "bf16", ""},   // says which
		{"deepseek-v3", "nvidia-geforce-rtx-4090", 2, "", ""},     // in no format
		{"llama-3.1-8b", "nvidia-geforce-gtx-1080-ti", 1, "", ""}, // its software does not run
		{"gpt-oss-120b", "nvidia-geforce-rtx-4090", 1, "", ""},    // published with as few
		{"qwen3-32b", "nvidia-rtx-pro-6000-blackwell-max-q", 1, "", ""},
	} {
		r := ask(t, x.model, x.card)
		r.Load, r.Target = serving.Load{Prompt: 1024, Output: 256, Concurrency: 1}, serving.Target{}
		r.MaxCards, r.Weights = x.cards, x.weights
		p := mustMake(t, r)
		if p.Lighter != x.lighter {
			t.Errorf("%s on %s: weights %q, want %q (%s)", x.model, x.card, p.Lighter, x.lighter, p.Outcome)
		}
		if x.lighter == "" {
			continue
		}
		if p.Outcome != serving.Served || p.Workload.Weights != x.lighter || p.Published == serving.Served ||
			p.Request.Weights != x.lighter {
			t.Errorf("%s on %s: %s in %s, published %s", x.model, x.card, p.Outcome, p.Workload.Weights, p.Published)
		}
		if len(p.Commands) == 0 || !slices.Contains(p.Commands[0].Notes, "files_in_weights") {
			t.Errorf("%s on %s: the command does not say which files it takes", x.model, x.card)
		}
		r.Weights = x.lighter
		same := mustMake(t, r)
		if same.Lighter != "" || same.Cards != p.Cards || same.Expected.TPOT != p.Expected.TPOT {
			t.Errorf("%s on %s: %d cards with %s given, %d taken", x.model, x.card, same.Cards, x.lighter, p.Cards)
		}
		r.Weights = ""
		for _, may := range []bool{false, true} { // among all cards, one is taken that carries it as it is published
			r.Lighten = may
			briefs, errs := serving.Sweep(estimator(t), r, []*sizing.Card{r.Card})
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got := briefs[0].Outcome == serving.Served; got != may || may && briefs[0].Lighter != x.lighter {
				t.Errorf("%s on %s, may be lighter %v: %s with %q", x.model, x.card, may, briefs[0].Outcome,
					briefs[0].Lighter)
			}
		}
	}
}
