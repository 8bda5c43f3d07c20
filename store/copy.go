package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"strings"
)

// allTables are the tables of a database, each behind those that its rows refer to, with what orders its rows.
// price_sums is none of them: it is made anew from prices, in the background.
var allTables = []struct{ name, order string }{
	{"datasets", "key"}, {"revisions", "number"}, {"quantities", "key"}, {"sources", "revision, number"},
	{"cards", "revision, number"}, {"aliases", "revision, card, ordinal"}, {"pci_ids", "revision, card, ordinal"},
	{"facts", "revision, card, ordinal"}, {"fact_notes", "revision, card, ordinal"},
	{"annotations", "revision, kind, ordinal"}, {"rates", "revision, ordinal"}, {"price_parts", "key"},
	{"drafts", "revision"}, {"left_out", "revision, ordinal"}, {"uploads", "key"}, {"file_parts", "upload, ordinal"},
	{"files", "sha256"}, {"choices", "dataset"}, {"accounts", "key"}, {"sessions", "hash"}, {"tokens", "key"},
	{"second_factors", "account"}, {"recovery_codes", "hash"}, {"devices", "hash"},
	{"audit", "number"}, {"feeds", "id"}, {"runs", "key"}, {"webhooks", "key"},
	{"webhook_messages", "key"}, {"catalogue", "one"},
}

// A TableCopy is what was copied of a table, and read back.
type TableCopy struct {
	Table  string
	Rows   int64
	SHA256 string // of all values of all rows, in hexadecimal
}

// Copy copies everything that one database holds as of one moment into another one, which has to be empty, in one
// transaction. Before it commits it reads all of it back: unless each table has the same rows, nothing is changed.
func Copy(ctx context.Context, to, from *Store) (list []TableCopy, err error) {
	attempt := "copy " + from.path
	if to.writer == nil {
		return nil, fmt.Errorf("%s: %w", attempt, &dbError{path: to.path, kind: ErrReadOnly})
	}
	source, _, err := from.beginRead(ctx)
	if err != nil {
		return nil, explain(ctx, from.path, attempt, err)
	}
	defer source.Rollback()
	_, err = to.writeOnce(ctx, attempt, func(tx *sql.Tx) error {
		if err := isEmpty(ctx, tx, to.path); err != nil {
			return err
		}
		c := copying{ctx: ctx, source: source, target: tx, from: from.dialect, to: to.dialect}
		list, err = c.all()
		if detail, kind := postgresKind(err); kind != nil && to.server == nil { // only the other one is a server
			err = &dbError{path: from.path, kind: kind, cause: err, detail: detail}
		}
		return err
	})
	if err != nil {
		list = nil
	}
	return list, err
}

// ErrNotEmpty says that a database cannot be copied into, because it holds something.
var ErrNotEmpty = errors.New("holds something already: copy into an empty one")

func isEmpty(ctx context.Context, tx *sql.Tx, path string) error {
	var some bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM revisions) OR EXISTS (SELECT 1 FROM accounts)
		OR EXISTS (SELECT 1 FROM audit) OR EXISTS (SELECT 1 FROM runs) OR EXISTS (SELECT 1 FROM feeds)
		OR EXISTS (SELECT 1 FROM uploads) OR EXISTS (SELECT 1 FROM webhooks)`).Scan(&some)
	if err == nil && some {
		err = &dbError{path: path, kind: ErrNotEmpty}
	}
	return err
}

// onTable is called before each step; tests stop there.
var onTable = func(step string) {}

// copying copies from one transaction to another.
type copying struct {
	ctx            context.Context
	source, target *sql.Tx
	from, to       *dialect
}

func (c *copying) all() ([]TableCopy, error) {
	if _, err := c.target.ExecContext(c.ctx, "DELETE FROM catalogue"); err != nil {
		return nil, err
	}
	var list []TableCopy
	for _, t := range allTables {
		onTable("copy " + t.name)
		copied, err := c.table(t.name, t.order)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
		list = append(list, copied)
	}
	if err := c.activate(); err != nil {
		return nil, err
	}
	if err := c.keys(); err != nil {
		return nil, err
	}
	for i, t := range allTables {
		onTable("read " + t.name)
		want := list[i]
		got, err := c.read(c.target, c.to, t.name, t.order, nil)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
		if got != want {
			return nil, fmt.Errorf("table %s was read back with %d rows of SHA-256 %s, want %d of %s", t.name, got.Rows,
				got.SHA256, want.Rows, want.SHA256)
		}
	}
	return list, nil
}

// table copies a table. Which revision of a dataset is active follows, as revisions refer to datasets, too.
func (c *copying) table(name, order string) (TableCopy, error) {
	columns, err := columnsWithTypes(c.ctx, c.target, c.to, name)
	if err != nil {
		return TableCopy{}, err
	}
	insert, err := c.to.inserter(c.ctx, c.target, name, strings.Join(columns, ", "))
	if err != nil {
		return TableCopy{}, err
	}
	defer insert.close()
	copied, err := c.read(c.source, c.from, name, order, func(names []string, row []any) error {
		row = append([]any(nil), row...)
		for i, v := range row {
			if name == "datasets" && names[i] == "active_revision" {
				row[i] = nil
			}
			if b, ok := v.(bool); ok && !c.to.bulk {
				row[i] = int64(0)
				if b {
					row[i] = int64(1)
				}
			}
		}
		return insert.add(row...)
	})
	if err == nil {
		err = insert.flush()
	}
	return copied, err
}

// activate makes revisions the active ones, as they are where they come from.
func (c *copying) activate() error {
	var key, active int64
	rows, err := c.source.QueryContext(c.ctx, "SELECT key, active_revision FROM datasets WHERE active_revision IS "+
		"NOT NULL")
	return each(rows, err, []any{&key, &active}, func() error {
		_, err := c.target.ExecContext(c.ctx, "UPDATE datasets SET active_revision = ? WHERE key = ?", active, key)
		return err
	})
}

// read reads all rows of a table, in order, with its columns sorted by name.
func (c *copying) read(
	tx *sql.Tx, d *dialect, name, order string, row func([]string, []any) error,
) (TableCopy, error) {
	columns, err := columnsWithTypes(c.ctx, c.target, c.to, name)
	if err != nil {
		return TableCopy{}, err
	}
	names := make([]string, len(columns))
	values, dest := make([]any, len(columns)), make([]any, len(columns))
	for i, column := range columns {
		names[i], _, _ = strings.Cut(column, " ")
		dest[i] = &values[i]
	}
	out := TableCopy{Table: name}
	sum := sha256.New()
	rows, err := tx.QueryContext(c.ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+name+" ORDER BY "+order)
	err = each(rows, err, dest, func() error {
		out.Rows++
		for _, v := range values {
			if err := addTo(sum, v); err != nil {
				return err
			}
		}
		if row == nil {
			return nil
		}
		return row(names, values)
	})
	out.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return out, err
}

// addTo adds a value to a hash, with what kind it is and how long.
func addTo(sum hash.Hash, v any) error {
	var b []byte
	kind := byte(0)
	switch v := v.(type) {
	case nil:
	case bool: // a number in SQLite
		kind, b = 1, make([]byte, 8)
		if v {
			b[7] = 1
		}
	case int64:
		kind, b = 1, binary.BigEndian.AppendUint64(nil, uint64(v))
	case float64:
		kind, b = 2, binary.BigEndian.AppendUint64(nil, math.Float64bits(v))
	case string:
		kind, b = 3, []byte(v)
	case []byte:
		kind, b = 4, v
	default:
		return fmt.Errorf("a value is %T", v)
	}
	sum.Write(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(b))))
	sum.Write(b)
	return nil
}

// columnsWithTypes lists the columns of a table by their names, with their types in PostgreSQL.
func columnsWithTypes(ctx context.Context, q queryer, d *dialect, table string) ([]string, error) {
	var name, kind string
	rows, err := q.QueryContext(ctx, d.columns, table)
	return collect(rows, err, []any{&name, &kind}, func() string { return name + " " + kind })
}

// keys lets new keys begin behind those that were ever given, also to rows that are gone.
func (c *copying) keys() error {
	var table, column string
	var last int64
	type key struct {
		table, column string
		last          int64
	}
	rows, err := c.source.QueryContext(c.ctx, c.from.lastKeys)
	list, err := collect(rows, err, []any{&table, &last}, func() key { return key{table, "", last} })
	if err != nil {
		return err
	}
	given := map[string]int64{}
	for _, k := range list {
		given[k.table] = k.last
	}
	rows, err = c.target.QueryContext(c.ctx, c.to.keyColumns)
	list, err = collect(rows, err, []any{&table, &column}, func() key { return key{table, column, given[table]} })
	if err != nil {
		return err
	}
	for _, k := range list {
		var highest int64
		err := c.target.QueryRowContext(c.ctx, "SELECT coalesce(max("+k.column+"), 0) FROM "+k.table).Scan(&highest)
		if err == nil && max(highest, k.last) > 0 {
			_, err = c.target.ExecContext(c.ctx, c.to.setKey, max(highest, k.last), k.table, k.column)
		}
		if err != nil {
			return fmt.Errorf("keys of %s: %w", k.table, err)
		}
	}
	return nil
}

// backupTo copies a database of PostgreSQL into an empty file, which the caller takes away when that fails.
func (s *Store) backupTo(ctx context.Context, path string) error {
	to, err := Open(ctx, path, s.opt)
	if err != nil {
		return err
	}
	_, err = Copy(ctx, to, s)
	if err = errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, remove(path+"-wal"), remove(path+"-shm"))
	}
	return nil
}
