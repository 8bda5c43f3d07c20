package bucket

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFolderThatIsNotMountedIsNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mount")
	err := put(t, NewFolder(path), "snapshots/x", "x", nil)
	if err == nil || !strings.Contains(err.Error(), "does not exist: make it, or mount it") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no folder", err)
	}
	if _, _, err := text(t, NewFolder(path), "current.json", ""); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v; nothing is known of what is in it", err)
	}
}

// TestFilesInAPlaceAreOfDifferentSeconds: nginx makes the tag of a file of its size and the second of its last change.
func TestFilesInAPlaceAreOfDifferentSeconds(t *testing.T) {
	dir := t.TempDir()
	folder, err := Open("file://"+filepath.ToSlash(dir), env(nil))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for i := range 4 {
		if err := put(t, folder, "current.json", fmt.Sprint(i), nil); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "current.json"))
		if err != nil {
			t.Fatal(err)
		}
		if second := info.ModTime().Unix(); seen[second] {
			t.Errorf("write %d is of the second of another one", i)
		} else {
			seen[second] = true
		}
	}
}

func TestFilesOfWritersThatDiedGo(t *testing.T) {
	dir := t.TempDir()
	b := NewFolder(dir)
	old, young := filepath.Join(dir, ".1"+unfinished), filepath.Join(dir, ".2"+unfinished)
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * unfinishedLife)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if err := put(t, b, "current.json", "x", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want the old one gone", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
}
