package web_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tianti/account"
	"tianti/web"
)

func TestTheCookieIsAsNarrowAsItCanBe(t *testing.T) {
	proxied := func(c *web.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }
	https := func(c *web.Config) { c.Origin = "https://cards.example" }
	for name, c := range map[string]struct {
		site   *site
		header []string
		secure bool
	}{
		"plain":                        {newSite(t, nil), nil, false},
		"TLS":                          {newTLSSite(t), nil, true},
		"a trusted proxy by TLS":       {newSite(t, proxied), []string{"X-Forwarded-Proto", "https"}, true},
		"a trusted proxy without":      {newSite(t, proxied), []string{"X-Forwarded-Proto", "http"}, false},
		"somebody who says it is TLS":  {newSite(t, nil), []string{"X-Forwarded-Proto", "https"}, false},
		"a server known by a TLS name": {newSite(t, https), nil, true},
	} {
		got := cookieOf(c.site.browser(t).signIn("anna", annasPassword, c.header...))
		if got == nil {
			t.Errorf("%s: no cookie", name)
			continue
		}
		want := "tianti"
		if c.secure {
			want = "__Host-tianti"
		}
		if got.Name != want || got.Secure != c.secure || !got.HttpOnly || got.SameSite != http.SameSiteLaxMode ||
			got.Path != "/" || got.Domain != "" {
			t.Errorf("%s: got %s", name, got)
		}
		if got.MaxAge < 604_700 || got.MaxAge > 604_801 || len(got.Value) < 43 {
			t.Errorf("%s: got %s, want seven days and 256 random bits", name, got)
		}
	}
}

func TestAPlantedSessionLeadsNowhere(t *testing.T) {
	s := newSite(t, nil)
	home, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	// Eve is Bob: she plants a session of her own, or a made-up one, in Anna's browser.
	eve := s.signedIn(t, "bob", bobsPassword)
	planted := eve.http.Jar.Cookies(home)[0].Value
	for _, value := range []string{planted, strings.Repeat("a", 43), "", strings.Repeat("long", 1000)} {
		anna := s.browser(t)
		anna.http.Jar.SetCookies(home, []*http.Cookie{{Name: "tianti", Value: value}})
		c := cookieOf(anna.signIn("anna", annasPassword))
		if c == nil || c.Value == value {
			t.Fatalf("%.10q: got %v, want another token", value, c)
		}
		if !anna.isIn() {
			t.Errorf("%.10q: Anna is not in", value)
		}
		eve.http.Jar.SetCookies(home, []*http.Cookie{{Name: "tianti", Value: value}})
		if eve.isIn() {
			t.Errorf("%.10q: the planted token is signed in", value)
		}
	}
}

func TestSessionsEndWithWhatTheyStoodFor(t *testing.T) {
	ctx := context.Background()
	for name, end := range map[string]func(t *testing.T, s *site, key int64) error{
		"another password": func(t *testing.T, s *site, key int64) error {
			return s.keeper.SetPassword(ctx, s.account(t, "bob"), "a different passphrase")
		},
		"disabled": func(t *testing.T, s *site, key int64) error {
			return s.keeper.Change(ctx, s.account(t, "bob"), account.Reader, true)
		},
		"disabled and enabled": func(t *testing.T, s *site, key int64) error {
			if err := s.keeper.Change(ctx, s.account(t, "bob"), account.Reader, true); err != nil {
				return err
			}
			return s.keeper.Change(ctx, s.account(t, "bob"), account.Reader, false)
		},
		"ended": func(t *testing.T, s *site, key int64) error { return s.db.EndSessions(ctx, key) },
	} {
		s := newSite(t, nil)
		one, other, anna := s.signedIn(t, "bob", bobsPassword), s.signedIn(t, "bob", bobsPassword),
			s.signedIn(t, "anna", annasPassword)
		if !one.isIn() || !other.isIn() {
			t.Fatal("not signed in")
		}
		if err := end(t, s, s.account(t, "bob").Key); err != nil {
			t.Fatal(err)
		}
		if one.isIn() || other.isIn() {
			t.Errorf("%s: a session goes on", name)
		}
		if !anna.isIn() {
			t.Errorf("%s: the session of another account ended", name)
		}
	}
}

func TestARoleCountsAtOnce(t *testing.T) {
	s := newSite(t, nil)
	s.create(t, "carol", account.Administrator, annasPassword)
	anna := s.signedIn(t, "anna", annasPassword)
	if err := s.db.SetAccount(t.Context(), s.account(t, "anna").Key, account.Reader, false); err != nil {
		t.Fatal(err)
	}
	if r := anna.get("/admin/accounts"); r.StatusCode != http.StatusForbidden {
		t.Errorf("got %d, want what a reader may see", r.StatusCode)
	}
}

func TestSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newAccounts(t, nil)
		var cookie *http.Cookie
		do := func(method, path, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if cookie != nil {
				r.AddCookie(cookie)
			}
			w := httptest.NewRecorder()
			s.web.ServeHTTP(w, r)
			return w
		}
		signIn := func() {
			cookie = nil
			cookie = cookieOf(reply{Response: do(http.MethodPost, "/admin/sign-in",
				"name=anna&password=correct+horse+battery").Result()})
		}
		signIn()
		begun := time.Now()
		for time.Since(begun) < 7*24*time.Hour-12*time.Hour {
			time.Sleep(12*time.Hour - 6*time.Minute)
			if w := do(http.MethodGet, "/admin", ""); w.Code != http.StatusOK {
				t.Fatalf("after %s of use: got %d, want 200", time.Since(begun), w.Code)
			}
		}
		time.Sleep(7*24*time.Hour - time.Since(begun) + time.Second)
		if w := do(http.MethodGet, "/admin", ""); w.Code != http.StatusSeeOther {
			t.Errorf("after seven days: got %d, want to sign in again", w.Code)
		}
		signIn()
		time.Sleep(12*time.Hour + time.Second)
		if w := do(http.MethodGet, "/admin", ""); w.Code != http.StatusSeeOther {
			t.Errorf("after twelve hours without use: got %d, want to sign in again", w.Code)
		}
	})
}

func TestTheDatabaseKeepsNothingToSignInWith(t *testing.T) {
	s := newSite(t, nil)
	anna := s.signedIn(t, "anna", annasPassword)
	home, _ := url.Parse(s.URL)
	cookie := anna.http.Jar.Cookies(home)[0].Value
	_, secret := s.token(t, "anna", account.ScopeRead, time.Time{})
	made := anna.post("/admin/tokens", url.Values{"name": {"by page"}, "scope": {"import"}, "days": {"30"},
		"current": {annasPassword}})
	shown := secretOf(t, made.body)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := s.db.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	text := dump(t, copied)
	for what, hidden := range map[string]string{"password": annasPassword, "session": cookie, "token": secret,
		"token of the page": shown} {
		if bytes.Contains(text, []byte(hidden)) {
			t.Errorf("the database holds the %s as it is", what)
		}
	}
	if !bytes.Contains(text, []byte("$argon2id$")) {
		t.Error("the copy holds no hash: it was not looked at rightly")
	}
}
