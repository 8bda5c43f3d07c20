package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/sorting"
)

// readOthers takes apart what the other datasets of the snapshot say of some cards.
func (c *comparison) readOthers(ids []string) {
	infos := c.now.Datasets()
	all, at := make([]catalog.Dataset, len(infos)), make(map[string]int, len(infos))
	for i, d := range infos {
		all[i], at[d.ID] = catalog.Dataset{ID: d.ID, Rank: d.Rank}, i
	}
	for _, s := range c.now.Sources() {
		all[s.Dataset].Sources = append(all[s.Dataset].Sources, s.Source)
	}
	c.values = make(map[string][]catalog.Value, len(ids))
	for _, id := range ids {
		row, ok := c.now.Find(id)
		if !ok {
			continue
		}
		c.values[id] = c.valuesOfOthers(row)
		for _, v := range c.values[id] {
			cards := &all[at[v.Dataset.ID]].Cards
			if n := len(*cards); n == 0 || (*cards)[n-1].ID != id {
				*cards = append(*cards, catalog.Card{ID: id, Name: c.now.Card(row).Name})
			}
			last := &(*cards)[len(*cards)-1]
			last.Facts = append(last.Facts, factOf(v))
		}
	}
	c.others = slices.DeleteFunc(all, func(d catalog.Dataset) bool { return d.ID == c.new.dataset.ID })
}

// show builds the catalogue of the cards compared with one side in it, in the order in which a database loads datasets:
// it decides between equals.
func (c *comparison) show(s side) *catalog.Snapshot {
	own := *s.dataset
	own.Prices, own.Rates, own.Annotations = nil, nil, catalog.Annotations{}
	sets := append(slices.Clone(c.others), own)
	sorting.Func(sets, func(a, b catalog.Dataset) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), strings.Compare(a.ID, b.ID))
	})
	return catalog.NewSnapshot(0, sets...)
}

// valuesOfOthers are the values of a card that other datasets give, by quantity and within one the first to be shown
// first.
func (c *comparison) valuesOfOthers(row int) []catalog.Value {
	var out []catalog.Value
	facts := c.now.Facts(row)
	for _, q := range catalog.Quantities() {
		f, ok := facts[q.ID]
		if !ok {
			continue
		}
		for _, v := range append([]catalog.Value{f.Shown}, f.Others...) {
			if v.Source != nil && v.Dataset.ID != c.new.dataset.ID {
				out = append(out, v)
			}
		}
	}
	return out
}

func factOf(v catalog.Value) catalog.Fact {
	return catalog.Fact{Quantity: v.Quantity.ID, Number: v.Number, Text: v.Text, Source: v.Source.ID, Note: v.Note,
		Superseded: v.Superseded, Standing: v.Standing}
}

// shown says how what is shown of a quantity differs; nil when it does not, or is not looked at.
func (c *comparison) shown(card, quantity string) *Shown {
	q, ok := catalog.LookupQuantity(quantity)
	if c.now == nil || !ok {
		return nil
	}
	before, after := shownIn(c.shownBefore, card, q), shownIn(c.shownAfter, card, q)
	s := Shown{}
	if before.Source != nil {
		s.Before, s.BeforeDataset = format(before), before.Dataset.ID
	}
	if after.Source != nil {
		s.After, s.AfterDataset = format(after), after.Dataset.ID
	}
	if s.Before == s.After && s.BeforeDataset == s.AfterDataset {
		return nil
	}
	return &s
}

func shownIn(s *catalog.Snapshot, card string, q *catalog.Quantity) catalog.Value {
	row, ok := s.Find(card)
	if !ok {
		return catalog.Value{}
	}
	v, _ := s.Shown(q, row)
	return v
}

// format writes a value as a data file has it.
func format(v catalog.Value) string {
	if v.Quantity.Kind == catalog.Number {
		return strconv.FormatFloat(v.Number, 'f', -1, 64)
	}
	return v.Text
}
