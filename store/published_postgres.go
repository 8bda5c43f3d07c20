package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// carryPublic is copyPublic of a database of PostgreSQL.
func (s *Store) carryPublic(ctx context.Context, path string) (revision int64, err error) {
	source, revision, err := s.beginRead(ctx)
	if err != nil {
		return 0, err
	}
	defer source.Rollback()
	pragmas := strings.Replace(dsn(path, s.opt, publicPragmas), "foreign_keys(1)", "foreign_keys(0)", 1)
	db, err := connect(pragmas, 1)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	for i := range publicTables {
		if err := carry(ctx, source, tx, &publicTables[i]); err != nil {
			return 0, fmt.Errorf("table %s: %w", publicTables[i].name, err)
		}
	}
	return revision, errors.Join(tx.Commit(), db.Close())
}

// carry copies what is published of a table, in the order of its keys: equal content gives equal bytes.
func carry(ctx context.Context, from, to *sql.Tx, t *publicTable) error {
	n := strings.Count(t.columns, ",") + 1
	insert, err := to.PrepareContext(ctx, "INSERT INTO "+t.name+" ("+t.columns+") VALUES (?"+
		strings.Repeat(", ?", n-1)+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	values, dest := make([]any, n), make([]any, n)
	for i := range values {
		dest[i] = &values[i]
	}
	query := strings.ReplaceAll(t.reading(), "main.", "") + " ORDER BY " + orderOf(t.name)
	rows, err := from.QueryContext(ctx, query)
	return each(rows, err, dest, func() error {
		_, err := insert.ExecContext(ctx, values...)
		return err
	})
}

// orderOf is what orders the rows of a table.
func orderOf(table string) string {
	for _, t := range allTables {
		if t.name == table {
			return t.order
		}
	}
	panic("store: no table " + table)
}
