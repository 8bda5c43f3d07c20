package intake

import (
	"context"
	"errors"
	"io"

	"tianti/catalog"
	"tianti/change"
	"tianti/ingest"
)

// An Upload is a file that somebody hands in.
type Upload struct {
	Name string // with or without its folder
	Size int64  // -1 when not known
	Data io.Reader
}

// Preview is what a draft would change.
type Preview struct {
	Draft   Draft
	Dataset Dataset       // as it is now; zero but for the id when it is new
	Report  change.Report // cards, figures, conflicts
}

// Config of an intake.
type Config struct {
	Store    Store
	Snapshot func() *catalog.Snapshot // the catalogue as it is shown; nil while there is none
	Today    func() catalog.Date
	MaxBytes int64 // of a file as it is handed in; 0: 1 GiB
	Limits   ingest.Limits
}

// Intake does the steps. Its methods may be called at the same time.
type Intake struct{ cfg Config }

// New returns an intake.
func New(cfg Config) *Intake { return &Intake{cfg} }

var errTodo = errors.New("not yet")

// Draft keeps a file, reads it and makes a draft of what it says. progress, unless
// nil, is called now and then, from one goroutine. When the content is what the
// active revision came from, and nothing else was chosen, the draft's
// Summary.Nothing is true.
//
// A file that cannot be read is an *ingest.FileError; an option that cannot be is an
// *OptionError. In neither case is anything left behind but the kept file.
func (in *Intake) Draft(ctx context.Context, u Upload, opt Options, by Actor, progress func(Progress)) (Draft, error) {
	return Draft{}, errTodo
}

// Redraft makes another draft of the file of a draft or revision, and discards the
// draft.
func (in *Intake) Redraft(ctx context.Context, id int64, opt Options, by Actor, progress func(Progress)) (Draft, error) {
	return Draft{}, errTodo
}

// Preview says what a draft would change; also, of an applied revision, what it
// changed against the one before it.
func (in *Intake) Preview(ctx context.Context, id int64) (Preview, error) {
	return Preview{}, errTodo
}

// Apply makes a draft the active revision of its dataset. It refuses one with
// problems, and with ErrMoved one whose dataset has moved.
func (in *Intake) Apply(ctx context.Context, id int64, note string, by Actor) (Revision, error) {
	return Revision{}, errTodo
}

// Revert makes the revision before the active one active, or none when there is no
// earlier one; to = 0. Otherwise it makes that revision active.
func (in *Intake) Revert(ctx context.Context, dataset string, to int64, by Actor) error {
	return errTodo
}

// Correct sets a figure of a card in the dataset "local", as a revision of its own;
// a nil fact takes the correction away.
func (in *Intake) Correct(ctx context.Context, card, quantity string, f *catalog.Fact, src catalog.Source, by Actor) (Revision, error) {
	return Revision{}, errTodo
}

// OfferBuiltin makes a draft of the program's own data when the database has other
// ones, for an administrator to look at.
func (in *Intake) OfferBuiltin(ctx context.Context, data catalog.Dataset, sha256, note string) (Draft, error) {
	return Draft{}, errTodo
}

// An OptionError is an option that cannot be, by the name of its field in JSON.
type OptionError struct {
	Field string // "dataset", "reading.date", …
	Value string
	Msg   string // what is wrong and what is allowed
}

func (e *OptionError) Error() string { return e.Field + ": " + e.Msg }
