package exportcontrol

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"tianti/catalog"
)

// A Survey is what the rules say of every card of a catalogue. Cards that no rule can tell
// apart form a class and share one summary, so that a new question costs one evaluation for
// each class, whatever the size of the catalogue.
type Survey struct {
	Question
	classes   *classes
	summaries []Summary // by class
}

// EvaluateAll evaluates every card of a catalogue.
func EvaluateAll(s *catalog.Snapshot, q Question) *Survey {
	c := classesOf(s)
	out := &Survey{Question: q, classes: c, summaries: make([]Summary, len(c.items))}
	asked := hear(q)
	asked.brief = true
	for i, it := range c.items {
		out.summaries[i] = asked.summarize(it)
	}
	return out
}

// summarize leaves out what depends on the figures of one card.
func (h *hearing) summarize(it *Item) Summary {
	sum := h.evaluate(it).Summary
	for i := range sum.Evaluations {
		sum.Evaluations[i].Comparisons = nil
	}
	return sum
}

// Of is what the rules say of the card in a row. Its evaluations have no comparisons and no
// other readings; [Evaluate] has them.
func (s *Survey) Of(row int) *Summary { return &s.summaries[s.classes.of[row]] }

// Amounts are the amounts of the card in a row.
func (s *Survey) Amounts(row int) *Amounts { return &s.classes.amounts[row] }

// Rules are the rules that every card was compared with, in the order of [Rules].
func (s *Survey) Rules() []*Rule {
	var out []*Rule
	if len(s.summaries) > 0 {
		for _, e := range s.summaries[0].Evaluations {
			out = append(out, e.Rule)
		}
	}
	return out
}

// Rows yields the rows of all cards: the strictest verdicts first, then the largest TPP.
func (s *Survey) Rows() iter.Seq[int] {
	strictness := make([]int, len(s.summaries))
	for i := range s.summaries {
		strictness[i] = slices.Index(Verdicts, s.summaries[i].Verdict)
	}
	return func(yield func(int) bool) {
		for verdict := range Verdicts {
			for _, row := range s.classes.byTPP {
				if strictness[s.classes.of[row]] == verdict && !yield(int(row)) {
					return
				}
			}
		}
	}
}

// Counts are the numbers of cards by verdict.
func (s *Survey) Counts() map[Status]int {
	out := map[Status]int{}
	for i, n := range s.classes.size {
		out[s.summaries[i].Verdict] += n
	}
	return out
}

// classes are the cards of a catalogue by what the rules can tell apart.
type classes struct {
	of      []int32 // class of each row
	items   []*Item // one of each class
	size    []int   // cards in each class
	amounts []Amounts
	byTPP   []int32 // rows, the largest TPP first
}

type classesKey struct{}

func classesOf(s *catalog.Snapshot) *classes {
	return catalog.Derived(s, classesKey{}, func(s *catalog.Snapshot) *classes {
		c := &classes{of: make([]int32, s.Len()), amounts: make([]Amounts, s.Len()), byTPP: make([]int32, s.Len())}
		known := map[class]int32{}
		for row := range s.Len() {
			it := CardItem(s, row)
			c.amounts[row], c.byTPP[row] = it.Amounts, int32(row)
			key := classOf(it)
			n, ok := known[key]
			if !ok {
				n = int32(len(c.items))
				known[key] = n
				c.items, c.size = append(c.items, it), append(c.size, 0)
			}
			c.of[row] = n
			c.size[n]++
		}
		slices.SortFunc(c.byTPP, func(a, b int32) int {
			return cmp.Or(cmp.Compare(c.amounts[b].TPP.Value, c.amounts[a].TPP.Value),
				cmp.Compare(s.Card(int(a)).ID, s.Card(int(b)).ID))
		})
		return c
	})
}

// A class is all that rules can tell apart of an item: on which side of each bound its
// amounts lie, whether a rule names it or is addressed to its vendor, and its classification.
type class struct {
	amounts    [len(quantities)]position
	vendor     string // as rules write it, "other", or empty where it is not known
	named      string // id, of a card that a rule names
	eccn       Status
	classified bool
	cloudOnly  bool
}

// A position is where an amount lies among the bounds of rules: twice the number of bounds
// below it, and one more where it is on a bound.
type position struct {
	known       Knowledge
	least, most int
}

var quantities = [...]Quantity{TPP, PerformanceDensity, IO, Memory, MemoryAndIO, Datacenter}

// bounds are what conditions of all rules compare a quantity with, in order.
var bounds = func() map[Quantity][]float64 {
	out := map[Quantity][]float64{}
	for _, r := range rules {
		for _, o := range r.Outcomes {
			for _, limb := range o.Any {
				for _, c := range limb.All {
					out[c.Quantity] = append(out[c.Quantity], c.Bound)
				}
			}
		}
	}
	for q, list := range out {
		slices.Sort(list)
		out[q] = slices.Compact(list)
	}
	return out
}()

// addressees are the vendors that rules are addressed to.
var addressees = func() map[string]bool {
	out := map[string]bool{}
	for _, r := range rules {
		for _, v := range r.Vendors {
			out[v] = true
		}
	}
	return out
}()

func classOf(it *Item) class {
	c := class{vendor: it.Vendor, cloudOnly: it.CloudOnly}
	for i, q := range quantities {
		a := it.Amount(q)
		c.amounts[i].known = a.Known
		if a.Known == Exact || a.Known == AtLeast {
			c.amounts[i].least, c.amounts[i].most = among(bounds[q], a.Value), among(bounds[q], a.most())
		}
	}
	if it.Vendor != "" && !addressees[it.Vendor] {
		c.vendor = "other"
	}
	if slices.ContainsFunc(rules, func(r *Rule) bool { return r.Names(it.ID) }) {
		c.named = it.ID
	}
	c.eccn, c.classified = ClassOfECCN(it.ECCN)
	return c
}

func among(bounds []float64, v float64) int {
	i := sort.SearchFloat64s(bounds, v)
	if i < len(bounds) && bounds[i] == v {
		return 2*i + 1
	}
	return 2 * i
}
