// Package account says who may do what: accounts with passwords, sessions of browsers, and tokens of programs. There is
// no account by default.
package account

import (
	"context"
	"errors"
	"time"
)

// Role is what an account may do.
type Role string

// Roles. A reader sees what visitors of a private server or signed-in people may see; an administrator changes the
// catalogue and the accounts.
const (
	Reader        Role = "reader"
	Administrator Role = "administrator"
)

// Scope is what a token may do.
type Scope string

// Scopes.
const (
	ScopeRead   Scope = "read"   // what a reader may see
	ScopeImport Scope = "import" // and imports, previews and reverts
)

// An Account is a person who may sign in.
type Account struct {
	Key      int64
	Name     string
	Role     Role
	Created  time.Time
	Changed  time.Time // the password, or sign-out everywhere: sessions begun before are void
	Disabled bool
	Factor   bool // it has a second factor
}

// A Token authenticates a program. Its secret is shown once; only a hash of it is stored.
type Token struct {
	Key     int64
	Account string
	Name    string
	Scope   Scope
	Created time.Time
	Expires time.Time // zero: never
	Used    time.Time // to the hour; zero: never
	Revoked time.Time
}

// Errors of a store.
var (
	ErrTaken     = errors.New("an account of that name exists")
	ErrNotFirst  = errors.New("there is an account already")
	ErrLastAdmin = errors.New("it is the last administrator who can sign in")
)

// Store is what an [Authenticator] and the administration of accounts need of a database. What does not exist is
// fs.ErrNotExist. Methods that change accounts or tokens write an entry of the audit log in the same transaction; its
// actor comes from ctx (audit.WithActor).
type Store interface {
	AccountReader
	AccountWriter
	TokenStore
	SessionStore
	FactorStore
	DeviceStore
}

// AccountReader reads accounts.
type AccountReader interface {
	Accounts(ctx context.Context) ([]Account, error)
	Account(ctx context.Context, name string) (a Account, passwordHash string, err error)
	AccountByKey(ctx context.Context, key int64) (Account, error)
}

// AccountWriter changes accounts.
type AccountWriter interface {
	// CreateAccount returns ErrTaken for a name that is taken and, with first, ErrNotFirst when there is any account.
	CreateAccount(ctx context.Context, name string, role Role, passwordHash string, first bool) (Account, error)
	// SetPassword voids sessions and tokens as EndSessions does; devices stay known.
	SetPassword(ctx context.Context, key int64, passwordHash string) error
	// Rehash keeps another hash of the same password, which changes nothing for anybody; none where the hash is not the
	// one before any more.
	Rehash(ctx context.Context, key int64, before, after string) error
	// EndSessions increases Changed, so that every session of the account is void, revokes its tokens and forgets its
	// devices. Two calls never leave the same time.
	EndSessions(ctx context.Context, key int64) error
	// SetAccount changes role and whether it is disabled; ErrLastAdmin when no administrator would be left.
	SetAccount(ctx context.Context, key int64, role Role, disabled bool) error
}

// TokenStore stores tokens of programs.
type TokenStore interface {
	CreateToken(ctx context.Context, t Token, account int64, hash [32]byte) (Token, error)
	Tokens(ctx context.Context) ([]Token, error)
	TokenByHash(ctx context.Context, hash [32]byte) (Token, Account, error)
	TouchToken(ctx context.Context, key int64, at time.Time) error
	RevokeToken(ctx context.Context, key int64, at time.Time) error
}

// SessionStore stores sessions by the hash of their token. The interface of the session library is built on it.
type SessionStore interface {
	FindSession(ctx context.Context, hash [32]byte) (data []byte, found bool, err error)
	// CommitSession keeps a session; account is whose it is, or 0.
	CommitSession(ctx context.Context, hash [32]byte, account int64, data []byte, expires time.Time) error
	// SessionsOf lists the sessions of an account that have not expired.
	SessionsOf(ctx context.Context, account int64) ([]Session, error)
	DeleteSession(ctx context.Context, hash [32]byte) error
	DeleteExpiredSessions(ctx context.Context, now time.Time) error
}

// A Session is one of a browser, as it is stored.
type Session struct {
	Hash [32]byte // of its token
	Data []byte
}
