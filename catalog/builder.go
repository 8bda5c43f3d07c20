package catalog

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"tianti/sorting"
)

// A Builder merges datasets into a [Snapshot]. It is not safe for concurrent use.
type Builder struct {
	revision      int64
	loaded, total int
	datasets      []DatasetInfo
	sources       []SourceRef
	sourceAt      []map[string]uint32 // per dataset: source id → index in sources
	annotations   []Annotations       // per dataset
	offers        [][]*CardOffers     // per dataset
	histories     []History           // per dataset
	rates         [][]ExchangeRate    // per dataset
	accepts       map[acceptKey]map[string]Text
	cards         []draft
	byID          map[string]int
	texts         interner
	arena         []fact
}

// DatasetInfo is what a snapshot knows of a dataset.
type DatasetInfo struct {
	ID       string
	Title    Text
	Rank     int
	Revision int64
	Imported Date
}

// SourceRef is a source together with the dataset that names it.
type SourceRef struct {
	Source
	Dataset int // index in Snapshot.Datasets
}

// fact is a Fact without pointers, so that millions of them cost the garbage
// collector nothing.
type fact struct {
	value      float64 // the number, or the index of the text
	source     uint32
	note       uint32 // index of the English text + 1; the Chinese one follows it
	superseded uint32 // likewise
	quantity   uint16
	standing   uint8 // index in FigureStandings
}

func (f *fact) weakness() int { return FigureStandings[f.standing].Weakness() }

type draft struct {
	head  Card // without Facts
	rank  int  // of the dataset that gave the head
	facts [][]fact
}

// NewBuilder returns an empty builder of the catalogue with that revision.
func NewBuilder(revision int64) *Builder {
	return &Builder{revision: revision, byID: map[string]int{}, texts: interner{at: map[string]uint32{}},
		accepts: map[acceptKey]map[string]Text{}}
}

// AddDataset announces a dataset, its sources, prices, rates and annotations (its
// Cards are ignored) and returns the handle under which its cards are added.
func (b *Builder) AddDataset(d Dataset) int {
	n := len(b.datasets)
	b.datasets = append(b.datasets, DatasetInfo{d.ID, d.Title, d.Rank, d.Revision, d.Imported})
	at := make(map[string]uint32, len(d.Sources))
	for _, s := range d.Sources {
		at[s.ID] = uint32(len(b.sources))
		b.sources = append(b.sources, SourceRef{s, n})
	}
	b.sourceAt = append(b.sourceAt, at)
	b.annotations = append(b.annotations, d.Annotations)
	b.rates = append(b.rates, d.Rates)
	if d.History == nil {
		d.Offers, d.History = SumUpPrices(d.Prices), newHeldHistory(d.Prices)
	}
	b.offers, b.histories = append(b.offers, d.Offers), append(b.histories, d.History)
	return n
}

// SetProgress says how many of how many cards have been added; a snapshot built
// when they differ reports itself as partial.
func (b *Builder) SetProgress(loaded, total int) { b.loaded, b.total = loaded, total }

// Local is the dataset of corrections. They are of figures: who a card is, it says only
// of cards that no other dataset has.
const Local = "local"

// BuiltinRank is that of the data that the program brings: it leaves room below for
// datasets that fill gaps and above for those that correct.
const BuiltinRank = 100

// AddCard adds what dataset d says of a card. Facts of quantities or sources
// that are not known are skipped: a database of an older program may hold them.
// The caller may reuse c and its slices.
func (b *Builder) AddCard(d int, c Card) {
	facts := b.compact(d, c.Facts)
	b.keepExceptions(d, &c)
	c.Facts = nil
	c.Aliases, c.PCIIDs = slices.Clone(c.Aliases), slices.Clone(c.PCIIDs)
	rank := b.datasets[d].Rank
	if b.datasets[d].ID == Local {
		rank = math.MinInt
	}
	i, known := b.byID[c.ID]
	if !known {
		b.byID[c.ID] = len(b.cards)
		b.cards = append(b.cards, draft{c, rank, [][]fact{facts}})
		return
	}
	old := &b.cards[i]
	aliases, pci := union(old.head.Aliases, c.Aliases), union(old.head.PCIIDs, c.PCIIDs)
	if rank > old.rank {
		old.head, old.rank = c, rank
	}
	old.head.Aliases, old.head.PCIIDs = aliases, pci
	old.facts = append(old.facts, facts)
}

// acceptKey is where one of the few facts that accept a rule stands.
type acceptKey struct {
	card     string
	quantity uint16
	source   uint32
}

func (b *Builder) keepExceptions(d int, c *Card) {
	for i := range c.Facts {
		f := &c.Facts[i]
		if len(f.Accept) == 0 {
			continue
		}
		q, ok := LookupQuantity(f.Quantity)
		src, cited := b.sourceAt[d][f.Source]
		if ok && cited {
			b.accepts[acceptKey{c.ID, uint16(q.index), src}] = f.Accept
		}
	}
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

const arenaFacts = 1 << 16

// compact copies facts into the arena, in order of preference.
func (b *Builder) compact(d int, facts []Fact) []fact {
	if cap(b.arena)-len(b.arena) < len(facts) {
		b.arena = make([]fact, 0, max(arenaFacts, len(facts)))
	}
	start := len(b.arena)
	for i := range facts {
		if f, ok := b.compactOne(d, &facts[i]); ok {
			b.arena = append(b.arena, f)
		}
	}
	out := b.arena[start:len(b.arena):len(b.arena)]
	sorting.Func(out, b.prefer)
	return out
}

func (b *Builder) compactOne(d int, f *Fact) (fact, bool) {
	q, ok := LookupQuantity(f.Quantity)
	if !ok || !q.Stored() {
		return fact{}, false
	}
	src, ok := b.sourceAt[d][f.Source]
	if !ok {
		return fact{}, false
	}
	out := fact{value: f.Number, source: src, quantity: uint16(q.index),
		note: b.texts.pair(f.Note), superseded: b.texts.pair(f.Superseded)}
	st := slices.Index(FigureStandings, StandingOf(f, &b.sources[src].Source))
	if st < 0 { // of a newer program
		st = len(FigureStandings) - 1
	}
	out.standing = uint8(st)
	if q.Kind != Number {
		out.value = float64(b.texts.index(f.Text))
	}
	return out, true
}

// prefer orders the facts of a card: by quantity, and within one by what is to
// be shown first. A superseded value comes last and is never shown; a weak one comes
// after all firm ones; then the dataset's rank decides, then the kind of source, then the later publication,
// then the order in which they were given.
func (b *Builder) prefer(x, y fact) int {
	sx, sy := &b.sources[x.source], &b.sources[y.source]
	return cmp.Or(
		cmp.Compare(x.quantity, y.quantity),
		cmp.Compare(min(x.superseded, 1), min(y.superseded, 1)),
		cmp.Compare(x.weakness(), y.weakness()),
		cmp.Compare(b.datasets[sy.Dataset].Rank, b.datasets[sx.Dataset].Rank),
		compareTrust(&sx.Source, &sy.Source),
	)
}

// Build returns the snapshot of everything added so far. It may be called again
// after more cards were added; snapshots built earlier do not change.
func (b *Builder) Build() *Snapshot {
	s := &Snapshot{base: &base{
		Revision: b.revision, Loaded: b.loaded, Total: b.total,
		datasets: slices.Clone(b.datasets), sources: slices.Clone(b.sources), texts: b.texts.list,
		sourceAt: slices.Clone(b.sourceAt), accepts: maps.Clone(b.accepts), annotations: slices.Clone(b.annotations),
		rates: slices.Clone(b.rates), histories: slices.Clone(b.histories),
	}}
	order := make([]int, len(b.cards))
	for i := range order {
		order[i] = i
	}
	names := make([]string, len(b.cards))
	for i := range b.cards {
		names[i] = strings.ToLower(b.cards[i].head.Name)
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(strings.Compare(names[i], names[j]), strings.Compare(b.cards[i].head.ID, b.cards[j].head.ID))
	})
	s.cards = make([]Card, len(order))
	s.facts = make([][]fact, len(order))
	s.rowOf = make(map[string]int32, len(order))
	for row, i := range order {
		d := &b.cards[i]
		s.cards[row], s.facts[row] = d.head, b.merge(d.facts)
		s.rowOf[d.head.ID] = int32(row)
	}
	if s.Total == 0 {
		s.Loaded, s.Total = len(order), len(order)
	}
	s.index()
	s.derives()
	s.finish(slices.Clone(b.offers))
	return s
}

// finish adds the prices, and what is computed of the whole.
func (s *Snapshot) finish(offers [][]*CardOffers) {
	s.exchange, s.dated = newExchange(s), &datedPrices{}
	s.addPrices(offers)
	s.annotated, s.health = newAnnotated(s), newHealth(s)
	s.priceStats, s.uses = sync.OnceValue(s.countPrices), sync.OnceValue(s.countUses)
	s.since = sync.OnceValue(s.begins)
}

func (b *Builder) merge(parts [][]fact) []fact {
	if len(parts) == 1 {
		return parts[0]
	}
	all := slices.Concat(parts...)
	sorting.Func(all, b.prefer)
	return all
}

// NewSnapshot builds the snapshot of some datasets at once.
func NewSnapshot(revision int64, datasets ...Dataset) *Snapshot {
	b := NewBuilder(revision)
	for _, d := range datasets {
		handle := b.AddDataset(d)
		for _, c := range d.Cards {
			b.AddCard(handle, c)
		}
	}
	return b.Build()
}

// interner numbers strings; the numbers stay valid while it grows.
type interner struct {
	list []string
	at   map[string]uint32
}

func (n *interner) index(s string) uint32 {
	if i, ok := n.at[s]; ok {
		return i
	}
	i := uint32(len(n.list))
	n.list = append(n.list, s)
	n.at[s] = i
	return i
}

// pair stores both languages of t next to each other and returns the index of
// the first plus one, or zero for no text.
func (n *interner) pair(t Text) uint32 {
	if t.IsZero() {
		return 0
	}
	key := t.En + "\x00" + t.Zh
	if i, ok := n.at[key]; ok {
		return i
	}
	i := uint32(len(n.list)) + 1
	n.list = append(n.list, t.En, t.Zh)
	n.at[key] = i
	return i
}

// index fills the column store from the facts.
func (s *Snapshot) index() {
	n := len(s.cards)
	s.numbers = make([][]float64, len(registry))
	s.codes = make([]categories, len(registry))
	texts := make([][]string, len(registry))
	for row := range s.cards {
		s.indexIdentity(row, texts)
		last := -1
		for _, f := range s.facts[row] {
			if int(f.quantity) == last || f.superseded != 0 {
				continue // a less preferred value
			}
			last = int(f.quantity)
			s.indexFact(row, f, texts)
		}
	}
	at := registryByID[standingID].index
	texts[at] = s.stand(texts[at])
	for i, column := range texts {
		if column != nil {
			s.codes[i] = newCategories(column)
		}
	}
	for _, q := range derived {
		s.deriveColumn(q, n)
	}
	s.orders = newOrders()
	s.haystack = newHaystack(s)
	s.names = newNames(s)
	s.extents = newExtents(s)
}

func (s *Snapshot) indexIdentity(row int, texts [][]string) {
	c := &s.cards[row]
	for i, v := range []string{c.Name, c.Vendor, c.Kind, c.Segment, c.Architecture} {
		if i > 0 { // the rows are in order of the name
			setText(texts, identity[i].index, row, len(s.cards), v)
		}
	}
}

func (s *Snapshot) indexFact(row int, f fact, texts [][]string) {
	q := registry[f.quantity]
	switch q.Kind {
	case Number:
		s.setNumber(q.index, row, f.value)
	case Day:
		s.setNumber(q.index, row, float64(Date(s.texts[int(f.value)]).Ordinal()))
	default:
		setText(texts, q.index, row, len(s.cards), s.texts[int(f.value)])
	}
}

func setText(texts [][]string, q, row, n int, v string) {
	if texts[q] == nil {
		texts[q] = make([]string, n)
	}
	texts[q][row] = v
}

func (s *Snapshot) setNumber(q, row int, v float64) {
	if s.numbers[q] == nil {
		s.numbers[q] = newNumbers(len(s.cards))
	}
	s.numbers[q][row] = v
}

func newNumbers(n int) []float64 {
	col := make([]float64, n)
	for i := range col {
		col[i] = missing
	}
	return col
}

func (s *Snapshot) deriveColumn(q *Quantity, n int) {
	for row := range n {
		if v := q.derive(s.Figures(row)); !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.setNumber(q.index, row, round6(v))
		}
	}
}

// round6 rounds to six significant digits: more than the inputs of derived values
// have, and free of the noise of binary fractions.
func round6(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(v))))
	if math.IsInf(scale, 0) {
		return v
	}
	return math.Round(v*scale) / scale
}
