package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tianti/audit"
	"tianti/format"
	"tianti/importer"
)

const draftColumns = `r.number, d.id, CASE r.state WHEN 'applied' THEN 'applied' ELSE t.state END,
	r.file, r.sha256, coalesce(f.size, 0), coalesce(t.actor, ''), r.author,
	r.created_at, coalesce(t.base, CASE WHEN t.revision IS NULL THEN (
		SELECT max(number) FROM revisions b
		WHERE b.dataset = r.dataset AND b.state = 'applied' AND b.number < r.number) END, 0),
	coalesce(t.options, '{}'), coalesce(t.summary, '{}')
	FROM revisions r JOIN datasets d ON d.key = r.dataset
	LEFT JOIN drafts t ON t.revision = r.number LEFT JOIN files f ON f.sha256 = r.sha256`

// draftRow scans draftColumns.
type draftRow struct {
	importer.Draft
	dataset          string
	created          int64
	actor, author    string
	options, summary string
}

func (r *draftRow) dest() []any {
	return []any{&r.ID, &r.dataset, &r.State, &r.File.Name, &r.File.SHA256, &r.File.Size, &r.actor, &r.author,
		&r.created, &r.Base,
		&r.options, &r.summary}
}

func (r *draftRow) draft() (importer.Draft, error) {
	d := importer.Draft{ID: r.ID, State: r.State, File: r.File, Base: r.Base, Created: time.Unix(r.created, 0).UTC()}
	d.By = audit.Actor{Name: r.author, Channel: audit.ByProgram}
	var actor error
	if r.actor != "" { // a draft's
		actor = json.Unmarshal([]byte(r.actor), &d.By)
	}
	err := errors.Join(actor, json.Unmarshal([]byte(r.options), &d.Options),
		json.Unmarshal([]byte(r.summary), &d.Summary))
	if err != nil {
		err = fmt.Errorf("draft %d is not JSON: %w: %w", r.ID, err, ErrCorrupt)
	}
	d.Options.Dataset = r.dataset
	return d, err
}

// Draft returns a draft that is ready, or what an applied revision was as a draft.
func (s *Store) Draft(ctx context.Context, id int64) (importer.Draft, error) {
	d, err := readDraft(ctx, s.reader, id)
	return d, explain(ctx, s.path, fmt.Sprintf("look up draft %d", id), err)
}

func readDraft(ctx context.Context, q queryer, id int64) (importer.Draft, error) {
	var r draftRow
	err := q.QueryRowContext(ctx, "SELECT "+draftColumns+" WHERE r.number = ? AND (r.state = 'applied' OR t.state = "+
		"'ready')", id).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = noDraft(id)
	}
	if err != nil {
		return importer.Draft{}, err
	}
	return r.draft()
}

// Drafts lists the drafts that are ready, newest first.
func (s *Store) Drafts(ctx context.Context) ([]importer.Draft, error) {
	var out []importer.Draft
	var r draftRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+draftColumns+" WHERE r.state = 'draft' AND t.state = 'ready' "+
		"ORDER BY r.number DESC")
	err = each(rows, err, r.dest(), func() error {
		d, err := r.draft()
		out = append(out, d)
		return err
	})
	return out, explain(ctx, s.path, "list the drafts", err)
}

// Apply makes a draft the active revision of its dataset, unless that has moved.
func (s *Store) Apply(
	ctx context.Context, id int64, note string, by audit.Actor,
) (rev importer.Revision, err error) {
	err = s.write(ctx, fmt.Sprintf("apply draft %d", id), func(tx *sql.Tx) error {
		d, err := readDraft(ctx, tx, id)
		if err != nil {
			return err
		}
		var key, active int64
		var known bool
		err = tx.QueryRowContext(ctx, `SELECT key, coalesce(active_revision, 0),
			EXISTS (SELECT 1 FROM revisions r WHERE r.dataset = d.key AND r.state = 'applied')
			FROM datasets d WHERE id = ?`, d.Options.Dataset).Scan(&key, &active, &known)
		if err != nil {
			return err
		}
		if d.State == importer.Applied || active != d.Base {
			return importer.ErrMoved
		}
		if err := setDataset(ctx, tx, key, known, d.Options); err != nil {
			return err
		}
		if rev, err = s.publish(ctx, tx, id, note, by); err != nil {
			return err
		}
		e := auditApplied(rev, d.Base)
		e.Actor = by
		return s.record(ctx, tx, e)
	})
	return rev, err
}

// setDataset takes over what was chosen for the dataset. What was made without a file, such as a correction, chooses
// nothing for the next one.
func setDataset(ctx context.Context, tx *sql.Tx, key int64, known bool, opt importer.Options) error {
	if !known || !opt.Title.IsZero() {
		if _, err := tx.ExecContext(ctx, "UPDATE datasets SET title_en = ?, title_zh = ? WHERE key = ?", opt.Title.En,
			opt.Title.Zh, key); err != nil {
			return err
		}
	}
	if !known || opt.Rank != nil {
		if _, err := tx.ExecContext(ctx, "UPDATE datasets SET rank = ? WHERE key = ?", value(opt.Rank),
			key); err != nil {
			return err
		}
	}
	if opt.Format == "" {
		return nil
	}
	options, err := json.Marshal(opt)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO choices (dataset, options) VALUES (?, ?) ON CONFLICT (dataset) DO "+
		"UPDATE SET options = excluded.options", key, string(options))
	return err
}

// Discard deletes a draft. Its first transaction makes it invisible.
func (s *Store) Discard(ctx context.Context, id int64, by audit.Actor) error {
	attempt := fmt.Sprintf("discard draft %d", id)
	err := s.write(ctx, attempt, func(tx *sql.Tx) error {
		d, err := readDraft(ctx, tx, id)
		if err == nil && d.State == importer.Applied {
			err = noDraft(id)
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE drafts SET state = 'reading', owner = ?, touched_at = ? WHERE "+
			"revision = ?", thisProcess(), s.opt.Now().Unix(), id); err != nil {
			return err
		}
		return s.record(ctx, tx, audit.Entry{Actor: by, Action: "draft.discard", Subject: d.Options.Dataset,
			Detail: map[string]any{"draft": id, "file": d.File.Name, "sha256": d.File.SHA256}})
	})
	if err != nil {
		return err
	}
	return explain(ctx, s.path, attempt, s.deleteDraftOrRetry(context.WithoutCancel(ctx), id))
}

// Skipped returns n skipped rows of the file of a draft or revision from the from-th on, for a reason or for any, and
// how many there are.
func (s *Store) Skipped(
	ctx context.Context, id int64, reason format.Reason, from, n int,
) (out []format.Skipped, total int, err error) {
	err = s.readRevision(ctx, id, func(tx *sql.Tx, _ *storedRevision) error {
		const where = " FROM left_out WHERE revision = ?1 AND (?2 = '' OR reason = ?2)"
		if err := tx.QueryRowContext(ctx, "SELECT count(*)"+where, id, string(reason)).Scan(&total); err != nil {
			return err
		}
		var l format.Skipped
		rows, err := tx.QueryContext(ctx,
			"SELECT line, name, field, reason, message"+where+" ORDER BY ordinal LIMIT ?3 OFFSET ?4", id,
			string(reason), max(n, 0), max(from, 0))
		out, err = collect(rows, err, []any{&l.Line, &l.Name, &l.Field, &l.Reason, &l.Message},
			func() format.Skipped { return l })
		return err
	})
	return out, total, err
}

// skippedAtOnce is how many rows EachSkipped reads before it passes them on.
const skippedAtOnce = 5000

// EachSkipped passes the skipped rows of the file of a draft or revision to f, for a reason or for any, in order. f may
// be slow: the database is not read meanwhile.
func (s *Store) EachSkipped(ctx context.Context, id int64, reason format.Reason, f func(*format.Skipped) error) error {
	part := make([]format.Skipped, 0, skippedAtOnce)
	for from := 0; ; from++ {
		part = part[:0]
		err := s.readRevision(ctx, id, func(tx *sql.Tx, _ *storedRevision) error {
			var l format.Skipped
			rows, err := tx.QueryContext(ctx, `SELECT ordinal, line, name, field, reason, message FROM left_out
				WHERE revision = ?1 AND ordinal >= ?2 AND (?3 = '' OR reason = ?3) ORDER BY ordinal LIMIT ?4`,
				id, from, string(reason), skippedAtOnce)
			return each(rows, err, []any{&from, &l.Line, &l.Name, &l.Field, &l.Reason, &l.Message}, func() error {
				part = append(part, l)
				return nil
			})
		})
		if err != nil {
			return err
		}
		for i := range part {
			if err := f(&part[i]); err != nil {
				return err
			}
		}
		if len(part) < skippedAtOnce {
			return nil
		}
	}
}
