package sizing_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
)

var servingEstimator = sync.OnceValues(func() (*sizing.Estimator, error) {
	d, err := seed.Builtin()
	if err != nil {
		return nil, err
	}
	return sizing.New(seed.Sizing(), catalog.NewSnapshot(0, d))
})

// servers are engines on cards of several makers, with dense models and experts, alone and together.
func servers(t *testing.T) map[string]*sizing.Server {
	t.Helper()
	a, err := servingEstimator()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*sizing.Server{}
	for _, x := range []struct {
		model, card, framework string
		tensor, pipeline       int
		prompt, output         int
	}{
		{"llama-3.1-8b", "nvidia-h100-sxm5-80gb", "vllm", 1, 1, 1024, 256},
		{"llama-3.1-8b", "nvidia-geforce-rtx-4090", "vllm", 1, 1, 512, 512},
		{"llama-3.1-70b", "amd-instinct-mi300x", "sglang", 4, 1, 2048, 128},
		{"mixtral-8x7b", "nvidia-h200-sxm5-141gb", "tensorrt-llm", 1, 1, 300, 300},
		{"qwen3-30b-a3b", "nvidia-a100-sxm4-80gb", "vllm", 2, 1, 4000, 1000},
		{"llama-3.1-70b", "huawei-ascend-910b2", "vllm-ascend", 8, 1, 256, 341},
		{"llama-3.1-8b", "nvidia-l40s", "vllm", 1, 2, 20000, 500},
	} {
		m, c := a.Models.Find(x.model), a.Card(x.card)
		if m == nil || c == nil {
			t.Fatalf("%s or %s is not built in", x.model, x.card)
		}
		w := sizing.Workload{Model: m, Framework: x.framework, Weights: "bf16", Cards: x.tensor * x.pipeline,
			Prompt: x.prompt, Output: x.output,
			Sharding: sizing.Sharding{Data: 1, Tensor: x.tensor, Pipeline: x.pipeline}}
		s, ok := a.Server(w, c, sizing.Tuning{})
		if !ok {
			t.Fatalf("no server of %s on %s", x.model, x.card)
		}
		out[x.model+" on "+x.card] = s
	}
	return out
}

func TestMoreLoadIsNeverFasterForAUser(t *testing.T) {
	for name, s := range servers(t) {
		saturation := s.At(0, 0, 1).Saturation.Expected
		last := sizing.Serving{}
		for i := 1; i < 100; i++ {
			x := s.At(0, saturation*float64(i)/100, 0)
			if x.TPOT.Expected < last.TPOT.Expected*(1-1e-6) || x.TTFT.Expected < last.TTFT.Expected*(1-1e-6) ||
				x.InFlight < last.InFlight*(1-1e-6) {
				t.Fatalf("%s: at %d %% of saturation TPOT %g and TTFT %g, with less load %g and %g", name, i,
					x.TPOT.Expected, x.TTFT.Expected, last.TPOT.Expected, last.TTFT.Expected)
			}
			if x.Overloaded {
				t.Fatalf("%s: overloaded at %d %% of saturation", name, i)
			}
			last = x
		}
		last = sizing.Serving{}
		for b := 1; b < 2000; b += 1 + b/8 {
			x := s.At(0, 0, b)
			if x.TPOT.Expected < last.TPOT.Expected*(1-1e-6) {
				t.Fatalf("%s: TPOT %g with %d requests in flight, with fewer %g", name, x.TPOT.Expected, b,
					last.TPOT.Expected)
			}
			if x.Throughput.Expected < last.Throughput.Expected*(1-1e-6) {
				t.Fatalf("%s: %g tokens/s with %d requests in flight, with fewer %g", name, x.Throughput.Expected, b,
					last.Throughput.Expected)
			}
			last = x
		}
	}
}

func TestBeyondSaturationIsOverload(t *testing.T) {
	for name, s := range servers(t) {
		most := s.At(0, 0, 1).Saturation.Expected
		x := s.At(0, most*1.01, 0)
		if !x.Overloaded {
			t.Errorf("%s: %g requests/s of at most %g, and not overloaded", name, most*1.01, most)
		}
	}
}

func TestABurstTakesLongerThanItsParts(t *testing.T) {
	for name, s := range servers(t) {
		last := 0.0
		for _, n := range []int{1, 2, 8, 50, 300, 5000} {
			x := s.At(n, 0, 0)
			if x.Seconds.Expected < last {
				t.Errorf("%s: %d requests take %g s, fewer took %g", name, n, x.Seconds.Expected, last)
			}
			last = x.Seconds.Expected
		}
		most := s.At(0, 0, 1).Saturation.Expected
		x := s.At(100_000, 0, 0)
		if rate := 100_000 / x.Seconds.Expected; rate > most*1.001 {
			t.Errorf("%s: a burst is answered at %g requests/s, more than saturation, %g", name, rate, most)
		}
	}
}

func TestServingStaysWithinTheCard(t *testing.T) {
	a, err := servingEstimator()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"nvidia-h100-sxm5-80gb", "nvidia-geforce-rtx-4090", "amd-instinct-mi300x"} {
		c, m := a.Card(id), a.Models.Find("llama-3.1-8b")
		w := sizing.Workload{Model: m, Framework: "vllm", Weights: "bf16", Cards: 1, Prompt: 512, Output: 512,
			Sharding: sizing.Sharding{Data: 1, Tensor: 1, Pipeline: 1}}
		s, ok := a.Server(w, c, sizing.Tuning{})
		if !ok {
			t.Fatalf("no server on %s", id)
		}
		rate := max(c.BF16, c.FP16)
		for _, b := range []int{1, 16, 256} {
			x := s.At(0, 0, b)
			read := 2 * (m.Parameters - m.Embeddings()) / c.Bandwidth
			if x.TPOT.Low < read*0.999 {
				t.Errorf("%s: a token in %g s, but its weights are read in %g", id, x.TPOT.Low, read)
			}
			operations := 2 * (m.Parameters - m.Embeddings()) * x.Throughput.Expected * 2 // as many of prompt
			if operations > rate {
				t.Errorf("%s: %g FLOP/s of %g", id, operations, rate)
			}
		}
	}
}

func TestServeCases(t *testing.T) {
	a, err := servingEstimator()
	if err != nil {
		t.Fatal(err)
	}
	const header = "id,model,task,precision,framework,gpu,n_gpus,prompt,output,requests,rate_rps,concurrency," +
		"measured_tokens_per_s,ttft_ms,tpot_ms\n"
	cases, problems := a.ReadCases(strings.NewReader(header +
		"a,Llama-3.1-8B,serve,W8A8,vLLM,A800,1,256,344,100,,,3560,,\n" +
		"b,Llama-3.1-8B,serve,W8A16,SGLang,A100 SXM4 40GB,1,256,190,,5,,,36.98,9.64\n" +
		"c,Qwen2.5-0.5B,serve,BF16,vllm-tpu,TPU v5e,1,103,255,200,,,8120,,\n" +
		"d,Llama-3-8B,serve,FP16,vllm-musa,MTT S4000,1,256,145,,,1,5,100,100\n" +
		"e,Llama-3-70B,serve,BF16,vllm-ascend,Ascend 910B2,8,256,341,,900,,,1000,100\n" +
		"f,Llama-3.1-8B,serve,FP8,TensorRT-LLM,H20,1,256,341,,,,100,,\n" +
		"g,Llama-3.1-8B,serve,W4A16,vLLM,RTX 4090 D,1,256,341,10,5,,100,,\n" +
		"h,Llama-3.1-8B,serve,BF16,vLLM,V100S,1,,341,10,,,100,,\n"))
	var ids []string
	for i := range cases {
		ids = append(ids, cases[i].ID)
	}
	if got, want := strings.Join(ids, " "), "a b/tpot b/ttft c d d/tpot d/ttft e/tpot e/ttft"; got != want {
		t.Errorf("cases %s, want %s", got, want)
	}
	fields := map[string]bool{}
	for _, p := range problems {
		fields[p.ID+" "+p.Field] = true
	}
	for _, want := range []string{"f requests", "g requests", "h prompt"} {
		if !fields[want] {
			t.Errorf("no problem %q in %v", want, problems)
		}
	}
	for _, r := range a.Evaluate(cases, sizing.OutCard) {
		switch {
		case strings.HasPrefix(r.Case.ID, "e/"):
			if !strings.Contains(r.Skipped, "overloaded") {
				t.Errorf("%s: 900 requests a second: %+v", r.Case.ID, r)
			}
		case r.Skipped != "" || !(r.Low <= r.Predicted && r.Predicted <= r.High) || r.Predicted <= 0:
			t.Errorf("%s: %+v", r.Case.ID, r)
		case r.Case.Unit == "ms" && math.Abs(r.Measured-r.Case.Measured*1000) > 1e-9:
			t.Errorf("%s: measured %g ms, want %g", r.Case.ID, r.Measured, r.Case.Measured*1000)
		}
	}
}
