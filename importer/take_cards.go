package importer

import (
	"fmt"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/format"
)

func (d *drafting) takeCard(c *format.Card) error {
	s := subjectOfCard(c)
	id, line := c.Card.ID, c.Pos.Line
	if id == "" || d.names.chosenFor(s.Name) != nil || !d.known(id) && !d.own {
		n := d.names.find(s)
		if n.means == unknown && d.opt.Unknown == Create && !slices.Contains(d.opt.Without, NewCards) {
			d.summary.Groups[NewCards]++
			return d.createFrom(n, s, c)
		}
		if n.means == unknown && d.opt.Unknown == Create {
			d.excludes(NewCards)
			return d.skip(format.Skipped{Line: line, Name: s.Name, Reason: format.Chosen,
				Message: "cards that the catalogue does not have are left out"})
		}
		if n.card == "" {
			return d.skip(skippedName(n, line))
		}
		id = n.card
	} else if !d.known(id) {
		return d.takeOwnNew(s, c)
	}
	return d.takeKnown(id, s, c)
}

// subjectOfCard is how the file names the card: by a name, or by our id.
func subjectOfCard(c *format.Card) *format.Subject {
	if c.Subject.Name == "" {
		c.Subject.Name = c.Card.Name
	}
	if c.Subject.Name == "" {
		c.Subject.Name = c.Card.ID
	}
	return &c.Subject
}

// takeOwnNew takes a card that bears an id of its own in one of our files.
func (d *drafting) takeOwnNew(s *format.Subject, c *format.Card) error {
	switch {
	case d.opt.Unknown == Skip:
		n := d.names.find(s)
		n.means, n.card = unknown, ""
		return d.skip(skippedName(n, c.Pos.Line))
	case d.excludes(NewCards):
		return d.skip(format.Skipped{Line: c.Pos.Line, Name: s.Name, Reason: format.Chosen,
			Message: "cards that the catalogue does not have are left out"})
	}
	n := d.names.find(s)
	d.names.makeCard(n, s, c.Card.ID)
	head := c.Card
	head.Facts = nil
	if err := d.addCard(&head, s.Name); err != nil {
		return err
	}
	d.summary.Taken++
	return d.addFacts(d.cards[head.ID], s, c.Facts)
}

// createFrom makes a card of what a file says of it.
func (d *drafting) createFrom(n *name, s *format.Subject, c *format.Card) error {
	if err := d.create(n, s, c.Card, false); err != nil {
		return err
	}
	if n.card == "" {
		return d.skip(format.Skipped{Line: c.Pos.Line, Name: s.Name, Field: "name", Reason: format.BadValue,
			Message: "a card is made from its name, which has no Latin letter or digit for an id; choose a card of " +
				"the catalogue, or give an id"})
	}
	d.summary.Taken++
	return d.addFacts(d.cards[n.card], s, c.Facts)
}

// create makes a card with the identity that the file gives, or with what can be said of a card with that name.
func (d *drafting) create(n *name, s *format.Subject, head catalog.Card, rented bool) error {
	if head.Name == "" {
		head.Name = s.Name
	}
	identityOf(&head, rented)
	if head.ID == "" {
		vendor := head.Vendor
		if vendor == unknownVendor {
			vendor = ""
		}
		head.ID = newCardID(vendor, s, d.known)
	}
	if head.ID == "" {
		return nil
	}
	head.Facts = nil
	d.tellAlike(&head, s)
	d.names.makeCard(n, s, head.ID)
	return d.addCard(&head, s.Name)
}

// takeKnown adds what the file says of a card that there is.
func (d *drafting) takeKnown(id string, s *format.Subject, c *format.Card) error {
	made := d.opt.Mode == Replace && d.onlyBefore(id) // it is none of a card that others have
	withoutFigures := len(c.Facts) > 0 && !made && d.excludes(Figures)
	aliases := d.newNames(id, c.Aliases, func(had *catalog.Card) []string { return had.Aliases })
	pci := d.newNames(id, c.PCIIDs, func(had *catalog.Card) []string { return had.PCIIDs })
	if len(aliases)+len(pci) > 0 && !made && d.excludes(Names) {
		aliases, pci = nil, nil
	}
	if withoutFigures {
		if err := d.skip(format.Skipped{Line: c.Pos.Line, Name: s.Name, Reason: format.Chosen,
			Message: "figures of cards that the catalogue has are left out"}); err != nil {
			return err
		}
		c.Facts = nil
	}
	if len(c.Facts)+len(aliases)+len(pci) == 0 && !made && !(d.own && !withoutFigures) {
		return nil
	}
	if d.cards[id] == nil {
		head := d.headOf(id, &c.Card)
		if err := d.addCard(&head, s.Name); err != nil {
			return err
		}
	}
	card := d.cards[id]
	card.Aliases, card.PCIIDs = union(card.Aliases, aliases), union(card.PCIIDs, pci)
	d.summary.Taken++
	return d.addFacts(card, s, c.Facts)
}

// headOf is the identity of a card that there is: as our own file has it, and as the catalogue has it when the file is
// of somebody else.
func (d *drafting) headOf(id string, c *catalog.Card) catalog.Card {
	head := catalog.Card{ID: id, Name: c.Name, Vendor: c.Vendor, Kind: c.Kind, Segment: c.Segment,
		Architecture: c.Architecture, Pos: c.Pos}
	from := d.base.cards[id]
	if row, ok := d.snap.Find(id); ok {
		from = d.snap.Card(row)
	}
	if from != nil && !(d.own && c.ID == id) {
		head.Name, head.Vendor, head.Kind, head.Segment, head.Architecture = from.Name, from.Vendor, from.Kind,
			from.Segment, from.Architecture
	}
	return head
}

// newNames are those aliases or PCI ids of a card that the draft has to write. What a foreign file calls a card is
// taken when no card bears it yet: one that another card bears would become ambiguous.
func (d *drafting) newNames(id string, given []string, of func(*catalog.Card) []string) []string {
	var had []string
	if old := d.base.cards[id]; old != nil {
		had = of(old)
	}
	return slices.DeleteFunc(slices.Clone(given), func(name string) bool {
		switch {
		case slices.Contains(had, name):
			return d.opt.Mode == Add // it stays
		case d.own:
			return false
		}
		return strings.TrimSpace(name) == "" || len(d.snap.Resolve(name)) > 0
	})
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

func (d *drafting) addCard(c *catalog.Card, asNamed string) error {
	if len(d.order) == d.limits.Cards {
		return &format.FileError{Name: d.file, Line: c.Pos.Line,
			Msg: fmt.Sprintf("the file has more than %d cards; split it", d.limits.Cards)}
	}
	d.cards[c.ID], d.fromFile[c.ID] = c, asNamed
	d.order = append(d.order, c)
	return nil
}

// addFacts adds figures that can stand by themselves; how they lie to each other is checked at the end.
func (d *drafting) addFacts(card *catalog.Card, s *format.Subject, facts []catalog.Fact) error {
	for i := range facts {
		f := &facts[i]
		skip := func(reason format.Reason, msg string) error {
			return d.skip(format.Skipped{Line: max(f.Pos.Line, 0), Name: s.Name, Field: f.Quantity, Reason: reason,
				Message: msg})
		}
		if err := f.Validate(d.sources); err != nil {
			if d.own {
				d.problem(catalog.Problem{Pos: f.Pos, Card: card.ID, Field: f.Quantity, Rule: "identity",
					Msg: err.Error()})
			} else if err := skip(format.BadValue, err.Error()); err != nil {
				return err
			}
			continue
		}
		if old := d.standing(card, f); old != nil {
			if sameValue(old, f) {
				continue
			}
			if err := skip(format.Duplicate, fmt.Sprintf("%s: the source %q gives %s already", valueOf(f), f.Source,
				valueOf(old))); err != nil {
				return err
			}
			continue
		}
		if d.facts++; d.facts > d.limits.Facts {
			return &format.FileError{Name: d.file, Line: f.Pos.Line,
				Msg: fmt.Sprintf("the file has more than %d figures; split it", d.limits.Facts)}
		}
		card.Facts = append(card.Facts, *f)
	}
	return nil
}

// standing is the figure of the same quantity and source that stands already.
func (d *drafting) standing(card *catalog.Card, f *catalog.Fact) *catalog.Fact {
	find := func(c *catalog.Card) *catalog.Fact {
		i := slices.IndexFunc(c.Facts, func(g catalog.Fact) bool {
			return g.Quantity == f.Quantity && g.Source == f.Source
		})
		if i < 0 {
			return nil
		}
		return &c.Facts[i]
	}
	if old := d.base.cards[card.ID]; d.opt.Mode == Add && old != nil {
		if g := find(old); g != nil {
			return g
		}
	}
	return find(card)
}

func sameValue(a, b *catalog.Fact) bool { return a.Number == b.Number && a.Text == b.Text }

func valueOf(f *catalog.Fact) string {
	if f.Text != "" {
		return f.Text
	}
	return fmt.Sprint(f.Number)
}
