package sizing

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The ledger of memory is compared with the formulas of its sources (see docs/adr/0015),
// written out here one line at a time, for jobs that are drawn at random; and the formula
// that explains a line is computed with the inputs that stand beside it.

func ledgerByDefinition(w *Workload, k Constants) map[string]float64 {
	x := reference{Workload: w, m: w.Model, p: w.profile, k: k, lines: map[string]float64{}}
	if w.Task == Inference {
		x.infer()
	} else {
		x.train()
	}
	x.outside()
	maps.DeleteFunc(x.lines, func(_ string, bytes float64) bool { return bytes == 0 })
	return x.lines
}

func TestTheLedgerAddsUpTheFormulasOfItsSources(t *testing.T) {
	seen := map[string]int{}
	jobs(t, func(w *Workload, k Constants) {
		m := memory{training: w.Task.Trains()}
		want := ledgerByDefinition(w, k)
		sum, lines := m.formula(k, w, nil, true)
		got, total := map[string]float64{}, 0.0
		for _, l := range lines {
			got[l.Part] += l.Value
			seen[l.Part]++
		}
		for _, part := range slices.Sorted(maps.Keys(want)) {
			if !near(got[part], want[part], 1e-9) {
				t.Errorf("%s: got %v, want %v", part, got[part], want[part])
			}
			total += want[part]
			delete(got, part)
		}
		if len(got) > 0 {
			t.Errorf("got %v besides", got)
		}
		if short, _ := m.formula(k, w, nil, false); !near(sum, total, 1e-9) || short != sum {
			t.Errorf("the sum is %v, and %v without lines, want %v", sum, short, total)
		}
	})
	if len(seen) != 26 {
		t.Errorf("the jobs have %d kinds of lines, want all 26: %v", len(seen), seen)
	}
}

func TestHostMemoryIsWhatOffloadingMovesThere(t *testing.T) {
	jobs(t, func(w *Workload, k Constants) {
		x := reference{Workload: w, m: w.Model, p: w.profile, k: k}
		want := 0.0
		switch {
		case w.Task == Inference:
			if w.Sharding.Offload == "parameters" {
				want = x.stored()
			}
		case w.Sharding.Offload == "parameters":
			want = x.sum(func(p trainedPart) float64 { return p.Weights + p.Gradients + p.Master }) + x.ofOptimizer()
			if x.fine() {
				want += x.stored()
			}
		case w.Sharding.Offload == "optimizer":
			want = x.sum(func(p trainedPart) float64 { return p.Master }) + x.ofOptimizer()
		case x.paged():
			want = x.ofOptimizer()
		}
		if w.Task != Inference && w.Checkpointing == "offload" {
			want += x.checkpoints()
		}
		if got := (memory{}).host(w); got != want && !near(got, want, 1e-9) {
			t.Errorf("host memory: got %v, want %v", got, want)
		}
	})
	for _, w := range []Workload{{}, {profile: &Profile{}, format: &Format{}}, {Model: &Model{}, format: &Format{}},
		{Model: &Model{}, profile: &Profile{}}} {
		if got := (memory{}).host(&w); got != 0 {
			t.Errorf("host memory of %+v: got %v, want 0", w, got)
		}
	}
}

func TestNothingIsAddedUpWhereAFigureIsNotKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	k := drawConstants(r)
	whole := func() *Workload {
		w := drawJob(r)
		w.Task = Full
		return w
	}
	if sum, _ := (memory{training: true}).formula(k, whole(), nil, false); sum <= 0 {
		t.Fatalf("a job of which all is known takes %v", sum)
	}
	for what, change := range map[string]func(*Workload){
		"parameters": func(w *Workload) { w.Model.Parameters = 0 }, "layers": func(w *Workload) { w.Model.Layers = 0 },
		"hidden": func(w *Workload) { w.Model.Hidden = 0 }, "model": func(w *Workload) { w.Model = nil },
		"framework": func(w *Workload) { w.profile = nil }, "format": func(w *Workload) { w.format = nil },
		"task": func(w *Workload) { w.Task = Inference },
	} {
		w := whole()
		change(w)
		if sum, lines := (memory{training: true}).formula(k, w, nil, true); sum != 0 || len(lines) > 0 {
			t.Errorf("without its %s a job takes %v in %v", what, sum, lines)
		}
	}
}

func TestWhereTheLogitsAreAsLargeAsALayerTheLayerIsNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		w, k := drawJob(r), drawConstants(r)
		if w.Task == Inference || w.Checkpointing != "full" || w.FusedLoss || w.profile.Loss != LossWhole ||
			w.Model.Vocabulary == 0 {
			continue
		}
		j := jobOf(w)
		k[Constant{"", "logits"}] = (j.perToken(k) + j.passingGradients()) * j.tensor / j.vocab
		if _, live, logits := j.activations(k); live != logits {
			continue // rounded
		}
		_, lines := (memory{training: true}).formula(k, w, nil, true)
		if !slices.ContainsFunc(lines, func(l Line) bool { return l.Part == "layer" }) {
			t.Errorf("got %v, want a line of the layer", lines)
		}
		return
	}
	t.Fatal("no such job was drawn")
}
