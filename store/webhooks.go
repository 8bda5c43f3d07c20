package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"tianti/audit"
	"tianti/webhook"
)

var _ webhook.Store = (*Store)(nil)

const webhookColumns = "w.key, w.url, w.note, w.events, w.secret, w.old_secret, w.old_until, w.created_at, " +
	"w.created_by, w.seen, w.disabled, w.failures, w.failing_at, w.taken_at"

// webhookRow scans webhookColumns.
type webhookRow struct {
	webhook.Endpoint
	events              string
	created             int64
	until, since, taken sql.NullInt64
}

func (r *webhookRow) dest() []any {
	return []any{&r.Key, &r.URL, &r.Note, &r.events, &r.Secret, &r.Old, &r.until, &r.created, &r.By, &r.Seen,
		&r.Disabled, &r.Failures, &r.since, &r.taken}
}

func (r *webhookRow) endpoint() (webhook.Endpoint, error) {
	out := r.Endpoint
	out.Created, out.OldUntil, out.Since, out.Taken = time.Unix(r.created, 0).UTC(), moment(r.until), moment(r.since),
		moment(r.taken)
	out.Events = nil
	if err := json.Unmarshal([]byte(r.events), &out.Events); err != nil {
		return out, fmt.Errorf("the events of webhook %d: %w: %w", r.Key, err, ErrCorrupt)
	}
	return out, nil
}

// Webhooks lists the endpoints, oldest first.
func (s *Store) Webhooks(ctx context.Context) (out []webhook.Endpoint, err error) {
	var r webhookRow
	rows, err := s.reader.QueryContext(ctx, "SELECT "+webhookColumns+" FROM webhooks w ORDER BY w.key")
	err = each(rows, err, r.dest(), func() error {
		e, err := r.endpoint()
		out = append(out, e)
		r.Endpoint.Secret, r.Endpoint.Old = nil, nil // the next row has bytes of its own
		return err
	})
	return out, explain(ctx, s.path, "list the webhooks", err)
}

// Webhook returns an endpoint.
func (s *Store) Webhook(ctx context.Context, key int64) (webhook.Endpoint, error) {
	e, err := findWebhook(ctx, s.reader, key)
	return e, explain(ctx, s.path, "look up a webhook", err)
}

func findWebhook(ctx context.Context, q queryer, key int64) (webhook.Endpoint, error) {
	var r webhookRow
	err := q.QueryRowContext(ctx, "SELECT "+webhookColumns+" FROM webhooks w WHERE w.key = ?", key).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return r.Endpoint, notFound(fmt.Sprintf("there is no webhook %d", key))
	}
	if err != nil {
		return r.Endpoint, err
	}
	return r.endpoint()
}

// AddWebhook keeps an endpoint, of which URL, Note, Events and Secret count.
func (s *Store) AddWebhook(ctx context.Context, e webhook.Endpoint) (made webhook.Endpoint, err error) {
	events, err := json.Marshal(e.Events)
	if err != nil {
		return made, fmt.Errorf("add a webhook: %w", err)
	}
	by := audit.ActorOf(ctx)
	err = s.write(ctx, "add a webhook", func(tx *sql.Tx) error {
		var n int
		var key int64
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM webhooks").Scan(&n); err != nil {
			return err
		}
		if n >= webhook.MostEndpoints {
			return webhook.ErrTooMany
		}
		err := tx.QueryRowContext(ctx, `INSERT INTO webhooks (url, note, events, secret, created_at, created_by, seen,
			disabled, failures) VALUES (?, ?, ?, ?, ?, ?, (SELECT coalesce(max(number), 0) FROM audit), '', 0)
			RETURNING key`, e.URL, e.Note, string(events), e.Secret, s.opt.Now().Unix(), by.Name).Scan(&key)
		if err != nil {
			return err
		}
		if made, err = findWebhook(ctx, tx, key); err != nil {
			return err
		}
		return s.recordWebhook(ctx, tx, "webhook.create", &made, map[string]any{"events": made.Events})
	})
	return made, err
}

// recordWebhook writes a line of the audit log; of the address it has the host alone, as the rest may be secret.
func (s *Store) recordWebhook(
	ctx context.Context, tx *sql.Tx, action string, e *webhook.Endpoint, detail map[string]any,
) error {
	if detail == nil {
		detail = map[string]any{}
	}
	detail["host"] = e.Host()
	return s.record(ctx, tx, audit.Entry{Actor: audit.ActorOf(ctx), Action: action,
		Subject: "webhook-" + strconv.FormatInt(e.Key, 10), Detail: detail})
}

// changeWebhook changes an endpoint that there is.
func (s *Store) changeWebhook(
	ctx context.Context, attempt string, key int64, change func(*sql.Tx, *webhook.Endpoint) error,
) error {
	return s.write(ctx, attempt, func(tx *sql.Tx) error {
		e, err := findWebhook(ctx, tx, key)
		if err != nil {
			return err
		}
		return change(tx, &e)
	})
}

// SetWebhook sets what an endpoint is told, and whether. What happened while it was told nothing, it is not told later.
func (s *Store) SetWebhook(ctx context.Context, key int64, events []webhook.Event, disabled webhook.Reason) error {
	text, err := json.Marshal(events)
	if err != nil {
		return fmt.Errorf("change a webhook: %w", err)
	}
	return s.changeWebhook(ctx, "change a webhook", key, func(tx *sql.Tx, e *webhook.Endpoint) error {
		_, err := tx.ExecContext(ctx, "UPDATE webhooks SET events = ?, disabled = ? WHERE key = ?", string(text),
			string(disabled), key)
		if err == nil && e.Disabled != "" && disabled == "" {
			_, err = tx.ExecContext(ctx, `UPDATE webhooks SET failures = 0, failing_at = NULL,
				seen = (SELECT coalesce(max(number), 0) FROM audit) WHERE key = ?`, key)
		}
		if err == nil && disabled != "" {
			err = giveUpAll(ctx, tx, key)
		}
		if err != nil {
			return err
		}
		return s.recordWebhook(ctx, tx, "webhook.change", e,
			map[string]any{"events": events, "enabled": disabled == ""})
	})
}

func giveUpAll(ctx context.Context, tx *sql.Tx, key int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE webhook_messages SET state = 'given-up' WHERE webhook = ? AND state = "+
		"'pending'",
		key)
	return err
}

// RotateWebhook gives an endpoint another secret; the one before signs besides, until a moment.
func (s *Store) RotateWebhook(ctx context.Context, key int64, secret []byte, until time.Time) error {
	return s.changeWebhook(ctx, "change the secret of a webhook", key, func(tx *sql.Tx, e *webhook.Endpoint) error {
		_, err := tx.ExecContext(ctx, "UPDATE webhooks SET old_secret = secret, old_until = ?, secret = ? WHERE "+
			"key = ?",
			until.Unix(), secret, key)
		if err != nil {
			return err
		}
		return s.recordWebhook(ctx, tx, "webhook.rotate", e, nil)
	})
}

// RemoveWebhook forgets an endpoint and its messages.
func (s *Store) RemoveWebhook(ctx context.Context, key int64) error {
	return s.changeWebhook(ctx, "remove a webhook", key, func(tx *sql.Tx, e *webhook.Endpoint) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM webhook_messages WHERE webhook = ?", key)
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM webhooks WHERE key = ?", key)
		}
		if err != nil {
			return err
		}
		return s.recordWebhook(ctx, tx, "webhook.remove", e, nil)
	})
}

// Steps returns at most n steps after a line of the audit log, the oldest first, and up to which line that is all.
func (s *Store) Steps(ctx context.Context, after int64, n int) (list []webhook.Step, seen int64, err error) {
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, after, explain(ctx, s.path, "read what has changed", err)
	}
	defer tx.Rollback()
	seen = after
	entries, err := readEntries(ctx, tx, ` WHERE number > ? AND action IN ('import.apply', 'dataset.activate',
		'dataset.deactivate') ORDER BY number LIMIT ?`, []any{after, n})
	for i := 0; i < len(entries) && err == nil; i++ {
		e := &entries[i]
		step := webhook.Step{Number: e.Number, At: e.At, Dataset: e.Subject, Import: e.Action == "import.apply"}
		from, to := "from", "to"
		if step.Import {
			from, to = "before", "revision"
		}
		step.From, step.To = numberOf(e.Detail[from]), numberOf(e.Detail[to])
		seen = e.Number
		if err = compareRevisions(ctx, tx, &step); err == nil {
			list = append(list, step)
		}
	}
	return list, seen, explain(ctx, s.path, "read what has changed", err)
}

// numberOf is a number that came through JSON; 0 without one.
func numberOf(v any) int64 {
	n, _ := v.(float64)
	return int64(n)
}

// compareRevisions sets what both revisions of a step do not share. One that is not there any more shares nothing.
func compareRevisions(ctx context.Context, q queryer, step *webhook.Step) error {
	var bodies, prices [2]int64
	for i, number := range []int64{step.From, step.To} {
		if number == 0 {
			continue
		}
		p, err := parentageOf(ctx, q, number)
		if err == nil {
			prices[i], err = lastWithPrices(ctx, q, number)
		}
		if errors.Is(err, sql.ErrNoRows) {
			bodies[i] = -number
			continue
		}
		if err != nil {
			return err
		}
		step.Cards = max(step.Cards, p.cards)
		if p.cards > 0 || p.rates > 0 {
			bodies[i] = p.body
		}
	}
	step.Figures, step.Prices = bodies[0] != bodies[1], prices[0] != prices[1]
	return nil
}

// lastWithPrices is the last revision in a line that has brought prices; 0: none has.
func lastWithPrices(ctx context.Context, q queryer, number int64) (int64, error) {
	for number != 0 {
		var has bool
		var before int64
		err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM price_parts p WHERE p.revision = r.number),
			coalesce(prices_after, 0) FROM revisions r WHERE number = ?`, number).Scan(&has, &before)
		if err != nil || has {
			return number, err
		}
		number = before
	}
	return 0, nil
}
