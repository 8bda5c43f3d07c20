package site

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"tianti/catalog"
	"tianti/sizing"
)

func TestWhatIsThereSoonIsComputedOnceAndWaitedForOnlySoLong(t *testing.T) {
	st, begin, times := &State{}, make(chan struct{}), 0
	past := make(chan time.Time)
	close(past)
	compute := func() { <-begin; times++ }
	for range 3 {
		if Soon(st, "a", past, compute) {
			t.Fatal("it is there before it could be")
		}
	}
	close(begin)
	if !Soon(st, "a", nil, compute) || !Soon(st, "a", past, compute) || times != 1 {
		t.Errorf("computed %d times", times)
	}
	if !Soon(st, "b", nil, func() { panic("broken") }) {
		t.Error("who waits for what panics waits for ever")
	}
}

func TestAFaultOfWhatIsMadeAheadDoesNotEndTheProcess(t *testing.T) {
	snap := catalog.NewSnapshot(0, catalog.Dataset{})
	for name, broken := range map[string]func() (*sizing.Estimator, error){
		"the estimator": func() (*sizing.Estimator, error) { panic("broken") },
		"the pages":     func() (*sizing.Estimator, error) { return nil, errors.New("none") },
	} {
		asked := false
		s := &Site{Prepare: func(context.Context, *catalog.Snapshot) {
			asked = true
			panic("broken")
		}}
		st := &State{Snap: snap, Estimator: sync.OnceValues(broken)}
		s.precompute(st, snap) // waits for it
		if asked != (name == "the pages") {
			t.Errorf("%s: pages were asked for: %v", name, asked)
		}
	}
}
