package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/importer"
	"tianti/test/slow"
)

// importForEver keeps a file, makes a draft of so many prices in twenty parts and applies it, again and again, and
// says so at each step, until it is killed. Each revision's first price is its number.
func importForEver(path string, prices int) error {
	partRows = prices / 20
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	for n := byte(1); ; n++ {
		content := append(binary.BigEndian.AppendUint64(nil, rand.Uint64()), noise(uint64(n), 3*filePart)...)
		f, err := s.StoreFile(ctx, "prices.csv", bytes.NewReader(content))
		if err != nil {
			return err
		}
		fmt.Println("kept")
		w, err := s.BeginDraft(ctx, f, importer.Options{Dataset: "prices"}, ann)
		if err != nil {
			return err
		}
		if err := w.Sources([]catalog.Source{{ID: "s", Kind: "press"}}); err != nil {
			return err
		}
		for from := 0; from < prices; from += partRows {
			if err := w.Prices(crashPart(w.ID(), from)); err != nil {
				return err
			}
			fmt.Println("part")
		}
		d, err := w.Finish(ctx, importer.Options{Format: "aws-ec2"}, importer.Summary{})
		if err != nil {
			return err
		}
		fmt.Println("ready")
		if _, err := s.Apply(ctx, d.ID, "", ann); err != nil {
			return err
		}
		fmt.Println("applied")
	}
}

// crashPart is a part of what revision is to hold.
func crashPart(revision int64, from int) []catalog.Price {
	out := manyPrices(from, partRows)
	for i := range out {
		out[i].Amount.Micros = revision*1_000_000 + int64(from+i)
	}
	return out
}

func TestProcessKilledAtAnyMomentLeavesAWholeRevision(t *testing.T) {
	killAtAnyMoment(t, 2000)
}

func TestFullProcessKilledAtAnyMomentLeavesAWholeRevision(t *testing.T) {
	slow.Only(t)
	killAtAnyMoment(t, 20_000)
}

// killAtAnyMoment kills a process ten times while it imports so many prices, and looks at what is left.
func killAtAnyMoment(t *testing.T, prices int) {
	s := newStore(t)
	if _, err := s.Apply(t.Context(), draftTest(t, s, importer.Options{Dataset: "prices"}, 1).ID, "", ann); err != nil {
		t.Fatal(err)
	}
	path := addressOf(s)
	rounds := 10
	if s.server != nil && prices < 20_000 { // each takes longer
		rounds = 4
	}
	for round := range rounds {
		steps := 1 + rand.IntN(3*(20+3))
		applied := killAfter(t, path, prices, steps)
		again, err := Open(context.Background(), path, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("killed after %d steps: %d applied", steps, applied)
		checkWhole(t, again, prices)
		if t.Failed() {
			t.Fatalf("round %d, after %d steps", round, steps)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

// killAfter runs importForEver and kills it after it said so many things; it returns
// how often it said that it had applied something.
func killAfter(t *testing.T, path string, prices, steps int) (applied int) {
	t.Helper()
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TIANTI_TEST_IMPORT="+path, "TIANTI_TEST_PRICES="+strconv.Itoa(prices))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range steps {
		if !lines.Scan() {
			break
		}
		switch lines.Text() {
		case "applied":
			applied++
		case "kept", "part", "ready":
		default:
			t.Errorf("the other process said %q", lines.Text())
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	cmd.Wait()
	return applied
}

// checkFile holds a file against its own rules.
func checkFile(t *testing.T, s *Store) {
	t.Helper()
	var sound string
	if err := s.reader.QueryRow("SELECT group_concat(integrity_check) FROM pragma_integrity_check").Scan(
		&sound); err != nil || sound != "ok" {
		t.Errorf("integrity: %s, %v", sound, err)
	}
	var broken int
	if err := s.reader.QueryRow("SELECT count(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil ||
		broken != 0 {
		t.Errorf("%d references are broken, %v", broken, err)
	}
}

// checkWhole looks at a database that was opened again after a process died: it is
// sound, every revision is whole, and nothing of an unfinished one is left. A draft
// that was ready may be there.
func checkWhole(t *testing.T, s *Store, prices int) {
	t.Helper()
	if s.server == nil {
		checkFile(t, s)
	}
	ctx := context.Background()
	drafts, err := s.Drafts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range drafts {
		if err := s.Discard(ctx, d.ID, ann); err != nil {
			t.Error(err)
		}
	}
	revisions, err := s.Revisions(ctx, "prices")
	if err != nil {
		t.Fatal(err)
	}
	got := rowCounts(t, s)
	kept := got["files"]
	want := map[string]int{"datasets": 1, "choices": 1, "catalogue": 1, "revisions": len(revisions),
		"drafts": len(revisions), "sources": len(revisions),
		"price_parts": 1 + (len(revisions)-1)*prices, "files": kept, "uploads": kept, "file_parts": 4 * kept}
	for table, n := range got {
		if n != want[table] {
			t.Errorf("%d rows in %s, want %d", n, table, want[table])
		}
	}
	if !revisions[0].Active {
		t.Errorf("revision %d is the last and not active", revisions[0].Number)
	}
	if len(revisions) == 1 {
		return
	}
	n := 0
	err = s.EachPrice(ctx, revisions[0].Number, func(p *catalog.Price) error {
		if p.Amount.Micros != revisions[0].Number*1_000_000+int64(n) {
			return fmt.Errorf("price %d of revision %d is %d", n, revisions[0].Number, p.Amount.Micros)
		}
		n++
		return nil
	})
	if err != nil || n != prices {
		t.Errorf("got %d prices, %v, want %d", n, err, prices)
	}
}

func TestReadersDuringALargeDraft(t *testing.T) {
	slow.WithoutRace(t) // TestTwoDraftsAtOnce and TestRevertWhileReading are watched
	was := partRows
	defer func() { partRows = was }()
	partRows = 200
	readDuringADraft(t, 20, 2_000)
}

func TestFullHundredReadersDuringALargeDraft(t *testing.T) {
	slow.Only(t)
	readDuringADraft(t, 100, 200_000)
}

// readDuringADraft has many readers, half of them with a connection that only reads, while a draft of so many prices
// comes in, in ten parts.
func readDuringADraft(t *testing.T, many, prices int) {
	s := newStore(t)
	ctx := context.Background()
	importTest(t, s, sample())
	base := draftTest(t, s, importer.Options{Dataset: "prices"}, 5000)
	if _, err := s.Apply(ctx, base.ID, "", ann); err != nil {
		t.Fatal(err)
	}
	want := load(t, s)
	other, err := OpenReadOnly(ctx, addressOf(s), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	reading, stop := context.WithCancel(ctx)
	var readers sync.WaitGroup
	errs, reads := make(chan error, many), make(chan int, many)
	for i := range many {
		readers.Go(func() {
			n := 0
			for from := s; reading.Err() == nil; n++ {
				if i%2 == 0 {
					from = other
				}
				if err := readSomething(from, i+n, base.ID, want); err != nil {
					errs <- err
					return
				}
			}
			reads <- n
		})
	}
	d, err := makeDraft(s, importer.Options{Dataset: "prices"}, prices)
	stop()
	readers.Wait()
	close(errs)
	close(reads)
	for err := range errs {
		t.Error(err)
	}
	total := 0
	for n := range reads {
		total += n
	}
	t.Logf("%d reads", total)
	if _, n, pricesErr := s.Prices(ctx, d.ID, "", 0, 0); err != nil || pricesErr != nil || n != prices || total < many {
		t.Errorf("got %d prices after %d reads, %v, %v, want %d", n, total, err, pricesErr, prices)
	}
}

// readSomething reads one thing or another, and says when it is not as it was.
func readSomething(s *Store, n int, revision int64, want *catalog.Snapshot) error {
	ctx := context.Background()
	switch n % 4 {
	case 0:
		if now, err := s.CatalogueRevision(ctx); err != nil || now != want.Revision {
			return fmt.Errorf("catalogue revision %d: %w", now, err)
		}
	case 1:
		if list, err := s.Datasets(ctx); err != nil || len(list) != 2 {
			return fmt.Errorf("%d datasets: %w", len(list), err)
		}
	case 2:
		if list, total, err := s.Prices(ctx, revision, "", n%1000, 10); err != nil || total != 5000 || len(list) != 10 {
			return fmt.Errorf("%d of %d prices: %w", len(list), total, err)
		}
	case 3:
		if ds, err := s.Revision(ctx, 1); err != nil || len(ds.Cards) != 2 {
			return fmt.Errorf("%d cards: %w", len(ds.Cards), err)
		}
	}
	return nil
}

func TestRevertWhileReading(t *testing.T) {
	slow.Raced(t, "prices_load.go")
	s := newStore(t)
	ctx := context.Background()
	for gigabytes := range 2 {
		importTest(t, s, uniform(3*chunkCards, float64(gigabytes+1)))
	}
	other := openTest(t, addressOf(s))
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for to := int64(1); err == nil; to = 3 - to { // 1, 2, 1, 2 …: revision of the catalogue 3, 4, 5, 6 …
			select {
			case <-stop:
				done <- nil
				return
			default:
				err = other.Activate(ctx, "data", to, ann)
			}
		}
		done <- err
	}()
	q, _ := catalog.LookupQuantity("memory_gb")
	seen := map[float64]bool{}
	for loads := 0; loads < 10 || len(seen) < 2; loads++ {
		snap := load(t, s)
		want := float64(2 - snap.Revision%2)
		for i := range snap.Len() {
			if got, _ := snap.Number(q, i); got != want {
				t.Fatalf("card %d of catalogue revision %d is of revision %v, want %v", i, snap.Revision, got, want)
			}
		}
		seen[want] = true
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestDraftWithoutRoomIsTakenAway(t *testing.T) {
	s := newStore(t)
	importTest(t, s, one("data", 1, 1))
	withoutRoom(t, s, func() {
		if _, err := s.writer.Exec("PRAGMA max_page_count = 120"); err != nil {
			t.Fatal(err)
		}
	})
}

// withoutRoom fills a database until there is no room, which has to be before 16 MB, with a draft and with a file,
// and looks at what is left.
func withoutRoom(t *testing.T, s *Store, limit func()) {
	t.Helper()
	limit()
	ctx := context.Background()
	before, active := rowCounts(t, s), load(t, s)
	_, err := makeDraft(s, importer.Options{Dataset: "data"}, 400_000)
	want := "make a draft of dataset \"data\": "
	if !errors.Is(err, ErrDiskFull) || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
		t.Errorf("got %v, want ErrDiskFull after %q", err, want)
	}
	sameRows(t, s, before)
	if _, err := s.StoreFile(ctx, "x", bytes.NewReader(noise(3, 16*filePart))); !errors.Is(err, ErrDiskFull) {
		t.Errorf("got %v, want ErrDiskFull", err)
	}
	sameRows(t, s, before)
	snap := load(t, s)
	if snap.Revision != active.Revision || memory(t, snap) != memory(t, active) {
		t.Errorf("got revision %d, want %d as before", snap.Revision, active.Revision)
	}
	d, err := makeDraft(s, importer.Options{Dataset: "data"}, 1000) // what was taken away is room again
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(importer.Ready, d.State); diff != "" {
		t.Error(diff)
	}
}
