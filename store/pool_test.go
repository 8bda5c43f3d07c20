package store

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"tianti/importer"
	"tianti/test/postgres"
)

// TestConnectionsThatRunOutLoseNothing imports and loads at once with fewer connections than that takes: what is
// refused says why, what is not refused is there, and once there are enough everything goes on.
func TestConnectionsThatRunOutLoseNothing(t *testing.T) {
	server := postgres.Start(t)
	address := server.New(t)
	importTest(t, openTest(t, address), one("data", 1, 1))
	postgres.Run(t, address, "CREATE ROLE few LOGIN CONNECTION LIMIT 2", "GRANT tianti TO few")
	s := openTest(t, as(address, "few"))
	var done, refused atomic.Int64
	tell := func(what string, err error) bool {
		if errors.Is(err, ErrNoConnection) {
			refused.Add(1)
		} else if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return err == nil
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 6 {
				_, err := s.Import(t.Context(), one(fmt.Sprintf("set-%d", i), 1, float64(n+1)), importer.FileInfo{}, "")
				if tell("import", err) {
					done.Add(1)
				}
			}
		})
		all.Go(func() {
			for range 6 {
				_, err := s.Load(t.Context(), nil)
				tell("load", err)
			}
		})
	}
	all.Wait()
	if refused.Load() == 0 {
		t.Error("there were connections enough: nothing is tested")
	}
	postgres.Run(t, address, "ALTER ROLE few CONNECTION LIMIT -1")
	importTest(t, s, one("last", 1, 1))
	load(t, s)
	var applied int64
	if err := s.reader.QueryRow("SELECT count(*) FROM revisions WHERE state = 'applied'").Scan(&applied); err != nil {
		t.Fatal(err)
	}
	if want := 2 + done.Load(); applied != want {
		t.Errorf("%d imports are there, want %d: those that were not refused", applied, want)
	}
}
