// Package importer imports files into the catalogue: it reads them, previews the changes, and applies or discards
// them. The page, the API and the command line run the same steps:
//
//	file → stored as it is → parsed by its format → matched → checked → draft
//	draft → preview → applied (a revision, in one transaction) or discarded
//
// A draft is never visible in the catalogue. Other options make another draft of the same file.
package importer

import (
	"context"
	"errors"
	"time"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
)

// Mode says what happens to the records that the dataset already has.
type Mode string

// Modes.
const (
	Replace Mode = "replace" // the new revision is what the file says
	// and what the revision before it says; of a price, rate or fact that is there already, nothing
	Add Mode = "add"
)

// Policy says what to do with a name that matches no card of the catalogue.
type Policy string

// Policies.
const (
	Skip   Policy = "leave"
	Create Policy = "create" // in the dataset of the import
)

// Group is a part of a file that may be imported or not.
type Group string

// Groups, in the order in which they are shown. Prices come by kind: "price:spot".
const (
	NewCards    Group = "cards"   // cards that the catalogue does not have
	Figures     Group = "figures" // of cards that it has
	Names       Group = "names"   // aliases and PCI ids of cards that it has
	Rates       Group = "rates"
	Annotations Group = "annotations"
)

// PriceGroup is the group of the prices of a kind.
func PriceGroup(k catalog.PriceKind) Group { return Group("price:" + k) }

// Options are the choices of the administrator. The zero value of each is the default of the format; the options of a
// draft are those that were used.
type Options struct {
	Format  string            `json:"format,omitempty"`  // id; detected when empty
	Dataset string            `json:"dataset,omitempty"` // id; the format's when empty
	Title   catalog.Text      `json:"title,omitzero"`    // of a dataset that is new
	Rank    *int              `json:"rank,omitempty"`    // of a dataset that is new; of a known one only when given
	Mode    Mode              `json:"mode,omitempty"`    // add for prices, replace for facts
	Unknown Policy            `json:"unknown,omitempty"` // leave for prices, create for facts
	Names   map[string]string `json:"names,omitempty"`   // name in the file or of an instance → card, "" to skip it
	Without []Group           `json:"without,omitempty"` // groups that are not imported
	Reading format.Options    `json:"reading,omitzero"`
}

// A FileInfo describes a stored file.
type FileInfo struct {
	Name   string // without its folder
	SHA256 string
	Size   int64
}

// State of a draft.
type State string

// States.
const (
	Reading State = "reading"
	Ready   State = "ready"
	Applied State = "applied" // it is a revision now; its data as a draft remain readable
)

// A Draft is a revision that is not applied yet.
type Draft struct {
	ID      int64 // of the revision that it will be
	State   State
	File    FileInfo
	By      audit.Actor
	Created time.Time
	Base    int64   // the revision of the dataset that was active; 0 none
	Options Options // as used
	Summary Summary
}

// Summary holds the counts of a draft and of reading its file.
type Summary struct {
	Rows     int                         `json:"rows"` // records of the file
	Taken    int                         `json:"taken"`
	Cards    int                         `json:"cards"`
	Facts    int                         `json:"facts"`
	Prices   map[catalog.PriceKind]Delta `json:"prices,omitempty"`
	Rates    Delta                       `json:"rates,omitzero"`
	Skipped  map[format.Reason]int       `json:"left,omitempty"`
	Names    NameCounts                  `json:"names"`
	Groups   map[Group]int               `json:"groups,omitempty"`   // records of the file by group, taken or not
	Unclear  []Unclear                   `json:"unclear,omitempty"`  // the most frequent first, at most 500
	Matches  []NameMatch                 `json:"matches,omitempty"`  // the most frequent first, at most 2000
	Unused   []string                    `json:"unused,omitempty"`   // choices of names that nothing in the file bears
	Near     []NearName                  `json:"near,omitempty"`     // cards it makes that are much like others
	Columns  []string                    `json:"columns,omitempty"`  // header of a table, for the choice of fields
	Parts    []string                    `json:"parts,omitempty"`    // tables or files in it, for the choice of one
	Reads    []string                    `json:"reads,omitempty"`    // those of Parts that were read
	Ignored  []string                    `json:"ignored,omitempty"`  // those of Columns that nothing is taken from
	Problems []Problem                   `json:"problems,omitempty"` // they forbid to apply the draft; at most 1000
	Nothing  bool                        `json:"nothing,omitempty"`  // applying would change nothing
	Seconds  float64                     `json:"seconds"`            // that reading took
}

// Delta counts records against those of the base.
type Delta struct {
	Added   int `json:"added"`
	Same    int `json:"same"`
	Removed int `json:"removed"`
}

// NameCounts counts the different names of a file, not its rows.
type NameCounts struct {
	Matched   int `json:"matched"`
	Chosen    int `json:"chosen"`
	Ambiguous int `json:"ambiguous"`
	Unknown   int `json:"unknown"`
	Created   int `json:"created"`
	Parts     int `json:"parts,omitempty"` // of cards
}

// NameMatch is which card a name of the file was taken for, and why.
type NameMatch struct {
	Name   string     `json:"name"`
	Card   string     `json:"card"`
	Why    format.Why `json:"why"`    // also created: the import makes the card
	Sure   string     `json:"sure"`   // stated: a source says it, or the name is the card's; derived: it follows
	Rows   int        `json:"rows"`   // prices or cards
	Offers []string   `json:"offers"` // names of instances, where there are any; at most five
}

// NearName is a card that the import would make, and the cards that it may be the same as.
type NearName struct {
	Name  string   `json:"name"`
	Card  string   `json:"card"`  // id that it would get
	Cards []string `json:"cards"` // ids of those that it is like
}

// Unclear is an ambiguous or unknown name: an administrator decides which card it means.
type Unclear struct {
	Name       string   `json:"name"`
	Rows       int      `json:"rows"`
	Candidates []string `json:"candidates"` // ids of the cards of that name; of an unknown name, the nearest
	Unknown    bool     `json:"unknown"`
	Offers     []string `json:"offers,omitempty"` // instances of an ambiguous name, at most 50: each can be chosen for
}

// Problem is a broken rule, as catalog.Problem has it.
type Problem struct {
	Line    int    `json:"line,omitempty"`
	Card    string `json:"card,omitempty"`
	Field   string `json:"field,omitempty"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// NeedsChoice is the rule of a problem of the options, not of the file: the format requires the one that Field names.
const NeedsChoice = "choice"

// Needs reports whether missing options are the only problems of the draft.
func (s *Summary) Needs() bool {
	for _, p := range s.Problems {
		if p.Rule != NeedsChoice {
			return false
		}
	}
	return len(s.Problems) > 0
}

// Progress is how far reading has come.
type Progress struct {
	Bytes, Size int64 // of the file as it was handed in
	Rows, Taken int
}

// A Revision is an applied import.
type Revision struct {
	Number                        int64 // unique over all datasets, rising
	Dataset                       string
	Created                       time.Time
	Author                        string
	File                          string // name; empty when there was none
	SHA256                        string
	Format                        string
	Note                          string
	Cards, Figures, Prices, Rates int
	Active                        bool
	HasFile                       bool // the file is stored and can be downloaded
}

// A Dataset is a dataset without its records.
type Dataset struct {
	ID        string
	Title     catalog.Text
	Rank      int
	Active    int64 // revision; 0 none
	Revisions int
}

// A Writer takes the records of a draft, in parts that are each committed, so that others may write meanwhile. Sources
// come before what names them. It checks that sources and quantities are known and no card is given twice, and nothing
// else: prices and rates are valid. In Add mode a card or source of the base that is given again stays as it was, and
// gets the facts, aliases and PCI ids. Its methods are called from one goroutine; an error of one may be told by a
// later one.
type Writer interface {
	ID() int64
	Sources([]catalog.Source) error
	Cards([]catalog.Card) error
	Prices([]catalog.Price) error
	// CarryPrices has the draft begin with the prices of a revision of its dataset, whose sources it was given; it
	// comes before Prices and is not for Add mode, which does so with the base.
	CarryPrices(of int64) error
	Rates([]catalog.ExchangeRate) error
	Annotations(catalog.Annotations) error
	Skipped([]format.Skipped) error
	// Finish makes the draft ready. Until then it is not visible.
	Finish(ctx context.Context, used Options, s Summary) (Draft, error)
	// Abort deletes what was written; after Finish it does nothing.
	Abort() error
}

// ErrMoved: the dataset has changed since the draft was made.
var ErrMoved = errors.New("the dataset has changed since this preview was made; make another")
