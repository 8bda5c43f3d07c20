package web_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tianti/account"
	"tianti/live/sample"
	"tianti/store"
	"tianti/web"
)

func private(c *web.Config) { c.Private = true }

// watched has a source of readings besides, so that there is something to stream.
func watched(t *testing.T) func(*web.Config) {
	return func(c *web.Config) { c.Private, c.Live = true, newHub(t, &devices{frame: sample.Frame()}) }
}

func TestAPrivateServerShowsStrangersNothing(t *testing.T) {
	s := newSite(t, private)
	anna, stranger, shown := s.signedIn(t, "anna", annasPassword), s.browser(t), 0
	open := map[string]bool{"/healthz": true, "/readyz": true, "/favicon.ico": true}
	for _, r := range routesOf(t, s.web) {
		if r.isDoor() || r.isStatic() || open[r.pattern] || !r.isSafe() || strings.HasSuffix(r.path, "/stream") {
			continue
		}
		for _, path := range []string{r.path, r.path + "?x=1", r.path + "/"} {
			// Twice, so that it is in the cache of pages when the stranger comes.
			_ = anna.get(path)
			got := anna.get(path)
			if got.StatusCode == http.StatusOK {
				shown++
			}
			if c := got.Header.Get("Cache-Control"); got.StatusCode == http.StatusOK &&
				!strings.HasPrefix(c, "private") && c != "no-store" {
				t.Errorf("%s: Cache-Control %q, want private", path, c)
			}
			if got.StatusCode == http.StatusUnauthorized || got.StatusCode == http.StatusSeeOther &&
				strings.Contains(got.Header.Get("Location"), "sign-in") {
				t.Errorf("%s: got %d for somebody who is signed in", path, got.StatusCode)
			}
			for _, method := range []string{"GET", "HEAD"} {
				refused := stranger.do(method, path, nil, "If-None-Match", got.Header.Get("Etag"))
				to := refused.Header.Get("Location")
				switch {
				case refused.StatusCode == http.StatusSeeOther && strings.HasPrefix(strings.TrimPrefix(to, "/zh"),
					"/admin/sign-in?next="):
				case refused.StatusCode == http.StatusUnauthorized &&
					strings.HasPrefix(refused.Header.Get("WWW-Authenticate"), "Bearer "):
				default:
					t.Errorf("%s %s by a stranger: got %d to %q", method, path, refused.StatusCode, to)
				}
				if strings.Contains(refused.body, "Acme") || strings.Contains(refused.body, "Northwind") ||
					refused.Header.Get("Etag") != "" {
					t.Errorf("%s %s tells a stranger something:\n%.500s", method, path, refused.body)
				}
			}
		}
	}
	if shown < 40 {
		t.Errorf("saw %d pages, want most", shown)
	}
	for _, path := range []string{"/api/v1/cards", "/cards.json", "/zh/cards.csv", "/metrics",
		"/og/cards/acme-x1-40gb.png", "/sitemap.xml", "/robots.txt", "/live/stream", "/api/v1/live/stream",
		"/api/nothing"} {
		if r := stranger.get(path); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: got %d, want 401", path, r.StatusCode)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/admin/sign-in", "/zh/admin/sign-in"} {
		r := stranger.get(path)
		if r.StatusCode != http.StatusOK || strings.Contains(r.body, "Acme") || strings.Contains(r.body, "Revision") {
			t.Errorf("%s: got %d, want it to be open and to tell nothing\n%.300s", path, r.StatusCode, r.body)
		}
	}
	style := stranger.get("/admin/sign-in").body
	href := style[strings.Index(style, "/static/style"):]
	if r := stranger.get(href[:strings.IndexByte(href, '"')]); r.StatusCode != http.StatusOK {
		t.Errorf("the style sheet: got %d", r.StatusCode)
	}
}

func TestTokensReadAPrivateServer(t *testing.T) {
	s := newSite(t, watched(t))
	b := s.browser(t)
	token, secret := s.token(t, "bob", account.ScopeRead, time.Time{})
	bearer := func(path string) reply { return b.get(path, "Authorization", "Bearer "+secret) }
	for _, path := range []string{"/api/v1/cards", "/cards.json", "/metrics", "/cards", "/api/v1/live"} {
		if r := bearer(path); r.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d", path, r.StatusCode)
		}
	}
	if r := b.do(http.MethodHead, "/live/stream", nil, "Authorization",
		"Bearer "+secret); r.StatusCode != http.StatusOK {
		t.Errorf("the stream: got %d", r.StatusCode)
	}
	for what, header := range map[string]string{
		"another scheme": "Basic YW5uYTpwYXNz", "a made-up token": "Bearer tianti_" + strings.Repeat("a", 43),
		"no token": "Bearer", "something else": "Bearer x",
	} {
		if r := b.get("/api/v1/cards", "Authorization", header); r.StatusCode != http.StatusUnauthorized ||
			!strings.Contains(r.Header.Get("WWW-Authenticate"), "error=") {
			t.Errorf("%s: got %d, %q", what, r.StatusCode, r.Header.Get("WWW-Authenticate"))
		}
	}
	// A bad token is not made good by a session.
	if r := s.signedIn(t, "anna", annasPassword).get("/api/v1/cards", "Authorization",
		"Bearer x"); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a bad token with a session: got %d", r.StatusCode)
	}
	for _, path := range []string{"/api/v1/cards?token=" + secret, "/cards?access_token=" + secret,
		"/api/v1/cards?%74oken=%74ianti_" + secret[7:]} {
		if r := b.get(path); r.StatusCode != http.StatusBadRequest {
			t.Errorf("a token in the address: got %d, want 400", r.StatusCode)
		}
	}
	if r := bearer("/admin/accounts"); r.StatusCode != http.StatusSeeOther {
		t.Errorf("a page of the administration: got %d, want to sign in", r.StatusCode)
	}
	if err := s.db.RevokeToken(t.Context(), token.Key, time.Now()); err != nil {
		t.Fatal(err)
	}
	if r := bearer("/api/v1/cards"); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked token: got %d", r.StatusCode)
	}
	_, secret = s.token(t, "bob", account.ScopeRead, time.Now().Add(-time.Second))
	if r := bearer("/api/v1/cards"); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("an expired token: got %d", r.StatusCode)
	}
	_, secret = s.token(t, "bob", account.ScopeRead, time.Time{})
	if err := s.keeper.Change(t.Context(), s.account(t, "bob"), account.Reader, true); err != nil {
		t.Fatal(err)
	}
	if r := bearer("/api/v1/cards"); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token of a disabled account: got %d", r.StatusCode)
	}
}

func TestAReadOnlyServerHasNoAdministration(t *testing.T) {
	s := newSite(t, func(c *web.Config) { c.ReadOnly, c.Accounts = true, nil })
	b := s.browser(t)
	for _, r := range []struct{ method, path, says string }{
		{"GET", "/admin", "--read-only"}, {"GET", "/admin/sign-in", "--read-only"},
		{"GET", "/zh/admin/setup", "--read-only"}, {"GET", "/zh/admin/accounts", "不能做任何修改"},
		{"POST", "/admin/sign-in", "--read-only"}, {"POST", "/admin/import", "--read-only"},
		{"DELETE", "/admin/accounts/1", "--read-only"},
	} {
		if got := b.do(r.method, r.path, nil); got.StatusCode != http.StatusForbidden ||
			!strings.Contains(got.body, r.says) {
			t.Errorf("%s %s: got %d, want 403 with %q", r.method, r.path, got.StatusCode, r.says)
		}
	}
	for _, r := range routesOf(t, s.web) {
		if r.isSafe() || r.isStatic() {
			continue
		}
		if got := b.do(r.method, r.path, nil); got.StatusCode != http.StatusForbidden &&
			got.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: got %d", r.method, r.path, got.StatusCode)
		}
	}
	if r := b.get("/"); r.StatusCode != http.StatusOK || strings.Contains(r.body, `href="/admin"`) {
		t.Errorf("got %d, want pages without a link to what is not there", r.StatusCode)
	}
	if r := newSite(t, nil).browser(t).get("/"); !strings.Contains(r.body, `href="/admin"`) ||
		r.Header.Get("Cache-Control") != "public, no-cache" {
		t.Error("other servers have no link in the foot of public pages, or the pages are no longer public")
	}
}

func TestAReadOnlyPrivateServerLetsPeopleIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tianti.db")
	db, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.NewAuthenticator(db, account.NewHasherAt(64, 1), nil).Create(t.Context(), "anna",
		account.Administrator, annasPassword, true); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := dump(t, path)
	read, err := store.OpenReadOnly(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	s := newSiteOf(t, func(c *web.Config) {
		c.Private, c.ReadOnly, c.Accounts, c.Record = true, true,
			account.NewAuthenticator(read, account.NewHasherAt(64, 1), nil), nil
	})
	anna := s.browser(t)
	if r := anna.get("/cards"); r.StatusCode != http.StatusSeeOther {
		t.Errorf("a stranger: got %d", r.StatusCode)
	}
	if r := anna.signIn("anna", annasPassword); r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/" {
		t.Fatalf("got %d to %q\n%s", r.StatusCode, r.Header.Get("Location"), r.body)
	}
	for path, want := range map[string]int{"/cards": 200, "/admin": 200, "/admin/accounts": 403, "/admin/tokens": 403,
		"/admin/account": 403, "/admin/import": 403} {
		if r := anna.get(path); r.StatusCode != want {
			t.Errorf("%s: got %d, want %d", path, r.StatusCode, want)
		}
	}
	if r := anna.post("/admin/accounts", url.Values{"name": {"eve"}}); r.StatusCode != http.StatusForbidden {
		t.Errorf("a change: got %d", r.StatusCode)
	}
	if r := anna.post("/admin/sign-out", nil); r.StatusCode != http.StatusSeeOther ||
		anna.get("/cards").StatusCode != http.StatusSeeOther {
		t.Errorf("signing out: got %d", r.StatusCode)
	}
	if string(dump(t, path)) != string(before) {
		t.Error("the database was written")
	}
}
