package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tianti/audit"
	"tianti/format"
	"tianti/importer"
)

func TestEveryChangeIsRecorded(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, one("data", 1, 1))
	d := drafted(t, s, one("data", 1, 2), importer.Options{})
	_, applyErr := s.Apply(ctx, d.ID, "why", ann)
	signin := audit.Entry{Actor: ann, Action: "signin", Subject: "ann_%", At: clock.Add(time.Hour)}
	if err := errors.Join(applyErr, s.Activate(ctx, "data", 1, ann), s.Activate(ctx, "data", 1, ann),
		s.SetRank(ctx, "data", 5, ann), s.SetRank(ctx, "data", 5, ann),
		s.Activate(ctx, "data", 0, ann), s.Record(ctx, signin)); err != nil {
		t.Fatal(err)
	}
	list, n, err := s.Entries(ctx, audit.Query{N: 100})
	if err != nil || n != len(list) {
		t.Fatalf("got %d of %d, %v", len(list), n, err)
	}
	signin.Number = 6
	number := func(n int64) any { return float64(n) }
	want := []audit.Entry{
		signin,
		{Number: 5, At: clock, Actor: ann, Action: "dataset.deactivate", Subject: "data",
			Detail: map[string]any{"from": number(1), "to": number(0)}},
		{Number: 4, At: clock, Actor: ann, Action: "dataset.rank", Subject: "data",
			Detail: map[string]any{"from": number(1), "to": number(5)}},
		{Number: 3, At: clock, Actor: ann, Action: "dataset.activate", Subject: "data",
			Detail: map[string]any{"from": number(2), "to": number(1)}},
		{Number: 2, At: clock, Actor: ann, Action: "import.apply", Subject: "data",
			Detail: map[string]any{"revision": number(2), "before": number(1), "file": "cards.yaml",
				"sha256": strings.Repeat("ab", 32), "format": "tianti", "note": "why", "cards": number(1),
				"figures": number(1), "prices": number(0), "rates": number(0)}},
	}
	if diff := cmp.Diff(want, list[:5], cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if list[5].Actor != audit.Program || list[5].Action != "import.apply" {
		t.Errorf("got %+v first, want the program's import", list[5])
	}
	for q, want := range map[audit.Query][]int64{
		{Text: "WHY", N: 9}:                        {2},
		{Text: "%", N: 9}:                          {6}, // as itself
		{Action: "dataset.", N: 2}:                 {5, 4},
		{Action: "dataset.", N: 2, From: 2}:        {3},
		{Action: "dataset.", Text: "rank", N: 9}:   {4},
		{Text: "nothing of the kind", N: 9}:        nil,
		{Text: "tianti", Action: "import.", N: 99}: {2, 1},
	} {
		list, n, err := s.Entries(ctx, q)
		var got []int64
		for _, e := range list {
			got = append(got, e.Number)
		}
		if err != nil || cmp.Diff(want, got) != "" || n < len(got) {
			t.Errorf("%+v: got %v of %d, %v, want %v", q, got, n, err, want)
		}
	}
}

func TestTextsThatAreNoneAreNoFaultOfTheDatabase(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	for _, text := range []string{"a\x00b", "\xff\xfe", "\xed\xa0\x80"} {
		if _, _, err := s.Account(ctx, text); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: got %v, want fs.ErrNotExist", text, err)
		}
		err := s.Record(ctx, audit.Entry{Actor: audit.Actor{Name: "a", Channel: audit.ByPage,
			Address: text},
			Action: "account.refused", Subject: text, Detail: map[string]any{"said": text}})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := s.StoreFile(ctx, text, strings.NewReader("content of "+text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if _, _, err := s.Entries(ctx, audit.Query{Text: text, N: 9}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		d := drafted(t, s, one("data", 1, 1), importer.Options{}, format.Skipped{Name: text, Reason: format.Unknown,
			Message: text})
		if list, n, err := s.Skipped(ctx, d.ID, "", 0, 9); err != nil || n != 1 || len(list) != 1 {
			t.Errorf("%q: %d rows, %v", text, n, err)
		}
	}
	if list, n, err := s.Entries(ctx, audit.Query{Action: "account.", N: 9}); err != nil || n != 3 ||
		len(list) != 3 {
		t.Errorf("got %d entries, %v, want 3", n, err)
	}
}

func TestReadOnlyDatabaseRefusesEveryChange(t *testing.T) {
	path := closedStore(t)
	s, err := OpenReadOnly(context.Background(), path, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ctx := context.Background()
	_, draftErr := s.BeginDraft(ctx, importer.FileInfo{}, importer.Options{Dataset: "x"}, ann)
	_, fileErr := s.StoreFile(ctx, "x", strings.NewReader("x"))
	_, accountErr := s.CreateAccount(ctx, "x", "reader", "$argon2id$x", false)
	changes := map[string]error{"BeginDraft": draftErr, "KeepFile": fileErr, "CreateAccount": accountErr,
		"Record":  s.Record(ctx, audit.Entry{Action: "x"}),
		"Discard": s.Discard(ctx, 1, ann), "Activate": s.Activate(ctx, "builtin", 0, ann),
		"CommitSession": s.CommitSession(ctx, [32]byte{}, 0, nil, clock)}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if err := changes[name]; !errors.Is(err, ErrReadOnly) ||
			strings.Count(fmt.Sprint(err), "opened for reading only") != 1 {
			t.Errorf("%s: got %v, want ErrReadOnly once", name, err)
		}
	}
	if n := load(t, s).Len(); n != 2 {
		t.Errorf("got %d cards, want 2", n)
	}
}

func TestTheRecordSaysWhatWasActiveBefore(t *testing.T) {
	s := newStore(t)
	for want := range int64(2) {
		if _, err := s.Import(t.Context(), one("data", 1, float64(want)+1), importer.FileInfo{}, ""); err != nil {
			t.Fatal(err)
		}
		list, _, err := s.Entries(t.Context(), audit.Query{N: 1})
		if err != nil || len(list) != 1 || list[0].Detail["before"] != float64(want) {
			t.Errorf("got %+v, %v, want revision %d before", list, err, want)
		}
	}
}

func TestEntriesBeforeOneAreNotMovedByNewOnes(t *testing.T) {
	s := newStore(t)
	note := func() {
		if err := s.Record(t.Context(), audit.Entry{Actor: ann, Action: "test.line"}); err != nil {
			t.Fatal(err)
		}
	}
	note()
	note()
	list, total, err := s.Entries(t.Context(), audit.Query{Action: "test", Text: "ann", N: 1})
	if err != nil || len(list) != 1 || total != 2 {
		t.Fatalf("got %d of %d, %v", len(list), total, err)
	}
	note()
	rest, _, err := s.Entries(t.Context(), audit.Query{Action: "test", Text: "ann",
		Before: list[0].Number, N: 2})
	if err != nil || len(rest) != 1 || rest[0].Number != list[0].Number-1 {
		t.Errorf("got %+v, %v, want the one line that is older", rest, err)
	}
}
