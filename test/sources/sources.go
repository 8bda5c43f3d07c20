// Package sources lets tests that run the go command keep up with the sources.
package sources

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// Watch opens every folder of Go sources below root. The go command keeps the result of
// a test until a file changes that the test has opened; of the files that a command of
// the test opens it knows nothing.
func Watch(t testing.TB, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root || !d.IsDir() {
			return err
		}
		if base := d.Name(); base[0] == '.' || base == "node_modules" || base == "testdata" {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
