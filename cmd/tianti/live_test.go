package main

import (
	"context"
	"io"
	"testing"

	"tianti/live"
	"tianti/live/recording"
)

func TestWatchingRecordsUntilItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"live", "--json", "--watch", "--live",
			"replay:../../live/recording/testdata/three-cards.ndjson"}, envOf(nil), in, io.Discard)
		ended <- err
		in.Close()
	}()
	r := recording.NewReader(out)
	var last live.Frame
	for range 2 {
		f, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !f.Taken.After(last.Taken) || f.Devices() != 3 {
			t.Errorf("got %d devices of %v after %v, want 3 of another frame", f.Devices(), f.Taken, last.Taken)
		}
		last = f
	}
	interrupt()
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("got %v after the interruption, want no half line", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("got %v, want it to end well", err)
	}
}
