package importer_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"tianti/importer"
	"tianti/test/slow"
)

// slowTable yields rows without end, and tells when it has yielded some.
type slowTable struct {
	n    int
	stop func()
}

func (s *slowTable) Read(p []byte) (int, error) {
	if s.n == 0 {
		s.n++
		return copy(p, "card,price,currency,kind,date,seller\n"), nil
	}
	if s.n++; s.n == 100 {
		s.stop()
	}
	return copy(p, fmt.Sprintf("One,%d,USD,street,2026-11-01,Shop %d\n", 500+s.n, s.n)), nil
}

func TestADraftEndsWithItsContext(t *testing.T) {
	slow.Raced(t, "sink.go")
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := b.Draft(ctx, importer.Upload{Name: "a.csv", Data: &slowTable{stop: cancel}},
		importer.Options{}, admin, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("while it comes in: got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	text := io.LimitReader(&slowTable{stop: func() {}}, 1<<18)
	_, err = b.Draft(ctx, importer.Upload{Name: "a.csv", Data: text}, importer.Options{}, admin,
		func(p importer.Progress) {
			if p.Rows > 3000 {
				cancel()
			}
		})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("while it is read: got %v", err)
	}
	if drafts, err := b.db.Drafts(t.Context()); err != nil || len(drafts) > 0 {
		t.Errorf("got drafts %v, %v", drafts, err)
	}
}

func TestProgressRisesAndReachesTheEnd(t *testing.T) {
	b := newBench(t)
	text, err := io.ReadAll(io.LimitReader(&slowTable{stop: func() {}}, 1<<18))
	if err != nil {
		t.Fatal(err)
	}
	var last importer.Progress
	d, err := b.Draft(t.Context(), importer.Upload{Name: "a.csv", Size: int64(len(text)),
		Data: strings.NewReader(string(text))}, importer.Options{}, admin, func(p importer.Progress) {
		if p.Rows < last.Rows || p.Bytes > p.Size {
			t.Errorf("got %+v after %+v", p, last)
		}
		last = p
	})
	if err != nil || last.Rows != d.Summary.Rows || last.Bytes != last.Size || last.Size != int64(len(text)) {
		t.Errorf("got %+v at the end of %d rows and %d bytes, %v", last, d.Summary.Rows, len(text), err)
	}
}

func TestALargeFileTakesLittleMemory(t *testing.T) {
	slow.WithoutRace(t) // which collects garbage so late that the bound is one of its own
	readInLittleMemory(t, 80_000)
}

func TestFullALargeFileTakesLittleMemory(t *testing.T) {
	slow.Only(t)
	readInLittleMemory(t, 200_000)
}

// readInLittleMemory reads a file of so many prices. Reading takes memory for what has to be remembered of each
// price, at most 150 bytes, and for the batches on their way, not for the file.
func readInLittleMemory(t *testing.T, rows int) {
	b := newBench(t)
	r, w := io.Pipe()
	go func() {
		lines := bufio.NewWriterSize(w, 32<<10)
		fmt.Fprintln(lines, "card,price,currency,kind,date,seller")
		for i := range rows {
			fmt.Fprintf(lines, "One,%d,USD,street,2026-11-01,Shop number %d of a long street\n", 500+i%1000, i)
		}
		lines.Flush()
		w.Close()
	}()
	inUse := func() uint64 {
		runtime.GC() // without what is left over
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, looks := inUse(), 0
	most := before
	d, err := b.Draft(t.Context(), importer.Upload{Name: "a.csv", Data: r}, importer.Options{}, admin,
		func(importer.Progress) {
			if looks++; looks%10 == 0 {
				most = max(most, inUse())
			}
		})
	if err != nil || d.Summary.NewPrices() != rows {
		t.Fatalf("got %d prices, %v", d.Summary.NewPrices(), err)
	}
	used, want := (most-before)>>10, uint64(28<<20+150*rows)>>10
	t.Logf("%d rows in %.1f s, %d kB in use", rows, d.Summary.Seconds, used)
	if used > want {
		t.Errorf("%d kB in use, want at most %d", used, want)
	}
}
