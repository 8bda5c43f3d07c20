package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tianti/catalog"
)

// A Revision is one import of a dataset.
type Revision struct {
	Number  int64 // unique over all datasets, rising
	Dataset string
	Created time.Time // to the second
	Origin
	Cards, Figures int
	Active         bool
}

// A Dataset is what is known of a dataset without its facts.
type Dataset struct {
	ID     string
	Title  catalog.Text
	Rank   int
	Active int64 // number of the active revision; 0 when none is
}

// CatalogueRevision is the number that moves when the catalogue changes, by this
// process or another one. It costs some microseconds.
func (s *Store) CatalogueRevision(ctx context.Context) (int64, error) {
	n, err := catalogueRevision(ctx, s.reader)
	return n, explain(ctx, s.path, "read the catalogue's revision", err)
}

func catalogueRevision(ctx context.Context, q queryer) (n int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT revision FROM catalogue").Scan(&n)
	return n, err
}

// moveCatalogue is part of every transaction that changes what can be seen.
func moveCatalogue(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE catalogue SET revision = revision + 1")
	return err
}

// Datasets lists all datasets, highest rank first.
func (s *Store) Datasets(ctx context.Context) ([]Dataset, error) {
	var out []Dataset
	var d Dataset
	rows, err := s.reader.QueryContext(ctx, `SELECT id, title_en, title_zh, rank, coalesce(active_revision, 0)
		FROM datasets ORDER BY rank DESC, id`)
	err = each(rows, err, []any{&d.ID, &d.Title.En, &d.Title.Zh, &d.Rank, &d.Active}, func() error {
		out = append(out, d)
		return nil
	})
	return out, explain(ctx, s.path, "list the datasets", err)
}

const revisionColumns = `r.number, d.id, r.created_at, r.author, r.file, r.sha256, r.note, r.card_count, r.figure_count, r.number IS d.active_revision
	FROM revisions r JOIN datasets d ON d.key = r.dataset`

// revisionRow scans revisionColumns; made before each query, read after each row.
type revisionRow struct {
	Revision
	created int64
}

func (r *revisionRow) dest() []any {
	return []any{&r.Number, &r.Dataset, &r.created, &r.Author, &r.File, &r.SHA256, &r.Note, &r.Cards, &r.Figures, &r.Active}
}

func (r *revisionRow) revision() Revision {
	r.Created = time.Unix(r.created, 0).UTC()
	return r.Revision
}

// Revisions lists the revisions of a dataset, newest first.
func (s *Store) Revisions(ctx context.Context, dataset string) ([]Revision, error) {
	attempt := fmt.Sprintf("list the revisions of dataset %q", dataset)
	if _, _, err := findDataset(ctx, s.reader, dataset); err != nil {
		return nil, explain(ctx, s.path, attempt, err)
	}
	var out []Revision
	var r revisionRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+revisionColumns+" WHERE d.id = ? ORDER BY r.number DESC", dataset)
	err = each(rows, err, r.dest(), func() error {
		out = append(out, r.revision())
		return nil
	})
	return out, explain(ctx, s.path, attempt, err)
}

// ActiveSHA256 is the hash of the file that the active revision of a dataset came
// from; "" when there is no such dataset or none of its revisions is active.
func (s *Store) ActiveSHA256(ctx context.Context, dataset string) (string, error) {
	var sum string
	err := s.reader.QueryRowContext(ctx, `SELECT r.sha256 FROM datasets d JOIN revisions r ON r.number = d.active_revision
		WHERE d.id = ?`, dataset).Scan(&sum)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return sum, explain(ctx, s.path, fmt.Sprintf("look up dataset %q", dataset), err)
}

// FindRevision returns the newest revision of a dataset that came from the file
// with that hash, active or not; without one the error is fs.ErrNotExist. (Data
// that was imported once and then replaced or switched off by a person is not to
// be imported again at the next start.)
func (s *Store) FindRevision(ctx context.Context, dataset, sha256 string) (Revision, error) {
	var r revisionRow
	err := s.reader.QueryRowContext(ctx, "SELECT "+revisionColumns+" WHERE d.id = ? AND r.sha256 = ? ORDER BY r.number DESC LIMIT 1",
		dataset, sha256).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound(fmt.Sprintf("no revision of dataset %q came from a file with SHA-256 %q", dataset, sha256))
	}
	return r.revision(), explain(ctx, s.path, "find a revision", err)
}

// findDataset returns the key and the active revision (0 when none).
func findDataset(ctx context.Context, q queryer, id string) (key, active int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT key, coalesce(active_revision, 0) FROM datasets WHERE id = ?", id).Scan(&key, &active)
	if errors.Is(err, sql.ErrNoRows) {
		err = noDataset(id)
	}
	return key, active, err
}

// Activate makes a revision of a dataset the active one: undo, or redo.
func (s *Store) Activate(ctx context.Context, dataset string, revision int64) error {
	return s.write(ctx, fmt.Sprintf("activate revision %d of dataset %q", revision, dataset), func(tx *sql.Tx) error {
		key, active, err := findDataset(ctx, tx, dataset)
		if err != nil || active == revision {
			return err
		}
		var known bool
		err = tx.QueryRowContext(ctx, "SELECT count(*) > 0 FROM revisions WHERE dataset = ? AND number = ?", key, revision).Scan(&known)
		if err == nil && !known {
			err = notFound(fmt.Sprintf("dataset %q has no revision %d", dataset, revision))
		}
		if err != nil {
			return err
		}
		return setActive(ctx, tx, key, revision)
	})
}

// Deactivate takes a dataset out of the catalogue; its revisions stay.
func (s *Store) Deactivate(ctx context.Context, dataset string) error {
	return s.write(ctx, fmt.Sprintf("deactivate dataset %q", dataset), func(tx *sql.Tx) error {
		key, active, err := findDataset(ctx, tx, dataset)
		if err != nil || active == 0 {
			return err
		}
		return setActive(ctx, tx, key, nil)
	})
}

// setActive takes a revision's number or nil.
func setActive(ctx context.Context, tx *sql.Tx, key int64, revision any) error {
	if _, err := tx.ExecContext(ctx, "UPDATE datasets SET active_revision = ? WHERE key = ?", revision, key); err != nil {
		return err
	}
	return moveCatalogue(ctx, tx)
}

// SetRank changes which datasets' figures are preferred to this one's.
func (s *Store) SetRank(ctx context.Context, dataset string, rank int) error {
	return s.write(ctx, fmt.Sprintf("rank dataset %q", dataset), func(tx *sql.Tx) error {
		key, _, err := findDataset(ctx, tx, dataset)
		if err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, "UPDATE datasets SET rank = ? WHERE key = ? AND rank <> ?", rank, key, rank)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return moveCatalogue(ctx, tx)
	})
}
