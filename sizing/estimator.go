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
	serving   bool      // the quantities of serving have the same constants, see [joint]

	derived *derived
}

// derived is what follows from what an estimator knows, whatever prices are.
type derived struct {
	accuracy sync.Once
	compared *Accuracy
	values   sync.Map // key → func() any, see Derived
}

// Derived returns what compute makes of what an estimator knows of cards, models and measured cases, computed once for
// each key, also for those that [Estimator.With] makes of it. It depends on no prices.
func Derived[T any](a *Estimator, key any, compute func() T) T {
	once, _ := a.derived.values.LoadOrStore(key, sync.OnceValue(func() any { return compute() }))
	return once.(func() any)().(T)
}

// With estimates as a does, with the prices of another catalogue, which shares its cards with the one of a
// ([catalog.Snapshot.SharesCards]).
func (a *Estimator) With(s *catalog.Snapshot) *Estimator {
	out := *a
	out.catalogue = s
	return &out
}

// AsOf estimates as a does, with the cards and prices that another catalogue has: what a knows of models, frameworks
// and measured cases, and the figures of cards, stay.
func (a *Estimator) AsOf(s *catalog.Snapshot) *Estimator {
	out := &Estimator{Models: a.Models, Formats: a.Formats, Profiles: a.Profiles, Cases: a.Cases, Problems: a.Problems,
		catalogue: s, names: a.names, nodes: a.nodes, tariffs: a.tariffs, fields: a.fields,
		leftOut: a.leftOut, serving: a.serving, derived: &derived{}}
	for _, c := range a.Cards {
		if _, ok := s.Find(c.ID); ok {
			out.Cards = append(out.Cards, c)
		}
	}
	return out
}
