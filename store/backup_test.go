package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestBackupIsACompleteDatabase(t *testing.T) {
	s := newStore(t)
	importTest(t, s, one("data", 1, 1))
	to := filepath.Join(t.TempDir(), "backup.db")
	if err := s.Backup(context.Background(), to); err != nil {
		t.Fatal(err)
	}
	importTest(t, s, one("data", 1, 2))
	if snap := load(t, openTest(t, to)); snap.Revision != 1 || memory(t, snap) != 1 {
		t.Errorf("got revision %d with %v GB, want 1 with 1", snap.Revision, memory(t, snap))
	}
}

func TestBackupDoesNotOverwrite(t *testing.T) {
	s := newStore(t)
	to := filepath.Join(t.TempDir(), "backup.db")
	for _, content := range []string{"precious", ""} {
		writeFile(t, to, []byte(content))
		if err := s.Backup(context.Background(), to); !errors.Is(err, fs.ErrExist) {
			t.Errorf("got %v, want fs.ErrExist", err)
		}
		if got := string(readFile(t, to)); got != content {
			t.Errorf("got %q in the file, want %q", got, content)
		}
	}
}

func TestFailedBackupLeavesNoFile(t *testing.T) {
	s := newStore(t)
	importTest(t, s, sample())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	to := filepath.Join(t.TempDir(), "backup.db")
	if err := s.Backup(ctx, to); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no file", err)
	}
}

func TestCloseEmptiesTheLog(t *testing.T) {
	path := closedStore(t)
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no log", err)
	}
}
