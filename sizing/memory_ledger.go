package sizing

import (
	"slices"
)

// A ledger adds up lines. Lines are kept only when they are to be explained.
type ledger struct {
	explaining bool
	sum        float64
	sure       float64 // of sum, what follows from the model and the settings: weights, states, keys and values
	dynamic    float64 // of sum, what comes and goes and so leaves gaps in the allocator
	logits     float64 // of dynamic, tensors so large that what was freed before seldom holds them
	blocks     float64 // bytes of all those that were allocated for them, some in the place of others
	reserve    float64 // of sum, these gaps
	lines      []Line
}

// sureParts follow from the model, the formats and the optimiser.
var sureParts = []string{"weights", "adapters", "master", "optimizer", "kv_cache", "replicated", "dense", "rotary",
	"tower", "state",
	"text_encoders", "vae"}

// add adds a line and reports whether it is to be explained.
func (l *ledger) add(part string, bytes float64) bool {
	if bytes == 0 {
		return false
	}
	l.sum += bytes
	if slices.Contains(sureParts, part) {
		l.sure += bytes
	}
	if l.explaining {
		l.lines = append(l.lines, Line{Part: part, Value: bytes})
	}
	return l.explaining
}

// passing is add for what comes and goes.
func (l *ledger) passing(part string, bytes float64) bool {
	l.dynamic += bytes
	return l.add(part, bytes)
}

// because explains the last line.
func (l *ledger) because(formula, source string, inputs ...Input) {
	last := &l.lines[len(l.lines)-1]
	last.Formula, last.Source, last.Inputs = formula, source, inputs
}
