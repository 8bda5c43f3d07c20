package sizing

import (
	"maps"
	"slices"
)

// A ported gauge learns from stacks that were ported to other hardware than most cases are of how one does that nobody
// measured: mostly worse than the figures of the hardware promise.
type ported interface{ ported() }

// portOf is log(measured ÷ formula) that is expected of a port nobody measured: the mean over the backends that were, of
// the median of each, and of one more that does what the formula says. The constants are those that all engines
// share, as an engine without runs has them.
func portOf(g gauge, k Constants, cases []*Case, main string) float64 {
	shared := Constants{}
	for at, v := range k {
		if at.Framework == "" {
			shared[at] = v
		}
	}
	off := map[string][]float64{}
	for _, c := range cases {
		if c.Card == nil {
			continue
		}
		if b := backendOf(&c.Workload, c.Card); b != main {
			if r, ok := residual(g, shared, c); ok {
				off[b] = append(off[b], r)
			}
		}
	}
	sum := 0.0
	for _, b := range slices.Sorted(maps.Keys(off)) {
		rs := off[b]
		slices.Sort(rs)
		sum += (rs[(len(rs)-1)/2] + rs[len(rs)/2]) / 2
	}
	return sum / float64(len(off)+1)
}

// moved is by how much, as a logarithm, a job lies from the formula because nobody measured such a port.
func (q *field) moved(w *Workload, c *Card) float64 {
	if _, ok := q.gauge.(ported); !ok || !q.unseen(w, c) {
		return 0
	}
	return q.port
}
