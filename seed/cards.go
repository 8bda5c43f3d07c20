package seed

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"tianti/catalog"
)

var sourceFields = []string{"publisher", "title", "url", "kind", "published", "retrieved", "standing", "origin"}

// readSources adds the sources of a file to the dataset.
func (d *decoder) readSources(doc *document) {
	for _, e := range d.mapping(doc.fields["sources"].value) {
		if first := d.sources[e.key.text]; first != nil {
			d.fail(e.key.value, "duplicate-source", fmt.Sprintf("the source %q is given twice; first at %v",
				short(e.key.text), first.pos))
			continue
		}
		d.checkID(e.key, "source")
		d.sources[e.key.text] = &source{pos: e.key.pos()}
		d.dataset.Sources = append(d.dataset.Sources, d.source(e))
	}
}

func (d *decoder) source(e entry) catalog.Source {
	fields := d.record(e.value, sourceFields, "publisher", "title", "kind")
	s := catalog.Source{ID: e.key.text}
	s.Publisher, _ = d.line(fields["publisher"].value)
	s.Title, _ = d.line(fields["title"].value)
	kind, _ := d.oneOf(fields["kind"].value, "source-kind", sourceKinds())
	s.Kind = catalog.SourceKind(kind)
	if address, ok := fields["url"]; ok {
		s.URL = d.webAddress(address.value)
	} else if s.Kind != catalog.Unaddressed {
		d.requireFields(e.value, fields, []string{"url"})
	}
	s.Published, _ = d.date(fields["published"].value)
	s.Retrieved, _ = d.date(fields["retrieved"].value)
	s.Standing = d.standing(fields["standing"])
	s.Origin, _ = d.line(fields["origin"].value)
	return s
}

func sourceKinds() []string {
	var kinds []string
	for _, k := range catalog.SourceKinds {
		kinds = append(kinds, string(k))
	}
	return kinds
}

// webAddress reads an address that can be a link on a page.
func (d *decoder) webAddress(v value) string {
	s, ok := d.line(v)
	if !ok {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		d.fail(v, "url", fmt.Sprintf("%q is not a web address: want https://… or http://…", short(s)))
		return ""
	}
	return s
}

// resolveCitations reports blocks that name a source which no file has.
func (d *decoder) resolveCitations() {
	ids := sortedKeys(d.sources)
	for _, c := range d.cited {
		d.card = c.card
		if s := d.sources[c.id]; s != nil {
			s.used = true
		} else {
			d.report(catalog.Problem{Pos: c.pos, Field: "source", Rule: "unknown-source",
				Msg: unknown("source", c.id, ids)})
		}
	}
	d.card = ""
}

// resolveCards reports annotations that name a card which no file has.
func (d *decoder) resolveCards() {
	ids := sortedKeys(d.cards)
	for _, c := range d.named {
		d.card = c.card
		if _, known := d.cards[c.id]; !known {
			d.report(catalog.Problem{Pos: c.pos, Field: "cards", Rule: "unknown-card", Msg: unknown("card", c.id, ids)})
		}
	}
	d.card = ""
}

func (d *decoder) reportUnusedSources() {
	for _, id := range sortedKeys(d.sources) {
		if s := d.sources[id]; !s.used {
			d.report(catalog.Problem{Pos: s.pos, Field: id, Rule: "unused-source",
				Msg: fmt.Sprintf("nothing names the source %q", short(id))})
		}
	}
}

var cardFields = []string{"id", "name", "vendor", "kind", "segment", "architecture", "families", "aliases",
	"pci_ids", "facts"}

func (d *decoder) readCards(doc *document) {
	for _, v := range d.list(doc.fields["cards"].value) {
		d.card = cardID(v)
		d.dataset.Cards = append(d.dataset.Cards, d.readCard(doc, v))
		d.card = ""
	}
}

// cardID looks ahead for the id under which problems of a card are reported.
func cardID(v value) string {
	m, ok := v.node.(*ast.MappingNode)
	if !ok {
		return ""
	}
	for _, kv := range m.Values {
		if _, scalar := kv.Value.(ast.ScalarNode); scalar && kv.Key.GetToken().Value == "id" {
			return short(scalarText(kv.Value))
		}
	}
	return ""
}

func (d *decoder) readCard(doc *document, v value) catalog.Card {
	fields := d.record(v, cardFields, "id", "name", "vendor", "kind", "segment")
	card := catalog.Card{ID: d.newCardID(fields["id"].value), Pos: v.pos()}
	card.Name, _ = d.line(fields["name"].value)
	card.Vendor, _ = d.line(fields["vendor"].value)
	card.Kind, _ = d.oneOf(fields["kind"].value, "kind", catalog.CardKinds)
	card.Segment, _ = d.oneOf(fields["segment"].value, "segment", catalog.Segments)
	card.Architecture, _ = d.line(fields["architecture"].value)
	card.Aliases = d.names(fields["aliases"].value)
	card.PCIIDs = d.pciIDs(fields["pci_ids"].value)
	card.Facts = d.withFamilies(doc, fields["families"].value, d.blocks(fields["facts"].value))
	return card
}

func (d *decoder) newCardID(v value) string {
	id, ok := d.line(v)
	if !ok || !d.checkID(key{v, id}, "card") {
		return id
	}
	if first, twice := d.cards[id]; twice {
		d.fail(v, "duplicate-card", fmt.Sprintf("the card %q is given twice; first at %v", id, first))
		return id
	}
	d.cards[id] = v.pos()
	return id
}

// names reads a list of one-line texts, each once.
func (d *decoder) names(v value) []string {
	var names []string
	for _, item := range d.list(v) {
		name, ok := d.line(item)
		if ok && slices.Contains(names, name) {
			d.fail(item, "duplicate-name", fmt.Sprintf("%q stands twice in %s", short(name), v.field))
		} else if ok {
			names = append(names, name)
		}
	}
	return names
}

var pciPattern = regexp.MustCompile(`^[0-9a-f]{4}:[0-9a-f]{4}(:[0-9a-f]{4}:[0-9a-f]{4})?$`)

// IsPCIID reports whether a text is a PCI id as data files have it: vendor:device, or
// vendor:device:subvendor:subdevice, each of four lower-case hex digits.
func IsPCIID(s string) bool { return pciPattern.MatchString(s) }

func (d *decoder) pciIDs(v value) []string {
	var ids []string
	for _, item := range d.list(v) {
		id, ok := d.line(item)
		switch {
		case !ok:
		case !IsPCIID(id):
			d.fail(item, "pci-id-form", fmt.Sprintf("%q is not a PCI id: want vendor:device or "+
				"vendor:device:subvendor:subdevice, each of four lower-case hex digits", short(id)))
		case slices.Contains(ids, id):
			d.fail(item, "duplicate-name", fmt.Sprintf("%q stands twice in %s", id, v.field))
		default:
			ids = append(ids, id)
		}
	}
	return ids
}

// withFamilies adds the facts of a card's families to its own.
func (d *decoder) withFamilies(doc *document, v value, own []catalog.Fact) []catalog.Fact {
	m := merge{facts: own, own: len(own), place: make(map[factKey]int, len(own))}
	for i, f := range own {
		m.place[keyOf(f)] = i
	}
	var names []string
	for _, item := range d.list(v) {
		name, ok := d.line(item)
		fam := doc.families[name]
		switch {
		case !ok:
		case fam == nil:
			d.fail(item, "unknown-family", unknown("family", name, sortedKeys(doc.families)))
		case slices.Contains(names, name):
			d.fail(item, "duplicate-name", fmt.Sprintf("%q stands twice in %s", name, v.field))
		default:
			fam.used = true
			names = append(names, name)
			d.inherit(item, &m, fam.facts)
		}
	}
	return d.counted(v, m.facts)
}

// merge is a card's facts while its families are added.
type merge struct {
	facts []catalog.Fact
	own   int // the first own facts are the card's
	place map[factKey]int
}

// inherit appends the facts that none of the card's own replaces. Two families
// that give the same quantity from the same source are a problem: nothing says
// which of them is right.
func (d *decoder) inherit(v value, m *merge, facts []catalog.Fact) {
	if d.facts+len(m.facts)+len(facts) > maxFacts {
		return // counted will report it
	}
	for _, f := range facts {
		i, given := m.place[keyOf(f)]
		switch {
		case !given:
			m.place[keyOf(f)] = len(m.facts)
			m.facts = append(m.facts, f)
		case i >= m.own:
			d.fail(v, "duplicate-fact", fmt.Sprintf("two families give %s from %s: at %v and at %v", f.Quantity,
				f.Source, m.facts[i].Pos, f.Pos))
		}
	}
}
