package importer

import "tianti/format"

// resolve says what a subject means that has not been seen before.
func (n *names) resolve(s *format.Subject) *name {
	m := n.matcher.Match(*s)
	got := &name{text: s.Name, card: m.Card, candidates: m.Candidates, offer: s.Offer, why: m.Why,
		derived: m.Derived}
	switch m.Outcome {
	case format.IsMatched:
		got.means = matched
	case format.IsChosen, format.IsSkipped:
		got.means = chosen
	case format.IsPart:
		got.means = part
	case format.IsAmbiguous:
		got.means = ambiguous
	default:
		got.means = unknown
		if id, ok := n.made[foldedName(s)]; ok {
			got.means, got.card = created, id
		}
	}
	return got
}
