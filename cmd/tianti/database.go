package main

import (
	"context"
	"errors"
	"fmt"

	"tianti/store"
)

// openOrMake opens a database for a change, which is made when it is missing.
func openOrMake(ctx context.Context, path dbPath) (*store.Store, error) {
	return store.Open(ctx, string(path), store.Options{})
}

// openExisting opens a database for a change, which must be there; an older one is
// migrated.
func openExisting(ctx context.Context, path dbPath) (*store.Store, error) {
	db, err := store.OpenReadOnly(ctx, string(path), store.Options{})
	switch {
	case errors.Is(err, store.ErrOlder):
	case err != nil:
		return nil, err
	default:
		if err := db.Close(); err != nil {
			return nil, err
		}
	}
	return openOrMake(ctx, path)
}

// migrateCmd is tianti migrate.
type migrateCmd struct {
	DB dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"Database file, made when it is missing; ${default} unless given."`
}

// Help is the manual of tianti migrate.
func (migrateCmd) Help() string {
	return `Brings the database to the schema of this version, creating it when it is
missing. tianti serve does so by itself; this command is for whoever wants to do
it at another time. A database of a newer version is refused and left alone.`
}

// Run migrates.
func (c *migrateCmd) Run(e *env) error {
	from, to, err := store.Migrate(e.ctx, string(c.DB))
	if err != nil {
		return err
	}
	if from == to {
		_, err = fmt.Fprintf(e.stdout, "%s has schema %d, the current one\n", c.DB, to)
	} else {
		_, err = fmt.Fprintf(e.stdout, "%s: schema %d → %d\n", c.DB, from, to)
	}
	return err
}

// backupCmd is tianti backup.
type backupCmd struct {
	File string `arg:"" predictor:"file" help:"File to write; it must not exist."`
	DB   dbPath `name:"db" placeholder:"FILE" default:"tianti.db" predictor:"file" help:"Database file; ${default} unless given."`
}

// Help is the manual of tianti backup.
func (backupCmd) Help() string {
	return `Writes a compact copy of the database as it is at this moment. Servers may go on
reading and writing meanwhile. The copy is a database like any other: to restore
it, stop the server and put the copy in the place of the database.

Example:

    tianti backup --db /var/lib/tianti/tianti.db /backup/tianti-$(date +%F).db`
}

// Run copies the database.
func (c *backupCmd) Run(e *env) error {
	db, err := store.OpenReadOnly(e.ctx, string(c.DB), store.Options{})
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
