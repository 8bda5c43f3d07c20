package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"tianti/account"
	"tianti/audit"
)

func TestASecondFactorIsKeptAndTakenAway(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	a := createAccount(t, s, "a", account.Administrator)
	secret, codes := make([]byte, 20), [][32]byte{{1}, {2}}
	if _, err := s.Factor(ctx, a.Key); !errors.Is(err, fs.ErrNotExist) || a.Factor {
		t.Errorf("got %v, %v, want none", err, a.Factor)
	}
	session := [32]byte{7}
	if err := errors.Join(s.CommitSession(ctx, session, a.Key, nil, clock.Add(time.Hour)),
		s.SetFactor(ctx, a.Key, secret, 5, codes)); err != nil {
		t.Fatal(err)
	}
	if _, found, err := s.FindSession(ctx, session); found || err != nil {
		t.Errorf("a session from before is there: %v, %v", found, err)
	}
	got, err := s.AccountByKey(ctx, a.Key)
	if err != nil || !got.Factor || !got.Changed.After(a.Changed) {
		t.Errorf("got %+v, %v, want a factor and other sessions void", got, err)
	}
	for _, c := range []struct {
		step int64
		want bool
	}{{5, false}, {4, false}, {6, true}, {6, false}, {9, true}, {7, false}} {
		if ok, err := s.UseStep(ctx, a.Key, c.step); ok != c.want || err != nil {
			t.Errorf("step %d: got %v, %v, want %v", c.step, ok, err, c.want)
		}
	}
	other := createAccount(t, s, "b", account.Reader)
	for _, c := range []struct {
		owner int64
		hash  [32]byte
		want  bool
	}{{other.Key, codes[0], false}, {a.Key, codes[0], true}, {a.Key, codes[0], false}, {a.Key, [32]byte{9}, false}} {
		if ok, err := s.UseRecoveryCode(ctx, c.owner, c.hash); ok != c.want || err != nil {
			t.Errorf("code %d of %d: got %v, %v, want %v", c.hash[0], c.owner, ok, err, c.want)
		}
	}
	f, err := s.Factor(ctx, a.Key)
	if err != nil || f.Step != 9 || f.Left != 1 || !f.Created.Equal(clock) || string(f.Secret) != string(secret) {
		t.Errorf("got %+v, %v", f, err)
	}
	for range 2 { // the second time there is nothing to remove, and nothing to record
		if err := s.RemoveFactor(ctx, a.Key); err != nil {
			t.Fatal(err)
		}
	}
	if ok, err := s.UseRecoveryCode(ctx, a.Key, codes[1]); ok || err != nil {
		t.Errorf("a code of a factor that is gone: got %v, %v", ok, err)
	}
	for action, want := range map[string]int{"account.factor": 1, "account.nofactor": 1, "account.recovery": 1} {
		if _, n, err := s.Entries(ctx, audit.Query{Action: action, N: 9}); n != want || err != nil {
			t.Errorf("%s: got %d lines, %v, want %d", action, n, err, want)
		}
	}
	if err := s.RemoveFactor(ctx, 99); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestTheNewestDevicesOfAnAccountAreKnown(t *testing.T) {
	now := clock
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "tianti.db"), Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a := createAccount(t, s, "a", account.Reader)
	for i := range byte(5) {
		if err := s.AddDevice(ctx, a.Key, [32]byte{i + 1}, 3); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	for i := range byte(5) {
		owner, err := s.DeviceOf(ctx, [32]byte{i + 1}, clock)
		if known := err == nil; known != (i >= 2) || known && owner != a.Key {
			t.Errorf("device %d: got %d, %v", i+1, owner, err)
		}
	}
	if _, err := s.DeviceOf(ctx, [32]byte{5}, now); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one that was not used since: got %v, want fs.ErrNotExist", err)
	}
}

func TestSessionsAreListedByAccount(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	a, b := createAccount(t, s, "a", account.Reader), createAccount(t, s, "b", account.Reader)
	err := errors.Join(s.CommitSession(ctx, [32]byte{1}, a.Key, []byte("one"), clock.Add(time.Hour)),
		s.CommitSession(ctx, [32]byte{2}, a.Key, []byte("over"), clock),
		s.CommitSession(ctx, [32]byte{3}, b.Key, []byte("other"), clock.Add(time.Hour)),
		s.CommitSession(ctx, [32]byte{4}, 0, []byte("nobody's"), clock.Add(time.Hour)),
		s.CommitSession(ctx, [32]byte{5}, 0, nil, clock.Add(time.Hour)),
		s.CommitSession(ctx, [32]byte{5}, a.Key, []byte("two"), clock.Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.SessionsOf(ctx, a.Key)
	if err != nil || len(list) != 2 || string(list[0].Data) != "one" || string(list[1].Data) != "two" ||
		list[1].Hash != [32]byte{5} {
		t.Errorf("got %q, %v, want the two that are good", list, err)
	}
}
