package catalog

import "slices"

// Annotations are what a dataset states beside the rated figures of cards. They never
// change a figure; they are shown beside the figures.
type Annotations struct {
	Generations []Generation
	Measured    []Measurement
	Claims      []Claim
	Equivalents []Equivalent
	Glossary    []GlossaryEntry
	Benchmarks  []Benchmark
}

// A Generation is one generation of a line of architectures, such as Volta.
type Generation struct {
	ID     string   `json:"id"`
	Vendor string   `json:"vendor"`
	Name   string   `json:"name"` // as the Architecture of its cards says
	Line   string   `json:"line"` // what it is a generation of: "NVIDIA", "AMD CDNA", "Google TPU" …
	Cards  []string `json:"cards,omitempty"`

	// Facts are of the generation's announcement and of its largest chip.
	Facts      []Fact      `json:"facts,omitempty"`
	Unit       []Statement `json:"unit,omitempty"`       // what one compute unit is made of
	Introduced []Statement `json:"introduced,omitempty"` // what it brought
	Pos        Pos         `json:"-"`
}

// Holds reports whether a card is of the generation: it is listed, or, where none
// is, has its vendor and architecture.
func (g *Generation) Holds(c *Card) bool {
	if len(g.Cards) == 0 {
		return c.Vendor == g.Vendor && c.Architecture == g.Name
	}
	return slices.Contains(g.Cards, c.ID)
}

// A Statement is a text that a source supports.
type Statement struct {
	Text
	Source string `json:"source"`
	Pos    Pos    `json:"-"`
}

// A Measurement is a measured rate or bandwidth of a card, by its quantity; it is
// compared with the rated figure of that quantity.
type Measurement struct {
	Card       string `json:"card"`
	Fact       Fact   `json:"fact"`
	Conditions Text   `json:"conditions"` // what was run, with what
}

// A Claim is a statement about cards in words: a comparison, a timing. It is shown
// with its author and never becomes a figure.
type Claim struct {
	ID     string   `json:"id"`
	Cards  []string `json:"cards"`
	By     Text     `json:"by"`
	Said   Date     `json:"said,omitempty"`
	Source string   `json:"source"`
	Text   Text     `json:"text"`
	Note   Text     `json:"note,omitzero"` // what the figures here say to it
	Pos    Pos      `json:"-"`
}

// An Equivalent is one role in the vendors' software and hardware (the link
// between cards, the compiler, the monitoring tool) and what each calls it.
type Equivalent struct {
	ID    string       `json:"id"`
	Role  Text         `json:"role"`
	Names []VendorName `json:"names"`
	Pos   Pos          `json:"-"`
}

// A VendorName is what one vendor calls something.
type VendorName struct {
	Vendor string `json:"vendor"`
	Name   string `json:"name"`
	Source string `json:"source"`
	Pos    Pos    `json:"-"`
}

// A GlossaryEntry is an abbreviation of the field and what it stands for.
type GlossaryEntry struct {
	ID       string    `json:"id"`
	Term     string    `json:"term"`
	Meanings []Meaning `json:"meanings"`
	Pos      Pos       `json:"-"`
}

// A Meaning is one of the things that a term stands for.
type Meaning struct {
	Name   Text   `json:"name"`
	Text   Text   `json:"text"`
	Source string `json:"source"`
	Pos    Pos    `json:"-"`
}

// Cite calls yield with every source that the annotations name, as often as they
// name it.
func (a *Annotations) Cite(yield func(source string, pos Pos)) {
	for i := range a.Generations {
		g := &a.Generations[i]
		for _, f := range g.Facts {
			yield(f.Source, f.Pos)
		}
		for _, list := range [][]Statement{g.Unit, g.Introduced} {
			for _, st := range list {
				yield(st.Source, st.Pos)
			}
		}
	}
	for _, m := range a.Measured {
		yield(m.Fact.Source, m.Fact.Pos)
	}
	for _, c := range a.Claims {
		yield(c.Source, c.Pos)
	}
	for i := range a.Benchmarks {
		yield(a.Benchmarks[i].Source, a.Benchmarks[i].Pos)
	}
	for _, e := range a.Equivalents {
		for _, n := range e.Names {
			yield(n.Source, n.Pos)
		}
	}
	for _, t := range a.Glossary {
		for _, m := range t.Meanings {
			yield(m.Source, m.Pos)
		}
	}
}
