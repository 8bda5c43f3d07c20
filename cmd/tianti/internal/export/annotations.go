package export

import (
	"slices"

	"tianti/catalog"
)

// annotate adds the annotations of a dataset; newID maps the ids of its sources. Of annotations with the same id, the
// first one that was added is kept.
func annotate(to *catalog.Annotations, from *catalog.Annotations, newID map[string]string) {
	facts := func(list []catalog.Fact) []catalog.Fact {
		return each(list, func(f *catalog.Fact) { f.Source = newID[f.Source] })
	}
	statements := func(list []catalog.Statement) []catalog.Statement {
		return each(list, func(s *catalog.Statement) { s.Source = newID[s.Source] })
	}
	to.Generations = overlay(to.Generations, from.Generations,
		func(g *catalog.Generation) string { return g.ID },
		func(g *catalog.Generation) {
			g.Facts, g.Unit, g.Introduced = facts(g.Facts), statements(g.Unit), statements(g.Introduced)
		})
	to.Claims = overlay(to.Claims, from.Claims,
		func(c *catalog.Claim) string { return c.ID },
		func(c *catalog.Claim) { c.Source = newID[c.Source] })
	to.Equivalents = overlay(to.Equivalents, from.Equivalents,
		func(e *catalog.Equivalent) string { return e.ID },
		func(e *catalog.Equivalent) {
			e.Names = each(e.Names, func(n *catalog.VendorName) { n.Source = newID[n.Source] })
		})
	to.Glossary = overlay(to.Glossary, from.Glossary,
		func(g *catalog.GlossaryEntry) string { return g.ID },
		func(g *catalog.GlossaryEntry) {
			g.Meanings = each(g.Meanings, func(m *catalog.Meaning) { m.Source = newID[m.Source] })
		})
	to.Benchmarks = overlay(to.Benchmarks, from.Benchmarks,
		func(b *catalog.Benchmark) string { return b.ID },
		func(b *catalog.Benchmark) { b.Source = newID[b.Source] })
	measured := each(from.Measured, func(m *catalog.Measurement) { m.Fact.Source = newID[m.Fact.Source] })
	for _, m := range measured {
		same := func(o catalog.Measurement) bool {
			return o.Card == m.Card && o.Fact.Quantity == m.Fact.Quantity && o.Fact.Source == m.Fact.Source &&
				o.Fact.Number == m.Fact.Number && o.Fact.Text == m.Fact.Text && o.Fact.Note == m.Fact.Note
		}
		if !slices.ContainsFunc(to.Measured, same) {
			to.Measured = append(to.Measured, m)
		}
	}
}

// each returns a copy of a list with every item changed.
func each[T any](list []T, change func(*T)) []T {
	out := slices.Clone(list)
	for i := range out {
		change(&out[i])
	}
	return out
}

// overlay appends changed copies of the entries of lower whose ids are not in upper.
func overlay[T any](upper, lower []T, id func(*T) string, change func(*T)) []T {
	for i := range lower {
		if entry := lower[i]; !slices.ContainsFunc(upper, func(u T) bool { return id(&u) == id(&entry) }) {
			change(&entry)
			upper = append(upper, entry)
		}
	}
	return upper
}
