package refresh_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tianti/audit"
	"tianti/catalog"
	"tianti/refresh"
)

// records keeps what is known of feeds in memory; feeds that cannot be read need no more of a database.
type records struct {
	sync.Mutex
	refresh.Store
	byID   map[string]refresh.Record
	looks  map[string][]time.Time
	broken bool
}

func (r *records) Feed(_ context.Context, id string) (refresh.Record, error) {
	r.Lock()
	defer r.Unlock()
	if r.broken {
		return refresh.Record{}, os.ErrDeadlineExceeded
	}
	rec, ok := r.byID[id]
	if !ok {
		return rec, fs.ErrNotExist
	}
	return rec, nil
}

func (r *records) SetFeed(_ context.Context, rec refresh.Record, _ *audit.Entry) error {
	r.Lock()
	defer r.Unlock()
	r.byID[rec.Feed] = rec
	r.looks[rec.Feed] = append(r.looks[rec.Feed], time.Now())
	return nil
}

func (r *records) count(feed string) int {
	r.Lock()
	defer r.Unlock()
	return len(r.looks[feed])
}

func TestTheScheduleKeepsItsTimeOverRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing.csv")
	feeds, err := refresh.Parse([]byte("feeds:\n- {id: a, file: "+path+"}\n- {id: b, file: "+path+"}\n"), "/srv")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		kept := &records{byID: map[string]refresh.Record{}, looks: map[string][]time.Time{}}
		kept.byID["b"] = refresh.Record{Feed: "b", Checked: time.Now().Add(-23 * time.Hour)}
		r := refresh.New(refresh.Config{Feeds: feeds, Store: kept, Snapshot: func() *catalog.Snapshot { return nil }})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { r.Run(ctx, day); close(ended) }()
		for _, step := range []struct {
			after time.Duration
			a, b  int
		}{{30 * time.Second, 0, 0}, {2 * time.Minute, 1, 0}, {2 * time.Hour, 1, 1}, {day, 2, 2}, {3 * day, 5, 5}} {
			time.Sleep(step.after)
			synctest.Wait()
			if a, b := kept.count("a"), kept.count("b"); a != step.a || b != step.b {
				t.Errorf("after %s: %d and %d looks, want %d and %d", step.after, a, b, step.a, step.b)
			}
		}
		kept.Lock()
		kept.broken = true
		kept.Unlock()
		time.Sleep(2 * day)
		kept.Lock()
		kept.broken = false
		kept.Unlock()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if a := kept.count("a"); a != 6 {
			t.Errorf("%d looks after the database came back, want 6", a)
		}
		stop()
		<-ended
	})
}
