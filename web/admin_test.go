package web_test

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tianti/account"
)

var secretForm = regexp.MustCompile(`<code id="secret">(tianti_[A-Za-z0-9_-]{43})</code>`)

// secretOf is the token that a page shows.
func secretOf(t *testing.T, body string) string {
	t.Helper()
	m := secretForm.FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("the page shows no token:\n%s", body)
	}
	return m[1]
}

func dump(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAccountsAreMadeAndChanged(t *testing.T) {
	s := newSite(t, nil)
	anna := s.signedIn(t, "anna", annasPassword)
	form := func(fields ...string) url.Values {
		v := url.Values{}
		for i := 0; i+1 < len(fields); i += 2 {
			v.Set(fields[i], fields[i+1])
		}
		return v
	}
	r := anna.post("/admin/accounts", form("name", "张伟", "password", bobsPassword, "role", "reader", "current",
		annasPassword))
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", r.StatusCode, r.body)
	}
	if page := anna.get(r.Header.Get("Location")); !strings.Contains(page.body, "张伟") ||
		!strings.Contains(page.body, "The account is made.") {
		t.Error("the page lacks the new account, or what was done")
	}
	for _, f := range []url.Values{form("name", "BOB", "password", bobsPassword, "role", "reader", "current",
		annasPassword), form("name", "carol", "password", "carol carol", "role", "reader", "current", annasPassword)} {
		if r := anna.post("/admin/accounts", f); r.StatusCode != http.StatusUnprocessableEntity ||
			!strings.Contains(r.body, `aria-invalid="true"`) || !strings.Contains(r.body, `value="`+f.Get("name")+`"`) {
			t.Errorf("%v: got %d, want 422 with the name kept and the field marked", f, r.StatusCode)
		}
	}
	if r := anna.post("/admin/accounts", form("name", "carol", "password", bobsPassword, "role",
		"root")); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a made-up role: got %d", r.StatusCode)
	}
	r = anna.post("/admin/accounts", form("name", "ca rol", "password", "short", "role", "reader", "current",
		annasPassword))
	if n := strings.Count(r.body, `aria-invalid="true"`); r.StatusCode != http.StatusUnprocessableEntity || n != 2 {
		t.Errorf("a bad name and a short password: got %d with %d fields marked, want both", r.StatusCode, n)
	}
	id := strconv.FormatInt(s.account(t, "bob").Key, 10)
	at := "/admin/accounts/" + id
	bob := s.signedIn(t, "bob", bobsPassword)
	if r := anna.post(at, form("do", "role", "role-"+id, "administrator", "current-role-"+id,
		annasPassword)); r.StatusCode != http.StatusSeeOther || s.account(t, "bob").Role != account.Administrator {
		t.Errorf("role: got %d", r.StatusCode)
	}
	if r := anna.post(at, form("do", "password", "password-"+id, "short", "current-password-"+id,
		annasPassword)); r.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(r.body, "<details open") {
		t.Errorf("a short password: got %d, want the form open", r.StatusCode)
	}
	if r := anna.post(at, form("do", "password", "password-"+id, "a different passphrase", "current-password-"+id,
		annasPassword)); r.StatusCode != http.StatusSeeOther || bob.isIn() {
		t.Errorf("password: got %d, Bob is in: %v", r.StatusCode, bob.isIn())
	}
	bob = s.signedIn(t, "bob", "a different passphrase")
	if r := anna.post(at, form("do", "sign-out", "current-do-"+id, annasPassword)); r.StatusCode !=
		http.StatusSeeOther || bob.isIn() {
		t.Errorf("sign out: got %d", r.StatusCode)
	}
	if r := anna.post(at, form("do", "disable", "current-do-"+id, annasPassword)); r.StatusCode !=
		http.StatusSeeOther || !s.account(t, "bob").Disabled {
		t.Errorf("disable: got %d", r.StatusCode)
	}
	if r := s.browser(t).signIn("bob", "a different passphrase"); r.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a disabled account: got %d", r.StatusCode)
	}
	annas := strconv.FormatInt(s.account(t, "anna").Key, 10)
	if r := anna.post("/admin/accounts/"+annas, form("do", "disable", "current-do-"+annas,
		annasPassword)); r.StatusCode != http.StatusConflict || !strings.Contains(r.body, "last administrator") {
		t.Errorf("the last administrator: got %d", r.StatusCode)
	}
	if r := anna.post(at, form("do", "enable", "current-do-"+id, annasPassword)); r.StatusCode != http.StatusSeeOther ||
		s.account(t, "bob").Disabled {
		t.Errorf("enable: got %d", r.StatusCode)
	}
	for _, path := range []string{"/admin/accounts/99", "/admin/accounts/x"} {
		if r := anna.post(path, form("do", "disable", "current-do-99", annasPassword)); r.StatusCode !=
			http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, r.StatusCode)
		}
	}
	entries, _, err := s.db.Entries(t.Context(), entryQuery("account."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Subject == "bob" && e.Action != "account.create" && e.Action != "account.signin" &&
			e.Action != "account.refused" && (e.Actor.Name != "anna" || e.Actor.Channel != "page" ||
			e.Actor.Address != "127.0.0.1") {
			t.Errorf("%s of bob is recorded by %+v, want anna by page", e.Action, e.Actor)
		}
	}
}

func TestTheOwnPasswordNeedsThePresentOne(t *testing.T) {
	s := newSite(t, nil)
	here, elsewhere := s.signedIn(t, "bob", bobsPassword), s.signedIn(t, "bob", bobsPassword)
	form := func(current, new, again string) url.Values {
		return url.Values{"current": {current}, "new": {new}, "again": {again}}
	}
	const better = "a different passphrase"
	for name, f := range map[string]url.Values{
		"wrong": form("guess", better, better), "differing": form(bobsPassword, better, better+"x"),
		"short": form(bobsPassword, "short", "short"),
	} {
		if r := here.post("/admin/account/password", f); r.StatusCode != http.StatusUnprocessableEntity ||
			strings.Count(r.body, `aria-invalid="true"`) != 1 {
			t.Errorf("%s: got %d, want 422 with one field marked", name, r.StatusCode)
		}
	}
	home, _ := url.Parse(s.URL)
	before := here.http.Jar.Cookies(home)[0].Value
	r := here.post("/admin/account/password", form(bobsPassword, better, better))
	if r.StatusCode != http.StatusSeeOther || !here.isIn() || elsewhere.isIn() {
		t.Errorf("got %d; here %v, elsewhere %v, want to stay here only", r.StatusCode, here.isIn(), elsewhere.isIn())
	}
	if here.http.Jar.Cookies(home)[0].Value == before {
		t.Error("the token of the session is the same as before")
	}
	if r := here.get(r.Header.Get("Location")); !strings.Contains(r.body, "The password is changed.") {
		t.Error("the page does not say what was done")
	}
	elsewhere = s.signedIn(t, "bob", better)
	if r := here.post("/admin/account/sign-out", nil); r.StatusCode != http.StatusSeeOther || here.isIn() ||
		elsewhere.isIn() {
		t.Errorf("sign out everywhere: got %d", r.StatusCode)
	}
}

func TestThePresentPasswordCannotBeGuessed(t *testing.T) {
	s := newSite(t, nil)
	bob, limited := s.signedIn(t, "bob", bobsPassword), false
	for range 15 {
		r := bob.post("/admin/account/password", url.Values{"current": {"a wrong guess"},
			"new": {"a different passphrase"}, "again": {"a different passphrase"}})
		limited = limited || r.StatusCode == http.StatusTooManyRequests
	}
	if !limited {
		t.Error("got 15 guesses, want a limit as when signing in")
	}
}

func TestTokensAreShownOnce(t *testing.T) {
	s := newSite(t, nil)
	anna := s.signedIn(t, "anna", annasPassword)
	r := anna.post("/admin/tokens", url.Values{"name": {"<nightly>"}, "scope": {"import"}, "days": {"30"},
		"current": {annasPassword}})
	secret := secretOf(t, r.body)
	if r.StatusCode != http.StatusOK || r.Header.Get("Cache-Control") != "no-store" ||
		strings.Contains(r.body, "<nightly>") {
		t.Errorf("got %d, %q", r.StatusCode, r.Header.Get("Cache-Control"))
	}
	page := anna.get("/admin/tokens")
	if strings.Contains(page.body, secret) || !strings.Contains(page.body, "&lt;nightly&gt;") ||
		!strings.Contains(page.body, `>never</td>`) {
		t.Error("the list shows the token, or lacks its name")
	}
	if _, _, err := s.keeper.Bearer(t.Context(), secret); err != nil {
		t.Errorf("the token is refused: %v", err)
	}
	if page := anna.get("/admin/tokens"); strings.Contains(page.body, `>never</td>`) {
		t.Error("the list does not say that the token was used")
	}
	for name, f := range map[string]url.Values{
		"no name": {"name": {" "}, "scope": {"read"}, "days": {"30"}, "current": {annasPassword}},
	} {
		if r := anna.post("/admin/tokens", f); r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: got %d", name, r.StatusCode)
		}
	}
	for name, f := range map[string]url.Values{
		"scope": {"name": {"x"}, "scope": {"admin"}, "days": {"30"}}, "days": {"name": {"x"}, "scope": {"read"},
			"days": {"31"}},
	} {
		if r := anna.post("/admin/tokens", f); r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: got %d", name, r.StatusCode)
		}
	}
	tokens, err := s.db.Tokens(t.Context())
	if err != nil || len(tokens) != 1 {
		t.Fatalf("got %d tokens, %v", len(tokens), err)
	}
	if r := anna.post("/zh/admin/tokens/"+strconv.FormatInt(tokens[0].Key, 10)+"/revoke",
		nil); r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/zh/admin/tokens?done=revoke" {
		t.Errorf("got %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	if _, _, err := s.keeper.Bearer(t.Context(), secret); err == nil {
		t.Error("a revoked token lets in")
	}
}

func TestReadersHaveTheirOwnTokensOnly(t *testing.T) {
	s := newSite(t, nil)
	anna, bob := s.signedIn(t, "anna", annasPassword), s.signedIn(t, "bob", bobsPassword)
	secretOf(t, anna.post("/admin/tokens", url.Values{"name": {"hers"}, "scope": {"import"}, "days": {"0"},
		"current": {annasPassword}}).body)
	secretOf(t, bob.post("/admin/tokens", url.Values{"name": {"his"}, "scope": {"read"}, "days": {"0"},
		"current": {bobsPassword}}).body)
	if r := bob.post("/admin/tokens", url.Values{"name": {"more"}, "scope": {"import"}, "days": {"0"}}); r.StatusCode !=
		http.StatusForbidden {
		t.Errorf("a reader with the scope import: got %d", r.StatusCode)
	}
	if page := bob.get("/admin/tokens"); strings.Contains(page.body, "hers") || !strings.Contains(page.body, "his") {
		t.Error("a reader sees the tokens of others, or not the own")
	}
	tokens, err := s.db.Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		want := http.StatusNotFound
		if token.Account == "bob" {
			want = http.StatusSeeOther
		}
		if r := bob.post("/admin/tokens/"+strconv.FormatInt(token.Key, 10)+"/revoke", nil); r.StatusCode != want {
			t.Errorf("the token of %s: got %d, want %d", token.Account, r.StatusCode, want)
		}
	}
}
