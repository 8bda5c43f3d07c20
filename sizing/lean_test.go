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
