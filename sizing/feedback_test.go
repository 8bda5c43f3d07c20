package sizing

import (
	"math"
	"testing"
)

// Under random arrivals a slower step has more requests in it: what is off by a factor at a number of requests is off
// by more in the end, and what settles is the formula at the requests that are then in flight, times the factor.
func TestArrivalsFeedBack(t *testing.T) {
	a := everything(t)
	q := a.fields[ServeTPOT]
	g := q.gauge.(serveGauge)
	for _, rate := range []float64{0.5, 5, 20} {
		w := jobOn(t, a, "Llama-3.1-8B", Workload{Task: Serve, Framework: "vllm", Version: "0.7.3", Weights: "bf16",
			Compute: "bf16", Batch: 1, Prompt: 256, Output: 350, RateRPS: rate})
		c := a.Card("nvidia-a100-sxm4-80gb")
		plain, _ := g.formula(q.Constants, w, c, false)
		if got := g.settled(q.Constants, w, c, 1); math.Abs(math.Log(got/plain)) > 0.02 {
			t.Errorf("%v requests/s: settles at %v, the formula says %v", rate, got, plain)
		}
		for _, factor := range []float64{0.7, 1.3, 2} {
			got := g.settled(q.Constants, w, c, factor)
			if at := g.measuredAt(q.Constants, w, c, got); math.Abs(math.Log(got/at/factor)) > 1e-3 {
				t.Errorf("%v requests/s: %v settles at %v, where the formula is %v", rate, factor, got, at)
			}
			if s := serviceOf(q.Constants, w, c); rate*s.output*got >= s.most {
				// as many as there is room for
				continue
			}
			if off := math.Log(got/plain) / math.Log(factor); off < 0.99 {
				t.Errorf("%v requests/s: %v comes to %v only", rate, factor, got/plain)
			}
		}
	}
}

// vLLM goes by the card, in releases with its present core.
func TestLimitsOfVLLMFollowTheCard(t *testing.T) {
	a := everything(t)
	for _, x := range []struct {
		card, version     string
		sequences, tokens float64
	}{
		{"nvidia-h100-sxm5-80gb", "", 1024, 8192},
		{"amd-instinct-mi300x", "0.11.0", 1024, 8192},
		{"nvidia-a100-sxm4-80gb", "", 256, 2048},
		{"nvidia-geforce-rtx-4090", "0.16.0", 256, 2048},
		{"nvidia-h100-sxm5-80gb", "0.7.3", 256, 8192},
	} {
		w := jobOn(t, a, "Llama-3.1-8B", Workload{Task: Serve, Framework: "vllm", Version: x.version, Weights: "bf16",
			Prompt: 256, Output: 350, Concurrency: 1})
		if n, tokens := engineLimits(w, a.Card(x.card)); n != x.sequences || tokens != x.tokens {
			t.Errorf("%s %s: %v requests and %v tokens", x.card, x.version, n, tokens)
		}
		w.MaxSequences = 17
		if n, _ := engineLimits(w, a.Card(x.card)); n != 17 {
			t.Errorf("%s: %v requests where 17 are asked for", x.card, n)
		}
	}
}
