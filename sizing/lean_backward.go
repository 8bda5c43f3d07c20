package sizing

import "strings"

// Endings of optimisers that use a gradient as soon as the backward pass has made it, so that gradients are never
// whole: torchtune's optimizer_in_bwd, GaLore's per-layer updates.
const (
	inBackward = "-in-backward"
	layerwise  = "-layerwise"

	galoreLayerwise = "galore-8bit" + layerwise
)

// inBackwardOf are the optimisers that are tried where the usual one does not fit, those that change least first.
func inBackwardOf(t Task) []string {
	switch t {
	case GaLore:
		return []string{galoreLayerwise}
	case Full, Pretrain:
		return []string{"adamw" + inBackward, "adamw-8bit" + inBackward, "paged-adamw-8bit" + inBackward}
	}
	return nil
}

// canStepInBackward reports whether a job on one card can be done so by its framework.
func (w *Workload) canStepInBackward() bool {
	return w.profile != nil && w.profile.InBackward && w.Cards <= 1 && w.Accumulation <= 1 && w.Sharding.Offload == ""
}

// steppingInBackward is a job whose optimiser steps within the backward pass, where nobody asked for an optimiser, and
// the job fits that way and not, or not surely, as it usually runs, which needs so much.
func (x *recommendation) steppingInBackward(w Workload, c *Card, usually Range) (Workload, bool) {
	if x.r.Workload.Optimizer != "" || !w.canStepInBackward() || x.a.workOf(&w) != nil || usually.Expected == 0 {
		return w, false
	}
	best, found := w, false
	for _, o := range inBackwardOf(w.Task) {
		if c.Unified && strings.HasPrefix(o, "paged-") { // there is no other memory to page to
			continue
		}
		job := w
		job.Optimizer = o
		need, ok := x.need(&job)
		switch {
		case ok && x.verdict(&job, c, need) == Fits:
			return job, true
		case ok && !found && need.Expected <= c.Usable && usually.Expected > c.Usable:
			best, found = job, true
		}
	}
	return best, found
}

// stepped says that a job takes another optimiser than the usual.
func (w *Workload) stepped() Assumption {
	return Assumption{"optimizer", w.Optimizer, "usual_does_not_fit"}
}
