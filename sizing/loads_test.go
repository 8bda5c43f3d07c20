package sizing

import "testing"

// An 8B model in 16 bits leaves an A100 of 80 GB room for some hundreds of requests, and vLLM computes 256 at once.
func TestLoadsAreToldApart(t *testing.T) {
	w := Workload{Task: Serve, Framework: "vllm", Prompt: 256, Output: 344, Cards: 1, Weights: "bf16"}
	w.Model = all(t).Models.Find("llama-3.1-8b")
	w.Prepare(all(t).Profiles, all(t).Formats)
	card := cardNamed(t, "A100-SXM4-80GB")
	if w.Model == nil {
		t.Fatal("the model is not built in")
	}
	for _, x := range []struct {
		requests, concurrency int
		rate                  float64
		want                  Load
	}{
		{requests: 1, want: OneByOne}, {requests: 100, want: Burst}, {requests: 511, want: Burst},
		{requests: 512, want: Saturated}, {requests: 30000, want: Saturated},
		{concurrency: 1, want: OneByOne}, {concurrency: 2, want: InFlight}, {rate: 0.5, want: Arrivals},
	} {
		c := Case{Quantity: ServeTPOT, Workload: w, Card: card}
		c.Workload.Requests, c.Workload.Concurrency, c.Workload.RateRPS = x.requests, x.concurrency, x.rate
		if got := c.Load(); got != x.want {
			t.Errorf("%d requests, %d in flight, %g a second: %q, want %q", x.requests, x.concurrency, x.rate, got,
				x.want)
		}
	}
	if got := (&Case{Quantity: DecodeSpeed, Workload: w, Card: card}).Load(); got != "" {
		t.Errorf("decoding is the load %q, want none", got)
	}
}

// Each scored case of serving is of one load, and the loads of an aspect are all of its cases.
func TestLoadsAddUpToTheirAspect(t *testing.T) {
	a := all(t).Accuracy()
	for i := range a.Aspects {
		s := &a.Aspects[i]
		if !Quantity(s.Aspect).serves() {
			if len(s.Loads) > 0 {
				t.Errorf("%s has loads", s.Aspect)
			}
			continue
		}
		n := 0
		for _, l := range s.Loads {
			n += l.Scores[0].Cases
		}
		if n != s.Scores[0].Cases || len(s.Loads) < 3 {
			t.Errorf("%s: %d cases in %d loads, want %d in several", s.Aspect, n, len(s.Loads), s.Scores[0].Cases)
		}
	}
}
