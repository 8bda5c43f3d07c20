package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What can be wrong with a database, said so that a person can act on it. The errors of this package wrap them,
// together with the path and the cause.
var (
	ErrIsDirectory = errors.New("is a directory: give the path of a file, such as tianti.db in that directory")
	ErrNoFolder    = errors.New("its folder does not exist: create the folder first")
	ErrNotDatabase = errors.New("is not a database: move the file away, or give another path")
	ErrForeign     = errors.New("is the database of another program: give another path")
	ErrCorrupt     = errors.New("is damaged: restore it from a backup, or move it away to start afresh")
	ErrNotWritable = errors.New("cannot be written: make the file and its folder writable for the user that runs " +
		"this program")
	ErrDescriptors = errors.New("cannot be opened, this process or the system has no file descriptors left: close " +
		"some connections or raise the limit (ulimit -n, LimitNOFILE), then try again")
	ErrLocked = errors.New("is locked by another process: wait for it or stop it, then try again")
	ErrNewer  = errors.New("was written by a newer version of this program: use that version (nothing was " +
		"changed)")
	ErrOlder    = errors.New("was written by an older version of this program: migrate it first")
	ErrDiskFull = errors.New("has no room to grow, the disk is full: free some space and try again (nothing was " +
		"changed)")
	ErrReadOnly = errors.New("was opened for reading only")
)

// What can be wrong with a database of PostgreSQL besides.
var (
	ErrAddress = errors.New("has no address that can be read: want one such as " +
		"postgres://user@host:5432/database?sslmode=verify-full")
	ErrAway         = errors.New("cannot be reached")
	ErrRefused      = errors.New("refuses the user or the password")
	ErrNoDatabase   = errors.New("does not exist: create it first, such as with createdb")
	ErrNoSchema     = errors.New("has no schema that tables could be made in: see search_path")
	ErrEmpty        = fmt.Errorf("has no tables of this program yet: tianti migrate makes them (%w)", fs.ErrNotExist)
	ErrNotAllowed   = errors.New("does not allow that to this user: grant it, or give another user")
	ErrStandby      = errors.New("takes no changes: it is a standby, or read-only")
	ErrNoConnection = errors.New("has no connection left: raise its max_connections, or stop some of its clients")
	ErrConflict     = errors.New("was changed by somebody else at the same moment: try again (nothing was changed)")
	ErrTimeout      = errors.New("took longer than it allows: see its statement_timeout (nothing was changed)")
	ErrUnsure       = errors.New("broke the connection while a change was committed: look whether it is there before " +
		"trying again")
)

// dbError is a problem of the database at path. Its text is one line without the wording of SQLite, which errors.As
// finds in cause.
type dbError struct {
	path   string
	kind   error  // one of the errors above
	cause  error  // may be nil
	detail string // what else helps; may be empty
}

func (e *dbError) Error() string {
	text := "database " + e.path + " " + e.kind.Error()
	if e.detail != "" {
		text += ": " + e.detail
	}
	return text
}

// Unavailable reports whether the same may go well in a moment, without a change of what was asked.
func (e *dbError) Unavailable() bool {
	return slices.Contains([]error{ErrLocked, ErrAway, ErrNoConnection, ErrDescriptors, ErrTimeout}, e.kind)
}

func (e *dbError) Unwrap() []error {
	if e.cause == nil {
		return []error{e.kind}
	}
	return []error{e.kind, e.cause}
}

// notFound is an unknown dataset or revision; it is fs.ErrNotExist.
type notFound string

func (e notFound) Error() string        { return string(e) }
func (e notFound) Is(target error) bool { return target == fs.ErrNotExist }

func noDataset(id string) error     { return notFound(fmt.Sprintf("there is no dataset %q", id)) }
func noRevision(number int64) error { return notFound(fmt.Sprintf("there is no revision %d", number)) }
func noDraft(number int64) error    { return notFound(fmt.Sprintf("there is no draft %d", number)) }
func noFile(sha256 string) error {
	return notFound(fmt.Sprintf("no file with SHA-256 %q is kept", sha256))
}

// sqliteKind maps SQLite's result codes to what they mean for a person.
var sqliteKind = map[int]error{
	sqlite3.SQLITE_BUSY:     ErrLocked,
	sqlite3.SQLITE_LOCKED:   ErrLocked,
	sqlite3.SQLITE_PROTOCOL: ErrLocked,
	sqlite3.SQLITE_READONLY: ErrNotWritable,
	sqlite3.SQLITE_PERM:     ErrNotWritable,
	sqlite3.SQLITE_CANTOPEN: ErrNotWritable,
	sqlite3.SQLITE_NOTADB:   ErrNotDatabase,
	sqlite3.SQLITE_CORRUPT:  ErrCorrupt,
	sqlite3.SQLITE_FULL:     ErrDiskFull,
}

// resultCode is SQLite's extended result code of err; its low byte is the primary code. It is 0 for an error of another
// origin.
func resultCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return sqlite3.SQLITE_OK
}

// whyNotOpened asks the system why a database could not be opened, which SQLite does not tell.
func whyNotOpened(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		_ = f.Close()
		f, err = os.Open(filepath.Dir(path)) // the last descriptor was enough for one
	}
	if err == nil {
		_ = f.Close()
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return ErrDescriptors
	}
	return ErrNotWritable
}

// explain says what was attempted and, when err comes from SQLite, what is wrong. An error that already says it, and
// the end of ctx, keep their text.
func explain(ctx context.Context, path, attempt string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", attempt, context.Cause(ctx))
	}
	if _, ok := errors.AsType[*dbError](err); ok {
		return fmt.Errorf("%s: %w", attempt, err)
	}
	kind, detail := sqliteKind[resultCode(err)&0xff], ""
	if kind == nil {
		detail, kind = postgresKind(err)
	}
	switch {
	case errors.Is(err, ErrCorrupt):
		kind = ErrCorrupt
	case resultCode(err)&0xff == sqlite3.SQLITE_CANTOPEN:
		kind = whyNotOpened(path)
	}
	if kind != nil {
		err = &dbError{path: path, kind: kind, cause: err, detail: detail}
	}
	return fmt.Errorf("%s: %w", attempt, err)
}
