package sizing

import (
	"maps"
	"testing"
)

// Throughput, times per token and first tokens are readings of one engine.
func TestServingHasOneSetOfConstants(t *testing.T) {
	a := everything(t)
	g := serveGauge{ServeSpeed}
	for _, q := range g.together() {
		if !maps.Equal(a.fields[q].Constants, a.fields[ServeSpeed].Constants) {
			t.Errorf("%s has constants of its own: run tianti calibrate --out seed/sizing", q)
		}
	}
	if got, want := len(jointly(g, a.CasesFor(ServeTPOT))), 0; got == want {
		t.Error("no cases tell of time per token")
	}
}

// Constants are worked out once for the same cases.
func TestJointConstantsAreFittedOnce(t *testing.T) {
	a := everything(t)
	g := serveGauge{ServeSpeed}
	cases := jointly(g, a.CasesFor(ServeSpeed))[:12]
	known := &fits{}
	first := known.constants(g, cases)
	first[Constant{"", "mark"}] = 1
	if again := known.constants(serveGauge{ServeTTFT}, cases); again[Constant{"", "mark"}] != 1 {
		t.Error("the same cases were fitted again")
	}
	if other := known.constants(g, cases[1:]); other[Constant{"", "mark"}] != 0 {
		t.Error("other cases have the same constants")
	}
}

// With tens of requests in flight a step is what arithmetic says: weights and cache at most of the bandwidth,
// little of the host for each request.
func TestStepsOfModerateLoadsAreWhatArithmeticSays(t *testing.T) {
	a := everything(t)
	for _, x := range []struct {
		model, weights, card string
		tensor, requests     int
	}{
		{"qwen3-32b", "fp8", "nvidia-h100-sxm5-80gb", 1, 50},
		{"qwen3-32b", "fp8", "nvidia-h100-sxm5-80gb", 1, 16},
		{"llama-3.3-70b", "fp8", "nvidia-h200-sxm5-141gb", 2, 64},
		{"llama-3.1-8b", "bf16", "nvidia-h100-sxm5-80gb", 1, 32},
		{"llama-3.1-8b", "bf16", "nvidia-l4", 1, 8},
	} {
		w := jobOn(t, a, x.model, Workload{Task: Serve, Framework: "vllm", Weights: x.weights, Prompt: 1024,
			Output: 256, Concurrency: x.requests, Cards: x.tensor,
			Sharding: Sharding{Data: 1, Tensor: x.tensor, Pipeline: 1}})
		c := a.Card(x.card)
		if !a.prepareServing(w, c) {
			t.Fatalf("%s on %s is not known", x.model, x.card)
		}
		s := serviceOf(a.fields[ServeSpeed].Constants, w, c)
		n := float64(x.requests)
		bandwidth := 0.8 * c.Bandwidth * s.tensor
		ideal := readBytes(w, n)/bandwidth + n*w.Model.KVBytes(s.position, w.cache.Bytes())/bandwidth + n*30e-6
		if step := s.step(n); step < 0.8*ideal || step > 1.5*ideal {
			t.Errorf("%s on %s: a step of %d takes %.1f ms, by arithmetic %.1f", x.model, x.card, x.requests, 1e3*step,
				1e3*ideal)
		}
	}
}
