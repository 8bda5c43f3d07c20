package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"github.com/pressly/goose/v3"

	"tianti/migrations"
)

// latestSchema is the version of the newest embedded migration: the number at the start of its name.
var latestSchema = sync.OnceValue(func() int64 {
	latest := latestOf(migrations.FS)
	for _, m := range goMigrations() {
		latest = max(latest, m.Version)
	}
	return latest
})

// latestOf is the number of the newest migration in a folder.
func latestOf(folder fs.FS) (latest int64) {
	names, _ := fs.Glob(folder, "*.sql")
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			panic("store: migration without a number: " + name)
		}
		latest = max(latest, n)
	}
	return latest
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectSQLite3, db, migrations.FS, goose.WithLogger(goose.NopLogger()),
		goose.WithGoMigrations(goMigrations()...), goose.WithDisableGlobalRegistry(true))
}

// migrate brings the schema up. Each migration is one transaction. When another process migrates at the same time, one
// of the two fails on what the other has just created; as long as the schema moves on, it goes on from there.
func migrate(ctx context.Context, db *sql.DB) error {
	p, err := newProvider(db)
	if err != nil {
		return err
	}
	if err := lockable(ctx, db); err != nil {
		return err
	}
	for {
		before, err := schemaProgress(ctx, db)
		if err != nil {
			return err
		}
		_, upErr := p.Up(ctx)
		if upErr == nil {
			return nil
		}
		after, err := schemaProgress(ctx, db)
		switch {
		case err == nil && after == latestSchema():
			return nil
		case err != nil || after <= before:
			return fmt.Errorf("migrate the schema: %w", upErr)
		}
	}
}

// schemaProgress is the version of the schema, and -1 before its table is there.
func schemaProgress(ctx context.Context, db *sql.DB) (int64, error) {
	exists, err := versioned(ctx, db, sqliteDialect)
	if err != nil || !exists {
		return -1, err
	}
	return schemaVersion(ctx, db, sqliteDialect)
}

// lockable fails at once when another process holds the write lock for longer than the busy timeout; goose would try
// four times.
func lockable(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	return tx.Rollback()
}

// schemaVersion is 0 before the first migration.
func schemaVersion(ctx context.Context, q queryer, d *dialect) (version int64, err error) {
	exists, err := versioned(ctx, q, d)
	if err != nil || !exists {
		return 0, err
	}
	return latestVersion(ctx, q)
}

func latestVersion(ctx context.Context, q queryer) (version int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version").Scan(&version)
	return version, err
}

func versioned(ctx context.Context, q queryer, d *dialect) (exists bool, err error) {
	err = q.QueryRowContext(ctx, d.versioned).Scan(&exists)
	return exists, err
}

// Migrate brings the database at path to the current schema, creating it when missing, and returns the version before
// and after. progress, unless nil, is called while many prices are moved.
func Migrate(
	ctx context.Context, path string, progress func(done, total int),
) (from, to int64, err error) {
	opt := Options{Migrating: progress}.withDefaults()
	if IsURL(path) {
		return migrateURL(ctx, path, opt)
	}
	if from, err = inspect(ctx, path, opt); err != nil {
		return 0, 0, explain(ctx, path, "migrate", err)
	}
	s, err := Open(ctx, path, opt)
	if err != nil {
		return 0, 0, err
	}
	return from, latestSchema(), s.Close()
}

// Version is the version of the database's schema.
func (s *Store) Version(ctx context.Context) (int64, error) {
	v, err := schemaVersion(ctx, s.reader, s.dialect)
	return v, explain(ctx, s.path, "read the schema's version", err)
}
