package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tianti/catalog"
)

// fakeCatalogue is a database whose catalogue tests move, and what is shown of it.
type fakeCatalogue struct {
	mu       sync.Mutex
	revision int64
	err      error // of CatalogueRevision
	loadErr  error
	loads    int
	shown    int64 // revision shown last
	log      output
}

func (c *fakeCatalogue) CatalogueRevision(context.Context) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision, c.err
}

func (c *fakeCatalogue) Load(context.Context, func(*catalog.Snapshot)) (*catalog.Snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loads++
	if c.loadErr != nil {
		return nil, c.loadErr
	}
	return catalog.NewSnapshot(c.revision), nil
}

func (c *fakeCatalogue) show(s *catalog.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown = s.Revision
}

// moveTo sets the revision and ends all errors.
func (c *fakeCatalogue) moveTo(revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision, c.err, c.loadErr = revision, nil, nil
}

// want checks which revision is shown, after how many loads.
func (c *fakeCatalogue) want(t *testing.T, shown int64, loads int) {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown != shown || c.loads != loads {
		t.Errorf("got revision %d after %d loads, want %d after %d; log:\n%s", c.shown, c.loads, shown, loads,
			c.log.String())
	}
}

// followed runs test while follow follows c from revision 1.
func (c *fakeCatalogue) followed(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		go follow(ctx, c, 1, nil, c.show, slog.New(slog.NewTextHandler(&c.log, nil)))
		test(t)
		cancel() // a follower that goes on fails the test
	})
}

func TestFollowShowsAnImportOfAnotherProcessWithinTwoSeconds(t *testing.T) {
	c := &fakeCatalogue{revision: 1}
	c.followed(t, func(t *testing.T) {
		time.Sleep(10500 * time.Millisecond)
		c.want(t, 0, 0) // nothing changed
		c.moveTo(2)
		time.Sleep(2 * time.Second)
		c.want(t, 2, 1)
		c.moveTo(1) // another database was put in its place
		time.Sleep(2 * time.Second)
		c.want(t, 1, 2)
	})
}

func TestFollowKeepsWhatIsShownWhileTheDatabaseDoesNotAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		c     *fakeCatalogue
		loads int
	}{
		"revision": {&fakeCatalogue{revision: 1, err: errors.New("broken")}, 0},
		"load":     {&fakeCatalogue{revision: 2, loadErr: errors.New("broken")}, 60},
	} {
		t.Run(name, func(t *testing.T) {
			tc.c.followed(t, func(t *testing.T) {
				time.Sleep(time.Minute + time.Millisecond)
				tc.c.want(t, 0, tc.loads)
				if got := strings.Count(tc.c.log.String(), "cannot be read"); got != 1 {
					t.Errorf("got %d lines in a minute, want 1:\n%s", got, tc.c.log.String())
				}
				tc.c.moveTo(3)
				time.Sleep(2 * time.Second)
				tc.c.want(t, 3, tc.loads+1)
				if !strings.Contains(tc.c.log.String(), "can be read again") {
					t.Errorf("the log does not say that it is over:\n%s", tc.c.log.String())
				}
			})
		})
	}
}

func TestWhoChangesTheCatalogueSeesItAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, moved := &fakeCatalogue{revision: 1}, make(moves)
		ctx, cancel := context.WithCancel(context.Background())
		began := time.Now()
		moved.tell() // nobody follows yet
		if waited := time.Since(began); waited != seenWithin {
			t.Errorf("waited %s without a follower, want %s", waited, seenWithin)
		}
		go follow(ctx, c, 1, moved, c.show, slog.New(slog.NewTextHandler(&c.log, nil)))
		c.moveTo(2)
		began = time.Now()
		moved.tell()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited %s", waited)
		}
		c.want(t, 2, 1)
		cancel()
	})
}
