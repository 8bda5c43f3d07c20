package serving_test

import (
	"math"
	"slices"
	"testing"

	"tianti/sizing"
	"tianti/sizing/serving"
)

func TestWhereNobodySaysUsersGetAReadableStream(t *testing.T) {
	for _, c := range []struct {
		name       string
		load       serving.Load
		target     serving.Target
		ttft, tpot float64
	}{
		{"nothing said", serving.Load{Concurrency: 50}, serving.Target{}, 2, 0.1},
		{"capacity", serving.Load{}, serving.Target{}, 2, 0.1},
		{"a long prompt", serving.Load{Prompt: 9428, RateRPS: 1}, serving.Target{}, 6, 0.1},
		{"a speed", serving.Load{RateRPS: 1}, serving.Target{UserSpeed: 30}, 2, 0},
		{"a time per token", serving.Load{RateRPS: 1}, serving.Target{TPOT: 0.5}, 2, 0.5},
		{"a first token", serving.Load{RateRPS: 1}, serving.Target{TTFT: 9}, 9, 0.1},
		{"nobody waits", serving.Load{Concurrency: 50}, serving.Target{Unattended: true}, 0, 0},
		{"nobody waits for more than is said", serving.Load{Concurrency: 50},
			serving.Target{Unattended: true, TTFT: 9}, 9, 0},
		{"a burst", serving.Load{Requests: 50}, serving.Target{}, 0, 0},
	} {
		r := serving.Request{Model: estimator(t).Models.Find("llama-3.1-8b"), Load: c.load, Target: c.target}
		for range 2 { // a request that is complete stays as it is
			if errs := serving.Check(estimator(t), &r); len(errs) > 0 {
				t.Fatalf("%s: %v", c.name, errs)
			}
		}
		got := r.Target
		if math.Abs(got.TTFT-c.ttft) > 1e-9 || got.TPOT != c.tpot {
			t.Errorf("%s: TTFT %g s and TPOT %g s, want %g and %g", c.name, got.TTFT, got.TPOT, c.ttft, c.tpot)
		}
		if usual := got.TTFT != c.target.TTFT; got.UsualTTFT != usual {
			t.Errorf("%s: TTFT is called a default: %v, want %v", c.name, got.UsualTTFT, usual)
		}
		if usual := got.TPOT != c.target.TPOT; got.UsualTPOT != usual {
			t.Errorf("%s: TPOT is called a default: %v, want %v", c.name, got.UsualTPOT, usual)
		}
	}
}

// What runs a model at a token a second carries no users, however cheap it is.
func TestAUselessCardIsNotServed(t *testing.T) {
	r := ask(t, "qwen3-32b", "nvidia-gb10")
	r.Load, r.Target, r.Tensor, r.Pipeline = serving.Load{Concurrency: 50}, serving.Target{}, 1, 1
	missed := func(m serving.Miss) bool {
		return m.Target == "tpot" && m.Limit == serving.DefaultTPOT && m.Reached > 0.2
	}
	if p := mustMake(t, r); p.Outcome != serving.Unreachable || !slices.ContainsFunc(p.Misses, missed) {
		t.Errorf("got %s %v, want unreachable by tpot", p.Outcome, p.Misses)
	}
	r.Target.Unattended = true
	if p := mustMake(t, r); p.Outcome != serving.Served {
		t.Errorf("where nobody waits: got %s, want served", p.Outcome)
	}
}

// A promise that only the formula keeps, for an engine that nobody measured on such hardware or at its slow end not at
// all, is none.
func TestDoubtIsWhatNobodyMeasured(t *testing.T) {
	a := estimator(t)
	r := ask(t, "qwen3-32b", "nvidia-h100-sxm5-80gb")
	r.Card, r.Load, r.Target = nil, serving.Load{Concurrency: 200}, serving.Target{}
	briefs, errs := serving.Sweep(a, r, []*sizing.Card{a.Card("nvidia-h100-sxm5-80gb"), a.Card("intel-arc-pro-b60"),
		a.Card("amd-instinct-mi210")})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for i, want := range []struct{ unsure, unmeasured bool }{{false, false}, {true, true}, {true, false}} {
		b := &briefs[i]
		if b.Outcome != serving.Served {
			t.Errorf("%s: %s, want served", b.Card.ID, b.Outcome)
		}
		if b.Unsure != want.unsure || b.Slow.Unmeasured != want.unmeasured {
			t.Errorf("%s: unsure %v with %+v, want %v", b.Card.ID, b.Unsure, b.Slow, want)
		}
		// the factor is that of the plan's own interval, or a little more: it does not count what is known
		one := r
		one.Card = b.Card
		e := mustMake(t, one).Expected
		wide := e.TPOT.High / e.TPOT.Expected
		within := b.Slow.TPOT >= wide*0.999 && b.Slow.TPOT <= wide*1.3
		if formula := e.Evidence.Tier == sizing.Formula; formula && !within || !formula && b.Slow.TPOT != 1 {
			t.Errorf("%s: %s, factor %g, interval %g", b.Card.ID, e.Evidence.Tier, b.Slow.TPOT, wide)
		}
	}
}
