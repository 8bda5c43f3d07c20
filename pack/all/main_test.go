package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"tianti/pack"
)

func TestArchivesHoldWhatIsEmbedded(t *testing.T) {
	root := t.TempDir()
	for _, a := range archives() {
		if err := os.Mkdir(filepath.Join(root, a.folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(root); err != nil {
		t.Fatal(err)
	}
	for _, a := range archives() {
		data, err := os.ReadFile(filepath.Join(root, a.folder, "packed.zip"))
		if err != nil {
			t.Fatal(err)
		}
		got, comment := pack.Open(data)
		if comment != a.comment {
			t.Errorf("%s: got comment %q, want %q", a.folder, comment, a.comment)
		}
		found := 0
		size := 0
		err = fs.WalkDir(a.files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found++
			want, err := fs.ReadFile(a.files, name)
			if err != nil {
				return err
			}
			size += len(want)
			if has, err := fs.ReadFile(got, name); err != nil || !bytes.Equal(has, want) {
				t.Errorf("%s: %s: got %d bytes (%v), want the %d that are embedded", a.folder, name, len(has),
					err, len(want))
			}
			return nil
		})
		if err != nil || found == 0 {
			t.Fatalf("%s: got %d files (%v), want those that are embedded", a.folder, found, err)
		}
		if len(data) > size/3 {
			t.Errorf("%s: got %d bytes of %d, want a third at most", a.folder, len(data), size)
		}
	}
}

func TestArchivesAreTheSameEachTime(t *testing.T) {
	a := archives()[1]
	var first, second bytes.Buffer
	if err := pack.Write(&first, a.files, "x"); err != nil {
		t.Fatal(err)
	}
	if err := pack.Write(&second, a.files, "x"); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("got two archives of the same files, want one")
	}
}
