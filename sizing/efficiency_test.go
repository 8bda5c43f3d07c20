package sizing

import "testing"

func TestNoSpeedIsBeyondTheCard(t *testing.T) {
	a := everything(t)
	for _, s := range []string{"model=llama-3.1-8b&batch=64", "model=qwen2.5-0.5b&weights=q4_k_m",
		"model=llama-3.1-8b&task=full", "model=llama-3.1-8b&task=qlora"} {
		answer := a.Recommend(ask(t, a, s), a.Cards)
		if len(answer.Options) == 0 {
			t.Fatalf("%s: no card", s)
		}
		for _, o := range answer.Options {
			for _, speed := range []*Speed{o.Training, o.Decode, o.Prefill} {
				if speed != nil && (speed.Efficiency < 0 || speed.Efficiency > 1.0001) {
					t.Errorf("%s on %d × %s reaches %.2f of the card", s, o.Workload.Cards, o.Card.Name,
						speed.Efficiency)
				}
			}
		}
	}
}
