package catalog

import (
	"iter"
	"math"
	"slices"
	"sync"
)

// A Snapshot is the whole effective catalogue at one revision, held in memory by
// column and indexed. It never changes and is safe for concurrent use. Cards are
// numbered 0 … Len()-1 in order of their names.
type Snapshot struct {
	*base

	numbers [][]float64  // by quantity, then card; nil when no card has it; NaN is absent
	orders  []*lazyOrder // by quantity
	extents func() []extent
	pricing Pricing // zero without one
}

// base is what all snapshots of one catalogue share, whatever their pricing, see
// [Snapshot.Priced].
type base struct {
	Revision      int64
	Day           Date // to which the catalogue was put back, see [Snapshot.AsOf]; empty: it is of now
	Loaded, Total int  // cards here, and cards there will be once loading is done

	cards    []Card // Facts are nil: see facts
	facts    [][]fact
	rowOf    map[string]int32
	datasets []DatasetInfo
	sources  []SourceRef
	sourceAt []map[string]uint32 // by dataset: source id → index in sources
	texts    []string
	accepts  map[acceptKey]map[string]Text

	annotations []Annotations    // by dataset
	rates       [][]ExchangeRate // by dataset
	exchange    *exchange
	slots       []uint32        // index in facts → index in sources; nil: the same
	summed      [][]*CardOffers // by dataset, then card
	histories   []History       // by dataset
	cited       []int           // by source: prices
	prices      []PriceInfo     // latest of each offer and dataset, by card, then kind, the latest first
	pricesOf    map[int]span
	observed    int // prices
	dated       *datedPrices
	views       views

	codes    []categories // by quantity
	scratch  sync.Pool    // of *bitset
	haystack haystack
	names    names

	annotated  func() *annotated
	health     func() *Health
	priceStats func() *PriceStats
	uses       func() []SourceUse
	since      func() []int // from which day on each card is in the catalogue, as YYYYMMDD
	derived    *derivation
}

// derivation is what is computed of cards and figures, for all catalogues that differ in prices only.
type derivation struct {
	values sync.Map // key → func() any, see Derived
	bare   func() *Snapshot
}

// Derived returns what compute makes of the catalogue without its prices, computed once for each key, also for
// catalogues that share its cards ([Snapshot.SharesCards]).
func Derived[T any](s *Snapshot, key any, compute func(*Snapshot) T) T {
	d := s.derived
	once, _ := d.values.LoadOrStore(key, sync.OnceValue(func() any { return compute(d.bare()) }))
	return once.(func() any)().(T)
}

// Bare is the catalogue without prices; it is the same for all that share its cards. Who keeps it keeps no prices.
func (s *Snapshot) Bare() *Snapshot { return s.derived.bare() }

// SharesCards reports whether another catalogue has the very same cards, figures and annotations, in the same order.
func (s *Snapshot) SharesCards(t *Snapshot) bool { return s.derived == t.derived }

// derives begins what is derived of the catalogue, which has cards and figures by now, and no prices.
func (s *Snapshot) derives() {
	b := s.base.withoutPrices()
	bare := &Snapshot{base: b, numbers: s.numbers, orders: s.orders}
	s.derived = &derivation{bare: sync.OnceValue(func() *Snapshot {
		b.histories = make([]History, len(b.datasets))
		bare.extents = newExtents(bare)
		bare.finish(make([][]*CardOffers, len(b.datasets)))
		return bare
	})}
	b.derived = s.derived
}

// withoutPrices shares all but what is of prices.
func (b *base) withoutPrices() *base {
	return &base{Revision: b.Revision, Day: b.Day, Loaded: b.Loaded, Total: b.Total, cards: b.cards, facts: b.facts,
		rowOf: b.rowOf, datasets: b.datasets, sources: b.sources, sourceAt: b.sourceAt, slots: b.slots, texts: b.texts,
		accepts: b.accepts, annotations: b.annotations, rates: b.rates, codes: b.codes, haystack: b.haystack,
		names: b.names, derived: b.derived}
}

// Partial reports whether cards are still being loaded.
func (s *Snapshot) Partial() bool { return s.Loaded < s.Total }

// Len is the number of cards.
func (s *Snapshot) Len() int { return len(s.cards) }

// Card returns the i-th card's identity; its Facts are nil, see [Snapshot.Facts].
// The caller must not change what the slices hold.
func (s *Snapshot) Card(i int) *Card { return &s.cards[i] }

// Find returns the number of the card with that id.
func (s *Snapshot) Find(id string) (int, bool) {
	i, ok := s.rowOf[id]
	return int(i), ok
}

// Datasets and Sources list where facts come from, in the order they were added.
func (s *Snapshot) Datasets() []DatasetInfo { return s.datasets }

// Sources lists every source of every active dataset.
func (s *Snapshot) Sources() []SourceRef { return s.sources }

// Number returns the shown value of a numeric quantity of card i (a date as its
// [Date.Ordinal]); ok is false when no source gives one.
func (s *Snapshot) Number(q *Quantity, i int) (v float64, ok bool) {
	v = s.number(q.index, i)
	return v, !math.IsNaN(v)
}

func (s *Snapshot) number(q, i int) float64 {
	if col := s.numbers[q]; col != nil {
		return col[i]
	}
	return missing
}

// Text returns the shown value of a quantity that is not a number: a category, a
// flag ("true", "false"), a date as its source gives it, the name.
func (s *Snapshot) Text(q *Quantity, i int) (string, bool) {
	switch {
	case q.Kind == Name:
		return s.cards[i].Name, true
	case q.Kind == Day:
		for _, f := range s.facts[i] {
			if int(f.quantity) == q.index && f.superseded == 0 {
				return s.texts[int(f.value)], true
			}
		}
		return "", false
	}
	v := s.codes[q.index].value(i)
	return v, v != ""
}

// Values lists the distinct shown values of a category, in order.
func (s *Snapshot) Values(q *Quantity) []string {
	values := s.codes[q.index].values
	if len(values) == 0 {
		return nil
	}
	return values[1:]
}

// A Value is one fact of a card as one source gives it.
type Value struct {
	Quantity   *Quantity
	Number     float64 // of a Number
	Text       string  // of anything else
	Source     *SourceRef
	Dataset    *DatasetInfo
	Note       Text
	Superseded Text // why it is not the value shown; zero for one that could be
	Standing   FigureStanding
}

// A Figure is everything known of one quantity of one card.
type Figure struct {
	Shown  Value   // Source is nil when every value is superseded, and for derived values
	Others []Value // the values that other sources give, best first
}

// Facts returns everything known of card i by quantity, in the registry's order,
// derived values included.
func (s *Snapshot) Facts(i int) map[string]Figure {
	out := make(map[string]Figure, len(s.facts[i]))
	for _, f := range s.facts[i] {
		q := registry[f.quantity]
		fig, v := out[q.ID], s.value(f)
		if f.superseded == 0 && fig.Shown.Quantity == nil {
			fig.Shown = v
		} else {
			fig.Others = append(fig.Others, v)
		}
		out[q.ID] = fig
	}
	for _, q := range calculated() {
		if v, ok := s.Number(q, i); ok {
			out[q.ID] = Figure{Shown: Value{Quantity: q, Number: v}}
		}
	}
	return out
}

func (s *Snapshot) value(f fact) Value {
	src := &s.sources[s.sourceOf(&f)]
	v := Value{Quantity: registry[f.quantity], Source: src, Dataset: &s.datasets[src.Dataset],
		Note: s.pair(f.note), Superseded: s.pair(f.superseded),
		Standing: FigureStandings[f.standing]}
	if v.Quantity.Kind == Number {
		v.Number = f.value
	} else {
		v.Text = s.texts[int(f.value)]
	}
	return v
}

func (s *Snapshot) pair(i uint32) Text {
	if i == 0 {
		return Text{}
	}
	return Text{s.texts[i-1], s.texts[i]}
}

// SourceUse counts what a source supports: figures of cards, those cards,
// annotations, prices and exchange rates.
type SourceUse struct{ Figures, Cards, Annotations, Prices, Rates int }

// SourceUses returns, for each source of [Snapshot.Sources], what names it.
func (s *Snapshot) SourceUses() []SourceUse { return s.uses() }

func (s *Snapshot) countUses() []SourceUse {
	uses := make([]SourceUse, len(s.sources))
	for d := range s.annotations {
		s.annotations[d].Cite(func(id string, _ Pos) {
			if i, ok := s.sourceAt[d][id]; ok {
				uses[i].Annotations++
			}
		})
	}
	for d, rates := range s.rates {
		for i := range rates {
			if at, ok := s.sourceAt[d][rates[i].Source]; ok {
				uses[at].Rates++
			}
		}
	}
	for i, n := range s.cited {
		uses[i].Prices = n
	}
	for _, facts := range s.facts {
		var seen []uint32
		for _, f := range facts {
			at := s.sourceOf(&f)
			uses[at].Figures++
			if !slices.Contains(seen, at) {
				seen = append(seen, at)
				uses[at].Cards++
			}
		}
	}
	return uses
}

// indexOf is the place of a source in [Snapshot.Sources].
func (s *Snapshot) indexOf(src *SourceRef) uint32 { return s.sourceAt[src.Dataset][src.ID] }

// SourcedFact is one value that a source states of a card.
type SourcedFact struct {
	Value
	Row   int
	Shown bool // it is the value shown of its quantity
}

// Others yields the values of a number that other sources give than the one shown,
// without the superseded ones.
func (s *Snapshot) Others(q *Quantity, i int) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		shown := false
		for _, f := range s.facts[i] {
			if int(f.quantity) != q.index || f.superseded != 0 {
				continue
			}
			if shown && !yield(f.value) {
				return
			}
			shown = true
		}
	}
}

// FactsOf returns every value that the i-th of [Snapshot.Sources] states, card by
// card.
func (s *Snapshot) FactsOf(i int) []SourcedFact {
	var out []SourcedFact
	for row, facts := range s.facts {
		last := -1
		for _, f := range facts {
			first := int(f.quantity) != last && f.superseded == 0
			if f.superseded == 0 {
				last = int(f.quantity)
			}
			if int(s.sourceOf(&f)) == i {
				out = append(out, SourcedFact{s.value(f), row, first})
			}
		}
	}
	return out
}

// FigureCount is the number of facts of all cards.
func (s *Snapshot) FigureCount() int {
	n := 0
	for _, facts := range s.facts {
		n += len(facts)
	}
	return n
}

// categories is a column of repeating texts: each distinct text has a code, and
// codes are in the order of the texts. Code 0 is "absent".
type categories struct {
	values []string // values[0] == ""
	codes  []uint32
	bits   func() []bitset // per code, made when first asked for
}

func newCategories(column []string) categories {
	values := slices.Clone(column)
	slices.Sort(values)
	values = slices.Clone(slices.Compact(values)) // a few of many: let the rest go
	if len(values) == 0 || values[0] != "" {
		values = slices.Insert(values, 0, "")
	}
	code := make(map[string]uint32, len(values))
	for i, v := range values {
		code[v] = uint32(i)
	}
	c := categories{values: values, codes: make([]uint32, len(column))}
	for i, v := range column {
		c.codes[i] = code[v]
	}
	c.bits = sync.OnceValue(func() []bitset {
		sets := make([]bitset, len(values))
		for i := range sets {
			sets[i] = newBitset(len(c.codes))
		}
		for row, code := range c.codes {
			sets[code].set(row)
		}
		return sets
	})
	return c
}

func (c *categories) value(i int) string {
	if c.codes == nil {
		return ""
	}
	return c.values[c.codes[i]]
}

// Newest is the latest date on which a source was published or looked at; empty
// when none bears a date.
func (s *Snapshot) Newest() Date {
	var newest Date
	for i := range s.sources {
		newest = max(newest, s.sources[i].Published, s.sources[i].Retrieved)
	}
	return newest
}

// NewestOf is the latest date of what is known of card i: on which a source of its facts was published or looked at, or
// of a price.
func (s *Snapshot) NewestOf(i int) Date {
	var newest Date
	for n := range s.facts[i] {
		src := &s.sources[s.sourceOf(&s.facts[i][n])]
		newest = max(newest, src.Published, src.Retrieved)
	}
	for n := range s.Latest(i) {
		newest = max(newest, s.Latest(i)[n].Date)
	}
	return newest
}

// DatasetCards returns, for each dataset of [Snapshot.Datasets], how many cards
// have a fact from it.
func (s *Snapshot) DatasetCards() []int {
	counts := make([]int, len(s.datasets))
	for _, facts := range s.facts {
		seen := make([]bool, len(s.datasets))
		for _, f := range facts {
			if d := s.sources[s.sourceOf(&f)].Dataset; !seen[d] {
				seen[d] = true
				counts[d]++
			}
		}
	}
	return counts
}
