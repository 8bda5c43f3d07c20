// Package importer takes files into the catalogue: reads them, shows what they would change, and applies or forgets
// that. The page, the API and the command line are three doors to the same steps:
//
//	file → kept as it is → read by its format → matched → checked → a draft
//	draft → preview → applied (a revision, in one transaction) or discarded
//
// A draft never changes what anybody sees. To choose otherwise is to make another draft of the same file.
package importer

import (
	"context"
	"errors"
	"time"

	"tianti/catalog"
	"tianti/format"
)

// Mode is what becomes of what the dataset held before.
type Mode string

// Modes.
const (
	Replace Mode = "replace" // the new revision is what the file says
	// and what the revision before it says; of a price, rate or fact that is there already, nothing
	Add Mode = "add"
)

// Policy is what to do with a card that no name of the catalogue fits.
type Policy string

// Policies.
const (
	Skip   Policy = "leave"
	Create Policy = "create" // in the dataset of the import
)

// Group is a part of a file that may be taken or not.
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

// Options are what the administrator chooses; the zero value of each is the usual choice for the format, and what the
// draft bears is what was used.
type Options struct {
	Format  string            `json:"format,omitempty"`  // id; detected when empty
	Dataset string            `json:"dataset,omitempty"` // id; the format's when empty
	Title   catalog.Text      `json:"title,omitzero"`    // of a dataset that is new
	Rank    *int              `json:"rank,omitempty"`    // of a dataset that is new; of a known one only when given
	Mode    Mode              `json:"mode,omitempty"`    // add for prices, replace for facts
	Unknown Policy            `json:"unknown,omitempty"` // leave for prices, create for facts
	Names   map[string]string `json:"names,omitempty"`   // name in the file → id of a card, "" to skip it
	Without []Group           `json:"without,omitempty"` // groups that are not taken
	Reading format.Options    `json:"reading,omitzero"`
}

// A FileInfo is a file that is kept.
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
	Applied State = "applied" // it is a revision now; what it was as a draft can still be had
)

// A Draft is a revision that nobody has applied.
type Draft struct {
	ID      int64 // of the revision that it will be
	State   State
	File    FileInfo
	By      Actor
	Created time.Time
	Base    int64   // the revision of the dataset that was active; 0 none
	Options Options // as used
	Summary Summary
}

// Summary is what a draft holds and what reading it brought, in numbers.
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
	Columns  []string                    `json:"columns,omitempty"`  // header of a table, for the choice of fields
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
}

// Unclear is an ambiguous or unknown name: an administrator decides which card it means.
type Unclear struct {
	Name       string   `json:"name"`
	Rows       int      `json:"rows"`
	Candidates []string `json:"candidates"` // ids of the cards of that name; of an unknown name, the nearest
	Unknown    bool     `json:"unknown"`
}

// Problem is a broken rule, in the words of catalog.Problem.
type Problem struct {
	Line    int    `json:"line,omitempty"`
	Card    string `json:"card,omitempty"`
	Field   string `json:"field,omitempty"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// NeedsChoice is the rule of a problem that is none of the file's: its format asks for something that was not chosen,
// which Field names.
const NeedsChoice = "choice"

// Needs reports whether nothing but choices keeps the draft from being applied.
func (s *Summary) Needs() bool {
	for _, p := range s.Problems {
		if p.Rule != NeedsChoice {
			return false
		}
	}
	return len(s.Problems) > 0
}

// Actor is who changes something, for the record.
type Actor struct {
	Name    string  `json:"name"`
	Channel Channel `json:"via"`
	Address string  `json:"address,omitempty"` // of the client
}

type actorKey struct{}

// WithActor says who does what is done with ctx: methods that take no Actor, those that change accounts and tokens,
// record it.
func WithActor(ctx context.Context, by Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, by)
}

// ActorOf is who WithActor named, or the program itself.
func ActorOf(ctx context.Context) Actor {
	if by, ok := ctx.Value(actorKey{}).(Actor); ok {
		return by
	}
	return Program
}

// Program is what happens without anybody's doing.
var Program = Actor{Name: "tianti", Channel: ByProgram}

// Via is the door by which somebody came.
type Channel string

// Doors.
const (
	ByPage    Channel = "page"
	ByAPI     Channel = "api"
	ByCommand Channel = "command"
	ByProgram Channel = "program"
)

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
	HasFile                       bool // the file is kept and can be had
}

// A Dataset is what is known of a dataset without its facts.
type Dataset struct {
	ID        string
	Title     catalog.Text
	Rank      int
	Active    int64 // revision; 0 none
	Revisions int
}

// An Entry is a line of the record of changes.
type AuditEntry struct {
	Number int64
	At     time.Time
	Actor  Actor
	// "import.apply", "dataset.activate", "dataset.deactivate", "dataset.rank", "figure.correct", "account.create",
	// "signin", …
	Action  string
	Subject string
	Detail  map[string]any
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
	Rates([]catalog.ExchangeRate) error
	Annotations(catalog.Annotations) error
	Skipped([]format.Skipped) error
	// Finish makes the draft ready. Until then it is nobody's.
	Finish(ctx context.Context, used Options, s Summary) (Draft, error)
	// Abort takes away what was written; after Finish it does nothing.
	Abort() error
}

// EntryQuery selects lines of the record, newest first.
type AuditQuery struct {
	Text    string // in actor, action, subject or detail
	Action  string // prefix
	Before  int64  // only lines with lower numbers; 0: all. New lines do not move what comes after one
	From, N int
}

// ErrMoved: the dataset has changed since the draft was made.
var ErrMoved = errors.New("the dataset has changed since this preview was made; make another")
