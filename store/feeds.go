package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"tianti/audit"
	"tianti/refresh"
)

const feedColumns = "id, address, dataset, settings, etag, modified, sha256, checked_at, taken_at, draft, result"

// feedAgain has an insert replace what is known of the same feed.
const feedAgain = `ON CONFLICT (id) DO UPDATE SET address = excluded.address, dataset = excluded.dataset,
	settings = excluded.settings, etag = excluded.etag, modified = excluded.modified, sha256 = excluded.sha256,
	checked_at = excluded.checked_at, taken_at = excluded.taken_at, draft = excluded.draft, result = excluded.result`

// feedRow scans feedColumns.
type feedRow struct {
	refresh.Record
	checked int64
	taken   sql.NullInt64
	result  string
}

func (r *feedRow) dest() []any {
	return []any{&r.Feed, &r.Address, &r.Dataset, &r.Settings, &r.Mark.ETag, &r.Mark.Modified, &r.SHA256, &r.checked,
		&r.taken, &r.Draft, &r.result}
}

func (r *feedRow) record() (refresh.Record, error) {
	out := r.Record
	out.Checked, out.Taken, out.Result = time.Unix(r.checked, 0).UTC(), moment(r.taken), refresh.Result{}
	if err := json.Unmarshal([]byte(r.result), &out.Result); err != nil {
		return out, fmt.Errorf("the result of feed %s: %w: %w", r.Feed, err, ErrCorrupt)
	}
	return out, nil
}

// Feed returns what is known of a feed.
func (s *Store) Feed(ctx context.Context, id string) (refresh.Record, error) {
	var r feedRow
	err := s.reader.QueryRowContext(ctx, "SELECT "+feedColumns+" FROM feeds WHERE id = ?", id).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return refresh.Record{}, fmt.Errorf("feed %q: %w", id, fs.ErrNotExist)
	}
	if err != nil {
		return refresh.Record{}, explain(ctx, s.path, "look up a feed", err)
	}
	return r.record()
}

// Feeds lists what is known of all feeds, by their ids.
func (s *Store) Feeds(ctx context.Context) (out []refresh.Record, err error) {
	var r feedRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+feedColumns+" FROM feeds ORDER BY id")
	err = each(rows, err, r.dest(), func() error {
		rec, err := r.record()
		out = append(out, rec)
		return err
	})
	return out, explain(ctx, s.path, "list feeds", err)
}

// SetFeed keeps what is known of a feed and, unless it is nil, adds a line to the audit log.
func (s *Store) SetFeed(ctx context.Context, r refresh.Record, line *audit.Entry) error {
	result, err := json.Marshal(r.Result)
	if err != nil {
		return fmt.Errorf("keep feed %s: %w", r.Feed, err)
	}
	return s.write(ctx, "keep the state of a feed", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO feeds ("+feedColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "+
			feedAgain, r.Feed, r.Address, r.Dataset, r.Settings, r.Mark.ETag, r.Mark.Modified, r.SHA256,
			r.Checked.Unix(), seconds(r.Taken), r.Draft, string(result))
		if err != nil || line == nil {
			return err
		}
		return s.record(ctx, tx, *line)
	})
}
