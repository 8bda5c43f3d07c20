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

	"tianti/audit"
	"tianti/catalog"
	"tianti/diff"
	"tianti/sorting"
)

// A Store has the audit log and the revisions.
type Store interface {
	// Entries returns entries of the audit log, newest first.
	Entries(ctx context.Context, q audit.Query) ([]audit.Entry, int, error)
	// Figures returns what a revision says of cards: its sources and its cards; fs.ErrNotExist without one.
	Figures(ctx context.Context, number int64) (catalog.Dataset, error)
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

// Differences are kept: each is between two revisions, which never change. When there are too many, those go that
// nobody has asked for since there were too many before.
const (
	mostKept      = 32
	mostKeptCards = 2500 // in all of them, unless one alone has more; each takes some 10 kB
)

// MostAtOnce is how many cards are read, to be compared, while somebody waits: a revision of the built-in data. What
// pages link to was compared before anybody asks.
const MostAtOnce = 700

// compareWithin bounds how long a comparison takes that nobody waits for.
const compareWithin = 5 * time.Minute

// ErrComparing says that two revisions are so large that they are being compared; who asks again is answered.
var ErrComparing = errors.New("the revisions are large and are being compared")

// A Log reads what has changed. It is safe for concurrent use.
type Log struct {
	store Store

	mu        sync.Mutex
	kept      map[[2]int64]*Difference // by the revisions that brought what is compared
	keptCards int
	keptOnce  map[[2]int64]*Difference // until there were too many
	bodies    []body                   // that were read last, of those that are compared at once
	comparing bool                     // two large ones; others wait for their turn
}

// A body is what a revision says of cards.
type body struct {
	number int64
	catalog.Dataset
}

// mostBodies are kept: who compares revisions with one another asks for one of them again, and to read one takes more
// than half of the time.
const mostBodies = 2

// NewLog returns the log of a store.
func NewLog(s Store) *Log { return &Log{store: s, kept: map[[2]int64]*Difference{}} }

// Steps are all steps, the oldest first.
func (l *Log) Steps(ctx context.Context) ([]Step, error) {
	var list []audit.Entry
	for _, action := range []string{"import.apply", "dataset.activate", "dataset.deactivate"} {
		entries, _, err := l.store.Entries(ctx, audit.Query{Action: action, N: mostSteps})
		if err != nil {
			return nil, fmt.Errorf("read what has changed: %w", err)
		}
		list = append(list, entries...)
	}
	sorting.Func(list, func(a, b audit.Entry) int { return int(a.Number - b.Number) })
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
func numberIn(e *audit.Entry, name string) int64 {
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

// A Waiting is somebody who waits for differences, for all of them as long as to read MostAtOnce cards takes.
type Waiting struct {
	log  *Log
	left int // cards
}

// Waiting is for one request.
func (l *Log) Waiting() *Waiting { return &Waiting{l, MostAtOnce} }

// Patient is for who waits as long as it takes.
func (l *Log) Patient() *Waiting { return &Waiting{l, math.MaxInt} }

// Difference compares two revisions of a dataset, either of which may be 0: none. The caller must not change it. What
// takes longer than somebody waits is compared in the background, one pair at a time: ErrComparing until that is done.
func (w *Waiting) Difference(ctx context.Context, from, to int64) (*Difference, error) {
	return w.log.difference(ctx, from, to, &w.left)
}

// Compared is Difference for those who can wait: it compares large ones at once.
func (l *Log) Compared(ctx context.Context, from, to int64) (*Difference, error) {
	return l.Patient().Difference(ctx, from, to)
}

func (l *Log) difference(ctx context.Context, from, to int64, left *int) (*Difference, error) {
	key := [2]int64{from, to}
	if kept := l.keptOf(key); kept != nil {
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
		if !l.hasBody(bodies[i].Number) {
			cards += bodies[i].Cards
		}
	}
	before, after := bodies[0], bodies[1]
	if from != 0 && to != 0 && before.Dataset != after.Dataset {
		return nil, &MixedError{before.Dataset, after.Dataset}
	}
	if from != 0 && before.Number == after.Number {
		return &Difference{Dataset: after.Dataset}, nil // they differ in prices at most
	}
	if key = [2]int64{before.Number, after.Number}; before.Number != from || after.Number != to {
		if kept := l.keptOf(key); kept != nil {
			return kept, nil
		}
	}
	if cards <= *left {
		*left -= cards
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

// keptOf is a difference that is kept, or nil.
func (l *Log) keptOf(key [2]int64) *Difference {
	l.mu.Lock()
	defer l.mu.Unlock()
	made := l.kept[key]
	if made == nil {
		if made = l.keptOnce[key]; made != nil {
			l.keep(key, made)
		}
	}
	return made
}

// keep keeps a difference. l.mu is held.
func (l *Log) keep(key [2]int64, made *Difference) {
	if len(l.kept) >= mostKept || l.keptCards+len(made.Cards) > mostKeptCards {
		l.keptOnce, l.kept, l.keptCards = l.kept, map[[2]int64]*Difference{}, 0
	}
	l.kept[key] = made
	l.keptCards += len(made.Cards)
}

// bodyAt is the place of a body that is kept, or -1. l.mu is held.
func (l *Log) bodyAt(number int64) int {
	return slices.IndexFunc(l.bodies, func(b body) bool { return b.number == number })
}

func (l *Log) hasBody(number int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bodyAt(number) >= 0
}

// body returns what a revision says of cards.
func (l *Log) body(ctx context.Context, number int64) (catalog.Dataset, error) {
	l.mu.Lock()
	if at := l.bodyAt(number); at >= 0 {
		defer l.mu.Unlock()
		found := l.bodies[at]
		l.bodies = append(slices.Delete(l.bodies, at, at+1), found) // the last to go
		return found.Dataset, nil
	}
	l.mu.Unlock()
	read, err := l.store.Figures(ctx, number)
	if err != nil || len(read.Cards) > MostAtOnce {
		return read, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bodyAt(number) >= 0 { // another request has read it meanwhile
		return read, nil
	}
	if len(l.bodies) == mostBodies {
		l.bodies = slices.Delete(l.bodies, 0, 1)
	}
	l.bodies = append(l.bodies, body{number, read})
	return read, nil
}

// compare compares two revisions and keeps what differs.
func (l *Log) compare(ctx context.Context, key [2]int64) (*Difference, error) {
	var sides [2]catalog.Dataset
	for i, number := range key {
		if number == 0 {
			continue
		}
		var err error
		if sides[i], err = l.body(ctx, number); err != nil {
			return nil, err
		}
	}
	before, after := sides[0], sides[1]
	if key[1] == 0 {
		after = catalog.Dataset{ID: before.ID, Rank: before.Rank}
	}
	made := &Difference{after.ID, diff.Said(before, after)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(key, made)
	return made, nil
}

// A MixedError is for two revisions of different datasets, which nothing compares.
type MixedError struct{ From, To string }

func (e *MixedError) Error() string {
	return fmt.Sprintf("the revisions are of different datasets, %s and %s", e.From, e.To)
}
