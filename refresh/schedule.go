package refresh

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// MinEvery is how often feeds may be looked at.
const MinEvery = 15 * time.Minute

// Pauses of the schedule.
const (
	startPause = time.Minute     // for a feed that was never looked at, so that the start is undisturbed
	errorPause = 5 * time.Minute // while the database does not answer
)

// Run looks at each feed whenever its last look is as long ago as every says, until ctx ends.
func (r *Refresher) Run(ctx context.Context, every time.Duration) {
	wait := startPause
	for {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		next, err := r.due(ctx, every)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.cfg.Log.Error("feeds cannot be refreshed", "error", err)
			wait = errorPause
		default:
			wait = max(time.Second, time.Until(next))
		}
	}
}

// due looks at the feeds that are due and returns when the next one is.
func (r *Refresher) due(ctx context.Context, every time.Duration) (next time.Time, err error) {
	for i := range r.cfg.Feeds.Feeds {
		f := &r.cfg.Feeds.Feeds[i]
		rec, err := r.cfg.Store.Feed(ctx, f.ID)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return next, err
		}
		now := time.Now()
		if at := rec.Checked.Add(every); rec.Checked.IsZero() || !at.After(now) || rec.Checked.After(now) {
			if rec, err = r.One(ctx, f); err != nil {
				return next, fmt.Errorf("feed %s: %w", f.ID, err)
			}
		}
		if at := rec.Checked.Add(every); next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next, nil
}
