package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tianti/audit"
)

// record writes an entry of the audit log, in the transaction of the change. Its time is now unless the entry has one.
func (s *Store) record(ctx context.Context, tx *sql.Tx, e audit.Entry) error {
	detail, err := json.Marshal(e.Detail)
	if err != nil {
		return fmt.Errorf("record %s: %w", e.Action, err)
	}
	if len(e.Detail) == 0 {
		detail = []byte("{}")
	}
	if e.At.IsZero() {
		e.At = s.opt.Now()
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO audit (at, actor, via, address, action, subject, detail) VALUES (?, ?, "+
		"?, ?, ?, ?, ?)",
		e.At.Unix(), e.Actor.Name, string(e.Actor.Channel), e.Actor.Address, e.Action, e.Subject, string(detail))
	if err != nil {
		return fmt.Errorf("record %s: %w", e.Action, err)
	}
	return nil
}

// Record adds an entry to the audit log for an event that changed nothing else in the database.
func (s *Store) Record(ctx context.Context, e audit.Entry) error {
	return s.write(ctx, "record "+e.Action, func(tx *sql.Tx) error { return s.record(ctx, tx, e) })
}

// Entries returns entries of the audit log, newest first, and how many there are in all.
func (s *Store) Entries(ctx context.Context, q audit.Query) (out []audit.Entry, total int, err error) {
	where, args := s.dialect.entryFilter(q)
	tx, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, explain(ctx, s.path, "read the record", err)
	}
	defer tx.Rollback()
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM audit"+where, args...).Scan(&total)
	if err == nil {
		out, err = readEntries(ctx, tx, where+" ORDER BY number DESC LIMIT ? OFFSET ?", append(args, q.N, q.From))
	}
	return out, total, explain(ctx, s.path, "read the record", err)
}

// entryFilter makes the condition of a query; % and _ in what is searched for mean themselves.
func (d *dialect) entryFilter(q audit.Query) (where string, args []any) {
	like := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace
	where = " WHERE action " + d.like + " ?1 ESCAPE '\\'"
	args = append(args, like(q.Action)+"%")
	if q.Before > 0 {
		where += " AND number < " + strconv.FormatInt(q.Before, 10)
	}
	if q.Text != "" {
		where += strings.ReplaceAll(` AND (actor LIKE ?2 ESCAPE '\' OR action LIKE ?2 ESCAPE '\'
			OR subject LIKE ?2 ESCAPE '\' OR detail LIKE ?2 ESCAPE '\')`, "LIKE", d.like)
		args = append(args, "%"+like(q.Text)+"%")
	}
	return where, args
}

func readEntries(ctx context.Context, q queryer, rest string, args []any) (out []audit.Entry, err error) {
	var e audit.Entry
	var at int64
	var detail string
	rows, err := q.QueryContext(ctx, "SELECT number, at, actor, via, address, action, subject, detail FROM audit"+rest,
		args...)
	dest := []any{&e.Number, &at, &e.Actor.Name, &e.Actor.Channel, &e.Actor.Address, &e.Action, &e.Subject, &detail}
	err = each(rows, err, dest, func() error {
		e.At, e.Detail = time.Unix(at, 0).UTC(), nil
		if err := json.Unmarshal([]byte(detail), &e.Detail); err != nil {
			return fmt.Errorf("line %d of the record: %w: %w", e.Number, err, ErrCorrupt)
		}
		out = append(out, e)
		return nil
	})
	return out, err
}
