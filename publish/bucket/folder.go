package bucket

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"tianti/sorting"
)

// A folder is a bucket of files: one on this machine, or one that several machines have mounted.
type folder struct{ path string }

func newFolder(u *url.URL) (*folder, error) {
	if u.Host != "" && u.Host != "localhost" || !strings.HasPrefix(u.Path, "/") {
		return nil, fmt.Errorf("%s is no folder: want three slashes and an absolute path, such as file:///srv/tianti",
			redacted(u))
	}
	return &folder{filepath.FromSlash(u.Path)}, nil
}

// NewFolder is the bucket of the files in a folder.
func NewFolder(path string) Bucket { return &folder{path} }

func (f *folder) String() string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(f.path)}).String()
}

func (f *folder) file(key string) string { return filepath.Join(f.path, filepath.FromSlash(key)) }

// smallest files are tagged by what is in them; larger ones never change and are tagged by their names.
const smallest = 1 << 20

func (f *folder) Get(_ context.Context, key, known string) (*Object, error) {
	file, err := os.Open(f.file(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cmp.Or(f.mounted(), err)
	}
	if err != nil {
		return nil, err
	}
	o, err := f.object(file, key)
	if err == nil && known != "" && o.Tag == known {
		err = ErrNotModified
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return o, nil
}

func (f *folder) object(file *os.File, key string) (*Object, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	o := &Object{file, key, info.Size()}
	if info.Size() > smallest {
		return o, nil
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.LimitReader(file, smallest)); err != nil {
		return nil, err
	}
	o.Tag = hex.EncodeToString(hash.Sum(nil))
	_, err = file.Seek(0, io.SeekStart)
	return o, err
}

// mounted is an error when the folder itself is missing. It is not made: it may be one that is not mounted at the
// moment, which says nothing of what is in it.
func (f *folder) mounted() error {
	if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s does not exist: make it, or mount it", f.path)
	}
	return nil
}

// lockedLooks is how often a lock that another process holds is tried again.
const lockedLooks = 5 * time.Millisecond

// Put writes beside the file and renames. Conditions are looked at under a lock, which a process that dies lets go.
func (f *folder) Put(ctx context.Context, key string, p Put) (err error) {
	path := f.file(key)
	if err := f.mounted(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	sweep(filepath.Dir(path))
	tmp, err := os.CreateTemp(filepath.Dir(path), ".*"+unfinished)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	if err := fill(tmp, p.Body); err != nil {
		return err
	}
	if p.New || p.Match != "" {
		lock := flock.New(filepath.Join(f.path, ".lock"))
		if ok, err := lock.TryLockContext(ctx, lockedLooks); err != nil || !ok {
			return errors.Join(fmt.Errorf("lock %s", lock.Path()), err)
		}
		defer func() { err = errors.Join(err, lock.Close()) }()
		if err := f.check(key, p); err != nil {
			return err
		}
	}
	if err := later(tmp.Name(), path); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// later has a file be of a later second than the one in whose place it comes: web servers that serve the folder tell
// files apart by size and second, and a reader that knows the one would never be told of the other.
func later(file, before string) error {
	old, err := os.Stat(before)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil || info.ModTime().Unix() > old.ModTime().Unix() {
		return err
	}
	next := old.ModTime().Truncate(time.Second).Add(time.Second)
	return os.Chtimes(file, next, next)
}

// unfinished files are being written; after unfinishedLife whoever wrote them is dead.
const (
	unfinished     = ".tmp"
	unfinishedLife = 24 * time.Hour
)

// sweep deletes what writers left that have died.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, ".*"+unfinished))
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > unfinishedLife {
			_ = os.Remove(path)
		}
	}
}

// fill writes body into a file that others may read, down to the disk, and closes it.
func fill(file *os.File, body io.Reader) error {
	_, err := io.Copy(file, body)
	if err == nil {
		err = errors.Join(file.Chmod(0o644), file.Sync())
	}
	return errors.Join(err, file.Close())
}

// check looks at the conditions of a write.
func (f *folder) check(key string, p Put) error {
	file, err := os.Open(f.file(key))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if p.Match != "" {
			return ErrConflict
		}
		return nil
	case err != nil:
		return err
	}
	defer file.Close()
	o, err := f.object(file, key)
	if err == nil && (p.New || o.Tag != p.Match) {
		err = ErrConflict
	}
	return err
}

func (f *folder) List(_ context.Context, prefix string) ([]Entry, error) {
	dir := prefix[:strings.LastIndexByte(prefix, '/')+1]
	files, err := os.ReadDir(f.file(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Entry
	for _, file := range files {
		info, infoErr := file.Info()
		if infoErr != nil || !info.Mode().IsRegular() { // gone meanwhile, or none of ours
			continue
		}
		if key := dir + file.Name(); strings.HasPrefix(key, prefix) {
			out = append(out, Entry{key, info.Size(), info.ModTime()})
		}
	}
	sorting.Func(out, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	return out, err
}

func (f *folder) Delete(_ context.Context, key string) error {
	if err := os.Remove(f.file(key)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
