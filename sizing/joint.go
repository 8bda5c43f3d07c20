package sizing

import (
	"strings"
	"sync"
)

// A joint gauge has the same constants as gauges of other quantities of the same thing: each has its own formula, and
// all are fitted together. Throughput, time per token and time to the first token are three readings of one engine:
// what one leaves open, such as how fast a step of few requests is where only bursts were measured, the others tell.
type joint interface {
	// together are all quantities that are fitted together, in one order.
	together() []Quantity
}

// jointly are the cases that a gauge's constants are fitted by.
func jointly(g gauge, cases []*Case) []*Case {
	j, ok := g.(joint)
	if !ok {
		return usable(g, cases)
	}
	var out []*Case
	for _, q := range j.together() {
		out = append(out, usable(gauges[q], cases)...)
	}
	return out
}

// CasesFor are the cases that a quantity is calibrated by: its own, and those of others that are fitted with it.
func (a *Estimator) CasesFor(q Quantity) []*Case {
	j, ok := gauges[q].(joint)
	if !ok {
		return a.CasesOf(q)
	}
	var out []*Case
	for _, other := range j.together() {
		out = append(out, a.CasesOf(other)...)
	}
	return out
}

// fits are constants by the cases that they were fitted by. It is safe for concurrent use.
type fits struct{ known sync.Map }

// constants are those that a gauge's cases give, which gauges that are fitted together work out once.
func (f *fits) constants(g gauge, cases []*Case) Constants {
	if _, ok := g.(joint); !ok || f == nil {
		return fitConstants(g, cases)
	}
	var key strings.Builder
	for _, c := range cases {
		key.WriteString(c.ID)
		key.WriteByte(' ')
	}
	once, _ := f.known.LoadOrStore(key.String(), sync.OnceValue(func() Constants { return fitConstants(g, cases) }))
	return once.(func() Constants)()
}
