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
