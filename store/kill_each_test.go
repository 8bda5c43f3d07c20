package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/account"
	"tianti/audit"
	"tianti/test/slow"
)

func changed(_ any, err error) error { return err }

// walkForEver makes the changes of a path, says so after each, until it is killed.
func walkForEver(task string) error {
	name, address, _ := strings.Cut(task, "\n")
	ctx := audit.WithActor(context.Background(), ann)
	sumsEvery, partRows = 1, 20
	opt := testOptions() // of the same time: a file that nothing came from goes after a week
	opt.BusyTimeout = time.Minute
	s, err := Open(ctx, address, opt)
	if err != nil {
		return err
	}
	owner, _, err := s.Account(ctx, "owner")
	if err != nil {
		return err
	}
	steps := writePaths[name](ctx, s, owner)
	for n := 0; ; n++ {
		if err := steps[n%len(steps)](); err != nil {
			return err
		}
		fmt.Println("changed")
	}
}

func TestProcessKilledOnAWayLeavesEachChangeWhole(t *testing.T) {
	slow.WithoutRace(t)
	names := slices.Sorted(maps.Keys(writePaths))
	killOnEachWay(t, 1, names[rand.IntN(len(names))])
}

// TestFullProcessKilledOnAWayLeavesEachChangeWhole kills a process ten times on each way in which a database is
// written.
func TestFullProcessKilledOnAWayLeavesEachChangeWhole(t *testing.T) {
	slow.Only(t)
	killOnEachWay(t, 10, slices.Sorted(maps.Keys(writePaths))...)
}

// everyCount is how many rows each table has.
func everyCount(t *testing.T, s *Store) map[string]int {
	t.Helper()
	out := rowCounts(t, s)
	for _, table := range []string{"audit", "price_sums"} {
		var n int
		if err := s.reader.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		out[table] = n
	}
	return out
}

func killOnEachWay(t *testing.T, times int, names ...string) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			setSumsEvery(t, 1)
			importTest(t, s, one("data", 1, 1))
			importTest(t, s, history(40))
			ctx := audit.WithActor(t.Context(), ann)
			owner, err := s.CreateAccount(ctx, "owner", account.Administrator, passwordHash, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.KeepSums(ctx); err != nil {
				t.Fatal(err)
			}
			if firstMakesDataset[name] {
				for _, step := range writePaths[name](ctx, s, owner) {
					if err := step(); err != nil {
						t.Fatal(err)
					}
				}
			}
			adds := changesOf(t, s, writePaths[name](ctx, s, owner))
			for range times {
				beginAnew(t, s)
				before := everyCount(t, s)
				said := killAWalk(t, name, addressOf(s), 1+rand.IntN(3*len(adds)))
				wantWhole(t, s, before, adds, said)
				if t.Failed() {
					return
				}
			}
			checkKeptFiles(t, s)
			if s.server == nil {
				checkFile(t, s)
			}
		})
	}
}

// checkKeptFiles reads all kept files.
func checkKeptFiles(t *testing.T, s *Store) {
	t.Helper()
	var sum string
	var all []string
	rows, err := s.reader.Query("SELECT sha256 FROM files")
	all, err = collect(rows, err, []any{&sum}, func() string { return sum })
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range all {
		r, _, err := s.OpenFile(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		hash := sha256.New()
		_, err = io.Copy(hash, r)
		if got := hex.EncodeToString(hash.Sum(nil)); errors.Join(err, r.Close()) != nil || got != want {
			t.Errorf("a kept file has the hash %s, %v, want %s", got, err, want)
		}
	}
}

// TestUploadThatBecameAFileIsNotTakenAway: whoever takes away what a dead process left may have looked just before the
// server took its last change.
func TestUploadThatBecameAFileIsNotTakenAway(t *testing.T) {
	s := newStore(t)
	f, err := s.StoreFile(t.Context(), "f", bytes.NewReader(noise(1, 3*filePart)))
	if err != nil {
		t.Fatal(err)
	}
	var upload int64
	if err := s.reader.QueryRow("SELECT upload FROM files WHERE sha256 = ?", f.SHA256).Scan(&upload); err != nil {
		t.Fatal(err)
	}
	if err := s.deleteUpload(t.Context(), upload); err != nil {
		t.Error(err)
	}
	checkKeptFiles(t, s)
}

// beginAnew takes away what a cycle that was not ended has left where that changes what the next one adds.
func beginAnew(t *testing.T, s *Store) {
	t.Helper()
	for _, table := range []string{"sessions", "recovery_codes", "second_factors", "devices"} {
		if _, err := s.writer.Exec("DELETE FROM " + table); err != nil {
			t.Fatal(err)
		}
	}
	drafts, err := s.Drafts(t.Context())
	for _, d := range drafts {
		err = errors.Join(err, s.Discard(t.Context(), d.ID, ann))
	}
	if err := errors.Join(err, s.Activate(t.Context(), "data", 1, ann), s.KeepSums(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// changesOf makes the changes of a path once, and returns which rows each adds.
func changesOf(t *testing.T, s *Store, steps []func() error) (adds []map[string]int) {
	t.Helper()
	for i, step := range steps {
		before := everyCount(t, s)
		if err := step(); err != nil {
			t.Fatalf("change %d: %v", i, err)
		}
		adds = append(adds, minus(everyCount(t, s), before))
	}
	return adds
}

func minus(a, b map[string]int) map[string]int {
	out := map[string]int{}
	for table, n := range a {
		if n != b[table] {
			out[table] = n - b[table]
		}
	}
	return out
}

// wantWhole checks that the changes that were told are there, and of the next all or nothing.
func wantWhole(t *testing.T, s *Store, before map[string]int, adds []map[string]int, said int) {
	t.Helper()
	want, next := map[string]int{}, map[string]int{}
	for i := range said + 1 {
		for table, n := range adds[i%len(adds)] {
			next[table] += n
			if i < said {
				want[table] += n
			}
		}
	}
	noZero := func(m map[string]int) { maps.DeleteFunc(m, func(_ string, n int) bool { return n == 0 }) }
	noZero(want)
	noZero(next)
	var got map[string]int
	for range 400 { // a server needs a moment to see that the process is gone, and what it left is taken away then
		again, err := Open(t.Context(), addressOf(s), testOptions())
		if err == nil {
			err = again.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if tx, err := s.begin(t.Context()); err != nil || tx.Rollback() != nil { // a change is just ending
			continue
		}
		if got = minus(everyCount(t, s), before); maps.Equal(got, want) || maps.Equal(got, next) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Errorf("after %d changes (-want +got):\n%sor, with one more:\n%s", said, cmp.Diff(want, got), cmp.Diff(next, got))
}

// killAWalk kills a process after so many changes and some moments, and returns how many it told.
func killAWalk(t *testing.T, name, address string, changes int) (said int) {
	t.Helper()
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TIANTI_TEST_WALK="+name+"\n"+address)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() != "changed" {
			t.Errorf("the other process said %q", lines.Text())
			break
		}
		if said++; said == changes {
			time.AfterFunc(time.Duration(rand.IntN(6000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait()
	return said
}
