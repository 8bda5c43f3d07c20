package sizing

import (
	"slices"
	"testing"
)

// On several cards that do not surely hold a job otherwise, checkpoints go to the memory of the host, and the
// recommendation and the estimate say so alike; who said where they are kept, and a job that fits, are left alone.
func TestCheckpointsGoToTheHostWhereSeveralCardsLackMemory(t *testing.T) {
	a := all(t)
	for _, c := range []struct{ query, checkpointing string }{
		{"model=qwen2.5-72b&task=qlora&cards=2", "offload"},
		{"model=qwen2.5-72b&task=qlora&cards=2&checkpointing=full", "full"},
		{"model=qwen2.5-32b&task=qlora&cards=2", "full"},
		{"model=qwen2.5-72b&task=qlora&cards=2&framework=llama-factory", "full"}, // which cannot
	} {
		r := ask(t, a, c.query+"&card=nvidia-rtx-a6000")
		e := a.Estimate(r.Workload, mustCard(t, a, "nvidia-rtx-a6000"), r)
		if e.Workload.Checkpointing != c.checkpointing {
			t.Errorf("%s: checkpoints are %s, not %s", c.query, e.Workload.Checkpointing, c.checkpointing)
		}
		moved := c.checkpointing == "offload"
		said := slices.ContainsFunc(e.Assumptions, func(s Assumption) bool { return s.Why == "checkpoints_on_host" })
		if said != moved || moved && (e.Memory.Verdict != Fits || e.Memory.Host == 0) {
			t.Errorf("%s: %s, %.1f GB on the host, assumptions %v", c.query, e.Memory.Verdict, e.Memory.Host/1e9,
				e.Assumptions)
		}
		options := a.Recommend(r, a.Cards).Options
		i := slices.IndexFunc(options, func(o Estimate) bool { return o.Workload.Cards == 2 })
		if moved && (i < 0 || options[i].Memory.PerCard != e.Memory.PerCard || options[i].Rate() == nil ||
			options[i].Rate().Rate != e.Rate().Rate) {
			t.Errorf("%s: the recommendation differs: %+v", c.query, options)
		}
	}
}

// Experts are divided among cards before parameters are gathered, by frameworks that can: a model of many experts is
// trained on a cluster at no fraction of its speed.
func TestExpertsAreDividedAmongTheCardsOfServers(t *testing.T) {
	a := all(t)
	rate := func(query string, want int) float64 {
		r := ask(t, a, query+"&card=nvidia-h800-sxm5-80gb")
		e := a.Estimate(r.Workload, mustCard(t, a, "nvidia-h800-sxm5-80gb"), r)
		if got := max(1, e.Workload.Sharding.Experts); got != want {
			t.Errorf("%s: %d cards share experts, want %d", query, got, want)
		}
		return rateOf(&e)
	}
	apart := rate("model=deepseek-v3&task=pretrain&cards=2048", 64)
	if together := rate("model=deepseek-v3&task=pretrain&cards=2048&expert_parallel=1", 1); apart < 2*together {
		t.Errorf("%g tokens/s with experts apart, %g with them together", apart, together)
	}
	rate("model=mixtral-8x7b&task=pretrain&cards=16", 8)
	rate("model=mixtral-8x7b&task=pretrain&cards=4", 1)
	rate("model=llama-3.1-405b&task=pretrain&cards=1024", 1)
	rate("model=deepseek-v3&task=full&framework=llama-factory&cards=1024", 1) // which cannot
}
