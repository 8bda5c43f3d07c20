package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"testing"

	"tianti/account"
	"tianti/audit"
	"tianti/importer"
	"tianti/refresh"
	"tianti/test/slow"
)

// changeForEver makes every change that is one transaction, one after the other, and says so after each, until it is
// killed.
func changeForEver(address string) error {
	ctx := audit.WithActor(context.Background(), ann)
	s, err := Open(ctx, address, Options{})
	if err != nil {
		return err
	}
	seed := rand.Uint64()
	for n := 0; ; n++ {
		name := fmt.Sprintf("n%d-%d", seed, n)
		var a account.Account
		var run importer.Run
		var token account.Token
		hash := [32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24), byte(n), byte(n >> 8)}
		for _, change := range []func() error{
			func() error {
				_, err := s.Import(ctx, one("data", 1, float64(n+1)), importer.FileInfo{}, "")
				return err
			},
			func() error { return s.SetRank(ctx, "data", int(seed%100_000)+n, ann) },
			func() error { return s.Activate(ctx, "data", 0, ann) },
			func() error { a, err = s.CreateAccount(ctx, name, account.Reader, passwordHash, false); return err },
			func() error {
				token, err = s.CreateToken(ctx, account.Token{Name: "t", Scope: account.ScopeRead}, a.Key, hash)
				return err
			},
			func() error { return s.RevokeToken(ctx, token.Key, clock) },
			func() error { return s.SetFactor(ctx, a.Key, make([]byte, 20), 1, [][32]byte{hash}) },
			func() error { return s.SetPassword(ctx, a.Key, passwordHash) },
			func() error { return s.SetAccount(ctx, a.Key, account.Reader, true) },
			func() error { run, err = s.KeepRun(ctx, importer.Run{Query: "model=x"}); return err },
			func() error { return s.DeleteRun(ctx, run.Key) },
			func() error {
				_, err := s.StoreFile(ctx, "f", bytes.NewReader([]byte(name)))
				return err
			},
			func() error {
				return s.SetFeed(ctx, refresh.Record{Feed: name}, &audit.Entry{Actor: ann, Action: "feed.test"})
			},
		} {
			if err := change(); err != nil {
				return err
			}
			fmt.Println("changed")
		}
	}
}

func TestProcessKilledBetweenChangesLeavesEachWhole(t *testing.T) { killBetweenChanges(t, 2) }

func TestFullProcessKilledBetweenChangesLeavesEachWhole(t *testing.T) {
	slow.Only(t)
	killBetweenChanges(t, 26) // twice in each change, on average
}

// killBetweenChanges kills a process so many times, and holds what is there against the audit log, which each change
// writes in its own transaction.
func killBetweenChanges(t *testing.T, rounds int) {
	s := newStore(t)
	importTest(t, s, one("data", 1, 1))
	said := 0
	for range rounds {
		said += killChanging(t, addressOf(s), 1+rand.IntN(30))
	}
	for what, counts := range map[string][2]string{
		"revisions":      {"SELECT count(*) FROM revisions", "import.apply"},
		"accounts":       {"SELECT count(*) FROM accounts", "account.create"},
		"tokens":         {"SELECT count(*) FROM tokens", "token.create"},
		"second factors": {"SELECT count(*) FROM second_factors", "account.factor"},
		"recovery codes": {"SELECT count(*) FROM recovery_codes", "account.factor"},
		"disabled":       {"SELECT count(*) FROM accounts WHERE disabled", "account.change"},
		"feeds":          {"SELECT count(*) FROM feeds", "feed.test"},
		"runs": {"SELECT count(*) + (SELECT count(*) FROM audit WHERE action = 'run.delete') " +
			"FROM runs", "run.keep"},
		"files": {"SELECT count(*) FROM uploads", "SELECT count(*) FROM files"},
	} {
		var got, want int
		query := counts[1]
		if what != "files" {
			query = "SELECT count(*) FROM audit WHERE action = '" + query + "'"
		}
		again := openTest(t, addressOf(s)) // takes away what a dead process left
		if err := again.reader.QueryRow(counts[0]).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if err := again.reader.QueryRow(query).Scan(&want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%d %s are there and %d are recorded", got, what, want)
		}
	}
	var entries, silent int
	if err := s.reader.QueryRow("SELECT count(*) FROM audit").Scan(&entries); err != nil {
		t.Fatal(err)
	}
	if err := s.reader.QueryRow("SELECT count(*) FROM files").Scan(&silent); err != nil {
		t.Fatal(err)
	}
	if lost := said - (entries - 1) - silent; lost > 0 {
		t.Errorf("%d of %d changes were told and are lost", lost, said)
	}
}

// killChanging kills a process after so many changes, and returns how many it told in all.
func killChanging(t *testing.T, address string, steps int) (said int) {
	t.Helper()
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TIANTI_TEST_CHANGE="+address)
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
		if said++; said == steps {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	_ = cmd.Wait()
	return said
}
