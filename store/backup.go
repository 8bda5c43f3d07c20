package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup writes a compact copy of the database at this moment to a new file at path, which is a database of SQLite also
// where this one is on a server; readers and writers go on meanwhile. An existing file is fs.ErrExist and is not
// touched.
func (s *Store) Backup(ctx context.Context, path string) error {
	attempt := "back up to " + path
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("%s: %w", attempt, err)
	}
	// VACUUM INTO takes an empty file; creating it here is what refuses, without a race, to overwrite another one.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("%s: %w", attempt, err)
	}
	if s.server != nil {
		err = s.backupTo(ctx, path)
	} else {
		err = s.vacuumInto(ctx, path)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return errors.Join(explain(ctx, s.blame(path, err), attempt, err), os.Remove(path))
	}
	return nil
}

// blame says which of the two files an error of VACUUM INTO is about.
func (s *Store) blame(copy string, err error) string {
	switch sqliteKind[resultCode(err)&0xff] {
	case ErrDiskFull, ErrNotWritable:
		return copy
	}
	return s.path
}

// vacuumInto has a connection of its own: the pool's may not write anywhere.
func (s *Store) vacuumInto(ctx context.Context, path string) error {
	db, err := connect(dsn(s.path, s.opt, ""), 1)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}
