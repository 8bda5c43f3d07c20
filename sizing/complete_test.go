package sizing

import "testing"

// What is built into a processor runs llama.cpp for one user; many, or who names an engine, get what they ask for.
func TestGraphicsOfAProcessorRunLlamaCpp(t *testing.T) {
	a := everything(t)
	c := a.Card("amd-ryzen-ai-max-plus-395")
	for _, x := range []struct {
		w    Workload
		want string
	}{
		{Workload{Task: Inference}, "llama.cpp"},
		{Workload{Task: Inference, Batch: 8}, "vllm"},
		{Workload{Task: Inference, Framework: "vllm"}, "vllm"},
	} {
		w := x.w
		w.Model = a.Models.Find("gpt-oss-120b")
		if a.Complete(&w, c); w.Framework != x.want {
			t.Errorf("%+v: got %s, want %s", x.w, w.Framework, x.want)
		}
	}
}
