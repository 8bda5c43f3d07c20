package sizing

import (
	"cmp"
	"math"
	"strings"

	"tianti/sizing/kriging"
)

func (memory) family(c *Case) string { return c.Workload.profile.familyOwner() }

// Keys and coordinates of the points of memory.
const (
	mFramework = iota
	mModel
	mFormat
	mFormatOfModel
	mFamily
	mSetting
	mVersion
	mReading
	mKeys
)

const (
	mParameters = iota
	mTokens
	mCards
	mAxes
)

// point is where a job lies among the cases.
func (m memory) point(w *Workload, _ *Card) kriging.Point {
	return kriging.Point{Keys: m.keys(w), Coordinates: m.coordinates(w)}
}

// keys do not depend on the size of the job.
func (memory) keys(w *Workload) []string {
	x := w.Model
	f := w.Framework + " " + kindOf(w.Task)
	weights := ""
	if w.format != nil {
		weights = w.format.ID
	}
	base := "16"
	if w.format != nil && w.format.Bits < 16 {
		base = "q"
	}
	setting := f + " " + w.Checkpointing + " " + w.attentionKept()
	if w.Cards > 1 {
		setting += " " + shardingKey(w.Sharding)
	}
	keys := make([]string, mKeys)
	keys[mFramework], keys[mModel], keys[mFormat] = f, f+" "+x.Shape(), f+" "+weights
	keys[mFormatOfModel], keys[mSetting] = f+" "+x.Shape()+" "+base, setting
	if w.profile != nil && w.profile.Family != "" {
		keys[mFamily] = w.profile.Family + " " + kindOf(w.Task)
	}
	if keys[mReading] = f + " " + cmp.Or(w.Reading, readDriver); w.Cards > 1 {
		keys[mReading] += " " + shardingKey(w.Sharding)
	}
	if w.Version != "" {
		keys[mVersion] = f + " " + w.Version
	}
	return keys
}

func (memory) coordinates(w *Workload) []float64 {
	c := make([]float64, mAxes)
	c[mParameters], c[mCards] = math.Log(max(1, w.Model.Parameters)), math.Log(float64(max(1, w.Cards)))
	c[mTokens] = math.Log(float64(max(1, w.Batch)) * float64(max(64, w.Context)))
	return c
}

// kindOf is what a task has to do with others: a run of one kind says nothing of how
// frameworks do another.
func kindOf(t Task) string {
	switch t {
	case LoRA, QLoRA:
		return "adapters"
	case Full, Pretrain:
		return "all"
	}
	return string(t)
}

func shardingKey(s Sharding) string {
	switch {
	case s.Layers:
		return "layers"
	case s.Offload != "":
		return "offload"
	case s.Tensor > 1 || s.Pipeline > 1:
		return "model"
	case s.Stage >= 3:
		return "3"
	}
	return "data"
}

func (m memory) effects() []kriging.Effect {
	all := []kriging.Effect{
		{Name: "family of frameworks", Keys: []int{mFamily}, Deviation: 0.03},
		{Name: "framework", Keys: []int{mFramework}, Deviation: 0.05},
		{Name: "framework, model", Keys: []int{mModel}, Axes: []int{mTokens}, Lengths: []float64{2}, Deviation: 0.06},
		{Name: "framework, model, base", Keys: []int{mFormatOfModel}, Axes: []int{mTokens}, Lengths: []float64{1},
			Deviation: 0.02},
		{Name: "framework, version", Keys: []int{mVersion}, Deviation: 0.05},
	}
	if !m.training { // whose formula is nearer than what other models have in common with one
		return all
	}
	return append(all,
		kriging.Effect{Name: "framework, format", Keys: []int{mFormat}, Axes: []int{mParameters},
			Lengths: []float64{1.5}, Deviation: 0.05},
		kriging.Effect{Name: "framework, setting", Keys: []int{mSetting}, Axes: []int{mParameters, mCards},
			Lengths: []float64{2, 2}, Deviation: 0.05},
		kriging.Effect{Name: "framework, reading", Keys: []int{mReading}, Deviation: 0.05})
}

func (memory) same(a *Workload, _ *Card, b *Workload, _ *Card) bool {
	return a.Framework == b.Framework && a.Model.Shape() == b.Model.Shape() && a.Task == b.Task &&
		a.format == b.format &&
		a.Batch == b.Batch && a.Context == b.Context &&
		a.Checkpointing == b.Checkpointing && a.Optimizer == b.Optimizer && a.attentionKept() == b.attentionKept() &&
		a.Rank == b.Rank && a.Targets == b.Targets &&
		a.TrainEmbeddings == b.TrainEmbeddings && a.DoRA == b.DoRA && a.FusedLoss == b.FusedLoss &&
		a.Cards == b.Cards &&
		a.Sharding == b.Sharding && cmp.Or(a.Reading, readDriver) == cmp.Or(b.Reading, readDriver)
}

// rough, see [rough].
func (m memory) rough(c *Case) float64 { return m.noise(c) }

// noise is larger where sources round, and where sequences were as long as they came.
func (memory) noise(c *Case) float64 {
	switch {
	case strings.Contains(c.Note, "rounded"):
		return 3
	case strings.Contains(c.Note, "truncated to max_length"):
		return 4
	}
	return 1
}
