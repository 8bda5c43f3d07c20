package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tianti/audit"
	"tianti/importer"
)

// CatalogueRevision is the number that moves when the catalogue changes, by this process or another one. It costs some
// microseconds.
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

// Datasets lists all datasets that have or had a revision, highest rank first.
func (s *Store) Datasets(ctx context.Context) ([]importer.Dataset, error) {
	var d importer.Dataset
	rows, err := s.reader.QueryContext(ctx, `SELECT id, title_en, title_zh, rank, coalesce(active_revision, 0), n
		FROM (SELECT d.*,
			(SELECT count(*) FROM revisions r WHERE r.dataset = d.key AND r.state = 'applied') AS n
			FROM datasets d) AS counted
		WHERE n > 0 ORDER BY rank DESC, id`)
	out, err := collect(rows, err, []any{&d.ID, &d.Title.En, &d.Title.Zh, &d.Rank, &d.Active, &d.Revisions},
		func() importer.Dataset { return d })
	return out, explain(ctx, s.path, "list the datasets", err)
}

// revisionColumns are of applied revisions; a query goes on with AND.
const revisionColumns = `r.number, d.id, r.created_at, r.author, r.file, r.sha256, r.format, r.note,
	r.card_count, r.figure_count, r.price_count, r.rate_count, r.number IS NOT DISTINCT FROM d.active_revision,
	EXISTS (SELECT 1 FROM files f WHERE f.sha256 = r.sha256)
	FROM revisions r JOIN datasets d ON d.key = r.dataset WHERE r.state = 'applied'`

// revisionRow scans revisionColumns; made before each query, read after each row.
type revisionRow struct {
	importer.Revision
	created int64
}

func (r *revisionRow) dest() []any {
	return []any{&r.Number, &r.Dataset, &r.created, &r.Author, &r.File, &r.SHA256, &r.Format, &r.Note,
		&r.Cards, &r.Figures, &r.Prices, &r.Rates, &r.Active, &r.HasFile}
}

func (r *revisionRow) revision() importer.Revision {
	r.Created = time.Unix(r.created, 0).UTC()
	return r.Revision
}

// findRevision returns an applied revision.
func findRevision(ctx context.Context, q queryer, number int64) (importer.Revision, error) {
	var r revisionRow
	err := q.QueryRowContext(ctx, "SELECT "+revisionColumns+" AND r.number = ?", number).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = noRevision(number)
	}
	return r.revision(), err
}

// Revisions lists the revisions of a dataset, newest first.
func (s *Store) Revisions(ctx context.Context, dataset string) ([]importer.Revision, error) {
	attempt := fmt.Sprintf("list the revisions of dataset %q", dataset)
	var r revisionRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+revisionColumns+" AND d.id = ? ORDER BY r.number DESC", dataset)
	out, err := collect(rows, err, r.dest(), r.revision)
	if err == nil && out == nil {
		err = noDataset(dataset)
	}
	return out, explain(ctx, s.path, attempt, err)
}

// ActiveSHA256 is the hash of the file that the active revision of a dataset came from; "" when there is no such
// dataset or none of its revisions is active.
func (s *Store) ActiveSHA256(ctx context.Context, dataset string) (string, error) {
	var sum string
	err := s.reader.QueryRowContext(ctx, `SELECT r.sha256
		FROM datasets d JOIN revisions r ON r.number = d.active_revision
		WHERE d.id = ?`, dataset).Scan(&sum)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return sum, explain(ctx, s.path, fmt.Sprintf("look up dataset %q", dataset), err)
}

// FindRevision returns the newest revision of a dataset that came from the file with that hash, active or not; without
// one the error is fs.ErrNotExist. (Data that was imported once and then replaced or switched off by a person is not to
// be imported again at the next start.)
func (s *Store) FindRevision(ctx context.Context, dataset, sha256 string) (importer.Revision, error) {
	var r revisionRow
	err := s.reader.QueryRowContext(ctx, "SELECT "+revisionColumns+" AND d.id = ? AND r.sha256 = ? ORDER BY r.number "+
		"DESC LIMIT 1",
		dataset, sha256).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = notFound(fmt.Sprintf("no revision of dataset %q came from a file with SHA-256 %q", dataset, sha256))
	}
	return r.revision(), explain(ctx, s.path, "find a revision", err)
}

// findDataset returns the key and the active revision (0 when none) of a dataset that has or had a revision.
func findDataset(ctx context.Context, q queryer, id string) (key, active int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT key, coalesce(active_revision, 0) FROM datasets d
		WHERE id = ? AND EXISTS (SELECT 1 FROM revisions r WHERE r.dataset = d.key AND r.state = 'applied')`,
		id).Scan(&key, &active)
	if errors.Is(err, sql.ErrNoRows) {
		err = noDataset(id)
	}
	return key, active, err
}

// Activate makes a revision of a dataset the active one: undo, or redo. With revision 0 none is: the dataset is taken
// out of the catalogue, its revisions stay.
func (s *Store) Activate(ctx context.Context, dataset string, revision int64, by audit.Actor) error {
	return s.write(ctx, fmt.Sprintf("activate revision %d of dataset %q", revision, dataset), func(tx *sql.Tx) error {
		key, active, err := findDataset(ctx, tx, dataset)
		if err != nil || active == revision {
			return err
		}
		if err := revisionOf(ctx, tx, key, dataset, revision); err != nil {
			return err
		}
		if err := setActive(ctx, tx, key, revision); err != nil {
			return err
		}
		e := audit.Entry{Actor: by, Action: "dataset.activate", Subject: dataset,
			Detail: map[string]any{"from": active, "to": revision}}
		if revision == 0 {
			e.Action = "dataset.deactivate"
		}
		return s.record(ctx, tx, e)
	})
}

// revisionOf checks that a dataset has a revision, or that it is 0.
func revisionOf(ctx context.Context, q queryer, key int64, dataset string, revision int64) error {
	if revision == 0 {
		return nil
	}
	var known bool
	err := q.QueryRowContext(ctx, "SELECT count(*) > 0 FROM revisions WHERE dataset = ? AND number = ? AND state = "+
		"'applied'", key, revision).Scan(&known)
	if err == nil && !known {
		err = notFound(fmt.Sprintf("dataset %q has no revision %d", dataset, revision))
	}
	return err
}

// setActive takes a revision's number, or 0 for none.
func setActive(ctx context.Context, tx *sql.Tx, key, revision int64) error {
	if _, err := tx.ExecContext(ctx, "UPDATE datasets SET active_revision = nullif(CAST(? AS BIGINT), 0) WHERE "+
		"key = ?", revision,
		key); err != nil {
		return err
	}
	return moveCatalogue(ctx, tx)
}

// SetRank changes which datasets' figures are preferred to this one's.
func (s *Store) SetRank(ctx context.Context, dataset string, rank int, by audit.Actor) error {
	return s.write(ctx, fmt.Sprintf("rank dataset %q", dataset), func(tx *sql.Tx) error {
		key, _, err := findDataset(ctx, tx, dataset)
		if err != nil {
			return err
		}
		var before int
		if err := tx.QueryRowContext(ctx, "SELECT rank FROM datasets WHERE key = ?", key).Scan(&before); err != nil ||
			before == rank {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE datasets SET rank = ? WHERE key = ?", rank, key); err != nil {
			return err
		}
		if err := moveCatalogue(ctx, tx); err != nil {
			return err
		}
		return s.record(ctx, tx, audit.Entry{Actor: by, Action: "dataset.rank", Subject: dataset,
			Detail: map[string]any{"from": before, "to": rank}})
	})
}

// Choices are the options of the last import into a dataset; zero when there was none that had any.
func (s *Store) Choices(ctx context.Context, dataset string) (opt importer.Options, err error) {
	var text string
	err = s.reader.QueryRowContext(ctx, "SELECT c.options FROM choices c JOIN datasets d ON d.key = c.dataset WHERE "+
		"d.id = ?", dataset).Scan(&text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		err = nil
	case err == nil:
		err = json.Unmarshal([]byte(text), &opt)
	}
	return opt, explain(ctx, s.path, fmt.Sprintf("look up the choices of dataset %q", dataset), err)
}
