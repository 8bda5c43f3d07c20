package importer_test

import (
	"errors"
	"strings"
	"testing"

	"tianti/audit"
	"tianti/importer"
)

// TestAnAccountHasSoMuchOpen: whoever does not apply or discard drafts hands in no more; others, and whoever runs the
// program, do.
func TestAnAccountHasSoMuchOpen(t *testing.T) {
	b := newBench(t)
	in := b.with(importer.Config{OpenRows: 10})
	hand := func(by audit.Actor) (importer.Draft, error) {
		return in.Draft(t.Context(), importer.Upload{Name: "prices.csv", Size: -1, Data: strings.NewReader(table)},
			importer.Options{}, by, nil)
	}
	ada := audit.Actor{Name: "ada", Channel: audit.ByPage}
	first, err := hand(ada)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hand(audit.Actor{Name: "ada", Channel: audit.ByAPI}); err != nil {
		t.Fatalf("6 of 10 records are open: %v", err)
	}
	_, err = hand(ada)
	if many, ok := errors.AsType[*importer.ManyOpenError](err); !ok || many.Rows != 12 || many.Most != 10 {
		t.Errorf("got %v, want that 12 records of 10 are open", err)
	}
	others := []audit.Actor{{Name: "bob", Channel: audit.ByPage}, {Name: "ada", Channel: audit.ByCommand}}
	for _, by := range others {
		if _, err := hand(by); err != nil {
			t.Errorf("%s by %s: %v", by.Name, by.Channel, err)
		}
	}
	if err := b.db.Discard(t.Context(), first.ID, ada); err != nil {
		t.Fatal(err)
	}
	if _, err := hand(ada); err != nil {
		t.Errorf("when one was discarded: %v", err)
	}
}
