package account

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Errors of authentication. They do not say which part was wrong, so that guessing teaches nothing.
var (
	ErrWrong   = errors.New("the name or the password is wrong")
	ErrInvalid = errors.New("the token is unknown, expired or revoked")
)

// A WaitError is an attempt that comes too early.
type WaitError struct{ After time.Duration }

func (e *WaitError) Error() string {
	return fmt.Sprintf("too many attempts: wait %s", e.After.Round(time.Second))
}

// An Authenticator checks passwords of people and tokens of programs.
type Authenticator struct {
	Store  Store
	Hasher *Hasher
	Setup  *Setup
	// ReadOnly: nothing can be written. Codes of second factors are then remembered in memory alone, and recovery codes
	// are not taken.
	ReadOnly bool
	now      func() time.Time

	names, clients, devices *Throttle
	factors                 *factors
}

// trackedKeys bounds the memory of each throttle, to about 2 MB.
const trackedKeys = 10_000

// NewAuthenticator returns an authenticator; now may be nil, for time.Now.
//
// An account allows ten attempts at once, then one a minute at the slowest: enough to make guessing one of 10^14
// passwords hopeless. A client waits up to 15 minutes. Attempts from a device where the account has signed in before
// are counted by themselves, so that whoever guesses elsewhere does not keep its owner out.
func NewAuthenticator(s Store, h *Hasher, now func() time.Time) *Authenticator {
	if now == nil {
		now = time.Now
	}
	return &Authenticator{Store: s, Hasher: h, Setup: &Setup{}, now: now, factors: newFactors(),
		names:   NewThrottle(10, time.Second, time.Minute, time.Hour, trackedKeys),
		devices: NewThrottle(10, time.Second, time.Minute, time.Hour, trackedKeys),
		clients: NewThrottle(20, time.Second, 15*time.Minute, time.Hour, trackedKeys)}
}

// SignIn returns the account of a name and password. The error is ErrWrong (also for a disabled account, and with the
// same work for one that does not exist), a *WaitError or ErrBusy. Whoever has a second factor is not in yet: see
// CheckCode.
func (auth *Authenticator) SignIn(ctx context.Context, name, password string, from Client) (Account, error) {
	a, hash, err := auth.Find(ctx, name)
	if err != nil {
		return Account{}, err
	}
	known, err := auth.Knows(ctx, a, from.Device)
	if err != nil {
		return Account{}, err
	}
	if err := auth.take(name, from, known); err != nil {
		return Account{}, err
	}
	if len(password) > MaxPassword {
		password = "" // wrong in any case, and as expensive to check as any other
	}
	fits, outdated, err := auth.Hasher.Check(ctx, password, hash)
	switch {
	case err != nil:
		return Account{}, err
	case !fits || a.Disabled:
		return Account{}, ErrWrong
	}
	if known {
		auth.devices.Reset(from.Device)
	} else {
		auth.names.Reset(throttleKey(name))
		auth.clients.Forgive(from.Address)
	}
	if outdated {
		return auth.renew(ctx, a, password, hash)
	}
	return a, nil
}

// take counts an attempt: of a known device, or else for the name and the client.
func (auth *Authenticator) take(name string, from Client, known bool) error {
	now := auth.now()
	if known {
		if wait := auth.devices.Take(from.Device, now); wait > 0 {
			return &WaitError{wait}
		}
		return nil
	}
	if wait := auth.clients.Take(from.Address, now); wait > 0 {
		return &WaitError{wait}
	}
	if wait := auth.names.Take(throttleKey(name), now); wait > 0 {
		auth.clients.Forgive(from.Address) // no attempt was made
		return &WaitError{wait}
	}
	return nil
}

// throttleKey is a name as the store compares it.
func throttleKey(name string) string {
	clean, err := CleanName(name)
	if err != nil {
		return "" // no account has it
	}
	return strings.ToLower(clean)
}

// Find returns an account and the hash of its password; both are empty when there is no such account.
func (auth *Authenticator) Find(ctx context.Context, name string) (Account, string, error) {
	name, err := CleanName(name)
	if err != nil {
		name = "-" // is no name, but the database is asked all the same
	}
	a, hash, err := auth.Store.Account(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return Account{}, "", nil
	}
	return a, hash, err
}

// renew hashes a password that is known to be right at today's cost.
func (auth *Authenticator) renew(ctx context.Context, a Account, password, before string) (Account, error) {
	after, err := auth.Hasher.Hash(ctx, password)
	if err != nil {
		return a, nil // the old hash is good for another time
	}
	_ = auth.Store.Rehash(ctx, a.Key, before, after) // likewise
	return a, nil
}

// Create makes an account; with first, only while there is none.
func (auth *Authenticator) Create(
	ctx context.Context, name string, role Role, password string, first bool,
) (Account, error) {
	name, err := CleanName(name)
	if err := errors.Join(err, CheckPassword(name, password)); err != nil {
		return Account{}, err
	}
	hash, err := auth.Hasher.Hash(ctx, password)
	if err != nil {
		return Account{}, err
	}
	a, err := auth.Store.CreateAccount(ctx, name, role, hash, first)
	if err == nil {
		auth.Setup.Close()
	}
	return a, err
}

// SetPassword gives an account another password; its sessions and tokens are void.
func (auth *Authenticator) SetPassword(ctx context.Context, a Account, password string) error {
	if err := CheckPassword(a.Name, password); err != nil {
		return err
	}
	hash, err := auth.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return auth.Store.SetPassword(ctx, a.Key, hash)
}

// Change sets what an account may do; to disable it ends its sessions.
func (auth *Authenticator) Change(ctx context.Context, a Account, role Role, disabled bool) error {
	if err := auth.Store.SetAccount(ctx, a.Key, role, disabled); err != nil {
		return err
	}
	if disabled && !a.Disabled {
		return auth.Store.EndSessions(ctx, a.Key)
	}
	return nil
}

// Confirm checks the password of a signed-in account again. It counts as an attempt to sign in.
func (auth *Authenticator) Confirm(ctx context.Context, a Account, password string, from Client) error {
	_, err := auth.SignIn(ctx, a.Name, password, from)
	return err
}

// None reports whether there is no account yet.
func (auth *Authenticator) None(ctx context.Context) (bool, error) {
	all, err := auth.Store.Accounts(ctx)
	return len(all) == 0, err
}

// CreateToken makes a token and returns its secret, which is not stored.
func (auth *Authenticator) CreateToken(
	ctx context.Context, a Account, name string, scope Scope, expires time.Time,
) (Token, string, error) {
	name, err := CleanTokenName(name)
	if err != nil {
		return Token{}, "", err
	}
	secret, hash := NewSecret()
	t, err := auth.Store.CreateToken(ctx, Token{Account: a.Name, Name: name, Scope: scope, Created: auth.now(),
		Expires: expires}, a.Key, hash)
	return t, secret, err
}

// Bearer returns the token of a secret and its account; ErrInvalid when it is unknown, expired or revoked.
func (auth *Authenticator) Bearer(ctx context.Context, secret string) (Token, Account, error) {
	hash, ok := HashSecret(secret)
	if !ok {
		return Token{}, Account{}, ErrInvalid
	}
	t, a, err := auth.Store.TokenByHash(ctx, hash)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Token{}, Account{}, ErrInvalid
	case err != nil:
		return Token{}, Account{}, err
	}
	now := auth.now()
	if !t.Live(now) || a.Disabled {
		return Token{}, Account{}, ErrInvalid
	}
	if hour := now.Truncate(time.Hour); t.Used.Before(hour) {
		// A busy database must not refuse the request: the time of use is a by-product.
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = auth.Store.TouchToken(short, t.Key, hour)
	}
	return t, a, nil
}
