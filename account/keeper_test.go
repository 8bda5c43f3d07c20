package account_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tianti/account"
	"tianti/store"
)

const horse = "correct horse battery"

// newKeeper is an Authenticator whose passwords cost next to nothing.
func newKeeper(t *testing.T) (*account.Authenticator, *store.Store) {
	t.Helper()
	return newKeeperAt(t, account.NewHasherAt(64, 1))
}

func newKeeperAt(t *testing.T, h *account.Hasher) (*account.Authenticator, *store.Store) {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "tianti.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return account.NewAuthenticator(db, h, nil), db
}

func create(t *testing.T, auth *account.Authenticator, name string, role account.Role) account.Account {
	t.Helper()
	a, err := auth.Create(context.Background(), name, role, horse, false)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestNamesAreFoundHoweverTheyAreWritten(t *testing.T) {
	k, _ := newKeeper(t)
	create(t, k, "Jörg", account.Administrator)
	for _, name := range []string{"Jörg", "jörg", " Jo\u0308rg ", "JöRG"} {
		if a, err := k.SignIn(t.Context(), name, horse, account.Client{Address: "client"}); err != nil ||
			a.Name != "Jörg" {
			t.Errorf("%q: got %q, %v", name, a.Name, err)
		}
	}
	if _, err := k.Create(t.Context(), "jörg", account.Reader, horse, false); !errors.Is(err, account.ErrTaken) {
		t.Errorf("the same name again: got %v, want ErrTaken", err)
	}
	if _, err := k.Create(t.Context(), "eve", account.Reader, horse, true); !errors.Is(err, account.ErrNotFirst) {
		t.Errorf("a first account after another: got %v, want ErrNotFirst", err)
	}
}

func TestTheOwnerIsKeptOutForAMinuteAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, _ := newKeeper(t)
		create(t, k, "anna", account.Administrator)
		begun, guesses := time.Now(), 0
		for time.Since(begun) < time.Hour {
			// Each from another client: only the account's own limit holds.
			_, err := k.SignIn(t.Context(), "anna", "a guess", account.Client{Address: time.Now().String()})
			if wait, ok := errors.AsType[*account.WaitError](err); ok {
				if wait.After > time.Minute {
					t.Fatalf("got a wait of %s, want a minute at most", wait.After)
				}
				time.Sleep(wait.After)
				continue
			}
			if !errors.Is(err, account.ErrWrong) {
				t.Fatal(err)
			}
			guesses++
		}
		if guesses > 80 {
			t.Errorf("got %d guesses in an hour, want about one a minute", guesses)
		}
		_, _ = k.SignIn(t.Context(), "anna", "a guess", account.Client{Address: "elsewhere"})
		if _, err := k.SignIn(t.Context(), "anna", horse, account.Client{Address: "home"}); err == nil {
			t.Error("no wait after all that")
		}
		time.Sleep(time.Minute)
		if _, err := k.SignIn(t.Context(), "anna", horse, account.Client{Address: "home"}); err != nil {
			t.Errorf("the owner after a minute: %v", err)
		}
		for range 20 {
			if _, err := k.SignIn(t.Context(), "anna", horse, account.Client{Address: "home"}); err != nil {
				t.Fatalf("the owner afterwards: %v", err)
			}
		}
	})
}

func TestATokensUseIsKnownToTheHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, db := newKeeper(t)
		a := create(t, k, "anna", account.Administrator)
		_, secret, err := k.CreateToken(t.Context(), a, " nightly ", account.ScopeRead, time.Now().Add(24*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		used := func() (name string, at time.Time) {
			list, err := db.Tokens(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatalf("got %d tokens, %v", len(list), err)
			}
			return list[0].Name, list[0].Used
		}
		if name, at := used(); name != "nightly" || !at.IsZero() {
			t.Errorf("got %q, used %s, want never", name, at)
		}
		for range 3 {
			time.Sleep(61 * time.Minute)
			if _, owner, err := k.Bearer(t.Context(), secret); err != nil || owner.Name != "anna" {
				t.Errorf("got %q, %v", owner.Name, err)
			}
			if _, at := used(); !at.Equal(time.Now().Truncate(time.Hour)) {
				t.Errorf("got used at %s, want the hour of %s", at, time.Now())
			}
		}
		time.Sleep(24 * time.Hour)
		if _, _, err := k.Bearer(t.Context(), secret); !errors.Is(err, account.ErrInvalid) {
			t.Errorf("after it expired: got %v", err)
		}
	})
}

func TestTokensNeedAName(t *testing.T) {
	k, _ := newKeeper(t)
	a := create(t, k, "anna", account.Administrator)
	for _, name := range []string{"", "  ", "a\x00b", "\u202eevil", strings.Repeat("x", 65)} {
		if _, secret, err := k.CreateToken(t.Context(), a, name, account.ScopeRead, time.Time{}); err == nil ||
			secret != "" {
			t.Errorf("%q: got %q, %v, want no token", name, secret, err)
		}
	}
}

func TestAWeakHashIsRenewedWhenItsPasswordIsRight(t *testing.T) {
	k, db := newKeeperAt(t, account.NewHasher())
	// At the cost of 2015.
	const old = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$"
	const weak = old + "wZeUqErRQM9fr7+3IJVQyFsb5QPhYeqkXwNGZgBH/L4"
	a, err := db.CreateAccount(t.Context(), "anna", account.Administrator, weak, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.SignIn(t.Context(), "anna", "wrong password", account.Client{Address: "client"}); !errors.Is(err,
		account.ErrWrong) {
		t.Fatal(err)
	}
	if _, hash, _ := k.Find(t.Context(), "anna"); hash != weak {
		t.Errorf("a wrong password renewed the hash: %s", hash)
	}
	got, err := k.SignIn(t.Context(), "anna", horse, account.Client{Address: "client"})
	if err != nil || got.Key != a.Key {
		t.Fatalf("got %+v, %v", got, err)
	}
	if now, hash, _ := k.Find(t.Context(), "anna"); !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") ||
		!now.Changed.Equal(got.Changed) {
		t.Errorf("got the hash %s, changed %s, want today's cost and the account as it is now (%s)", hash,
			got.Changed, now.Changed)
	}
}
