package account

import (
	"sync"
	"time"
)

// A Throttle bounds attempts by key: some are free, each after that waits twice as long as the one before. It is safe
// for concurrent use.
type Throttle struct {
	free    int           // attempts without a wait
	first   time.Duration // the first wait
	most    time.Duration // the longest wait
	forget  time.Duration // a key without attempts for so long is removed
	keys    int           // bound of the memory
	mu      sync.Mutex
	entries map[string]*attempts
}

type attempts struct {
	n    int
	last time.Time
	next time.Time // when the next may be made
}

// NewThrottle returns a throttle that keeps up to a number of keys.
func NewThrottle(free int, first, most, forget time.Duration, keys int) *Throttle {
	return &Throttle{free: free, first: first, most: most, forget: forget, keys: keys, entries: map[string]*attempts{}}
}

// Take counts an attempt, or says how long to wait before one may be made; to try during the wait does not prolong it.
// An attempt counts as failed until Forgive: many at once are as many attempts.
func (t *Throttle) Take(key string, now time.Time) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.entries[key]
	if a != nil && now.Sub(a.last) >= t.forget {
		delete(t.entries, key)
		a = nil
	}
	if a == nil {
		t.makeRoom(now)
		a = &attempts{}
		t.entries[key] = a
	}
	if wait := a.next.Sub(now); wait > 0 {
		return wait
	}
	a.n++
	a.last = now
	if a.n >= t.free {
		a.next = now.Add(t.pause(a.n - t.free))
	}
	return 0
}

// pause is the wait after the free attempts and n more.
func (t *Throttle) pause(n int) time.Duration {
	wait := t.first
	for ; n > 0 && wait < t.most; n-- {
		wait *= 2
	}
	return min(wait, t.most)
}

// Forgive takes back one attempt, which was right.
func (t *Throttle) Forgive(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.entries[key]
	if a == nil {
		return
	}
	if a.n--; a.n <= 0 {
		delete(t.entries, key)
	} else if a.n < t.free {
		a.next = time.Time{}
	}
}

// Reset removes a key.
func (t *Throttle) Reset(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.entries, key)
}

// makeRoom removes expired keys and, when that is not enough, the key with the fewest attempts: an attacker cannot
// evict the key under attack by trying made-up names.
func (t *Throttle) makeRoom(now time.Time) {
	if len(t.entries) < t.keys {
		return
	}
	least, fewest := "", 0
	for key, a := range t.entries {
		if now.Sub(a.last) >= t.forget {
			delete(t.entries, key)
		} else if least == "" || a.n < fewest {
			least, fewest = key, a.n
		}
	}
	if len(t.entries) >= t.keys {
		delete(t.entries, least)
	}
}
