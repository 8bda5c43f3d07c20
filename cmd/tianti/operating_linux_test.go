package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAFullDiskIsTold(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may make a small disk")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no small disk here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	if err := tryRoom(dir); err != nil {
		t.Fatalf("empty: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), make([]byte, 900<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tryRoom(dir); err == nil || err.Error() != "the disk is full" {
		t.Errorf("got %v, want that the disk is full", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}
