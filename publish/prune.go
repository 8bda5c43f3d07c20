package publish

import (
	"context"
	"slices"
	"time"

	"tianti/publish/bucket"
	"tianti/sorting"
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
	return deleted, because(ctx, p.pruneHistory(ctx, m))
}

// outdated lists snapshots that may be deleted.
func outdated(list []bucket.Entry, m *Manifest, keep int, keepFor time.Duration, now time.Time) []string {
	return outdatedOf(list, replacing{snapshotOf, m.SHA256, m.Previous, m.Published}, keep, keepFor, now)
}

// replacing is what took the place of what, and when.
type replacing struct {
	hash            func(key string) string // empty for a key of another kind
	current, before string
	since           time.Time
}

// outdatedOf lists what may be deleted of objects that follow each other. They are ordered by when they were written;
// one was current at the latest until the next was written.
func outdatedOf(list []bucket.Entry, r replacing, keep int, keepFor time.Duration, now time.Time) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(e bucket.Entry) bool {
		sum := r.hash(e.Key)
		return sum == "" || sum == r.current // what is not ours stays, and so does the current one
	})
	sorting.Func(list, func(a, b bucket.Entry) int { return b.Modified.Compare(a.Modified) })
	var out []string
	replaced := r.since
	for i, e := range list {
		if i >= max(keep, 1) && r.hash(e.Key) != r.before && now.Sub(replaced) > keepFor &&
			now.Sub(e.Modified) > keepFor {
			out = append(out, e.Key)
		}
		replaced = e.Modified
	}
	return out
}
