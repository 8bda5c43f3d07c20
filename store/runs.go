package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"tianti/audit"
	"tianti/importer"
)

// MostRuns is how many measured runs are kept at most: estimates are corrected by all of them together, which takes
// time that grows with the square of their number.
const MostRuns = 500

// ErrTooManyRuns says that as many measured runs are kept as can be.
var ErrTooManyRuns = errors.New("as many measured runs are kept as can be")

const runColumns = "key, query, note, kept_by, kept_at"

type runRow struct {
	importer.Run
	at int64
}

func (r *runRow) dest() []any { return []any{&r.Key, &r.Query, &r.Note, &r.By, &r.at} }

func (r *runRow) run() importer.Run {
	r.At = time.Unix(r.at, 0).UTC()
	return r.Run
}

// Runs lists the measured runs that were kept, oldest first.
func (s *Store) Runs(ctx context.Context) ([]importer.Run, error) {
	var r runRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+runColumns+" FROM runs ORDER BY key")
	out, err := collect(rows, err, r.dest(), r.run)
	return out, explain(ctx, s.path, "list the measured runs", err)
}

// KeepRun keeps a measured run, of which Query and Note count, by the actor of ctx, with an entry of the audit log.
// It moves the catalogue: every estimate may change.
func (s *Store) KeepRun(ctx context.Context, run importer.Run) (kept importer.Run, err error) {
	by := audit.ActorOf(ctx)
	err = s.write(ctx, "keep a measured run", func(tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM runs").Scan(&n); err != nil {
			return err
		}
		if n >= MostRuns {
			return ErrTooManyRuns
		}
		var r runRow
		err := tx.QueryRowContext(ctx, "INSERT INTO runs (query, note, kept_by, kept_at) VALUES (?, ?, ?, ?) "+
			"RETURNING "+runColumns, run.Query, run.Note, by.Name, s.opt.Now().Unix()).Scan(r.dest()...)
		if err != nil {
			return err
		}
		kept = r.run()
		if err := s.recordRun(ctx, tx, "run.keep", kept); err != nil {
			return err
		}
		return moveCatalogue(ctx, tx)
	})
	return kept, err
}

// DeleteRun forgets a measured run; one that is not there is fs.ErrNotExist.
func (s *Store) DeleteRun(ctx context.Context, key int64) error {
	return s.write(ctx, "delete a measured run", func(tx *sql.Tx) error {
		var r runRow
		err := tx.QueryRowContext(ctx, "DELETE FROM runs WHERE key = ? RETURNING "+runColumns, key).Scan(r.dest()...)
		if errors.Is(err, sql.ErrNoRows) {
			return notFound(fmt.Sprintf("there is no measured run %d", key))
		}
		if err != nil {
			return err
		}
		if err := s.recordRun(ctx, tx, "run.delete", r.run()); err != nil {
			return err
		}
		return moveCatalogue(ctx, tx)
	})
}

func (s *Store) recordRun(ctx context.Context, tx *sql.Tx, action string, r importer.Run) error {
	detail := map[string]any{"query": r.Query}
	if r.Note != "" {
		detail["note"] = r.Note
	}
	return s.record(ctx, tx, audit.Entry{Actor: audit.ActorOf(ctx), Action: action,
		Subject: "kept-" + strconv.FormatInt(r.Key, 10), Detail: detail})
}
