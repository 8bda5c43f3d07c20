package admin

import (
	"context"
	"io"

	"tianti/audit"
	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
	"tianti/refresh"
)

// Store is what the administration needs of a database. A dataset, revision, draft or file that does not exist is
// fs.ErrNotExist.
type Store interface {
	draftStore
	contentStore
	datasetStore
	feedStore
	auditLog
}

// draftStore has the drafts.
type draftStore interface {
	// Draft also returns what an applied revision was as a draft.
	Draft(ctx context.Context, id int64) (importer.Draft, error)
	// Drafts lists the drafts that are ready, newest first.
	Drafts(ctx context.Context) ([]importer.Draft, error)
	Discard(ctx context.Context, id int64, by audit.Actor) error
}

// contentStore has what drafts and revisions hold, what they have skipped, and their files.
type contentStore interface {
	// Prices returns at most n prices of a kind, or of any, from the from-th on, and how many there are.
	Prices(ctx context.Context, number int64, kind catalog.PriceKind, from, n int) ([]catalog.Price, int, error)
	// LeftOut returns at most n rows that were skipped for a reason, or for any, and how many there are.
	Skipped(ctx context.Context, id int64, reason format.Reason, from, n int) ([]format.Skipped, int, error)
	// EachLeft passes all rows that were skipped for a reason, or for any, to f, in order.
	EachSkipped(ctx context.Context, id int64, reason format.Reason, f func(*format.Skipped) error) error
	OpenFile(ctx context.Context, sha256 string) (io.ReadCloser, importer.FileInfo, error)
}

// datasetStore has the datasets, and changes which of their revisions are shown.
type datasetStore interface {
	Datasets(ctx context.Context) ([]importer.Dataset, error)
	Revisions(ctx context.Context, dataset string) ([]importer.Revision, error)
	// Activate makes another revision the active one; 0 is none.
	Activate(ctx context.Context, dataset string, revision int64, by audit.Actor) error
	SetRank(ctx context.Context, dataset string, rank int, by audit.Actor) error
}

// feedStore knows the feeds that were looked at.
type feedStore interface {
	Feeds(ctx context.Context) ([]refresh.Record, error)
}

// auditLog is read by pages and the API.
type auditLog interface {
	// Entries returns the entries of a page, newest first, and how many there are on all pages.
	Entries(ctx context.Context, q audit.Query) ([]audit.Entry, int, error)
}
