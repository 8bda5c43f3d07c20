package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a compact copy of the database at this moment to a new file at path, which is a database of SQLite also
// where this one is on a server; readers and writers go on meanwhile. An existing file is fs.ErrExist and is not
// touched. The file has its name once it is whole: whoever is killed before leaves a hidden one beside it.
func (s *Store) Backup(ctx context.Context, path string) error {
	attempt := "back up to " + path
	path, err := filepath.Abs(path)
	if err == nil {
		if _, there := os.Lstat(path); there == nil {
			err = fs.ErrExist
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", attempt, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".partial-*") // VACUUM INTO takes an empty file
	if err != nil {
		return fmt.Errorf("%s: %w", attempt, err)
	}
	if s.server != nil {
		err = s.backupTo(ctx, f.Name())
	} else {
		err = s.vacuumInto(ctx, f.Name())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(explain(ctx, s.blame(path, err), attempt, err), os.Remove(f.Name()))
	}
	if err := moveToNew(f.Name(), path); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", attempt, err), os.Remove(f.Name()))
	}
	return nil
}

// moveToNew gives a file a name that no other one has.
func moveToNew(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// The file system knows no links: an empty file keeps the name until it is replaced.
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Rename(from, to))
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
