package sizing

import (
	"slices"
	"testing"
)

// A card on whose kind of hardware nobody measured the trainer stands after those where somebody did, however cheap,
// and says so; where all are such, the order is as before.
func TestAStackThatNobodyMeasuredNeverLeads(t *testing.T) {
	a := all(t)
	r := ask(t, a, "model=qwen2.5-7b&task=lora")
	got := a.Recommend(r, a.Cards)
	unmeasured, said := false, 0
	for i := range got.Options {
		e := &got.Options[i]
		if e.Memory.Verdict != Fits || doubts(e) > 0 {
			break
		}
		if e.Unmeasured {
			unmeasured = true
			for _, x := range e.Assumptions {
				if x.Why == unmeasuredStack {
					said++
				}
			}
		} else if unmeasured && rateOf(e) > 0 {
			t.Errorf("%s stands behind a card on whose stack nobody measured", e.Card.ID)
		}
	}
	if first := got.Options[0]; first.Unmeasured || first.Card.Vendor != "NVIDIA" {
		t.Errorf("first is %s", first.Card.ID)
	}
	if !unmeasured || said == 0 {
		t.Errorf("unmeasured %v, said %d times: ROCm cards fit this job", unmeasured, said)
	}
	r = ask(t, a, "model=qwen2.5-7b&task=lora&vendor=AMD")
	if got := a.Recommend(r, a.Cards); len(got.Options) == 0 || !got.Options[0].Unmeasured {
		t.Errorf("of AMD alone: %d options", len(got.Options))
	}
}

// A module for robots has the memory for many a training job, and is nobody's answer to it; asked for by name, it is
// answered, and says what it is.
func TestAModuleForDevicesNeverLeadsInTraining(t *testing.T) {
	a := all(t)
	for _, job := range []string{"model=qwen3-32b&task=lora", "model=llama-3.1-8b&task=full"} {
		got := a.Recommend(ask(t, a, job), a.Cards)
		for i, e := range got.Options[:min(5, len(got.Options))] {
			if e.Card.Segment == "edge" {
				t.Errorf("%s: %s is number %d", job, e.Card.ID, i+1)
			}
		}
	}
	r := ask(t, a, "model=qwen3-32b&task=lora")
	got := a.Recommend(r, []*Card{a.Card("nvidia-jetson-t5000")})
	if len(got.Options) == 0 {
		t.Fatalf("the module alone has no answer: %+v", got.Rejected)
	}
	if !slices.ContainsFunc(got.Options[0].Assumptions, func(x Assumption) bool { return x.Why == edgeModule }) {
		t.Errorf("nothing says what it is: %+v", got.Options[0].Assumptions)
	}
}
