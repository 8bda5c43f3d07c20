package main

import (
	"context"
	"log/slog"
	"time"

	"tianti/catalog"
)

// followEvery is how often the database is asked whether the catalogue changed;
// asking costs some microseconds.
const followEvery = time.Second

// catalogue is a database that several processes may change.
type catalogue interface {
	// CatalogueRevision moves when the catalogue changes.
	CatalogueRevision(context.Context) (int64, error)
	// Load returns the catalogue of this moment.
	Load(ctx context.Context, progress func(*catalog.Snapshot)) (*catalog.Snapshot, error)
}

// moves carries word that this process has changed the catalogue; whoever sends it
// waits until the channel that he sends is closed.
type moves chan chan struct{}

// seenWithin is how long who changed the catalogue waits to see it.
const seenWithin = 5 * time.Second

// tell returns when the catalogue is shown as it is now, or, when that takes long,
// before.
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

// follow shows the catalogue again whenever it moves on from revision shown,
// until ctx ends. It looks once a second, and when moved says so. While the database
// does not answer, what is shown stays; the log has one line when that begins and one
// when it is over.
func follow(ctx context.Context, c catalogue, shown int64, moved moves, show func(*catalog.Snapshot), log *slog.Logger) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	failing := false
	for {
		seen := make(chan struct{})
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case seen = <-moved: // by this process: whoever did it wants to see it
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
	return c.Load(ctx, nil)
}
