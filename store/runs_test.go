package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"tianti/audit"
	"tianti/importer"
)

func TestRunsAreKeptRecordedAndDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := audit.WithActor(t.Context(), audit.Actor{Name: "anna", Channel: audit.ByPage})
	before := movedTo(t, s)
	kept, err := s.KeepRun(ctx, importer.Run{Query: "card=x&measured_gb=3", Note: "in the lab"})
	if err != nil {
		t.Fatal(err)
	}
	if kept.By != "anna" || kept.Key == 0 || kept.At.IsZero() {
		t.Errorf("got %+v", kept)
	}
	if got := movedTo(t, s); got != before+1 {
		t.Errorf("the catalogue moved from %d to %d: pages would stay in the cache", before, got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runs, err := s.Runs(t.Context())
	if err != nil || len(runs) != 1 || runs[0] != kept {
		t.Fatalf("after opening again: %+v, %v; want %+v", runs, err, kept)
	}
	if err := s.DeleteRun(ctx, kept.Key+1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that is not there: %v", err)
	}
	if err := s.DeleteRun(ctx, kept.Key); err != nil {
		t.Fatal(err)
	}
	if runs, err := s.Runs(t.Context()); err != nil || len(runs) != 0 {
		t.Errorf("after deleting: %+v, %v", runs, err)
	}
	entries, n, err := s.Entries(t.Context(), audit.Query{Action: "run", N: 10})
	if err != nil || n != 2 || entries[0].Action != "run.delete" || entries[1].Detail["query"] != kept.Query ||
		entries[1].Actor.Name != "anna" {
		t.Errorf("the audit log has %+v, %v", entries, err)
	}
}

func TestRunsAreBounded(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.writer.Exec(`INSERT INTO runs (query, note, kept_by, kept_at)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT 'q', '', 'anna', 0 FROM n`,
		MostRuns); err != nil {
		t.Fatal(err)
	}
	if _, err := s.KeepRun(t.Context(), importer.Run{Query: "q"}); !errors.Is(err, ErrTooManyRuns) {
		t.Errorf("one more than can be kept: %v", err)
	}
}

func movedTo(t *testing.T, s *Store) int64 {
	t.Helper()
	n, err := s.CatalogueRevision(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
