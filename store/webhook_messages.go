package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"tianti/webhook"
)

const messageColumns = "key, webhook, id, event, body, created_at, state, attempts, next_at, " +
	"tried_at, took, status, answer, why, detail"

// messageRow scans messageColumns.
type messageRow struct {
	webhook.Delivery
	created, next, took int64
	tried               sql.NullInt64
}

func (r *messageRow) dest() []any {
	return []any{&r.Key, &r.Endpoint, &r.ID, &r.Event, &r.Body, &r.created, &r.State, &r.Attempts, &r.next, &r.tried,
		&r.took, &r.Last.Status, &r.Last.Answer, &r.Last.Why, &r.Last.Detail}
}

func (r *messageRow) delivery() webhook.Delivery {
	out := r.Delivery
	out.Created, out.Next = time.Unix(r.created, 0).UTC(), time.Unix(r.next, 0).UTC()
	out.Last.At, out.Last.Took = moment(r.tried), time.Duration(r.took)*time.Millisecond
	return out
}

// Deliveries returns the newest messages of an endpoint.
func (s *Store) Deliveries(ctx context.Context, key int64, n int) ([]webhook.Delivery, error) {
	var r messageRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+messageColumns+
		" FROM webhook_messages WHERE webhook = ? ORDER BY key DESC LIMIT ?", key, n)
	out, err := collect(rows, err, r.dest(), r.delivery)
	return out, explain(ctx, s.path, "list the messages of a webhook", err)
}

// AddDelivery keeps one message more.
func (s *Store) AddDelivery(ctx context.Context, d webhook.Delivery) error {
	return s.changeWebhook(ctx, "keep a message", d.Endpoint, func(tx *sql.Tx, e *webhook.Endpoint) error {
		if err := addMessage(ctx, tx, &d); err != nil {
			return err
		}
		if err := boundPending(ctx, tx, d.Endpoint); err != nil {
			return err
		}
		return s.recordWebhook(ctx, tx, "webhook.test", e, nil)
	})
}

func addMessage(ctx context.Context, tx *sql.Tx, d *webhook.Delivery) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO webhook_messages (webhook, id, event, body, created_at, state, attempts,
		next_at, lease, took, status, answer, why, detail)
		VALUES (?, ?, ?, ?, ?, 'pending', 0, ?, 0, 0, 0, '', '', '')`,
		d.Endpoint, d.ID, string(d.Event), d.Body, d.Created.Unix(), d.Next.Unix())
	return err
}

// boundPending gives up the oldest of the messages that wait, where too many do.
func boundPending(ctx context.Context, tx *sql.Tx, key int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE webhook_messages SET state = 'given-up', why = ?
		WHERE key IN (SELECT key FROM webhook_messages WHERE webhook = ? AND state = 'pending' ORDER BY key DESC
			LIMIT ? OFFSET ?)`,
		string(webhook.Replaced), key, 1<<30, webhook.MostPending)
	return err
}

// Spread keeps messages of steps and notes that the log is seen up to a line; unless somebody else has.
func (s *Store) Spread(ctx context.Context, e *webhook.Endpoint, seen int64, list []webhook.Delivery) error {
	return s.write(ctx, "keep messages", func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, "UPDATE webhooks SET seen = ? WHERE key = ? AND seen = ? AND disabled = ''", seen,
			e.Key, e.Seen)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); n == 0 || err != nil {
			return err
		}
		for i := range list {
			if err := addMessage(ctx, tx, &list[i]); err != nil {
				return err
			}
		}
		return boundPending(ctx, tx, e.Key)
	})
}

// Due is when the next message is to be sent.
func (s *Store) Due(ctx context.Context) (time.Time, bool, error) {
	var at sql.NullInt64
	err := s.reader.QueryRowContext(ctx, `SELECT min(CASE WHEN lease > next_at THEN lease ELSE next_at END)
		FROM webhook_messages WHERE state = 'pending'`).Scan(&at)
	return moment(at), at.Valid, explain(ctx, s.path, "look for messages", err)
}

// Lease gives at most n messages that are due to the caller alone until a moment, one of each endpoint.
func (s *Store) Lease(ctx context.Context, now, until time.Time, n int) (out []webhook.Leased, err error) {
	err = s.write(ctx, "lease messages", func(tx *sql.Tx) error {
		out = nil
		var r messageRow
		rows, err := tx.QueryContext(ctx, `UPDATE webhook_messages SET lease = ?2, attempts = attempts + 1
			WHERE key IN (
				SELECT min(key) FROM webhook_messages d
				WHERE state = 'pending' AND next_at <= ?1 AND lease <= ?1 AND NOT EXISTS (
					SELECT 1 FROM webhook_messages b
					WHERE b.webhook = d.webhook AND b.state = 'pending' AND b.lease > ?1)
				GROUP BY webhook ORDER BY min(next_at) LIMIT ?3)
			RETURNING `+messageColumns, now.Unix(), until.Unix(), n)
		list, err := collect(rows, err, r.dest(), r.delivery)
		if err != nil {
			return err
		}
		for _, d := range list {
			e, err := findWebhook(ctx, tx, d.Endpoint)
			if err != nil {
				return err
			}
			out = append(out, webhook.Leased{Delivery: d, To: e})
		}
		return nil
	})
	return out, err
}

// Finish notes what became of a leased message, and how its endpoint is then. A message that was leased again since, or
// that was given up meanwhile, stays as it is.
func (s *Store) Finish(ctx context.Context, d *webhook.Delivery, e *webhook.Endpoint) error {
	return s.write(ctx, fmt.Sprintf("note what became of message %s", d.ID), func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, `UPDATE webhook_messages SET state = ?, next_at = ?, lease = 0, tried_at = ?,
			took = ?, status = ?, answer = ?, why = ?, detail = ?
			WHERE key = ? AND attempts = ? AND state = 'pending'`,
			string(d.State), d.Next.Unix(), d.Last.At.Unix(), d.Last.Took.Milliseconds(), d.Last.Status, d.Last.Answer,
			string(d.Last.Why), d.Last.Detail, d.Key, d.Attempts)
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); n == 0 || err != nil {
			return err
		}
		if err := s.finishEndpoint(ctx, tx, d, e); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx,
			`DELETE FROM webhook_messages WHERE webhook = ?1 AND state <> 'pending' AND key NOT IN (
			SELECT key FROM webhook_messages WHERE webhook = ?1 AND state <> 'pending' ORDER BY key DESC LIMIT ?2)`,
			d.Endpoint, webhook.MostDone)
		return err
	})
}

// finishEndpoint notes how an endpoint is after an attempt.
func (s *Store) finishEndpoint(ctx context.Context, tx *sql.Tx, d *webhook.Delivery, e *webhook.Endpoint) error {
	now, err := findWebhook(ctx, tx, e.Key)
	if err != nil || now.Disabled != "" { // an administrator was quicker
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE webhooks SET failures = ?, failing_at = ?, taken_at = ?, disabled = ? "+
		"WHERE key = ?", e.Failures, seconds(e.Since), seconds(e.Taken), string(e.Disabled), e.Key)
	if err != nil || e.Disabled == "" {
		return err
	}
	if err := giveUpAll(ctx, tx, e.Key); err != nil {
		return err
	}
	return s.recordWebhook(ctx, tx, "webhook.disable", e, map[string]any{"why": string(e.Disabled),
		"failures": e.Failures})
}
