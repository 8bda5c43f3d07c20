package sizing

import (
	"slices"
	"testing"
)

// A page that calls an estimate measured does not exclude the run that it means.
func TestMeasuredIntervalsHoldTheirRuns(t *testing.T) {
	a := all(t)
	for _, q := range []struct {
		of     Quantity
		speed  func(*Workload, *Card) (Speed, bool)
		enough int
	}{{TrainingSpeed, a.Training, 300}, {DecodeSpeed, a.Decode, 50}, {PrefillSpeed, a.Prefill, 50}} {
		measured := 0
		for _, c := range a.fields[q.of].cases {
			if !c.Trusted {
				continue
			}
			s, ok := q.speed(&c.Workload, c.Card)
			if !ok || s.Evidence.Tier != Measured {
				continue
			}
			measured++
			if c.Measured < s.Rate.Low || c.Measured > s.Rate.High {
				t.Errorf("%s: %.4g is not within %.4g to %.4g", c.ID, c.Measured, s.Rate.Low, s.Rate.High)
			}
		}
		if measured < q.enough {
			t.Errorf("%s: only %d of the runs are called measured", q.of, measured)
		}
	}
}

// The run of LoRA with one sequence that waits for its host is what the page says of it, and TRL, whose trainer is
// that of Transformers, stands on it too. With Liger's kernels the layers are others: it is a near job.
func TestAKnownRunIsWhatThePageSays(t *testing.T) {
	a := all(t)
	const job = "model=llama-3.1-8b&card=nvidia-h200-sxm5-141gb&task=lora&batch=1&context=2048&targets=all" +
		"&checkpointing=full"
	const ran = 4246.7
	e := estimateOf(t, a, job+"&framework=transformers")
	s := e.Training
	if s == nil || s.Evidence.Tier != Measured || s.Rate.Low > ran || s.Rate.High < ran ||
		s.Rate.Expected > 1.15*ran || s.Rate.Expected < ran/1.15 {
		t.Fatalf("with Transformers: %+v", s)
	}
	if !names(s, "S9002") {
		t.Errorf("with Transformers: the run is not named")
	}
	for framework, tier := range map[string][]Tier{"trl": {Measured}, "trl-liger": {Measured, Calibrated}} {
		e := estimateOf(t, a, job+"&framework="+framework)
		s := e.Training
		if s == nil || !slices.Contains(tier, s.Evidence.Tier) || framework == "trl" && !names(s, "S9002") ||
			s.Rate.Low > ran || s.Rate.Expected > 1.4*ran || s.Rate.Expected < ran/1.15 {
			t.Errorf("with %s: %+v", framework, s)
		}
	}
	// Near jobs are drawn to it, the nearer the more.
	last := 0.0
	for _, tokens := range []string{"2048", "2304", "3072"} {
		e := estimateOf(t, a, "model=llama-3.1-8b&card=nvidia-h200-sxm5-141gb&task=lora&batch=1&targets=all"+
			"&checkpointing=full&framework=transformers&context="+tokens)
		ratio := e.Training.Rate.Expected / e.Training.Evidence.Formula
		if last > 0 && (ratio < last-0.02 || ratio > last*1.2) {
			t.Errorf("%s tokens: %.3f of the formula, after %.3f", tokens, ratio, last)
		}
		last = ratio
	}
}

// names reports whether a run is among those that a speed rests on.
func names(s *Speed, id string) bool {
	return slices.ContainsFunc(s.Evidence.Supports, func(x Support) bool { return x.Case.ID == id })
}

// Notes of speeds say which matrices have adapters; each of them takes the host time.
func TestNotesNameAdapters(t *testing.T) {
	want := map[string]string{"S9002": "q,k,v,o,gate,up,down", "S9012": "q,v", "S5124": "q,k,v,o"}
	for _, c := range all(t).CasesOf(TrainingSpeed) {
		if targets, ok := want[c.ID]; ok {
			if c.Workload.Targets != targets || c.Workload.Rank == 0 {
				t.Errorf("%s: adapters of %q, rank %d", c.ID, c.Workload.Targets, c.Workload.Rank)
			}
			delete(want, c.ID)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}
