package importer

import (
	"context"
	"io"

	"tianti/audit"
	"tianti/catalog"
)

// Store is the database that imports need. A dataset, revision, draft or file that does not exist is
// fs.ErrNotExist.
type Store interface {
	FileStore
	DraftStore
	RevisionStore
	DatasetStore
}

// FileStore stores files as they were handed in.
type FileStore interface {
	// StoreFile stores what r yields, once for each content. The file becomes part of the database only when r was read
	// to its end.
	StoreFile(ctx context.Context, name string, r io.Reader) (FileInfo, error)
	OpenFile(ctx context.Context, sha256 string) (io.ReadCloser, FileInfo, error)
}

// DraftStore stores drafts, and applies them.
type DraftStore interface {
	// BeginDraft begins a draft on the active revision of opt.Dataset, which need not exist. In Add mode the writer
	// starts with what the base holds, and its methods are given only what is new.
	BeginDraft(ctx context.Context, f FileInfo, opt Options, by audit.Actor) (Writer, error)
	// Draft also returns what an applied revision was as a draft. Of a revision that was made without a preview, only
	// File, Base, Created and By.Name are known.
	Draft(ctx context.Context, id int64) (Draft, error)
	// Drafts lists the drafts that are ready, newest first.
	Drafts(ctx context.Context) ([]Draft, error)
	Discard(ctx context.Context, id int64, by audit.Actor) error
	// Apply makes a draft the active revision of its dataset. The error is ErrMoved when another revision is active
	// than when the draft was made.
	Apply(ctx context.Context, id int64, note string, by audit.Actor) (Revision, error)
}

// RevisionStore reads what revisions and drafts hold.
type RevisionStore interface {
	// Revision returns a revision or draft as a whole, but for its prices.
	Revision(ctx context.Context, number int64) (catalog.Dataset, error)
	// EachPrice passes all prices of a revision or draft to f, in order.
	EachPrice(ctx context.Context, number int64, f func(*catalog.Price) error) error
	// StandingPrices prepares to read prices of a revision card by card.
	StandingPrices(ctx context.Context, number int64) (StandingPrices, error)
}

// DatasetStore knows the datasets and which of their revisions are active.
type DatasetStore interface {
	Datasets(ctx context.Context) ([]Dataset, error)
	Revisions(ctx context.Context, dataset string) ([]Revision, error)
	// Activate makes another revision the active one; 0 is none.
	Activate(ctx context.Context, dataset string, revision int64, by audit.Actor) error
	// Choices are the options of the last import; the zero value when there was none.
	Choices(ctx context.Context, dataset string) (Options, error)
}

// StandingPrices reads the prices of a revision card by card, as far back as is asked for.
type StandingPrices interface {
	// Since passes prices of a card that it has not passed before; all of that day or a later one are among them.
	Since(ctx context.Context, card string, day catalog.Date, f func(*catalog.Price)) error
}
