package format

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tianti/catalog"
	"tianti/seed"
)

// ours passes on the records of Tianti's own formats. A record that breaks a rule of data files is skipped, and so are
// those that cite a skipped source. A source is passed on when a record cites it.
type ours struct {
	sink    Sink
	sources map[string]*catalog.Source
	passed  map[string]bool // sources
	cited   string          // the source cited last
	cards   map[string]int  // id → line
	strict  bool            // annotations have not been through the decoder of data files
}

func newOurs(s Sink) *ours {
	return &ours{sink: s, sources: map[string]*catalog.Source{}, passed: map[string]bool{}, cards: map[string]int{}}
}

func (o *ours) skip(line int, name, field string, reason Reason, err error) error {
	return o.sink.Skip(Skipped{Line: line, Name: clip(name), Field: field, Reason: reason, Message: err.Error()})
}

// source keeps a source for what will cite it.
func (o *ours) source(line int, s catalog.Source) error {
	if err := sourceFault(&s); err != nil {
		return o.skip(line, s.ID, "sources", BadValue, err)
	}
	if first := o.sources[s.ID]; first != nil && *first != s {
		return o.skip(line, s.ID, "sources", Duplicate, fmt.Errorf("the source %q stands before with other "+
			"particulars; they are taken", s.ID))
	}
	o.sources[s.ID] = &s
	return nil
}

// sourceFault says what is wrong with a source, nil when nothing is.
func sourceFault(s *catalog.Source) error {
	switch {
	case len(s.ID) > maxID || !catalog.IDPattern.MatchString(s.ID):
		return fmt.Errorf("%q is not the id of a source: want lower-case letters, digits and single hyphens, "+
			"at most %d", clip(s.ID), maxID)
	case s.Kind.Trust() == len(catalog.SourceKinds):
		return fmt.Errorf("kind: %q is not one of %s", clip(string(s.Kind)), joined(catalog.SourceKinds))
	case s.URL == "" && s.Kind != catalog.Unaddressed:
		return fmt.Errorf("url: a source of the kind %s needs an address; only one of the kind %s does without", s.Kind,
			catalog.Unaddressed)
	}
	if err := CheckAddress(s.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	for _, d := range []catalog.Date{s.Published, s.Retrieved} {
		if _, err := catalog.ParseDate(string(d)); d != "" && err != nil {
			return err
		}
	}
	if s.Standing != "" && !slices.Contains(catalog.FigureStandings, s.Standing) {
		return fmt.Errorf("standing: %q is not one of %s", clip(string(s.Standing)), joined(catalog.FigureStandings))
	}
	if s.Origin != "" {
		if err := lineFault("origin", s.Origin); err != nil {
			return err
		}
	}
	return cmp.Or(lineFault("publisher", s.Publisher), lineFault("title", s.Title))
}

// CheckAddress says what is wrong with the address of a source, nil when nothing is or there is none: pages lead there,
// so that it must not be a script.
func CheckAddress(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("%q is not a web address: want https://… or http://…", clip(address))
	}
	return nil
}

// maxID is the longest id.
const maxID = 100

func joined[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// lineFault says what is wrong with a line of text, nil when nothing is.
func lineFault(field, text string) error {
	fault := seed.FaultOfText(text)
	if fault == "" && strings.Contains(text, "\n") {
		fault = "has a line break; want one line"
	}
	if fault != "" {
		return fmt.Errorf("%s %s", field, fault)
	}
	return nil
}

// cite passes the source on that a record names, if it is known and has not been passed on.
func (o *ours) cite(id string) error {
	if id == o.cited {
		return nil
	}
	s := o.sources[id]
	if s == nil {
		return nil
	}
	if o.cited = id; o.passed[id] {
		return nil
	}
	o.passed[id] = true
	return o.sink.Source(*s)
}

// card passes a card on, without those of its facts that no dataset can hold.
func (o *ours) card(line int, c catalog.Card) error {
	if err := cardFault(&c); err != nil {
		return o.skip(line, cmp.Or(c.ID, c.Name), "", BadValue, err)
	}
	if first, twice := o.cards[c.ID]; twice {
		return o.skip(line, c.ID, "id", Duplicate, fmt.Errorf("the card %q stands before, in line %d", c.ID, first))
	}
	o.cards[c.ID] = line
	facts := make([]catalog.Fact, 0, len(c.Facts))
	for _, f := range c.Facts {
		if err := o.factFault(&f, facts); err != nil {
			if err := o.skip(max(line, f.Pos.Line), c.ID, f.Quantity, BadValue, err); err != nil {
				return err
			}
			continue
		}
		if err := o.cite(f.Source); err != nil {
			return err
		}
		facts = append(facts, f)
	}
	c.Facts = facts
	c.Pos = catalog.Pos{Line: line}
	return o.sink.Card(Card{Subject{Name: c.ID}, c})
}

// cardFault says what is wrong with a card's identity.
func cardFault(c *catalog.Card) error {
	switch {
	case len(c.ID) > maxID || !catalog.IDPattern.MatchString(c.ID):
		return fmt.Errorf("id: %q is not the id of a card: want lower-case letters, digits and single hyphens, "+
			"at most %d", clip(c.ID), maxID)
	case !slices.Contains(catalog.CardKinds, c.Kind):
		return fmt.Errorf("kind: %q is not one of %s", clip(c.Kind), strings.Join(catalog.CardKinds, ", "))
	case !slices.Contains(catalog.Segments, c.Segment):
		return fmt.Errorf("segment: %q is not one of %s", clip(c.Segment), strings.Join(catalog.Segments, ", "))
	}
	for _, id := range c.PCIIDs {
		if !seed.IsPCIID(id) {
			return fmt.Errorf("pci_ids: %q is not a PCI id: want vendor:device or vendor:device:subvendor:subdevice, "+
				"each of four lower-case hex digits", clip(id))
		}
	}
	err := cmp.Or(lineFault("name", c.Name), lineFault("vendor", c.Vendor))
	if c.Architecture != "" {
		err = cmp.Or(err, lineFault("architecture", c.Architecture))
	}
	for _, alias := range c.Aliases {
		err = cmp.Or(err, lineFault("aliases", alias))
	}
	return err
}

// factFault says why a fact cannot stand after those before it.
func (o *ours) factFault(f *catalog.Fact, before []catalog.Fact) error {
	if err := f.Validate(o.sources); err != nil {
		return err
	}
	if q, _ := catalog.LookupQuantity(f.Quantity); q.Kind == catalog.Category {
		if err := lineFault(f.Quantity, f.Text); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(before, func(b catalog.Fact) bool {
		return b.Quantity == f.Quantity && b.Source == f.Source
	}) {
		return fmt.Errorf("%s is given twice from %s", f.Quantity, f.Source)
	}
	err := cmp.Or(textFault("note", f.Note), textFault("superseded", f.Superseded))
	for rule, t := range f.Accept {
		if !slices.ContainsFunc(catalog.Rules, func(r catalog.Rule) bool { return r.Name == rule }) {
			err = cmp.Or(err, fmt.Errorf("accept: there is no rule %q", clip(rule)))
		}
		err = cmp.Or(err, textFault("accept", t))
	}
	return err
}

// textFault says what is wrong with a text in two languages, which may be absent.
func textFault(field string, t catalog.Text) error {
	if t.IsZero() {
		return nil
	}
	for _, text := range []string{t.En, t.Zh} {
		if fault := seed.FaultOfText(text); fault != "" {
			return fmt.Errorf("%s %s; want both languages, en and zh", field, fault)
		}
	}
	return nil
}

// price passes a price on whose card is one of our ids.
func (o *ours) price(line int, p catalog.Price) error {
	if err := p.Validate(o.sources); err != nil {
		return o.skip(line, p.Card, "prices", BadValue, err)
	}
	if err := o.cite(p.Source); err != nil {
		return err
	}
	p.Pos = catalog.Pos{Line: line}
	return o.sink.Price(Price{Subject{Name: p.Card}, p})
}

func (o *ours) rate(line int, x catalog.ExchangeRate) error {
	if err := x.Validate(o.sources); err != nil {
		return o.skip(line, "", "rates", BadValue, err)
	}
	if err := o.cite(x.Source); err != nil {
		return err
	}
	x.Pos = catalog.Pos{Line: line}
	return o.sink.Rate(x)
}

// annotations passes on the annotations whose sources are all known.
func (o *ours) annotations(a catalog.Annotations) error {
	k := &citedAnnotations{ours: o}
	a.Generations = withKnownSources(k, "architectures", a.Generations,
		func(g catalog.Generation) (string, catalog.Annotations) {
			return g.ID, catalog.Annotations{Generations: []catalog.Generation{g}}
		})
	a.Measured = withKnownSources(k, "measured", a.Measured, func(m catalog.Measurement) (string, catalog.Annotations) {
		return m.Card, catalog.Annotations{Measured: []catalog.Measurement{m}}
	})
	a.Benchmarks = withKnownSources(k, "benchmarks", a.Benchmarks, func(b catalog.Benchmark) (string,
		catalog.Annotations) {
		return b.ID, catalog.Annotations{Benchmarks: []catalog.Benchmark{b}}
	})
	a.Claims = withKnownSources(k, "claims", a.Claims, func(c catalog.Claim) (string, catalog.Annotations) {
		return c.ID, catalog.Annotations{Claims: []catalog.Claim{c}}
	})
	a.Equivalents = withKnownSources(k, "equivalents", a.Equivalents,
		func(e catalog.Equivalent) (string, catalog.Annotations) {
			return e.ID, catalog.Annotations{Equivalents: []catalog.Equivalent{e}}
		})
	a.Glossary = withKnownSources(k, "glossary", a.Glossary, func(g catalog.GlossaryEntry) (string,
		catalog.Annotations) {
		return g.ID, catalog.Annotations{Glossary: []catalog.GlossaryEntry{g}}
	})
	if k.err != nil || k.n == 0 {
		return k.err
	}
	return o.sink.Annotations(a)
}

// citedAnnotations passes annotations on whose sources are known, and counts them.
type citedAnnotations struct {
	*ours
	n   int
	err error
}

// withKnownSources returns the entries of a section whose sources are known.
func withKnownSources[T any](
	k *citedAnnotations, section string, entries []T, alone func(T) (string, catalog.Annotations),
) []T {
	var out []T
	for _, e := range entries {
		id, a := alone(e)
		if err := k.fault(a); err != nil {
			k.err = cmp.Or(k.err, k.skip(0, id, section, BadValue, err))
			continue
		}
		a.Cite(func(source string, _ catalog.Pos) { k.err = cmp.Or(k.err, k.cite(source)) })
		out = append(out, e)
		k.n++
	}
	return out
}

// fault says why an annotation cannot stand.
func (o *ours) fault(a catalog.Annotations) (err error) {
	d := catalog.Dataset{Annotations: a}
	a.Cite(func(source string, _ catalog.Pos) {
		if s := o.sources[source]; s == nil {
			err = fmt.Errorf("the file has no source %q", clip(source))
		} else if !slices.Contains(d.Sources, *s) {
			d.Sources = append(d.Sources, *s)
		}
	})
	if err != nil || !o.strict {
		return err
	}
	var text bytes.Buffer
	if err := seed.Encode(&text, d); err != nil {
		return err
	}
	if _, problems := seed.DecodePart([]seed.File{{Name: "data.yaml", Data: text.Bytes()}}); len(problems) > 0 {
		return fmt.Errorf("%s: %s", problems[0].Field, problems[0].Msg)
	}
	return nil
}
