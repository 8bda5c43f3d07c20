package seed

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tianti/catalog"
	"tianti/sorting"
)

// Encode writes a dataset as one data file that [Decode] reads back as an equal
// one, but for the positions and for id, title and rank, which files do not
// hold. Families are written out in each card. The error says which figure no
// data file can hold; nothing is written then.
func Encode(w io.Writer, d catalog.Dataset) error {
	known := make(map[string]*catalog.Source, len(d.Sources))
	for i := range d.Sources {
		known[d.Sources[i].ID] = &d.Sources[i]
	}
	if err := encodable(&d, known); err != nil {
		return err
	}
	e := &encoder{bufio.NewWriter(w)}
	e.sources(d.Sources)
	for i := range d.Cards {
		if i == 0 {
			e.WriteString("\ncards:\n")
		} else {
			e.WriteString("\n")
		}
		e.card(&d.Cards[i])
	}
	e.annotations(&d.Annotations)
	e.tables(&d)
	return e.Flush() // the first error of any write
}

// encodable reports the first figure that no data file can hold.
func encodable(d *catalog.Dataset, known map[string]*catalog.Source) error {
	for i := range d.Cards {
		for _, f := range d.Cards[i].Facts {
			if err := f.Validate(known); err != nil {
				return fmt.Errorf("card %s: %s: %w", d.Cards[i].ID, f.Quantity, err)
			}
		}
	}
	for i := range d.Prices {
		if err := d.Prices[i].Validate(known); err != nil {
			return fmt.Errorf("price of %s on %s: %w", d.Prices[i].Card, d.Prices[i].Date, err)
		}
	}
	for i := range d.Rates {
		if err := d.Rates[i].Validate(known); err != nil {
			return fmt.Errorf("rate of %s: %w", d.Rates[i].Date, err)
		}
	}
	for _, g := range d.Generations {
		for _, f := range g.Facts {
			if err := f.Validate(known); err != nil {
				return fmt.Errorf("architecture %s: %s: %w", g.ID, f.Quantity, err)
			}
		}
	}
	for _, m := range d.Measured {
		if err := m.Fact.Validate(known); err != nil {
			return fmt.Errorf("measured of %s: %s: %w", m.Card, m.Fact.Quantity, err)
		}
	}
	for i := range d.Benchmarks {
		if err := d.Benchmarks[i].Validate(known); err != nil {
			return fmt.Errorf("benchmark %s: %w", d.Benchmarks[i].ID, err)
		}
	}
	return nil
}

// encoder writes pieces of a data file.
type encoder struct{ *bufio.Writer }

func (e *encoder) printf(format string, args ...any) { fmt.Fprintf(e, format, args...) }

// field writes a line of a map, if there is something to write.
func (e *encoder) field(indent, name, text string) {
	if text != "" {
		e.printf("%s%s: %s\n", indent, name, scalar(text))
	}
}

func (e *encoder) sources(sources []catalog.Source) {
	e.WriteString("sources:")
	if len(sources) == 0 {
		e.WriteString(" {}")
	}
	e.WriteString("\n")
	sorted := slices.Clone(sources)
	sorting.Func(sorted, func(a, b catalog.Source) int { return cmp.Compare(a.ID, b.ID) })
	for _, s := range sorted {
		e.printf("  %s:\n", scalar(s.ID))
		e.field("    ", "publisher", s.Publisher)
		e.field("    ", "title", s.Title)
		e.field("    ", "url", s.URL)
		e.field("    ", "kind", string(s.Kind))
		e.field("    ", "published", string(s.Published))
		e.field("    ", "retrieved", string(s.Retrieved))
		e.field("    ", "standing", string(s.Standing))
		e.field("    ", "origin", s.Origin)
	}
}

func (e *encoder) card(c *catalog.Card) {
	e.printf("  - id: %s\n", scalar(c.ID))
	e.field("    ", "name", c.Name)
	e.field("    ", "vendor", c.Vendor)
	e.field("    ", "kind", c.Kind)
	e.field("    ", "segment", c.Segment)
	e.field("    ", "architecture", c.Architecture)
	e.list("aliases", c.Aliases)
	e.list("pci_ids", c.PCIIDs)
	e.blocks(c.Facts)
}

// blocks writes facts, those of one source that follow each other as one block.
func (e *encoder) blocks(facts []catalog.Fact) {
	if len(facts) > 0 {
		e.WriteString("    facts:\n")
	}
	for i, f := range facts {
		if i == 0 || f.Source != facts[i-1].Source {
			e.printf("      - source: %s\n", scalar(f.Source))
		}
		e.printf("        %s: %s\n", f.Quantity, factValue(f))
	}
}

func (e *encoder) list(name string, items []string) {
	if len(items) == 0 {
		return
	}
	e.printf("    %s: [", name)
	for i, item := range items {
		if i > 0 {
			e.WriteString(", ")
		}
		e.WriteString(scalar(item))
	}
	e.WriteString("]\n")
}

// factValue writes a fact's value, as a map when there are remarks on it.
func factValue(f catalog.Fact) string {
	v := plainValue(f)
	if f.Note.IsZero() && f.Superseded.IsZero() && f.Standing == "" && len(f.Accept) == 0 {
		return v
	}
	parts := []string{"value: " + v}
	for _, t := range []struct {
		name string
		text catalog.Text
	}{{"note", f.Note}, {"superseded", f.Superseded}} {
		if !t.text.IsZero() {
			parts = append(parts, t.name+": "+bothLanguages(t.text))
		}
	}
	if f.Standing != "" {
		parts = append(parts, "standing: "+string(f.Standing))
	}
	if len(f.Accept) > 0 {
		var rules []string
		for _, rule := range sortedKeys(f.Accept) {
			rules = append(rules, rule+": "+bothLanguages(f.Accept[rule]))
		}
		parts = append(parts, "accept: {"+strings.Join(rules, ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func plainValue(f catalog.Fact) string {
	q, _ := catalog.LookupQuantity(f.Quantity)
	switch q.Kind {
	case catalog.Number:
		if f.Number >= 1e-6 && f.Number < 1e15 {
			return strconv.FormatFloat(f.Number, 'f', -1, 64)
		}
		return strconv.FormatFloat(f.Number, 'e', -1, 64)
	case catalog.Flag, catalog.Day:
		return f.Text
	}
	return scalar(f.Text)
}

// bare matches text that needs no quotes in any YAML, in brackets or out of
// them; the words that mean something else are in reserved.
var (
	bare = regexp.MustCompile(
		`^[A-Za-z](?:[A-Za-z0-9 ._/+()-]*[A-Za-z0-9._/+()-])?$|^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$`)
	reserved = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"}
)

// scalar writes a text as it is where that is safe, in double quotes elsewhere.
func scalar(s string) string {
	if bare.MatchString(s) && !slices.Contains(reserved, strings.ToLower(s)) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
