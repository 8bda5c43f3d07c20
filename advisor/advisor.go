package advisor

import "fmt"

// An Advisor answers questions about jobs. It is immutable after [New] and safe
// for concurrent use.
type Advisor struct {
	Models   *Models
	Formats  *Formats
	Profiles *Profiles
	Prices   []Price
	Cases    []Case

	fields map[Quantity]*field
}
