package publish

import (
	"context"
	"slices"
	"time"

	"tianti/publish/bucket"
)

// Grace is how long a snapshot stays at least after another one took its place: a reader may just be fetching it.
const Grace = 10 * time.Minute

// pruneWithin is the time for deleting.
const pruneWithin = time.Minute

// prune deletes old snapshots: never the current one, nor the one before.
func (p *Publisher) prune(ctx context.Context, m *Manifest) (deleted int, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, pruneWithin, errSlow)
	defer cancel()
	list, err := p.Bucket.List(ctx, snapshotDir)
	if err != nil {
		return 0, because(ctx, err)
	}
	for _, key := range outdated(list, m, p.Keep, max(p.KeepFor, Grace), time.Now()) {
		if err := p.Bucket.Delete(ctx, key); err != nil {
			return deleted, because(ctx, err)
		}
		deleted++
	}
	return deleted, nil
}

// outdated lists what may be deleted. Snapshots are ordered by when they were written; one was current at the latest
// until the next was written.
func outdated(list []bucket.Entry, m *Manifest, keep int, keepFor time.Duration, now time.Time) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(e bucket.Entry) bool {
		sum := snapshotOf(e.Key)
		return sum == "" || sum == m.SHA256 // what is not ours stays, and so does the current one
	})
	slices.SortStableFunc(list, func(a, b bucket.Entry) int { return b.Modified.Compare(a.Modified) })
	var out []string
	replaced := m.Published
	for i, e := range list {
		if i >= max(keep, 1) && snapshotOf(e.Key) != m.Previous && now.Sub(replaced) > keepFor &&
			now.Sub(e.Modified) > keepFor {
			out = append(out, e.Key)
		}
		replaced = e.Modified
	}
	return out
}
