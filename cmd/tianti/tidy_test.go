package main

import (
	"context"
	"runtime/debug"
	"testing"
)

func TestMemoryIsGivenBackInQuietTimes(t *testing.T) {
	const mb = 1 << 20
	var k tidier
	for _, c := range []struct {
		what string
		use  heapUse
		want bool
	}{
		{"a start", heapUse{90 * mb, 40 * mb, 90 * mb}, false},
		{"quiet after the start", heapUse{91 * mb, 40 * mb, 90 * mb}, true},
		{"quiet, and nothing was done since", heapUse{92 * mb, 40 * mb, 90 * mb}, false},
		{"busy", heapUse{120 * mb, 40 * mb, 90 * mb}, false},
		{"quiet with little to give back", heapUse{121 * mb, 80 * mb, 90 * mb}, false},
		{"quiet with much", heapUse{122 * mb, 60 * mb, 90 * mb}, true},
		{"busy again", heapUse{222 * mb, 300 * mb, 400 * mb}, false},
		{"quiet with a large catalogue", heapUse{223 * mb, 300 * mb, 400 * mb}, false},
	} {
		if got := k.due(c.use); got != c.want {
			t.Errorf("%s: got %t, want %t", c.what, got, c.want)
		}
	}
}

var ballast []byte

func TestWhatTheRuntimeSaysOfTheHeap(t *testing.T) {
	before := readHeapUse()
	ballast = make([]byte, 64<<20)
	with := readHeapUse()
	if with.allocated-before.allocated < 64<<20 || with.held < 64<<20 {
		t.Errorf("got %+v before and %+v with 64 MB more", before, with)
	}
	ballast = nil
	debug.FreeOSMemory()
	if after := readHeapUse(); after.held > with.held-48<<20 || after.live == 0 || after.live > after.held {
		t.Errorf("got %+v with 64 MB more, and %+v when it was given back", with, after)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tidy(ctx) // ends
}
