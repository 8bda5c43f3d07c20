package store

import (
	"context"
	"database/sql"
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
	in.stmt, err = tx.PrepareContext(ctx, "INSERT INTO "+table+" ("+in.names+") VALUES (?"+
		strings.Repeat(", ?", len(names)-1)+")")
	return in, err
}

// An inserter inserts rows of a table: at once, which is quickest in SQLite, or many together.
type inserter struct {
	ctx   context.Context
	stmt  *sql.Stmt // nil: many together
	after *inserter // whose rows others refer to, and that is flushed first; may be nil

	tx           *sql.Tx
	table, names string
	types        []string // of the columns, in PostgreSQL
	columns      []column
	rows, bytes  int
}

// add inserts a row, at the latest when flush returns.
func (in *inserter) add(values ...any) error {
	if in.stmt != nil {
		_, err := in.stmt.ExecContext(in.ctx, values...)
		return err
	}
	return in.gather(values)
}

func (in *inserter) close() {
	if in.stmt != nil {
		in.stmt.Close()
	}
}
