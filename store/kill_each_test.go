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
	"tianti/importer"
	"tianti/refresh"
	"tianti/test/slow"
	"tianti/webhook"
)

// A writePath is a cycle of changes, each whole or not there, that leaves as many rows behind each time.
type writePath func(ctx context.Context, s *Store, owner account.Account) []func() error

// unique is a number that no other process has.
func unique() [32]byte {
	var out [32]byte
	for i := range out {
		out[i] = byte(rand.Uint32())
	}
	return out
}

// writePaths are all ways in which a database is written to, but for copying and migrating, which are on their own.
var writePaths = map[string]writePath{
	"import": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{func() error {
			_, err := s.Import(ctx, one("data", 1, 2), importer.FileInfo{}, "")
			return err
		}}
	},
	"draft, applied": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var d importer.Draft
		return []func() error{
			func() (err error) { d, err = makeDraft(s, importer.Options{Dataset: "prices"}, 60); return err },
			func() error { _, err := s.Apply(ctx, d.ID, "", ann); return err },
		}
	},
	"draft, discarded": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var d importer.Draft
		return []func() error{
			func() (err error) { d, err = makeDraft(s, importer.Options{Dataset: "other"}, 60); return err },
			func() error { return s.Discard(ctx, d.ID, ann) },
		}
	},
	"file": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{func() error {
			name := unique()
			_, err := s.StoreFile(ctx, "f", bytes.NewReader(name[:]))
			return err
		}}
	},
	"undo and rank": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{
			func() error { return s.Activate(ctx, "data", 0, ann) },
			func() error { return s.SetRank(ctx, "data", rand.IntN(1<<30), ann) },
			func() error { return s.Activate(ctx, "data", 1, ann) },
		}
	},
	"account": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var a account.Account
		return []func() error{
			func() (err error) {
				a, err = s.CreateAccount(ctx, fmt.Sprintf("n%x", unique())[:30], account.Reader, passwordHash, false)
				return err
			},
			func() error { return s.SetPassword(ctx, a.Key, passwordHash) },
			func() error { return s.Rehash(ctx, a.Key, passwordHash, passwordHash) },
			func() error { return s.SetAccount(ctx, a.Key, account.Reader, true) },
		}
	},
	"token": func(ctx context.Context, s *Store, owner account.Account) []func() error {
		var token account.Token
		return []func() error{
			func() (err error) {
				token, err = s.CreateToken(ctx, account.Token{Name: "t", Scope: account.ScopeRead}, owner.Key, unique())
				return err
			},
			func() error { return s.TouchToken(ctx, token.Key, clock) },
			func() error { return s.RevokeToken(ctx, token.Key, clock) },
		}
	},
	"session": func(ctx context.Context, s *Store, owner account.Account) []func() error {
		var hash [32]byte
		return []func() error{
			func() error {
				hash = unique()
				return s.CommitSession(ctx, hash, owner.Key, nil, clock.Add(time.Hour))
			},
			func() error { return s.DeleteSession(ctx, hash) },
			func() error { return s.CommitSession(ctx, unique(), owner.Key, nil, clock.Add(-time.Hour)) },
			func() error { return s.DeleteExpiredSessions(ctx, clock) },
			func() error { return s.CommitSession(ctx, unique(), owner.Key, nil, clock.Add(time.Hour)) },
			func() error { return s.EndSessions(ctx, owner.Key) },
		}
	},
	"second factor": func(ctx context.Context, s *Store, owner account.Account) []func() error {
		var codes [][32]byte
		step := int64(1)
		return []func() error{
			func() error {
				codes = [][32]byte{unique(), unique()}
				return s.SetFactor(ctx, owner.Key, make([]byte, 20), 1, codes)
			},
			func() error { step++; _, err := s.UseStep(ctx, owner.Key, step); return err },
			func() error { _, err := s.UseRecoveryCode(ctx, owner.Key, codes[0]); return err },
			func() error { return s.AddDevice(ctx, owner.Key, unique(), 1<<20) },
			func() error { return s.SetRecoveryCodes(ctx, owner.Key, [][32]byte{unique(), unique(), unique()}) },
			func() error { return s.RemoveFactor(ctx, owner.Key) },
		}
	},
	"run": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var run importer.Run
		return []func() error{
			func() (err error) { run, err = s.KeepRun(ctx, importer.Run{Query: "model=x"}); return err },
			func() error { return s.DeleteRun(ctx, run.Key) },
		}
	},
	"feed": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{func() error {
			return s.SetFeed(ctx, refresh.Record{Feed: fmt.Sprintf("n%x", unique())[:30]},
				&importer.AuditEntry{Actor: ann, Action: "feed.test"})
		}}
	},
	"webhook": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		var e webhook.Endpoint
		var leased []webhook.Leased
		return []func() error{
			func() (err error) {
				e, err = s.AddWebhook(ctx, webhook.Endpoint{URL: "https://ops.example/",
					Events: []webhook.Event{webhook.PricesChanged},
					Secret: webhook.NewSecret()})
				return err
			},
			func() error { return s.RotateWebhook(ctx, e.Key, webhook.NewSecret(), clock.Add(time.Hour)) },
			func() error {
				return s.Spread(ctx, &e, e.Seen+1, []webhook.Delivery{webhook.NewTest(e.Key, clock),
					webhook.NewTest(e.Key, clock)})
			},
			func() error { return s.AddDelivery(ctx, webhook.NewTest(e.Key, clock)) },
			func() (err error) {
				leased, err = s.Lease(ctx, clock, clock.Add(time.Minute), 1)
				if err == nil && len(leased) != 1 {
					err = fmt.Errorf("%d messages are leased", len(leased))
				}
				return err
			},
			func() error {
				leased[0].State = webhook.Delivered
				return s.Finish(ctx, &leased[0].Delivery, &leased[0].To)
			},
			func() error { return s.SetWebhook(ctx, e.Key, []webhook.Event{webhook.PricesChanged}, webhook.Off) },
			func() error { return s.RemoveWebhook(ctx, e.Key) },
		}
	},
	"line of the audit log": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{func() error { return s.Record(ctx, importer.AuditEntry{Actor: ann, Action: "test"}) }}
	},
	"sums of prices": func(ctx context.Context, s *Store, _ account.Account) []func() error {
		return []func() error{
			func() error { return changed(s.writer.ExecContext(ctx, "DELETE FROM price_sums")) },
			func() error { return s.KeepSums(ctx) },
		}
	},
}

func changed(_ any, err error) error { return err }

// walkForEver makes the changes of a path, says so after each, until it is killed.
func walkForEver(task string) error {
	name, address, _ := strings.Cut(task, "\n")
	ctx := importer.WithActor(context.Background(), ann)
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
			ctx := importer.WithActor(t.Context(), ann)
			owner, err := s.CreateAccount(ctx, "owner", account.Administrator, passwordHash, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.KeepSums(ctx); err != nil {
				t.Fatal(err)
			}
			if name == "draft, applied" { // the first makes the dataset
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
