package sizing

import "slices"

// Doubts about the software of an option, the least first; [doubtful] has their texts.
const (
	noDoubt  = iota
	ended    // CUDA 13, and what is built with it, no longer compiles for the generation
	disputed // sources disagree on whether it is supported
	rare     // few frameworks run on the card
	onEdge   // a module for devices would train or make images
	inPart   // supported in part, or another program than the usual makes do
)

// doubts says how far the software of an option is from full support.
func doubts(e *Estimate) int {
	out := noDoubt
	if e.Card.isBeforeTuring() {
		out = ended
	}
	has := func(why string) bool {
		return slices.ContainsFunc(e.Assumptions, func(x Assumption) bool { return x.Why == why })
	}
	if has(fewFrameworks) && e.Workload.Cards <= aServer { // who runs a cluster has people for its software
		out = rare
	}
	m := e.Workload.Model
	if e.Card.Segment == "edge" && (e.Workload.Task.Trains() || m != nil && m.Kind == "diffusion") {
		out = onEdge
	}
	for _, f := range softwareOf(&e.Workload, e.Card) {
		switch {
		case f.Level == Partial:
			return inPart
		case len(f.Against) > 0:
			out = max(out, disputed)
		}
	}
	if has("makes_do") {
		return inPart
	}
	return out
}
