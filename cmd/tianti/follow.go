package main

import (
	"context"
	"log/slog"
	"time"

	"tianti/catalog"
)

// followEvery is the interval of polling the revision of the catalogue, which takes some microseconds.
const followEvery = time.Second

// catalogue is a database that several processes may change.
type catalogue interface {
	// CatalogueRevision increases when the catalogue changes.
	CatalogueRevision(context.Context) (int64, error)
	// Load returns the catalogue of this moment.
	Load(ctx context.Context, progress func(*catalog.Snapshot)) (*catalog.Snapshot, error)
}

// moves signals that this process has changed the catalogue. The sender waits until the channel that it sends is
// closed.
type moves chan chan struct{}

// seenWithin is the limit for the wait of the sender.
const seenWithin = 5 * time.Second

// tell returns when the changed catalogue is shown, or after seenWithin.
func (m moves) tell() {
	late := time.NewTimer(seenWithin)
	defer late.Stop()
	seen := make(chan struct{})
	select {
	case m <- seen:
	case <-late.C:
		return
	}
	select {
	case <-seen:
	case <-late.C:
	}
}

// follow shows the catalogue whenever it has another revision than shown, until ctx ends. It polls once a second, and
// at once when moved signals. While the database does not answer, the last catalogue stays; the log has one line for
// the first failure and one for the recovery.
func follow(
	ctx context.Context, c catalogue, shown int64, moved moves, show func(*catalog.Snapshot), log *slog.Logger,
) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	failing := false
	for {
		seen := make(chan struct{})
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case seen = <-moved:
		}
		snap, err := loadIfMoved(ctx, c, shown)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			log.Error("the catalogue cannot be read; the last one stays", "revision", shown, "error", err)
		case err == nil && failing:
			log.Info("the catalogue can be read again", "revision", shown)
		}
		failing = err != nil
		if snap != nil {
			shown = snap.Revision
			show(snap)
			log.Info("the catalogue changed", "revision", shown, "cards", snap.Len())
		}
		close(seen)
	}
}

// loadIfMoved returns nil when the catalogue is still at revision shown.
func loadIfMoved(ctx context.Context, c catalogue, shown int64) (*catalog.Snapshot, error) {
	now, err := c.CatalogueRevision(ctx)
	if err != nil || now == shown {
		return nil, err
	}
	makeRoom()
	return c.Load(ctx, nil)
}
