package store

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"tianti/catalog"
	"tianti/importer"
	"tianti/test/postgres"
)

// TestAStartWaitsForTheServerSeldom counts round trips to a server of PostgreSQL: each is a wait, where the network is
// slow and where the machine is busy.
func TestAStartWaitsForTheServerSeldom(t *testing.T) {
	setSumsEvery(t, 100)
	set(t, &keysTogether, 64) // as in earnest
	address := emptyPostgres(t)
	s := openTest(t, address)
	importTest(t, s, history(300))
	if err := s.KeepSums(t.Context()); err != nil {
		t.Fatal(err)
	}
	added(t, s, observations(300, 30), catalog.Source{ID: "t"})
	starts := func(datasets, opening, loading, connections int) {
		t.Helper()
		through, trips := postgres.Through(t, address)
		start, err := Open(t.Context(), through, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		open := trips.Taken()
		if _, err := start.FindRevision(t.Context(), importer.Builtin, "other"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		load(t, start)
		// Where a second passes between two uses of a connection, it is tried first: two of each may be that.
		opening, loading = opening+2, loading+2
		if loaded := trips.Taken() - open; open > opening || loaded > loading || trips.Connections() > connections {
			t.Errorf("%d datasets: %d round trips to open and %d to load on %d connections, want %d, %d and %d at most",
				datasets, open, loaded, trips.Connections(), opening, loading, connections)
		}
		if err := start.Close(); err != nil {
			t.Error(err)
		}
	}
	starts(1, 5, 17, 1)
	for i := range 7 {
		ds := one(fmt.Sprint("other-", i), i, 8)
		ds.Cards[0].ID += fmt.Sprint(i)
		importTest(t, s, ds)
	}
	// Of each dataset that has cards five more, and five to prepare what is asked again.
	starts(8, 5, 17+5+7*5, 1)
}
