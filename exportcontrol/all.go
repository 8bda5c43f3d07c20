package exportcontrol

import (
	"cmp"
	"slices"

	"tianti/catalog"
)

// A CardResult is what all rules say of one card of a catalogue.
type CardResult struct {
	Row int
	Result
}

// EvaluateAll evaluates every card: the strictest verdicts first, then the largest TPP.
func EvaluateAll(s *catalog.Snapshot, q Question) []CardResult {
	out := make([]CardResult, s.Len())
	for i := range out {
		out[i] = CardResult{i, Evaluate(CardItem(s, i), q)}
	}
	slices.SortStableFunc(out, func(a, b CardResult) int {
		return cmp.Or(cmp.Compare(slices.Index(Verdicts, a.Verdict), slices.Index(Verdicts, b.Verdict)),
			cmp.Compare(b.Item.TPP.Value, a.Item.TPP.Value), cmp.Compare(a.Item.ID, b.Item.ID))
	})
	return out
}
