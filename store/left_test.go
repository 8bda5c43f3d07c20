package store

import (
	"errors"
	"io/fs"
	"testing"

	"tianti/format"
	"tianti/importer"
)

func TestEachLeftPassesAllRowsInOrder(t *testing.T) {
	s := newStore(t)
	var left []format.Skipped
	for line := range 2*skippedAtOnce + 1 {
		reason := format.Unknown
		if line%2 == 1 {
			reason = format.NoPrice
		}
		left = append(left, format.Skipped{Line: line, Name: "A card", Reason: reason, Message: "it is not known"})
	}
	d := drafted(t, s, one("data", 1, 1), importer.Options{}, left...)
	for reason, want := range map[format.Reason]int{"": len(left), format.NoPrice: skippedAtOnce, format.Invalid: 0} {
		n, last := 0, -1
		err := s.EachSkipped(t.Context(), d.ID, reason, func(l *format.Skipped) error {
			if l.Line <= last || reason != "" && l.Reason != reason {
				t.Fatalf("%q: got %+v after line %d", reason, l, last)
			}
			n, last = n+1, l.Line
			return nil
		})
		if err != nil || n != want {
			t.Errorf("%q: got %d rows, %v, want %d", reason, n, err, want)
		}
	}
	stop := errors.New("stop")
	if err := s.EachSkipped(t.Context(), d.ID, "", func(*format.Skipped) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want the error of the function", err)
	}
	if err := s.EachSkipped(t.Context(), 99, "", func(*format.Skipped) error { return nil }); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}
