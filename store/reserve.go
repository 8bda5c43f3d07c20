package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// reserveBytes is room for the log of a deletion and for what the log before it still has to put into the database: the
// log is emptied every 4 MB, after a part.
const reserveBytes = 24 << 20

// A reserve is room on the disk that what fills it holds, and gives back when the disk is full: to delete what was
// written takes some room too. The file has no name, so that it goes with the process.
type reserve struct{ f *os.File }

// hold makes the reserve, once.
func (r *reserve) hold(path string) error {
	if r.f != nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tianti-reserve-*")
	if err != nil {
		return nil // to write beside the database is not allowed: SQLite says more of it
	}
	r.f = f
	_ = os.Remove(f.Name()) // some systems can only later: see release
	noise, part := rand.NewChaCha8([32]byte{}), make([]byte, 1<<20)
	for written := 0; written < reserveBytes && err == nil; written += len(part) {
		noise.Read(part) // not zeros: they might take no room
		_, err = f.Write(part)
	}
	if errors.Is(err, syscall.ENOSPC) {
		r.release()
		return &dbError{path: path, kind: ErrDiskFull, cause: err}
	}
	return err
}

// release gives the room back.
func (r *reserve) release() {
	if r.f == nil {
		return
	}
	_ = r.f.Close()
	_ = os.Remove(r.f.Name())
	r.f = nil
}

// lostDraft and lostUpload are keys of what could not be deleted: clean tries again.
type (
	lostDraft  int64
	lostUpload int64
)

// deleteDraftOrRetry deletes a draft, or has clean try it again.
func (s *Store) deleteDraftOrRetry(ctx context.Context, number int64) error {
	err := s.deleteDraft(ctx, number)
	if err != nil {
		s.lost.Store(lostDraft(number), true)
		return err
	}
	return s.giveBack(ctx)
}

// deleteUploadOrRetry deletes an upload, or has clean try it again.
func (s *Store) deleteUploadOrRetry(ctx context.Context, key int64) error {
	err := s.deleteUpload(ctx, key)
	if err != nil {
		s.lost.Store(lostUpload(key), true)
		return err
	}
	return s.giveBack(ctx)
}

// isLost reports whether a deletion failed before.
func (s *Store) isLost(what any) bool {
	_, lost := s.lost.LoadAndDelete(what)
	return lost
}
