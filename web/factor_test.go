package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"tianti/account"
	"tianti/web"
)

var (
	factorSecretForm = regexp.MustCompile(`<code id="secret">([A-Z2-7 ]{39})</code>`)
	recoveryForm     = regexp.MustCompile(`<code>([a-z2-7]{6}(?:-[a-z2-7]{6}){3})</code>`)
)

// codeOf is what an app shows, so many steps from now.
func codeOf(t *testing.T, secret string, steps int) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// setUpFactor gives whoever is signed in a second factor, and returns its secret and the recovery codes. The code of
// the step before is used up, so that the present one and the next are left.
func setUpFactor(t *testing.T, b *browser, password string) (secret string, codes []string) {
	t.Helper()
	const at = "/admin/account/second-factor"
	offer := b.post(at+"/begin", url.Values{"current": {password}})
	m := factorSecretForm.FindStringSubmatch(offer.body)
	if offer.StatusCode != http.StatusOK || m == nil || !strings.Contains(offer.body, `<svg class="qr"`) {
		t.Fatalf("got %d without a secret\n%s", offer.StatusCode, offer.body)
	}
	secret = strings.ReplaceAll(m[1], " ", "")
	if r := b.post(at+"/confirm", url.Values{"code": {"000 000"}}); r.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(r.body, m[1]) {
		t.Errorf("a wrong code: got %d, want the same secret again", r.StatusCode)
	}
	made := b.post(at+"/confirm", url.Values{"code": {codeOf(t, secret, -1)}})
	for _, m := range recoveryForm.FindAllStringSubmatch(made.body, -1) {
		codes = append(codes, m[1])
	}
	if made.StatusCode != http.StatusOK || len(codes) != 10 {
		t.Fatalf("got %d with %d recovery codes\n%s", made.StatusCode, len(codes), made.body)
	}
	return secret, codes
}

// code sends a code where the second factor is asked for.
func (b *browser) code(code string) reply {
	b.t.Helper()
	return b.post("/admin/sign-in/code", url.Values{"code": {code}, "next": {"/cards"}})
}

func TestASecondFactorIsAskedForAfterThePassword(t *testing.T) {
	s := newSite(t, nil)
	here, elsewhere := s.signedIn(t, "bob", bobsPassword), s.signedIn(t, "bob", bobsPassword)
	if r := here.post("/admin/account/second-factor/begin", url.Values{"current": {"a guess"}}); r.StatusCode !=
		http.StatusUnprocessableEntity || strings.Contains(r.body, `id="secret"`) {
		t.Errorf("with a wrong password: got %d", r.StatusCode)
	}
	secret, codes := setUpFactor(t, here, bobsPassword)
	if !here.isIn() || elsewhere.isIn() {
		t.Errorf("here %v, elsewhere %v, want to be signed in here only", here.isIn(), elsewhere.isIn())
	}
	if page := here.get("/admin/account/second-factor"); strings.Contains(page.body, codes[0]) ||
		strings.Contains(page.body, secret[:4]+" ") {
		t.Error("the codes or the secret are shown a second time")
	}

	b := s.browser(t)
	r := b.post("/zh/admin/sign-in", url.Values{"name": {"bob"}, "password": {bobsPassword}, "next": {"/zh/cards"}})
	if to := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther ||
		to != "/zh/admin/sign-in/code?next=%2Fzh%2Fcards" {
		t.Fatalf("got %d to %q, want to be asked for a code", r.StatusCode, to)
	}
	if b.isIn() {
		t.Fatal("the password alone lets in")
	}
	form := b.get(r.Header.Get("Location"))
	if form.StatusCode != http.StatusOK || !strings.Contains(form.body, `autocomplete="one-time-code"`) ||
		!strings.Contains(form.body, "验证码") {
		t.Errorf("got %d\n%s", form.StatusCode, form.body)
	}
	before := cookieOf(r).Value
	r = b.code(codeOf(t, secret, 0))
	if c := cookieOf(r); r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/cards" || c == nil ||
		c.Value == before {
		t.Fatalf("got %d to %q with %v, want another token", r.StatusCode, r.Header.Get("Location"), c)
	}
	if !b.isIn() {
		t.Error("not signed in")
	}
	if n := recorded(t, s.db, "account.signin", "bob"); n != 3 {
		t.Errorf("got %d lines of signing in, want 3", n)
	}

	replay := s.browser(t)
	replay.signIn("bob", bobsPassword)
	if r := replay.code(codeOf(t, secret, 0)); r.StatusCode != http.StatusUnprocessableEntity || replay.isIn() {
		t.Errorf("the same code again: got %d", r.StatusCode)
	}
	if r := replay.code(codes[0]); r.StatusCode != http.StatusSeeOther || !replay.isIn() {
		t.Errorf("a recovery code: got %d", r.StatusCode)
	}
	again := s.browser(t)
	again.signIn("bob", bobsPassword)
	if r := again.code(codes[0]); r.StatusCode != http.StatusUnprocessableEntity || again.isIn() {
		t.Errorf("a recovery code again: got %d", r.StatusCode)
	}
	if bad, used := recorded(t, s.db, "account.badcode", "bob"), recorded(t, s.db, "account.recovery",
		"bob"); bad != 2 || used != 1 {
		t.Errorf("got %d refusals and %d recovery codes in the record, want 2 and 1", bad, used)
	}
	// Neither page says anything to who has not given the password.
	stranger := s.browser(t)
	for _, r := range []reply{stranger.get("/admin/sign-in/code"), stranger.code(codeOf(t, secret, 1))} {
		if r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(r.Header.Get("Location"), "/admin/sign-in?") {
			t.Errorf("a stranger: got %d to %q", r.StatusCode, r.Header.Get("Location"))
		}
	}
}

func TestCodesCannotBeGuessed(t *testing.T) {
	s := newSite(t, nil)
	setUpFactor(t, s.signedIn(t, "bob", bobsPassword), bobsPassword)
	b := s.browser(t)
	b.signIn("bob", bobsPassword)
	var got []int
	for range 10 {
		r := b.code("123456")
		got = append(got, r.StatusCode)
		if r.StatusCode == http.StatusSeeOther { // the password is asked for again
			b.signIn("bob", bobsPassword)
		}
	}
	if n := slices.Index(got, http.StatusTooManyRequests); n < 3 || n > 6 {
		t.Errorf("got %v, want to wait after about five", got)
	}
	if b.isIn() {
		t.Error("signed in")
	}
}

func TestFiveWrongCodesAskForThePasswordAgain(t *testing.T) {
	s := newSite(t, nil)
	setUpFactor(t, s.signedIn(t, "bob", bobsPassword), bobsPassword)
	b := s.browser(t)
	b.signIn("bob", bobsPassword)
	var last reply
	for range 5 {
		last = b.code("123456")
	}
	if last.StatusCode != http.StatusSeeOther || !strings.HasPrefix(last.Header.Get("Location"), "/admin/sign-in?") {
		t.Errorf("got %d to %q, want to begin again", last.StatusCode, last.Header.Get("Location"))
	}
}

func TestASecondFactorIsRemovedWithPasswordAndCode(t *testing.T) {
	s := newSite(t, nil)
	bob := s.signedIn(t, "bob", bobsPassword)
	secret, codes := setUpFactor(t, bob, bobsPassword)
	const at = "/admin/account/second-factor"
	for name, f := range map[string]url.Values{
		"no code": {"do": {"remove"}, "current": {bobsPassword}}, "no password": {"do": {"remove"}, "code": {codes[0]}},
	} {
		if r := bob.post(at, f); r.StatusCode != http.StatusUnprocessableEntity || !s.account(t, "bob").Factor {
			t.Errorf("%s: got %d, want it to stay", name, r.StatusCode)
		}
	}
	r := bob.post(at, url.Values{"do": {"codes"}, "current": {bobsPassword}, "code": {codes[0]}})
	if fresh := recoveryForm.FindAllString(r.body, -1); r.StatusCode != http.StatusOK || len(fresh) != 10 ||
		strings.Contains(r.body, codes[1]) {
		t.Errorf("new recovery codes: got %d with %d", r.StatusCode, len(fresh))
	}
	if r := bob.post(at, url.Values{"do": {"remove"}, "current": {bobsPassword},
		"code": {codeOf(t, secret, 0)}}); r.StatusCode != http.StatusSeeOther ||
		s.account(t, "bob").Factor || !bob.isIn() {
		t.Errorf("got %d, signed in %v", r.StatusCode, bob.isIn())
	}
	s.signedIn(t, "bob", bobsPassword)
}

func TestAnAdministratorRemovesALostFactor(t *testing.T) {
	s := newSite(t, nil)
	bob, anna := s.signedIn(t, "bob", bobsPassword), s.signedIn(t, "anna", annasPassword)
	setUpFactor(t, bob, bobsPassword)
	id := strconv.FormatInt(s.account(t, "bob").Key, 10)
	form := url.Values{"do": {"factor"}, "current-do-" + id: {"not hers"}}
	if r := anna.post("/admin/accounts/"+id, form); r.StatusCode != http.StatusUnprocessableEntity ||
		!s.account(t, "bob").Factor {
		t.Errorf("without her password: got %d", r.StatusCode)
	}
	form.Set("current-do-"+id, annasPassword)
	if r := anna.post("/admin/accounts/"+id, form); r.StatusCode != http.StatusSeeOther ||
		s.account(t, "bob").Factor || bob.isIn() {
		t.Errorf("got %d, Bob is in: %v", r.StatusCode, bob.isIn())
	}
	entries, _, err := s.db.Entries(t.Context(), entryQuery("account.nofactor"))
	if err != nil || len(entries) != 1 || entries[0].Actor.Name != "anna" || entries[0].Subject != "bob" {
		t.Errorf("got %+v, %v, want who did it in the record", entries, err)
	}
	s.signedIn(t, "bob", bobsPassword)
}

func TestAdministratorsCanBeMadeToHaveASecondFactor(t *testing.T) {
	s := newSite(t, func(c *web.Config) { c.RequireFactor = true })
	anna := s.signedIn(t, "anna", annasPassword)
	for _, path := range []string{"/admin", "/admin/accounts", "/admin/tokens", "/zh/admin/log"} {
		r := anna.get(path)
		if to := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther ||
			!strings.HasSuffix(to, "/admin/account/second-factor") {
			t.Errorf("%s: got %d to %q", path, r.StatusCode, to)
		}
	}
	if r := anna.post("/api/v1/imports", url.Values{}); r.StatusCode != http.StatusForbidden ||
		!strings.Contains(r.body, "second factor") {
		t.Errorf("the API: got %d\n%s", r.StatusCode, r.body)
	}
	setUpFactor(t, anna, annasPassword)
	if r := anna.get("/admin/accounts"); r.StatusCode != http.StatusOK {
		t.Errorf("with a second factor: got %d", r.StatusCode)
	}
	if r := s.signedIn(t, "bob", bobsPassword).get("/admin"); r.StatusCode != http.StatusOK {
		t.Errorf("a reader: got %d", r.StatusCode)
	}
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	s := newSite(t, nil)
	here, other, anna := s.signedIn(t, "bob", bobsPassword), s.browser(t), s.signedIn(t, "anna", annasPassword)
	other.signIn("bob", bobsPassword, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 "+
		"Firefox/140.0")
	end := regexp.MustCompile(`action="(/admin/account/sessions/[0-9a-f]{24}/end)"`)
	page := here.get("/admin/account")
	ends := end.FindAllStringSubmatch(page.body, -1)
	if len(ends) != 1 || !strings.Contains(page.body, "Firefox · Linux") || !strings.Contains(page.body, "this one") ||
		!strings.Contains(page.body, "127.0.0.1") {
		t.Fatalf("got %d sessions to end, want the other one\n%s", len(ends), page.body)
	}
	if r := anna.post(ends[0][1], nil); r.StatusCode != http.StatusSeeOther || !other.isIn() {
		t.Errorf("somebody else ended it: got %d", r.StatusCode)
	}
	if r := here.post(ends[0][1], nil); r.StatusCode != http.StatusSeeOther || other.isIn() || !here.isIn() {
		t.Errorf("got %d; here %v, other %v", r.StatusCode, here.isIn(), other.isIn())
	}
	if page := here.get("/admin/account?done=session"); end.MatchString(page.body) ||
		!strings.Contains(page.body, "The session has ended.") {
		t.Error("the session is still listed, or the page does not say what was done")
	}
}

func TestOnesOwnDeviceIsNotLockedOutByGuesses(t *testing.T) {
	s := newSite(t, nil)
	known, stranger := s.signedIn(t, "anna", annasPassword), s.browser(t)
	known.post("/admin/sign-out", nil)
	limited := false
	for range 30 {
		limited = stranger.signIn("anna", "wrong guess").StatusCode == http.StatusTooManyRequests || limited
	}
	if !limited {
		t.Fatal("no guess was refused")
	}
	if r := s.browser(t).signIn("anna", annasPassword); r.StatusCode != http.StatusTooManyRequests {
		t.Errorf("an unknown device: got %d, want to wait", r.StatusCode)
	}
	if r := known.signIn("anna", annasPassword); r.StatusCode != http.StatusSeeOther {
		t.Errorf("a known device: got %d, want to be let in", r.StatusCode)
	}
}

func TestTheCookieOfADeviceIsNarrow(t *testing.T) {
	for _, c := range []struct {
		site   *site
		name   string
		secure bool
	}{{newSite(t, nil), "tianti-device", false}, {newTLSSite(t), "__Host-tianti-device", true}} {
		r := c.site.browser(t).signIn("anna", annasPassword)
		i := slices.IndexFunc(r.Cookies(), func(k *http.Cookie) bool { return k.Name == c.name })
		if i < 0 {
			t.Errorf("no cookie %s", c.name)
			continue
		}
		if k := r.Cookies()[i]; !k.HttpOnly || k.Secure != c.secure || k.SameSite != http.SameSiteStrictMode ||
			k.Path != "/" || k.Domain != "" {
			t.Errorf("got %s", k)
		}
	}
}

func TestRefusedRequestsAreWrittenDownWithinBounds(t *testing.T) {
	s := newSite(t, nil)
	bob := s.signedIn(t, "bob", bobsPassword)
	_, secret := s.token(t, "anna", account.ScopeRead, time.Time{})
	bob.get("/admin/accounts")
	bob.post("/api/v1/imports", url.Values{}, "Authorization", "Bearer "+secret)
	bob.post("/api/v1/imports", url.Values{}, "Authorization", "Bearer tianti_"+strings.Repeat("a", 43))
	entries, _, err := s.db.Entries(t.Context(), entryQuery("account.denied"))
	if err != nil || len(entries) != 3 {
		t.Fatalf("got %d lines, %v, want 3", len(entries), err)
	}
	bob.post("/admin/tokens", url.Values{"name": {"x"}, "scope": {"read"}, "days": {"30"}, "current": {"a guess"}})
	if again, _, err := s.db.Entries(t.Context(), entryQuery("account.denied")); err != nil || len(again) != 4 {
		t.Errorf("a wrong password of somebody signed in: got %d lines, %v, want 4", len(again), err)
	} else if e := again[0]; e.Actor.Name != "bob" || e.Detail["reason"] != "password" ||
		e.Detail["path"] != "/admin/tokens" {
		t.Errorf("got %+v, want who was refused what", e)
	}
	for i, want := range []struct{ actor, subject, reason, path string }{
		{"anonymous", "", "token", "/api/v1/imports"}, {"anna", "anna", "scope", "/api/v1/imports"},
		{"bob", "bob", "role", "/admin/accounts"},
	} {
		if e := entries[i]; e.Actor.Name != want.actor || e.Subject != want.subject ||
			e.Detail["reason"] != want.reason || e.Detail["path"] != want.path {
			t.Errorf("got %+v, want %+v", e, want)
		}
	}
	for range 300 {
		bob.get("/zh/admin/accounts")
		bob.get("/api/v1/log", "Authorization", "Bearer tianti_"+strings.Repeat("b", 43))
	}
	if _, n, err := s.db.Entries(t.Context(), entryQuery("account.denied")); err != nil || n > 120 || n < 100 {
		t.Errorf("got %d lines after 600 more, %v, want about 110", n, err)
	}
	page := s.signedIn(t, "anna", annasPassword).get("/admin/log?action=account")
	if !strings.Contains(page.body, "Request refused") || !strings.Contains(page.body, "may only read") {
		t.Error("the page of the log does not say it in words")
	}
}
