package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A dialect is what the databases that a store can be in say differently in SQL. Statements are written so that SQLite
// and PostgreSQL both understand them, with the placeholders of SQLite; what is left is here.
type dialect struct {
	// begin begins a transaction that holds the lock of the writer from its start.
	begin func(context.Context, *Store) (*sql.Tx, error)
	bulk  bool // rows are inserted many at a time: each statement goes to a server and back

	like   string // compares texts without regard to case
	value  string // of a fact: columns, so many of them
	values int

	versioned string // query: whether migrations have run

	// For those who copy all: the columns of a table (?) by name, with types of PostgreSQL; tables whose keys are never
	// given twice, with the last; columns of keys that the database gives; to set the last of a table and column.
	columns, lastKeys, keyColumns, setKey string
}

var sqliteDialect = &dialect{
	begin:     beginSQLite,
	like:      "LIKE",
	value:     "coalesce(number, text)",
	values:    1,
	versioned: "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'goose_db_version'",
	columns: "SELECT name, CASE type WHEN 'INTEGER' THEN 'bigint' WHEN 'REAL' THEN 'float8' WHEN 'BLOB' THEN 'bytea' " +
		"ELSE 'text' END FROM pragma_table_info(?) ORDER BY name",
	lastKeys: "SELECT name, seq FROM sqlite_sequence",
	keyColumns: "SELECT 'revisions', 'number' UNION ALL SELECT 'uploads', 'key' UNION ALL SELECT 'audit', 'number' " +
		"UNION ALL SELECT 'runs', 'key' UNION ALL SELECT 'webhooks', 'key' UNION ALL SELECT 'webhook_messages', 'key'",
	setKey: "INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq) SELECT (SELECT rowid FROM sqlite_sequence " +
		"WHERE name = ?2), ?2, ?1 WHERE ?3 <> ''",
}

// inserter prepares to insert rows of a table; columns have the types of PostgreSQL.
func (d *dialect) inserter(ctx context.Context, tx *sql.Tx, table, columns string) (*inserter, error) {
	in := &inserter{ctx: ctx, tx: tx, table: table}
	var names []string
	for column := range strings.SplitSeq(columns, ", ") {
		name, kind, _ := strings.Cut(column, " ")
		names, in.types = append(names, name), append(in.types, kind)
	}
	in.names = strings.Join(names, ", ")
	if d.bulk {
		in.begin()
		return in, nil
	}
	var err error
	in.stmt, err = in.prepare(1)
	return in, err
}

// rowsOfStatement is how many rows SQLite inserts with one statement: that takes a third less time than one by one, and
// more of them save no more.
const rowsOfStatement = 16

// prepare prepares a statement of SQLite that inserts so many rows.
func (in *inserter) prepare(rows int) (*sql.Stmt, error) {
	row := ", (?" + strings.Repeat(", ?", len(in.types)-1) + ")"
	return in.tx.PrepareContext(in.ctx, "INSERT INTO "+in.table+" ("+in.names+") VALUES "+
		strings.Repeat(row, rows)[len(", "):])
}

// An inserter inserts rows of a table, some or many together.
type inserter struct {
	ctx   context.Context
	after *inserter // whose rows others refer to, and that is flushed first; may be nil

	tx           *sql.Tx
	table, names string
	types        []string // of the columns, in PostgreSQL

	// SQLite
	stmt, some *sql.Stmt // of one row, and of rowsOfStatement
	waiting    []any     // values of rows that are not inserted yet
	small      bool      // rows are small and checked beforehand, so that no error has to name one: some together

	// PostgreSQL
	columns     []column
	rows, bytes int
}

// add inserts a row, at the latest when flush returns.
func (in *inserter) add(values ...any) error {
	switch {
	case in.stmt == nil:
		return in.gather(values)
	case !in.small:
		_, err := in.stmt.ExecContext(in.ctx, values...)
		return err
	}
	in.waiting = append(in.waiting, values...)
	if len(in.waiting) < rowsOfStatement*len(in.types) {
		return nil
	}
	return in.flush()
}

// flush inserts what was added, behind what it refers to.
func (in *inserter) flush() error {
	if in == nil || in.rows == 0 && len(in.waiting) == 0 {
		return nil
	}
	if err := in.after.flush(); err != nil {
		return err
	}
	if in.stmt == nil {
		return in.insertTogether()
	}
	values := in.waiting
	in.waiting = in.waiting[:0]
	if len(values) == rowsOfStatement*len(in.types) {
		return in.insertSome(values)
	}
	for row := range slices.Chunk(values, len(in.types)) {
		if _, err := in.stmt.ExecContext(in.ctx, row...); err != nil {
			return fmt.Errorf("%w %s: %w", errTogether, in.table, err)
		}
	}
	return nil
}

// errTogether is the beginning of errors that are of one of many rows.
var errTogether = errors.New("rows of")

func (in *inserter) insertSome(values []any) (err error) {
	if in.some == nil {
		if in.some, err = in.prepare(rowsOfStatement); err != nil {
			return err
		}
	}
	if _, err = in.some.ExecContext(in.ctx, values...); err != nil {
		return fmt.Errorf("%w %s: %w", errTogether, in.table, err)
	}
	return nil
}

func (in *inserter) close() {
	for _, s := range []*sql.Stmt{in.stmt, in.some} {
		if s != nil {
			s.Close()
		}
	}
}
