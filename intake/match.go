package intake

import "tianti/ingest"

// resolve says what a subject means that has not been seen before.
func (n *names) resolve(s *ingest.Subject) *name {
	m := n.matcher.Match(*s)
	got := &name{text: s.Name, card: m.Card, candidates: m.Candidates}
	switch m.Outcome {
	case ingest.IsMatched:
		got.means = matched
	case ingest.IsChosen, ingest.IsLeftOut:
		got.means = chosen
	case ingest.IsAmbiguous:
		got.means = ambiguous
	default:
		got.means = unknown
		if id, ok := n.made[foldedName(s)]; ok {
			got.means, got.card = created, id
		}
	}
	return got
}
