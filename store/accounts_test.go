package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/account"
	"tianti/audit"
)

const passwordHash = "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA"

func createAccount(t testing.TB, s *Store, name string, role account.Role) account.Account {
	t.Helper()
	a, err := s.CreateAccount(context.Background(), name, role, passwordHash, false)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAccountsAreFoundByNameAndKey(t *testing.T) {
	s := newStore(t)
	ctx := audit.WithActor(context.Background(), ann)
	if _, _, err := s.Account(ctx, "ann"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	made, err := s.CreateAccount(ctx, "Ann", account.Administrator, passwordHash, true)
	want := account.Account{Key: made.Key, Name: "Ann", Role: account.Administrator, Created: clock, Changed: clock}
	if diff := cmp.Diff(want, made); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	for name, wantErr := range map[string]error{"bob": account.ErrNotFirst, "ANN": account.ErrNotFirst} {
		if _, err := s.CreateAccount(ctx, name, account.Reader, passwordHash, true); !errors.Is(err, wantErr) {
			t.Errorf("%s as the first: got %v, want %v", name, err, wantErr)
		}
	}
	if _, err := s.CreateAccount(ctx, "aNN", account.Reader, passwordHash, false); !errors.Is(err, account.ErrTaken) {
		t.Errorf("got %v, want ErrTaken", err)
	}
	if _, err := s.CreateAccount(ctx, "plain", account.Reader, "secret", false); err == nil {
		t.Error("a password that is no hash was accepted")
	}
	got, hash, err := s.Account(ctx, "ann")
	if err != nil || got != want || hash != passwordHash {
		t.Errorf("got %+v, %q, %v, want %+v", got, hash, err, want)
	}
	if got, err := s.AccountByKey(ctx, made.Key); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if list, n, err := s.Entries(ctx, audit.Query{N: 9}); err != nil || n != 1 || list[0].Actor != ann ||
		list[0].Action != "account.create" || list[0].Subject != "Ann" {
		t.Errorf("got %+v, %v, want one line by ann", list, err)
	}
}

func TestLastAdministratorStays(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	a, b := createAccount(t, s, "a", account.Administrator), createAccount(t, s, "b", account.Reader)
	for name, err := range map[string]error{"disabled": s.SetAccount(ctx, a.Key, account.Administrator, true),
		"made a reader": s.SetAccount(ctx, a.Key, account.Reader, false)} {
		if !errors.Is(err, account.ErrLastAdmin) {
			t.Errorf("%s: got %v, want ErrLastAdmin", name, err)
		}
	}
	if err := errors.Join(s.SetAccount(ctx, b.Key, account.Administrator, false),
		s.SetAccount(ctx, a.Key, account.Administrator, true)); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.AccountByKey(ctx, a.Key); !got.Disabled {
		t.Errorf("got %+v, want it disabled", got)
	}
	// a does not count
	if err := s.SetAccount(ctx, b.Key, account.Administrator, true); !errors.Is(err, account.ErrLastAdmin) {
		t.Errorf("got %v, want ErrLastAdmin", err)
	}
	if err := s.SetAccount(ctx, 99, account.Reader, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if _, n, err := s.Entries(ctx, audit.Query{Action: "account.change", N: 9}); err != nil || n != 2 {
		t.Errorf("got %d lines, %v, want 2: what was refused is none", n, err)
	}
}

func TestEachChangeOfAPasswordIsLater(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	a := createAccount(t, s, "a", account.Reader)
	for i, change := range []func() error{
		func() error { return s.SetPassword(ctx, a.Key, passwordHash+"2") },
		func() error { return s.EndSessions(ctx, a.Key) },
		func() error { return s.EndSessions(ctx, a.Key) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		got, hash, err := s.Account(ctx, "a")
		if want := clock.Add(time.Duration(i+1) * time.Microsecond); err != nil || !got.Changed.Equal(want) ||
			hash != passwordHash+"2" {
			t.Errorf("got %v, %q, %v, want %v", got.Changed, hash, err, want)
		}
	}
}

func TestTokens(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	a := createAccount(t, s, "a", account.Administrator)
	hash := [32]byte{1, 2}
	made, err := s.CreateToken(ctx, account.Token{Name: "ci", Scope: account.ScopeImport,
		Expires: clock.Add(time.Hour)}, a.Key, hash)
	want := account.Token{Key: made.Key, Account: "a", Name: "ci", Scope: account.ScopeImport, Created: clock,
		Expires: clock.Add(time.Hour)}
	if diff := cmp.Diff(want, made); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	check := func(when string) {
		t.Helper()
		got, of, err := s.TokenByHash(ctx, hash)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || of != a {
			t.Errorf("%s: %+v, %v (-want +got):\n%s", when, of, err, diff)
		}
		if list, err := s.Tokens(ctx); err != nil || cmp.Diff([]account.Token{want}, list) != "" {
			t.Errorf("%s: Tokens: %v (-want +got):\n%s", when, err, cmp.Diff([]account.Token{want}, list))
		}
	}
	check("new")
	for _, minutes := range []int{10, 50, 59} {
		if err := s.TouchToken(ctx, made.Key, clock.Add(time.Duration(minutes)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	want.Used = clock
	check("used within the hour")
	written := "SELECT total_changes()"
	if s.server != nil {
		written = "SELECT CAST(CAST(xmin AS text) AS bigint) FROM tokens"
	}
	var changes int64
	if err := errors.Join(s.TouchToken(ctx, made.Key, clock.Add(61*time.Minute)),
		s.writer.QueryRow(written).Scan(&changes)); err != nil {
		t.Fatal(err)
	}
	want.Used = clock.Add(time.Hour)
	check("used in the next hour")
	var after int64
	if err := errors.Join(s.TouchToken(ctx, made.Key, clock.Add(62*time.Minute)),
		s.writer.QueryRow(written).Scan(&after)); err != nil || after != changes {
		t.Errorf("the second use of an hour wrote %d rows, %v, want none", after-changes, err)
	}
	for range 2 {
		if err := s.RevokeToken(ctx, made.Key, clock.Add(90*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	want.Revoked = clock.Add(90 * time.Minute)
	check("revoked")
	_, _, findErr := s.TokenByHash(ctx, [32]byte{9})
	_, createErr := s.CreateToken(ctx, account.Token{Name: "x", Scope: account.ScopeRead}, 99, [32]byte{3})
	for name, err := range map[string]error{"find": findErr, "create for nobody": createErr,
		"touch": s.TouchToken(ctx, 99, clock), "revoke": s.RevokeToken(ctx, 99, clock)} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want fs.ErrNotExist", name, err)
		}
	}
	if list, n, err := s.Entries(ctx, audit.Query{Action: "token.", N: 9}); err != nil || n != 2 ||
		list[0].Action != "token.revoke" || list[1].Action != "token.create" {
		t.Errorf("got %+v, %v, want a line for each change", list, err)
	}
}

func TestSessions(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	a, b := [32]byte{1}, [32]byte{2}
	find := func(hash [32]byte) string {
		t.Helper()
		data, found, err := s.FindSession(ctx, hash)
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			return "none"
		}
		return string(data)
	}
	if err := errors.Join(s.CommitSession(ctx, a, 0, []byte("first"), clock.Add(time.Minute)),
		s.CommitSession(ctx, a, 0, []byte("second"), clock.Add(time.Hour)),
		s.CommitSession(ctx, b, 0, nil, clock)); err != nil {
		t.Fatal(err)
	}
	if got, ended := find(a), find(b); got != "second" || ended != "none" {
		t.Errorf("got %q and %q, want second, and none of one that expired", got, ended)
	}
	if err := s.DeleteExpiredSessions(ctx, clock); err != nil || rowCounts(t, s)["sessions"] != 1 {
		t.Errorf("got %d sessions, %v, want 1", rowCounts(t, s)["sessions"], err)
	}
	if err := errors.Join(s.DeleteSession(ctx, a), s.DeleteSession(ctx, a)); err != nil || find(a) != "none" {
		t.Errorf("got %q, %v, want none", find(a), err)
	}
}

func TestTokensEndWithThePasswordAndNotWithItsHash(t *testing.T) {
	s := newStore(t)
	ctx := audit.WithActor(context.Background(), ann)
	a := createAccount(t, s, "ann", account.Administrator)
	other := createAccount(t, s, "bob", account.Administrator)
	for i, end := range []func() error{
		func() error { return s.SetPassword(ctx, a.Key, passwordHash) },
		func() error { return s.EndSessions(ctx, a.Key) },
	} {
		var hash, others [32]byte
		hash[0], others[0] = byte(2*i), byte(2*i+1)
		for owner, h := range map[int64][32]byte{a.Key: hash, other.Key: others} {
			if _, err := s.CreateToken(ctx, account.Token{Name: "t", Scope: account.ScopeRead}, owner, h); err != nil {
				t.Fatal(err)
			}
		}
		live := func(h [32]byte) bool {
			token, _, err := s.TokenByHash(ctx, h)
			if err != nil {
				t.Fatal(err)
			}
			return token.Live(clock)
		}
		if err := s.Rehash(ctx, a.Key, passwordHash, passwordHash); err != nil || !live(hash) {
			t.Fatalf("another hash of the same password ended a token, or failed: %v", err)
		}
		if err := s.Rehash(ctx, a.Key, "of a password that is no more", "x"); err != nil {
			t.Fatal(err)
		}
		if _, now, err := s.Account(ctx, a.Name); err != nil || now != passwordHash {
			t.Fatalf("a hash of a password that was changed is %q, %v, want the new password's", now, err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if live(hash) || !live(others) {
			t.Errorf("way %d: got live %v and another's %v, want false and true", i, live(hash), live(others))
		}
	}
}

func TestANewDatabaseIsForItsOwnerAlone(t *testing.T) {
	s := newStore(t)
	info, err := os.Stat(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, want 0600", info.Mode().Perm())
	}
}
