package store

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestDraftOnAFullDiskIsTakenAway(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may make a small disk")
	}
	was := partRows
	defer func() { partRows = was }()
	partRows = 2000
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=12m"); err != nil {
		t.Skipf("no small disk here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	s := openTest(t, filepath.Join(dir, "tianti.db"))
	importTest(t, s, one("data", 1, 1))
	withoutRoom(t, s, func() {})
}
