package sizing

import "testing"

// What PEFT makes 32-bit beside a quantised base takes time and memory; a run whose notes say that nothing was made so
// takes neither, and is no run of a job that does.
func TestPreparationTakesTimeAndMemory(t *testing.T) {
	byID := map[string]*Case{}
	for _, q := range []Quantity{MemoryTraining, TrainingSpeed} {
		for _, c := range all(t).CasesOf(q) {
			byID[c.ID] = c
		}
	}
	for _, pair := range [][2]string{{"S9705", "S9707"}, {"S9709", "S9710"}, {"M9705", "M9707"}, {"M9709", "M9710"}} {
		prepared, plain := byID[pair[0]], byID[pair[1]]
		if prepared == nil || plain == nil {
			t.Fatalf("%v: not among the cases", pair)
		}
		if !prepared.Workload.prepared() || plain.Workload.prepared() {
			t.Errorf("%v: prepared %v and %v, want true and false", pair, prepared.Workload.prepared(),
				plain.Workload.prepared())
		}
		if pair[0][0] == 'M' {
			k := startOf(memory{true})
			a, b := memory{true}.ledger(k, &prepared.Workload, false), memory{true}.ledger(k, &plain.Workload, false)
			with, without := a.sum, b.sum
			if with < without+3*gib {
				t.Errorf("%v: %.1f GiB prepared, %.1f not", pair, with/gib, without/gib)
			}
			continue
		}
		if (training{}).same(&prepared.Workload, prepared.Card, &plain.Workload, plain.Card) {
			t.Errorf("%v: taken for one job", pair)
		}
		slow, _ := training{}.formula(starts(), &prepared.Workload, prepared.Card, false)
		fast, _ := training{}.formula(starts(), &plain.Workload, plain.Card, false)
		if slow >= fast {
			t.Errorf("%v: %.0f tokens/s prepared, %.0f not", pair, slow, fast)
		}
	}
}

// A few tokens wait for the host, many for the card.
func TestTheHostIsInDoubtWhereItSetsThePace(t *testing.T) {
	last := 1.0
	for _, batch := range []int{1, 2, 4, 16} {
		w := Workload{Model: llama8B(), Task: LoRA, Compute: "bf16", Batch: batch, Context: 1024, Cards: 1,
			Checkpointing: "full", Targets: "all"}
		d := training{}.doubt(starts(), &w, h100())
		if d <= 0 || d >= last {
			t.Errorf("%d sequences: %.3f of the host, want less than %.3f", batch, d, last)
		}
		last = d
	}
	if last > 0.01 {
		t.Errorf("sixteen sequences: %.3f of the host", last)
	}
	if d := (training{}).doubt(starts(), &Workload{Task: Full, Context: 1, Cards: 1}, h100()); d != 1 {
		t.Errorf("a job without a model: %.3f", d)
	}
}
