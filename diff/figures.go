package diff

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"tianti/catalog"
	"tianti/sorting"
)

// A pair is a figure of the old side, of the new one, or of both.
type pair struct{ old, new *catalog.Fact }

// compareFigures lists the figures of a card that differ, and those of whose quantity another value would be shown, in
// the order of the registry.
func (c *comparison) compareFigures(id string, old, new *catalog.Card) []Figure {
	all := factsOf(factsOf(nil, old, true), new, false)
	sorting.Func(all, func(a, b sidedFact) int { return cmp.Compare(a.order, b.order) })
	var out []Figure
	var olds, news []*catalog.Fact
	for len(all) > 0 {
		order := all[0].order
		olds, news = olds[:0], news[:0]
		for len(all) > 0 && all[0].order == order {
			if all[0].old {
				olds = append(olds, all[0].fact)
			} else {
				news = append(news, all[0].fact)
			}
			all = all[1:]
		}
		q := catalog.Quantities()[order]
		figures := c.figures(q.ID, pairUp(olds, news))
		for _, f := range figures {
			c.report.Figures[f.Kind]++
			if f.Kind == Added || f.Kind == Changed {
				c.compareWithOthers(id, q, f.New)
			}
		}
		out = append(out, differing(figures, c.shown(id, q.ID))...)
	}
	return out
}

// A sidedFact is a figure of one of the sides, with the place of its quantity in the registry.
type sidedFact struct {
	order int
	old   bool
	fact  *catalog.Fact
}

// places are those of quantities in the registry.
var places = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for i, q := range catalog.Quantities() {
		out[q.ID] = i
	}
	return out
})

// factsOf are the figures of a card whose quantities are known.
func factsOf(all []sidedFact, card *catalog.Card, old bool) []sidedFact {
	if card == nil {
		return all
	}
	all = slices.Grow(all, len(card.Facts))
	for i := range card.Facts {
		if order, ok := places()[card.Facts[i].Quantity]; ok {
			all = append(all, sidedFact{order, old, &card.Facts[i]})
		}
	}
	return all
}

// pairUp pairs figures of one quantity: those of one source first, then what is left over in order, since a source may
// have got another id.
func pairUp(old, new []*catalog.Fact) []pair {
	var pairs []pair
	var added []*catalog.Fact
	old = slices.Clone(old)
	for _, n := range new {
		i := slices.IndexFunc(old, func(o *catalog.Fact) bool { return o.Source == n.Source })
		if i < 0 {
			added = append(added, n)
			continue
		}
		pairs = append(pairs, pair{old[i], n})
		old = slices.Delete(old, i, i+1)
	}
	for i, n := range added {
		p := pair{new: n}
		if i < len(old) {
			p.old = old[i]
		}
		pairs = append(pairs, p)
	}
	for _, o := range old[min(len(added), len(old)):] {
		pairs = append(pairs, pair{old: o})
	}
	return pairs
}

func (c *comparison) figures(quantity string, pairs []pair) []Figure {
	out := make([]Figure, len(pairs))
	for i, p := range pairs {
		f := Figure{Quantity: quantity, Old: p.old, New: p.new}
		switch {
		case p.old == nil:
			f.Kind, f.Source = Added, c.new.title(p.new.Source)
		case p.new == nil:
			f.Kind, f.Source = Removed, c.old.title(p.old.Source)
		default:
			f.Kind, f.Source = Untouched, c.new.title(p.new.Source)
			if before := c.old.title(p.old.Source); before != f.Source {
				f.Before = before
			}
			if !same(p.old, p.new) {
				f.Kind = Changed
			}
		}
		out[i] = f
	}
	return out
}

// same compares what figures say, not where they stand.
func same(a, b *catalog.Fact) bool {
	return a.Number == b.Number && a.Text == b.Text && a.Source == b.Source && a.Note == b.Note &&
		a.Superseded == b.Superseded && a.Standing == b.Standing && maps.Equal(a.Accept, b.Accept)
}

// differing keeps the figures that differ, or the first where only what is shown does; the first that is kept bears
// shown.
func differing(all []Figure, shown *Shown) []Figure {
	out := slices.DeleteFunc(slices.Clone(all), func(f Figure) bool { return f.Kind == Untouched })
	if shown == nil {
		return out
	}
	if len(out) == 0 {
		out = all[:1:1]
	}
	out[0].Shown = shown
	return out
}

// compareWithOthers lists the values of other datasets that contradict a figure.
func (c *comparison) compareWithOthers(card string, q *catalog.Quantity, f *catalog.Fact) {
	if c.now == nil || !f.Superseded.IsZero() {
		return
	}
	own := catalog.Value{Quantity: q, Number: f.Number, Text: f.Text}
	after := shownIn(c.shownAfter, card, q)
	wins := after.Source != nil && after.Dataset.ID == c.new.dataset.ID && after.Source.ID == f.Source
	for _, v := range c.values[card] {
		if v.Quantity != q || !v.Superseded.IsZero() || !own.Disagrees(v) {
			continue
		}
		c.report.Conflicts = append(c.report.Conflicts, Conflict{Card: card, Quantity: q.ID, Value: format(own),
			Other: format(v), OtherDataset: v.Dataset.ID, OtherSource: v.Source.Title, Wins: wins})
	}
}
