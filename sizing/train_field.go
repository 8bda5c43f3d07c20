package sizing

import (
	"cmp"
	"math"
	"strconv"
	"sync"

	"tianti/sizing/kriging"
)

// The keys and coordinates of a point among training cases. What more cards gain is
// left to the formula, so that no correction makes a job scale more than linearly.
const (
	trainFramework = iota
	trainCard
	trainOwnCard // and framework
	trainVersion // and framework, for models with experts and others apart
	trainTask    // what is trained and repeated, and framework
	trainModel   // what the trainer does to which model, on whatever card
	trainJob     // the trainer, what it does and on which card: all but sizes and the framework around the loop
	trainChip    // the same, on which chip
	trainRun     // all that tells a run from others
	trainKeys
)

const (
	trainParameters = iota
	trainContext
	trainBatch
	trainAxes
)

func (training) point(w *Workload, c *Card) kriging.Point {
	f := w.Framework + "\x00"
	p := kriging.Point{Keys: make([]string, trainKeys), Coordinates: make([]float64, trainAxes)}
	p.Keys[trainFramework] = w.Framework
	p.Keys[trainCard], p.Keys[trainOwnCard] = c.ID, f+c.ID
	if w.Version != "" {
		p.Keys[trainVersion] = f + w.Version + "\x00" + density(w.Model)
	}
	p.Keys[trainTask] = f + string(w.Task) + "\x00" + w.Checkpointing
	p.Keys[trainModel] = trainerOf(w) + "\x00" + w.Model.Kin() + "\x00" + w.Compute + "\x00" + string(w.Task)
	job := trainerOf(w) + "\x00" + w.Compute + "\x00" + kindOf(w.Task) + "\x00" + density(w.Model) + "\x00"
	p.Keys[trainJob], p.Keys[trainChip] = job+c.ID, job+chipOf(c)
	p.Keys[trainRun] = loopOf(w) + "\x00" + p.Keys[trainModel] + "\x00" + c.ID + "\x00" + w.Checkpointing + " " +
		strconv.FormatBool(w.prepared()) + " " + strconv.Itoa(w.Batch) + " " + strconv.Itoa(w.Context) + " " +
		strconv.Itoa(w.Cards)
	p.Coordinates[trainParameters] = math.Log(w.Model.Active)
	p.Coordinates[trainContext] = math.Log(float64(max(1, w.Context)))
	p.Coordinates[trainBatch] = math.Log(float64(max(1, w.Batch)))
	return p
}

// density tells models whose tokens pass few of many experts from others.
func density(m *Model) string {
	if m.Active < m.Parameters {
		return "sparse"
	}
	return "dense"
}

// trainerOf is the trainer whose loop a framework runs, as TRL runs that of Transformers, or whose layers it trains in
// a loop of its own.
func trainerOf(w *Workload) string {
	if w.profile != nil {
		return cmp.Or(w.profile.Trainer, w.profile.Layers, w.Framework)
	}
	return w.Framework
}

// loopOf is the trainer whose loop a framework runs, unless it has kernels of its own in the layers.
func loopOf(w *Workload) string {
	if w.profile != nil && w.profile.Trainer != "" && !w.profile.FusedLayers {
		return w.profile.Trainer
	}
	return w.Framework
}

func (training) effects() []kriging.Effect {
	return []kriging.Effect{
		{Name: "card", Keys: []int{trainCard}, Deviation: 0.008},
		{Name: "framework and card", Keys: []int{trainOwnCard}, Deviation: 0.028},
		{Name: "framework, version and experts", Keys: []int{trainVersion}, Deviation: 0.05},
		{Name: "framework, task and checkpointing", Keys: []int{trainTask}, Deviation: 0.002},
		{Name: "framework and sizes", Keys: []int{trainFramework}, Axes: []int{trainParameters, trainContext},
			Lengths: []float64{1.5, 0.125}, Deviation: 0.024},
		{Name: "same model", Keys: []int{trainModel}, Axes: []int{trainContext, trainBatch},
			Lengths: []float64{1.5, 1.5}, Deviation: 0.08},
		{Name: "near jobs", Keys: []int{trainJob}, Axes: []int{trainParameters, trainContext, trainBatch},
			Lengths: []float64{0.7, 1.26, 1.5}, Deviation: 0.08},
		{Name: "near jobs on a chip", Keys: []int{trainChip}, Axes: []int{trainParameters, trainContext, trainBatch},
			Lengths: []float64{0.7, 1.26, 1.5}, Deviation: 0.1},
		{Name: sameRun, Keys: []int{trainRun}, Deviation: 0.025},
	}
}

const sameRun = "same run"

// longest: a factor of 20 in parameters, tokens or sequences.
func (training) longest() float64 { return 3 }

// holds: that a run which is known carries its own estimate is not what cases held back without it can tell.
func (training) holds(effect string) bool { return effect == sameRun }

// family, see [familial].
func (training) family(c *Case) string { return c.Workload.profile.familyOwner() }

// inherits, see [inheriting].
func (training) inherits(w *Workload) string { return loopOf(w) }

// strange is the deviation on other makers' hardware where no run of the framework is of it: nearly all are of
// NVIDIA's, and engines of inference differ so much on others, see [decodeGauge.effects].
func (training) strange() float64 { return 0.35 }

// foretells, see [foreteller].
func (training) foretells() bool { return true }

func (training) same(a *Workload, ac *Card, b *Workload, bc *Card) bool {
	return ac.ID == bc.ID && a.Model.Twin() == b.Model.Twin() &&
		a.Model.lookBack(float64(a.Context)) == b.Model.lookBack(float64(b.Context)) && a.Task == b.Task &&
		loopOf(a) == loopOf(b) &&
		a.Compute == b.Compute && (a.Task != QLoRA || a.Weights == b.Weights && a.prepared() == b.prepared()) &&
		a.Batch == b.Batch && a.Context == b.Context && a.Cards == b.Cards &&
		a.Checkpointing == b.Checkpointing
}

// ofHosts is how much rougher a run is that does nothing but wait for its host.
const ofHosts = 4

// noise: what sources leave out of a run makes it rougher, and a host that is not said.
func (g training) noise(c *Case) float64 {
	if !c.Trusted {
		return 3
	}
	if c.Card == nil {
		return 1
	}
	return math.Hypot(1, ofHosts*g.doubt(starts(), &c.Workload, c.Card))
}

// starts are the constants before any fit.
var starts = sync.OnceValue(func() Constants {
	k := Constants{}
	for _, b := range (training{}).bounds() {
		k[Constant{"", b.Name}] = b.Start
	}
	return k
})

// plausible is the largest share of the dense rate that a run which is not trusted
// may reach to be learnt from; no trusted one reaches more.
const plausible = 0.7

// choose adds runs that are not trusted, but say their batch, are possible and did not wait for a link slower than the
// card's: few trusted ones are of the cards and frameworks that people have at home.
func (training) choose(k Constants, cases []*Case) []*Case {
	var out []*Case
	for _, c := range cases {
		var t trainingStep
		if c.Trusted || c.Workload.Batch > 0 && !c.SlowLink && t.of(k, &c.Workload, c.Card) &&
			c.Measured*t.flops <= plausible*t.cards*t.rate {
			out = append(out, c)
		}
	}
	return out
}
