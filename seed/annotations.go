package seed

import (
	"fmt"
	"slices"

	"tianti/catalog"
)

// readAnnotations reads what a file holds beside sources, families and cards.
func (d *decoder) readAnnotations(doc *document) {
	a := &d.dataset.Annotations
	each(d, doc.fields["architectures"].value, func(v value) { a.Generations = append(a.Generations, d.generation(v)) })
	for _, v := range d.list(doc.fields["measured"].value) {
		a.Measured = append(a.Measured, d.measured(v)...)
	}
	each(d, doc.fields["benchmarks"].value, func(v value) { a.Benchmarks = append(a.Benchmarks, d.benchmark(v)) })
	each(d, doc.fields["claims"].value, func(v value) { a.Claims = append(a.Claims, d.claim(v)) })
	each(d, doc.fields["equivalents"].value, func(v value) { a.Equivalents = append(a.Equivalents, d.equivalent(v)) })
	each(d, doc.fields["glossary"].value, func(v value) { a.Glossary = append(a.Glossary, d.glossaryEntry(v)) })
}

// each reads the items of a list, whose problems are reported under their ids.
func each(d *decoder, list value, read func(value)) {
	for _, v := range d.list(list) {
		d.card = cardID(v)
		read(v)
		d.card = ""
	}
}

// newID reads the id of an entry, unique among those of its kind in all files.
func (d *decoder) newID(v value, what string) string {
	id, ok := d.line(v)
	if !ok || !d.checkID(key{v, id}, what) {
		return id
	}
	if first, twice := d.entries[what+" "+id]; twice {
		d.fail(v, "duplicate-entry", fmt.Sprintf("the %s %q is given twice; first at %v", what, id, first))
	} else {
		d.entries[what+" "+id] = v.pos()
	}
	return id
}

// cardIDs reads a list of ids of cards, each of which some file must have.
func (d *decoder) cardIDs(v value) []string {
	var ids []string
	for _, item := range d.list(v) {
		id, ok := d.line(item)
		switch {
		case !ok:
		case slices.Contains(ids, id):
			d.fail(item, "duplicate-name", fmt.Sprintf("%q stands twice in %s", short(id), v.field))
		default:
			ids = append(ids, id)
			d.nameCard(key{item, id})
		}
	}
	return ids
}

// nameCard notes that an annotation names a card.
func (d *decoder) nameCard(k key) {
	d.named = append(d.named, citation{k.text, k.pos(), d.card})
}

var generationFields = []string{"id", "vendor", "name", "line", "cards", "facts", "unit", "introduced"}

func (d *decoder) generation(v value) catalog.Generation {
	fields := d.record(v, generationFields, "id", "vendor", "name", "line", "facts")
	g := catalog.Generation{ID: d.newID(fields["id"].value, "architecture"), Pos: v.pos()}
	g.Vendor, _ = d.line(fields["vendor"].value)
	g.Name, _ = d.line(fields["name"].value)
	g.Line, _ = d.line(fields["line"].value)
	g.Cards = d.cardIDs(fields["cards"].value)
	g.Facts = d.blocks(fields["facts"].value)
	g.Unit = d.statements(fields["unit"].value)
	g.Introduced = d.statements(fields["introduced"].value)
	return g
}

// statements reads a list of {source: …, en: …, zh: …}.
func (d *decoder) statements(v value) []catalog.Statement {
	var list []catalog.Statement
	for _, item := range d.list(v) {
		fields := d.record(item, []string{"source", "en", "zh"}, "source", "en", "zh")
		st := catalog.Statement{Pos: item.pos()}
		st.Source, _ = d.cite(fields["source"].value)
		st.En, _ = d.text(fields["en"].value)
		st.Zh, _ = d.text(fields["zh"].value)
		list = append(list, st)
	}
	return list
}

// measured reads what one source reports to have reached, card by card.
func (d *decoder) measured(v value) []catalog.Measurement {
	fields := d.record(v, []string{"source", "conditions", "cards"}, "source", "conditions", "cards")
	source, cited := d.cite(fields["source"].value)
	conditions := d.optionalText(fields, "conditions")
	var list []catalog.Measurement
	for _, card := range d.mapping(fields["cards"].value) {
		d.card = card.key.text
		d.nameCard(card.key)
		for _, e := range d.mapping(card.value) {
			f, ok := d.fact(e)
			if q, known := catalog.LookupQuantity(f.Quantity); ok && known && q.Kind != catalog.Number {
				d.fail(e.key.value, "number", fmt.Sprintf("%s is not a number; only numbers are measured", q.ID))
				continue
			}
			if f.Source = source; ok && cited {
				list = append(list, catalog.Measurement{Card: card.key.text, Fact: f, Conditions: conditions})
			}
		}
		d.card = ""
	}
	return list
}

// optionalText reads a bilingual field that may be absent.
func (d *decoder) optionalText(fields map[string]entry, name string) catalog.Text {
	if e, ok := fields[name]; ok {
		return d.bilingual(e.value)
	}
	return catalog.Text{}
}

var claimFields = []string{"id", "cards", "by", "said", "source", "text", "note"}

func (d *decoder) claim(v value) catalog.Claim {
	fields := d.record(v, claimFields, "id", "cards", "by", "source", "text")
	c := catalog.Claim{ID: d.newID(fields["id"].value, "claim"), Pos: v.pos()}
	c.Cards = d.cardIDs(fields["cards"].value)
	c.By = d.optionalText(fields, "by")
	c.Said, _ = d.date(fields["said"].value)
	c.Source, _ = d.cite(fields["source"].value)
	c.Text = d.optionalText(fields, "text")
	c.Note = d.optionalText(fields, "note")
	return c
}

func (d *decoder) equivalent(v value) catalog.Equivalent {
	fields := d.record(v, []string{"id", "role", "names"}, "id", "role", "names")
	eq := catalog.Equivalent{ID: d.newID(fields["id"].value, "equivalent"),
		Role: d.optionalText(fields, "role"), Pos: v.pos()}
	for _, e := range d.mapping(fields["names"].value) {
		named := d.record(e.value, []string{"source", "name"}, "source", "name")
		n := catalog.VendorName{Vendor: e.key.text, Pos: e.key.pos()}
		n.Name, _ = d.line(named["name"].value)
		n.Source, _ = d.cite(named["source"].value)
		eq.Names = append(eq.Names, n)
	}
	return eq
}

func (d *decoder) glossaryEntry(v value) catalog.GlossaryEntry {
	fields := d.record(v, []string{"id", "term", "meanings"}, "id", "term", "meanings")
	g := catalog.GlossaryEntry{ID: d.newID(fields["id"].value, "term"), Pos: v.pos()}
	g.Term, _ = d.line(fields["term"].value)
	for _, item := range d.list(fields["meanings"].value) {
		f := d.record(item, []string{"source", "name", "text"}, "source", "name", "text")
		m := catalog.Meaning{Name: d.optionalText(f, "name"), Text: d.optionalText(f, "text"), Pos: item.pos()}
		m.Source, _ = d.cite(f["source"].value)
		g.Meanings = append(g.Meanings, m)
	}
	return g
}
