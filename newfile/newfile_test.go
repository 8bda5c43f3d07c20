package newfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tianti/newfile"
)

func TestAFileHasItsNameOnceItIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "copy.db")
	write := func(text string, failed error) error {
		return newfile.Write(path, 0o640, func(f *os.File) error {
			if _, err := f.WriteString(text); err != nil {
				return err
			}
			if _, err := os.Lstat(path); err == nil {
				t.Error("the name is there before the file is whole")
			}
			return failed
		})
	}
	alone := func(want ...string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != len(want) || len(want) == 1 && entries[0].Name() != want[0] {
			t.Errorf("%v is left (%v), want %v", entries, err, want)
		}
	}
	stop := errors.New("no room")
	if err := write("a", stop); !errors.Is(err, stop) {
		t.Errorf("a failure to write is told as %v", err)
	}
	alone()
	if err := write("whole", nil); err != nil {
		t.Fatal(err)
	}
	alone("copy.db")
	info, err := os.Stat(path)
	if text, readErr := os.ReadFile(path); err != nil || string(text) != "whole" || info.Mode() != 0o640 {
		t.Errorf("got %q, %v (%v, %v)", text, info.Mode(), err, readErr)
	}
	if err := write("other", nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that exists is %v", err)
	}
	alone("copy.db")
}

// A file that somebody else makes meanwhile stays theirs.
func TestAFileThatAppearsMeanwhileIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prices.csv")
	err := newfile.Write(path, 0o600, func(*os.File) error {
		return os.WriteFile(path, []byte("of another"), 0o600)
	})
	if text, _ := os.ReadFile(path); !errors.Is(err, fs.ErrExist) || string(text) != "of another" {
		t.Errorf("%v, and the file has %q", err, text)
	}
}
