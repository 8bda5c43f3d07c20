package importer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tianti/test/slow"
)

func TestLargeFilesAreReadOneAtATime(t *testing.T) {
	slow.Raced(t, "sink.go")
	synctest.Test(t, func(t *testing.T) {
		large := make(turns, 1)
		leave, err := large.take(t.Context(), largeFile)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := large.take(t.Context(), largeFile-1); err != nil {
			t.Errorf("a small file: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := large.take(ctx, largeFile); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second large file: got %v, want it to wait", err)
		}
		leave()
		if _, err := large.take(t.Context(), largeFile); err != nil {
			t.Errorf("after the first: %v", err)
		}
	})
}
