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
	all, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if err := os.Mkdir(filepath.Join(root, a.folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(root); err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		data, err := os.ReadFile(filepath.Join(root, a.folder, "packed.zip"))
		if err != nil {
			t.Fatal(err)
		}
		got, comment := pack.Open(data)
		if comment != a.comment {
			t.Errorf("%s: got comment %q, want %q", a.folder, comment, a.comment)
		}
		size := 0
		for name, want := range a.files {
			size += len(want)
			if has, err := fs.ReadFile(got, name); err != nil || !bytes.Equal(has, want) {
				t.Errorf("%s: %s: got %d bytes (%v), want the %d that were written", a.folder, name, len(has),
					err, len(want))
			}
		}
		if size < 1000 {
			t.Fatalf("%s: got %d bytes, want what the package embeds", a.folder, size)
		}
		if len(data) > size/3 {
			t.Errorf("%s: got %d bytes of %d, want a third at most", a.folder, len(data), size)
		}
	}
}

func TestArchivesAreTheSameEachTime(t *testing.T) {
	all, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	a := all[1]
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
