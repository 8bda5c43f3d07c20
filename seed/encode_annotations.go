package seed

import (
	"maps"

	"tianti/catalog"
)

func (e *encoder) annotations(a *catalog.Annotations) {
	section(e, "architectures", a.Generations, e.generation)
	e.measurements(a.Measured)
	section(e, "benchmarks", a.Benchmarks, e.benchmark)
	section(e, "claims", a.Claims, e.claim)
	section(e, "equivalents", a.Equivalents, e.equivalent)
	section(e, "glossary", a.Glossary, e.glossaryEntry)
}

// section writes a list of entries, if there are any.
func section[T any](e *encoder, name string, entries []T, write func(*T)) {
	for i := range entries {
		if i == 0 {
			e.printf("\n%s:\n", name)
		} else {
			e.WriteString("\n")
		}
		write(&entries[i])
	}
}

// bothLanguages writes a text as {en: …, zh: …}.
func bothLanguages(t catalog.Text) string {
	return "{en: " + scalar(t.En) + ", zh: " + scalar(t.Zh) + "}"
}

// texts writes a line with a text in both languages, if there is one.
func (e *encoder) texts(indent, name string, t catalog.Text) {
	if !t.IsZero() {
		e.printf("%s%s: %s\n", indent, name, bothLanguages(t))
	}
}

func (e *encoder) generation(g *catalog.Generation) {
	e.printf("  - id: %s\n", scalar(g.ID))
	e.field("    ", "vendor", g.Vendor)
	e.field("    ", "name", g.Name)
	e.field("    ", "line", g.Line)
	e.list("cards", g.Cards)
	if len(g.Facts) == 0 {
		e.WriteString("    facts: []\n")
	}
	e.blocks(g.Facts)
	e.statements("unit", g.Unit)
	e.statements("introduced", g.Introduced)
}

func (e *encoder) statements(name string, list []catalog.Statement) {
	for i, st := range list {
		if i == 0 {
			e.printf("    %s:\n", name)
		}
		e.printf("      - source: %s\n", scalar(st.Source))
		e.field("        ", "en", st.En)
		e.field("        ", "zh", st.Zh)
	}
}

// measurements writes those of one source and conditions that follow each other
// as one block, as long as each card stands in it in one place.
func (e *encoder) measurements(list []catalog.Measurement) {
	var last catalog.Measurement
	given := map[string]bool{} // cards, and quantities of the last card, that the open block has
	for i, m := range list {
		same := m.Fact.Source == last.Fact.Source && m.Conditions == last.Conditions
		again := same && m.Card == last.Card && !given["\x00"+m.Fact.Quantity]
		if i == 0 {
			e.WriteString("\nmeasured:\n")
		}
		if !same || !again && given[m.Card] {
			clear(given)
			e.printf("  - source: %s\n", scalar(m.Fact.Source))
			e.texts("    ", "conditions", m.Conditions)
			e.WriteString("    cards:\n")
		}
		if !again {
			maps.DeleteFunc(given, func(k string, _ bool) bool { return k[0] == 0 })
			e.printf("      %s:\n", scalar(m.Card))
		}
		given[m.Card], given["\x00"+m.Fact.Quantity] = true, true
		e.printf("        %s: %s\n", m.Fact.Quantity, factValue(m.Fact))
		last = m
	}
}

func (e *encoder) claim(c *catalog.Claim) {
	e.printf("  - id: %s\n", scalar(c.ID))
	e.list("cards", c.Cards)
	e.texts("    ", "by", c.By)
	e.field("    ", "said", string(c.Said))
	e.field("    ", "source", c.Source)
	e.texts("    ", "text", c.Text)
	e.texts("    ", "note", c.Note)
}

func (e *encoder) equivalent(q *catalog.Equivalent) {
	e.printf("  - id: %s\n", scalar(q.ID))
	e.texts("    ", "role", q.Role)
	e.WriteString("    names:\n")
	for _, n := range q.Names {
		e.printf("      %s: {source: %s, name: %s}\n", scalar(n.Vendor), scalar(n.Source), scalar(n.Name))
	}
}

func (e *encoder) glossaryEntry(g *catalog.GlossaryEntry) {
	e.printf("  - id: %s\n", scalar(g.ID))
	e.field("    ", "term", g.Term)
	e.WriteString("    meanings:\n")
	for _, m := range g.Meanings {
		e.printf("      - source: %s\n", scalar(m.Source))
		e.texts("        ", "name", m.Name)
		e.texts("        ", "text", m.Text)
	}
}
