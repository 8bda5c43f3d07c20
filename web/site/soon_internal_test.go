package site

import (
	"testing"
	"time"
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
