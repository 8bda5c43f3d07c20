package catalog

import (
	"fmt"
	"slices"
)

// A Dataset is a named set of facts from one origin: the built-in data, a file
// that an administrator imported, a community dump.
type Dataset struct {
	ID      string // "builtin", "local", …
	Title   Text
	Rank    int // the higher one's figures are shown; see Builder.Build
	Sources []Source

	// Revision is the number of the import that this is, and Imported its day; zero
	// for a dataset that no database has numbered.
	Revision int64
	Imported Date

	Cards  []Card
	Prices []Price // in any order
	// Offers sum up prices that are not in Prices, by card; History reads them, and is nil where Prices holds all.
	Offers  []*CardOffers
	History History
	Rates   []ExchangeRate // likewise
	Annotations
}

// A Source is a document or dataset that states figures.
type Source struct {
	ID        string     `json:"id"` // unique within its dataset
	Publisher string     `json:"publisher"`
	Title     string     `json:"title"`
	URL       string     `json:"url"` // empty for a document that was never published
	Kind      SourceKind `json:"kind"`
	Published Date       `json:"published,omitempty"` // empty when the document bears no date
	Retrieved Date       `json:"retrieved,omitempty"` // when it was last looked at
	// what its figures rest on, where the kind does not tell
	Standing FigureStanding `json:"standing,omitempty"`
	// what it copies or reads out, as sources of the same origin name it; empty for one that has its own knowledge
	Origin string `json:"origin,omitempty"`
}

// SourceKind is the kind of a source; better kinds come first in [SourceKinds].
type SourceKind string

// SourceKinds lists the kinds of sources from the most to the least trusted.
var SourceKinds = []SourceKind{"datasheet", "whitepaper", "documentation", "filing", "press", "measured", "community"}

// Community is the kind of sources that anybody may have written.
const Community SourceKind = "community"

// Unaddressed is the kind whose sources need no address: documents that were never
// published may be among them.
const Unaddressed = Community

// Trust is the kind's place in SourceKinds; smaller is better.
func (k SourceKind) Trust() int {
	if i := slices.Index(SourceKinds, k); i >= 0 {
		return i
	}
	return len(SourceKinds)
}

// CardKinds and Segments are the values that a card's identity may take.
var (
	CardKinds = []string{"gpu", "npu", "tpu", "lpu", "ipu", "wse", "soc"}
	Segments  = []string{"datacenter", "workstation", "desktop", "mobile-workstation", "laptop", "edge",
		"cloud", "research"}
)

// A Card is what one dataset says of one purchasable accelerator.
type Card struct {
	ID           string // lower case letters, digits and hyphens; never changes
	Name         string // without the vendor
	Vendor       string
	Kind         string // one of CardKinds
	Segment      string // one of Segments
	Architecture string // may be empty
	Aliases      []string
	PCIIDs       []string // "10de:2330" or, with the subsystem, "10de:2330:10de:16c1"
	Facts        []Fact
	Pos          Pos
}

// A Fact is one value of one quantity of one card, as one source gives it.
type Fact struct {
	Quantity string  `json:"quantity"`         // id of a stored quantity
	Number   float64 `json:"number,omitempty"` // the value of a Number
	// the value of a Category ("HBM3"), a Flag ("true", "false") or a Day ("2022-03")
	Text   string `json:"text,omitempty"`
	Source string `json:"source"` // id of a Source of the same dataset

	Note Text `json:"note,omitzero"` // what a reader must know about the value
	// why this value is not the one shown, though it stays visible
	Superseded Text `json:"superseded,omitzero"`
	// what the value rests on, where it differs from its source's; see [StandingOf]
	Standing FigureStanding  `json:"standing,omitempty"`
	Accept   map[string]Text `json:"accept,omitempty"` // consistency rules that this value may break, with the reason
	Pos      Pos             `json:"-"`
}

// Pos is where in a data file something stands; the zero Pos is nowhere (it
// came from a database).
type Pos struct {
	File         string
	Line, Column int
}

func (p Pos) String() string {
	if p == (Pos{}) {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// A Problem is something wrong with a data file or a dataset.
type Problem struct {
	Pos   Pos
	Card  string // id, when it concerns one card
	Field string // quantity or field name
	Rule  string // short name of the rule: "syntax", "unknown-metric", "bandwidth" …
	Msg   string // one sentence, with the numbers and what is allowed
}

func (p Problem) Error() string {
	s := p.Pos.String() + ": "
	if p.Card != "" {
		s += p.Card + ": "
	}
	if p.Field != "" {
		s += p.Field + ": "
	}
	return s + p.Msg + " [" + p.Rule + "]"
}
