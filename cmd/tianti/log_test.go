package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// sink counts writes; it is not safe for concurrent use, so that the race
// detector sees writers that are.
type sink struct {
	bytes.Buffer
	writes int
	block  chan struct{} // unless nil, Write waits for it
}

func (s *sink) Write(b []byte) (int, error) {
	if s.block != nil {
		<-s.block
	}
	s.writes++
	return s.Buffer.Write(b)
}

func TestLogLinesAreWrittenTogetherWithin200Milliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		log, _ := newLog(&out, "json")
		for i := range 100 {
			log.Info("request", "n", i)
			time.Sleep(time.Millisecond)
		}
		if out.writes != 0 {
			t.Errorf("got %d writes after 100 ms, want none", out.writes)
		}
		time.Sleep(100*time.Millisecond + 1)
		synctest.Wait()
		if got := strings.Count(out.String(), "\n"); got != 100 || out.writes != 1 {
			t.Errorf("got %d lines in %d writes after 200 ms, want 100 in 1", got, out.writes)
		}
		log.Info("later")
		time.Sleep(logDelay + 1)
		synctest.Wait()
		if out.writes != 2 {
			t.Errorf("got %d writes after a later line, want 2", out.writes)
		}
	})
}

func TestErrorsAreLoggedAtOnceAfterWhatCameBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		log, _ := newLog(&out, "text")
		log.Info("first")
		log.With("a", 1).WithGroup("g").Error("second")
		first, second := strings.Index(out.String(), "first"), strings.Index(out.String(), "second")
		if first < 0 || second < first {
			t.Errorf("got %q, want first and second", out.String())
		}
		time.Sleep(logDelay + 1) // the timer of the first line finds nothing to do
		synctest.Wait()
		if out.writes != 1 {
			t.Errorf("got %d writes, want 1", out.writes)
		}
	})
}

func TestFlushWritesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		log, flush := newLog(&out, "json")
		log.Info("last words")
		flush()
		if !strings.Contains(out.String(), "last words") {
			t.Errorf("got %q", out.String())
		}
		time.Sleep(logDelay + 1)
	})
}

func TestLogDoesNotWaitUntilTheBufferIsLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		b := newLineBuffer(&out, logDelay)
		line := []byte(strings.Repeat("x", 999) + "\n")
		for range logBytes/len(line) + 1 {
			if _, err := b.Write(line); err != nil {
				t.Fatal(err)
			}
		}
		if out.writes != 1 {
			t.Errorf("got %d writes of %d bytes before any time passed, want 1", out.writes, out.Len())
		}
		time.Sleep(logDelay + 1)
	})
}

func TestWritersWaitForASlowReaderOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := sink{block: make(chan struct{})}
		b := newLineBuffer(&out, logDelay)
		line := []byte(strings.Repeat("x", 999) + "\n")
		written := 0
		go func() {
			for range 1000 {
				_, _ = b.Write(line)
				written++
			}
		}()
		synctest.Wait()
		if limit := 2*logBytes/len(line) + 2; written > limit {
			t.Errorf("%d lines were taken while nobody read, want at most %d", written, limit)
		}
		close(out.block)
		synctest.Wait()
		b.Flush()
		if got := strings.Count(out.String(), "\n"); written != 1000 || got != 1000 {
			t.Errorf("%d lines were taken and %d written, want 1000", written, got)
		}
		time.Sleep(logDelay + 1)
	})
}

func TestConcurrentLinesStayWholeAndInOrder(t *testing.T) {
	var out sink
	log, flush := newLog(&out, "json")
	const writers, lines = 8, 500
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range lines {
				log.Info("line", "writer", w, "n", i)
				if i%100 == 99 {
					log.Error("line", "writer", w, "n", -1)
				}
			}
		})
	}
	wg.Wait()
	flush()
	next := map[int]int{}
	for text := range strings.Lines(out.String()) {
		var line struct{ Writer, N int }
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if line.N < 0 {
			continue
		}
		if line.N != next[line.Writer] {
			t.Fatalf("writer %d: got line %d, want %d", line.Writer, line.N, next[line.Writer])
		}
		next[line.Writer]++
	}
	if got := fmt.Sprint(next); got != "map[0:500 1:500 2:500 3:500 4:500 5:500 6:500 7:500]" {
		t.Errorf("got %s lines", got)
	}
}

func TestAutoIsJSONWhereThereIsNoTerminal(t *testing.T) {
	var out sink
	log, flush := newLog(&out, "auto")
	log.Info("hello")
	flush()
	if !json.Valid(out.Bytes()) {
		t.Errorf("got %q, want JSON", out.String())
	}
}

func BenchmarkLogLine(b *testing.B) {
	log, flush := newLog(discard{}, "json")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			log.Info("request", "method", "GET", "pattern", "/cards", "path", "/cards", "status", 200, "bytes", 45000, "took", time.Millisecond)
		}
	})
	flush()
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
