package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tianti/format"
	"tianti/importer"
)

func TestADiscardedDraftGivesItsRoomBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tianti.db")
	s := openTest(t, path)
	importTest(t, s, one("data", 1, 1))
	size := func() int64 {
		t.Helper()
		if _, err := s.writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	left := make([]format.Skipped, 60_000)
	for i := range left {
		left[i] = format.Skipped{Line: i + 1, Name: fmt.Sprintf("a card that nobody has, the %d-th of its kind, by "+
			"somebody", i), Reason: format.Unknown, Message: "there is no card of this name in the catalogue"}
	}
	d := drafted(t, s, sample(), importer.Options{Title: sample().Title}, left...)
	full := size()
	if err := s.Discard(context.Background(), d.ID, ann); err != nil {
		t.Fatal(err)
	}
	after := size()
	t.Logf("%d kB before, %d kB with the draft, %d kB after it was discarded", before>>10, full>>10, after>>10)
	if full < before+8<<20 {
		t.Fatalf("the draft took %d kB: too little to see anything", (full-before)>>10)
	}
	if most := before + (keptPages+100)*4096; after > most {
		t.Errorf("got %d kB, want at most %d", after>>10, most>>10)
	}
}
