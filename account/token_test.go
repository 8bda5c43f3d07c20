package account

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTokensAreRandomAndKnownByTheirHash(t *testing.T) {
	form := regexp.MustCompile(`^tianti_[A-Za-z0-9_-]{43}$`)
	seen := map[string]bool{}
	for range 100 {
		secret, hash := NewSecret()
		if !form.MatchString(secret) || seen[secret] {
			t.Fatalf("got %q, want another of the form %s", secret, form)
		}
		seen[secret] = true
		if got, ok := HashSecret(secret); !ok || got != hash {
			t.Errorf("%s has the hashes %x and %x", secret, got, hash)
		}
	}
	for _, s := range []string{"", "tianti_", "tianti_short", "other_" + strings.Repeat("a", 43),
		"tianti_" + strings.Repeat("a", 44), strings.Repeat("tianti_", 1<<20)} {
		if _, ok := HashSecret(s); ok {
			t.Errorf("%.40q is taken for a token", s)
		}
	}
}

func TestTokensEnd(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		t    Token
		want bool
	}{
		{Token{}, true}, {Token{Expires: now.Add(1)}, true}, {Token{Expires: now}, false},
		{Token{Expires: now.Add(-1)}, false},
		{Token{Revoked: now.Add(-1)}, false}, {Token{Revoked: now.Add(time.Hour), Expires: now.Add(time.Hour)}, false},
	} {
		if got := c.t.Live(now); got != c.want {
			t.Errorf("%+v: got %v, want %v", c.t, got, c.want)
		}
	}
}

func TestTheSetupLinkLastsAnHourAndWorksUntilItIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Setup
		if s.Check("") {
			t.Error("without a link anything is taken")
		}
		first := s.Offer()
		secret := s.Offer()
		if len(secret) != 43 || s.Check(first) || s.Check(secret+"x") || s.Check("") {
			t.Error("another secret than the last is taken")
		}
		time.Sleep(time.Hour - 1)
		if !s.Check(secret) {
			t.Error("the link ended before its hour")
		}
		time.Sleep(time.Nanosecond)
		if s.Check(secret) {
			t.Error("the link outlives its hour")
		}
		secret = s.Offer()
		s.Close()
		if s.Check(secret) {
			t.Error("a closed link is taken")
		}
	})
}
