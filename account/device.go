package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"time"
)

// A Client is whence somebody signs in.
type Client struct {
	Address string
	Device  string // the secret of a device where somebody signed in before; may be empty or made up
}

// DeviceStore stores by the hash of their secret the devices where somebody has signed in.
type DeviceStore interface {
	// AddDevice keeps a device, new or known, and of an account the newest, so many at most.
	AddDevice(ctx context.Context, account int64, hash [32]byte, most int) error
	// DeviceOf returns whose device it is; fs.ErrNotExist when nobody's, or when it has not been used since.
	DeviceOf(ctx context.Context, hash [32]byte, since time.Time) (account int64, err error)
}

const (
	mostDevices = 20                   // of an account
	DeviceTime  = 180 * 24 * time.Hour // for how long a device is known
)

// Remember returns the secret by which a device is known from now on: the one it has, or a new one. Whoever has it is
// not signed in by it; attempts from there do not wait for those of others.
func (auth *Authenticator) Remember(ctx context.Context, a Account, device string) (secret string, err error) {
	known, err := auth.Knows(ctx, a, device)
	if err != nil {
		return "", err
	}
	if !known {
		device = randomText()
	}
	return device, auth.Store.AddDevice(ctx, a.Key, sha256.Sum256([]byte(device)), mostDevices)
}

// Knows reports whether a device is one where an account has signed in.
func (auth *Authenticator) Knows(ctx context.Context, a Account, device string) (bool, error) {
	if a.Key == 0 || len(device) != randomLength {
		return false, nil
	}
	owner, err := auth.Store.DeviceOf(ctx, sha256.Sum256([]byte(device)), auth.now().Add(-DeviceTime))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return owner == a.Key, err
}
