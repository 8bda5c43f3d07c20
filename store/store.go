// Package store keeps datasets and their revisions in one SQLite file.
//
// An import adds a revision of a dataset and makes it the active one, in one transaction; undo makes an earlier
// revision active again; no applied revision is ever deleted. A draft is a revision that was written in parts and is
// not applied yet; it is visible only by its number. Load merges the active revisions into a catalog.Snapshot. Any
// number of processes may read while one writes.
//
// This is the only package that knows SQL. Its errors say what was attempted and, where a person can do something about
// it, what (see [ErrLocked] and its siblings); an unknown dataset, revision, draft, file or account is fs.ErrNotExist.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options of a store; the zero value is what production uses.
type Options struct {
	BusyTimeout time.Duration    // how long to wait for another process's lock; 5 s when 0
	Now         func() time.Time // time.Now when nil
	// a draft is not written while its next rows are made: what else the process does keeps a processor
	Gentle bool
	// Migrating, unless nil, is called while an older database is brought to the current schema, where that takes long:
	// with how many prices are moved, and how many there are.
	Migrating func(done, total int)
}

func (o Options) withDefaults() Options {
	if o.BusyTimeout == 0 {
		o.BusyTimeout = 5 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// A Store is an open database. It is safe for concurrent use.
type Store struct {
	path    string // what errors call the database
	dialect *dialect
	server  *connector // of PostgreSQL; nil for a file
	opt     Options
	writer  *sql.DB  // one connection, its transactions take the write lock at once; nil when read-only
	reader  *sql.DB  // cannot write
	lost    sync.Map // see deleteDraftOrRetry

	// of a published database that has no prices: where they are, by dataset; else nil
	apart func(dataset string) HistoryApart

	loading sync.Mutex
	loaded  *loaded // what was loaded last; nil before
	past    past
}

// Open opens the database at path, creating it when there is no file (or an empty one), and brings it to the current
// schema. A database that must not be touched (of a newer version, of another program, damaged) is not touched.
func Open(ctx context.Context, path string, opt Options) (*Store, error) {
	opt = opt.withDefaults()
	if IsURL(path) {
		return openPostgres(ctx, path, opt)
	}
	schema, err := inspect(ctx, path, opt)
	if err != nil {
		return nil, explain(ctx, path, "open", err)
	}
	if err := createPrivate(path); err != nil {
		return nil, explain(ctx, path, "open", err)
	}
	s := &Store{path: path, dialect: sqliteDialect, opt: opt}
	looking := opt
	looking.BusyTimeout = min(opt.BusyTimeout, lookOften)
	if s.writer, err = connect(writerDSN(path, looking), 1); err != nil {
		return nil, explain(ctx, path, "open", err)
	}
	if s.reader, err = connect(readerDSN(path, opt), readConnections()); err != nil {
		return nil, errors.Join(explain(ctx, path, "open", err), s.writer.Close())
	}
	if err := s.prepare(ctx, schema); err != nil {
		return nil, errors.Join(explain(ctx, path, "open", err), s.reader.Close(), s.writer.Close())
	}
	return s, nil
}

// prepare makes sure that the file can be written and has the current schema.
func (s *Store) prepare(ctx context.Context, schema int64) error {
	if err := s.firstConnection(ctx); err != nil {
		return err
	}
	if schema != latestSchema() {
		if err := s.migrate(ctx); err != nil {
			return err
		}
	}
	return s.clean(ctx)
}

// migrate has a connection of its own, which waits for locks as long as it may.
func (s *Store) migrate(ctx context.Context) error {
	db, err := connect(writerDSN(s.path, s.opt), 1)
	if err != nil {
		return err
	}
	return errors.Join(migrate(withProgress(ctx, s.opt.Migrating), db), db.Close())
}

// firstConnection opens the writer's connection. While another process creates the same database, switching it to WAL
// fails at once instead of waiting.
func (s *Store) firstConnection(ctx context.Context) error {
	deadline := time.Now().Add(s.opt.BusyTimeout)
	for {
		err := writable(ctx, s.writer, s.path)
		if sqliteKind[resultCode(err)&0xff] != ErrLocked || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// OpenReadOnly opens an existing database of exactly the current schema without ever changing it; methods that write
// fail with ErrReadOnly. A missing file is fs.ErrNotExist.
func OpenReadOnly(ctx context.Context, path string, opt Options) (*Store, error) {
	opt = opt.withDefaults()
	if IsURL(path) {
		return openPostgresReadOnly(ctx, path, opt)
	}
	if err := mustExist(path); err != nil {
		return nil, err
	}
	schema, err := inspect(ctx, path, opt)
	if err == nil && schema < latestSchema() {
		err = &dbError{path: path, kind: ErrOlder}
	}
	if err != nil {
		return nil, explain(ctx, path, "open for reading", err)
	}
	db, err := connect(inspectDSN(path, opt, "ro"), readConnections())
	if err != nil {
		return nil, explain(ctx, path, "open for reading", err)
	}
	return &Store{path: path, dialect: sqliteDialect, opt: opt, reader: db}, nil
}

// readConnections leaves connections for pages beside those that load.
func readConnections() int { return max(4, runtime.GOMAXPROCS(0)) }

// Close moves what is in the write-ahead log into the database file, as far as readers in other processes allow without
// waiting for them, and closes it.
func (s *Store) Close() error {
	err := s.reader.Close()
	if s.writer == nil {
		return err
	}
	if s.server != nil {
		return errors.Join(err, s.writer.Close())
	}
	_, checkpoint := s.writer.Exec("PRAGMA wal_checkpoint(PASSIVE)")
	checkpoint = explain(context.Background(), s.path, "close", checkpoint)
	return errors.Join(err, checkpoint, s.writer.Close())
}

// tries is how often a change is begun that another one, or a server that starts again, has thrown back.
const tries = 4

// write runs fn in a transaction that holds the lock of the writer from its start; it is rolled back when fn fails or
// ctx ends. fn may run again when a server has thrown it back: it begins afresh each time.
func (s *Store) write(ctx context.Context, attempt string, fn func(*sql.Tx) error) error {
	for left := tries - 1; ; left-- {
		thrownBack, err := s.writeOnce(ctx, attempt, fn)
		if !thrownBack || left == 0 {
			return err
		}
	}
}

// writeOnce runs fn once; thrownBack means that nothing was changed, and that it may go well the next time.
func (s *Store) writeOnce(
	ctx context.Context, attempt string, fn func(*sql.Tx) error,
) (thrownBack bool, err error) {
	if s.writer == nil {
		return false, fmt.Errorf("%s: %w", attempt, &dbError{path: s.path, kind: ErrReadOnly})
	}
	tx, err := s.begin(ctx)
	if err != nil {
		return s.throwsBack(err), explain(ctx, s.path, attempt, err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := fn(tx); err != nil {
		return s.throwsBack(err), explain(ctx, s.path, attempt, err)
	}
	err = tx.Commit()
	if _, kind := postgresKind(err); kind == ErrAway && s.server != nil {
		return false, fmt.Errorf("%s: %w", attempt, &dbError{path: s.path, kind: ErrUnsure, cause: err})
	}
	return s.throwsBack(err), explain(ctx, s.path, attempt, err)
}

// throwsBack reports whether what failed before it was committed may go well the next time.
func (s *Store) throwsBack(err error) bool {
	_, kind := postgresKind(err)
	return s.server != nil && (kind == ErrConflict || kind == ErrAway)
}

// begin begins a transaction that holds the lock of the writer.
func (s *Store) begin(ctx context.Context) (*sql.Tx, error) { return s.dialect.begin(ctx, s) }

// beginSQLite waits for the write lock. SQLite's own waiting looks ever less often, in the end ten times a second, and
// would miss the moments that a draft leaves; so the writer's connection waits for lookOften, and begins again.
func beginSQLite(ctx context.Context, s *Store) (*sql.Tx, error) {
	deadline := time.Now().Add(s.opt.BusyTimeout)
	for {
		tx, err := s.writer.BeginTx(ctx, nil)
		if sqliteKind[resultCode(err)&0xff] != ErrLocked || time.Now().After(deadline) {
			return tx, err
		}
	}
}

// lookOften is long enough for SQLite to look three times, after 1 and 3 ms.
const lookOften = 3 * time.Millisecond

// queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// collect lists what row makes of each row of a query after scanning it into dest.
func collect[T any](rows *sql.Rows, err error, dest []any, row func() T) (out []T, _ error) {
	err = each(rows, err, dest, func() error {
		out = append(out, row())
		return nil
	})
	return out, err
}

// keysTogether is how many keys are asked for at once; tests make it smaller.
var keysTogether = 64

// eachAmong calls fn for each row that a query has of some keys, which stand in it as IN (); what other arguments there
// are comes behind. Keys that are named are looked up: a server that is to join them reads far more.
func eachAmong[K any](
	ctx context.Context, q queryer, query string, keys []K, args []any, dest []any, fn func() error,
) error {
	for some := range slices.Chunk(keys, keysTogether) {
		var all []any
		for _, k := range some {
			all = append(all, k)
		}
		in := "IN (?" + strings.Repeat(", ?", len(some)-1) + ")"
		rows, err := q.QueryContext(ctx, strings.Replace(query, "IN ()", in, 1), append(all, args...)...)
		if err := each(rows, err, dest, fn); err != nil {
			return err
		}
	}
	return nil
}

// each calls fn for each row of a query after scanning it into dest.
func each(rows *sql.Rows, err error, dest []any, fn func() error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if err := fn(); err != nil {
			return err
		}
	}
	return rows.Err()
}
