package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"tianti/account"
	"tianti/audit"
	"tianti/catalog"
	"tianti/changes"
	"tianti/importer"
	"tianti/pricefile"
	"tianti/refresh"
	"tianti/store"
	"tianti/web/admin"
	"tianti/web/runs"
	"tianti/webhook"
)

// dbPath is a database file, or the address of a database of PostgreSQL.
type dbPath string

// String is the path or address without a password.
func (p dbPath) String() string {
	if !p.onServer() {
		return string(p)
	}
	u, err := url.Parse(string(p))
	if err != nil {
		return "postgres://…"
	}
	u.RawQuery = "" // it may hold a password, too
	return u.Redacted()
}

// onServer reports whether the database is one of PostgreSQL.
func (p dbPath) onServer() bool { return store.IsURL(string(p)) }

const defaultDB = "tianti.db"

// databaseHelp is the help of the flag --db, which several commands have.
var databaseHelp = kong.Vars{
	"db_help": "Database: a file, or postgres://user@host/database; " + defaultDB + " unless given.",
	"new_db_help": "Database: a file, made when it is missing, or postgres://user@host/database; " + defaultDB +
		" unless given.",
	"copy_from_help": "Copy everything from that database, a file or postgres://…, into the one of --db, which must " +
		"hold nothing yet.",
}

// A database is the store as commands use it. Only this file knows package store; functions that need a few methods
// declare interfaces of their own.
type database interface {
	account.Store
	importer.Store
	refresh.Store
	admin.Store
	revisionAdder
	catalogue
	// LoadAsOf returns the catalogue of the revisions that were shown at a moment; nil where these are those of now.
	LoadAsOf(ctx context.Context, at time.Time) (*catalog.Snapshot, error)
	// LoadCards is Load without prices.
	LoadCards(context.Context) (*catalog.Snapshot, error)
	// Read returns an active revision as a whole.
	Read(ctx context.Context, revision int64) (catalog.Dataset, error)
	// WordPrices adds a table of prices that other programs can read.
	WordPrices(context.Context) error
	// Record adds an entry to the audit log.
	Record(context.Context, audit.Entry) error
	runs.Store
	webhook.Store
	changes.Store
	// Backup writes a copy to a new file.
	Backup(ctx context.Context, path string) error
	// KeepSums keeps what the next start would sum up again.
	KeepSums(context.Context) error
	// Publish writes what everybody may see to a new file.
	Publish(ctx context.Context, path string) (revision, schema int64, err error)
	// PriceFiles writes the prices that are shown as files for other programs.
	PriceFiles(ctx context.Context, dir string, known func(madeOf string) (pricefile.Part, bool)) (
		*pricefile.History, error)
	// SetPricesApart takes the prices out of what Publish wrote, and reports whether it has.
	SetPricesApart(ctx context.Context, path string) (bool, error)
	Close() error
}

// openReadOnly opens a database that is not changed. It must exist and have the schema of this version.
func openReadOnly(ctx context.Context, path dbPath) (database, error) {
	return opened(store.OpenReadOnly(ctx, string(path), store.Options{}))
}

// openOrCreate opens a database for writing. A missing one is created, an older one is migrated.
func openOrCreate(ctx context.Context, path dbPath) (database, error) {
	return opened(store.Open(ctx, string(path), store.Options{}))
}

// openForServer is [openOrCreate] for a process that answers requests while it imports.
func openForServer(ctx context.Context, path dbPath, migrating func(done, total int)) (database, error) {
	return opened(store.Open(ctx, string(path), store.Options{Gentle: true, Migrating: migrating}))
}

// openPublished opens a snapshot, which is this process's own.
func openPublished(ctx context.Context, path string) (database, error) {
	return opened(store.OpenPublished(ctx, path, store.Options{}))
}

// havePricesApart has db, a snapshot without prices, take them from files.
func havePricesApart(db database, of func(dataset string) *pricefile.Prices) {
	if s, ok := db.(*store.Store); ok {
		s.HavePricesApart(func(dataset string) store.HistoryApart { return of(dataset) })
	}
}

// goOnFrom has db, a snapshot, share with an earlier one what did not change.
func goOnFrom(ctx context.Context, db, before database) error {
	now, ok := db.(*store.Store)
	was, too := before.(*store.Store)
	if !ok || !too {
		return nil
	}
	return now.GoOnFrom(ctx, was)
}

// schemaVersion is the newest schema that this program reads.
func schemaVersion() int64 { return store.Schema() }

// openExisting opens a database for writing. A missing one is an error, an older one is migrated.
func openExisting(ctx context.Context, path dbPath) (database, error) {
	db, err := openReadOnly(ctx, path)
	switch {
	case errors.Is(err, store.ErrOlder):
	case err != nil:
		return nil, err
	default:
		if err := db.Close(); err != nil {
			return nil, err
		}
	}
	return openOrCreate(ctx, path)
}

// opened is db as an interface that is nil with an error.
func opened(db *store.Store, err error) (database, error) {
	if err != nil {
		return nil, err
	}
	return db, nil
}

// migrateCmd is tianti migrate.
type migrateCmd struct {
	DB       dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${new_db_help}"`
	CopyFrom dbPath `placeholder:"FILE" predictor:"file" help:"${copy_from_help}"`
}

// Help is the manual of tianti migrate.
func (migrateCmd) Help() string {
	return `Brings the database to the schema of this version, creating it when it is
missing. tianti serve does so by itself; this command is for whoever wants to do
it at another time. A database of a newer version is refused and left alone.

With --copy-from it then copies everything that another database holds as of one
moment, accounts and drafts too, in one transaction: all or nothing. Before it
commits it reads every table back, and prints how many rows each has with the
SHA-256 of their values. Stop the servers of the other database first, or what
they change meanwhile is not in the copy. The other database is only read; it
must have the schema of this version.

Examples:

    tianti migrate
    tianti migrate --copy-from tianti.db --db 'postgres://tianti@db.example/tianti?sslmode=verify-full'
    tianti migrate --copy-from postgres:///tianti --db tianti.db`
}

// Run migrates.
func (c *migrateCmd) Run(e *env) error {
	if c.CopyFrom != "" && c.CopyFrom == c.DB {
		return usageError{errors.New("--copy-from and --db are the same database")}
	}
	from, to, err := store.Migrate(e.ctx, string(c.DB), progressOn(e.stderr))
	if err != nil {
		return err
	}
	if from == to {
		_, err = fmt.Fprintf(e.stdout, "%s has schema %d, the current one\n", c.DB, to)
	} else {
		_, err = fmt.Fprintf(e.stdout, "%s: schema %d → %d\n", c.DB, from, to)
	}
	if c.CopyFrom == "" || err != nil {
		return err
	}
	return c.copy(e)
}

// copy copies one database into another and prints what was copied.
func (c *migrateCmd) copy(e *env) (err error) {
	source, err := store.OpenReadOnly(e.ctx, string(c.CopyFrom), store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := store.Open(e.ctx, string(c.DB), store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	list, err := store.Copy(e.ctx, target, source)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, t := range list {
		fmt.Fprintf(w, "%s\t%d\t%s\n", t.Table, t.Rows, t.SHA256)
	}
	fmt.Fprintf(w, "%s holds what %s holds.\n", c.DB, c.CopyFrom)
	return w.Flush()
}

// progressOn tells how far a long migration is, every few seconds.
func progressOn(w io.Writer) func(done, total int) {
	told := time.Now()
	return func(done, total int) {
		if time.Since(told) >= 3*time.Second {
			told = time.Now()
			fmt.Fprintf(w, "%d of %d prices are moved\n", done, total)
		}
	}
}

// backupCmd is tianti backup.
type backupCmd struct {
	File string `arg:"" predictor:"file" help:"File to write; it must not exist."`
	DB   dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"${db_help}"`
}

// Help is the manual of tianti backup.
func (backupCmd) Help() string {
	return `Writes a compact copy of the database as it is at this moment. Servers may go on
reading and writing meanwhile. The copy is a database like any other: to restore
it, stop the server and put the copy in the place of the database. Also of a
database of PostgreSQL the copy is a file; tianti migrate --copy-from brings it
back into an empty one. (pg_dump makes copies of PostgreSQL's own kind.)

Example:

    tianti backup --db /var/lib/tianti/tianti.db /backup/tianti-$(date +%F).db`
}

// Run copies the database.
func (c *backupCmd) Run(e *env) error {
	db, err := openReadOnly(e.ctx, c.DB)
	if err != nil {
		return err
	}
	err = db.Backup(e.ctx, c.File)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s is a copy of %s\n", c.File, c.DB)
	return err
}
