package account

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TokenPrefix begins every token, so that scanners for secrets find those that leak.
const TokenPrefix = "tianti_"

// secretBytes are 256 random bits, too many to guess: a fast hash is enough.
const secretBytes = 32

// NewSecret makes the secret of a token and the hash of it that is stored.
func NewSecret() (secret string, hash [32]byte) {
	secret = TokenPrefix + randomText()
	return secret, sha256.Sum256([]byte(secret))
}

// randomLength is that of a secret as text.
var randomLength = base64.RawURLEncoding.EncodedLen(secretBytes)

func randomText() string {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// HashSecret is the hash of a token; ok is false for what cannot be one.
func HashSecret(secret string) (hash [32]byte, ok bool) {
	rest, ok := strings.CutPrefix(secret, TokenPrefix)
	if !ok || len(rest) != randomLength {
		return hash, false
	}
	return sha256.Sum256([]byte(secret)), true
}

// CleanTokenName trims and checks the name of a token. An error is a *RuleError.
func CleanTokenName(name string) (string, error) {
	name = norm.NFC.String(strings.TrimSpace(name))
	if n := utf8.RuneCountInString(name); n == 0 || n > MaxName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, isUnseen) {
		return "", &RuleError{"token", RuleTokenName}
	}
	return name, nil
}

// Live reports whether a token is valid at a moment: neither expired nor revoked.
func (t Token) Live(now time.Time) bool {
	return t.Revoked.IsZero() && (t.Expires.IsZero() || now.Before(t.Expires))
}

// setupTime is how long the link is good for that makes the first account.
const setupTime = time.Hour

// A Setup is the link that makes the first account: one secret, in memory as a hash, for an hour, once.
type Setup struct {
	mu   sync.Mutex
	hash [32]byte
	ends time.Time // zero: there is no link
}

// Offer returns a new secret; one offered before is void.
func (s *Setup) Offer() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	secret := randomText()
	s.hash, s.ends = sha256.Sum256([]byte(secret)), time.Now().Add(setupTime)
	return secret
}

// Check reports whether a secret is the one that was offered. It stays good until Close.
func (s *Setup) Check(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := sha256.Sum256([]byte(secret))
	return time.Now().Before(s.ends) && subtle.ConstantTimeCompare(hash[:], s.hash[:]) == 1
}

// Close makes the secret void.
func (s *Setup) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = time.Time{}
}
