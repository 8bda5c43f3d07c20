// Package changes tells what of the catalogue has changed: which revision of each dataset was shown when, and what
// differs between two of them.
package changes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"tianti/catalog"
	"tianti/diff"
	"tianti/importer"
)

// A Store has the audit log and the revisions.
type Store interface {
	// Entries returns entries of the audit log, newest first.
	Entries(ctx context.Context, q importer.AuditQuery) ([]importer.AuditEntry, int, error)
	// Revision returns a revision without its prices; fs.ErrNotExist without one.
	Revision(ctx context.Context, number int64) (catalog.Dataset, error)
	// Body names what a revision has but for prices, which several may share, and says how many cards that are; of no
	// revision it is fs.ErrNotExist.
	Body(ctx context.Context, number int64) (b Body, err error)
}

// A Body is what a revision has but for prices.
type Body struct {
	Number  int64 // the revision that brought it
	Dataset string
	Cards   int
}

// A Step is a moment at which another revision of a dataset began to be shown.
type Step struct {
	At       time.Time
	Dataset  string
	From, To int64 // revisions; 0: none
}

// mostSteps is how many steps of each kind are looked at, the newest.
const mostSteps = 2000

// Differences are kept: each is between two revisions, which never change.
const (
	mostKept      = 64
	mostKeptCards = 200_000 // in all of them
)

// MostAtOnce is how many cards two revisions may have in all to be compared while somebody waits.
const MostAtOnce = 1_500

// compareWithin bounds how long a comparison takes that nobody waits for.
const compareWithin = 5 * time.Minute

// ErrComparing says that two revisions are so large that they are being compared; who asks again is answered.
var ErrComparing = errors.New("the revisions are large and are being compared")

// A Log reads what has changed. It is safe for concurrent use.
type Log struct {
	store Store

	mu        sync.Mutex
	kept      map[[2]int64]*Difference
	keptCards int
	comparing bool // two large ones; others wait for their turn
}

// NewLog returns the log of a store.
func NewLog(s Store) *Log { return &Log{store: s, kept: map[[2]int64]*Difference{}} }

// Steps are all steps, the oldest first.
func (l *Log) Steps(ctx context.Context) ([]Step, error) {
	var list []importer.AuditEntry
	for _, action := range []string{"import.apply", "dataset.activate", "dataset.deactivate"} {
		entries, _, err := l.store.Entries(ctx, importer.AuditQuery{Action: action, N: mostSteps})
		if err != nil {
			return nil, fmt.Errorf("read what has changed: %w", err)
		}
		list = append(list, entries...)
	}
	slices.SortFunc(list, func(a, b importer.AuditEntry) int { return int(a.Number - b.Number) })
	out := make([]Step, 0, len(list))
	for i := range list {
		e := &list[i]
		step := Step{At: e.At, Dataset: e.Subject}
		if e.Action == "import.apply" {
			step.From, step.To = numberIn(e, "before"), numberIn(e, "revision")
		} else {
			step.From, step.To = numberIn(e, "from"), numberIn(e, "to")
		}
		out = append(out, step)
	}
	return out, nil
}

// numberIn is a number in the detail of an entry, which came through JSON; 0 without one.
func numberIn(e *importer.AuditEntry, name string) int64 {
	v, _ := e.Detail[name].(float64)
	return int64(v)
}

// Within are the steps after a moment, up to another one.
func Within(steps []Step, after, until time.Time) []Step {
	var out []Step
	for _, s := range steps {
		if s.At.After(after) && !s.At.After(until) {
			out = append(out, s)
		}
	}
	return out
}

// Joined is one step for each dataset that comes to the same as all of them, in the order of the first; those that come
// to nothing are left out.
func Joined(steps []Step) []Step {
	var out []Step
	for _, s := range steps {
		at := slices.IndexFunc(out, func(o Step) bool { return o.Dataset == s.Dataset })
		if at < 0 {
			out = append(out, s)
			continue
		}
		out[at].At, out[at].To = s.At, s.To
	}
	return slices.DeleteFunc(out, func(s Step) bool { return s.From == s.To })
}

// A Difference is what differs between two revisions of a dataset.
type Difference struct {
	Dataset string // id
	diff.Report
}

// Difference compares two revisions of a dataset, either of which may be 0: none. The caller must not change it. Large
// ones are compared in the background, one pair at a time: ErrComparing until that is done.
func (l *Log) Difference(ctx context.Context, from, to int64) (*Difference, error) {
	return l.difference(ctx, from, to, MostAtOnce)
}

// Compared is Difference for those who can wait: it compares large ones at once.
func (l *Log) Compared(ctx context.Context, from, to int64) (*Difference, error) {
	return l.difference(ctx, from, to, math.MaxInt)
}

func (l *Log) difference(ctx context.Context, from, to int64, atOnce int) (*Difference, error) {
	key := [2]int64{from, to}
	l.mu.Lock()
	kept := l.kept[key]
	l.mu.Unlock()
	if kept != nil {
		return kept, nil
	}
	var bodies [2]Body
	cards := 0
	for i, number := range key {
		if number == 0 {
			continue
		}
		var err error
		if bodies[i], err = l.store.Body(ctx, number); err != nil {
			return nil, err
		}
		cards += bodies[i].Cards
	}
	before, after := bodies[0], bodies[1]
	if from != 0 && to != 0 && before.Dataset != after.Dataset {
		return nil, &MixedError{before.Dataset, after.Dataset}
	}
	if from != 0 && before.Number == after.Number {
		return &Difference{Dataset: after.Dataset}, nil // they differ in prices at most
	}
	if cards <= atOnce {
		return l.compare(ctx, key)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.comparing {
		l.comparing = true
		go func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), compareWithin)
			defer cancel()
			_, _ = l.compare(ctx, key) // whoever asks again finds it, or begins anew
			l.mu.Lock()
			defer l.mu.Unlock()
			l.comparing = false
		}()
	}
	return nil, ErrComparing
}

// compare compares two revisions and keeps what differs.
func (l *Log) compare(ctx context.Context, key [2]int64) (*Difference, error) {
	var sides [2]catalog.Dataset
	for i, number := range key {
		if number == 0 {
			continue
		}
		var err error
		if sides[i], err = l.store.Revision(ctx, number); err != nil {
			return nil, err
		}
	}
	before, after := sides[0], sides[1]
	if key[1] == 0 {
		after = catalog.Dataset{ID: before.ID, Rank: before.Rank}
	}
	made := &Difference{after.ID, diff.Between(before, after, nil)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) >= mostKept || l.keptCards+len(made.Cards) > mostKeptCards {
		clear(l.kept)
		l.keptCards = 0
	}
	l.kept[key] = made
	l.keptCards += len(made.Cards)
	return made, nil
}

// A MixedError is for two revisions of different datasets, which nothing compares.
type MixedError struct{ From, To string }

func (e *MixedError) Error() string {
	return fmt.Sprintf("the revisions are of different datasets, %s and %s", e.From, e.To)
}
