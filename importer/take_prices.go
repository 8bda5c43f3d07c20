package importer

import (
	"fmt"

	"tianti/catalog"
	"tianti/format"
)

func (d *drafting) takePrice(p *format.Price) error {
	if d.excludes(PriceGroup(p.Kind)) {
		return d.skip(format.Skipped{Line: p.Pos.Line, Name: subjectOfPrice(p).Name, Field: string(p.Kind),
			Reason: format.Chosen, Message: fmt.Sprintf("prices of the kind %s are left out", p.Kind)})
	}
	skipped, ok, err := d.cardOfPrice(p)
	if err != nil {
		return err
	}
	if !ok {
		return d.skip(skipped)
	}
	if d.placeholder(&p.Price) {
		return d.skip(format.Skipped{Line: p.Pos.Line, Name: subjectOfPrice(p).Name, Field: string(p.Kind),
			Reason: format.Placeholder, Message: fmt.Sprintf("%s an hour, whether for %d cards or other numbers of "+
				"them: that stands for no price", p.Amount, p.Cards)})
	}
	if err := d.base.look(d.ctx, &p.Price, d.prices.Stand); err != nil {
		return err
	}
	problem, same := d.prices.Check(&p.Price)
	switch {
	case problem != nil:
		return d.wrongPrice(p, problem)
	case same && d.opt.Mode == Add && d.base.take(&p.Price):
		d.restated[p.Source] = true
		d.countPrice(p.Kind, Delta{Same: 1})
		return nil
	case same:
		return d.skip(format.Skipped{Line: p.Pos.Line, Name: subjectOfPrice(p).Name, Field: string(p.Kind),
			Reason: format.Duplicate, Message: fmt.Sprintf("%s: the same price of that offer and day stands before",
				p.Amount)})
	default:
		return d.addPrice(p)
	}
}

// subjectOfPrice is how the file names the card: by name, or by our id.
func subjectOfPrice(p *format.Price) *format.Subject {
	if p.Subject.Name == "" {
		p.Subject.Name = p.Price.Card
	}
	return &p.Subject
}

// cardOfPrice finds the card of a price, or says why it is left out.
func (d *drafting) cardOfPrice(p *format.Price) (skipped format.Skipped, ok bool, err error) {
	s := subjectOfPrice(p)
	if id := p.Price.Card; id != "" && d.names.chosenFor(s.Name) == nil && d.known(id) {
		return skipped, true, d.carry(id)
	}
	n := d.names.find(s)
	if n.means == unknown && d.opt.Unknown == Create && !d.excludes(NewCards) {
		if err := d.create(n, s, catalog.Card{}, p.Kind.Rents()); err != nil {
			return skipped, false, err
		}
	}
	if n.card == "" {
		return skippedName(n, p.Pos.Line), false, nil
	}
	p.Price.Card = n.card
	return skipped, true, d.carry(n.card)
}

// carry copies a card that only the replaced revision has, so that its prices still have a card.
func (d *drafting) carry(id string) error {
	if d.opt.Mode == Add || d.cards[id] != nil || !d.onlyBefore(id) {
		return nil
	}
	head := *d.base.cards[id]
	head.Facts = nil
	return d.addCard(&head, head.Name)
}

// onlyBefore reports whether only the replaced revision has the card.
func (d *drafting) onlyBefore(id string) bool { return d.base.cards[id] != nil && !d.saidElsewhere(id) }

// saidElsewhere reports whether another dataset has figures of the card.
func (d *drafting) saidElsewhere(id string) bool {
	row, ok := d.snap.Find(id)
	if !ok {
		return false
	}
	for _, f := range d.snap.Facts(row) {
		for _, v := range append(f.Others, f.Shown) {
			if v.Source != nil && v.Dataset.ID != d.opt.Dataset {
				return true
			}
		}
	}
	return false
}

// wrongPrice skips a price, or reports a problem where a person has to fix it.
func (d *drafting) wrongPrice(p *format.Price, problem *catalog.Problem) error {
	if d.own {
		d.problem(*problem)
		return nil
	}
	reason := format.Invalid
	if problem.Rule == "price-twice" {
		reason = format.Duplicate
	}
	return d.skip(format.Skipped{Line: p.Pos.Line, Name: subjectOfPrice(p).Name, Field: problem.Field, Reason: reason,
		Message: problem.Msg})
}

func (d *drafting) addPrice(p *format.Price) error {
	d.use(p.Source) // the checker knows that there is one
	delta := Delta{Added: 1}
	if d.base.take(&p.Price) {
		delta = Delta{Same: 1}
	}
	d.countPrice(p.Kind, delta)
	if d.base.number != 0 { // for comparing with it
		d.sum += fullHash(&p.Price)
	}
	d.summary.Taken++
	d.pending = append(d.pending, p.Price)
	return nil
}

func (d *drafting) countPrice(k catalog.PriceKind, delta Delta) {
	c := d.summary.Prices[k]
	c.Added += delta.Added
	c.Same += delta.Same
	d.summary.Prices[k] = c
}

// pricesAtOnce is how many prices are handed to the writer at once.
const pricesAtOnce = 5000

func (d *drafting) writePrices(all bool) error {
	if len(d.pending) == 0 || !all && len(d.pending) < pricesAtOnce {
		return nil
	}
	if err := d.writeSources(); err != nil {
		return err
	}
	err := d.w.Prices(d.pending)
	d.pending = d.pending[:0]
	return err
}

// countRemoved counts the prices and rates that a replacing revision lacks.
func (d *drafting) countRemoved() {
	if d.opt.Mode == Add {
		return
	}
	for k, n := range d.base.counts {
		c := d.summary.Prices[k]
		c.Removed = max(0, n-c.Same)
		d.summary.Prices[k] = c
	}
	d.summary.Rates.Removed = max(0, len(d.base.rates)-d.summary.Rates.Same)
}
