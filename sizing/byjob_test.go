package sizing

import "testing"

func TestJobsAreFoundByAllOfThem(t *testing.T) {
	m := &Model{ID: "m"}
	jobs := []Workload{{}, {Model: m}, {Model: m, Task: Full}, {Model: m, Task: Full, Cards: 8},
		{Model: m, Task: Full, Cards: 8, Sharding: Sharding{Stage: 3}},
		// these differ in what the key has not
		{Model: m, Task: Full, Cards: 8, Optimizer: "adamw-8bit"}, {Model: m, Task: Full, Cards: 8, FusedLoss: true},
		{Model: m, Task: Full, Cards: 8, Sharding: Sharding{Data: 8}}, {Model: m, Task: Full, Cards: 8, KVCache: "fp8"}}
	var known byJob[int]
	for i := range jobs {
		if v, ok := known.get(&jobs[i]); ok {
			t.Errorf("job %d is known as %d before it is put", i, v)
		}
		known.put(&jobs[i], i)
	}
	for i := range jobs {
		job := jobs[i]
		if v, ok := known.get(&job); !ok || v != i {
			t.Errorf("job %d: got %d, %v", i, v, ok)
		}
	}
}

func BenchmarkKnownJob(b *testing.B) {
	w := Workload{Model: &Model{}, Task: Full, Framework: "trl", Weights: "bf16", Compute: "bf16", Optimizer: "adamw",
		Checkpointing: "full", Attention: "sdpa", Cards: 8}
	known, plain := byJob[Range]{}, map[Workload]Range{}
	for n := range 1000 {
		w.Batch = n
		known.put(&w, Range{})
		plain[w] = Range{}
	}
	b.Run("by key", func(b *testing.B) {
		for b.Loop() {
			known.get(&w)
		}
	})
	b.Run("by all", func(b *testing.B) {
		for b.Loop() {
			_ = plain[w]
		}
	})
}
