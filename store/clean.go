package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// How long abandoned data stay.
const (
	draftLife = 7 * 24 * time.Hour // of a draft that is ready, and of a file that no revision came from
	silence   = 15 * time.Minute   // after which a process that cannot be looked for is taken for dead
)

// clean deletes what dead processes left, and expired drafts and files. The work of other live processes is not
// touched.
func (s *Store) clean(ctx context.Context) error {
	var drafts, uploads, files bool // whether there is any to look at: as a rule not
	err := s.reader.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+openDrafts+"), EXISTS (SELECT 1 FROM "+
		openUploads+"), EXISTS (SELECT 1 FROM "+unusedFiles+")", s.unusedBefore()).Scan(&drafts, &uploads, &files)
	for _, step := range []struct {
		due bool
		do  func(context.Context) error
	}{{drafts, s.cleanDrafts}, {uploads, s.cleanUploads}, {files || drafts, s.cleanFiles}} { // a draft leaves its file
		if err == nil && step.due {
			err = step.do(ctx)
		}
	}
	return explain(ctx, s.path, "take away what is left of earlier imports", err)
}

// What there may be to clean.
const (
	openDrafts  = "drafts d JOIN revisions r ON r.number = d.revision WHERE r.state = 'draft'"
	openUploads = "uploads WHERE key NOT IN (SELECT upload FROM files)"
	unusedFiles = "files WHERE stored_at < ? AND sha256 NOT IN (SELECT sha256 FROM revisions)"
)

// unusedBefore is when files were stored that nothing came from in time.
func (s *Store) unusedBefore() int64 { return s.opt.Now().Add(-draftLife).Unix() }

// isAbandoned reports whether the process that owns something is dead.
func (s *Store) isAbandoned(owner string, touched int64) bool {
	alive, known := lifeOf(owner)
	if known && (alive || s.server == nil || ofThisBoot(owner)) { // writers of a server may be on other machines
		return !alive
	}
	return s.opt.Now().Sub(time.Unix(touched, 0)) > silence
}

func (s *Store) cleanDrafts(ctx context.Context) error {
	var dead []int64
	var number, touched int64
	var state, owner string
	rows, err := s.reader.QueryContext(ctx, "SELECT d.revision, d.state, d.owner, d.touched_at FROM "+openDrafts)
	err = each(rows, err, []any{&number, &state, &owner, &touched}, func() error {
		if state == "ready" && s.opt.Now().Sub(time.Unix(touched, 0)) > draftLife ||
			state == "reading" && (s.isLost(lostDraft(number)) || s.isAbandoned(owner, touched)) {
			dead = append(dead, number)
		}
		return nil
	})
	for _, number := range dead {
		if err == nil {
			err = s.deleteDraftOrRetry(ctx, number)
		}
	}
	return err
}

// deleteDraft deletes a draft in parts, the newest rows of each table first, and its dataset when nothing else is of
// it. What is missing already is no error.
func (s *Store) deleteDraft(ctx context.Context, number int64) error {
	err := s.write(ctx, "delete a draft", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE drafts SET state = 'reading', owner = ?, touched_at = ?
			WHERE revision = ? AND EXISTS (SELECT 1 FROM revisions WHERE number = drafts.revision AND state = 'draft')`,
			thisProcess(), s.opt.Now().Unix(), number)
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range []struct {
		table, split string
		step         int
	}{
		{"left_out", "ordinal", partRows}, {"price_parts", "part", 1}, {"rates", "ordinal", partRows},
		{"annotations", "ordinal", partRows},
		{"fact_notes", "card", cardsAtOnce}, {"facts", "card", cardsAtOnce}, {"pci_ids", "card", cardsAtOnce},
		{"aliases", "card", cardsAtOnce},
		{"cards", "number", partRows}, {"sources", "number", partRows},
	} {
		query := fmt.Sprintf("DELETE FROM %s WHERE revision = ?1 AND %s > (SELECT max(%s) FROM %s WHERE revision = "+
			"?1) - ?2", t.table, t.split, t.split, t.table)
		if err := s.deleteParts(ctx, query, number, t.step); err != nil {
			return err
		}
	}
	return s.write(ctx, "delete a draft", func(tx *sql.Tx) error { return deleteRevision(ctx, tx, number) })
}

// deleteParts runs a query, each time in a transaction of its own, until it deletes nothing any more. It touches drafts
// only: of an applied revision nothing is deleted.
func (s *Store) deleteParts(ctx context.Context, query string, number int64, step int) error {
	for n := int64(1); n > 0; {
		err := s.write(ctx, "delete a draft", func(tx *sql.Tx) error {
			res, err := tx.ExecContext(ctx, query+" AND EXISTS (SELECT 1 FROM revisions WHERE number = ?1 AND state "+
				"= 'draft')", number, step)
			if err == nil {
				n, err = res.RowsAffected()
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func deleteRevision(ctx context.Context, tx *sql.Tx, number int64) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM drafts WHERE revision = ? AND EXISTS (SELECT 1 FROM revisions "+
		"WHERE number = drafts.revision AND state = 'draft')", number); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM revisions WHERE number = ? AND state = 'draft'", number); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM datasets AS d WHERE NOT EXISTS (SELECT 1 FROM revisions WHERE dataset "+
		"= d.key)")
	return err
}

// cleanUploads deletes incomplete uploads.
func (s *Store) cleanUploads(ctx context.Context) error {
	var dead []int64
	var key, touched int64
	var owner string
	rows, err := s.reader.QueryContext(ctx, "SELECT key, owner, touched_at FROM "+openUploads)
	err = each(rows, err, []any{&key, &owner, &touched}, func() error {
		if s.isLost(lostUpload(key)) || s.isAbandoned(owner, touched) {
			dead = append(dead, key)
		}
		return nil
	})
	for _, key := range dead {
		if err == nil {
			err = s.deleteUploadOrRetry(ctx, key)
		}
	}
	return err
}

// cleanFiles deletes files that no revision or draft came from, after draftLife.
func (s *Store) cleanFiles(ctx context.Context) error {
	before := s.unusedBefore()
	var some bool
	err := s.reader.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+unusedFiles+")", before).Scan(&some)
	if err != nil || !some {
		return err
	}
	err = s.write(ctx, "delete unused files", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE uploads SET owner = '', touched_at = 0 WHERE key IN (SELECT upload "+
			"FROM "+unusedFiles+")", before); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM "+unusedFiles, before)
		return err
	})
	if err != nil {
		return err
	}
	return s.cleanUploads(ctx)
}
