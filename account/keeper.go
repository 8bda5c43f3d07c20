package account

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// What keeps somebody out. What was wrong is told to nobody who could learn from it.
var (
	ErrWrong   = errors.New("the name or the password is wrong")
	ErrInvalid = errors.New("the token is unknown, expired or revoked")
)

// A WaitError is an attempt that comes too early.
type WaitError struct{ After time.Duration }

func (e *WaitError) Error() string {
	return fmt.Sprintf("too many attempts: wait %s", e.After.Round(time.Second))
}

// A Keeper lets people and programs in.
type Keeper struct {
	Store  Store
	Hasher *Hasher
	Setup  *Setup
	now    func() time.Time

	names, clients *Throttle
}

// trackedKeys bounds the memory of each throttle, to about 2 MB.
const trackedKeys = 10_000

// NewKeeper returns a keeper; now may be nil.
//
// An account can be tried ten times, then once a minute at the longest: whoever
// guesses must not be able to lock its owner out for long. Against 10^14 passwords
// that is no chance. A client waits up to a quarter of an hour.
func NewKeeper(s Store, h *Hasher, now func() time.Time) *Keeper {
	if now == nil {
		now = time.Now
	}
	return &Keeper{Store: s, Hasher: h, Setup: &Setup{}, now: now,
		names:   NewThrottle(10, time.Second, time.Minute, time.Hour, trackedKeys),
		clients: NewThrottle(20, time.Second, 15*time.Minute, time.Hour, trackedKeys)}
}

// SignIn returns the account of a name and password. client is whence the attempt
// comes. The error is ErrWrong (also for a disabled account, and with the same work
// for one that does not exist), a *WaitError or ErrBusy.
func (k *Keeper) SignIn(ctx context.Context, name, password, client string) (Account, error) {
	if err := k.take(name, client); err != nil {
		return Account{}, err
	}
	a, hash, err := k.Find(ctx, name)
	if err != nil {
		return Account{}, err
	}
	if len(password) > MaxPassword {
		password = "" // wrong in any case, and as dear as any other
	}
	fits, outdated, err := k.Hasher.Check(ctx, password, hash)
	switch {
	case err != nil:
		return Account{}, err
	case !fits || a.Disabled:
		return Account{}, ErrWrong
	}
	k.names.Reset(throttleKey(name))
	k.clients.Forgive(client)
	if outdated {
		return k.renew(ctx, a, password)
	}
	return a, nil
}

// take counts an attempt for the name and the client.
func (k *Keeper) take(name, client string) error {
	now := k.now()
	if wait := k.clients.Take(client, now); wait > 0 {
		return &WaitError{wait}
	}
	if wait := k.names.Take(throttleKey(name), now); wait > 0 {
		k.clients.Forgive(client) // no attempt was made
		return &WaitError{wait}
	}
	return nil
}

// throttleKey is a name as the store compares it.
func throttleKey(name string) string {
	clean, err := CleanName(name)
	if err != nil {
		return "" // nobody has it
	}
	return strings.ToLower(clean)
}

// Find returns an account and the hash of its password: nothing and an empty hash for
// a name that nobody has.
func (k *Keeper) Find(ctx context.Context, name string) (Account, string, error) {
	name, err := CleanName(name)
	if err != nil {
		name = "-" // is no name, but the database is asked all the same
	}
	a, hash, err := k.Store.Account(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return Account{}, "", nil
	}
	return a, hash, err
}

// renew hashes a password that is known to be right at today's cost.
func (k *Keeper) renew(ctx context.Context, a Account, password string) (Account, error) {
	hash, err := k.Hasher.Hash(ctx, password)
	if err != nil {
		return a, nil // the old hash is good for another time
	}
	if err := k.Store.SetPassword(ctx, a.Key, hash); err != nil {
		return a, nil
	}
	return k.Store.AccountByKey(ctx, a.Key)
}

// Create makes an account; with first, only while there is none.
func (k *Keeper) Create(ctx context.Context, name string, role Role, password string, first bool) (Account, error) {
	name, err := CleanName(name)
	if err != nil {
		return Account{}, err
	}
	if err := CheckPassword(name, password); err != nil {
		return Account{}, err
	}
	hash, err := k.Hasher.Hash(ctx, password)
	if err != nil {
		return Account{}, err
	}
	a, err := k.Store.CreateAccount(ctx, name, role, hash, first)
	if err == nil {
		k.Setup.Close()
	}
	return a, err
}

// SetPassword gives an account another password; its sessions are void.
func (k *Keeper) SetPassword(ctx context.Context, a Account, password string) error {
	if err := CheckPassword(a.Name, password); err != nil {
		return err
	}
	hash, err := k.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return k.Store.SetPassword(ctx, a.Key, hash)
}

// Change sets what an account may do; to disable it ends its sessions.
func (k *Keeper) Change(ctx context.Context, a Account, role Role, disabled bool) error {
	if err := k.Store.SetAccount(ctx, a.Key, role, disabled); err != nil {
		return err
	}
	if disabled && !a.Disabled {
		return k.Store.EndSessions(ctx, a.Key)
	}
	return nil
}

// Confirm checks the password of somebody who is signed in already, as an attempt
// like any other.
func (k *Keeper) Confirm(ctx context.Context, a Account, password, client string) error {
	_, err := k.SignIn(ctx, a.Name, password, client)
	return err
}

// None reports whether there is no account yet.
func (k *Keeper) None(ctx context.Context) (bool, error) {
	all, err := k.Store.Accounts(ctx)
	return len(all) == 0, err
}

// CreateToken makes a token and returns its secret, which nobody can learn again.
func (k *Keeper) CreateToken(ctx context.Context, a Account, name string, scope Scope, expires time.Time) (Token, string, error) {
	name, err := CleanTokenName(name)
	if err != nil {
		return Token{}, "", err
	}
	secret, hash := NewSecret()
	t, err := k.Store.CreateToken(ctx, Token{Account: a.Name, Name: name, Scope: scope, Created: k.now(), Expires: expires}, a.Key, hash)
	return t, secret, err
}

// Bearer returns the token of a secret and whose it is; ErrInvalid when it lets
// nobody in.
func (k *Keeper) Bearer(ctx context.Context, secret string) (Token, Account, error) {
	hash, ok := HashSecret(secret)
	if !ok {
		return Token{}, Account{}, ErrInvalid
	}
	t, a, err := k.Store.TokenByHash(ctx, hash)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Token{}, Account{}, ErrInvalid
	case err != nil:
		return Token{}, Account{}, err
	}
	now := k.now()
	if !t.Live(now) || a.Disabled {
		return Token{}, Account{}, ErrInvalid
	}
	if hour := now.Truncate(time.Hour); t.Used.Before(hour) {
		// That it cannot be noted while the database is busy keeps nobody out.
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = k.Store.TouchToken(short, t.Key, hour)
	}
	return t, a, nil
}
