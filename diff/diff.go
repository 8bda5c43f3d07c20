// Package diff says what an import would change: card by card and figure by figure, in its own dataset and in what the
// catalogue shows.
package diff

import "tianti/catalog"

// Kind of a change.
type Kind string

// Kinds.
const (
	Added     Kind = "added"
	Changed   Kind = "changed"
	Removed   Kind = "removed"
	Untouched Kind = "untouched"
)

// A Report is the difference between two revisions of a dataset.
type Report struct {
	Cards   []Card       // those that differ, or are shown differently, by name; others are only counted
	Counts  map[Kind]int // of cards
	Figures map[Kind]int // of figures
	Sources map[Kind]int

	Conflicts []Conflict // with what other datasets say, of the figures that are added or changed
}

// A Card is what changes of a card.
type Card struct {
	ID, Name string
	Kind     Kind
	New      bool     // no dataset of the catalogue has it yet
	Identity []Field  // name, vendor, kind, segment, architecture, aliases, PCI ids
	Figures  []Figure // that differ, or of whose quantity another value would be shown
}

// A Field is a part of the identity.
type Field struct {
	Name     string // "name", "vendor", "aliases", …
	Old, New string // lists are joined with ", "
}

// A Figure is a value of the dataset: of a quantity by a source.
type Figure struct {
	Quantity string
	Source   string // title of the source, or its id: of the new value where there is one
	Before   string // that of the old value, where another source gave it
	Kind     Kind
	Old, New *catalog.Fact // nil when there is none
	// Shown is what the catalogue would show after the change instead of what it shows now; nil when that stays as it
	// is. Of several figures of one quantity only the first bears it.
	Shown *Shown
}

// Shown is what the catalogue shows of a quantity.
type Shown struct {
	Before, After               string // values, empty when nothing is shown
	BeforeDataset, AfterDataset string // ids
}

// A Conflict is a figure that differs from that of another dataset by more than rounding.
type Conflict struct {
	Card, Quantity string
	Value          string
	Other          string
	OtherDataset   string // id
	OtherSource    string // title
	Wins           bool   // the figure of this import is the one shown
}
