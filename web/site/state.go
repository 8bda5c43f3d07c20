package site

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"tianti/catalog"
	"tianti/locale"
	"tianti/sizing"
	"tianti/web/api"
)

// Swap makes the site answer from a snapshot; requests under way finish with the one
// they began with.
func (s *Site) Swap(snap *catalog.Snapshot) {
	st := &State{Snap: snap, Items: api.NewItems(snap), Pages: newPageCache(s.CacheBytes)}
	st.Estimator = sync.OnceValues(func() (*sizing.Estimator, error) {
		if s.NewEstimator == nil {
			return nil, errors.New("this server has no data for sizing")
		}
		return s.NewEstimator(snap)
	})
	before := s.State.Load()
	if before != nil && !snap.Partial() {
		s.precompute(st, before.Snap)
	}
	s.State.Store(st)
	if s.Prepare != nil && before == nil && !snap.Partial() && snap.Len() <= MostEstimated {
		go ahead(func() { _, _ = st.Estimator() }) // so that the first question of sizing need not wait for it
	}
}

// How long a catalogue is held back for what its first visitors would wait for. With other cards than before that is
// most of what pages of cards rest on, and takes the longer the more cards there are.
const (
	preparedWithin      = 500 * time.Millisecond
	cardsPreparedWithin = 5 * time.Second
	eachPreparedWithin  = 200 * time.Microsecond
)

// precompute does what takes long with many cards or prices, while the catalogue before is served: of one that takes
// the place of its own first cards all of it, of another what there is time for.
func (s *Site) precompute(st *State, before *catalog.Snapshot) {
	made := make(chan struct{})
	go func() {
		defer close(made)
		if s.Prepare != nil {
			ahead(func() {
				_, _ = st.Estimator() // who asks for it gets its error
				s.Prepare(context.WithValue(Unlimited(context.Background()), preparing{}, st), st.Snap)
			})
		}
	}()
	var late <-chan time.Time // never
	switch snap := st.Snap; {
	case before.Partial():
	case snap.SharesCards(before):
		late = time.After(preparedWithin)
	default:
		late = time.After(cardsPreparedWithin + time.Duration(snap.Len())*eachPreparedWithin)
	}
	if !before.Partial() {
		for _, l := range locale.All() {
			st.Snap.Priced(s.UsualPricing(l))
		}
		st.Snap.PriceStats()
	}
	select {
	case <-made:
	case <-late:
	case <-s.Leaving:
	}
}

// preparing is where the context of a request has the state that it asks, when that is not shown yet.
type preparing struct{}

// stateOf is the state that answers a request.
func (s *Site) stateOf(ctx context.Context) *State {
	if st, ok := ctx.Value(preparing{}).(*State); ok {
		return st
	}
	return s.State.Load()
}

// State is everything that belongs to one snapshot; a new revision brings a new
// one, and the caches of the old go with it.
type State struct {
	Snap  *catalog.Snapshot
	Items *api.Items
	Pages *pageCache
	// Estimator makes the estimator at the first call.
	Estimator func() (*sizing.Estimator, error)
	computed  sync.Map // of once
}

// Once is what a feature computes from a state: when it is first asked for, and once
// for each key. Keys are of a type of the feature's own.
func Once[T any](st *State, key any, compute func() (T, error)) (T, error) {
	f, _ := st.computed.LoadOrStore(key, sync.OnceValues(compute))
	return f.(func() (T, error))()
}

// ahead does what is made before anybody asks for it. A fault does not end the process: who asks for it meets it again,
// and is told.
func ahead(do func()) {
	defer func() { _ = recover() }()
	do()
}

// Soon computes once for each key of a state, as [Once], in the background, and waits for it until a deadline: false
// where it is not there by then. Whoever asks later gets it.
func Soon(st *State, key any, deadline <-chan time.Time, compute func()) bool {
	made, _ := Once(st, key, func() (chan struct{}, error) {
		made := make(chan struct{})
		go func() {
			defer close(made)
			ahead(compute)
		}()
		return made, nil
	})
	select {
	case <-made:
		return true
	default:
	}
	select {
	case <-made:
		return true
	case <-deadline:
		return false
	}
}

// MostEstimated is the largest catalogue for which what sizing needs is made ahead.
const MostEstimated = 10_000

// Snapshot returns what the server answers from, or nil.
func (s *Site) Snapshot() *catalog.Snapshot {
	if st := s.State.Load(); st != nil {
		return st.Snap
	}
	return nil
}

var ErrNoSizing = api.NewProblem(http.StatusNotFound, "This server has no data for sizing.")

// Sizing is what answers questions of sizing. A server that has no data for it does
// not have the pages either.
func (s *Site) Sizing(st *State) (*sizing.Estimator, error) {
	if s.NewEstimator == nil {
		return nil, ErrNoSizing
	}
	return st.Estimator()
}
