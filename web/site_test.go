package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"tianti/account"
	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/importer"
	"tianti/store"
	"tianti/web"
	"tianti/web/webhooks"
)

const (
	annasPassword = "correct horse battery"
	bobsPassword  = "staple the other horse"
)

// A site is a server with a database, reached by HTTP. Anna administers it, Bob reads.
type site struct {
	*httptest.Server
	web    *web.Server
	db     *store.Store
	keeper *account.Authenticator
}

// newSite serves over HTTP.
func newSite(t *testing.T, change func(*web.Config)) *site {
	t.Helper()
	s := newAccounts(t, change)
	s.Server = httptest.NewServer(s.web)
	t.Cleanup(s.Close)
	return s
}

// newTLSSite serves over TLS.
func newTLSSite(t *testing.T) *site {
	t.Helper()
	s := newAccounts(t, nil)
	s.Server = httptest.NewTLSServer(s.web)
	t.Cleanup(s.Close)
	return s
}

// newAccounts is a server with the two accounts that nobody serves yet.
func newAccounts(t *testing.T, change func(*web.Config)) *site {
	t.Helper()
	s := newEmpty(t, change)
	s.create(t, "anna", account.Administrator, annasPassword)
	s.create(t, "bob", account.Reader, bobsPassword)
	return s
}

// newEmpty is a server without accounts.
func newEmpty(t *testing.T, change func(*web.Config)) *site {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "tianti.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &site{db: db, keeper: account.NewAuthenticator(db, account.NewHasherAt(64, 1), nil)}
	s.web = newServer(t, 5, func(c *web.Config) {
		c.Accounts, c.Record, c.Importer, c.Datasets = s.keeper, db.Record, importer.New(importer.Config{Store: db}), db
		c.Changes, c.Webhooks = db, webhooks.Config{Store: db}
		if change != nil {
			change(c)
		}
	})
	s.web.Swap(catalog.NewSnapshot(7, sample.Dataset("synthetic", 5), named))
	return s
}

func (s *site) create(t *testing.T, name string, role account.Role, password string) account.Account {
	t.Helper()
	a, err := s.keeper.Create(context.Background(), name, role, password, false)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// token makes a token of an account.
func (s *site) token(t *testing.T, name string, scope account.Scope, expires time.Time) (account.Token, string) {
	t.Helper()
	a, _, err := s.keeper.Find(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	token, secret, err := s.keeper.CreateToken(context.Background(), a, "a program", scope, expires)
	if err != nil {
		t.Fatal(err)
	}
	return token, secret
}

// account is what the database knows of somebody.
func (s *site) account(t *testing.T, name string) account.Account {
	t.Helper()
	a, hash, err := s.keeper.Find(context.Background(), name)
	if err != nil || hash == "" {
		t.Fatalf("%s: %v", name, err)
	}
	return a
}

// A browser keeps cookies and follows no redirects by itself.
type browser struct {
	t    *testing.T
	site *site
	http *http.Client
}

func (s *site) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := s.Client().Transport // knows the certificate
	return &browser{t, s, &http.Client{Jar: jar, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// signedIn is a browser in which somebody has signed in.
func (s *site) signedIn(t *testing.T, name, password string) *browser {
	t.Helper()
	b := s.browser(t)
	if r := b.signIn(name, password); r.StatusCode != http.StatusSeeOther {
		t.Fatalf("sign in as %s: status %d\n%s", name, r.StatusCode, r.body)
	}
	return b
}

// A reply is an answer that has been read.
type reply struct {
	*http.Response
	body string
}

func (b *browser) do(method, path string, form url.Values, header ...string) reply {
	b.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequest(method, b.site.URL+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return reply{resp, string(text)}
}

func (b *browser) get(path string, header ...string) reply {
	b.t.Helper()
	return b.do(http.MethodGet, path, nil, header...)
}

func (b *browser) post(path string, form url.Values, header ...string) reply {
	b.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	return b.do(http.MethodPost, path, form, header...)
}

func (b *browser) signIn(name, password string, header ...string) reply {
	b.t.Helper()
	return b.post("/admin/sign-in", url.Values{"name": {name}, "password": {password}}, header...)
}

// isIn reports whether the browser's session is good.
func (b *browser) isIn() bool {
	b.t.Helper()
	return b.get("/admin").StatusCode == http.StatusOK
}

// cookie is the one of the session.
func cookieOf(r reply) *http.Cookie {
	for _, c := range r.Cookies() {
		if strings.HasSuffix(c.Name, "tianti") {
			return c
		}
	}
	return nil
}

// A route is a method and an address that a server answers.
type route struct{ method, pattern, path string }

var params = regexp.MustCompile(`\{[^}]+\}`)

// routesOf are all of a server, each with an address that has its form.
func routesOf(t *testing.T, s *web.Server) []route {
	t.Helper()
	var out []route
	err := chi.Walk(s.Routes(), func(method, pattern string, _ http.Handler,
		_ ...func(http.Handler) http.Handler) error {
		path := params.ReplaceAllStringFunc(strings.ReplaceAll(pattern, "*", "x"), func(p string) string {
			switch p {
			case "{format}":
				return "json"
			case "{key}":
				return "1"
			}
			return "acme-x1-40gb"
		})
		out = append(out, route{method, pattern, path})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 150 {
		t.Fatalf("got %d routes, want all", len(out))
	}
	return out
}

// isAdmin reports whether an address belongs to the administration.
func (r route) isAdmin() bool {
	return strings.HasPrefix(strings.TrimPrefix(r.pattern, "/zh"), "/admin")
}

// isDoor reports whether strangers are let in at an address.
func (r route) isDoor() bool {
	switch strings.TrimPrefix(r.pattern, "/zh") {
	case "/admin/sign-in", "/admin/sign-in/code", "/admin/setup":
		return true
	}
	return false
}

func (r route) isSafe() bool {
	return r.method == http.MethodGet || r.method == http.MethodHead || r.method == http.MethodOptions ||
		r.keepsNothing()
}

// keepsNothing reports whether a route answers what is sent to it, and changes nothing.
func (r route) keepsNothing() bool {
	return slices.Contains([]string{"/calculator", "/api/v1/models/config", "/mcp"},
		strings.TrimPrefix(r.pattern, "/zh"))
}

// newEmptySite serves without accounts, over HTTP.
func newEmptySite(t *testing.T) *site {
	t.Helper()
	return newSiteOf(t, nil)
}

// newSiteOf serves with what change sets, over HTTP.
func newSiteOf(t *testing.T, change func(*web.Config)) *site {
	t.Helper()
	s := newEmpty(t, change)
	s.Server = httptest.NewServer(s.web)
	t.Cleanup(s.Close)
	return s
}
