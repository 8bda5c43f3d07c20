package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// unprivileged runs fn with the rights of nobody, on a thread that is thrown
// away: for root no file is unwritable.
func unprivileged(t *testing.T, fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if os.Getuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
				return
			}
		}
		fn()
	}()
	<-done
}

func TestOpenReportsWhatCannotBeWritten(t *testing.T) {
	for _, tc := range []struct {
		name         string
		file, folder os.FileMode
		exists       bool
	}{
		{"file", 0o444, 0o777, true},
		{"folder of an existing file", 0o666, 0o555, true},
		{"folder of a new file", 0, 0o555, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tianti.db")
			if tc.exists {
				path = closedStore(t)
				if err := os.Chmod(path, tc.file); err != nil {
					t.Fatal(err)
				}
			}
			folder := filepath.Dir(path)
			for _, dir := range []string{filepath.Dir(folder), folder} {
				if err := os.Chmod(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(folder, tc.folder); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(folder, 0o755) })
			unprivileged(t, func() {
				s, err := Open(context.Background(), path, testOptions())
				if err == nil {
					s.Close()
				}
				want := "open: database " + path + " cannot be written: make the file and its folder writable for " +
					"the user that runs this program"
				if !errors.Is(err, ErrNotWritable) || err.Error() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			})
		})
	}
}
