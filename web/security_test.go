package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tianti/web"
)

func TestNoRouteOfTheAdministrationAnswersStrangers(t *testing.T) {
	s := newSite(t, nil)
	stranger, guarded, writing := s.browser(t), 0, 0
	for _, r := range routesOf(t, s.web) {
		if r.isDoor() || r.isSafe() && !r.isAdmin() || r.isStatic() {
			continue
		}
		guarded++
		if !r.isSafe() {
			writing++
		}
		got := stranger.do(r.method, r.path, nil)
		to := got.Header.Get("Location")
		redirected := got.StatusCode == http.StatusSeeOther && strings.Contains(to, "/admin/sign-in")
		if !redirected && got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s %s: got %d to %q, want 401 or the way to sign in\n%.300s", r.method, r.pattern,
				got.StatusCode, to, got.body)
		}
		if got.StatusCode == http.StatusUnauthorized &&
			!strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%s %s: 401 without a challenge", r.method, r.pattern)
		}
	}
	if guarded < 25 || writing < 10 {
		t.Errorf("looked at %d routes, %d of them writing: want all", guarded, writing)
	}
}

// isStatic reports whether a route is that of files, which takes any method and
// changes nothing.
func (r route) isStatic() bool { return strings.HasPrefix(r.pattern, "/static/") }

func TestReadersAdministerNothing(t *testing.T) {
	s := newSite(t, nil)
	bob, refused := s.signedIn(t, "bob", bobsPassword), 0
	may := map[string]bool{"": true, "/sign-out": true, "/account": true, "/account/password": true,
		"/account/sign-out": true, "/account/sessions/{id}/end": true, "/account/second-factor": true,
		"/account/second-factor/begin": true, "/account/second-factor/confirm": true, "/tokens": true,
		"/tokens/{key}/revoke": true}
	for _, r := range routesOf(t, s.web) {
		page, ok := strings.CutPrefix(strings.TrimPrefix(r.pattern, "/zh"), "/admin")
		if r.isDoor() || r.isStatic() || ok && may[page] || !ok && r.isSafe() {
			continue
		}
		refused++
		if got := bob.do(r.method, r.path, nil); got.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s: got %d, want 403\n%.300s", r.method, r.pattern, got.StatusCode, got.body)
		}
	}
	if refused < 6 {
		t.Errorf("looked at %d routes, want those of administrators", refused)
	}
}

func TestRequestsOfOtherSitesChangeNothing(t *testing.T) {
	s := newSite(t, func(c *web.Config) { c.Origin = "https://cards.example" })
	anna, tried := s.signedIn(t, "anna", annasPassword), 0
	for _, r := range routesOf(t, s.web) {
		if r.isSafe() || r.isStatic() {
			continue
		}
		tried++
		for _, header := range [][]string{
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
			{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "https://cards.example.evil.example"},
		} {
			if got := anna.do(r.method, r.path, nil, header...); got.StatusCode != http.StatusForbidden {
				t.Errorf("%s %s with %v: got %d, want 403", r.method, r.pattern, header, got.StatusCode)
			}
		}
	}
	if tried < 10 {
		t.Errorf("looked at %d routes, want all that write", tried)
	}
	for _, header := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Origin", s.URL},
		{"Origin", "https://cards.example"}} {
		if got := anna.post("/admin/accounts/1", map[string][]string{"do": {"nothing"}},
			header...); got.StatusCode != http.StatusBadRequest {
			t.Errorf("with %v: got %d, want the form to be read", header, got.StatusCode)
		}
	}
}

func TestEveryAnswerHasItsHeaders(t *testing.T) {
	for name, change := range map[string]func(*web.Config){
		"usual": nil, "private": func(c *web.Config) { c.Private = true }, "read-only": func(c *web.Config) {
			c.ReadOnly, c.Accounts = true, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, change)
			methods := []string{"GET", "POST"}
			if change == nil {
				methods = append(methods, "HEAD", "OPTIONS", "DELETE", "PROPFIND")
			}
			var anna *browser
			if name != "read-only" {
				anna = s.signedIn(t, "anna", annasPassword)
			}
			for _, r := range append(routesOf(t, s.web), route{path: "/nowhere"}, route{path: "/zh/admin/nowhere"},
				route{path: "/cards/"}, route{path: "//evil.example/"}) {
				if strings.HasSuffix(r.path, "/stream") {
					continue // has no source here
				}
				for _, method := range methods {
					for who, b := range map[string]*browser{"a stranger": s.browser(t), "anna": anna} {
						if b == nil || strings.HasSuffix(r.path, "/sign-out") && method == "POST" {
							continue
						}
						wantHeaders(t, method+" "+r.path+" by "+who, r, b.do(method, r.path, nil), name == "private")
					}
				}
			}
		})
	}
}

// wantHeaders looks at the headers of an answer; what a private server shows is in no frame of another site.
func wantHeaders(t *testing.T, what string, r route, got reply, private bool) {
	t.Helper()
	h := got.Header
	csp, framed := h.Get("Content-Security-Policy"), "frame-ancestors 'none'"
	if strings.Contains(r.path, "/embed/") && got.StatusCode == http.StatusOK && !private { // made for other sites
		framed = "form-action 'none'; base-uri 'none'; frame-ancestors *"
	}
	if !strings.HasPrefix(csp, "default-src 'none'") || !strings.Contains(csp, framed) ||
		strings.Contains(csp, "unsafe") {
		t.Errorf("%s: status %d, Content-Security-Policy %q", what, got.StatusCode, csp)
	}
	if h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: status %d without nosniff", what, got.StatusCode)
	}
	if r.isAdmin() && got.Request.Method != "OPTIONS" && got.StatusCode != http.StatusPermanentRedirect &&
		h.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: status %d, Cache-Control %q, want no-store", what, got.StatusCode, h.Get("Cache-Control"))
	}
	if got.StatusCode >= 500 && got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s: status %d\n%.500s", what, got.StatusCode, got.body)
	}
}

func TestAdministrationAnswersItsMethodsOnly(t *testing.T) {
	s := newSite(t, nil)
	anna := s.signedIn(t, "anna", annasPassword)
	for path, want := range map[string]string{
		"/admin": "GET, HEAD, OPTIONS", "/zh/admin/accounts": "GET, HEAD, POST, OPTIONS",
		"/admin/sign-out": "POST, OPTIONS", "/cards": "GET, HEAD, OPTIONS",
	} {
		if got := anna.do("OPTIONS", path, nil); got.StatusCode != http.StatusNoContent ||
			got.Header.Get("Allow") != want {
			t.Errorf("OPTIONS %s: got %d, %q, want %q", path, got.StatusCode, got.Header.Get("Allow"), want)
		}
		if got := anna.do("DELETE", path, nil); got.StatusCode != http.StatusMethodNotAllowed ||
			got.Header.Get("Allow") != want {
			t.Errorf("DELETE %s: got %d, %q, want %q", path, got.StatusCode, got.Header.Get("Allow"), want)
		}
	}
	if got := anna.do("HEAD", "/admin/accounts", nil); got.StatusCode != http.StatusOK || got.body != "" {
		t.Errorf("HEAD: got %d with %d bytes", got.StatusCode, len(got.body))
	}
	if got := anna.do("HEAD", "/admin/sign-out", nil); got.StatusCode != http.StatusMethodNotAllowed || !anna.isIn() {
		t.Errorf("HEAD /admin/sign-out: got %d", got.StatusCode)
	}
}

func TestForwardedHeadersCountFromTrustedProxiesOnly(t *testing.T) {
	s := newAccounts(t, nil)
	h := httptest.NewRequest(http.MethodPost, "/admin/sign-in",
		strings.NewReader("name=anna&password=correct+horse+battery"))
	h.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	h.Header.Set("X-Forwarded-Proto", "https")
	h.Header.Set("X-Forwarded-For", "203.0.113.9")
	w := httptest.NewRecorder()
	s.web.ServeHTTP(w, h)
	if c := cookieOf(reply{Response: w.Result()}); w.Code != http.StatusSeeOther || c == nil || c.Secure ||
		c.Name != "tianti" {
		t.Errorf("got %d with %v, want a plain cookie: nobody trusts 192.0.2.1", w.Code, c)
	}
	entries, _, err := s.db.Entries(t.Context(), entryQuery("account.signin"))
	if err != nil || len(entries) != 1 || entries[0].Actor.Address != "192.0.2.1" {
		t.Errorf("got %+v, %v, want the address of the peer in the record", entries, err)
	}
}
