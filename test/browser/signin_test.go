package browser

import (
	"context"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"

	"tianti/account"
	"tianti/catalog"
	"tianti/catalog/sample"
	"tianti/store"
	"tianti/web"
)

// newAdministered serves a few cards with a database for accounts.
func newAdministered(t *testing.T) (home string, keeper *account.Authenticator) {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "tianti.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	keeper = account.NewAuthenticator(db, account.NewHasherAt(64, 1), nil)
	server := web.New(web.Config{Version: "test", Accounts: keeper, Record: db.Record})
	t.Cleanup(server.Close)
	server.Swap(catalog.NewSnapshot(1, sample.Dataset("synthetic", 20)))
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	return listener.URL, keeper
}

// TestFromTheSetupLinkToAToken is done with the keyboard alone, with and without
// scripts.
func TestFromTheSetupLinkToAToken(t *testing.T) {
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			inTurn(t, func(t *testing.T, l language) {
				home, keeper := newAdministered(t)
				p := newTabAt(t, home)
				call(p, emulation.SetScriptExecutionDisabled,
					emulation.SetScriptExecutionDisabledParams{Value: !scripts})
				makeAdministrator(p, l, keeper.Setup.Offer())
				signOutAndIn(p, l)
				makeToken(p, l)
			})
		})
	}
}

const secretWords = "correct horse battery"

// fill types into the field that the Tab key leads to.
func (p *tab) fill(css, text string) {
	p.t.Helper()
	p.tabTo(css)
	p.press(text)
}

func makeAdministrator(p *tab, l language, key string) {
	p.t.Helper()
	link := l.path("/admin/setup?" + url.Values{"key": {key}}.Encode())
	p.visit(link)
	p.fill("#name", "anna")
	p.fill("#password", "short")
	p.leave("a password that is too short", typed(kb.Enter))
	if got := p.text("#password-problem"); !strings.Contains(got, "12") {
		p.t.Errorf("got %q about a short password", got)
	}
	if js[string](p, `document.querySelector("#name").value`) != "anna" ||
		js[string](p, `document.querySelector("#password").value`) != "" {
		p.t.Error("the name is not kept, or the password is")
	}
	p.fill("#password", secretWords)
	p.leave("Enter", typed(kb.Enter))
	p.wantAddress(l.path("/admin"))
	p.wantText("h1", l.in("Administration", "管理"))
	if names := p.texts("main .list a"); len(names) != 6 {
		p.t.Errorf("got the doors %q, want six", names)
	}
	other := newTabAt(p.t, p.home)
	other.visit(link)
	if other.count("input[type=password]") != 0 {
		p.t.Error("the link works a second time")
	}
}

func signOutAndIn(p *tab, l language) {
	p.t.Helper()
	p.tabTo(`form[action$="/admin/sign-out"] button`)
	p.leave("the button", typed(kb.Enter))
	p.wantAddress(l.path("/admin/sign-in"))
	p.visit(l.path("/admin/tokens"))
	p.wantText("h1", l.in("Sign in", "登录"))
	p.fill("#name", "anna")
	p.fill("#password", "a wrong password")
	p.leave("a wrong password", typed(kb.Enter))
	p.wantText("[role=alert]", l.in("The name or the password is wrong.", "用户名或密码不正确。"))
	p.fill("#password", secretWords)
	p.leave("the right one", typed(kb.Enter))
	p.wantAddress(l.path("/admin/tokens"))
}

var tokenForm = regexp.MustCompile(`^tianti_[A-Za-z0-9_-]{43}$`)

func makeToken(p *tab, l language) {
	p.t.Helper()
	p.fill("#name", "nightly <b>")
	p.fill("#current", secretWords)
	p.leave("Enter", typed(kb.Enter))
	secret := p.text("#secret")
	if !tokenForm.MatchString(secret) {
		p.t.Fatalf("got %q, want a token", secret)
	}
	p.visit(l.path("/admin/tokens"))
	if p.count("#secret") != 0 || strings.Contains(p.text("main"), secret) {
		p.t.Error("the token is shown twice")
	}
	if got := p.texts("main tbody th"); len(got) != 1 || got[0] != "nightly <b>" {
		p.t.Errorf("got the tokens %q", got)
	}
	p.tabTo("main tbody button")
	p.leave("the button", typed(kb.Enter))
	if p.count("main tbody button") != 0 {
		p.t.Error("the token can be revoked again")
	}
}
