package plot

import (
	"cmp"
	"math"
	"slices"

	"tianti/catalog"
)

// A Grouping is the attribute that cards are grouped by.
type Grouping string

// Groupings.
const (
	ByVendor       Grouping = "vendor"
	ByGeneration   Grouping = "generation"
	BySegment      Grouping = "segment"
	ByArchitecture Grouping = "architecture"
	BySeries       Grouping = "series"
)

// Groupings are all of them, the usual first.
var Groupings = []Grouping{ByVendor, ByGeneration, BySegment, ByArchitecture, BySeries}

// MaxGroups is how many groups are drawn with a mark of their own. When there are more,
// the last one holds all but the largest.
const MaxGroups = 8

// A Group is points with the same mark.
type Group struct {
	Name   string // empty: cards without a group, or of the smallest groups
	Points int
}

// kin is the group of a card, and its place among the groups.
type kin struct {
	name string
	rank float64
}

// group gives every point its group. Vendors and segments stand in order of their
// size, the others from the oldest to the latest.
func (p *Plot) group(s *catalog.Snapshot, by Grouping) {
	of := kinOf(s, by)
	count, rank := map[string]int{}, map[string]float64{}
	for i := range p.Points {
		k := of(p.Points[i].Row)
		p.Points[i].Kin = k.name
		if before, known := rank[k.name]; known {
			k.rank = min(k.rank, before)
		}
		rank[k.name] = k.rank
		count[k.name]++
	}
	p.Groups = groupsOf(count, rank, by == ByVendor || by == BySegment)
	at := map[string]int{}
	for i := range p.Groups {
		at[p.Groups[i].Name] = i
	}
	for i := range p.Points {
		g, ok := at[p.Points[i].Kin]
		if !ok {
			g = at[""]
		}
		p.Points[i].Group = g
		p.Groups[g].Points++
	}
}

// groupsOf chooses the groups that are shown and puts them in order; the one
// without a name is the last.
func groupsOf(count map[string]int, rank map[string]float64, bySize bool) []Group {
	var named []string
	for name := range count {
		if name != "" {
			named = append(named, name)
		}
	}
	size := func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) }
	slices.SortFunc(named, size)
	others := count[""] > 0
	if len(named) > MaxGroups || others && len(named) == MaxGroups {
		named, others = named[:MaxGroups-1], true
	}
	if !bySize {
		slices.SortFunc(named, func(a, b string) int {
			return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a, b))
		})
	}
	out := make([]Group, len(named), len(named)+1)
	for i, name := range named {
		out[i].Name = name
	}
	if others {
		out = append(out, Group{})
	}
	return out
}

// kinOf returns how cards are grouped.
func kinOf(s *catalog.Snapshot, by Grouping) func(row int) kin {
	switch by {
	case ByGeneration:
		return generations(s)
	case BySegment:
		return func(row int) kin { return kin{name: s.Card(row).Segment} }
	case ByArchitecture:
		launched, _ := catalog.LookupQuantity("launched")
		return func(row int) kin {
			day, ok := s.Number(launched, row)
			if !ok {
				day = math.Inf(1)
			}
			return kin{s.Card(row).Architecture, day}
		}
	case BySeries:
		return func(row int) kin {
			name, rank := Series(s.Card(row))
			return kin{name, rank}
		}
	}
	return func(row int) kin { return kin{name: s.Card(row).Vendor} }
}

// generations groups by the generations of architectures, in the order in which
// they were announced.
func generations(s *catalog.Snapshot) func(row int) kin {
	of := map[int]kin{}
	for _, g := range s.Generations() {
		day := catalog.Date(g.Figures["launched"].Shown.Text).Ordinal()
		for _, row := range g.Rows {
			of[row] = kin{g.Name, float64(day)}
		}
	}
	return func(row int) kin { return of[row] }
}
