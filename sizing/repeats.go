package sizing

import "math"

// A Repeats says how far runs of the same job on the same card are apart: no estimate is nearer to
// such runs than they are to each other.
type Repeats struct {
	Runs int // that have a repeat
	// Apart is the median over them of how far a run is from what all of them have in common: of
	// |log(run ÷ repeat)| ÷ √2, which is what two runs share of their difference. It is to be
	// compared with a median error.
	Apart float64
}

// repeatsOf are the repeats among cases of one aspect. The same job is one of the same model,
// format, framework, card and settings, with the same lengths and batch, in whatever version. Two
// rows of a source with the same value are one run that it lists twice.
func repeatsOf(cases []*Case) Repeats {
	groups := map[string][]*Case{} // of jobs that may be the same
	for _, c := range cases {
		if w := &c.Workload; c.Measured > 0 && c.Card != nil && w.Model != nil && w.format != nil {
			key := w.Framework + " " + w.Model.Shape() + " " + c.Card.ID
			groups[key] = append(groups[key], c)
		}
	}
	var apart []float64
	for _, group := range groups {
		for _, c := range group {
			var others []float64
			for _, o := range group {
				if o != c && c.repeats(o) {
					others = append(others, math.Abs(math.Log(c.Measured/o.Measured))/math.Sqrt2)
				}
			}
			if len(others) > 0 {
				apart = append(apart, median(others))
			}
		}
	}
	if len(apart) == 0 {
		return Repeats{}
	}
	return Repeats{len(apart), median(apart)}
}

// repeats reports whether a case is another run of the same job on the same card.
func (c *Case) repeats(o *Case) bool {
	a, b := &c.Workload, &o.Workload
	return c.Quantity == o.Quantity && c.Card.ID == o.Card.ID && gauges[c.Quantity].same(a, c.Card, b, o.Card) &&
		a.Batch == b.Batch && a.Context == b.Context && a.Prompt == b.Prompt && a.Sharding == b.Sharding &&
		(c.Measured != o.Measured || c.Source != o.Source)
}

// repeats are those of an aspect: of the scored cases, and of all.
func (a *Accuracy) repeats(aspect Aspect) (scored, all Repeats) {
	var some, every []*Case
	for i := range a.Cases {
		c := &a.Cases[i]
		if c.Aspect != aspect {
			continue
		}
		every = append(every, c.Case)
		if c.Scored {
			some = append(some, c.Case)
		}
	}
	return repeatsOf(some), repeatsOf(every)
}

// RepeatsOf are those of the scored cases of an aspect.
func (a *Accuracy) RepeatsOf(aspect Aspect) Repeats {
	for i := range a.Aspects {
		if a.Aspects[i].Aspect == aspect {
			return a.Aspects[i].Repeats
		}
	}
	return Repeats{}
}
