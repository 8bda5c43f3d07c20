package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"
)

// applicationID marks our databases; the first migration sets it.
const applicationID = 1416192366

// sqliteDriver is the driver of SQLite; tests count what is asked of it.
var sqliteDriver = "sqlite"

// connect prepares a pool; nothing is opened yet. Its connections are kept: each new one would run the pragmas again.
func connect(dsn string, connections int) (*sql.DB, error) {
	db, err := sql.Open(sqliteDriver, dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// dsn sets pragmas by the DSN, because Exec would reach only one connection of a pool. busy_timeout comes first: the
// others may have to wait.
func dsn(path string, opt Options, rest string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	escaped := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	return fmt.Sprintf("file:%s?_pragma=busy_timeout(%d)&_pragma=foreign_keys(1)%s", escaped,
		opt.BusyTimeout.Milliseconds(), rest)
}

func writerDSN(path string, opt Options) string {
	// Of a database that has tables, auto_vacuum stays as it was made.
	return dsn(path, opt, "&_pragma=auto_vacuum(incremental)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"+
		"&_pragma=journal_size_limit(16777216)&_txlock=immediate")
}

func readerDSN(path string, opt Options) string { return dsn(path, opt, "&_query_only=1") }

// inspectDSN opens an existing file and runs no pragma that writes.
func inspectDSN(path string, opt Options, mode string) string { return dsn(path, opt, "&mode="+mode) }

// inspect returns the version of the schema of the database at path, 0 for one that is still to be created, without
// changing anything.
func inspect(ctx context.Context, path string, opt Options) (schema int64, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, checkFolder(path)
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, &dbError{path: path, kind: ErrIsDirectory}
	case !info.Mode().IsRegular():
		return 0, &dbError{path: path, kind: ErrNotDatabase}
	case info.Size() == 0:
		return 0, nil
	}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// No process has it open. Opened as immutable, it is read without creating a log and an index beside it. When
		// a process begins to write at this moment, that may fail; then it is opened as below.
		schema, err := readSchema(ctx, inspectDSN(path, opt, "ro&immutable=1"), path)
		if resultCode(err) == sqlite3.SQLITE_OK {
			return schema, err
		}
	}
	schema, err = readSchema(ctx, inspectDSN(path, opt, "ro"), path)
	if resultCode(err)&0xff == sqlite3.SQLITE_READONLY {
		// A process died while it wrote, and what it left can only be rolled back by a connection that may write.
		schema, err = readSchema(ctx, inspectDSN(path, opt, "rw"), path)
	}
	return schema, err
}

func checkFolder(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return &dbError{path: path, kind: ErrNoFolder}
	} else if err != nil {
		return err
	}
	return nil
}

// createPrivate makes the file of a new database, for nobody else to read: it holds hashes of passwords. SQLite gives
// the files beside it the same permissions.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return nil // what opens it says so in its own words
	}
	return f.Close()
}

func mustExist(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open for reading: database %s does not exist: %w", path, fs.ErrNotExist)
	}
	return nil
}

// readSchema reads the version in one transaction: another process may be migrating at this moment.
func readSchema(ctx context.Context, dsn, path string) (int64, error) {
	db, err := connect(dsn, 1)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	var tables, application int64
	err = tx.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version')`).
		Scan(&application, &tables)
	if err != nil {
		return 0, err
	}
	if tables > 0 && application != applicationID {
		return 0, &dbError{path: path, kind: ErrForeign}
	}
	schema, err := schemaVersion(ctx, tx, sqliteDialect)
	if err == nil && schema > latestSchema() {
		err = &dbError{path: path, kind: fmt.Errorf("has schema %d, this program knows %d: it %w", schema,
			latestSchema(), ErrNewer)}
	}
	return schema, err
}

// writable reports a database that can only be read: SQLite opens one as such without complaint and would fail at the
// first write.
func writable(ctx context.Context, db *sql.DB, path string) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		ro, err := c.(interface{ IsReadOnly(string) (bool, error) }).IsReadOnly("main")
		if err == nil && ro {
			err = &dbError{path: path, kind: ErrNotWritable}
		}
		return err
	})
}
