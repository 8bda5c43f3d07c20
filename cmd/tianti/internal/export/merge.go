// Package export makes files of the whole effective catalogue.
package export

import (
	"cmp"
	"fmt"
	"slices"

	"tianti/catalog"
	"tianti/sorting"
)

// Merge merges datasets into one that shows the same figures and has all of theirs. When two datasets have a source of
// the same id, that of the lower rank gets a new id, unless they are the same; what datasets have in common stands
// once, as the one of the highest rank has it. A figure of a lower rank whose source would now be preferred is marked
// as superseded, and figures that break a rule only because datasets disagree accept it. So an export of an export is
// equal to it.
func Merge(datasets []catalog.Dataset) catalog.Dataset {
	m := merger{
		out:     catalog.Dataset{ID: "tianti", Title: catalog.Text{En: "Effective catalogue", Zh: "有效目录"}, Rank: 1},
		sources: map[string]*catalog.Source{},
		cards:   map[string]int{},
		offers:  map[catalog.Price]bool{}, rates: map[catalog.ExchangeRate]bool{},
		documents: map[[3]string]string{}, from: map[string]string{},
	}
	byRank := slices.Clone(datasets)
	sorting.Func(byRank, func(a, b catalog.Dataset) int { return cmp.Compare(b.Rank, a.Rank) })
	for i := range byRank {
		m.add(&byRank[i])
	}
	for i := range m.out.Sources {
		m.sources[m.out.Sources[i].ID] = &m.out.Sources[i]
	}
	for i := range m.out.Cards {
		m.resolveConflicts(m.out.Cards[i].Facts, m.origins[i])
	}
	m.dropUnused()
	if len(byRank) > 1 {
		acceptDisagreement(&m.out)
	}
	sorting.Func(m.out.Sources, func(a, b catalog.Source) int { return cmp.Compare(a.ID, b.ID) })
	return m.out
}

type merger struct {
	out     catalog.Dataset
	sources map[string]*catalog.Source // by new id
	cards   map[string]int             // id → index in out.Cards
	offers  map[catalog.Price]bool
	rates   map[catalog.ExchangeRate]bool

	documents map[[3]string]string // address, title and date of a source → new id
	from      map[string]string    // new id of a source → its dataset
	origins   [][]*catalog.Dataset // of each fact of each card
}

// add appends a dataset; those of higher rank come first.
func (m *merger) add(d *catalog.Dataset) {
	newID := make(map[string]string, len(d.Sources))
	for _, s := range d.Sources {
		newID[s.ID] = m.source(s, d, false)
	}
	for _, p := range d.Prices {
		p.Source = newID[p.Source]
		if key := offerOf(&p); !m.offers[key] {
			m.offers[key] = true
			m.out.Prices = append(m.out.Prices, p)
		}
	}
	for _, x := range d.Rates {
		x.Source = newID[x.Source]
		if key := rateOf(&x); !m.rates[key] {
			m.rates[key] = true
			m.out.Rates = append(m.out.Rates, x)
		}
	}
	annotate(&m.out.Annotations, &d.Annotations, newID)
	for i := range d.Cards {
		c := &d.Cards[i]
		at, known := m.cards[c.ID]
		if !known {
			at = len(m.out.Cards)
			m.cards[c.ID] = at
			head := *c
			head.Facts, head.Aliases, head.PCIIDs = nil, nil, nil
			m.out.Cards, m.origins = append(m.out.Cards, head), append(m.origins, nil)
		}
		to := &m.out.Cards[at]
		to.Aliases, to.PCIIDs = union(to.Aliases, c.Aliases), union(to.PCIIDs, c.PCIIDs)
		for _, f := range c.Facts {
			f.Source = newID[f.Source]
			there := m.stands(to.Facts, &f)
			for ; there == other; there = m.stands(to.Facts, &f) {
				f.Source = m.copyOf(f.Source, d) // a source gives one value: it is named as this dataset read it
			}
			if there == same {
				continue
			}
			to.Facts, m.origins[at] = append(to.Facts, f), append(m.origins[at], d)
		}
	}
}

// What stands of a figure already.
const (
	nothing = iota
	same    // the figure itself
	other   // another value of the same source
)

// stands says what of a figure stands among those of datasets of higher rank. One that is superseded there stands for
// it where another figure is shown.
func (m *merger) stands(facts []catalog.Fact, f *catalog.Fact) int {
	at := slices.IndexFunc(facts, func(g catalog.Fact) bool { return g.Quantity == f.Quantity && g.Source == f.Source })
	if at < 0 {
		return nothing
	}
	g := &facts[at]
	if g.Number != f.Number || g.Text != f.Text || g.Standing != f.Standing {
		return other
	}
	weak := catalog.StandingOf(f, m.sources[f.Source]).Weakness()
	shown := func(h catalog.Fact) bool {
		return h.Quantity == f.Quantity && h.Superseded.IsZero() &&
			catalog.StandingOf(&h, m.sources[h.Source]).Weakness() <= weak
	}
	if g.Superseded.IsZero() == f.Superseded.IsZero() || f.Superseded.IsZero() && slices.ContainsFunc(facts, shown) {
		return same
	}
	return other
}

// copyOf is a copy of a source for what a dataset read otherwise than one of higher rank.
func (m *merger) copyOf(id string, d *catalog.Dataset) string {
	s := *m.sources[id]
	title := catalog.Text{En: cmp.Or(d.Title.En, d.ID) + ", as read there"}
	return m.source(s, &catalog.Dataset{ID: d.ID, Title: title}, true)
}

// source adds a source of a dataset, unless it is there, and returns the id that it has. Two that tell of the same
// document otherwise than each other are told apart by title.
func (m *merger) source(s catalog.Source, d *catalog.Dataset, again bool) string {
	old, document := s.ID, [3]string{s.URL, s.Title, string(s.Published)}
	alike := func(id string) bool {
		there := m.sources[id]
		return there.Kind == s.Kind && there.Standing == s.Standing && there.Publisher == s.Publisher
	}
	id, known := m.documents[document]
	known = known && m.from[id] != d.ID // a dataset tells its own sources apart
	if known && !again && alike(id) {
		return id
	}
	for again || known {
		s.Title += " (" + cmp.Or(d.Title.En, d.ID) + ")"
		document[1], again = s.Title, false
		if id, known = m.documents[document]; known && alike(id) {
			return id
		}
	}
	for n := 1; m.sources[s.ID] != nil; n++ {
		s.ID = renamed(old, d.ID, n)
	}
	m.out.Sources = append(m.out.Sources, s)
	m.sources[s.ID], m.from[s.ID] = &s, d.ID
	if _, known := m.documents[document]; !known {
		m.documents[document] = s.ID
	}
	return s.ID
}

// offerOf is what a price is of: no other price of the same offer and day can stand beside it.
func offerOf(p *catalog.Price) catalog.Price {
	key := *p
	key.Source, key.Note, key.Pos, key.Unit, key.Amount.Micros = "", catalog.Text{}, catalog.Pos{}, "", 0
	return key
}

// rateOf is what a rate is of.
func rateOf(x *catalog.ExchangeRate) catalog.ExchangeRate {
	return catalog.ExchangeRate{Date: x.Date, Base: x.Base, Quote: x.Quote}
}

func renamed(id, dataset string, n int) string {
	if n == 1 {
		return id + "-" + dataset
	}
	return fmt.Sprintf("%s-%s-%d", id, dataset, n)
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// resolveConflicts marks facts of one card as superseded, when their sources would be preferred to those of a dataset
// of higher rank. origin has the dataset of each fact, the highest rank first.
func (m *merger) resolveConflicts(facts []catalog.Fact, origin []*catalog.Dataset) {
	byQuantity := map[string][]int{}
	for i, f := range facts {
		byQuantity[f.Quantity] = append(byQuantity[f.Quantity], i)
	}
	for _, at := range byQuantity {
		top := m.top(facts, at)
		for top >= 0 {
			shown := m.preferred(facts, at)
			if origin[shown].Rank == origin[top].Rank {
				break
			}
			facts[shown].Superseded = outranked(origin[top])
		}
	}
}

// top is the index of the first of the firmest facts among facts[at…], -1 where all are superseded.
func (m *merger) top(facts []catalog.Fact, at []int) int {
	top, least := -1, 0
	for _, i := range at {
		weak := catalog.StandingOf(&facts[i], m.sources[facts[i].Source]).Weakness()
		if facts[i].Superseded.IsZero() && (top < 0 || weak < least) {
			top, least = i, weak
		}
	}
	return top
}

// preferred is the index of the fact that is shown among facts[at…].
func (m *merger) preferred(facts []catalog.Fact, at []int) int {
	those := make([]catalog.Fact, len(at))
	for i, j := range at {
		those[i] = facts[j]
	}
	return at[catalog.Preferred(those, m.sources)]
}

func outranked(by *catalog.Dataset) catalog.Text {
	en, zh := cmp.Or(by.Title.En, by.ID), cmp.Or(by.Title.Zh, by.Title.En, by.ID)
	return catalog.Text{
		En: fmt.Sprintf("The dataset %q gives another value and ranks higher.", en),
		Zh: fmt.Sprintf("数据集“%s”给出了另一个数值，且排名更高。", zh),
	}
}

// ByPreference sorts the facts of each card by quantity; the one that is shown is the first of its quantity.
func ByPreference(d catalog.Dataset) catalog.Dataset {
	sources := make(map[string]*catalog.Source, len(d.Sources))
	for i := range d.Sources {
		sources[d.Sources[i].ID] = &d.Sources[i]
	}
	place := map[string]int{}
	for i, q := range catalog.Quantities() {
		place[q.ID] = i
	}
	d.Cards = slices.Clone(d.Cards)
	for i := range d.Cards {
		rest := slices.Clone(d.Cards[i].Facts)
		sorting.Func(rest, func(a, b catalog.Fact) int {
			return cmp.Compare(place[a.Quantity], place[b.Quantity])
		})
		d.Cards[i].Facts = rest
		for len(rest) > 0 {
			n := 1
			for n < len(rest) && rest[n].Quantity == rest[0].Quantity {
				n++
			}
			if shown := catalog.Preferred(rest[:n], sources); shown > 0 {
				f := rest[shown]
				copy(rest[1:shown+1], rest[:shown])
				rest[0] = f
			}
			rest = rest[n:]
		}
	}
	return d
}
