package sizing_test

import (
	"slices"
	"strings"
	"testing"

	"tianti/sizing"
)

// A step that outgrows the graphs of its engine may be slower than two that do not: plans run no more at once than is
// best, so that more load never lowers throughput, and a run with the engine's defaults is estimated as it is.
func TestPlansDoNotOutgrowGraphs(t *testing.T) {
	a, err := servingEstimator()
	if err != nil {
		t.Fatal(err)
	}
	w := sizing.Workload{Model: a.Models.Find("qwen3-30b-a3b"), Framework: "tensorrt-llm", Weights: "nvfp4",
		KVCache: "fp8", Cards: 1, Prompt: 128, Output: 2048,
		Sharding: sizing.Sharding{Data: 1, Tensor: 1, Pipeline: 1}}
	c := a.Card("nvidia-b200-sxm6-180gb")
	server := func(captured int) *sizing.Server {
		w.Captured = captured
		s, ok := a.Server(w, c, sizing.Tuning{})
		if !ok {
			t.Fatal("no server")
		}
		return s
	}
	small, large := server(128), server(8192)
	if got := small.Best(150); got != 128 {
		t.Errorf("of 150 requests %g are run at once, want the 128 of a graph", got)
	}
	if got := large.Best(150); got != 150 {
		t.Errorf("of 150 requests %g are run at once, and all of them are one graph", got)
	}
	last := 0.0
	for b := 100; b < 2000; b += 20 {
		x := small.At(0, 0, b)
		if x.Throughput.Expected < last*(1-1e-6) {
			t.Fatalf("%g tokens/s with %d requests, with fewer %g", x.Throughput.Expected, b, last)
		}
		last = x.Throughput.Expected
		if all := large.At(0, 0, b); x.Throughput.Expected > all.Throughput.Expected*(1+1e-6) {
			t.Fatalf("with %d requests %g tokens/s with small graphs, %g with large ones", b, x.Throughput.Expected,
				all.Throughput.Expected)
		}
	}
}

// Cards that attend to requests of their own keep the keys and values of each once, where there are fewer heads of them
// than cards, and all of what is no expert.
func TestAttentionDataParallelism(t *testing.T) {
	a, err := servingEstimator()
	if err != nil {
		t.Fatal(err)
	}
	w := sizing.Workload{Model: a.Models.Find("deepseek-r1"), Framework: "sglang", Weights: "fp8", Cards: 8,
		Prompt: 1000, Output: 1000, Sharding: sizing.Sharding{Data: 1, Tensor: 8, Pipeline: 1}}
	c := a.Card("nvidia-h200-sxm5-141gb")
	shared, most, ok := a.Room(w, c, sizing.Tuning{})
	w.Sharding.AttentionData = true
	apart, more, also := a.Room(w, c, sizing.Tuning{})
	if !ok || !also || apart >= shared || more < 4*most {
		t.Errorf("room %g and %g bytes for %g and %g requests", shared, apart, most, more)
	}
}

func TestCasesOfGraphsAndAttention(t *testing.T) {
	a, err := servingEstimator()
	if err != nil {
		t.Fatal(err)
	}
	const header = "id,model,task,precision,framework,gpu,n_gpus,tensor_parallel,prompt,output,requests," +
		"cuda_graph_max,attention_dp,measured_tokens_per_s\n"
	cases, problems := a.ReadCases(strings.NewReader(header +
		"a,Qwen3-30B-A3B,serve,FP8,vLLM,H100 SXM5 80GB,2,2,128,128,1000,1024,yes,9000\n" +
		"b,Qwen3-30B-A3B,serve,FP8,vLLM,H100 SXM5 80GB,2,2,128,128,1000,,,9000\n" +
		"c,Qwen3-30B-A3B,serve,FP8,vLLM,H100 SXM5 80GB,2,2,128,128,1000,,perhaps,9000\n"))
	at := func(id string) *sizing.Case {
		i := slices.IndexFunc(cases, func(c sizing.Case) bool { return c.ID == id })
		if i < 0 {
			t.Fatalf("%s was not read: %v", id, problems)
		}
		return &cases[i]
	}
	if x := at("a"); x.Workload.Captured != 1024 || !x.Workload.Sharding.AttentionData {
		t.Errorf("a: %d tokens in a graph, %v", x.Workload.Captured, x.Workload.Sharding.AttentionData)
	}
	if x := at("b"); x.Workload.Captured != 0 || x.Workload.Sharding.AttentionData {
		t.Errorf("b: %d tokens in a graph, %v", x.Workload.Captured, x.Workload.Sharding.AttentionData)
	}
	if !slices.ContainsFunc(problems, func(p sizing.Problem) bool { return p.ID == "c" && p.Field == "attention_dp" }) {
		t.Errorf("problems %v lack attention_dp of c", problems)
	}
}
