package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

// A Factor is the second factor of an account: codes by time (TOTP, RFC 6238) of a secret that a device of its owner
// has too.
type Factor struct {
	Secret  []byte
	Step    int64 // the latest step whose code was taken; none up to it counts again
	Created time.Time
	Left    int // recovery codes that were not used
}

// FactorStore stores second factors. Setting one up and removing it void the sessions of the account.
type FactorStore interface {
	// Factor is fs.ErrNotExist for an account without one.
	Factor(ctx context.Context, account int64) (Factor, error)
	// SetFactor also replaces the recovery codes, which are given by their hashes.
	SetFactor(ctx context.Context, account int64, secret []byte, step int64, codes [][32]byte) error
	SetRecoveryCodes(ctx context.Context, account int64, codes [][32]byte) error
	RemoveFactor(ctx context.Context, account int64) error
	// UseStep reports whether no code of the step or of a later one was taken before.
	UseStep(ctx context.Context, account, step int64) (bool, error)
	// UseRecoveryCode reports whether the account has the code and it was not used before.
	UseRecoveryCode(ctx context.Context, account int64, hash [32]byte) (bool, error)
}

// ErrCode: a code is wrong, out of time or was used before.
var ErrCode = errors.New("the code is wrong, has expired or was used before")

const (
	factorSecret  = 20               // bytes, as RFC 4226 asks for
	period        = 30 * time.Second // of a code
	skew          = 1                // steps that a clock may be off, either way
	recoveryCodes = 10
	recoveryBytes = 15 // 120 bits: too many to guess, so that a fast hash is enough
)

var code = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

var unpadded = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewFactorSecret makes the secret of a second factor.
func NewFactorSecret() []byte {
	secret := make([]byte, factorSecret)
	_, _ = rand.Read(secret) // never fails, see crypto/rand
	return secret
}

// FactorText is a secret as people type it.
func FactorText(secret []byte) string { return unpadded.EncodeToString(secret) }

// FactorURL is what a QR code for apps says: the secret, and the names that the app shows.
func FactorURL(issuer, name string, secret []byte) (string, error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: name, Secret: secret})
	if err != nil {
		return "", err
	}
	return key.URL(), nil
}

// stepOf is the step whose code was given, of those around now and after another; 0 when it is none of them.
func stepOf(secret []byte, given string, now time.Time, after int64) int64 {
	at, text := now.Unix()/int64(period.Seconds()), FactorText(secret)
	for step := max(at-skew, after+1); step <= at+skew; step++ {
		if ok, err := hotp.ValidateCustom(given, uint64(step), text, code); err == nil && ok {
			return step
		}
	}
	return 0
}

// newRecoveryCodes makes codes and their hashes.
func newRecoveryCodes() (codes []string, hashes [][32]byte) {
	for range recoveryCodes {
		b := make([]byte, recoveryBytes)
		_, _ = rand.Read(b)
		text := strings.ToLower(unpadded.EncodeToString(b))
		hashes = append(hashes, sha256.Sum256([]byte(text)))
		codes = append(codes, text[:6]+"-"+text[6:12]+"-"+text[12:18]+"-"+text[18:])
	}
	return codes, hashes
}

// plainCode is a code without what people and apps put in between.
func plainCode(code string) string {
	if len(code) > 100 {
		return ""
	}
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "\t", "").Replace(code))
}

// factors are what is known of second factors besides the database.
type factors struct {
	tries *Throttle
	mu    sync.Mutex
	steps map[int64]int64 // the latest step taken by account: the database may be one that is only read
}

func newFactors() *factors {
	// Who gets here knows the password. At one try in a quarter of an hour, an even chance to guess one of three codes
	// in a million takes more than six years.
	return &factors{tries: NewThrottle(5, 30*time.Second, 15*time.Minute, 24*time.Hour, trackedKeys),
		steps: map[int64]int64{}}
}

// take notes a step; it returns false when that or a later one was taken before.
func (f *factors) take(account, step int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.steps[account] >= step {
		return false
	}
	f.steps[account] = step
	return true
}

// CheckCode checks a code of an account's second factor, or one of its recovery codes, and uses it up. The error is
// ErrCode or a *WaitError.
func (auth *Authenticator) CheckCode(ctx context.Context, a Account, given string) error {
	key := throttleKey(a.Name)
	if wait := auth.factors.tries.Take(key, auth.now()); wait > 0 {
		return &WaitError{wait}
	}
	f, err := auth.Store.Factor(ctx, a.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrCode
	}
	if err != nil {
		return err
	}
	given = plainCode(given)
	var ok bool
	if len(given) == code.Digits.Length() {
		ok, err = auth.checkTime(ctx, a, f, given)
	} else if !auth.ReadOnly { // what cannot be marked as used cannot be used
		ok, err = auth.Store.UseRecoveryCode(ctx, a.Key, sha256.Sum256([]byte(given)))
	}
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrCode
	}
	auth.factors.tries.Reset(key)
	return nil
}

func (auth *Authenticator) checkTime(ctx context.Context, a Account, f Factor, given string) (bool, error) {
	step := stepOf(f.Secret, given, auth.now(), f.Step)
	if step == 0 || !auth.factors.take(a.Key, step) {
		return false, nil
	}
	if auth.ReadOnly {
		return true, nil
	}
	return auth.Store.UseStep(ctx, a.Key, step)
}

// SetFactor gives an account the second factor of a secret, when the code shows that its owner's device has it: the
// code is used up. It returns recovery codes, which are not stored.
func (auth *Authenticator) SetFactor(ctx context.Context, a Account, secret []byte, given string) ([]string, error) {
	key := throttleKey(a.Name)
	if wait := auth.factors.tries.Take(key, auth.now()); wait > 0 {
		return nil, &WaitError{wait}
	}
	step := stepOf(secret, plainCode(given), auth.now(), 0)
	if step == 0 {
		return nil, ErrCode
	}
	auth.factors.tries.Reset(key)
	codes, hashes := newRecoveryCodes()
	return codes, auth.Store.SetFactor(ctx, a.Key, secret, step, hashes)
}

// NewRecoveryCodes replaces the recovery codes of an account.
func (auth *Authenticator) NewRecoveryCodes(ctx context.Context, a Account) ([]string, error) {
	codes, hashes := newRecoveryCodes()
	return codes, auth.Store.SetRecoveryCodes(ctx, a.Key, hashes)
}
