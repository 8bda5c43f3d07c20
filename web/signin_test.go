package web_test

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tianti/account"
	"tianti/audit"
	"tianti/store"
)

func entryQuery(action string) audit.Query {
	return audit.Query{Action: action, N: 1000}
}

// recorded counts the lines of the record with an action, and those about a subject.
func recorded(t *testing.T, db *store.Store, action, subject string) int {
	t.Helper()
	entries, _, err := db.Entries(context.Background(), entryQuery(action))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if e.Subject == subject {
			n++
		}
	}
	return n
}

func TestSigningInAndOut(t *testing.T) {
	s := newSite(t, nil)
	for _, prefix := range []string{"", "/zh"} {
		b := s.browser(t)
		r := b.get(prefix + "/admin/accounts")
		if got, want := r.Header.Get("Location"), prefix+"/admin/sign-in?next="+url.QueryEscape(
			prefix+"/admin/accounts"); r.StatusCode != http.StatusSeeOther || got != want {
			t.Fatalf("got %d to %q, want %q", r.StatusCode, got, want)
		}
		form := b.get(r.Header.Get("Location"))
		if form.StatusCode != http.StatusOK || !strings.Contains(form.body, `autocomplete="current-password"`) ||
			!strings.Contains(form.body, `value="`+prefix+`/admin/accounts"`) {
			t.Errorf("got %d, want the form with the address to go on to\n%s", form.StatusCode, form.body)
		}
		r = b.post(prefix+"/admin/sign-in", url.Values{"name": {"ANNA"}, "password": {annasPassword},
			"next": {prefix + "/admin/accounts"}})
		if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != prefix+"/admin/accounts" {
			t.Fatalf("got %d to %q", r.StatusCode, r.Header.Get("Location"))
		}
		if r := b.get(prefix + "/admin/accounts"); r.StatusCode != http.StatusOK || !strings.Contains(r.body, "bob") {
			t.Errorf("got %d, want the accounts", r.StatusCode)
		}
		if r := b.get(prefix + "/admin/sign-in?next=/cards"); r.StatusCode != http.StatusSeeOther ||
			r.Header.Get("Location") != "/cards" {
			t.Errorf("signed in already: got %d to %q", r.StatusCode, r.Header.Get("Location"))
		}
		r = b.post(prefix+"/admin/sign-out", nil)
		if c := cookieOf(r); r.StatusCode != http.StatusSeeOther || c == nil || c.MaxAge >= 0 || c.Value != "" {
			t.Errorf("signing out: got %d with %v, want the cookie to be deleted", r.StatusCode, c)
		}
		if got, want := r.Header.Get("Clear-Site-Data"), `"cache", "storage"`; got != want {
			t.Errorf("signing out clears %s in the browser, want %s", got, want)
		}
		if b.isIn() {
			t.Error("still signed in")
		}
	}
	if in, out := recorded(t, s.db, "account.signin", "anna"), recorded(t, s.db, "account.signout", "anna"); in != 2 ||
		out != 2 {
		t.Errorf("got %d and %d lines in the record, want 2 and 2", in, out)
	}
}

func TestARefusalSaysTheSameForEverybody(t *testing.T) {
	s := newSite(t, nil)
	if err := s.db.SetAccount(t.Context(), s.account(t, "bob").Key, account.Reader, true); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, c := range []struct{ name, password string }{
		{"anna", "opensesame"}, {"nobody", annasPassword}, {"bob", bobsPassword}, {"not a name!", "x"}, {"", ""},
		{"anna", strings.Repeat("long", 1000)},
	} {
		before := s.keeper.Hasher.Computed()
		r := s.browser(t).signIn(c.name, c.password)
		if work := s.keeper.Hasher.Computed() - before; work != 1 {
			t.Errorf("%q: %d hashes, want 1: who has an account is not to be learnt from the time", c.name, work)
		}
		if r.StatusCode != http.StatusUnprocessableEntity || cookieOf(r) != nil {
			t.Errorf("%q: got %d with %v, want 422 without a cookie", c.name, r.StatusCode, cookieOf(r))
		}
		if strings.Contains(r.body, c.password) && len(c.password) > 3 {
			t.Errorf("%q: the answer repeats the password", c.name)
		}
		text := r.body
		if c.name != "" {
			text = strings.ReplaceAll(text, ` value="`+c.name+`"`, "")
		}
		texts = append(texts, text)
	}
	for i, text := range texts {
		if text != texts[0] {
			t.Errorf("answer %d differs from the first:\n%s\n%s", i, texts[0], text)
		}
	}
	// Names that nobody has may be passwords in the wrong field.
	if known, unknown := recorded(t, s.db, "account.refused", "anna"), recorded(t, s.db, "account.refused",
		""); known != 2 || unknown != 3 {
		t.Errorf("got %d refusals of anna and %d of nobody, want 2 and 3", known, unknown)
	}
}

func TestGuessingIsLimited(t *testing.T) {
	s := newSite(t, nil)
	b, refused := s.browser(t), 0
	for range 30 {
		r := b.signIn("anna", "wrong guess")
		if r.StatusCode != http.StatusTooManyRequests {
			continue
		}
		refused++
		if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 60 {
			t.Errorf("got Retry-After %q, want 1 to 60 s", r.Header.Get("Retry-After"))
		}
	}
	if refused < 15 {
		t.Errorf("got %d of 30 guesses refused, want most", refused)
	}
	before := s.keeper.Hasher.Computed()
	if r := b.signIn("anna", annasPassword); r.StatusCode != http.StatusTooManyRequests ||
		s.keeper.Hasher.Computed() != before {
		t.Errorf("the right password during the wait: got %d", r.StatusCode)
	}
	if r := b.signIn("bob", bobsPassword); r.StatusCode != http.StatusSeeOther {
		t.Errorf("another account: got %d, want to be let in", r.StatusCode)
	}
}

func TestOneClientCannotTryManyNames(t *testing.T) {
	s := newSite(t, nil)
	b, refused := s.browser(t), 0
	for i := range 40 {
		if r := b.signIn("name"+strconv.Itoa(i), "the same password"); r.StatusCode == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 15 {
		t.Errorf("got %d of 40 names refused, want what is over 20", refused)
	}
}

func TestGuessesAtOnceAreAsManyGuesses(t *testing.T) {
	s := newSite(t, nil)
	before := s.keeper.Hasher.Computed()
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() { s.browser(t).signIn("anna", "wrong guess") })
	}
	all.Wait()
	if got := s.keeper.Hasher.Computed() - before; got > 15 {
		t.Errorf("got %d passwords checked of 60 at once, want about ten", got)
	}
}

func TestOnlyAddressesOfThisServerAreGoneOnTo(t *testing.T) {
	s := newSite(t, nil)
	for next, want := range map[string]string{
		"/cards?vendor=AMD&q=%20x": "/cards?vendor=AMD&q=%20x", "/zh/admin/tokens": "/zh/admin/tokens", "": "/admin",
		"https://evil.example/": "/admin", "//evil.example/": "/admin", `/\evil.example/`: "/admin",
		`\\evil.example`: "/admin", "/%5Cevil.example": "/admin",
		"javascript:alert(1)": "/admin", "cards": "/admin", "/%2F/evil.example": "/admin", "http:/evil": "/admin",
		"/\tevil": "/admin", "/a\r\nSet-Cookie: x=y": "/admin",
		"//user@evil.example": "/admin", "///evil.example": "/admin", "/admin/sign-out": "/admin",
		"/admin/sign-in?next=/x": "/admin", "https:evil.example": "/admin",
		"/" + strings.Repeat("a", 10<<10): "/admin",
	} {
		r := s.browser(t).post("/admin/sign-in", url.Values{"name": {"anna"}, "password": {annasPassword},
			"next": {next}})
		if got := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther || got != want {
			t.Errorf("%.60q: got %d to %q, want %q", next, r.StatusCode, got, want)
		}
		if len(next) > 8<<10 {
			continue // no address is so long
		}
		if r := s.browser(t).get("/admin/sign-in?next=" + url.QueryEscape(next)); !strings.Contains(r.body,
			`name="next" value="`+strings.ReplaceAll(want, "&", "&amp;")+`"`) {
			t.Errorf("%.60q: the form leads elsewhere than %q", next, want)
		}
	}
}

func TestFormsAreReadStrictly(t *testing.T) {
	s := newSite(t, nil)
	b := s.browser(t)
	for name, c := range map[string]struct {
		form   url.Values
		header []string
		want   int
	}{
		"JSON": {url.Values{"name": {"anna"}}, []string{"Content-Type", "application/json"},
			http.StatusUnsupportedMediaType},
		"long":   {url.Values{"name": {strings.Repeat("a", 70<<10)}}, nil, http.StatusRequestEntityTooLarge},
		"double": {url.Values{"name": {"anna", "bob"}, "password": {annasPassword}}, nil, http.StatusBadRequest},
	} {
		if r := b.post("/admin/sign-in", c.form, c.header...); r.StatusCode != c.want {
			t.Errorf("%s: got %d, want %d", name, r.StatusCode, c.want)
		}
	}
	if r := b.post("/admin/sign-in?password="+url.QueryEscape(annasPassword),
		url.Values{"name": {"anna"}}); r.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a password in the address: got %d, want it not to be read", r.StatusCode)
	}
	if r := b.get("/admin/sign-in?name=anna"); r.StatusCode != http.StatusBadRequest {
		t.Errorf("an unknown parameter: got %d, want 400", r.StatusCode)
	}
}

func TestTheSetupLinkMakesOneAdministrator(t *testing.T) {
	s := newEmptySite(t)
	b := s.browser(t)
	if r := b.get("/admin/sign-in"); !strings.Contains(r.body, "tianti admin create") ||
		strings.Contains(r.body, `type="password"`) {
		t.Error("without an account the page does not say how to make one")
	}
	key := s.keeper.Setup.Offer()
	link := "/zh/admin/setup?key=" + url.QueryEscape(key)
	if r := b.get("/admin/setup?key=wrong"); r.StatusCode != http.StatusGone ||
		strings.Contains(r.body, `type="password"`) {
		t.Errorf("a wrong link: got %d", r.StatusCode)
	}
	if r := b.get(link); r.StatusCode != http.StatusOK || !strings.Contains(r.body, `autocomplete="new-password"`) {
		t.Fatalf("got %d\n%s", r.StatusCode, r.body)
	}
	form := func(key, name, password string) url.Values {
		return url.Values{"key": {key}, "name": {name}, "password": {password}}
	}
	for _, f := range []url.Values{form(key, "anna", "short"), form(key, "an na", annasPassword),
		form(key, "tianti", annasPassword), form(key, "anna", "annaannaanna")} {
		if r := b.post("/admin/setup", f); r.StatusCode != http.StatusUnprocessableEntity ||
			!strings.Contains(r.body, `aria-invalid="true"`) || strings.Contains(r.body, annasPassword) {
			t.Errorf("%v: got %d, want 422 with the field marked", f, r.StatusCode)
		}
	}
	if r := b.post("/admin/setup", form("wrong", "anna", annasPassword)); r.StatusCode != http.StatusGone {
		t.Errorf("a wrong key: got %d", r.StatusCode)
	}
	r := b.post("/zh/admin/setup", form(key, "anna", annasPassword))
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/zh/admin" || !b.isIn() {
		t.Fatalf("got %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	again := s.browser(t)
	if r := again.post("/admin/setup", form(key, "eve", annasPassword)); r.StatusCode != http.StatusGone {
		t.Errorf("the second use: got %d", r.StatusCode)
	}
	if r := again.get(link); r.StatusCode != http.StatusGone {
		t.Errorf("the link afterwards: got %d", r.StatusCode)
	}
	if a := s.account(t, "anna"); a.Role != account.Administrator {
		t.Errorf("got %+v, want an administrator", a)
	}
}

func TestTheSetupLinkMakesOneAdministratorWhoeverIsFirst(t *testing.T) {
	s := newEmptySite(t)
	key := s.keeper.Setup.Offer()
	var all sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for i := range 8 {
		all.Go(func() {
			r := s.browser(t).post("/admin/setup", url.Values{"key": {key}, "name": {"admin" + strconv.Itoa(i)},
				"password": {annasPassword}})
			mu.Lock()
			defer mu.Unlock()
			if r.StatusCode == http.StatusSeeOther {
				made++
			} else if r.StatusCode != http.StatusGone {
				t.Errorf("got %d, want 303 or 410", r.StatusCode)
			}
		})
	}
	all.Wait()
	accounts, err := s.db.Accounts(t.Context())
	if made != 1 || len(accounts) != 1 || err != nil {
		t.Errorf("got %d let in and %d accounts, %v, want one", made, len(accounts), err)
	}
}

func TestTheSetupLinkDiesWithTheFirstAccount(t *testing.T) {
	s := newEmptySite(t)
	key := s.keeper.Setup.Offer()
	// Another process makes an account.
	if _, err := account.NewAuthenticator(s.db, account.NewHasherAt(64, 1), nil).Create(t.Context(), "anna",
		account.Reader, annasPassword, false); err != nil {
		t.Fatal(err)
	}
	b := s.browser(t)
	if r := b.post("/admin/setup", url.Values{"key": {key}, "name": {"eve"},
		"password": {annasPassword}}); r.StatusCode != http.StatusGone || b.isIn() {
		t.Errorf("got %d, want the link to be void", r.StatusCode)
	}
}
