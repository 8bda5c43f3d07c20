package serving_test

import (
	"strconv"
	"strings"
	"testing"

	"tianti/sizing"
	"tianti/sizing/serving"
)

// The engine is told to compute no more at once than keep the promise, and no more than there are.
func TestAnEngineRunsNoMoreAtOnceThanIsBest(t *testing.T) {
	a := estimator(t)
	for _, c := range []struct {
		name, limit string
		load        serving.Load
		target      serving.Target
		set         int
	}{
		{"users at once", "load", serving.Load{Concurrency: 20}, serving.Target{Unattended: true}, 0},
		{"arrivals with a promise", "user_speed", serving.Load{RateRPS: 2}, serving.Target{UserSpeed: 40}, 0},
		{"nobody waits", "cache", serving.Load{}, serving.Target{Unattended: true}, 0},
		{"asked for", "asked", serving.Load{Concurrency: 20}, serving.Target{Unattended: true}, 7},
	} {
		r := ask(t, "qwen3-32b", "nvidia-h100-sxm5-80gb")
		r.Weights, r.Tensor, r.Engine = "fp8", 1, "vllm"
		r.Load, r.Target, r.Settings.MaxSequences = c.load, c.target, c.set
		p := mustMake(t, r)
		if p.Outcome != serving.Served || p.AtOnce.Limit != c.limit {
			t.Errorf("%s: %s, %+v, want limit %s", c.name, p.Outcome, p.AtOnce, c.limit)
			continue
		}
		n := p.AtOnce.Requests
		if want := "--max-num-seqs " + strconv.Itoa(n); !strings.Contains(p.Commands[0].Text, want+" ") {
			t.Errorf("%s: %s lacks %s", c.name, p.Commands[0].Text, want)
		}
		server, ok := a.Server(p.Workload, r.Card, sizing.Tuning{})
		if !ok {
			t.Fatalf("%s: no server", c.name)
		}
		switch c.limit {
		case "load":
			if n != p.Workload.Concurrency {
				t.Errorf("%s: %d, want %d", c.name, n, p.Workload.Concurrency)
			}
		case "user_speed":
			kept, missed := server.At(0, 0, n), server.At(0, 0, n+1)
			if 1/kept.TPOT.Expected < 40 || 1/missed.TPOT.Expected >= 40 {
				t.Errorf("%s: with %d users get %g tokens/s, with one more %g, want 40", c.name, n,
					1/kept.TPOT.Expected, 1/missed.TPOT.Expected)
			}
			if float64(n) < p.Expected.InFlight {
				t.Errorf("%s: %d at once, but %g are in flight", c.name, n, p.Expected.InFlight)
			}
		case "cache":
			if float64(n) > server.Most() || float64(n+1) <= server.Most() {
				t.Errorf("%s: %d at once, but %g fit", c.name, n, server.Most())
			}
		}
	}
}
