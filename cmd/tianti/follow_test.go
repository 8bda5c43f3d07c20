package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tianti/catalog"
)

// fakeCatalogue is a database whose catalogue tests move.
type fakeCatalogue struct {
	revision int64
	err      error // of CatalogueRevision
	loadErr  error
	loads    int
}

func (c *fakeCatalogue) CatalogueRevision(context.Context) (int64, error) { return c.revision, c.err }

func (c *fakeCatalogue) Load(context.Context, func(*catalog.Snapshot)) (*catalog.Snapshot, error) {
	c.loads++
	if c.loadErr != nil {
		return nil, c.loadErr
	}
	return catalog.NewSnapshot(c.revision), nil
}

// following runs test while follow follows c from revision 1. The test is told
// what was shown last, 0 at first, and has the log.
func following(t *testing.T, c *fakeCatalogue, test func(shown func() int64, log *bytes.Buffer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		var last int64
		var log bytes.Buffer
		go follow(ctx, c, 1, func(s *catalog.Snapshot) { last = s.Revision }, slog.New(slog.NewTextHandler(&log, nil)))
		test(func() int64 { synctest.Wait(); return last }, &log)
		cancel()
		synctest.Wait() // a follower that goes on would fail the test here
	})
}

func TestFollowShowsAnImportOfAnotherProcessWithinTwoSeconds(t *testing.T) {
	c := &fakeCatalogue{revision: 1}
	following(t, c, func(shown func() int64, _ *bytes.Buffer) {
		time.Sleep(10500 * time.Millisecond)
		if got := shown(); got != 0 || c.loads != 0 {
			t.Errorf("nothing changed, but revision %d was shown after %d loads", got, c.loads)
		}
		c.revision = 2
		time.Sleep(2 * time.Second)
		if got := shown(); got != 2 {
			t.Errorf("got revision %d, want 2", got)
		}
		c.revision = 1 // undone by restoring a backup: it is another catalogue too
		time.Sleep(2 * time.Second)
		if got := shown(); got != 1 || c.loads != 2 {
			t.Errorf("got revision %d after %d loads, want 1 after 2", got, c.loads)
		}
	})
}

func TestFollowKeepsWhatIsShownWhileTheDatabaseDoesNotAnswer(t *testing.T) {
	for name, c := range map[string]*fakeCatalogue{
		"revision": {revision: 1, err: errors.New("broken")},
		"load":     {revision: 2, loadErr: errors.New("broken")},
	} {
		following(t, c, func(shown func() int64, log *bytes.Buffer) {
			time.Sleep(time.Minute)
			if got := shown(); got != 0 {
				t.Errorf("%s: revision %d was shown", name, got)
			}
			if got := strings.Count(log.String(), "cannot be read"); got != 1 {
				t.Errorf("%s: got %d lines in a minute, want 1:\n%s", name, got, log)
			}
			c.revision, c.err, c.loadErr = 3, nil, nil
			time.Sleep(2 * time.Second)
			if got := shown(); got != 3 || !strings.Contains(log.String(), "can be read again") {
				t.Errorf("%s: got revision %d, want 3, and log:\n%s", name, got, log)
			}
		})
	}
}
