package sizing

import "testing"

// A card on whose kind of hardware nobody measured the trainer stands after those where somebody did, however cheap, and
// says so; where all are such, the order is as before.
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
