package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// sink counts writes and allows one at a time.
type sink struct {
	output
	writes atomic.Int32
	busy   atomic.Bool
	block  chan struct{} // unless nil, Write waits for it
}

func (s *sink) Write(b []byte) (int, error) {
	if !s.busy.CompareAndSwap(false, true) {
		panic("two writes at the same time")
	}
	defer s.busy.Store(false)
	if s.block != nil {
		<-s.block
	}
	s.writes.Add(1)
	return s.output.Write(b)
}

func TestLogLinesAreWrittenTogetherWithin200Milliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out sink
		log, _ := newLog(&out, "json")
		for i := range 100 {
			log.Info("request", "n", i)
			time.Sleep(time.Millisecond)
		}
		if out.writes.Load() != 0 {
			t.Errorf("got %d writes after 100 ms, want none", out.writes.Load())
		}
		time.Sleep(100*time.Millisecond + 1)
		synctest.Wait()
		if got := strings.Count(out.String(), "\n"); got != 100 || out.writes.Load() != 1 {
			t.Errorf("got %d lines in %d writes after 200 ms, want 100 in 1", got, out.writes.Load())
		}
		log.Info("later")
		time.Sleep(logDelay + 1)
		synctest.Wait()
		if out.writes.Load() != 2 {
			t.Errorf("got %d writes after a later line, want 2", out.writes.Load())
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
		if out.writes.Load() != 1 {
			t.Errorf("got %d writes, want 1", out.writes.Load())
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
		if out.writes.Load() != 1 {
			t.Errorf("got %d writes of %d bytes before any time passed, want 1", out.writes.Load(), len(out.String()))
		}
		time.Sleep(logDelay + 1)
	})
}

func TestWritersWaitForASlowReaderOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := sink{block: make(chan struct{})}
		b := newLineBuffer(&out, logDelay)
		line := []byte(strings.Repeat("x", 999) + "\n")
		var written atomic.Int32
		go func() {
			for range 1000 {
				_, _ = b.Write(line)
				written.Add(1)
			}
		}()
		synctest.Wait()
		if limit := int32(2*logBytes/len(line) + 2); written.Load() > limit {
			t.Errorf("%d lines were taken while nobody read, want at most %d", written.Load(), limit)
		}
		close(out.block)
		synctest.Wait()
		b.Flush()
		if got := strings.Count(out.String(), "\n"); written.Load() != 1000 || got != 1000 {
			t.Errorf("%d lines were taken and %d written, want 1000", written.Load(), got)
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
	if !json.Valid([]byte(out.String())) {
		t.Errorf("got %q, want JSON", out.String())
	}
}

// BenchmarkLogLine writes to a pipe that somebody reads, as under systemd: with
// the buffer, and each line by itself.
func BenchmarkLogLine(b *testing.B) {
	for _, bench := range []struct {
		name string
		open func(io.Writer) (*slog.Logger, func())
	}{
		{"together", func(w io.Writer) (*slog.Logger, func()) { return newLog(w, "json") }},
		{"each", func(w io.Writer) (*slog.Logger, func()) { return slog.New(slog.NewJSONHandler(w, nil)), func() {} }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r, w, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			read := make(chan error)
			go func() { _, err := io.Copy(io.Discard, r); read <- err }()
			log, flush := bench.open(w)
			b.ReportAllocs()
			for b.Loop() {
				log.LogAttrs(b.Context(), slog.LevelInfo, "request",
					slog.String("method", "GET"), slog.String("pattern", "/cards"), slog.String("path", "/cards"),
					slog.Int("status", 200), slog.Int("bytes", 45000), slog.Duration("took", time.Millisecond))
			}
			flush()
			if err := errors.Join(w.Close(), <-read); err != nil {
				b.Fatal(err)
			}
		})
	}
}
