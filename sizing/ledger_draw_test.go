package sizing

import (
	"math/rand/v2"
	"testing"
)

// What jobs are drawn from at random, for tests of the ledger.

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// drawModel draws an architecture; its parameters are those of its matrices, more or less.
func drawModel(r *rand.Rand) *Model {
	m := &Model{
		ID:             "drawn",
		Layers:         2 + r.IntN(7),
		Hidden:         64 * (1 + r.IntN(6)),
		Heads:          8,
		HeadDim:        pick(r, 16, 24),
		KVHeads:        pick(r, 0, 1, 2, 8),
		Intermediate:   32 * (1 + r.IntN(20)),
		Vocabulary:     pick(r, 0, 500, 1500, 40_000),
		TiedEmbeddings: r.IntN(2) == 0,
		GatedMLP:       r.IntN(2) == 0,
		CopiesCache:    r.IntN(2) == 0,
		ShortLoss:      r.IntN(2) == 0,
		UnfusedGELU:    r.IntN(2) == 0,
		MaxContext:     pick(r, 0, 30, 5000),
		Kind:           pick(r, "", "decoder", "decoder", "encoder"),
	}
	m.Parameters = m.Embeddings() + m.Head() + float64(m.Layers*m.Hidden*(4*m.Hidden+3*m.Intermediate))
	switch r.IntN(5) {
	case 0:
		m.Experts, m.ExpertsPerToken, m.ExpertIntermediate, m.SharedIntermediate = 8, 2, 16*(1+r.IntN(30)), pick(
			r,
			0,
			96,
		)
	case 1:
		m.KVLoRARank, m.RoPEHeadDim = 40, 8
	case 2:
		m.SlidingWindow, m.GlobalLayers = pick(r, 16, 1000), r.IntN(m.Layers+1)
	}
	return m
}

// drawProfile draws a framework.
func drawProfile(r *rand.Rand) *Profile {
	state := func() StateBytes {
		return pick(r, StateBytes{}, StateBytes{2, 2, 0, 2}, StateBytes{2, 4, 4, 4}, StateBytes{4, 8, 0, 4})
	}
	return &Profile{
		ID:         "framework",
		Full:       state(),
		Adapters:   state(),
		Embeddings: state(),
		Loss:       pick(r, LossWhole, LossInPlace, LossChunked, LossFused),
		KeptBytes: pick(
			r,
			0.0,
			4,
		),
		ShardedFull:          pick(r, StateBytes{}, StateBytes{4, 4, 0, 4}),
		QuantizedResiduals:   pick(r, 0.0, 4),
		ShardedResiduals:     pick(r, 0.0, 4),
		ReplicatesEmbeddings: r.IntN(2) == 0,

		Buckets:       pick(r, 0.0, 0, 5000),
		BucketsAlone:  r.IntN(2) == 0,
		NoAutocast:    r.IntN(2) == 0,
		ExpertsInTurn: r.IntN(2) == 0,
		CastsInputs:   r.IntN(2) == 0,
		Autocasts:     r.IntN(2) == 0,
		Gathered:      pick(r, 0.0, 3, 1000),
		RunsModelCode: r.IntN(2) == 0,

		GradientCopies: pick(r, 0.0, 6),
		SubGroup:       pick(r, 0.0, 2000),
		QuantizesHead:  r.IntN(3) == 0,
		UntiesHead:     r.IntN(4) == 0,
		UntiesFormats: pick(
			r,
			nil,
			[]string{"four"},
		),
		PromptLogits:      r.IntN(2) == 0,
		PromptChunk:       pick(r, 0, 100),
		Graphs:            pick(r, 0.0, 7000),
		KeepsAllButScores: r.IntN(2) == 0,

		KeepsQuantizedInputs: r.IntN(2) == 0,
	}
}

func drawSharding(r *rand.Rand, w *Workload) {
	s := &w.Sharding
	*s = Sharding{
		Data:     r.IntN(4),
		Tensor:   r.IntN(4),
		Pipeline: r.IntN(4),
		Stage:    r.IntN(4),
		Offload:  pick(r, "", "", "optimizer", "parameters"),
		Sequence: r.IntN(3),
	}
	w.Cards = max(1, s.Data) * max(1, s.Tensor) * max(1, s.Pipeline)
	if r.IntN(5) == 0 {
		*s = Sharding{Layers: true}
		w.Cards = r.IntN(4)
	}
}

// drawJob draws a job, prepared.
func drawJob(r *rand.Rand) *Workload {
	w := &Workload{
		Model:     drawModel(r),
		Task:      pick(r, Inference, Inference, Full, LoRA, QLoRA, GaLore, Pretrain),
		Framework: "framework",
		profile:   drawProfile(r),
		Batch: r.IntN(
			4,
		),
		Context: pick(r, 1, 20, 300),
		Prompt:  pick(r, 0, 1, 15, 250),
		Compute: pick(r, "bf16", "fp32", "fp16"),
		Checkpointing: pick(
			r,
			"none",
			"selective",
			"full",
			"offload",
		),
		DoRA:         r.IntN(4) == 0,
		FusedLoss:    r.IntN(5) == 0,
		Attention:    pick(r, "eager", "sdpa"),
		Accumulation: r.IntN(4),
		Optimizer: pick(
			r,
			"",
			"adamw",
			"adamw-fused",
			"adamw-8bit",
			"paged-adamw",
			"paged-adamw-8bit",
			"lion",
			"sgd",
			"paged-sgd",
			"sgd-momentum",
			"momentum",
			"muon",
			"adafactor",
			"galore-adamw",
			"adamw-layerwise",
			"adamw-in-backward",
			"adamw-8bit-in-backward",
			"paged-adamw-8bit-in-backward",
			"something",
		),
		Rank: pick(
			r,
			0,
			4,
			70,
			2000,
		),
		Targets:         pick(r, "", "q,v", "attention", "all", "q,k,o", "gate", "up", "down,head", "head"),
		TrainEmbeddings: r.IntN(3) == 0,
		Reading:         pick(r, "", "", readHeld, readAllocated, readReserved, readDriver),
		rotary:          pick(r, 0, 0, 100),
		mean:            r.IntN(3) == 0,
		casts:           r.IntN(2) == 0,
	}
	w.unprepared = w.casts
	w.format = pick(
		r,
		&Format{ID: "full", Bits: 32, Source: "f"},
		&Format{ID: "half", Bits: 16, Source: "f"},
		&Format{
			ID:     "file",
			Bits:   4.9,
			Source: "f",
		},
		&Format{ID: "four", Bits: 4.5, Linear: true, Source: "f"},
		&Format{ID: "eight", Bits: 8, Linear: true, Source: "f"},
		&Format{ID: "gptq-four", Bits: 4.2, Linear: true, Source: "f"},
	)
	w.bits = w.format.in(w.Model)
	w.cache = pick(r, nil, &Format{ID: "half", Bits: 16}, &Format{ID: "eight", Bits: 8.5})
	drawSharding(r, w)
	return w
}

// drawConstants draws the numbers that are fitted, no two of them alike.
func drawConstants(r *rand.Rand) Constants {
	k := Constants{}
	for _, training := range []bool{false, true} {
		for _, b := range (memory{training}).bounds() {
			k[Constant{"", b.Name}] = 0.5 + 4*r.Float64()
		}
	}
	k[Constant{"", "reserve"}] = 1 + r.Float64()
	k[Constant{"", "logits"}] += gradientOfLogit
	for _, name := range []string{"overhead", "context", "communication"} {
		k[Constant{"", name}] = 1000 + 1000*r.Float64()
	}
	return k
}

// jobs draws many jobs.
func jobs(t *testing.T, check func(w *Workload, k Constants)) {
	t.Helper()
	r := rand.New(rand.NewPCG(15, 1))
	for range 6000 {
		w, k := drawJob(r), drawConstants(r)
		if check(w, k); t.Failed() {
			t.Fatalf("the job is\n%+v\nof\n%+v\nwith\n%+v\nin %+v", *w, *w.Model, *w.profile, *w.format)
		}
	}
}
