package store

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/importer"
)

func TestForgottenDraftsAreTakenAway(t *testing.T) {
	s := newStore(t)
	importTest(t, s, one("data", 1, 1))
	before := rowCounts(t, s)
	drafted(t, s, sample(), importer.Options{})
	later := func(d time.Duration) {
		t.Helper()
		opt := testOptions()
		opt.Now = func() time.Time { return clock.Add(d) }
		again, err := Open(context.Background(), addressOf(s), opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
	later(7 * 24 * time.Hour)
	if list, err := s.Drafts(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("after a week: got %d drafts, %v, want 1", len(list), err)
	}
	later(7*24*time.Hour + time.Second)
	sameRows(t, s, before)
}

func TestDraftOfAProcessThatCannotBeSeenIsLeftAloneForAWhile(t *testing.T) {
	s := newStore(t)
	w, err := s.BeginDraft(t.Context(), importer.FileInfo{}, importer.Options{Dataset: "prices"}, ann)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		owner string
		after time.Duration
		gone  bool
	}{
		{thisProcess(), 1000 * time.Hour, false}, // it runs
		{"somewhere else", silence, false},
		{"somewhere else", silence + time.Second, true},
	} {
		if _, err := s.writer.Exec("UPDATE drafts SET owner = ?", tc.owner); err != nil {
			t.Fatal(err)
		}
		s.opt.Now = func() time.Time { return clock.Add(tc.after) }
		if err := s.clean(t.Context()); err != nil {
			t.Fatal(err)
		}
		if gone := rowCounts(t, s)["drafts"] == 0; gone != tc.gone {
			t.Errorf("%q after %v: got gone %t, want %t", tc.owner, tc.after, gone, tc.gone)
		}
	}
	if err := w.Sources([]catalog.Source{{ID: "s"}}); !errors.Is(err, fs.ErrNotExist) { // its writer is told
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestWhatCouldNotBeTakenAwayIsLater(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	before := rowCounts(t, s)
	w, err := s.BeginDraft(ctx, importer.FileInfo{}, importer.Options{Dataset: "new"}, ann)
	if err != nil {
		t.Fatal(err)
	}
	other := openTest(t, addressOf(s))
	holding, err := other.begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); !errors.Is(err, ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
	if err := holding.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := other.clean(ctx); err != nil || rowCounts(t, s)["drafts"] != 1 { // its process runs
		t.Errorf("another one took it away: %v", err)
	}
	if err := s.clean(ctx); err != nil {
		t.Fatal(err)
	}
	sameRows(t, s, before)
}
