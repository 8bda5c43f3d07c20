package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// checkAnnotations checks what stands beside the cards.
func (c *checker) checkAnnotations(d *Dataset, byID map[string]*cardView) {
	d.Cite(func(source string, pos Pos) {
		c.used[source] = true
		if c.sources[source] == nil {
			c.problems = append(c.problems, Problem{Pos: pos, Field: "source", Rule: "identity",
				Msg: fmt.Sprintf("the dataset has no source %q", source)})
		}
	})
	c.checkEntries(d, byID)
	for i := range d.Generations {
		c.checkGeneration(&d.Generations[i], d.Cards, byID)
	}
	c.checkMeasured(d.Measured, byID)
	c.checkBenchmarks(d.Benchmarks, byID)
}

// checkEntries checks ids, and that cards which entries name are in the dataset.
func (c *checker) checkEntries(d *Dataset, byID map[string]*cardView) {
	seen := map[string]bool{}
	entry := func(what, id string, pos Pos, cards []string) {
		fail := func(field, format string, args ...any) {
			c.problems = append(c.problems, Problem{Pos: pos, Card: id, Field: field, Rule: "identity",
				Msg: fmt.Sprintf(format, args...)})
		}
		if !IDPattern.MatchString(id) {
			fail("id", "%q is not an id: want lower-case letters, digits and single hyphens", id)
		}
		if seen[what+id] {
			fail("id", "the %s is given twice", what)
		}
		seen[what+id] = true
		for _, card := range cards {
			if byID[card] == nil && !c.known(card) {
				fail("cards", "the dataset has no card %q", card)
			}
		}
	}
	for _, g := range d.Generations {
		entry("architecture", g.ID, g.Pos, g.Cards)
	}
	for _, cl := range d.Claims {
		entry("claim", cl.ID, cl.Pos, cl.Cards)
	}
	for _, e := range d.Equivalents {
		entry("equivalent", e.ID, e.Pos, nil)
	}
	for _, g := range d.Glossary {
		entry("term", g.ID, g.Pos, nil)
	}
}

// checkGeneration checks a generation's own figures, and its cards against them:
// none is announced before it, and those with its largest chip have that chip's
// process, transistors and area.
func (c *checker) checkGeneration(g *Generation, cards []Card, byID map[string]*cardView) {
	own := c.view(&Card{ID: g.ID, Vendor: g.Vendor, Facts: g.Facts, Pos: g.Pos})
	for i := range g.Facts {
		if err := g.Facts[i].Validate(c.sources); err != nil {
			c.fail(own, "identity", []*Fact{&g.Facts[i]}, "%v", err)
		}
	}
	c.checkRanges(own)
	c.checkDensity(own)
	holds := 0
	for i := range cards {
		if v := byID[cards[i].ID]; g.Holds(&cards[i]) && v != nil {
			holds++
			c.checkLaunch(own, *v)
			c.checkChip(own, *v)
		}
	}
	if f, ok := own.get("launched"); ok && holds == 0 && len(g.Cards) > 0 && !slices.ContainsFunc(g.Cards, c.known) {
		c.fail(own, "generation", f, "none of its cards is in the dataset")
	}
}

// checkLaunch compares dates as far as both are known.
func (c *checker) checkLaunch(gen, v cardView) {
	a, ok := gen.get("launched")
	b, ok2 := v.get("launched")
	if !ok || !ok2 {
		return
	}
	n := min(len(a[0].Text), len(b[0].Text))
	if b[0].Text[:n] < a[0].Text[:n] {
		c.fail(v, "generation", []*Fact{b[0], a[0]}, "launched %s, before its generation %s, which was announced %s",
			b[0].Text, gen.card.ID, a[0].Text)
	}
}

// checkChip compares a card that has the generation's largest chip with it.
func (c *checker) checkChip(gen, v cardView) {
	chip, ok := gen.get("chip")
	own, ok2 := v.get("chip")
	if !ok || !ok2 || !strings.EqualFold(chip[0].Text, own[0].Text) {
		return
	}
	for _, id := range []string{"process_nm", "transistors_million", "die_mm2"} {
		a, b := gen.shown[id], v.shown[id]
		if a != nil && b != nil && !near(b.Number, a.Number, 0.02) {
			c.fail(v, "generation", []*Fact{b, a}, "%s is %s, but %s of the same chip %s in %s is %s", id,
				figure(b.Number), id, own[0].Text, gen.card.ID, figure(a.Number))
		}
	}
}

// checkMeasured holds what was reached against what is rated: more than the
// rated figure is a mistake in one of them (a few per cent may be a higher clock).
func (c *checker) checkMeasured(list []Measurement, byID map[string]*cardView) {
	for i := range list {
		m := &list[i]
		v := byID[m.Card]
		if v == nil && c.known(m.Card) {
			v = &cardView{card: &Card{ID: m.Card}} // rated by another dataset
		}
		if v == nil {
			c.problems = append(c.problems, Problem{Pos: m.Fact.Pos, Card: m.Card, Field: m.Fact.Quantity,
				Rule: "identity", Msg: fmt.Sprintf("the dataset has no card %q", m.Card)})
			continue
		}
		if err := m.Fact.Validate(c.sources); err != nil {
			c.fail(*v, "identity", []*Fact{&m.Fact}, "%v", err)
		}
		rated := v.shown[m.Fact.Quantity]
		if rated != nil && m.Fact.Number > 1.05*rated.Number {
			c.fail(*v, "measured", []*Fact{&m.Fact, rated}, "%s was reached, more than 105 %% of the rated %s",
				figure(m.Fact.Number), figure(rated.Number))
		}
	}
}
