package changes

import (
	"slices"
	"sort"

	"tianti/catalog"
)

// A newest keeps the items of the latest dates, at most so many, in order; of equal dates the first ones.
type newest[T any] struct {
	most  int
	dates []catalog.Date
	items []T
}

// takes reports whether an item of a date would be kept: asked before what is dear about it.
func (n *newest[T]) takes(d catalog.Date) bool {
	return len(n.items) < n.most || d > n.dates[len(n.dates)-1]
}

// add keeps an item, unless it is too old.
func (n *newest[T]) add(d catalog.Date, item T) {
	if !n.takes(d) {
		return
	}
	at := sort.Search(len(n.dates), func(i int) bool { return n.dates[i] < d })
	if len(n.items) == n.most {
		n.dates, n.items = n.dates[:n.most-1], n.items[:n.most-1]
	}
	n.dates, n.items = slices.Insert(n.dates, at, d), slices.Insert(n.items, at, item)
}
