package store

import (
	"errors"
	"io/fs"
	"testing"

	"tianti/ingest"
	"tianti/intake"
)

func TestEachLeftPassesAllRowsInOrder(t *testing.T) {
	s := newStore(t)
	var left []ingest.Left
	for line := range 2*leftAtOnce + 1 {
		reason := ingest.Unknown
		if line%2 == 1 {
			reason = ingest.NoPrice
		}
		left = append(left, ingest.Left{Line: line, Name: "A card", Reason: reason, Message: "it is not known"})
	}
	d := drafted(t, s, one("data", 1, 1), intake.Options{}, left...)
	for reason, want := range map[ingest.Reason]int{"": len(left), ingest.NoPrice: leftAtOnce, ingest.Invalid: 0} {
		n, last := 0, -1
		err := s.EachLeft(t.Context(), d.ID, reason, func(l *ingest.Left) error {
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
	if err := s.EachLeft(t.Context(), d.ID, "", func(*ingest.Left) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v, want the error of the function", err)
	}
	if err := s.EachLeft(t.Context(), 99, "", func(*ingest.Left) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}
