package account

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/alexedwards/argon2id"
)

// cost is that of a password's hash: OWASP's first choice for Argon2id (Password Storage Cheat Sheet: 19 MiB, 2 passes,
// 1 lane), in the variant that RFC 9106 asks for, with its 128-bit salt and 256-bit tag. RFC 9106's own second choice
// takes 64 MiB, which is an eighth of what the service unit gives the whole program.
var cost = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

const (
	hashesAtOnce = 2  // 19 MiB each
	mostWaiting  = 64 // for one of them; at 30 ms each the last waits a second
)

// ErrBusy: too many passwords are being checked.
var ErrBusy = errors.New("too many passwords are being checked at this moment; try again in a few seconds")

// A Hasher makes and checks hashes of passwords, a few at a time.
type Hasher struct {
	params argon2id.Params
	slots  chan struct{}
	asked  atomic.Int32 // that hash or wait
	done   atomic.Int64
	dummy  func() (string, error)
}

// NewHasher returns a hasher with the cost of production.
func NewHasher() *Hasher { return newHasher(cost) }

// NewHasherAt returns a hasher with another cost: tests that are about something else take a small one.
func NewHasherAt(kibibytes, passes uint32) *Hasher {
	p := cost
	p.Memory, p.Iterations = kibibytes, passes
	return newHasher(p)
}

func newHasher(p argon2id.Params) *Hasher {
	return &Hasher{params: p, slots: make(chan struct{}, hashesAtOnce), dummy: sync.OnceValues(func() (string, error) {
		return argon2id.CreateHash("nobody has this password", &p)
	})}
}

// Computed is how many hashes were made or checked.
func (h *Hasher) Computed() int64 { return h.done.Load() }

// Hash returns the hash of a password with its salt and cost, in the PHC format.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	var hash string
	err := h.inTurn(ctx, func() (err error) {
		hash, err = argon2id.CreateHash(normal(password), &h.params)
		return err
	})
	return hash, err
}

// Check reports whether a password fits a hash, and whether the hash was made at another cost than today's. For an
// empty hash the answer is no, after the same work.
func (h *Hasher) Check(ctx context.Context, password, hash string) (fits, outdated bool, err error) {
	known := hash != ""
	if !known {
		if hash, err = h.dummy(); err != nil {
			return false, false, err
		}
	}
	err = h.inTurn(ctx, func() error {
		match, params, err := argon2id.CheckHash(normal(password), hash)
		if err != nil {
			return fmt.Errorf("check password: %w", err)
		}
		fits = match && known
		outdated = params.Memory != h.params.Memory || params.Iterations != h.params.Iterations ||
			params.Parallelism != h.params.Parallelism
		return nil
	})
	return fits, outdated, err
}

// inTurn runs f when it is its turn, and refuses when the queue is too long.
func (h *Hasher) inTurn(ctx context.Context, f func() error) error {
	defer h.asked.Add(-1)
	if h.asked.Add(1) > hashesAtOnce+mostWaiting {
		return ErrBusy
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-h.slots }()
	h.done.Add(1)
	return f()
}
