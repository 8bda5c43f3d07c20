package importer

import (
	"slices"

	"tianti/catalog"
	"tianti/format"
)

// maxRounds bounds how often a foreign file is checked again after what broke a rule was left out.
const maxRounds = 50

// check applies the rules of the catalogue to what the dataset would hold, but for its prices, which were checked one
// by one. In our own files what breaks them is a problem; of others it is left out, and the rest checked again.
func (d *drafting) check() error {
	problems := d.problems()
	for round := 0; round < maxRounds && len(problems) > 0 && !d.strict(); round++ {
		dropped := 0
		for _, p := range problems {
			n, err := d.dropViolation(&p)
			if err != nil {
				return err
			}
			dropped += n
		}
		if dropped == 0 {
			break // it is in what stood before: nothing of the file is at fault
		}
		problems = d.problems()
	}
	for _, p := range problems {
		d.problem(p)
	}
	return nil
}

// strict reports whether a broken rule is a problem that a person has to fix. In a table of cards it is not, because
// tables cannot hold the exceptions of data files.
func (d *drafting) strict() bool { return d.own && d.format.ID != "tianti-cards" }

// problems are those of the dataset as it would be. What sources are for is known to the prices, too; which are the
// same document, only our own files have to care.
func (d *drafting) problems() []catalog.Problem {
	elsewhere := func(id string) bool { _, ok := d.snap.Find(id); return ok }
	return slices.DeleteFunc(catalog.CheckBeside(d.merged(), elsewhere), func(p catalog.Problem) bool {
		switch p.Rule {
		case "source-unused":
			return !d.own || d.used[p.Field] || d.restated[p.Field] || d.sources[p.Field] == nil || d.partial()
		case "source-twice", "accept-unused":
			return !d.own
		}
		return false
	})
}

// partial reports whether something of the file is not taken, which may be what used a source.
func (d *drafting) partial() bool { return len(d.summary.Skipped) > 0 || len(d.opt.Without) > 0 }

// merged is the dataset without its prices: what the file says, in mode add with what stands.
func (d *drafting) merged() catalog.Dataset {
	m := catalog.Dataset{ID: d.opt.Dataset, Annotations: d.annotations}
	for _, s := range d.listed {
		m.Sources = append(m.Sources, *s)
	}
	for _, c := range d.order {
		m.Cards = append(m.Cards, *c)
	}
	m.Rates = append(m.Rates, d.rates...)
	if d.opt.Mode != Add {
		return m
	}
	old := &d.base.dataset
	for _, s := range old.Sources {
		if d.sources[s.ID] == nil {
			m.Sources = append(m.Sources, s)
		}
	}
	for i := range m.Cards {
		if was := d.base.cards[m.Cards[i].ID]; was != nil {
			m.Cards[i].Facts = slices.Concat(was.Facts, m.Cards[i].Facts)
			m.Cards[i].Aliases, m.Cards[i].PCIIDs = union(slices.Clone(was.Aliases), m.Cards[i].Aliases),
				union(slices.Clone(was.PCIIDs), m.Cards[i].PCIIDs)
		}
	}
	for _, c := range old.Cards {
		if d.cards[c.ID] == nil {
			m.Cards = append(m.Cards, c)
		}
	}
	m.Rates = append(m.Rates, old.Rates...)
	a := d.withoutStanding(d.annotations)
	m.Generations, m.Measured = slices.Concat(old.Generations, a.Generations), slices.Concat(old.Measured, a.Measured)
	m.Claims, m.Equivalents = slices.Concat(old.Claims, a.Claims), slices.Concat(old.Equivalents, a.Equivalents)
	m.Glossary = slices.Concat(old.Glossary, a.Glossary)
	m.Benchmarks = slices.Concat(old.Benchmarks, a.Benchmarks)
	return m
}

// dropViolation skips the records of a foreign file that break a rule, and returns how many.
func (d *drafting) dropViolation(p *catalog.Problem) (int, error) {
	card := d.cards[p.Card]
	if card == nil {
		return 0, nil
	}
	switch p.Field {
	case "id", "name", "kind", "segment", "vendor":
		return d.dropCard(card, p)
	case "architecture":
		if card.Architecture == "" {
			return 0, nil
		}
		card.Architecture = ""
		return 1, d.skipInvalid(card, p, p.Pos.Line)
	case "pci_ids":
		if len(card.PCIIDs) == 0 {
			return 0, nil
		}
		card.PCIIDs = nil
		return 1, d.skipInvalid(card, p, p.Pos.Line)
	}
	return d.dropFacts(card, p)
}

// dropFacts leaves out the figures of the quantity; all of the card's when the one at fault stood before the import.
func (d *drafting) dropFacts(card *catalog.Card, p *catalog.Problem) (int, error) {
	isIt := func(f catalog.Fact) bool { return f.Quantity == p.Field && f.Superseded.IsZero() }
	if !slices.ContainsFunc(card.Facts, isIt) {
		isIt = func(catalog.Fact) bool { return true }
	}
	n := 0
	for _, f := range card.Facts {
		if isIt(f) {
			n++
			if err := d.skipInvalid(card, p, f.Pos.Line); err != nil {
				return n, err
			}
		}
	}
	card.Facts = slices.DeleteFunc(card.Facts, isIt)
	return n, nil
}

func (d *drafting) dropCard(card *catalog.Card, p *catalog.Problem) (int, error) {
	delete(d.cards, card.ID)
	d.order = slices.DeleteFunc(d.order, func(c *catalog.Card) bool { return c == card })
	return 1, d.skipInvalid(card, p, p.Pos.Line)
}

func (d *drafting) skipInvalid(card *catalog.Card, p *catalog.Problem, line int) error {
	return d.skip(format.Skipped{Line: line, Name: d.fromFile[card.ID], Field: p.Field, Reason: format.Invalid,
		Message: p.Msg + " [" + p.Rule + "]"})
}
