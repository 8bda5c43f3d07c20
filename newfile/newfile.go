// Package newfile writes files that have their name once they are whole, and that replace no other.
package newfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Write calls write with an empty file beside path, which is hidden, and gives it the name once it is whole and on the
// disk. A file that exists is fs.ErrExist and is not touched. When write fails, nothing is left; whoever is killed
// leaves the hidden file. perm is before the umask.
func Write(path string, perm fs.FileMode, write func(*os.File) error) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	dir, base := filepath.Split(path)
	hidden := dir + "." + base + ".partial-" + strconv.FormatUint(rand.Uint64(), 36)
	f, err := os.OpenFile(hidden, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = name(hidden, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(hidden))
	}
	return nil
}

// name gives a file a name that no other one has.
func name(from, to string) error {
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
	if err := errors.Join(f.Close(), os.Rename(from, to)); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}
