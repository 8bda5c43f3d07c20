package sizing

import (
	"sync"

	"tianti/catalog"
)

// An Estimator answers questions about jobs. It is immutable after [New] and safe
// for concurrent use.
type Estimator struct {
	Models   *Models
	Formats  *Formats
	Profiles *Profiles
	Cases    []Case
	Problems []Problem // rows of the cases that could not be read
	Cards    []*Card   // of the catalogue, in its order

	catalogue *catalog.Snapshot // with the prices
	names     *Resolver
	nodes     []nodeSize // machines in which sellers rent what they price by the card
	tariffs   []Tariff   // prices of electricity
	fields    map[Quantity]*field
	leftOut   []LeftOut // estimates of the cases that were held back

	accuracyOnce sync.Once
	accuracy     *Accuracy
}

// AsOf estimates as a does, with the cards and prices that another catalogue has: what a knows of models, frameworks and
// measured cases, and the figures of cards, stay.
func (a *Estimator) AsOf(s *catalog.Snapshot) *Estimator {
	out := &Estimator{Models: a.Models, Formats: a.Formats, Profiles: a.Profiles, Cases: a.Cases, Problems: a.Problems,
		catalogue: s, names: a.names, nodes: a.nodes, fields: a.fields, leftOut: a.leftOut}
	for _, c := range a.Cards {
		if _, ok := s.Find(c.ID); ok {
			out.Cards = append(out.Cards, c)
		}
	}
	return out
}
