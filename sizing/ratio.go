package sizing

import (
	"cmp"
	"math"
	"slices"

	"tianti/sorting"
)

// A RatioWidth says how far the ratio of two estimates of one job on two cards is off: its 90 % interval reaches Factor
// times what it would if their errors were independent. Errors that a formula makes of all cards cancel, so that it is
// mostly less than 1; where one of the two estimates has a measured run beside it and the other has not, it is more.
type RatioWidth struct {
	Aspect Aspect  `json:"aspect"`
	Alike  bool    `json:"alike,omitempty"` // both are of one [Tier]
	Factor float64 `json:"factor"`
	Pairs  int     `json:"pairs"` // of cases held back that it was found from
}

// RatioWidths are those of all aspects of which pairs of cases were held back.
type RatioWidths []RatioWidth

// Of is the factor of an aspect; 1 where no pair is known, or more where estimates of one tier need more.
func (rs RatioWidths) Of(a Aspect, alike bool) float64 {
	widest := 1.0
	for _, r := range rs {
		switch {
		case r.Aspect != a:
		case r.Alike == alike:
			return r.Factor
		default:
			widest = max(widest, r.Factor)
		}
	}
	return widest
}

// A pairKey is what two runs have in common whose ratio is that of their cards.
type pairKey struct {
	way                                 LeaveOut
	aspect                              Aspect
	framework, model, weights           string
	task                                Task
	compute, checkpointing              string
	batch, prompt, context              int
	cards, tensor, stages, accumulation int
}

func pairOf(way LeaveOut, q Quantity, c *Case) pairKey {
	w := &c.Workload
	return pairKey{way, aspectOf(q, w), w.Framework, w.Model.Shape(), w.Weights, w.Task, w.Compute, w.Checkpointing,
		w.Batch, w.Prompt, w.Context, w.Cards, w.Sharding.Tensor, w.Sharding.Pipeline, w.Accumulation}
}

// fitRatios finds the factors from cases that ran the same job on two cards, held back in every way. Each job counts as
// often as it has cases beyond the first, so that the many pairs of one that ran everywhere do not outweigh the others.
func fitRatios(cal *Calibration, cases []*Case) RatioWidths {
	if cal.Quantity.isMemory() {
		return nil
	}
	byID := map[string]*Case{}
	for _, c := range cases {
		byID[c.ID] = c
	}
	jobs := map[pairKey][]LeftOut{}
	for _, l := range cal.LeftOut {
		if c := byID[l.Case]; l.Range.Expected > 0 && c.Card != nil {
			k := pairOf(l.Way, cal.Quantity, c)
			jobs[k] = append(jobs[k], l)
		}
	}
	found := map[RatioWidth][]weighed{}
	for k, job := range jobs {
		var pairs []weighed
		var alike []bool
		for i := range job {
			for j := range i {
				if a, b := &job[i], &job[j]; byID[a.Case].Card.ID != byID[b.Case].Card.ID {
					off := math.Abs(math.Log(a.Range.Expected / b.Range.Expected))
					pairs = append(pairs, weighed{off / math.Hypot(a.Range.reach(), b.Range.reach()), 0})
					alike = append(alike, a.Tier == b.Tier)
				}
			}
		}
		for i := range pairs {
			pairs[i].weight = float64(len(job)-1) / float64(len(pairs))
			class := RatioWidth{Aspect: k.aspect, Alike: alike[i]}
			found[class] = append(found[class], pairs[i])
		}
	}
	var out RatioWidths
	for class, pairs := range found {
		class.Factor, class.Pairs = quantile90(pairs), len(pairs)
		out = append(out, class)
	}
	sorting.Func(out, func(a, b RatioWidth) int {
		return cmp.Or(cmp.Compare(slices.Index(Aspects, a.Aspect), slices.Index(Aspects, b.Aspect)),
			cmp.Compare(a.Factor, b.Factor))
	})
	return out
}

// RatioFactor is what the width of the interval of a ratio is multiplied by: of the estimated speeds of a job of one
// request, of a service, or of training, on two cards; alike are estimates of one [Tier].
func (a *Estimator) RatioFactor(task Task, alike bool) float64 {
	w := &Workload{Task: task, Batch: 1}
	q := DecodeSpeed
	switch {
	case task.Trains():
		q = TrainingSpeed
	case task == Serve:
		q = ServeSpeed
	}
	if f := a.fields[q]; f != nil {
		return f.Ratios.Of(aspectOf(q, w), alike)
	}
	return 1
}

// reach is how far from its middle an interval ends, as a logarithm.
func (r Range) reach() float64 { return math.Log(r.High/r.Low) / 2 }
