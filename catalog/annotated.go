package catalog

import (
	"cmp"
	"slices"
	"sync"

	"tianti/sorting"
)

// In says which dataset an annotation of a snapshot is from, so that its sources
// can be looked up with [Snapshot.SourceOf].
type In struct{ Dataset int }

// GenerationInfo is a generation with its figures and cards in a snapshot.
type GenerationInfo struct {
	*Generation
	In
	Figures map[string]Figure // of the announcement and the largest chip, by quantity
	Rows    []int             // its cards, the earliest first
}

// ClaimInfo is a claim with the cards that it speaks of.
type ClaimInfo struct {
	*Claim
	In
	Rows []int
}

// MeasuredInfo is a measured value of a card, with the rated one.
type MeasuredInfo struct {
	Value
	Conditions Text
	Rated      float64 // the shown figure of the same quantity; 0 where there is none
}

// Share is the measured value as a share of the rated one; 0 where none is rated.
func (m MeasuredInfo) Share() float64 {
	if m.Rated == 0 {
		return 0
	}
	return m.Number / m.Rated
}

// EquivalentInfo and GlossaryInfo are entries of a snapshot.
type (
	EquivalentInfo struct {
		*Equivalent
		In
	}
	GlossaryInfo struct {
		*GlossaryEntry
		In
	}
)

// annotated holds the annotations of all datasets: of those that share an id, the
// one of the dataset that ranks highest.
type annotated struct {
	generations []GenerationInfo
	claims      []ClaimInfo
	claimsOf    map[int][]int // row → indexes of claims
	measured    map[int][]MeasuredInfo
	equivalents []EquivalentInfo
	glossary    []GlossaryInfo
	benchmarks  []BenchmarkInfo
}

// SourceOf returns a source by its id within a dataset, nil when there is none.
func (s *Snapshot) SourceOf(in In, id string) *SourceRef {
	if in.Dataset < len(s.sourceAt) {
		if i, ok := s.sourceAt[in.Dataset][id]; ok {
			return &s.sources[i]
		}
	}
	return nil
}

// Generations returns the generations of architectures: line by line in the order
// of the data, each line from the first to the latest.
func (s *Snapshot) Generations() []GenerationInfo { return s.annotated().generations }

// Claims returns all claims, the latest first.
func (s *Snapshot) Claims() []ClaimInfo { return s.annotated().claims }

// ClaimsOf returns the claims that speak of card i.
func (s *Snapshot) ClaimsOf(i int) []ClaimInfo {
	a := s.annotated()
	var out []ClaimInfo
	for _, at := range a.claimsOf[i] {
		out = append(out, a.claims[at])
	}
	return out
}

// Measured returns what was measured on card i, by quantity, the highest first.
func (s *Snapshot) Measured(i int) []MeasuredInfo { return s.annotated().measured[i] }

// Equivalents returns what the vendors call the same thing.
func (s *Snapshot) Equivalents() []EquivalentInfo { return s.annotated().equivalents }

// Glossary returns the terms of the field in alphabetical order.
func (s *Snapshot) Glossary() []GlossaryInfo { return s.annotated().glossary }

func newAnnotated(s *Snapshot) func() *annotated {
	return sync.OnceValue(func() *annotated {
		a := &annotated{claimsOf: map[int][]int{}, measured: map[int][]MeasuredInfo{}}
		seen := map[string]bool{}
		first := func(kind, id string) bool {
			key := kind + " " + id
			was := seen[key]
			seen[key] = true
			return !was
		}
		for _, d := range s.byRank() {
			a.add(s, In{d}, &s.annotations[d], first)
		}
		a.sort(s)
		return a
	})
}

// byRank lists the datasets, the highest rank first.
func (s *Snapshot) byRank() []int {
	order := make([]int, len(s.datasets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.datasets[b].Rank, s.datasets[a].Rank) })
	return order
}

func (a *annotated) add(s *Snapshot, in In, from *Annotations, first func(kind, id string) bool) {
	for i := range from.Generations {
		if g := &from.Generations[i]; first("generation", g.ID) {
			a.generations = append(a.generations, GenerationInfo{Generation: g, In: in,
				Figures: s.figuresOf(in, g.Facts)})
		}
	}
	for i := range from.Claims {
		if c := &from.Claims[i]; first("claim", c.ID) {
			a.claims = append(a.claims, ClaimInfo{c, in, s.rowsOf(c.Cards)})
		}
	}
	for i := range from.Measured {
		a.addMeasured(s, in, &from.Measured[i])
	}
	for i := range from.Benchmarks {
		a.addBenchmark(s, in, &from.Benchmarks[i])
	}
	for i := range from.Equivalents {
		if e := &from.Equivalents[i]; first("equivalent", e.ID) {
			a.equivalents = append(a.equivalents, EquivalentInfo{e, in})
		}
	}
	for i := range from.Glossary {
		if g := &from.Glossary[i]; first("term", g.ID) {
			a.glossary = append(a.glossary, GlossaryInfo{g, in})
		}
	}
}

func (a *annotated) addMeasured(s *Snapshot, in In, m *Measurement) {
	row, known := s.rowOf[m.Card]
	v, ok := s.valueOf(in, &m.Fact)
	if !known || !ok || v.Quantity.Kind != Number {
		return
	}
	info := MeasuredInfo{Value: v, Conditions: m.Conditions}
	if rated, ok := s.Number(v.Quantity, int(row)); ok {
		info.Rated = rated
	}
	a.measured[int(row)] = append(a.measured[int(row)], info)
}

// valueOf is a fact that stands outside the column store, as a Value.
func (s *Snapshot) valueOf(in In, f *Fact) (Value, bool) {
	q, ok := LookupQuantity(f.Quantity)
	src := s.SourceOf(in, f.Source)
	if !ok || !q.Stored() || src == nil {
		return Value{}, false
	}
	return Value{q, f.Number, f.Text, src, &s.datasets[in.Dataset], f.Note, f.Superseded,
		StandingOf(f, &src.Source)}, true
}

// figuresOf orders the facts of one entry as those of a card.
func (s *Snapshot) figuresOf(in In, facts []Fact) map[string]Figure {
	byQuantity := map[string][]Value{}
	for i := range facts {
		if v, ok := s.valueOf(in, &facts[i]); ok {
			byQuantity[v.Quantity.ID] = append(byQuantity[v.Quantity.ID], v)
		}
	}
	out := make(map[string]Figure, len(byQuantity))
	for id, values := range byQuantity {
		sorting.Func(values, func(a, b Value) int {
			return cmp.Or(
				cmp.Compare(btoi(!a.Superseded.IsZero()), btoi(!b.Superseded.IsZero())),
				cmp.Compare(
					a.Standing.Weakness(),
					b.Standing.Weakness(),
				),
				compareTrust(&a.Source.Source, &b.Source.Source),
			)
		})
		if values[0].Superseded.IsZero() {
			out[id] = Figure{values[0], values[1:]}
		} else {
			out[id] = Figure{Others: values}
		}
	}
	return out
}

func (s *Snapshot) rowsOf(cards []string) []int {
	var rows []int
	for _, id := range cards {
		if row, ok := s.rowOf[id]; ok {
			rows = append(rows, int(row))
		}
	}
	return rows
}

func (a *annotated) sort(s *Snapshot) {
	a.sortGenerations(s)
	sorting.Func(a.claims, func(x, y ClaimInfo) int { return cmp.Compare(y.Said, x.Said) })
	for i, c := range a.claims {
		for _, row := range c.Rows {
			a.claimsOf[row] = append(a.claimsOf[row], i)
		}
	}
	for _, list := range a.measured {
		sorting.Func(list, func(x, y MeasuredInfo) int {
			return cmp.Or(cmp.Compare(x.Quantity.index, y.Quantity.index), cmp.Compare(y.Number, x.Number))
		})
	}
	sorting.Func(a.glossary, func(x, y GlossaryInfo) int { return cmp.Compare(x.Term, y.Term) })
}

func (a *annotated) sortGenerations(s *Snapshot) {
	line := map[string]int{}
	for i := range a.generations {
		g := &a.generations[i]
		if _, known := line[g.Line]; !known {
			line[g.Line] = len(line)
		}
	}
	launched := func(g *GenerationInfo) string { return g.Figures["launched"].Shown.Text }
	sorting.Func(a.generations, func(x, y GenerationInfo) int {
		return cmp.Or(cmp.Compare(line[x.Line], line[y.Line]), cmp.Compare(launched(&x), launched(&y)))
	})
	a.placeCards(s)
}

// placeCards gives every generation its cards.
func (a *annotated) placeCards(s *Snapshot) {
	type name struct{ vendor, architecture string }
	byName, byID := map[name]int{}, map[string]int{}
	for i := range a.generations {
		g := &a.generations[i]
		for _, id := range g.Cards {
			byID[id] = i
		}
		if len(g.Cards) == 0 {
			byName[name{g.Vendor, g.Name}] = i
		}
	}
	for row := range s.cards {
		c := &s.cards[row]
		i, ok := byID[c.ID]
		if !ok {
			i, ok = byName[name{c.Vendor, c.Architecture}]
		}
		if ok {
			a.generations[i].Rows = append(a.generations[i].Rows, row)
		}
	}
	launched, _ := LookupQuantity("launched")
	for i := range a.generations {
		slices.SortStableFunc(a.generations[i].Rows, func(x, y int) int {
			a, okA := s.Number(launched, x)
			b, okB := s.Number(launched, y)
			return cmp.Or(cmp.Compare(btoi(!okA), btoi(!okB)), cmp.Compare(a, b))
		})
	}
}
