package diff

import (
	"cmp"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/sorting"
)

// Between compares two revisions of one dataset, whose ID is after.ID; before is the zero Dataset when there is none,
// and after holds no cards when the dataset would be taken away. Prices are not looked at.
//
// now is the catalogue as it is shown, with before, after or neither of them in it; nil when there is none. What the
// other datasets in it say decides what is shown before and after: by the rules of [catalog.Builder], which is asked.
func Between(before, after catalog.Dataset, now *catalog.Snapshot) Report {
	if now == nil {
		now = catalog.NewSnapshot(0)
	}
	c := newComparison(&before, &after)
	c.now = now
	ids := c.cardIDs()
	c.readOthers(ids)
	c.shownBefore, c.shownAfter = c.show(c.old), c.show(c.new)
	return c.cards(ids)
}

// Said is Between without what the catalogue shows: what two revisions say, which takes a third of the time.
func Said(before, after catalog.Dataset) Report {
	c := newComparison(&before, &after)
	return c.cards(c.cardIDs())
}

// newComparison compares what does not belong to cards.
func newComparison(before, after *catalog.Dataset) *comparison {
	if before.ID == "" {
		before.ID, before.Rank = after.ID, after.Rank
	}
	c := &comparison{old: newSide(before), new: newSide(after), report: Report{
		Counts: map[Kind]int{}, Figures: map[Kind]int{}, Sources: map[Kind]int{}}}
	c.compareSources()
	return c
}

// cards compares cards.
func (c *comparison) cards(ids []string) Report {
	for _, id := range ids {
		c.compareCard(id)
	}
	sorting.Func(c.report.Cards, func(a, b Card) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return c.report
}

// A side is one of the two revisions.
type side struct {
	dataset *catalog.Dataset
	sources map[string]*catalog.Source
	cards   map[string]*catalog.Card
}

func newSide(d *catalog.Dataset) side {
	s := side{d, make(map[string]*catalog.Source, len(d.Sources)), make(map[string]*catalog.Card, len(d.Cards))}
	for i := range d.Sources {
		s.sources[d.Sources[i].ID] = &d.Sources[i]
	}
	for i := range d.Cards {
		s.cards[d.Cards[i].ID] = &d.Cards[i]
	}
	return s
}

// title of a source, or its id.
func (s side) title(id string) string {
	if src := s.sources[id]; src != nil && src.Title != "" {
		return src.Title
	}
	return id
}

type comparison struct {
	now      *catalog.Snapshot // nil: what is shown is not looked at
	old, new side
	others   []catalog.Dataset // of now, with the cards compared
	// by card, that others give: by quantity, the first to be shown first
	values                  map[string][]catalog.Value
	shownBefore, shownAfter *catalog.Snapshot
	report                  Report
}

func (c *comparison) compareSources() {
	for id, s := range c.new.sources {
		switch old := c.old.sources[id]; {
		case old == nil:
			c.report.Sources[Added]++
		case *old != *s:
			c.report.Sources[Changed]++
		default:
			c.report.Sources[Untouched]++
		}
	}
	for id := range c.old.sources {
		if c.new.sources[id] == nil {
			c.report.Sources[Removed]++
		}
	}
}

// cardIDs are those of both sides, each once, in order.
func (c *comparison) cardIDs() []string {
	var ids []string
	for id := range c.new.cards {
		ids = append(ids, id)
	}
	for id := range c.old.cards {
		if c.new.cards[id] == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (c *comparison) compareCard(id string) {
	old, new := c.old.cards[id], c.new.cards[id]
	head := new
	if head == nil {
		head = old
	}
	card := Card{ID: id, Name: head.Name, Identity: compareIdentity(old, new), Figures: c.compareFigures(id, old, new)}
	switch {
	case old == nil:
		card.Kind, card.New = Added, !c.known(id)
	case new == nil:
		card.Kind = Removed
	case len(card.Identity) > 0 ||
		slices.ContainsFunc(card.Figures, func(f Figure) bool { return f.Kind != Untouched }):
		card.Kind = Changed
	default:
		card.Kind = Untouched
	}
	c.report.Counts[card.Kind]++
	if card.Kind != Untouched || len(card.Figures) > 0 {
		c.report.Cards = append(c.report.Cards, card)
	}
}

// known reports whether the catalogue has a card without the new revision.
func (c *comparison) known(id string) bool {
	if c.now == nil {
		return false
	}
	if _, ok := c.now.Find(id); !ok {
		return false
	}
	for _, d := range c.now.Datasets() {
		if d.ID == c.new.dataset.ID && d.Revision != 0 && d.Revision == c.new.dataset.Revision {
			return len(c.values[id]) > 0 // the new revision itself is shown
		}
	}
	return true
}

// compareIdentity lists what differs; of a card that one side lacks, nothing does.
func compareIdentity(old, new *catalog.Card) []Field {
	if old == nil || new == nil {
		return nil
	}
	var out []Field
	for _, f := range []Field{
		{"name", old.Name, new.Name}, {"vendor", old.Vendor, new.Vendor}, {"kind", old.Kind, new.Kind},
		{"segment", old.Segment, new.Segment}, {"architecture", old.Architecture, new.Architecture},
		{"aliases", strings.Join(old.Aliases, ", "), strings.Join(new.Aliases, ", ")},
		{"pci_ids", strings.Join(old.PCIIDs, ", "), strings.Join(new.PCIIDs, ", ")},
	} {
		if f.Old != f.New {
			out = append(out, f)
		}
	}
	return out
}
