package site

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// stats count answers.
type stats struct {
	Hits, Misses atomic.Int64 // of the page cache
	mu           sync.Mutex   // of whoever adds a key
	Answers      atomic.Pointer[map[AnswerKey]*answered]
}

// answered is what there was of a kind of answer.
type answered struct {
	N    atomic.Int64
	Took atomic.Int64 // nanoseconds of all together
}

// AnswerKey is a route with a status.
type AnswerKey struct {
	Route  string
	Status int
}

// newStats counts from zero.
func newStats() *stats {
	t := &stats{}
	t.Answers.Store(&map[AnswerKey]*answered{})
	return t
}

func (a *answered) add(took time.Duration) {
	a.N.Add(1)
	a.Took.Add(int64(took))
}

// count adds an answer. Routes and statuses are few, so that keys are rarely added.
func (t *stats) count(route string, status int, took time.Duration) {
	if route == "" {
		route = "/static/" // the files besides pages, and what no route has
	}
	key := AnswerKey{route, status}
	if n := (*t.Answers.Load())[key]; n != nil {
		n.add(took)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := (*t.Answers.Load())[key]; n != nil {
		n.add(took)
		return
	}
	next := maps.Clone(*t.Answers.Load())
	next[key] = new(answered)
	next[key].add(took)
	t.Answers.Store(&next)
}
