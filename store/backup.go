package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tianti/newfile"
)

// Backup writes a compact copy of the database at this moment to a new file at path, which is a database of SQLite also
// where this one is on a server; readers and writers go on meanwhile. An existing file is fs.ErrExist and is not
// touched. The file has its name once it is whole: whoever is killed before leaves a hidden one beside it.
func (s *Store) Backup(ctx context.Context, path string) error {
	attempt := "back up to " + path
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("%s: %w", attempt, err)
	}
	var copying error
	err = newfile.Write(path, 0o600, func(f *os.File) error {
		if s.server != nil {
			copying = s.backupTo(ctx, f.Name())
		} else {
			copying = s.vacuumInto(ctx, f.Name()) // VACUUM INTO takes an empty file
		}
		return copying
	})
	switch {
	case copying != nil:
		return explain(ctx, s.blame(path, copying), attempt, err)
	case err != nil:
		return fmt.Errorf("%s: %w", attempt, err)
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
